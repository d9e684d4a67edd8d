"""Cancel: a request that is acknowledged, noted in the record, and honoured or overtaken.

In 2025-11-25 the receiver moves the task to cancelled before it answers, and a terminal task is an error.
In the extension cancellation is cooperative: the acknowledgement is empty, and says nothing about the outcome.
"""

from __future__ import annotations

from typing import Any, Final

from latchcheck.kernel import Bool, Choice, Sentence

from . import record
from .access import gate, is_late, note_change, owns
from .capabilities import may
from .room import FALSE, NONE, TRUE, Effects, Guard, Pick, Room, both, either, no, when

COOPERATIVE: Final = Sentence(
    "Cancellation is cooperative: The request signals intent, and the server decides whether and when to honor it. ... "
    "Eventual transition to cancelled is not guaranteed.",
    record.EXTENSION,
    "Task Cancellation",
)
CANCEL_OF_TERMINAL: Final = Sentence(
    "Receivers MUST reject cancellation requests for tasks already in a terminal status (completed, failed, or "
    "cancelled) with error code -32602 (Invalid params).",
    record.SPEC_2025,
    "Task Cancellation",
)


def variables(room: Room) -> None:
    """What is known of the cancel of each task.

    `intent`, a cancel is noted in the record; `acked`, one was acknowledged; `marker`, a mark beside the record that
    makes it read cancelled; `held_cancel`, the task whose status an instance has read and is about to write.
    History: `read_cancelled`, the task could be read as cancelled at some time.
    """
    if not room.has("cancels"):
        return
    room.flags("intent", room.tasks)
    room.budget("cancels", room.scope.cancels)
    if room.has("acks"):
        room.flags("acked", room.tasks)
        room.flags("read_cancelled", room.tasks)
    if room.policy.cancel_marker == "own-life":
        room.flags("marker", room.tasks)
    if _in_two_steps(room):
        room.family("held_cancel", room.instances, room.reference("tasks"), NONE)


def _in_two_steps(room: Room) -> bool:
    return room.policy.terminal_guard == "check-then-set" and room.has("instances")


def shown(room: Room, task: Pick | str) -> Any:
    """The status that a reader is told."""
    stored = room.read("status", task)
    if room.families.get("marker") is None:
        return stored
    return when(both(room.read("marker", task), record.exists(stored)), record.STATUS["cancelled"], stored)


def actions(room: Room) -> None:
    """The request in one step, or read and written apart."""
    if not room.has("cancels"):
        return
    _cancel(room)
    if _in_two_steps(room):
        _read_then_write(room)
    if room.policy.cancel_marker == "own-life":
        choice, task = room.pick("task", "tasks")
        effects = Effects(room)
        effects.put("marker", task, FALSE)
        room.act("expire_marker", "server", [("a marker is set", room.read("marker", task))], effects, [choice])


def _caller(room: Room) -> tuple[list[Choice], Pick | None]:
    if not (room.has("owners") or room.has("capability")):
        return [], None
    choice, client = room.pick("client", "clients")
    return [choice], client


def _cancel(room: Room) -> None:
    task_choice, task = room.pick("task", "tasks")
    choices, client = _caller(room)
    now = room.read("status", task)
    opened = record.is_open(record.judged(room, task))
    cooperative = room.policy.era == "2026-07-28" and room.policy.cancel_marker == "with-record"
    applies = Choice("applied", Bool())
    effects = Effects(room)
    guard: Guard = [*room.serving()]
    guard += [] if client is None else gate(room, client, "cancel")
    guard += [("there is such a task", record.exists(now))]
    guard += [] if client is None else [("the caller owns the task", owns(room, client, task, "writes"))]
    # A cancel is a write: it revives an expired record no more than a late report does.
    guard += [("it has not expired", no(is_late(room, task)))]
    guard += [("there is room for another version", part) for _, part in record.has_room(room, task)]
    on = opened if room.policy.terminal_guard != "none" else record.exists(now)
    if room.policy.terminal_guard == "check-then-set" and _in_two_steps(room):
        # The write is another step; at once the cancel can only be noted.
        on = FALSE
    if client is not None:
        _noted(room, effects, client, task, either(on, opened))
    written = both(on, applies.term) if cooperative else on
    if room.policy.cancel_marker == "own-life":
        effects.put("marker", task, TRUE, opened)
        effects.put("read_cancelled", task, TRUE, opened)
        written = FALSE
    effects.put("intent", task, TRUE, opened)
    if cooperative:
        record.touch(room, effects, task, both(opened, no(applies.term)))
    record.write(room, effects, task, "cancelled", written)
    effects.put("acked", task, TRUE, TRUE if room.policy.era == "2026-07-28" else opened)
    if room.policy.cancel_ack == "outcome":
        effects.put("view", task, "cancelled", no(room.read("stopped", task)))
        effects.put("stopped", task, TRUE)
    room.act(
        "cancel",
        "client",
        guard + room.spend(effects, "cancels"),
        effects,
        [*choices, task_choice, *([applies] if cooperative else [])],
        [COOPERATIVE if room.policy.era == "2026-07-28" else CANCEL_OF_TERMINAL],
    )


def _noted(room: Room, effects: Effects, client: Pick, task: Pick, on: Any) -> None:
    """What the history notes of a cancel where nobody asked who may."""
    if room.has("owners"):
        note_change(room, effects, client, task, on)
    if room.has("capability"):
        effects.put("served", None, "cancel", no(may(room, client, "cancel")))


def _read_then_write(room: Room) -> None:
    """An instance reads that the task is open, and writes later whatever it is by then."""
    instance_choice, instance = room.pick("instance", "instances")
    task_choice, task = room.pick("task", "tasks")
    effects = Effects(room)
    effects.put("held_cancel", instance, room.name("tasks", task))
    guard: Guard = [
        *room.serving(),
        ("the instance is free", room.holds("held_cancel", instance, NONE)),
        ("the task is open", record.is_open(record.judged(room, task))),
    ]
    room.act("cancel_reads", "server", guard + room.spend(effects, "cancels"), effects, [instance_choice, task_choice])
    effects = Effects(room)
    held = room.follow("tasks", room.read("held_cancel", instance))
    effects.put("held_cancel", instance, NONE)
    effects.put("intent", held, TRUE)
    record.write(room, effects, held, "cancelled", record.exists(room.read("status", held)))
    guard = [
        *room.serving(),
        ("the instance has read the task", no(room.holds("held_cancel", instance, NONE))),
        *record.has_room(room, held),
    ]
    room.act("cancel_writes", "server", guard, effects, [instance_choice])
