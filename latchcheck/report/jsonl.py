"""Answers as JSON lines, one event a line: `asked`, then one `answered` a property, then `finished`.

Schema: docs/reference/events.schema.json; it changes only with the version in `SCHEMA`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .envelope import json_text, measure, steps, versions
from .findings import Finding, Findings

SCHEMA = "latchcheck/events/1"


def dump(asked: Sequence[Findings]) -> str:
    """The events of every question, one after the other, without the last line end."""
    return "\n".join(json_text(event) for part in asked for event in events(part))


def events(part: Findings) -> Iterator[dict[str, Any]]:
    """The events of one question as plain data."""
    yield {
        "event": "asked",
        "schema": SCHEMA,
        "verb": part.verb,
        "source": part.source,
        "command": part.command,
        "versions": versions(),
    }
    yield from (_answered(one) for one in part.findings)
    yield {"event": "finished", "exit": part.exit}


def _answered(one: Finding) -> dict[str, Any]:
    return {
        "event": "answered",
        "id": one.id,
        "keyword": one.keyword,
        "verdict": one.verdict,
        "engine": one.engine,
        "title": one.title,
        "details": list(one.details),
        "margin_ms": measure(one.margin_ms),
        "place": None if one.place is None else {"file": one.place.file, "line": one.place.line},
        "steps": None if one.trace is None else steps(one.trace),
        "seconds": one.seconds,
    }
