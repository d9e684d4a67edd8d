"""Published and recomputed figures side by side: as text, as Markdown, as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence

from latchcheck.kernel.figures import Recomputed
from latchcheck.report.layout import columns, wrap


def as_text(tables: Sequence[Recomputed], width: int) -> str:
    """The tables for a terminal."""
    return "\n".join(_text(one, width) for one in tables) + "\n" + summary(tables) + "\n"


def as_markdown(tables: Sequence[Recomputed]) -> str:
    """The tables for a page."""
    return "\n".join(_markdown(one) for one in tables) + "\n" + summary(tables) + "\n"


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


def _head(table: Recomputed) -> list[str]:
    beside = [] if table.beside is None else [table.beside]
    return [table.table.corner, "column", "published", "ours", "difference", *beside]


def _rows(table: Recomputed) -> list[list[str]]:
    rows: list[list[str]] = []
    for one in table.figures:
        beside = [] if table.beside is None else [one.beside or ""]
        rows.append([one.row, one.column, one.published, one.ours, one.difference, *beside])
    return rows


def _text(table: Recomputed, width: int) -> str:
    head, rows = _head(table), _rows(table)
    lines = columns([head, *rows], align="<<" + ">" * (len(head) - 2), width=width, indent=2, roles=["label"])
    notes = [line for note in table.notes for line in _hanging(note, width)]
    title = f"Table {table.table.number}: {table.table.caption}"
    return "\n".join([*wrap(title, width), "", *lines, *([""] if notes else []), *notes, ""])


def _hanging(note: str, width: int) -> list[str]:
    first, *rest = wrap(note, width - 4)
    return [f"  - {first}", *(f"    {line}" for line in rest)]


def _markdown(table: Recomputed) -> str:
    head, rows = _head(table), _rows(table)
    title = f"## Table {table.table.number}: {table.table.caption}"
    rule = ["---", "---", *["---:"] * (len(head) - 2)]
    lines = ["| " + " | ".join(row) + " |" for row in [head, rule, *rows]]
    notes = [f"- {note}" for note in table.notes]
    return "\n".join([title, "", *lines, *([""] if notes else []), *notes, ""])
