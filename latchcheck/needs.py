"""What is said where an optional package is not installed."""

from __future__ import annotations


class Needs(Exception):
    """Something that was asked for needs a package that is not installed; the text says how to get it."""

    def __init__(self, what: str, package: str, extra: str) -> None:
        super().__init__(f"{what} needs {package}, which is not installed\n  pip install 'latchcheck[{extra}]'")
