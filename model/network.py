"""What a client reads: answers to its polls, snapshots of the record that travel and may come late.

One follower for each task: the client that was given its id.
"""

from __future__ import annotations

from typing import Any, Final

from latchcheck.kernel import Bool, Choice, Enum, IntRange, Sentence

from . import record, replica
from .cancelling import shown
from .room import FALSE, NONE, TRUE, Effects, Guard, Pick, Room, both, either, no, when

VIEW: Final = Enum("View", (NONE, *record.TRANSITIONS, "gone", "unknown"))
POLLING: Final = Sentence(
    "Requestors MUST NOT rely on receiving this notifications, as it is optional. ... Requestors SHOULD continue to "
    "poll via tasks/get to ensure they receive status updates.",
    record.SPEC_2025,
    "Task Status Notification",
)
BLOCKS: Final = Sentence(
    "When a receiver receives a tasks/result request for a task in any other non-terminal status (working or "
    "input_required), it MUST block the response until the task reaches a terminal status.",
    record.SPEC_2025,
    "Result Retrieval",
)
RETURNS: Final = Sentence(
    "When a receiver receives a tasks/result request for a task in a terminal status (completed, failed, or "
    "cancelled), it MUST return the final result of the underlying request, whether that is a successful result or a "
    "JSON-RPC error.",
    record.SPEC_2025,
    "Result Retrieval",
)
WAITS: Final = Sentence(
    "While the task is working, our replay returned WAIT_TERMINAL; at input_required, it returned WAIT_INPUT; at "
    "completed, it returned RETURN_RESULT.",
    "MCP Tasks: The Export That Finished Twice",
    "Polling is recovery, notifications are latency",
)
UNKNOWN_IS_TERMINAL: Final = Sentence(
    "Crucially, treat an unknown or expired id as terminal — a stateless server may have aged the task out, and that's "
    "a stop condition, not a reason to retry forever",
    "How to Not Orphan an MCP Task",
    "Poll with backoff, and reconcile on boot",
)

# A client that keeps what comes last goes back where one kind of read alone may be stale.
STALE: Final = (
    "view=last-arrival-wins,replica_reads=tasks-get",
    "era=2025-11-25,view=last-arrival-wins,replica_reads=tasks-list",
    "era=2025-11-25,view=last-arrival-wins,replica_reads=tasks-result,result_while_open=answers-wait",
)


def variables(room: Room) -> None:
    """`view`, what the client believes; `stopped`, it polls no more; `reply`, a poll's answer under way.

    With versions also the version of each snapshot, and `newest`, the highest that the client has taken over.
    `blocked`, in 2025-11-25, a tasks/result call of the client is held until the task ends.
    History: `wasted`, an answer that told the end did not end the polling.
    """
    if not room.has("polls"):
        return
    most = record.versions_max(room)
    room.family("view", room.tasks, VIEW, NONE)
    room.flags("stopped", room.tasks)
    room.family("reply", room.tasks, VIEW, NONE)
    room.flags("wasted", room.tasks)
    if _has_result(room):
        room.flags("blocked", room.tasks)
    if room.has("version"):
        for name in ("view_version", "reply_version", "newest"):
            room.family(name, room.tasks, IntRange(0, most), 0)


def _has_result(room: Room) -> bool:
    """Whether the era has tasks/result; the extension gives the result with the status."""
    return room.policy.era == "2025-11-25"


def actions(room: Room) -> None:
    """Asking and hearing."""
    if not room.has("polls"):
        return
    _poll(room)
    if _has_result(room):
        _list_status(room)
        _ask_result(room)
        if room.policy.result_while_open == "blocks":
            _return_result(room)
    _arrive(room)


def snapshot(now: Any) -> Any:
    """A status as a view."""
    value = VIEW["gone"]
    for label in record.TRANSITIONS:
        value = when(now == record.STATUS[label], VIEW[label], value)
    return value


def _is_open(content: Any) -> Any:
    """A snapshot of a task that is not over."""
    return either(*(content == VIEW[label] for label in record.OPEN))


def _answer(effects: Effects, task: Pick, content: Any, version: Any, on: Any = TRUE) -> None:
    """Note that an answer is under way to the client, in place of any other."""
    effects.put("reply", task, content, on)
    effects.put("reply_version", task, version, on)


