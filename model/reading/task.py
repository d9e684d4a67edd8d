"""A task as a server returned it: the hint and the ttl that it tells, whichever era it speaks.

2026-07-28: a flat result with `ttlMs` and `pollIntervalMs`.
2025-11-25: `ttl` and `pollInterval`, in a result's `task` or in the Task itself.
Either may stand in a JSON-RPC response.
"""

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

import attrs

from ..config import UNLIMITED, Origin
from ..keys import BY_FLAT, BY_SPELLING
from .errors import ConfigError, Faults, Where, shown, type_name
from .files import name_of, text_of
from .sections import Given
from .values import Spot, parse

_TTL: Final = BY_FLAT["server.advertised_ttl_ms"]
_TELLS: Final = ("ttlMs", "ttl", "pollIntervalMs", "pollInterval")
_STATUSES: Final = ("working", "input_required", "completed", "failed", "cancelled")
_DIGITS_MAX: Final = 18
_EXAMPLE: Final = 'give {"taskId": "...", "status": "working", "ttlMs": 900000, "pollIntervalMs": 5000}'


@attrs.frozen(slots=True)
class _Twice:
    """A value whose key stands more than once in its object."""

    value: object


def given_by_task(path: str) -> Iterator[Given]:
    """Yield server.advertised_ttl and server.poll_interval as a CreateTaskResult or Task tells them.

    A ttl of null is unlimited; an absent one says nothing. Raises ConfigError for anything that is no task.
    """
    text, file = text_of(path, "JSON"), name_of(path)
    document = _json(text, file)
    task, within = _task(document, text, Where(file))
    _check_alone(document, task, text, Where(file))
    _check_status(task, Where(file, _line(text, "status"), f"{within}status"))
    found: dict[str, str] = {}
    given: list[Given] = []
    faults = Faults()
    for name in _TELLS:
        if name not in task:
            continue
        key = BY_SPELLING["server", name]
        where = Where(file, _line(text, name, twice=isinstance(task[name], _Twice)), f"{within}{name}")
        with faults.kept():
            if key.name in found:
                other = found[key.name]
                raise ConfigError(f"stands beside {other}, which says the same", where, "keep the name of one era")
            found[key.name] = name
            given.append(Given(key, _value(Spot(key, name, where), task[name]), where, Origin("task", str(where))))
    yield from given
    faults.told()
    if not found:
        raise ConfigError("tells neither a ttl nor a poll interval", Where(file), _EXAMPLE)


def _json(text: str, file: str) -> object:
    if not text.strip():
        raise ConfigError("is empty", Where(file), _EXAMPLE)
    try:
        return json.loads(
            text, object_pairs_hook=_object, parse_int=_integer, parse_float=Decimal, parse_constant=Decimal
        )
    except json.JSONDecodeError as error:
        wrong = f"is not valid JSON: {error.msg} (column {error.colno})"
        raise ConfigError(wrong, Where(file, error.lineno), "give the reply as the server sent it") from None
    except RecursionError:
        raise ConfigError("is nested too deeply", Where(file), _EXAMPLE) from None


def _integer(text: str) -> int | Decimal:
    """Read an integer; one that is too long for any key is kept as it stands, to be refused where it matters."""
    return int(text) if len(text) <= _DIGITS_MAX else Decimal(text)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in pairs:
        found[name] = _Twice(value) if name in found else value
    return found


def _check_alone(document: object, task: dict[str, object], text: str, where: Where) -> None:
    """Raise ConfigError where an object around the task, or one in it, tells a ttl or a hint as well."""
    holders: list[tuple[str, object]] = [("", document)]
    for path, holder in holders:
        if not isinstance(holder, dict):
            continue
        stray = next((name for name in _TELLS if name in holder and holder is not task), None)
        if stray is not None:
            place = Where(where.file, _line(text, stray), path + stray)
            raise ConfigError("stands outside of the task: contradictory", place, "keep what the task itself says")
        holders += [(f"{path}{name}.", holder[name]) for name in ("result", "task") if name in holder]


def _check_status(task: dict[str, object], where: Where) -> None:
    status = task.get("status", _STATUSES[0])
    if isinstance(status, _Twice):
        raise ConfigError("stands twice", where, "keep one of the two")
    if status not in _STATUSES:
        raise ConfigError(f"{shown(status)} is no status of a task", where, f"there are {', '.join(_STATUSES)}")


def _task(document: object, text: str, where: Where) -> tuple[dict[str, object], str]:
    """Return the object that holds the task's fields, and the path to it."""
    within = ""
    if isinstance(document, dict) and "error" in document and "result" not in document:
        raise ConfigError("is an error reply, not a task", Where(where.file, None, "error"), _EXAMPLE)
    for name in ("result", "task"):
        if isinstance(document, dict) and name in document and "taskId" not in document:
            document = document[name]
            within += f"{name}."
            if isinstance(document, _Twice):
                raise ConfigError(
                    "stands twice", attrs.evolve(_at(where, within), line=_line(text, name, twice=True)), "keep one"
                )
    if not isinstance(document, dict):
        raise ConfigError(f"{shown(document)} is {type_name(document)}, not a task", _at(where, within), _EXAMPLE)
    if "taskId" not in document:
        raise ConfigError("has no taskId, so it is not a task", _at(where, within), _EXAMPLE)
    return document, within


def _at(where: Where, within: str) -> Where:
    return Where(where.file, None, within.rstrip(".") or None)


def _value(spot: Spot, value: object) -> object:
    if isinstance(value, _Twice):
        raise ConfigError("stands twice", spot.where, "keep one of the two")
    if value is None:
        if spot.key is _TTL:
            return UNLIMITED
        raise ConfigError("null is no number", spot.where, "write milliseconds, or leave it out")
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        example = str(_milliseconds_of(value) or 900000)
        raise ConfigError(
            f"{shown(value)} is {type_name(value)}", spot.where, f'write milliseconds: "{spot.spelled}": {example}'
        )
    if isinstance(value, Decimal) and _is_near(value) and value == value.to_integral_value():
        value = int(value)  # JSON has one kind of number: 1e3 and 1000.0 are integers there
    return parse(spot, value)


def _is_near(number: Decimal) -> bool:
    """Whether a number is small enough to be looked at digit by digit."""
    return number.is_finite() and number.adjusted() <= _DIGITS_MAX


def _milliseconds_of(value: object) -> int | None:
    return int(value) if isinstance(value, str) and re.fullmatch(r"[0-9]{1,12}", value) else None


def _line(text: str, name: str, *, twice: bool = False) -> int | None:
    """Return the line of a name that stands once as a key in the text, or the second line of two; else nothing."""
    found = list(re.finditer(rf'"{name}"\s*:', text))
    return text.count("\n", 0, found[-1].start()) + 1 if len(found) == 1 + twice else None
