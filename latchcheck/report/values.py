"""Keys and values as a configuration file spells them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from latchcheck.kernel.duration import told
from latchcheck.kernel.numbers import exact_text


def setting(key: str, value: Any) -> str:
    """A key and its value as one writes them in a file: `server.orphan_window = 15m`."""
    return f"{knob(key)} = {value_text(key, value)}"


def knob(key: str) -> str:
    """A key as the configuration file spells it: the unit belongs to the value there."""
    return key.removesuffix("_ms")


def value_text(key: str, value: Any) -> str:
    """A value as text; it is a duration where the key ends in `_ms`, exact unless that is long (see `told`)."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(value_text(key, one) for one in value) + "]"
    if isinstance(value, (int, Fraction)):
        # A bare 0 is no duration in a file, so zero keeps its unit.
        return (told(value) if value else "0ms") if key.endswith("_ms") else exact_text(Fraction(value))
    return str(value)
