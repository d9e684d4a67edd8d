"""An inductive proof found without help, from the goal backwards.

Where a step from some state would break the goal, a lemma is wanted that excludes the state; the lemmas come from a
pool of guesses, each true of every state of a search, and the solver has the word on each.
A guess whose own state nothing excludes is thrown away, so the end is a proof or nothing; never a violation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import z3

from latchcheck.engines.obligations import decided
from latchcheck.kernel import Action, IntRange, System

RLIMIT = 20_000_000
CHECKS_MAX = 1200
"""How many steps are put to the solver before a proof is given up; those found so far took a few dozen."""
TRIED_MAX = 16
"""How many lemmas that exclude a state are looked at before the simplest is taken on trust."""


def domains(system: System) -> list[Any]:
    """What the types say beyond the sorts."""
    return [
        z3.And(variable.term >= variable.domain.lo, variable.term <= variable.domain.hi)
        for variable in system.variables
        if isinstance(variable.domain, IntRange)
    ]


def after(system: System, action: Action, expr: Any) -> Any:
    """A condition after an action, over the state before and the choices."""
    pairs = [(system.variable(name).term, value) for name, value in action.updates.items()]
    return z3.substitute(expr, *pairs) if pairs else expr


def picked(action: Action) -> list[Any]:
    """The ranges of an action's choices."""
    return [
        z3.And(choice.term >= choice.domain.lo, choice.term <= choice.domain.hi)
        for choice in action.choices
        if isinstance(choice.domain, IntRange)
    ]


def true_at_start(system: System, expr: Any) -> bool:
    """Whether a condition holds in the initial state."""
    return z3.is_true(start_of(system, expr))


def start_of(system: System, expr: Any) -> Any:
    """A condition in the initial state, over the numbers that are left open."""
    start = [(variable.term, variable.domain.literal(variable.initial)) for variable in system.variables]
    return z3.simplify(z3.substitute(expr, *start))


def proof(system: System, goal: Any, pool: Sequence[Any], given: Sequence[Any] = ()) -> list[Any] | None:
    """Lemmas, the goal first, that every step keeps together; None where none are found.

    All of the pool are true at the start, as guesses are that were read off states.
    `given` is true of every state: what is known of numbers that are left open.
    """
    if not given and not true_at_start(system, goal):
        return None
    return _Search(system, goal, [*given, *domains(system)], pool).run()


@attrs.define(eq=False)
class _Search:
    """The lemmas taken on so far, and those that wait."""

    system: System
    goal: Any
    given: list[Any]
    pool: Sequence[Any]
    kept: list[Any] = attrs.field(factory=list)
    dropped: set[int] = attrs.field(factory=set)
    premises: dict[str, Any] = attrs.field(factory=dict)
    joined: tuple[tuple[int, ...], Any] = ((), None)
    later: dict[tuple[str, int], Any] = attrs.field(factory=dict)
    names: dict[int, frozenset[str]] = attrs.field(factory=dict)
    checks: int = 0

    def run(self) -> list[Any] | None:
        """Take on lemmas until every step keeps all of them."""
        self.kept = [self.goal]
        while self.checks < CHECKS_MAX:
            refuted = self._refuted(self.kept)
            if refuted is None:
                return self.kept
            lemma, model = refuted
            better = None if model is None else self._excluding(model)
            if better is not None:
                self.kept.append(better)
            elif lemma is self.goal:
                return None
            else:
                self.dropped.add(lemma.get_id())
                self.kept = [one for one in self.kept if one is not lemma]
        return None

    def _refuted(self, lemmas: Sequence[Any]) -> tuple[Any, Any] | None:
        """The first lemma that some step need not keep, with a state before it; newest lemmas first."""
        for lemma in reversed(lemmas):
            for action in self.system.actions:
                answer, model = self._step(action, lemma)
                if answer != z3.unsat:
                    return lemma, model
        return None

    def _step(self, action: Action, lemma: Any, more: Sequence[Any] = ()) -> tuple[Any, Any]:
        later = self._later(action, lemma)
        if later is None:
            return z3.unsat, None
        self.checks += 1
        solver = z3.Solver()
        solver.set("rlimit", RLIMIT)
        solver.add(self._premises(action), self._together(), *more, z3.Not(later))
        answer = decided(solver)
        return answer, solver.model() if answer == z3.sat else None

    def _premises(self, action: Action) -> Any:
        if action.name not in self.premises:
            # One expression is handed over faster than its parts.
            self.premises[action.name] = z3.And(*self.given, *(clause.expr for clause in action.guard), *picked(action))
        return self.premises[action.name]

    def _together(self) -> Any:
        """Every lemma that was taken on."""
        known = tuple(one.get_id() for one in self.kept)
        if self.joined[0] != known:
            self.joined = known, z3.And(*self.kept)
        return self.joined[1]

    def _later(self, action: Action, lemma: Any) -> Any:
        """The lemma after a step; None where the step changes nothing of it."""
        key = (action.name, lemma.get_id())
        if key not in self.later:
            touched = self._names(lemma) & action.updates.keys()
            self.later[key] = after(self.system, action, lemma) if touched else None
        return self.later[key]

    def _names(self, lemma: Any) -> frozenset[str]:
        if lemma.get_id() not in self.names:
            self.names[lemma.get_id()] = frozenset(str(one) for one in constants(lemma))
        return self.names[lemma.get_id()]

    def _excluding(self, model: Any) -> Any:
        """A lemma that is false in a state: if there is one, one that every step keeps already."""
        taken = {one.get_id() for one in self.kept}
        found = []
        for one in self.pool:
            if one.get_id() in self.dropped or one.get_id() in taken:
                continue
            if z3.is_false(model.eval(one, model_completion=True)):
                found.append(one)
                if len(found) == TRIED_MAX:
                    break
        for one in found:
            if all(self._step(action, one, (one,))[0] == z3.unsat for action in self.system.actions):
                return one
        return next(iter(found), None)


def constants(expr: Any) -> Iterator[Any]:
    """The variables and choices of an expression."""
    if z3.is_const(expr) and expr.decl().kind() == z3.Z3_OP_UNINTERPRETED:
        yield expr
    for child in expr.children():
        yield from constants(child)
