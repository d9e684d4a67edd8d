"""How logs of other shapes are read: where in a line the parts of an event stand, and what its words mean.

OpenTelemetry spans in the JSON form of the protocol (OTLP) are one such shape.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import attrs

from latchcheck.kernel import FrozenMap
from latchcheck.naming import instead

from ...model.spelling import SpellingError
from .meaning import KINDS, STATUSES, UNSAID

FIELDS: Final = ("event", "task", "status", "at_ms", "until_ms", "refused", "id")
UNITS_MS: Final = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1000.0}
IGNORE: Final = "ignore"
LISTS: Final = ("unsaid", "refusals")


class ShapeError(SpellingError):
    """A mapping that cannot be read: what, where, and what to write instead."""


@attrs.frozen
class Shape:
    """How one kind of log is read.

    `fields` says where the parts of an event stand, with dots between the names of nested objects.
    `events` and `statuses` say what the words of the log mean; a word that is not there means itself.
    `unsaid` are the kinds of event that the log leaves out, or may leave out.
    `refusals` are the words of `refused` that mean yes, where it is no truth value.
    `unit` is that of the instants. `spans` says that a line is an OTLP document, whose spans are the records; they are
    put into the order of their ends, and one that names no task is no event.
    """

    fields: FrozenMap[str] = attrs.field(factory=FrozenMap, converter=FrozenMap)
    events: FrozenMap[str] = attrs.field(factory=FrozenMap, converter=FrozenMap)
    statuses: FrozenMap[str] = attrs.field(factory=FrozenMap, converter=FrozenMap)
    unit: str = "ms"
    spans: bool = False
    unsaid: tuple[str, ...] = UNSAID
    refusals: tuple[str, ...] = ()

    def records(self, line: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """The records of a line: itself, or its spans."""
        if not self.spans or "resourceSpans" not in line:
            yield line
            return
        found = [
            {**span, "attributes": _attributes(span.get("attributes", ()))}
            for resource in line["resourceSpans"]
            for scope in resource.get("scopeSpans", ())
            for span in scope.get("spans", ())
        ]
        ends = [self._end(span) for span in found]
        if all(isinstance(at, (int, float)) for at in ends):
            found = [span for _, _, span in sorted(zip(ends, range(len(found)), found, strict=True))]
        yield from found

    def _end(self, span: Mapping[str, Any]) -> Any:
        end = self.instant(span, "until_ms")
        return self.instant(span, "at_ms") if end is None else end

    def event(self, record: Mapping[str, Any]) -> object | None:
        """The word for what happened; None for a record that is no event."""
        said = self._part(record, "event")
        if self.fields and (said is None or self.events.get(str(said)) == IGNORE):
            return None
        return "nothing" if said is None else said

    def kind(self, said: object) -> str | None:
        """The kind of event that a word stands for; None where it stands for none."""
        kind = self.events.get(str(said), said)
        return str(kind) if kind in KINDS else None

    def status(self, record: Mapping[str, Any]) -> str | None:
        """The status that is told, in the words of the specification."""
        said = self._part(record, "status")
        return None if said is None else self.statuses.get(str(said), str(said))

    def task(self, record: Mapping[str, Any]) -> Any:
        """The id of the task."""
        return self._part(record, "task")

    def refused(self, record: Mapping[str, Any]) -> Any:
        """Whether the server refused what was asked."""
        said = self._part(record, "refused", absent=False)
        return str(said) in self.refusals if self.refusals and not isinstance(said, bool) else said

    def id(self, record: Mapping[str, Any]) -> Any:
        """What the event itself is called."""
        return self._part(record, "id")

    def instant(self, record: Mapping[str, Any], name: str) -> Any:
        """When it began, `at_ms`, or had ended, `until_ms`, in ms; what is no number as it is."""
        said = self._part(record, name)
        if self.spans and isinstance(said, str) and said.isdecimal():  # OTLP writes 64-bit numbers as strings
            said = int(said)
        if self.unit == "ms" or isinstance(said, bool) or not isinstance(said, (int, float)):
            return said
        return said * UNITS_MS[self.unit]

    def _part(self, record: Mapping[str, Any], name: str, absent: Any = None) -> Any:
        found = _dig(record, self.fields.get(name, name))
        return absent if found is None else found


OWN: Final = Shape()
OTEL: Final = Shape(
    fields={
        "event": "attributes.mcp.method.name",
        "task": "attributes.mcp.task.id",
        "status": "attributes.mcp.task.status",
        "at_ms": "startTimeUnixNano",
        "until_ms": "endTimeUnixNano",
        "id": "spanId",
        "refused": "status.code",
    },
    events={
        "tools/call": "create",
        "tasks/get": "get",
        "tasks/result": "get",
        "tasks/cancel": "cancel",
        "tasks/update": "update",
        "tasks/list": IGNORE,
        "initialize": IGNORE,
        "ping": IGNORE,
        "tools/list": IGNORE,
    },
    unit="ns",
    spans=True,
    # OpenTelemetry protocol, trace.proto, Status.StatusCode: ERROR, by its number or its name.
    refusals=("2", "STATUS_CODE_ERROR"),
    # Spans are of requests; what workers and the server do by themselves has none.
    unsaid=(*UNSAID, "worker_write", "reap", "restart_server"),
)
SHAPES: Final = {"own": OWN, "otel": OTEL}


def mapped(file: str, base: Shape = OWN) -> Shape:
    """The shape that a TOML file describes, on top of another. Raises ShapeError, and OSError where it is not there."""
    try:
        content = tomllib.loads(Path(file).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ShapeError(f"{file}: {error}", "write TOML with [fields], [events] and [statuses]") from None
    for name, part in content.items():
        if name not in (*LISTS, "unit", "fields", "events", "statuses"):
            known = "write unit, unsaid, refusals, [fields], [events] or [statuses]"
            raise ShapeError(f"{file}: {name}: is unknown", known)
        if name not in (*LISTS, "unit") and not isinstance(part, dict):
            raise ShapeError(f"{file}: {name}: is no table", f"write [{name}]")
    fields, events, statuses = (_texts(file, name, content.get(name, {})) for name in ("fields", "events", "statuses"))
    _among(file, "fields", fields, FIELDS)
    _among(file, "events", {value: value for value in events.values()}, (*KINDS, IGNORE))
    _among(file, "statuses", {value: value for value in statuses.values()}, STATUSES)
    unit, unsaid = content.get("unit", base.unit), content.get("unsaid", list(base.unsaid))
    _among(file, "unit", {str(unit): ""}, tuple(UNITS_MS))
    refusals = content.get("refusals", list(base.refusals))
    for name, given, example in (("unsaid", unsaid, '["dispatch"]'), ("refusals", refusals, '["rejected", "409"]')):
        if not isinstance(given, list):
            raise ShapeError(f"{file}: {name}: {given!r} is no list", f"write a list, as {example}")
    _among(file, "unsaid", {str(one): "" for one in unsaid}, KINDS)
    return attrs.evolve(
        base,
        fields={**base.fields, **fields},
        events={**base.events, **events},
        statuses={**base.statuses, **statuses},
        unit=str(unit),
        unsaid=tuple(map(str, unsaid)),
        refusals=tuple(map(str, refusals)),
    )


def _texts(file: str, name: str, part: Mapping[str, Any]) -> dict[str, str]:
    for key, value in part.items():
        if not isinstance(value, str):
            raise ShapeError(f"{file}: {name}.{key}: {value!r} is no text", "write it in quotes")
    return dict(part)


def _among(file: str, name: str, given: Mapping[str, str], known: tuple[str, ...]) -> None:
    for one in given:
        if one not in known:
            raise ShapeError(f"{file}: {name}: there is no {one!r}", instead(one, known))


def _dig(record: Any, path: str) -> Any:
    """What stands at a path; a name may itself have dots in it, so the longest name that is there counts."""
    if not isinstance(record, Mapping):
        return None
    if path in record:
        return record[path]
    parts = path.split(".")
    for count in range(len(parts) - 1, 0, -1):
        head = ".".join(parts[:count])
        if head in record:
            return _dig(record[head], ".".join(parts[count:]))
    return None


def _attributes(listed: Any) -> dict[str, Any]:
    """The attributes of a span: a list of keys with typed values."""
    found: dict[str, Any] = {}
    for one in listed:
        value = one.get("value", {})
        found[one.get("key")] = next(iter(value.values()), None) if isinstance(value, dict) else value
    return found
