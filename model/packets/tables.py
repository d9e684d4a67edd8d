"""The decision tables: which answer each request gets, read off the actions of the model.

An operation is one action, or several of which one answers. Where it happens, the answer is that of the action,
refined by what it finds; where it does not, the answer is that of the first condition of its guard which fails.
So a table has no condition of its own but the refinements; what is not named here is an error, not a default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final

import attrs
import z3

from latchcheck.kernel import Action, ModelError

from .. import record
from ..policy import Policy
from ..room import TRUE, Room, both, either, no
from .system import CLEAR, FREE, STORED, packet_model

Refinement = Callable[[Room, str], Any]
_ALL: Final = tuple(record.TRANSITIONS)

MEANINGS: Final[Mapping[str, str]] = {
    "ACCEPT_NORMAL": "the call is executed as a normal one and answered with its result",
    "ACCEPT_TASK": "a task is created, with its outbox entry, and its id returned",
    "REPLAY_TASK": "the same request was accepted before; its task is returned",
    "APPLY": "the status is stored and the version grows by one",
    "IDEMPOTENT_TERMINAL": "this very outcome is stored already; nothing changes",
    "RETURN_STATUS": "the status of the task is returned",
    "WAIT_TERMINAL": "the task is still working; its result comes later",
    "WAIT_INPUT": "the task waits for input; its result comes later",
    "RETURN_RESULT": "the result of the wrapped request is returned",
    "RETURN_FAILURE": "the error of the wrapped request is returned",
    "RETURN_CANCELLED": "there is no result: the task was cancelled",
    "APPLY_CANCEL": "cancelled is stored and the version grows by one",
    "ALREADY_TERMINAL": "the task is over; its outcome stays",
    "LIST_OWN": "the tasks of the caller's tenant are listed, and no other",
    "BLOCK_TASK_REQUIRED": "the tool runs as a task only, and the call asks for none",
    "BLOCK_TASK_FORBIDDEN": "the tool runs as no task, and the call asks for one",
    "BLOCK_TASK_CAPABILITY": "tasks were not negotiated for this request",
    "BLOCK_IDEMPOTENCY_COLLISION": "the key was used for another request",
    "BLOCK_CANCEL_CAPABILITY": "cancelling was not negotiated",
    "BLOCK_LIST_CAPABILITY": "listing was not negotiated",
    "BLOCK_MISSING": "there is no such task",
    "BLOCK_AUTH": "the task is another tenant's; the caller is told what it is told of a task that is missing",
    "BLOCK_EXPIRED": "the ttl of the task is over; it is neither shown nor changed",
    "BLOCK_STALE_VERSION": "the record has another version than the writer has read",
    "BLOCK_TERMINAL_REWRITE": "another outcome is stored, and it stays",
    "BLOCK_ILLEGAL_TRANSITION": "the state diagram has no such step",
}
"""Every decision and what it says. Those printed in the source bear its names; the others are made in its manner."""


def is_block(decision: str) -> bool:
    """Whether a decision refuses a request."""
    return decision.startswith("BLOCK_")


def _status(*labels: str) -> Refinement:
    return lambda room, _: record.is_in(room.read("status", STORED), labels)


def _always(_room: Room, _client: str) -> Any:
    return TRUE


def _cancels(room: Room, _: str) -> Any:
    """A cancel is stored where the task is open, and by a server without a latch whatever is stored."""
    return record.is_in(room.read("status", STORED), record.OPEN if room.policy.terminal_guard != "none" else _ALL)


def _stays(room: Room, client: str) -> Any:
    return no(_cancels(room, client))


def _augmented(room: Room, client: str) -> Any:
    return room.read("augmented", client)


def _forbidden(room: Room, client: str) -> Any:
    return both(_augmented(room, client), room.holds("tool", client, "forbidden"))


def _undeclared(room: Room, client: str) -> Any:
    return both(_augmented(room, client), no(room.holds("tool", client, "forbidden")))


@attrs.frozen
class Entry:
    """One action of an operation: its arguments, the decisions where it happens, and those where it does not.

    `applied` pairs each decision with the situation in which it is the one; `refused` names the decision for each
    condition of the guard, and is None where another action of the operation answers then.
    """

    action: str
    args: Mapping[str, str]
    applied: tuple[tuple[str, Refinement], ...]
    refused: Mapping[str, str] | None = None


_TASK: Final = {"task": STORED}
_NEW: Final = {"task": FREE}
_GUARDS: Final = {
    "there is such a task": "BLOCK_MISSING",
    "the caller owns the task": "BLOCK_AUTH",
    "it has not expired": "BLOCK_EXPIRED",
    "read was negotiated": "BLOCK_TASK_CAPABILITY",
    "cancel was negotiated": "BLOCK_CANCEL_CAPABILITY",
    "list was negotiated": "BLOCK_LIST_CAPABILITY",
}
OPERATIONS: Final[Mapping[str, tuple[Entry, ...]]] = {
    "call": (
        Entry(
            "refuse",
            {},
            (
                ("BLOCK_TASK_REQUIRED", lambda room, client: no(_augmented(room, client))),
                ("BLOCK_TASK_FORBIDDEN", _forbidden),
                ("BLOCK_TASK_CAPABILITY", _undeclared),
            ),
        ),
        Entry("refuse_expired", {}, (("BLOCK_EXPIRED", _always),)),
        Entry("refuse_collision", {}, (("BLOCK_IDEMPOTENCY_COLLISION", _always),)),
        Entry("replay", {}, (("REPLAY_TASK", _always),)),
        Entry("answer_directly", {}, (("ACCEPT_NORMAL", _always),)),
        Entry("admit", _NEW, (("ACCEPT_TASK", _always),)),
    ),
    "transition": (Entry("write_as", _TASK, (("APPLY", _always),), {label: name for name, label in CLEAR.items()}),),
    "get": (Entry("get", _TASK, (("RETURN_STATUS", _always),), _GUARDS),),
    "result": (
        Entry(
            "result",
            _TASK,
            (
                ("RETURN_RESULT", _status("completed")),
                ("RETURN_FAILURE", _status("failed")),
                ("RETURN_CANCELLED", _status("cancelled")),
            ),
            {**_GUARDS, "the task is over": "WAIT"},
        ),
    ),
    "cancel": (
        Entry(
            "cancel",
            _TASK,
            (("APPLY_CANCEL", _cancels), ("ALREADY_TERMINAL", _stays)),
            _GUARDS,
        ),
    ),
    "list": (Entry("list", {}, (("LIST_OWN", _always),), _GUARDS),),
}
# A refusal that says more than one thing is refined as well.
_REFUSALS: Final[Mapping[str, tuple[tuple[str, Refinement], ...]]] = {
    "WAIT": (("WAIT_TERMINAL", _status("working")), ("WAIT_INPUT", _status("input_required"))),
}
# Conditions of the model's bookkeeping, true of every packet: they are no decisions of a server.
_ASIDE: Final = ("the scope has room for another version", "there is room for another version")


@attrs.frozen(eq=False)
class Row:
    """One row of a table: the decision, when it is the one, and the action that happens then (None: none does)."""

    decision: str
    condition: Any
    action: Action | None


@cache
def rows(policy: Policy, operation: str, client: str) -> tuple[Row, ...]:
    """The table of an operation for a caller, under a policy; ModelError for a condition that has no decision."""
    built = packet_model(policy)
    there = {action.name: action for action in built.system.actions}
    found = [
        row
        for entry in OPERATIONS[operation]
        if entry.action in there
        for row in _rows(built.room, entry, there[entry.action], client)
    ]
    return _merged(found)


def _rows(room: Room, entry: Entry, action: Action, client: str) -> Iterator[Row]:
    put = _arguments(action, {"client": client, **entry.args})
    passed: list[Any] = []
    for part in action.guard:
        fails = both(*passed, no(z3.substitute(part.expr, *put)))
        passed.append(z3.substitute(part.expr, *put))
        if entry.refused is None or part.label in _ASIDE or part.label.startswith("the scope allows"):
            continue
        if part.label not in entry.refused:
            raise ModelError(f"action {action.name!r}: no decision is named for {part.label!r}")
        name = entry.refused[part.label]
        for decision, refinement in _REFUSALS.get(name, ((name, _always),)):
            yield Row(decision, both(fails, refinement(room, client)), None)
    for decision, refinement in entry.applied:
        yield Row(decision, both(*passed, refinement(room, client)), action)


def _arguments(action: Action, args: Mapping[str, str]) -> list[tuple[Any, Any]]:
    """What is put in place of the choices that are settled; status and version of a write stay open."""
    return [(one.term, one.domain.literal(args[one.name])) for one in action.choices if one.name in args]


def _merged(found: list[Row]) -> tuple[Row, ...]:
    names = list(dict.fromkeys(row.decision for row in found))
    grouped = [(name, [row for row in found if row.decision == name]) for name in names]
    return tuple(Row(name, either(*(one.condition for one in same)), same[-1].action) for name, same in grouped)
