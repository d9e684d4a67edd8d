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
        task = _Task(t, workers, highest)
        variables += task.variables()
        actions += task.actions()
    return System(f"relay of {len(versions)} tasks, {workers} workers each", variables, actions)


class _Task:
    """One task with its workers: its variables, and what can happen to it."""

    def __init__(self, t: int, workers: int, versions: int) -> None:
        self.t = t
        self.status = Variable(f"status{t}", STATUS, "working")
        self.version = Variable(f"version{t}", IntRange(0, versions), 0)
        self.asked = Variable(f"asked{t}", Bool(), False)
        self.phases = [Variable(f"phase{t}_{w}", PHASE, "idle") for w in range(workers)]
        self.seen = [Variable(f"seen{t}_{w}", IntRange(0, versions), 0) for w in range(workers)]
        self.worker = Choice("worker", IntRange(0, workers - 1))
        self.working = Clause("the task is working", self.status.term == STATUS["working"])
        self.room = Clause("the version can grow", self.version.term < versions)
        self.grown = {self.version.name: self.version.term + 1}

    def variables(self) -> list[Variable]:
        return [self.status, self.version, self.asked, *self.phases, *self.seen]

    def actions(self) -> list[Action]:
        return [*self._of_others(), *self._of_workers()]

    def _at(self, terms: list[Variable]) -> Any:
        """The term of the worker that acts."""
        found = terms[-1].term
        for w in range(len(terms) - 2, -1, -1):
            found = z3.If(self.worker.term == w, terms[w].term, found)
        return found

    def _put(self, terms: list[Variable], value: Any) -> dict[str, Any]:
        """The update of the worker that acts; the others keep theirs."""
        return {one.name: z3.If(self.worker.term == w, value, one.term) for w, one in enumerate(terms)}

    def _is(self, phase: str, label: str) -> Clause:
        return Clause(label, self._at(self.phases) == PHASE[phase])

    def _of_others(self) -> list[Action]:
        t, asked = self.t, self.asked
        not_asked, was_asked = Clause("not asked yet", z3.Not(asked.term)), Clause("it was asked", asked.term)
        cancelled = {self.status.name: STATUS["cancelled"], **self.grown}
        return [
            Action(f"touch{t}", "server", (self.working, self.room), self.grown),
            Action(f"ask{t}", "client", (self.working, not_asked), {asked.name: z3.BoolVal(True)}),
            Action(f"cancel{t}", "server", (self.working, self.room, was_asked), cancelled),
        ]

    def _of_workers(self) -> list[Action]:
        t, phases, seen, ends = self.t, self.phases, self.seen, Choice("ends", END)
        has_read = self._is("read", "the worker has read")
        still = Clause("nothing has moved", self._at(seen) == self.version.term)
        moved = Clause("it has moved", self._at(seen) != self.version.term)
        written = z3.If(ends.term == END["well"], STATUS["completed"], STATUS["failed"])
        read = {**self._put(phases, PHASE["read"]), **self._put(seen, self.version.term)}
        wrote = {self.status.name: written, **self.grown, **self._put(phases, PHASE["done"])}
        idle = self._put(phases, PHASE["idle"])

        def act(name: str, guard: tuple[Clause, ...], updates: dict[str, Any], *choices: Choice) -> Action:
            return Action(f"{name}{t}", "worker", guard, updates, (self.worker, *choices))

        return [
            act("read", (self.working, self._is("idle", "the worker is idle")), read),
            act("write", (has_read, self.working, self.room, still), wrote, ends),
            act("retry", (has_read, moved), idle),
            act("crash", (has_read,), self._put(phases, PHASE["crashed"])),
            act("restart", (self._is("crashed", "the worker is down"),), {**idle, **self._put(seen, z3.IntVal(0))}),
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
