"""Poll counts of a model beside those of a real server: as text, as Markdown, as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import attrs

from latchcheck.report.layout import columns, wrap

SCHEMA: Final = "latchcheck/transport/1"
TITLE: Final = "Polls against a real server on loopback, time scaled, counted where they arrive"
HEAD: Final = (
    "policy",
    "task",
    "scale",
    "model",
    "server",
    "off",
    "with network",
    "off",
    "stale, model",
    "stale, server",
    "round trip",
)


@attrs.frozen
class Row:
    """One cell. `off` are percent of the server's count; staleness is in seconds of the unscaled task."""

    policy: str
    duration_s: int
    scale: int
    runs: int
    model_polls: float
    server_polls: float
    off_percent: float
    with_network_polls: float
    with_network_off_percent: float
    model_staleness_s: float
    server_staleness_s: float
    round_trip_ms: float


def as_json(rows: Sequence[Row], versions: Mapping[str, str], notes: Sequence[str]) -> str:
    """An object with a row a cell. Schema: docs/reference/transport.schema.json."""
    whole: dict[str, Any] = {"schema": SCHEMA, "versions": dict(versions)}
    whole |= {"cells": [attrs.asdict(one) for one in rows], "notes": list(notes)}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def as_text(rows: Sequence[Row], versions: Mapping[str, str], notes: Sequence[str], width: int) -> str:
    """The table for a terminal."""
    lines = columns([HEAD, *map(_cells, rows)], align="<" + ">" * (len(HEAD) - 1), width=width, indent=2)
    below = [*notes, _with(versions)]
    told = [f"{'  - ' if i == 0 else '    '}{line}" for note in below for i, line in enumerate(wrap(note, width - 4))]
    return "\n".join([TITLE, "", *lines, "", *told, ""])


def as_markdown(rows: Sequence[Row], versions: Mapping[str, str], notes: Sequence[str]) -> str:
    """The table for a page."""
    rule = ["---", *["---:"] * (len(HEAD) - 1)]
    lines = ["| " + " | ".join(row) + " |" for row in [HEAD, rule, *map(_cells, rows)]]
    return "\n".join([f"## {TITLE}", "", *lines, "", *(f"- {note}" for note in [*notes, _with(versions)]), ""])


def _with(versions: Mapping[str, str]) -> str:
    return "Measured with " + ", ".join(f"{name} {version}" for name, version in versions.items()) + "."


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.policy,
        f"~{row.duration_s} s",
        f"1/{row.scale}",
        f"{row.model_polls:.1f}",
        f"{row.server_polls:.1f}",
        f"{row.off_percent:+.1f}%",
        f"{row.with_network_polls:.1f}",
        f"{row.with_network_off_percent:+.1f}%",
        f"{row.model_staleness_s:.2f} s",
        f"{row.server_staleness_s:.2f} s",
        f"{row.round_trip_ms:.2f} ms",
    )
