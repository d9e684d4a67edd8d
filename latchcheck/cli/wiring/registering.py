"""Targets of one's own, made known to the command line and to pytest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def register_target(name: str, make: Callable[[], Any]) -> None:
    """Make a target known by a name. Raises UnknownTarget for a name that cannot be one."""
    from latchcheck.counterexamples.targets import register

    register(name, make)
