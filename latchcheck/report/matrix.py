"""What `latchcheck matrix` tells: published clients with published servers, a cell a pair.

Schema of the JSON: docs/reference/matrix.schema.json.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from .envelope import versions
from .layout import Paint, columns, glue, wrap
from .many import Case, Cell, Grid, data, evidence, one_of_them, worst_margins

SCHEMA = "latchcheck/matrix/1"
HEADS = ("client", "server")


def matrix_data(
    source: str, clients: Sequence[str], servers: Sequence[str], cases: Sequence[Case], code: int
) -> dict[str, Any]:
    """The answer as plain data; a pair that was not reached is not there."""
    pairs = [{"client": one.names[0], "server": one.names[1], **data(one)} for one in cases]
    return {
        "schema": SCHEMA,
        "versions": versions(),
        "source": source,
        "clients": list(clients),
        "servers": list(servers),
        "pairs": pairs,
        "exit": code,
    }


def matrix_text(
    source: str, clients: Sequence[str], servers: Sequence[str], cases: Sequence[Case], width: int, paint: Paint
) -> str:
    """The answer for people, but for its last line."""
    found = {one.names: one for one in cases}
    size = f"{_count(len(clients), 'client')} with {_count(len(servers), 'server')}"
    lines = [*(paint(line, "title") for line in wrap(f"{source}: {size}" if source else size, width)), ""]

    def cell(row: int, column: int) -> Cell | None:
        case = found.get((clients[row], servers[column]))
        return None if case is None else Cell(case.word, len(case.violated))

    lines += Grid("", clients, servers, cell).lines(width, paint)
    lines += worst_margins(cases, lambda one: " with ".join(one.names), "pairs", width, paint)
    lines += _unsettled(cases, width, paint)
    lines += evidence(cases, width, paint)
    lines += ["", *wrap("Each pair rests on assumptions of its own, which verify names.", width)]
    return "\n".join([*lines, *one_of_them(cases, "To look at one pair", width), "", ""])


def _unsettled(cases: Sequence[Case], width: int, paint: Paint) -> list[str]:
    """What is neither shown nor refuted in some pairs, which a violation hides in the table: how many, by property."""
    rows: list[tuple[str, str]] = []
    for word in ("vacuous", "inconclusive"):
        counts = Counter(one.id for case in cases for one in case.answers if one.verdict == word)
        if counts:
            rows.append((word, ", ".join(glue(f"{name} in {count}") for name, count in counts.items())))
    return ["", *columns(rows, align="<w", width=width, roles=[word for word, _ in rows], paint=paint)] if rows else []


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
