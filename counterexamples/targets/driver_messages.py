"""What a driver says, read: its capability table and its answers. Nothing of another shape is taken for either.

The messages have a schema, docs/reference/driver.schema.json.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from .events import EVENTS, GONE, Answer
from .facets import SHOWN
from .protocol import WINDOWS, Clock, Table

VERSION: Final = 1
STATUSES: Final = ("working", "input_required", "completed", "failed", "cancelled", GONE)
ERAS: Final = ("2026-07-28", "2025-11-25")
_FLAGS: Final = ("fuses", "versions", "keys", "negotiates", "inputs", "fails", "reaps_itself", "marker_is_life")
_COUNTS: Final = ("workers", "tenants")
_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "events": EVENTS,
    "statuses": STATUSES,
    "windows": WINDOWS,
    "eras": ERAS,
    "shows": tuple(SHOWN),
}
_OWN: Final = ("id", "latchcheck", "name")


class Nonsense(Exception):
    """A driver said what the protocol has no place for: why, and what it was."""

    def __init__(self, why: str, what: object) -> None:
        super().__init__(why)
        self.why, self.what = why, what


def table_of(told: Mapping[str, Any]) -> Table:
    """The capability table in a reply to hello. Raises Nonsense for a wrong entry, or an unknown one."""
    given: dict[str, Any] = {}
    for name, value in told.items():
        if name in _OWN:
            continue
        if not _is_entry(name, value):
            raise Nonsense(f"the table cannot say {name}", {name: value})
        given[name] = value
    if "events" not in given:
        raise Nonsense("the table does not say which events it can do", dict(told))
    clock = given.pop("clock", {"kind": "none"})
    given |= {"fixed": tuple(given.get("fixed", {}).items()), "eras": tuple(given.get("eras", ERAS))}
    given["cannot_observe"] = tuple(given.get("cannot_observe", ()))
    return Table(clock=Clock(clock["kind"], clock.get("granularity_ms", 1)), **given)


def _is_entry(name: str, value: object) -> bool:
    if name in _FLAGS:
        return isinstance(value, bool)
    if name in _COUNTS:
        return _is_count(value)
    if name in _WORDS:
        return isinstance(value, list) and all(one in _WORDS[name] for one in value)
    if name == "clock":
        return _is_clock(value)
    if name == "fixed":
        return isinstance(value, dict) and all(key in WINDOWS and _is_count(ms) for key, ms in value.items())
    return name == "cannot_observe" and _is_texts(value)


def answer_of(told: object) -> Answer:
    """The answer in a reply. Raises Nonsense for one of another shape."""
    if not isinstance(told, dict):
        raise Nonsense("the answer is no object", told)
    for name, value in told.items():
        if name not in _ANSWER or not _ANSWER[name](value):
            raise Nonsense(f"an answer cannot say {name}", {name: value})
    lists = {name: tuple(told[name]) for name in ("tasks", "asks") if told.get(name) is not None}
    return Answer(**{**told, **lists})


def _is_clock(value: object) -> bool:
    if not isinstance(value, dict) or not value.keys() <= {"kind", "granularity_ms"}:
        return False
    return value.get("kind") in ("injected", "real", "none") and _is_count(value.get("granularity_ms", 1))


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_text(value: object) -> bool:
    return value is None or isinstance(value, str)


def _is_answer(value: object) -> bool:
    return value is None or isinstance(value, bool)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


_ANSWER: Final[Mapping[str, Callable[[Any], bool]]] = {
    "refused": lambda value: isinstance(value, bool),
    "why": _is_text,
    "status": lambda value: value is None or value in STATUSES,
    "version": lambda value: value is None or _is_count(value),
    "same_as": _is_text,
    "tasks": lambda value: value is None or _is_texts(value),
    "asks": lambda value: value is None or _is_texts(value),
    "work": _is_answer,
    "effects": lambda value: value is None or _is_count(value),
    "left": _is_answer,
    "verdict": lambda value: value in (None, "poisoned", "failed"),
    "holds": _is_answer,
    "raw": lambda value: isinstance(value, dict),
}
