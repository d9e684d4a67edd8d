"""The one error of a configuration: what is wrong, where it stands, and what to write instead."""

import datetime as dt
from decimal import Decimal
from typing import Final

import attrs

_SHOWN_LENGTH: Final = 60
_SHOWN_ITEMS: Final = 4
_SHOWN_BITS: Final = 256
_FILE_LENGTH: Final = 300
_LINE_LENGTH: Final = 400


@attrs.frozen(slots=True)
class Where:
    """The place of an error: a file (or an option, or a preset), its line and the key, as far as known."""

    file: str
    line: int | None = None
    key: str | None = None

    def __str__(self) -> str:
        file = cut(self.file, _FILE_LENGTH)
        place = file if self.line is None else f"{file}:{self.line}"
        return place if self.key is None else f"{place}: {cut(self.key, _SHOWN_LENGTH)}"


class ConfigError(Exception):
    """A configuration that cannot be read: `what` is wrong, `where`, and what to write `instead`.

    Its text is two lines at most, fit to be shown to the person who wrote the file.
    """

    def __init__(self, what: str, where: Where, instead: str) -> None:
        super().__init__(what, where, instead)
        self.what = what
        self.where = where
        self.instead = instead

    def __str__(self) -> str:
        what, instead = (_printable(cut(text, _LINE_LENGTH)) for text in (self.what, self.instead))
        return f"{_printable(str(self.where))}: {what}\n  {instead}"


def cut(text: str, length: int) -> str:
    """Return the text, or so much of it that it has this length with the dots that say so."""
    return text if len(text) <= length else text[: length - 3] + "..."


def _printable(text: str) -> str:
    """Show what a path or an option may hold beside letters, so that an error keeps its two lines."""
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def shown(value: object) -> str:
    """Write a value as a file would, shortened so that an error stays readable."""
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif value is None:
        text = "null"
    elif isinstance(value, str):
        text = '"' + value.encode("unicode_escape").decode("ascii").replace('"', '\\"') + '"'
    elif isinstance(value, (list, tuple)):
        rest = ", ..." if len(value) > _SHOWN_ITEMS else ""
        text = "[" + ", ".join(shown(item) for item in value[:_SHOWN_ITEMS]) + rest + "]"
    elif isinstance(value, dict):
        text = "{ " + ", ".join(f"{name} = ..." for name in list(value)[:_SHOWN_ITEMS]) + " }"
    elif isinstance(value, int) and value.bit_length() > _SHOWN_BITS:
        text = hex(value)  # Python refuses to write thousands of decimal digits
    else:
        text = str(value)
    return cut(text, _SHOWN_LENGTH)


_TYPE_NAMES: Final = (
    (bool, "a flag"),
    (str, "a text"),
    ((list, tuple), "a list"),
    (dict, "a table"),
    ((int, float, Decimal), "a number"),
    ((dt.date, dt.time), "a date"),
)


def type_name(value: object) -> str:
    """Name the type of a parsed value as people call it."""
    return next((name for types, name in _TYPE_NAMES if isinstance(value, types)), "null")
