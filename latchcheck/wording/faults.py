"""Errors about a sentence: where it is, the word that is wrong, and what could stand there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

SHOWN_MAX = 8
"""How many suggestions are listed; `latchcheck wording vocabulary` has them all."""


class WordingError(Exception):
    """A property file or a sentence in it cannot be read; the text says where, what, and what to write instead."""


class SentenceError(WordingError):
    """A sentence in controlled English is not one: `offset` is the position of the word at fault in its text."""

    def __init__(self, text: str, offset: int, what: str, instead: str) -> None:
        super().__init__(f"column {offset + 1}: {what}\n  {instead}")
        self.text, self.offset, self.what, self.instead = text, offset, what, instead

    def placed(self, file: str, source: str, start: int | None, reading: str) -> WordingError:
        """The error with file, line and column; `start` is where the text of the reading begins in the source."""
        if start is None:
            return WordingError(f"{file}: reading {reading!r}, column {self.offset + 1}: {self.what}\n  {self.instead}")
        at = start + self.offset
        line = source.count("\n", 0, at) + 1
        begin = source.rfind("\n", 0, at) + 1
        shown = source[begin:].split("\n", 1)[0]
        marker = " " * (at - begin) + "^"
        head = f"{file}:{line}:{at - begin + 1}: reading {reading!r}: {self.what}"
        return WordingError(f"{head}\n  | {shown}\n  | {marker}\n  {self.instead}")


def suggestion(word: str, choices: Iterable[str], *, more: str = "") -> str:
    """What could stand in place of a word: the nearest one, then the list, cut where it is long."""
    known = tuple(dict.fromkeys(choices))
    near = get_close_matches(word, known, 1)
    meant = f"did you mean {near[0]!r}? " if near else ""
    return f"{meant}here may stand: {listed(known)}{more}"


def listed(known: Sequence[str]) -> str:
    """Choices in a row, in quotes, the first few of them."""
    shown = ", ".join(repr(one) for one in known[:SHOWN_MAX])
    rest = len(known) - SHOWN_MAX
    return f"{shown}, and {rest} more (`latchcheck wording vocabulary` lists all)" if rest > 0 else shown
