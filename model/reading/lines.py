"""The line of every key in a TOML text, which the parser of the standard library does not tell.

The scanner is run on texts that the parser has read, or that it refused only because a key stands twice.
On anything else it skips what it does not understand: a line may then be unknown, never wrong.
"""

import bisect
import re
import tomllib
from typing import Final

import attrs

_BLANK: Final = re.compile(r"(?:[ \t\r\n,]|#[^\n]*)*")
_SPACE: Final = re.compile(r"[ \t]*")
_KEY: Final = re.compile(r'[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'')
_DOT: Final = re.compile(r"[ \t]*\.[ \t]*")
_TEXT: Final = re.compile(
    r'"""(?:[^\\]|\\.)*?"""(?:"{0,2})'
    r"|'''.*?'''(?:'{0,2})"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|[^,\]\}\[\{\s#]+",
    re.DOTALL,
)
_REST: Final = re.compile(r"[^\n]*")

Path = tuple[str, ...]


@attrs.frozen(slots=True)
class Lines:
    """Where keys and table headers stand; `all` keeps every occurrence, in the order of the text.

    `items` has the lines of the items of an array, where they are no arrays: the first of `a` is `("a", "[0]")`.
    """

    all: tuple[tuple[Path, int], ...]
    items: tuple[tuple[Path, int], ...] = ()

    def of(self, *path: str) -> int | None:
        """Return the line where this path first stands, or the first one below it."""
        exact = next((line for found, line in (*self.all, *self.items) if found == path), None)
        if exact is not None:
            return exact
        return next((line for found, line in self.all if found[: len(path)] == path), None)

    def twice(self) -> tuple[Path, int, int] | None:
        """Return the first path that stands twice, with both lines."""
        seen: dict[Path, int] = {}
        for path, line in self.all:
            if path in seen:
                return path, seen[path], line
            seen[path] = line
        return None


def scan(text: str) -> Lines:
    """Find the line of every key and table header of a TOML text."""
    return _Scanner(text).run()


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.newlines = [match.start() for match in re.finditer("\n", text)]
        self.found: list[tuple[Path, int]] = []
        self.items: list[tuple[Path, int]] = []

    def run(self) -> Lines:
        table: Path = ()
        while True:
            self._skip(_BLANK)
            if self.at >= len(self.text):
                return Lines(tuple(self.found), tuple(self.items))
            if self.text[self.at] == "[":
                table = self._header()
            else:
                self._assignment(table)
            self._skip(_REST)

    def _header(self) -> Path:
        line = self._line()
        while self.at < len(self.text) and self.text[self.at] in "[ \t":
            self.at += 1
        path = self._path()
        self.found.append((path, line))
        return path

    def _assignment(self, table: Path) -> None:
        line = self._line()
        path = table + self._path()
        self._skip(_SPACE)
        if path == table or self.at >= len(self.text) or self.text[self.at] != "=":
            return
        self.at += 1
        self.found.append((path, line))
        self._skip(_SPACE)
        self._value(path)

    def _path(self) -> Path:
        parts = []
        while match := _KEY.match(self.text, self.at):
            self.at = match.end()
            parts.append(_unquoted(match.group()))
            dot = _DOT.match(self.text, self.at)
            if dot is None:
                break
            self.at = dot.end()
        return tuple(parts)

    def _value(self, path: Path) -> None:
        if self.at >= len(self.text):
            return
        if self.text[self.at] == "[":
            self._array(path)
        elif self.text[self.at] == "{":
            self._inline_table(path)
        else:
            self._skip(_TEXT)

    def _array(self, path: Path) -> None:
        self.at += 1
        index = 0
        while self.at < len(self.text):
            self._skip(_BLANK)
            before = self.at
            if self.text[self.at : self.at + 1] == "]":
                self.at += 1
                return
            self.items.append(((*path, f"[{index}]"), self._line()))
            self._value(path)
            index += 1
            if self.at == before:
                return

    def _inline_table(self, path: Path) -> None:
        self.at += 1
        while self.at < len(self.text):
            self._skip(_BLANK)
            before = self.at
            if self.text[self.at : self.at + 1] == "}":
                self.at += 1
                return
            self._assignment(path)
            if self.at == before:
                return

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.at)
        if match is not None:
            self.at = match.end()

    def _line(self) -> int:
        return bisect.bisect_left(self.newlines, self.at) + 1


def _unquoted(key: str) -> str:
    if key[0] not in "\"'":
        return key
    try:
        return tomllib.loads(f"key = {key}")["key"]
    except tomllib.TOMLDecodeError:
        return key[1:-1]
