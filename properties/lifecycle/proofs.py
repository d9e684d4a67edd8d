"""Inductive invariants: lemmas under which a property holds in runs of any length, each kept by every step.

The number of tasks, workers and clients is that of the scope; the length of a run is not bounded by it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from latchcheck.engines.smt import Proof, inductive
from latchcheck.kernel import Clause

from ...model import record
from ...model.policy import Policy
from ...model.record import STATUS
from ...model.room import NONE, Room, both, either, no
from ...model.scope import Scope
from .catalogue import cone, rule
from .rules import every, implies

Lemmas = list[tuple[str, Any]]


def _outcomes(room: Room) -> Lemmas:
    def counted(task: str) -> Any:
        count, first = room.read("outcomes", task), room.read("first", task)
        none = both(count == 0, first == STATUS[record.UNBORN])
        return either(none, both(count == 1, record.is_terminal(first)))

    def agree(task: str) -> Any:
        now, first = room.read("status", task), room.read("first", task)
        unfinished = either(now == STATUS[record.UNBORN], record.is_open(now))
        return both(implies(unfinished, first == STATUS[record.UNBORN]), implies(record.is_terminal(now), now == first))

    return [
        ("an outcome is counted once, and the first is remembered", every(room.tasks, counted)),
        ("a terminal status is the first outcome, an open one has none", every(room.tasks, agree)),
    ]


def _keys(room: Room) -> Lemmas:
    clients, tasks = room.reference("clients"), room.reference("tasks")

    def entered(task: str) -> Any:
        return every(
            room.clients,
            lambda client: implies(
                room.read("keyed", task) == clients[client], room.read("entry", client) == tasks[task]
            ),
        )

    def created(task: str) -> Any:
        named = every(
            room.clients,
            lambda client: no(
                either(room.read("entry", client) == tasks[task], room.read("answer", client) == tasks[task])
            ),
        )
        return implies(room.holds("status", task, record.UNBORN), named)

    def unanswered(client: str) -> Any:
        return implies(room.holds("call", client, "sent"), room.holds("answer", client, NONE))

    return [
        ("a key names the task that was made with it", every(room.tasks, entered)),
        ("no key and no answer names a task that is not there", every(room.tasks, created)),
        ("a call under way has no answer", every(room.clients, unanswered)),
    ]


def _none(_: Room) -> Lemmas:
    return []


LEMMAS: Final[dict[str, Callable[[Room], Lemmas]]] = {
    "one-terminal-outcome": _outcomes,
    "legal-transitions-only": _none,
    "tenant-isolation": _none,
    "idempotent-create": _keys,
}


def proof(name: str, scope: Scope, policy: Policy | None = None) -> Proof:
    """Prove one of `LEMMAS` by induction over steps in its cone; KeyError for another id."""
    asked = rule(name)
    built = cone(asked, scope, narrow=False).build(policy or Policy())
    claims = list(asked.claim(built.room).clauses)
    invariant = [Clause(label, expr) for label, expr in (*LEMMAS[name](built.room), *claims)]
    broken = no(both(*(expr for _, expr in claims)))
    return inductive(built.system, [], invariant, broken)
