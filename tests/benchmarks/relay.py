"""A system that scales: tasks, each with workers that read its version and write its end unless it moved on.

The tasks do not touch each other, so the states of two are the product of the states of each: a count that needs no
second checker.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from latchcheck.kernel import Action, Bool, Choice, Clause, Enum, IntRange, Property, Sentence, System, Variable

STATUS = Enum("RelayStatus", ("working", "completed", "failed", "cancelled"))
END = Enum("RelayEnd", ("well", "badly"))
PHASE = Enum("RelayPhase", ("idle", "read", "done", "crashed"))


def relay(workers: int, versions: Sequence[int]) -> System:
    """One task for each entry of `versions`, its version running from 0 to there, with so many workers each."""
    variables: list[Variable] = []
    actions: list[Action] = []
    for t, highest in enumerate(versions):
        parts, moves = _task(t, workers, highest)
        variables += parts
        actions += moves
    return System(f"relay of {len(versions)} tasks, {workers} workers each", variables, actions)


def _task(t: int, workers: int, versions: int) -> tuple[list[Variable], list[Action]]:
    status, version = Variable(f"status{t}", STATUS, "working"), Variable(f"version{t}", IntRange(0, versions), 0)
    asked = Variable(f"asked{t}", Bool(), False)
    phases = [Variable(f"phase{t}_{w}", PHASE, "idle") for w in range(workers)]
    seen = [Variable(f"seen{t}_{w}", IntRange(0, versions), 0) for w in range(workers)]
    worker = Choice("worker", IntRange(0, workers - 1))
    ends = Choice("ends", END)

    def at(terms: list[Variable]) -> Any:
        found = terms[-1].term
        for w in range(workers - 2, -1, -1):
            found = z3.If(worker.term == w, terms[w].term, found)
        return found

    def put(terms: list[Variable], value: Any) -> dict[str, Any]:
        return {one.name: z3.If(worker.term == w, value, one.term) for w, one in enumerate(terms)}

    working = Clause("the task is working", status.term == STATUS["working"])
    room = Clause("the version can grow", version.term < versions)
    grown = {version.name: version.term + 1}
    written = z3.If(ends.term == END["well"], STATUS["completed"], STATUS["failed"])
    return [status, version, asked, *phases, *seen], [
        Action(
            f"read{t}",
            "worker",
            (working, Clause("the worker is idle", at(phases) == PHASE["idle"])),
            {**put(phases, PHASE["read"]), **put(seen, version.term)},
            (worker,),
        ),
        Action(f"touch{t}", "server", (working, room), grown),
        Action(
            f"ask{t}", "client", (working, Clause("not asked yet", z3.Not(asked.term))), {asked.name: z3.BoolVal(True)}
        ),
        Action(
            f"cancel{t}",
            "server",
            (working, room, Clause("it was asked", asked.term)),
            {status.name: STATUS["cancelled"], **grown},
        ),
        Action(
            f"write{t}",
            "worker",
            (
                Clause("the worker has read", at(phases) == PHASE["read"]),
                working,
                room,
                Clause("nothing has moved", at(seen) == version.term),
            ),
            {status.name: written, **grown, **put(phases, PHASE["done"])},
            (worker, ends),
        ),
        Action(
            f"retry{t}",
            "worker",
            (
                Clause("the worker has read", at(phases) == PHASE["read"]),
                Clause("it has moved", at(seen) != version.term),
            ),
            put(phases, PHASE["idle"]),
            (worker,),
        ),
        Action(
            f"crash{t}",
            "worker",
            (Clause("the worker has read", at(phases) == PHASE["read"]),),
            put(phases, PHASE["crashed"]),
            (worker,),
        ),
        Action(
            f"restart{t}",
            "worker",
            (Clause("the worker is down", at(phases) == PHASE["crashed"]),),
            {**put(phases, PHASE["idle"]), **put(seen, z3.IntVal(0))},
            (worker,),
        ),
    ]


def no_write_after_cancel(system: System) -> Property:
    """Nobody is done with a task that was cancelled."""
    clauses = []
    for variable in system.variables:
        if variable.domain == STATUS:
            t = variable.name.removeprefix("status")
            done = [v.term == PHASE["done"] for v in system.variables if v.name.startswith(f"phase{t}_")]
            clauses.append(Clause(f"task {t}", z3.Not(z3.And(variable.term == STATUS["cancelled"], z3.Or(done)))))
    sentence = Sentence("A cancelled task is not written to.", "a benchmark", "here")
    return Property("no-write-after-cancel", "MUST", sentence, clauses)
