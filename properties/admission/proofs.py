"""Proofs about the decision tables, for every state of the model that a packet can stand for.

The rows are the guards of the model's own actions, so what is proved is proved of what decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any, Final

import z3

from latchcheck.engines.obligations import Obligation, Proof, possible, prove
from latchcheck.kernel import IntRange, System

from ...model import record
from ...model.packets.system import FREE, OWNER, STORED, STRANGER, packet_model
from ...model.packets.tables import OPERATIONS, is_block, rows
from ...model.policy import Policy
from ...model.room import Room, both, either, no

CALLERS: Final = (OWNER, STRANGER)
ON_A_TASK: Final = tuple(name for name in OPERATIONS if name not in ("call", "list"))
_ABOUT: Final = ("status", "version", "was", "first", "outcomes", "digest", "expired", "intent", "slot", "key")


def _arrived(room: Room, operation: str, client: str) -> list[Any]:
    """What is true of every packet: numbers in range, the request is there, its budget is not spent, an id is free."""
    known: list[Any] = [
        z3.And(one.term >= one.domain.lo, one.term <= one.domain.hi)
        for one in room.variables
        if isinstance(one.domain, IntRange)
    ]
    known += [
        room.holds("status", FREE, record.UNBORN),
        room.read("cancels_left") > 0,
        room.read("version", STORED) < record.versions_max(room),
        no(room.read("queued", FREE)),
        no(room.holds("caps", client, "undeclared")),
    ]
    if operation == "call":
        known += [
            room.holds("call", client, "sent"),
            no(room.holds("entry", client, FREE)),
            no(room.holds("status", STORED, record.GONE)),
        ]
    return known


def total_and_single(policy: Policy | None = None) -> Iterator[Proof]:
    """In every state and for every request some row applies, and no two rows do."""
    policy = policy or Policy()
    room = packet_model(policy).room
    for operation in OPERATIONS:
        obligations: list[Obligation] = []
        for client in CALLERS:
            given, table = _arrived(room, operation, client), rows(policy, operation, client)
            obligations.append(possible(f"{client}: a request arrives", given))
            goal = either(*(row.condition for row in table))
            obligations.append(prove(f"{client}: some decision applies", given, goal))
            obligations += [
                prove(
                    f"{client}: {one.decision} excludes {other.decision}",
                    given,
                    no(both(one.condition, other.condition)),
                )
                for one, other in combinations(table, 2)
            ]
            obligations += [
                possible(f"{client}: {row.decision} occurs", [*given, row.condition])
                for row in table
                if client == OWNER and row.decision != "BLOCK_AUTH"
            ]
        yield Proof(f"{operation}: exactly one decision applies", obligations)


def judged_first(policy: Policy | None = None) -> Iterator[Proof]:
    """A stranger's request, and one about an expired record, is refused, shows nothing and changes nothing."""
    policy = policy or Policy()
    built = packet_model(policy)
    room = built.room
    for operation in ON_A_TASK:
        obligations: list[Obligation] = []
        for client, situation, word in (
            (STRANGER, _theirs(room), "a stranger"),
            (OWNER, room.read("expired", STORED), "after the ttl"),
        ):
            given = [*_arrived(room, operation, client), record.exists(room.read("status", STORED)), situation]
            given.append(room.holds("owner", STORED, "p1"))
            obligations.append(possible(f"{word}: it occurs", given))
            for row in rows(policy, operation, client):
                if not is_block(row.decision):
                    obligations.append(prove(f"{word}: {row.decision} does not apply", given, no(row.condition)))
                # Two records that differ in all that the caller may not learn get the same answer.
                other = _another_record(built.system, row.condition)
                alike = [_another_record(built.system, one) for one in given]
                goal = row.condition == other
                obligations.append(prove(f"{word}: {row.decision} tells nothing of the record", [*given, *alike], goal))
        yield Proof(f"{operation}: authorisation and expiry first", obligations)
    yield _listed(policy)


def blocked_changes_nothing(policy: Policy | None = None) -> Iterator[Proof]:
    """Where a request is refused no action on a record is enabled; a refused call changes its stage only."""
    policy = policy or Policy()
    room = packet_model(policy).room
    obligations = []
    for client in CALLERS:
        for row in rows(policy, "call", client):
            if is_block(row.decision):
                assert row.action is not None
                touched = [name for name in row.action.updates if not name.startswith("call_")]
                obligations.append(prove(f"{client}: {row.decision} touches no record", [], z3.BoolVal(not touched)))
    for operation in (*ON_A_TASK, "list"):
        for client in CALLERS:
            table = rows(policy, operation, client)
            acting = either(*(row.condition for row in table if row.action is not None))
            given = _arrived(room, operation, client)
            obligations += [
                prove(f"{client}: {operation} does not happen on {row.decision}", [*given, row.condition], no(acting))
                for row in table
                if row.action is None
            ]
    yield Proof("what is refused changes nothing", obligations)


def _theirs(room: Room) -> Any:
    return room.holds("owner", STORED, "p1")


def _another_record(system: System, expr: Any) -> Any:
    """The same condition of a record that differs in status, version, digest and the rest; who owns it stays."""
    pairs = [
        (variable.term, variable.domain.const(f"{variable.name}'"))
        for variable in system.variables
        if any(variable.name == f"{name}_{STORED}" for name in _ABOUT if name != "expired")
    ]
    return z3.substitute(expr, *pairs) if z3.is_expr(expr) else expr


def _listed(policy: Policy) -> Proof:
    built = packet_model(policy)
    (action,) = (one for one in built.system.actions if one.name == "list")
    untouched = f"observed_{STORED}" not in action.updates
    goal = z3.BoolVal(untouched)
    return Proof("list: no task of another tenant is shown", [prove("nobody else's task is observed", [], goal)])
