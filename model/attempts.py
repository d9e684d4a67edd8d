"""An attempt: a worker with a task, whether it runs, whether its lease is its own, and how it ends.

An attempt *runs* while its worker is alive and believes in it.
A stalled worker runs nothing until it wakes; under a fenced lease it looks at its lease before it goes on.
That the look and what follows it are one step is an assumption of this model.
"""

from __future__ import annotations

from typing import Any, Final

from latchcheck.kernel import Choice, Enum

from .room import FALSE, NONE, TRUE, Effects, Guard, Pick, Room, both, either, no

PHASE: Final = Enum("WorkerPhase", ("idle", "running", "checked", "stalled"))


def works_on(room: Room, worker: str, task: str) -> Any:
    """The worker runs an attempt of the task."""
    phase = room.read("phase", worker)
    running = either(phase == PHASE["running"], phase == PHASE["checked"])
    return both(running, room.read("job", worker) == room.reference("tasks")[task])


def taken(room: Room) -> tuple[Choice, Pick, Pick]:
    """The choice of a worker, and the task that it has."""
    choice, worker = room.pick("worker", "workers")
    return choice, worker, room.follow("tasks", room.read("job", worker))


def runs(room: Room, worker: Pick) -> Guard:
    """The guard of everything that a worker does for its task while it believes in it."""
    return [("the worker runs its task", room.holds("phase", worker, "running"))]


def is_fenced_out(room: Room, worker: Pick, task: Pick) -> Any:
    """The lease of the task is not this worker's."""
    if room.policy.lease == "none":
        return FALSE
    return room.read("holder", task) != room.name("workers", worker)


def fence(room: Room, worker: Pick, task: Pick) -> Any:
    """What a fenced lease keeps the worker from writing: another has the lease by now."""
    return is_fenced_out(room, worker, task) if room.policy.lease == "fenced" else FALSE


def is_free(room: Room, task: Pick) -> Any:
    """Nobody holds the lease of the task."""
    return room.holds("holder", task, NONE, absent=True)


def release(effects: Effects, worker: Pick, on: Any = TRUE) -> None:
    """Note that a worker is idle again."""
    effects.put("phase", worker, "idle", on)
    effects.put("job", worker, NONE, on)
    effects.put("seen", worker, 0, on)
    effects.put("acted", worker, FALSE, on)


def acknowledge(room: Room, effects: Effects, worker: Pick, task: Pick, on: Any = TRUE) -> None:
    """Note that a delivery is over, if the worker still holds it."""
    mine = no(is_fenced_out(room, worker, task))
    effects.put("unacked", task, FALSE, both(on, mine))
    effects.put("holder", task, NONE, both(on, mine))


def leave(room: Room, effects: Effects, worker: Pick, task: Pick, on: Any = TRUE) -> None:
    """Note that an attempt is over: its delivery is acknowledged, and the worker idle."""
    acknowledge(room, effects, worker, task, on)
    release(effects, worker, on)
