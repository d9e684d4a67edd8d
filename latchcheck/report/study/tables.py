"""Published and recomputed figures side by side: as text, as Markdown, as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence

import attrs

from latchcheck.kernel.figures import Recomputed
from latchcheck.report.layout import columns, hung, wrap


@attrs.frozen
class Section:
    """What was measured past a table: it has nothing published beside it, and varies from run to run."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()


def as_text(tables: Sequence[Recomputed], width: int, past: Sequence[Section] = ()) -> str:
    """The tables for a terminal, and below them what was measured past them."""
    parts = [_text(*_of(one), width) for one in tables]
    parts += [_text(one.title, one.head, one.rows, one.notes, width) for one in past]
    return "\n".join([*parts, summary(tables), ""])


def as_markdown(tables: Sequence[Recomputed], past: Sequence[Section] = ()) -> str:
    """The tables for a page, and below them what was measured past them."""
    parts = [_markdown(*_of(one)) for one in tables]
    parts += [_markdown(one.title, one.head, one.rows, one.notes) for one in past]
    return "\n".join([*parts, summary(tables), ""])


def as_json(tables: Sequence[Recomputed]) -> str:
    """A list with an object a figure. Schema: docs/reference/study.schema.json."""
    rows = [
        {
            "table": one.table,
            "row": one.row,
            "column": one.column,
            "published": one.values[0],
            "ours": one.values[1],
        }
        for table in tables
        for one in table.figures
    ]
    return json.dumps(rows, indent=2, ensure_ascii=False) + "\n"


def summary(tables: Sequence[Recomputed]) -> str:
    """How many figures came out."""
    figures = [one for table in tables for one in table.figures]
    agree = sum(one.agrees for one in figures)
    return f"{agree} of {len(figures)} published figures come out to the last printed digit."


def _of(table: Recomputed) -> tuple[str, Sequence[str], Sequence[Sequence[str]], Sequence[str]]:
    """Title, head, rows and notes of a table; what stands beside the figures has a column where there is any."""
    beside = [] if table.beside is None else [table.beside]
    head = [table.table.corner, "column", "published", "ours", "difference", *beside]
    rows = [
        [one.row, one.column, one.published, one.ours, one.difference, *([one.beside or ""] if beside else [])]
        for one in table.figures
    ]
    return f"Table {table.table.number}: {table.table.caption}", head, rows, table.notes


def _text(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str], width: int) -> str:
    align = "".join(">" if column > 1 or _numbers(rows, column) else "<" for column in range(len(head)))
    lines = columns([head, *rows], align=align, width=width, indent=2)
    if max(map(len, lines)) > width:
        lines = _grouped(head, rows, align, width)
    if max(map(len, lines)) > width:
        lines = _in_words(head, rows, width)
    below = [line for note in notes for line in _hanging(note, width)]
    return "\n".join([*wrap(title, width), "", *lines, *([""] if below else []), *below, ""])


def _grouped(head: Sequence[str], rows: Sequence[Sequence[str]], align: str, width: int) -> list[str]:
    """The rows without their first column, which stands above those that have it in common."""
    corner, *rest = columns([head[1:], *(row[1:] for row in rows)], align=align[1:], width=width, indent=4)
    lines, before = [f"  {head[0]}", corner], None
    for row, line in zip(rows, rest, strict=True):
        lines += [line] if row[0] == before else [f"  {row[0]}", line]
        before = row[0]
    return lines


def _in_words(head: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Each row as a heading of its first two cells, and below it the others with what they are."""
    lines = []
    for row in rows:
        cells = ", ".join(f"{name} {cell}" for name, cell in zip(head[2:], row[2:], strict=True))
        lines += [f"  {head[0]} {row[0]}, {row[1]}:", f"    {cells}"]
    return hung(lines, width)


def _numbers(rows: Sequence[Sequence[str]], column: int) -> bool:
    return all(row[column].isdigit() for row in rows)


def _hanging(note: str, width: int) -> list[str]:
    first, *rest = wrap(note, width - 4)
    return [f"  - {first}", *(f"    {line}" for line in rest)]


def _markdown(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str]) -> str:
    rule = ["---", "---", *["---:"] * (len(head) - 2)]
    lines = ["| " + " | ".join(row) + " |" for row in [head, rule, *rows]]
    below = [f"- {note}" for note in notes]
    return "\n".join([f"## {title}", "", *lines, *([""] if below else []), *below, ""])
