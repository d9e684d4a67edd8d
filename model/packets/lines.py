"""Where each value of a JSON text stands: from its pointer to its line."""

from __future__ import annotations

import re
from contextlib import suppress
from json import JSONDecoder
from typing import Final

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_DECODER: Final = JSONDecoder()


def lines_of(text: str) -> dict[str, int]:
    """The line, counted from 1, at which each value begins (in an object: its key); the text must be valid JSON."""
    walk = _Walk(text)
    with suppress(RecursionError):  # what is nested too deeply to be walked through is left out
        walk.value(_skip(text, 0), "")
    return walk.found


def pointer(*parts: str | int) -> str:
    """The JSON pointer of a place."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    assert match is not None
    return match.end()


class _Walk:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at, self._line = 0, 1
        self.found: dict[str, int] = {}

    def value(self, at: int, where: str) -> int:
        """The position after the value that begins at `at`."""
        self.found.setdefault(where, self._line_at(at))
        first = self._text[at]
        if first in "[{":
            return self._many(at, where, first == "{")
        return _DECODER.raw_decode(self._text, at)[1]

    def _many(self, at: int, where: str, keyed: bool) -> int:  # noqa: FBT001 - two kinds of bracket
        text, count = self._text, 0
        at = _skip(text, at + 1)
        while text[at] not in "]}":
            name, begin = str(count), at
            if keyed:
                name, at = _DECODER.raw_decode(text, at)
                at = _skip(text, _skip(text, at) + 1)
            below = where + pointer(name)
            self.found[below] = self._line_at(begin)
            at = _skip(text, self.value(at, below))
            if text[at] == ",":
                at = _skip(text, at + 1)
            count += 1
        return at + 1

    def _line_at(self, at: int) -> int:
        """The line of a position; positions are asked for in order, so that the text is counted once."""
        self._line += self._text.count("\n", self._at, at)
        self._at = max(self._at, at)
        return self._line
