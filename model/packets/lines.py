"""Where each value of a JSON text stands: from its pointer to its line."""

from __future__ import annotations

import re
from json import JSONDecoder
from typing import Final

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_DECODER: Final = JSONDecoder()


def lines_of(text: str) -> dict[str, int]:
    """The line, counted from 1, at which each value begins (in an object: its key); the text must be valid JSON."""
    found: dict[str, int] = {}
    _Walk(text, found).value(_skip(text, 0), "", 1)
    return found


def pointer(*parts: str | int) -> str:
    """The JSON pointer of a place."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    assert match is not None
    return match.end()


class _Walk:
    def __init__(self, text: str, found: dict[str, int]) -> None:
        self._text = text
        self._found = found

    def value(self, at: int, where: str, line: int) -> int:
        """The position after the value that begins at `at`."""
        self._found.setdefault(where, line)
        first = self._text[at]
        if first in "[{":
            return self._many(at, where, first == "{")
        return _DECODER.raw_decode(self._text, at)[1]

    def _many(self, at: int, where: str, keyed: bool) -> int:  # noqa: FBT001 - two kinds of bracket
        text, count = self._text, 0
        at = _skip(text, at + 1)
        while text[at] not in "]}":
            line = text.count("\n", 0, at) + 1
            name: str | int = count
            if keyed:
                name, at = _DECODER.raw_decode(text, at)
                at = _skip(text, _skip(text, at) + 1)
            at = _skip(text, self.value(at, where + pointer(name), line))
            if text[at] == ",":
                at = _skip(text, at + 1)
            count += 1
        return at + 1
