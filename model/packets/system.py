"""The lifecycle model of one request: a stored record `t1`, a free id `t2`, the owner `c1`, a stranger `c2`.

It is `latchcheck.model.lifecycle` of one scope, and one action more: a write by anybody, of any status and version.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import attrs

from latchcheck.kernel import Choice, Enum, IntRange, System

from .. import record
from ..access import is_late, note_change, owns
from ..lifecycle import Lifecycle, lifecycle
from ..policy import Policy
from ..room import TRUE, Effects, Room, both, choose, no, pick_label
from ..scope import Scope

STORED, FREE = "t1", "t2"
OWNER, STRANGER = "c1", "c2"
ERA: Final = "2025-11-25"
# The version of the stored record: only whether a version is this one is ever asked, so any number stands for any.
VERSION: Final = 2
SCOPE: Final = Scope(tasks=2, workers=1, clients=2, tenants=2, cancels=1, inputs=1, expiries=1)
MODULES: Final = (
    "version",
    "was",
    "outcomes",
    "keys",
    "capability",
    "owners",
    "acks",
    "stale_writes",
    "late_writes",
    "reports",
)
REQUESTED: Final = Enum("RequestedStatus", tuple(record.TRANSITIONS))
# What each obstacle of a write is called as a condition that must hold; the order is that of `record.DECISION`.
CLEAR: Final = {
    "BLOCK_MISSING": "there is such a task",
    "BLOCK_AUTH": "the caller owns the task",
    "BLOCK_EXPIRED": "it has not expired",
    "IDEMPOTENT_TERMINAL": "the outcome is not stored already",
    "BLOCK_TERMINAL_REWRITE": "no other outcome is stored",
    "BLOCK_STALE_VERSION": "the version is that of the record",
    "BLOCK_ILLEGAL_TRANSITION": "the step is in the diagram",
}


@cache
def packet_model(policy: Policy) -> Lifecycle:
    """The system of one request under a policy, and its room; always in the era whose requests packets are."""
    built = lifecycle(SCOPE, attrs.evolve(policy, era=ERA), MODULES)
    _write_as(built.room)
    return Lifecycle(System(f"admission {policy}", built.room.variables, built.room.actions), built.room)


def _write_as(room: Room) -> None:
    """Anybody reports any status with the version it has read: a compare-and-swap over the whole record.

    The predicate is that of the source: id, owner, version, an open status, time left; here each part has its name.
    """
    client_choice, client = room.pick("client", "clients")
    task_choice, task = room.pick("task", "tasks")
    status_choice, requested = pick_label("status", REQUESTED)
    version = Choice("expected_version", IntRange(0, record.versions_max(room)))
    status = choose(requested, record.STATUS)
    now = room.read("status", task)
    found = record.obstacles(room, task, status, version.term)
    found["BLOCK_AUTH"] = no(owns(room, client, task, "writes"))
    if room.policy.terminal_guard != "none":
        found["BLOCK_ILLEGAL_TRANSITION"] = no(record.may_follow(now, status))
    effects = Effects(room)
    record.write(room, effects, task, status)
    note_change(room, effects, client, task, TRUE)
    effects.put("stale_write", task, TRUE, version.term != room.read("version", task))
    effects.put("late_write", task, TRUE, room.read("expired", task))
    effects.put("intent", task, TRUE, status == record.STATUS["cancelled"])
    effects.put("reported", None, status)
    effects.put("found", None, now)
    effects.put("decision", None, "APPLY")
    guard = [*room.serving(), *((CLEAR[name], no(found[name])) for name in CLEAR if name in found)]
    room.act("write_as", "worker", guard, effects, [client_choice, task_choice, status_choice, version])


def is_over(room: Room, task: str) -> Any:
    """There is such a task, and its ttl is over."""
    return both(record.exists(room.read("status", task)), is_late(room, {task: TRUE}))
