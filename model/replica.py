"""A copy of the records that instances read from and that may be some writes behind.

How far behind is bounded: a copy that lacks more writes than the scope's `lag` is not read from, the primary is.
A copy catches up to the newest version at once; every older version that it can hold, it held when that was newest.
That a ttl is over is told by the clock, which lags nowhere; whose a task is never changes.
"""

from __future__ import annotations

from typing import Any

from latchcheck.kernel import Bool, Choice, IntRange

from . import record
from .room import FALSE, Effects, Guard, Pick, Room, both, no, when


def variables(room: Room) -> None:
    """`copy` and `copy_version`, what the replica holds of a record; `behind`, the writes that it lacks."""
    if not room.has("lag"):
        return
    room.family("copy", room.tasks, record.STATUS, record.UNBORN)
    room.family("behind", room.tasks, IntRange(0, room.scope.lag + 1), 0)
    if room.has("version"):
        room.family("copy_version", room.tasks, IntRange(0, record.versions_max(room)), 0)


def actions(room: Room) -> None:
    """Catching up."""
    if not room.has("lag"):
        return
    choice, task = room.pick("task", "tasks")
    effects = Effects(room)
    effects.put("copy", task, room.read("status", task))
    effects.put("copy_version", task, room.read("version", task))
    effects.put("behind", task, 0)
    guard: Guard = [("its copy is behind", room.read("behind", task) > 0)]
    room.act("replicate", "server", guard, effects, [choice])


def place(room: Room, operation: str) -> tuple[list[Choice], Any]:
    """Who answers a read: the choice, where the policy leaves one, and the condition that it is the replica.

    `operation` is tasks-get, tasks-list or tasks-result.
    """
    if not room.has("lag") or room.policy.replica_reads not in ("every-read", operation):
        return [], FALSE
    choice = Choice("replica", Bool())
    return [choice], choice.term


def seen(room: Room, task: Pick | str, at_replica: Any, stored: Any, name: str = "status") -> Any:
    """The status or the version that a read shows: `stored`, or what the replica has instead."""
    return when(at_replica, record.copied(room, task, name), stored)


def hides(room: Room, task: Pick | str) -> Any:
    """An instance that reads from the copy does not find the task."""
    if not room.has("lag"):
        return no(both())
    return both(record.is_copied(room, task), room.holds("copy", task, record.UNBORN))


def awaited(room: Room, task: Pick) -> Guard:
    """The guard of a create reply: with it the task is known at every instance."""
    if room.policy.create_visibility == "one-instance":
        return []
    return [("every instance can read it", no(hides(room, task)))]