def _poll(room: Room) -> None:
    task_choice, task = room.pick("task", "tasks")
    places, content, version = _read(room, task, "tasks-get")
    effects, choices = Effects(room), [task_choice, *places]
    if room.has("unknown_statuses"):
        newer = Choice("newer", Bool())
        choices.append(newer)
        content = when(both(newer.term, record.is_open(room.read("status", task))), VIEW["unknown"], content)
    _answer(effects, task, content, version)
    # A poll keeps nothing alive whose ttl is over.
    heard = both(record.is_open(room.read("status", task)), no(room.read("expired", task)))
    effects.put("silent", task, FALSE, heard)
    room.act("get_status", "client", _askable(room, task), effects, choices, [POLLING])


def _read(room: Room, task: Pick, operation: str) -> tuple[list[Choice], Any, Any]:
    """The snapshot that a read gives: the choice of who answers, the status as a view, and the version."""
    places, at_replica = replica.place(room, operation)
    content = when(at_replica, snapshot(record.copied(room, task)), snapshot(shown(room, task)))
    version = replica.seen(room, task, at_replica, room.read("version", task, absent=0), "version")
    return places, content, version


def _list_status(room: Room) -> None:
    """tasks/list of 2025-11-25: the row of a task is a snapshot of it; a list without it, being paged, says nothing."""
    choice, task = room.pick("task", "tasks")
    places, content, version = _read(room, task, "tasks-list")
    effects = Effects(room)
    _answer(effects, task, content, version)
    guard = [*_askable(room, task), ("the list has the task", content != VIEW["gone"])]
    room.act("list_status", "client", guard, effects, [choice, *places])


def _askable(room: Room, task: Pick) -> Guard:
    """The guard of a request of the follower about its task."""
    known = room.read("status", task) != record.STATUS[record.UNBORN]
    if room.has("handles"):
        domain = room.reference("tasks")
        knows = (
            both(hit, room.read("knows", client) == domain[label])
            for label, hit in task.items()
            for client in room.clients
        )
        known = both(known, either(*knows))
    return [
        *room.serving(),
        ("somebody knows the id", known),
        # Nobody knows it before the create reply, and that waits for the replica.
        *replica.awaited(room, task),
        ("the client still polls", no(room.read("stopped", task))),
        ("no answer is under way", room.holds("reply", task, NONE)),
        ("no sweep is under way", room.holds("sweep", None, "idle", absent=True)),
    ]


def _ask_result(room: Room) -> None:
    """tasks/result of 2025-11-25: an outcome at once, a call that is held, or under a policy another answer."""
    choice, task = room.pick("task", "tasks")
    held = room.policy.result_while_open == "blocks"
    places, content, version = _read(room, task, "tasks-result")
    opened = _is_open(content)
    if room.policy.result_while_open == "returns":
        # Whatever the work has so far is given out as its result.
        content = when(opened, VIEW["completed"], content)
    effects = Effects(room)
    effects.put("blocked", task, TRUE, both(opened, held))
    _answer(effects, task, content, version, no(both(opened, held)))
    guard = [*_askable(room, task), ("no tasks/result call is held", no(room.read("blocked", task)))]
    room.act("ask_result", "client", guard, effects, [choice, *places], [BLOCKS if held else WAITS])


def _return_result(room: Room) -> None:
    choice, task = room.pick("task", "tasks")
    places, content, version = _read(room, task, "tasks-result")
    effects = Effects(room)
    effects.put("blocked", task, FALSE)
    _answer(effects, task, content, version)
    guard: Guard = [
        *room.serving(),
        ("a tasks/result call is held", room.read("blocked", task)),
        ("the task is over", no(_is_open(content))),
        ("no answer is under way", room.holds("reply", task, NONE)),
    ]
    room.act("return_result", "server", guard, effects, [choice, *places], [RETURNS])


def adopt(room: Room, effects: Effects, task: Pick, content: Any, version: Any) -> Any:
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
    taken = adopt(room, effects, task, content, room.read("reply_version", task, absent=None))
    terminal = either(*(content == VIEW[label] for label in record.TERMINAL))
    gone, unknown = content == VIEW["gone"], content == VIEW["unknown"]
    ends = [terminal]
    if room.policy.unknown_id == "terminal":
        ends.append(gone)
    if room.policy.unknown_status == "terminal":
        ends.append(unknown)
    stops = both(either(*ends), taken)
    effects.put("stopped", task, TRUE, stops)
    effects.put("blocked", task, FALSE, stops)
    effects.put("wasted", task, TRUE, both(either(terminal, gone), no(stops)))
    _answer(effects, task, NONE, 0)
    guard: Guard = [
        ("an answer is under way", content != VIEW[NONE]),
        ("the client still polls", no(room.read("stopped", task))),
    ]
    room.act("see_status", "client", guard, effects, [choice], [UNKNOWN_IS_TERMINAL])
