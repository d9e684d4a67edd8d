"""The lines of a server's log as events: one JSON object a line, in our own shape or in another that a file describes.

Schema of our own shape: docs/reference/log.schema.json.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Final

import attrs

from latchcheck.naming import alternatives

from .lines import LogError
from .meaning import KINDS, STATUSES, Occurrence
from .shapes import FIELDS as NAMES
from .shapes import OWN, Shape

EVERY_TASK: Final = "restart_server"
"""This event is about the server: without a task it is about every task."""
SHOWN_LENGTH: Final = 60
FIELDS: Final = frozenset(NAMES)
INSTANT_MS_MAX: Final = 1e300


@attrs.frozen
class Entry:
    """A line of a log: its number (from 1), the instant in ms where it tells one, the task, and what happened.

    `until_ms` is when it had ended, where it took time; `id` is its own, so that it is known when it is told again.
    """

    line: int
    at_ms: float | None
    task: str | None
    event: Occurrence
    until_ms: float | None = None
    id: str | None = None


def entries(lines: Iterable[str], name: str, shape: Shape = OWN) -> Iterator[Entry]:
    """The events of a log, in its order; `name` is the file. Raises LogError for a line that is none."""
    known: dict[tuple[str, str | None, bool], Occurrence] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        for record in _records(shape, _parsed(line, f"{name}:{number}"), f"{name}:{number}"):
            entry = _entry(record, number, name, shape, known)
            if entry is not None:
                yield entry


def _records(shape: Shape, line: Mapping[str, Any], where: str) -> Iterable[Mapping[str, Any]]:
    try:
        return tuple(shape.records(line))
    except (TypeError, AttributeError):  # a list where an object should be, or the like
        instead = "write one document a line, as an exporter of OTLP in JSON does"
        raise LogError(f"{where}: resourceSpans: is no document of spans", instead) from None


def _parsed(line: str, where: str) -> Mapping[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise LogError(f"{where}: is no JSON ({error})", "write one JSON object a line") from None
    if not isinstance(record, dict):
        raise LogError(f"{where}: is no object", 'write one JSON object a line, as {"task": "a", "event": "create"}')
    return record


def _entry(
    record: Mapping[str, Any],
    number: int,
    name: str,
    shape: Shape,
    known: dict[tuple[str, str | None, bool], Occurrence],
) -> Entry | None:
    where = f"{name}:{number}"
    if shape is OWN and not FIELDS.issuperset(record):
        other = min(record.keys() - FIELDS)
        raise LogError(f"{where}: {_shown(other)} is no field", f"{_near(other, NAMES)}; a mapping reads other shapes")
    said = shape.event(record)
    if said is None or (shape.spans and shape.task(record) is None):
        return None
    kind = shape.kind(said)
    if kind is None:
        raise LogError(f"{where}: event: {_shown(said)} is none", _instead(said, KINDS, shape))
    status = shape.status(record)
    if status is not None and status not in STATUSES:
        raise LogError(f"{where}: status: there is no {_shown(status)}", _instead(status, STATUSES, shape))
    refused, task = shape.refused(record), shape.task(record)
    if task is not None and (not isinstance(task, (str, int)) or isinstance(task, bool)):
        raise LogError(f"{where}: task: {_shown(task)} is no id", "write the id of the task as a string")
    if task is None and kind != EVERY_TASK:
        raise LogError(f"{where}: task: is missing", f"say which task it is; only {EVERY_TASK} is about all of them")
    if not isinstance(refused, bool):
        raise LogError(f"{where}: refused: {_shown(refused)} is no truth value", "write true or false")
    at_ms, until_ms = (_instant(shape, record, name, where) for name in ("at_ms", "until_ms"))
    event = known.setdefault((kind, status, refused), Occurrence(kind, status, refused))
    return Entry(number, at_ms, None if task is None else str(task), event, until_ms, _own_id(shape, record, where))


def _instant(shape: Shape, record: Mapping[str, Any], name: str, where: str) -> float | None:
    said = shape.instant(record, name)
    if said is None:
        return None
    if not isinstance(said, (int, float)) or isinstance(said, bool) or not abs(said) < INSTANT_MS_MAX:
        raise LogError(f"{where}: {name}: {_shown(said)} is no number", "write the instant in ms")
    return said


def _own_id(shape: Shape, record: Mapping[str, Any], where: str) -> str | None:
    said = shape.id(record)
    if said is not None and (not isinstance(said, (str, int)) or isinstance(said, bool)):
        raise LogError(f"{where}: id: {_shown(said)} is no id", "write the id of the event as a string")
    return None if said is None else str(said)


def _instead(said: object, known: Iterable[str], shape: Shape) -> str:
    hint = _near(str(said), known)
    return hint if shape is OWN else f"{hint}; a mapping says what a word of this log means"


def _near(said: str, known: Iterable[str]) -> str:
    near = get_close_matches(said, list(known), n=1, cutoff=0.8)
    return f"did you mean {alternatives(near)}?" if near else f"write one of {', '.join(known)}"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN_LENGTH else text[:SHOWN_LENGTH] + "..."
