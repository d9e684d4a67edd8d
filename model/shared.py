"""One task record as a shared object: what each operation answers when nothing else happens meanwhile.

The operations are the model's own: writes by `record.obstacles`, `record.decide` and `record.write`, cancels and
expiry by the actions of their parties. Nothing is guarded here a second time.
It is what a history of concurrent operations on a real store is judged by.
"""

from __future__ import annotations

from typing import Final

from latchcheck.kernel import Choice, Enum, IntRange, System

from . import cancelling, reaper, record
from .policy import Policy
from .room import TRUE, Effects, Room, choose, pick_label
from .scope import LARGEST, Scope

MODULES: Final = frozenset({"version", "cancels", "expiries", "deletion"})
FACT: Final = Enum("WrittenStatus", record.TERMINAL)


def shared_record(policy: Policy | None = None) -> System:
    """One record, written by anybody who carries a version (`write_versioned`) or none (`write`).

    The variable `decision` is the answer to the last write. A cancel is applied at once.
    """
    room = Room(Scope(tasks=1, cancels=LARGEST, expiries=1), policy or Policy(), MODULES)
    for party in (record, cancelling, reaper):
        party.variables(room)
    room.single("decision", record.DECISION, "NO_REPORT")
    _create(room)
    _write(room, versioned=False)
    _write(room, versioned=True)
    cancelling.actions(room)
    reaper.actions(room)
    return System("shared record", room.variables, room.actions)


def _create(room: Room) -> None:
    choice, task = room.pick("task", "tasks")
    effects = Effects(room)
    effects.put("status", task, record.SEED)
    effects.put("version", task, 1)
    unborn = ("the id is unused", room.holds("status", task, record.UNBORN))
    room.act("create", "server", [unborn], effects, [choice])


def _write(room: Room, *, versioned: bool) -> None:
    choice, task = room.pick("task", "tasks")
    fact, written = pick_label("status", FACT)
    expected = Choice("expected", IntRange(0, record.versions_max(room)))
    status = choose(written, record.STATUS)
    found = record.obstacles(room, task, status, expected.term if versioned else None)
    effects = Effects(room)
    record.write(room, effects, task, status, record.unhindered(found))
    effects.put("decision", None, record.decide(found), TRUE)
    name, choices = ("write_versioned", [choice, fact, expected]) if versioned else ("write", [choice, fact])
    room.act(name, "worker", record.has_room(room, task), effects, choices)
