"""Many configurations decided one by one: what came out of each, and what `matrix` and `sweep` tell of them alike.

Schemas: docs/reference/matrix.schema.json, docs/reference/sweep.schema.json.
"""

from __future__ import annotations

import csv
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import StringIO
from typing import Any

from attrs import frozen

from latchcheck.kernel.duration import readable
from latchcheck.kernel.verdict import PropertyVerdict

from .envelope import answer, measure
from .layout import Paint, columns, glue, wrap
from .text import CLASSES

UNREADABLE = "unreadable"
"""Stands where a verdict would: the values of a configuration contradict each other."""
MARKS: Mapping[str, str] = {
    "violated": "V",
    "vacuous": "o",
    "inconclusive": "?",
    "holds": "H",
    "proved": "P",
    "not-applicable": "-",
    UNREADABLE: "!",
}
"""What stands for a word where there is no room for it; of several verdicts the first of these is told."""
GAP, NARROW = 2, 1
GOES_ON = " \\"
COLUMNS_CSV = ("property", "keyword", "verdict", "margin_ms", "binding")


@frozen
class Case:
    """One configuration and what came out: a verdict a property, or None where its values contradict each other.

    `names` tell it from the others: its presets, or its values. `command` asks `verify` about it.
    `exit` is the exit code that it alone gives.
    """

    names: tuple[str, ...]
    command: str
    exit: int
    properties: tuple[PropertyVerdict, ...] | None = None

    @property
    def answers(self) -> tuple[PropertyVerdict, ...]:
        """The verdicts that there are."""
        return self.properties or ()

    @property
    def word(self) -> str:
        """The worst of its verdicts, in the order of the exit codes."""
        found = {one.verdict for one in self.answers}
        return next((word for word in MARKS if word in found), UNREADABLE)

    @property
    def violated(self) -> list[PropertyVerdict]:
        """What is violated."""
        return [one for one in self.answers if one.verdict == "violated"]

    def verdict(self, name: str) -> str:
        """The verdict on one property."""
        return next((one.verdict for one in self.answers if one.id == name), UNREADABLE)


@frozen
class Cell:
    """A cell of a grid: a word, what is counted of it, and how both are written where there is little room."""

    word: str
    count: int = 0

    @property
    def long(self) -> str:
        """The cell in words."""
        return f"{self.word} {self.count}" if self.count else self.word

    @property
    def short(self) -> str:
        """The cell as a mark."""
        return f"{MARKS[self.word]}{self.count or ''}"


def data(one: Case) -> dict[str, Any]:
    """What came out of one configuration as plain data, each answer with the fields that it has in `verify`."""
    answers = None if one.properties is None else [answer(verdict) for verdict in one.properties]
    return {"properties": answers, "exit": one.exit}


def csv_text(heads: Sequence[str], cases: Iterable[Case]) -> str:
    """A row for each property of each configuration; one whose values contradict each other has one row."""
    text = StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow([*heads, *COLUMNS_CSV])
    for case in cases:
        if case.properties is None:
            rows.writerow([*case.names, "", "", UNREADABLE, "", ""])
        for one in case.answers:
            margin = "" if one.margin_ms is None else measure(one.margin_ms)
            rows.writerow([*case.names, one.id, one.keyword, one.verdict, margin, " ".join(one.binding)])
    return text.getvalue()


