"""Who may see or change a task: reads, lists and writes by any principal, the owner or another."""

from __future__ import annotations

from typing import Any, Final

from latchcheck.kernel import Sentence

from . import record, replica
from .admission import tenant_of
from .capabilities import may
from .room import FALSE, TRUE, Effects, Guard, Pick, Room, both, no

LOCATOR: Final = Sentence(
    "Every operation must reapply the creator's subject, tenant, and relevant scope.",
    "MCP Tasks: The Export That Finished Twice",
    "The task ID is a locator, not permission",
)


def variables(room: Room) -> None:
    """History: `observed` and `changed`, another principal than the owner has seen or changed the task."""
    if room.has("owners"):
        room.flags("observed", room.tasks)
        room.flags("changed", room.tasks)


def is_owner(room: Room, client: Pick, task: Pick | str) -> Any:
    """The client belongs to the tenant that owns the task."""
    return room.read("owner", task) == tenant_of(room, client)


def note_change(room: Room, effects: Effects, client: Pick, task: Pick, on: Any) -> None:
    """Note a change of the task by somebody who does not own it."""
    effects.put("changed", task, TRUE, both(on, no(is_owner(room, client, task))))


def actions(room: Room) -> None:
    """Operations by any client on any task id, guessed or known."""
    if not (room.has("owners") or room.has("capability")):
        return
    _read(room, "get")
    if room.policy.era == "2025-11-25":
        _read(room, "result")
        _list(room)
    if room.has("owners"):
        _finish_as(room)


def gate(room: Room, client: Pick, operation: str) -> Guard:
    """The guard of an operation that needs a capability: read, cancel or list."""
    if not room.has("capability") or room.policy.capability_check == "off":
        return []
    return [(f"{operation} was negotiated", may(room, client, operation))]


def owns(room: Room, client: Pick, task: Pick, operations: str) -> Any:
    """The caller passes the comparison with the owner, where the policy makes it: for `reads`, or for `writes`."""
    compared = {"every-operation": ("reads", "writes"), "reads-only": ("reads",), "off": ()}[room.policy.tenant_check]
    return is_owner(room, client, task) if room.has("owners") and operations in compared else TRUE


def is_late(room: Room, task: Pick) -> Any:
    """The ttl is over and the policy looks at it: the record is there, and no longer shown or changed."""
    return room.read("expired", task) if room.policy.expiry_check == "on-write" else FALSE


def _read(room: Room, name: str) -> None:
    client_choice, client = room.pick("client", "clients")
    task_choice, task = room.pick("task", "tasks")
    places, at_replica = replica.place(room, f"tasks-{name}")
    now = replica.seen(room, task, at_replica, room.read("status", task))
    effects = Effects(room)
    guard: Guard = [
        *room.serving(),
        *gate(room, client, "read"),
        ("there is such a task", record.exists(now)),
        ("the caller owns the task", owns(room, client, task, "reads")),
        ("it has not expired", no(is_late(room, task))),
    ]
    if name == "result":
        guard += [("the task is over", record.is_terminal(now))]
    if room.has("owners"):
        effects.put("observed", task, TRUE, no(is_owner(room, client, task)))
    if room.has("capability"):
        effects.put("served", None, "read", no(may(room, client, "read")))
    room.act(name, "client", guard, effects, [client_choice, task_choice, *places], [LOCATOR])


def _list(room: Room) -> None:
    """The tasks of a caller; unfiltered, the tasks of everybody."""
    client_choice, client = room.pick("client", "clients")
    effects, places = Effects(room), []
    guard: Guard = [*room.serving(), *gate(room, client, "list")]
    if room.has("owners") and room.policy.tenant_check == "off":
        places, at_replica = replica.place(room, "tasks-list")
        for task in room.tasks:
            there = record.exists(replica.seen(room, task, at_replica, room.read("status", task)))
            effects.put("observed", task, TRUE, both(there, no(is_owner(room, client, task))))
    if room.has("capability"):
        effects.put("served", None, "list", no(may(room, client, "list")))
    room.act("list", "client", guard, effects, [client_choice, *places], [LOCATOR])


def _finish_as(room: Room) -> None:
    """A principal reports an outcome: its own worker, or somebody who knows the id."""
    client_choice, client = room.pick("client", "clients")
    task_choice, task = room.pick("task", "tasks")
    effects = Effects(room)
    now = room.read("status", task)
    record.write(room, effects, task, "failed")
    note_change(room, effects, client, task, TRUE)
    guard: Guard = [
        *room.serving(),
        ("the caller owns the task", owns(room, client, task, "writes")),
        ("it has not expired", no(is_late(room, task))),
        ("the task is open", record.is_open(now)),
        *record.has_room(room, task),
    ]
    room.act("fail_as", "client", guard, effects, [client_choice, task_choice], [LOCATOR])
