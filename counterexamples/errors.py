"""Errors of fixtures: one that cannot be read, and one whose time has passed."""

from __future__ import annotations


class FixtureError(Exception):
    """A fixture that cannot be read: the file, the place in it (a JSON pointer), what is wrong, and what to write."""

    def __init__(self, file: str, pointer: str, what: str, instead: str) -> None:
        super().__init__(file, pointer, what, instead)
        self.file = file
        self.pointer = pointer
        self.what = what
        self.instead = instead

    def __str__(self) -> str:
        place = f"{self.file}: {self.pointer}" if self.pointer else self.file
        return f"{place}: {self.what}\n  {self.instead}"


class Stale(Exception):
    """A fixture that no longer says anything: its property, switch, action or violation is gone; the text says so."""
