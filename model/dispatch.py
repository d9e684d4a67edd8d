"""From the record to a worker: the outbox, the queue, and what stands between the two."""

from __future__ import annotations

from typing import Any, Final

from latchcheck.kernel import Sentence

from . import record
from .room import FALSE, TRUE, Effects, Pick, Room, both, no

OUTBOX: Final = Sentence(
    "If dispatch is external, commit an outbox entry in the same transaction and let a dispatcher publish it later.",
    "MCP Tasks: The Export That Finished Twice",
    "The restart exposed the real unit of durability",
)


def variables(room: Room) -> None:
    """Where the message of each task is.

    `queued`: visible to workers. `unacked`: delivered, not acknowledged.
    With the module `outbox`: `outbox`, an entry committed with the record; `to_publish` and `to_commit`, what a server
    process still means to do and forgets when it dies; `dispatched`, the message was published at some time.
    """
    if room.has("queue"):
        room.flags("queued", room.tasks)
        room.flags("unacked", room.tasks)
    if room.has("outbox"):
        room.flags({"outbox": "outbox", "after-commit": "to_publish", "before-commit": "to_commit"}[
            room.policy.dispatch], room.tasks)  # fmt: skip
        room.flags("dispatched", room.tasks)
        if room.policy.dispatch == "before-commit":
            room.flags("announced", room.tasks)


def committed(room: Room, effects: Effects, task: Pick) -> None:
    """Note what a commit of the record does for its message."""
    if not room.has("outbox"):
        effects.put("queued", task, TRUE)
        return
    effects.put("outbox", task, TRUE)
    effects.put("to_publish", task, TRUE)


def requeue(room: Room, effects: Effects, task: Pick, on: Any = TRUE) -> None:
    """Note that a task is to be run again, in the transaction that decided so."""
    if room.has("outbox") and room.policy.dispatch == "outbox":
        effects.put("outbox", task, TRUE, on)
    else:
        effects.put("queued", task, TRUE, on)
    effects.put("unacked", task, FALSE, on)


def actions(room: Room) -> None:
    """Publishing, under the policy's order."""
    if not room.has("outbox"):
        return
    choice, task = room.pick("task", "tasks")
    effects = Effects(room)
    effects.put("queued", task, TRUE)
    effects.put("dispatched", task, TRUE)
    if room.policy.dispatch == "before-commit":
        unborn = room.holds("status", task, record.UNBORN)
        fresh = both(unborn, no(room.read("to_commit", task)), no(room.read("announced", task)))
        effects.put("to_commit", task, TRUE)
        effects.put("announced", task, TRUE)
        if room.has("calls"):
            _announce_for_call(room, effects, task, fresh, [choice])
            return
        guard = [*room.serving(), ("the id is unused", fresh)]
        room.act("announce", "server", guard, effects, [choice])
        return
    source = "outbox" if room.policy.dispatch == "outbox" else "to_publish"
    effects.put(source, task, FALSE)
    guard = [*room.serving(), ("its message is to be published", room.read(source, task))]
    room.act("publish", "server", guard, effects, [choice], [OUTBOX])


def _announce_for_call(room: Room, effects: Effects, task: Pick, fresh: Any, choices: list[Any]) -> None:
    """Before its commit a message is published for a call that has arrived, whatever will become of the call."""
    client_choice, client = room.pick("client", "clients")
    effects.put("work", client, room.name("tasks", task))
    guard = [
        *room.serving(),
        ("its call has arrived", room.holds("call", client, "sent")),
        ("no message is announced for it", room.holds("work", client, "none", absent=True)),
        ("the id is unused", fresh),
    ]
    room.act("announce", "server", guard, effects, [client_choice, *choices])
