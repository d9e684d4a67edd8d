"""The one error of a configuration: what is wrong, where it stands, and what to write instead.

A configuration is read to its end before its errors are told, all of them together.
"""

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
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

    Where more is wrong, this is the first of it, and `others` is the rest.
    Its text is two lines for each, fit to be shown to the person who wrote the file.
    """

    def __init__(self, what: str, where: Where, instead: str, others: Sequence["ConfigError"] = ()) -> None:
        super().__init__(what, where, instead)
        self.what = what
        self.where = where
        self.instead = instead
        self.others = tuple(others)

    @property
    def every(self) -> tuple["ConfigError", ...]:
        """Each thing that is wrong as an error by itself, in the order in which they were met."""
        return (ConfigError(self.what, self.where, self.instead), *self.others) if self.others else (self,)

    def __str__(self) -> str:
        return "\n".join(one.told() for one in (self, *self.others))

    def told(self) -> str:
        """The text of this one, without the others."""
        what, instead = (_printable(cut(text, _LINE_LENGTH)) for text in (self.what, self.instead))
        return f"{_printable(str(self.where))}: {what}\n  {instead}"


class Faults:
    """Gathers the errors of what is read, so that nobody mends one only to be told of the next."""

    def __init__(self) -> None:
        self._found: list[ConfigError] = []

    def __bool__(self) -> bool:
        return bool(self._found)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep the errors of the block, and go on after it."""
        try:
            yield
        except ConfigError as error:
            self._found.extend(error.every)

    def add(self, errors: Iterable[ConfigError]) -> None:
        """Keep errors that were found elsewhere."""
        self._found.extend(errors)

    def in_order(self) -> None:
        """Put errors of one file in the order of its lines."""
        self._found.sort(key=lambda one: one.where.line or 0)

    def told(self) -> None:
        """Raise what was gathered, if anything; what two readers met is told once."""
        if self._found:
            raise together(list({one.told(): one for one in self._found}.values()))


def together(errors: Sequence[ConfigError]) -> ConfigError:
    """One error of several, of which there is at least one."""
    first, *others = errors
    return ConfigError(first.what, first.where, first.instead, others) if others else first


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
