"""Inductive invariants: lemmas under which a property holds in runs of any length, each kept by every step.

The number of tasks, workers and clients is that of the scope; the length of a run is not bounded by it.
Each is proved of the cone of its property in a scope that is large in everything, and of the whole model of the scope
`ci`, in which every party is there at once, in both eras.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from latchcheck.engines.obligations import Proof, Theorem
from latchcheck.engines.smt import inductive
from latchcheck.kernel import Clause

from ...model import record
from ...model.lifecycle import Lifecycle, lifecycle
from ...model.policy import SWITCHES, Policy
from ...model.record import STATUS
from ...model.room import NONE, Room, both, either, no
from ...model.scope import SIZES, Scope
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
        *_durable(room),
        ("an outcome is counted once, and the first is remembered", every(room.tasks, counted)),
        ("a terminal status is the first outcome, an open one has none", every(room.tasks, agree)),
    ]


def _durable(room: Room) -> Lemmas:
    """What a crash of the server does to records: nothing."""
    if not room.has("durability"):
        return []

    def on_disk(task: str) -> Any:
        return implies(record.exists(room.read("status", task)), room.read("durable", task))

    return [("every record is on disk", every(room.tasks, on_disk))]


def _keys(room: Room) -> Lemmas:
    clients, tasks = room.reference("clients"), room.reference("tasks")

    def entered(task: str) -> Any:
        there = record.exists(room.read("status", task))
        return every(
            room.clients,
            lambda client: implies(
                both(there, room.read("keyed", task) == clients[client]), room.read("entry", client) == tasks[task]
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
        *_durable(room),
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


LARGE: Final = 5
# Every size of a scope at five: so many of each party, and each rare event so often.
LARGE_SCOPE: Final = Scope(**dict.fromkeys(SIZES, LARGE))
ERAS: Final = SWITCHES["era"].values


def theorems() -> tuple[Theorem, ...]:
    """What is proved of the guarded model, for runs of any length."""
    return tuple(theorem for name in LEMMAS for theorem in _theorems(name))


def _theorems(name: str) -> Iterator[Theorem]:
    yield Theorem(
        f"{name}-in-its-cone",
        name,
        f"In no run of any length is it broken, with up to {LARGE} of each party that it speaks about, and each rare "
        f"event up to {LARGE} times.",
        lambda: iter([proof(name, LARGE_SCOPE)]),
    )
    yield Theorem(
        f"{name}-in-the-whole-model",
        name,
        "In no run of any length is it broken, in the whole model of the scope ci, all its parties and events at once, "
        "in both eras.",
        lambda: (whole(name, Scope.parse("ci"), Policy(era=era)) for era in ERAS),
    )


def whole(name: str, scope: Scope, policy: Policy | None = None) -> Proof:
    """Prove one of `LEMMAS` in the whole model of a scope, with every module that it makes available."""
    return _proved(name, lifecycle(scope, policy or Policy()))


def proof(name: str, scope: Scope, policy: Policy | None = None) -> Proof:
    """Prove one of `LEMMAS` by induction over steps in its cone; KeyError for another id."""
    return _proved(name, cone(rule(name), scope, narrow=False).build(policy or Policy()))


def _proved(name: str, built: Lifecycle) -> Proof:
    claims = list(rule(name).claim(built.room).clauses)
    invariant = [Clause(label, expr) for label, expr in (*LEMMAS[name](built.room), *claims)]
    broken = no(both(*(expr for _, expr in claims)))
    return inductive(built.system, [], invariant, broken)