@frozen
class Grid:
    """A table of cells: a label a row, a name a column; None in a cell for what was not reached.

    Names and words stand in full where they fit; else the columns are numbered, the cells are marks, both are told
    below, and what is wider than the page goes on below.
    """

    corner: str
    labels: Sequence[str]
    names: Sequence[str]
    cell: Callable[[int, int], Cell | None]

    def lines(self, width: int, paint: Paint) -> list[str]:
        """The table and what its marks stand for."""
        cells = [[self.cell(row, at) for at in range(len(self.names))] for row in range(len(self.labels))]
        first = max(map(len, (self.corner, *self.labels)), default=0)
        sizes = [max(len(name), *(len(one.long) for one in _at(cells, at)), 0) for at, name in enumerate(self.names)]
        if first + sum(GAP + size for size in sizes) + GAP <= width:
            texts = [[(one.long, one.word) if one else ("", "") for one in row] for row in cells]
            return self._drawn(texts, self.names, first, sizes, paint, GAP)
        numbers = [str(at + 1) for at in range(len(self.names))]
        texts = [[(one.short, one.word) if one else ("", "") for one in row] for row in cells]
        size = max(len(text) for row in [*texts, [(one, "") for one in numbers]] for text, _ in row)
        room = max(1, (width - 2 * GAP + NARROW - first) // (NARROW + size))
        lines: list[str] = []
        for start in range(0, len(numbers), room):
            page = slice(start, start + room)
            part = [row[page] for row in texts]
            lines += [""] if lines else []
            lines += self._drawn(part, numbers[page], first, [size] * len(numbers[page]), paint, NARROW)
        told = [glue(f"{number} {name}") for number, name in zip(numbers, self.names, strict=True)]
        words = {one.word: one for row in cells for one in row if one}
        marks = [glue(f"{MARKS[word]} {word}") for word in MARKS if word in words]
        if any(one.count for one in words.values()):
            marks.append("the worst of each, and how many properties that are violated")
        below = [("columns", ", ".join(told)), ("marks", ", ".join(marks))]
        return [*lines, "", *columns(below, align="<w", width=width, roles=["label"] * 2, paint=paint)]

    def _drawn(
        self,
        texts: Sequence[Sequence[tuple[str, str]]],
        heads: Sequence[str],
        first: int,
        sizes: Sequence[int],
        paint: Paint,
        gap: int,
    ) -> list[str]:
        rows = [(self.corner, [(name, "label") for name in heads]), *zip(self.labels, texts, strict=True)]
        lines = []
        for label, row in rows:
            cells = [(text.ljust(size), role) for (text, role), size in zip(row, sizes, strict=True)]
            whole = "".join(" " * gap + paint(text, role) for text, role in cells)
            lines.append((" " * GAP + label.ljust(first + GAP - gap) + whole).rstrip())
        return lines


def _at(cells: Sequence[Sequence[Cell | None]], at: int) -> list[Cell]:
    return [row[at] for row in cells if row[at] is not None]  # pyright: ignore[reportReturnType]


def worst_margins(cases: Sequence[Case], at: Callable[[Case], str], what: str, width: int, paint: Paint) -> list[str]:
    """A line for each violated property: in how many configurations, the worst margin, and where that is."""
    found: dict[str, list[tuple[PropertyVerdict, Case]]] = {one.id: [] for case in cases for one in case.answers}
    for case in cases:
        for one in case.violated:
            found[one.id].append((one, case))
    found = {name: ones for name, ones in found.items() if ones}
    if not found:
        return []
    rows = [("violated", what, "worst margin", "at")]
    for name, ones in found.items():
        worst, case = min(ones, key=lambda pair: (pair[0].margin_ms is None, pair[0].margin_ms or 0))
        margin = "" if worst.margin_ms is None else readable(worst.margin_ms, sign="+")
        rows.append((name, str(len(ones)), margin, at(case)))
    table = columns(rows, align="<>>w", width=width, roles=["", *("violated" for _ in found)], paint=paint)
    return ["", paint(table[0], "label"), *table[1:]]


def evidence(cases: Sequence[Case], width: int, paint: Paint) -> list[str]:
    """What the verdicts that occur rest on."""
    there = {one.verdict for case in cases for one in case.answers}
    classes = {
        **CLASSES,
        "holds": "holds: for every run within a scope, which verify names.",
        "violated": "violated: a run that shows it was executed, which verify tells.",
    }
    told = [line for word, text in classes.items() if word in there for line in wrap(text, width - GAP)]
    return ["", *(" " * GAP + paint(line, "label") for line in told)] if told else []


def one_of_them(cases: Sequence[Case], said: str, width: int) -> list[str]:
    """How to look at one configuration: the first with the most violations."""
    case = max(cases, key=lambda one: len(one.violated))
    return ["", f"{said}:", *_command_lines(case.command, width)]


def _command_lines(command: str, width: int) -> list[str]:
    """The command in lines that a shell reads as one, each option with its value."""
    groups: list[str] = []
    for word in shlex.split(command):
        part = shlex.quote(word)
        if groups and not word.startswith("--"):
            groups[-1] += f" {part}"
        else:
            groups.append(part)
    lines = ["  " + groups[0]]
    for group in groups[1:]:
        if len(lines[-1]) + 1 + len(group) + len(GOES_ON) <= width:
            lines[-1] += f" {group}"
        else:
            lines[-1] += GOES_ON
            lines.append("      " + group)
    return lines
