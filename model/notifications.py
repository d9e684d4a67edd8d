"""Notifications: snapshots of the record that a server sends unasked, and that may be late, reordered or lost."""

from __future__ import annotations

from typing import Any

from latchcheck.kernel import Choice, IntRange

from . import record
from .cancelling import shown
from .network import POLLING, VIEW, adopt, snapshot
from .room import NONE, TRUE, Effects, Guard, Pick, Room, both, no, when


def variables(room: Room) -> None:
    """`note1`, `note2`: notifications under way, the older first; with versions also the version of each."""
    for slot in _slots(room):
        room.family(f"note{slot}", room.tasks, VIEW, NONE)
        if room.has("version"):
            room.family(f"note{slot}_version", room.tasks, IntRange(0, record.versions_max(room)), 0)


def actions(room: Room) -> None:
    """Being told, and not being told."""
    if _slots(room):
        _notify(room)
        _hear_note(room)
        _lose_note(room)


def _slots(room: Room) -> range:
    """The places in which notifications travel."""
    sent = room.has("notifications", "polls") and room.policy.notifications != "none"
    return range(1, (min(room.scope.notifications, 2) if sent else 0) + 1)


def _notify(room: Room) -> None:
    choice, task = room.pick("task", "tasks")
    effects = Effects(room)
    slots = list(_slots(room))
    free = [room.holds(f"note{slot}", task, NONE) for slot in slots]
    first = TRUE
    for slot, empty in zip(slots, free, strict=True):
        effects.put(f"note{slot}", task, snapshot(shown(room, task)), both(first, empty))
        effects.put(f"note{slot}_version", task, room.read("version", task), both(first, empty))
        first = both(first, no(empty))
    guard: Guard = [
        *room.serving(),
        ("there is a record", record.exists(room.read("status", task))),
        ("the client still polls", no(room.read("stopped", task))),
        ("the network holds no more than the scope allows", free[-1]),
    ]
    room.act("notify", "server", guard, effects, [choice], [POLLING])


def _drop_note(room: Room, effects: Effects, task: Pick, slot: Any) -> None:
    """Note that a notification is no longer under way; those behind it move up."""
    slots = list(_slots(room))
    for one in slots:
        last = one == slots[-1]
        for part, empty in (("", VIEW[NONE]), ("_version", 0)):
            name = f"note{one}{part}"
            if name not in room.families:
                continue
            behind = empty if last else room.read(f"note{one + 1}{part}", task)
            effects.put(name, task, behind, slot <= one)


def _hear_note(room: Room) -> None:
    choice, task = room.pick("task", "tasks")
    effects, choices = Effects(room), [choice]
    slots = list(_slots(room))
    slot: Any = 1
    content, version = room.read("note1", task), room.read("note1_version", task, absent=None)
    if room.policy.notifications == "reordered" and len(slots) > 1:
        picked = Choice("place", IntRange(1, slots[-1]))
        choices.append(picked)
        slot = picked.term
        content = when(slot == 1, content, room.read("note2", task))
        if version is not None:
            version = when(slot == 1, version, room.read("note2_version", task))
    adopt(room, effects, task, content, version)
    _drop_note(room, effects, task, slot)
    guard: Guard = [
        ("a notification is under way", content != VIEW[NONE]),
        ("the client still polls", no(room.read("stopped", task))),
    ]
    room.act("see_notification", "client", guard, effects, choices, [POLLING])


def _lose_note(room: Room) -> None:
    choice, task = room.pick("task", "tasks")
    effects = Effects(room)
    _drop_note(room, effects, task, 1)
    guard: Guard = [("a notification is under way", no(room.holds("note1", task, NONE)))]
    room.act("lose_notification", "network", guard, effects, [choice])
