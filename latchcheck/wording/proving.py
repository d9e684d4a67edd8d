"""Proofs about readings: induction over the steps of a world with monitors, for runs of any length, in dense time.

The lemmas are guessed from a search and decided by the solver, one step at a time; see guessing.py and lemmas.py.
What no proof is found for is left to the search: a state from which a step fails may be unreachable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import attrs
import z3

from latchcheck.engines.obligations import decided
from latchcheck.kernel import Action, Clause, System

from .files import Reading
from .guessing import FINEST, guesses, states_of
from .judging import Judged, judge
from .lemmas import RLIMIT, after, domains, picked, proof
from .moments import dense, finer
from .separating import Watched, watch
from .words import World

SEARCHED_MS: int = 16
"""How long the runs are that guesses are read off, where time passes."""
LATE = 0.6
"""From which part of that on an instant is late."""


@attrs.frozen(eq=False)
class Induction:
    """A proof that is done: the system, what it shows, and the lemmas that every step keeps, the goal first.

    Each obligation was decided again with its premises named, from the goal backwards: `lemmas` are those that the
    goal needs, `guards` the conditions of actions that it needs, `steps` the actions that touch the goal itself.
    """

    system: System
    goal: Any
    lemmas: tuple[Any, ...]
    guards: tuple[tuple[str, str], ...]
    steps: tuple[str, ...]
    obligations: int


def proved(world: World, readings: Sequence[Reading], harm: Callable[[Watched], Any]) -> Induction | None:
    """A proof that no run of a world with the monitors of some readings comes to a harm; None where none is found."""
    told = world
    if world.system.clock is not None:
        told = attrs.evolve(world, unit_ms=FINEST, horizon_ms=SEARCHED_MS)
    states = states_of(watch(told, readings).system)
    watched = watch(world, readings, dense(world))
    system, goal = watched.system, z3.simplify(z3.Not(harm(watched)))
    found = proof(system, goal, guesses(system, states, _late(world, system, states)))
    return None if found is None else _Cores(system, found).run()


def _late(world: World, system: System, states: Sequence[tuple[Any, ...]]) -> list[bool]:
    if world.system.clock is None:
        return [False] * len(states)
    at = [variable.name for variable in system.variables].index(world.system.clock)
    return [state[at] > LATE * SEARCHED_MS for state in states]


def breaks(watched: Watched) -> Any:
    """The harm of one reading alone: it is broken while what it assumes holds."""
    return z3.And(watched.monitors[0].failing, watched.assumed[0])


def settled(world: World, one: Reading) -> tuple[Judged, Induction | None]:
    """A verdict and, where there is one, the proof that rests behind it.

    With a clock the search sees whole milliseconds: what it finds nothing against is proved, or searched more finely.
    """
    seen = judge(world, one)
    if seen.verdict != "holds" or not can_be_proved(watch(world, [one])):
        return seen, None
    found = proved(world, [one], breaks)
    if world.system.clock is None:
        return seen, found
    if found is not None:
        return attrs.evolve(seen, verdict="proved"), found
    close = judge(finer(world), one)
    return (close if close.verdict == "violated" else seen), None


def can_be_proved(watched: Watched) -> bool:
    """Whether induction over steps can speak of every reading: none has a duty that may stay open, or fairness."""
    return not any(one.live or one.possible for one in watched.monitors) and not any(watched.fairness)


class _Cores:
    """The obligations of an inductive proof, each decided with its premises named, from the goal backwards."""

    def __init__(self, system: System, lemmas: Sequence[Any]) -> None:
        self.system, self.lemmas, self.goal = system, list(lemmas), lemmas[0]
        self.obligations = 0
        self.steps: dict[str, None] = {}

    def run(self) -> Induction:
        """The guards, by action and label, and the lemmas that are enough."""
        waiting, used, guards = [self.goal], [self.goal], {}
        while waiting:
            lemma = waiting.pop(0)
            for action in self.system.actions:
                later = after(self.system, action, lemma)
                if later.eq(lemma):
                    continue
                self.obligations += 1
                if lemma is self.goal:
                    self.steps[action.name] = None
                premises, clauses = self._core(action, lemma, later)
                guards |= dict.fromkeys((action.name, clause.label) for clause in clauses)
                fresh = [one for one in premises if not any(one.eq(other) for other in used)]
                used += fresh
                waiting += fresh
        return Induction(self.system, self.goal, tuple(used), tuple(guards), tuple(self.steps), self.obligations)

    def _core(self, action: Action, lemma: Any, later: Any) -> tuple[list[Any], list[Clause]]:
        """Premises enough for one step to keep a lemma: the lemma itself for free, guards before other lemmas."""
        premises: dict[str, Any] = {f"guard {i}": clause.expr for i, clause in enumerate(action.guard)}
        premises |= {f"lemma {i}": one for i, one in enumerate(self.lemmas) if not one.eq(lemma)}
        kept = self._unsat(action, lemma, later, premises)
        assert kept is not None, "a lemma that is kept by every step"
        for name in sorted(kept, key=lambda one: (one.startswith("guard"), one)):
            fewer = self._unsat(action, lemma, later, {one: premises[one] for one in kept if one != name})
            if fewer is not None:
                kept = fewer if set(fewer) <= set(kept) else kept
        clauses = [clause for i, clause in enumerate(action.guard) if f"guard {i}" in kept]
        return [one for i, one in enumerate(self.lemmas) if f"lemma {i}" in kept], clauses

    def _unsat(self, action: Action, lemma: Any, later: Any, premises: dict[str, Any]) -> list[str] | None:
        solver = z3.Solver()
        solver.set("rlimit", RLIMIT)
        solver.add(lemma, *domains(self.system), *picked(action), z3.Not(later))
        for name, expr in premises.items():
            solver.assert_and_track(expr, name)
        if decided(solver) != z3.unsat:
            return None
        core = {str(one) for one in solver.unsat_core()}
        return [name for name in premises if name in core]
