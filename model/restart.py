"""The server process dies and starts again: what it forgets, and what it does with open tasks."""

from __future__ import annotations

from typing import Final

from latchcheck.kernel import Enum, Sentence

from . import record, replica
from .admission import CALL, DURABLE_CREATE
from .attempts import release
from .failures import PAPER, is_spent
from .room import FALSE, NONE, TRUE, Effects, Guard, Room, both, either, no, when

SERVER: Final = Enum("Server", ("up", "starting"))
TRIAGED: Final = Enum("Triaged", ("no", "left", "resumed", "timed_out", "dead_lettered"))
TRIAGE: Final = Sentence(
    "past its deadline it is failed as a timeout; out of attempts it is poisoned and dead-lettered; otherwise it is "
    "handed back to the caller as resumable, with an incremented attempt count. Nothing silently drops a handle the "
    "client still believes in",
    PAPER,
    "section 5.2",
)


def variables(room: Room) -> None:
    """`server`, up or starting; `triaged`, what a start has made of each task.

    With the module `durability`: `durable`, the record is on disk; `replied`, a create reply has named it.
    """
    if room.has("durability"):
        room.flags("durable", room.tasks)
        room.flags("replied", room.tasks)
    if not room.has("restarts"):
        return
    room.single("server", SERVER, "up")
    room.budget("restarts", room.scope.restarts)
    if room.has("triage"):
        room.family("triaged", room.tasks, TRIAGED, "no")


def actions(room: Room) -> None:
    """Crash and start, and the steps of durability."""
    if room.has("durability"):
        _durability(room)
    if not room.has("restarts"):
        return
    _crash(room)
    if room.has("triage"):
        _triage(room)
    _open(room)


def _durability(room: Room) -> None:
    choice, task = room.pick("task", "tasks")
    there = record.exists(room.read("status", task))
    if room.policy.create_durability == "after-reply":
        effects = Effects(room)
        effects.put("durable", task, TRUE)
        guard: Guard = [
            *room.serving(),
            ("there is a record", there),
            ("a reply has named it", room.read("replied", task)),
            ("it is not on disk", no(room.read("durable", task))),
        ]
        room.act("persist", "server", guard, effects, [choice])
    if not room.has("calls"):
        effects = Effects(room)
        effects.put("replied", task, TRUE)
        guard = [*room.serving(), ("there is a record", there), ("no reply was sent", no(room.read("replied", task)))]
        guard += replica.awaited(room, task)
        room.act("reply", "server", guard, effects, [choice], [DURABLE_CREATE])


def _crash(room: Room) -> None:
    effects = Effects(room)
    effects.put("server", None, "starting")
    effects.put("sweep", None, "idle")
    for worker in room.workers if room.has("workers") else ():
        release(effects, {worker: TRUE})
    for instance in room.instances if "held_cancel" in room.families else ():
        effects.put("held_cancel", instance, NONE)
    for client in room.clients if room.has("calls") else ():
        stage = room.read("call", client)
        lost = either(*(stage == CALL[name] for name in ("sent", "begun", "admitted")))
        effects.put("call", client, "idle", lost)
    for task in room.tasks:
        for name in ("to_publish", "to_commit", "queued", "unacked"):
            # Workers and their queue live in the process; what is durable is the record and the outbox.
            effects.put(name, task, FALSE)
        effects.put("holder", task, NONE)
        effects.put("triaged", task, "no")
        effects.put("just_stored", task, FALSE)
        effects.put("blocked", task, FALSE)
        kept = room.policy.store == "durable"
        lost = no(room.read("durable", task, absent=True)) if kept else TRUE
        effects.put("status", task, record.STATUS[record.UNBORN], both(lost, record.exists(room.read("status", task))))
    guard = [("the server is up", room.holds("server", None, "up")), *room.spend(effects, "restarts")]
    room.act("crash_server", "server", guard, effects)


def _triage(room: Room) -> None:
    choice, task = room.pick("task", "tasks")
    open_ = record.is_open(room.read("status", task))
    overdue, spent = room.read("overdue", task), is_spent(room, task)
    guard: Guard = [
        ("the server is starting", room.holds("server", None, "starting")),
        ("the task is not yet judged", room.holds("triaged", task, "no")),
        *record.has_room(room, task),
    ]
    late = both(open_, overdue) if room.policy.restart == "triage" else FALSE
    dead = both(open_, no(overdue), spent) if room.policy.restart == "triage" else FALSE
    resumed = FALSE if room.policy.restart == "drop" else both(open_, no(late), no(dead))
    effects = Effects(room)
    record.write(room, effects, task, "failed", either(late, dead))
    effects.put("outbox", task, FALSE, resumed)
    effects.put("queued", task, TRUE, resumed)
    effects.put("dispatched", task, TRUE, resumed)
    left = when(dead, TRIAGED["dead_lettered"], when(resumed, TRIAGED["resumed"], TRIAGED["left"]))
    effects.put("triaged", task, when(late, TRIAGED["timed_out"], left))
    room.act("triage", "server", guard, effects, [choice], [TRIAGE])


def _open(room: Room) -> None:
    effects = Effects(room)
    effects.put("server", None, "up")
    judged = both(*(no(room.holds("triaged", task, "no")) for task in room.tasks)) if room.has("triage") else TRUE
    if not room.has("triage") and room.has("queue"):
        for task in room.tasks:
            # Without a triage the queue comes back with what was in it.
            known = room.read("dispatched", task, absent=True)
            effects.put("queued", task, TRUE, both(known, record.is_open(room.read("status", task))))
    guard = [
        ("the server is starting", room.holds("server", None, "starting")),
        ("every task is judged", judged),
    ]
    room.act("open_server", "server", guard, effects)
