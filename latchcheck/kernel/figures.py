"""Figures of published tables beside those that come out here, both as printed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

import attrs

NUMBER = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?)(%| s)?")
Value = int | float | str
Cells = Callable[[str], Iterable[str]]
"""The printed cells of the row of that label, in the order of the columns."""


@attrs.frozen
class Table:
    """One table: its number and caption, the head of its rows, its columns, and its rows by their label."""

    number: int
    caption: str
    corner: str
    columns: Sequence[str]
    rows: Mapping[str, Sequence[str]]

    @property
    def figures(self) -> int:
        """How many cells it has."""
        return sum(len(row) for row in self.rows.values())


@attrs.frozen
class Figure:
    """One cell: its labels as the source prints them, and both values in its print.

    `beside` is what another arithmetic or another schedule gives, where that is asked for; None where it is not.
    """

    table: int
    row: str
    column: str
    published: str
    ours: str
    beside: str | None = None

    @property
    def agrees(self) -> bool:
        """Whether ours is the published figure to the last printed digit."""
        return self.ours == self.published

    @property
    def values(self) -> tuple[Value, Value]:
        """Published and ours as a program reads them."""
        return value(self.published), value(self.ours)

    @property
    def difference(self) -> str:
        """Ours less the published one, in the printed digits and unit; words are the same, or they are not."""
        mine, theirs = NUMBER.fullmatch(self.ours), NUMBER.fullmatch(self.published)
        if mine is None or theirs is None or mine[2] != theirs[2]:
            return "same" if self.agrees else "differs"
        return f"{Decimal(mine[1]) - Decimal(theirs[1])}{theirs[2] or ''}"


@attrs.frozen
class Recomputed:
    """A table with its figures; `beside` is the head of what stands beside them, `notes` say what a table cannot."""

    table: Table
    figures: Sequence[Figure]
    beside: str | None = None
    notes: Sequence[str] = ()

    @property
    def agrees(self) -> bool:
        """Whether every published figure came out."""
        return len(self.figures) == self.table.figures and all(one.agrees for one in self.figures)


def value(printed: str) -> Value:
    """A printed figure as a program reads it: a number without its unit, or the words."""
    found = NUMBER.fullmatch(printed)
    if found is None:
        return printed
    return float(found[1]) if "." in found[1] else int(found[1])


def rounded(number: float | Fraction, places: int) -> str:
    """A number with so many digits after the point: halves go to the even digit, as Python prints."""
    return f"{float(round(Fraction(number), places)):.{places}f}"


def cells(table: Table, ours: Cells, beside: Cells | None = None) -> list[Figure]:
    """The figures of a table, row by row."""
    found: list[Figure] = []
    for row, printed in table.rows.items():
        others = [None] * len(printed) if beside is None else list(beside(row))
        for column, theirs, mine, other in zip(table.columns, printed, ours(row), others, strict=True):
            found.append(Figure(table.number, row, column, theirs, mine, other))
    return found
