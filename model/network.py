"""What a client sees: polls and notifications, snapshots of the record that travel and may come late.

One follower for each task: the client that was given its id.
"""

from __future__ import annotations

from typing import Any, Final

from latchcheck.kernel import Bool, Choice, Enum, IntRange, Sentence

from . import record
from .cancelling import shown
from .room import FALSE, NONE, TRUE, Effects, Pick, Room, both, either, no, when

Guard = list[tuple[str, Any]]

VIEW: Final = Enum("View", (NONE, *record.TRANSITIONS, "gone", "unknown"))
POLLING: Final = Sentence(
    "Requestors MUST NOT rely on receiving this notifications, as it is optional. ... Requestors SHOULD continue to "
    "poll via tasks/get to ensure they receive status updates.",
    record.SPEC_2025,
    "Task Status Notification",
)
UNKNOWN_IS_TERMINAL: Final = Sentence(
    "Crucially, treat an unknown or expired id as terminal — a stateless server may have aged the task out, and that's "
    "a stop condition, not a reason to retry forever",
    "How to Not Orphan an MCP Task",
    "Poll with backoff, and reconcile on boot",
)


def variables(room: Room) -> None:
    """`view`, what the client believes; `stopped`, it polls no more; `reply`, a poll's answer under way.

    With versions also the version of each snapshot, and `newest`, the highest that the client has taken over.
    `note1`, `note2`: notifications under way, the older first.
    History: `wasted`, an answer that told the end did not end the polling.
    """
    if not room.has("polls"):
        return
    most = record.versions_max(room)
    room.family("view", room.tasks, VIEW, NONE)
    room.flags("stopped", room.tasks)
    room.family("reply", room.tasks, VIEW, NONE)
    room.flags("wasted", room.tasks)
    if room.has("version"):
        for name in ("view_version", "reply_version", "newest"):
            room.family(name, room.tasks, IntRange(0, most), 0)
    for slot in _slots(room):
        room.family(f"note{slot}", room.tasks, VIEW, NONE)
        if room.has("version"):
            room.family(f"note{slot}_version", room.tasks, IntRange(0, most), 0)


def _slots(room: Room) -> range:
    sent = room.has("notifications") and room.policy.notifications != "none"
    return range(1, (min(room.scope.notifications, 2) if sent else 0) + 1)


def actions(room: Room) -> None:
    """Asking, hearing, being told."""
    if not room.has("polls"):
        return
    _poll(room)
    _arrive(room)
    if _slots(room):
        _notify(room)
        _hear_note(room)
        _lose_note(room)


def _snapshot(room: Room, task: Pick) -> Any:
    """The record as a view."""
    now = shown(room, task)
    value = VIEW["gone"]
    for label in record.TRANSITIONS:
        value = when(now == record.STATUS[label], VIEW[label], value)
    return value


def _poll(room: Room) -> None:
    task_choice, task = room.pick("task", "tasks")
    effects, choices, content = Effects(room), [task_choice], _snapshot(room, task)
    if room.has("unknown_statuses"):
        newer = Choice("newer", Bool())
        choices.append(newer)
        content = when(both(newer.term, record.is_open(room.read("status", task))), VIEW["unknown"], content)
    effects.put("reply", task, content)
    effects.put("reply_version", task, room.read("version", task))
    effects.put("silent", task, FALSE, record.is_open(room.read("status", task)))
    known = room.read("status", task) != record.STATUS[record.UNBORN]
    if room.has("handles"):
        domain = room.reference("tasks")
        knows = (
            both(hit, room.read("knows", client) == domain[label])
            for label, hit in task.items()
            for client in room.clients
        )
        known = both(known, either(*knows))
    guard: Guard = [
        *room.serving(),
        ("somebody knows the id", known),
        ("the client still polls", no(room.read("stopped", task))),
        ("no answer is under way", room.holds("reply", task, NONE)),
        ("no sweep is under way", room.holds("sweep", None, "idle", absent=True)),
    ]
    room.act("get_status", "client", guard, effects, choices, [POLLING])


def _adopt(room: Room, effects: Effects, task: Pick, content: Any, version: Any) -> Any:
    """Note that a snapshot is taken over, where the client's rule says so; when it is."""
    taken = TRUE
    if room.has("version"):
        if room.policy.view == "newest-wins":
            taken = version >= room.read("view_version", task)
        effects.put("view_version", task, version, taken)
        newer = version > room.read("newest", task)
        effects.put("newest", task, version, both(taken, newer))
    effects.put("view", task, content, taken)
    return taken


def _arrive(room: Room) -> None:
    choice, task = room.pick("task", "tasks")
    content = room.read("reply", task)
    effects = Effects(room)
    taken = _adopt(room, effects, task, content, room.read("reply_version", task, absent=None))
    terminal = either(*(content == VIEW[label] for label in record.TERMINAL))
    gone, unknown = content == VIEW["gone"], content == VIEW["unknown"]
    ends = [terminal]
    if room.policy.unknown_id == "terminal":
        ends.append(gone)
    if room.policy.unknown_status == "terminal":
        ends.append(unknown)
    stops = both(either(*ends), taken)
    effects.put("stopped", task, TRUE, stops)
    effects.put("wasted", task, TRUE, both(either(terminal, gone), no(stops)))
    effects.put("reply", task, NONE)
    effects.put("reply_version", task, 0)
    guard: Guard = [
        ("an answer is under way", content != VIEW[NONE]),
        ("the client still polls", no(room.read("stopped", task))),
    ]
    room.act("see_status", "client", guard, effects, [choice], [UNKNOWN_IS_TERMINAL])


def _notify(room: Room) -> None:
    choice, task = room.pick("task", "tasks")
    effects = Effects(room)
    slots = list(_slots(room))
    free = [room.holds(f"note{slot}", task, NONE) for slot in slots]
    first = TRUE
    for slot, empty in zip(slots, free, strict=True):
        effects.put(f"note{slot}", task, _snapshot(room, task), both(first, empty))
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
    _adopt(room, effects, task, content, version)
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
