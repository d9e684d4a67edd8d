"""A system walked by hand: what can happen now, and of what cannot, the first condition that is in the way.

The answers come from the solver on the actions' own guards, so dense numbers and clocks need no enumeration.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import z3
from attrs import frozen

from latchcheck.kernel import (
    Action,
    Clause,
    Domain,
    FrozenMap,
    IntRange,
    NotAStep,
    Real,
    State,
    Step,
    Stepper,
    System,
    Value,
)
from latchcheck.kernel.stepping import changes

from .obligations import decided

OFFERS_MAX = 64
"""So many ways of picking the choices of one action are offered; of more, one that the solver finds."""


@frozen
class Offer:
    """Something that can happen next: the step as it would be, with what it would change."""

    step: Step


@frozen
class Obstacle:
    """An action that cannot happen now, whatever it picks: the first of its conditions that cannot be met.

    `reads` are the values that the condition reads.
    """

    action: str
    party: str
    label: str
    reads: FrozenMap[Value]


class Walk:
    """A run that grows step by step, and can be taken back; every step is executed by the stepper.

    Instants are in milliseconds and never run backwards.
    """

    def __init__(self, system: System, steps: Sequence[Step] = ()) -> None:
        self.system = system
        self.steps: list[Step] = []
        self.states: list[State] = [Stepper(system).state]
        for step in steps:
            self.do(step.at_ms, step.action, step.args)

    @property
    def state(self) -> State:
        """The state after the last step."""
        return self.states[-1]

    def do(self, at_ms: Fraction | int | None, action: str, args: Mapping[str, Value]) -> Step:
        """Take a step; raises NotAStep and leaves the walk as it was where it is none."""
        stepper = Stepper(self.system)
        for step in self.steps:
            stepper.do(step.at_ms, step.action, step.args)
        after = stepper.do(at_ms, action, args)
        instant = None if at_ms is None else Fraction(at_ms)
        found = self.system.action(action)
        step = Step(instant, found.party, action, FrozenMap(args), changes(self.system, self.state, after))
        self.steps.append(step)
        self.states.append(after)
        return step

    def back(self, count: int = 1) -> None:
        """Take back so many of the last steps."""
        kept = max(len(self.steps) - count, 0)
        del self.steps[kept:], self.states[kept + 1 :]

    def offers(self) -> tuple[Offer, ...]:
        """What can happen next, in the order of the actions; with a clock each at its earliest instant."""
        return tuple(offer for action in self.system.actions for offer in self._offers(action))

    def obstacles(self) -> tuple[Obstacle, ...]:
        """What cannot happen next, and why, in the order of the actions."""
        found = (self._obstacle(action) for action in self.system.actions)
        return tuple(one for one in found if one is not None)

    def _offers(self, action: Action) -> Iterator[Offer]:
        if self.system.clock is None and prod(_size(one.domain) for one in action.choices) <= OFFERS_MAX:
            domains = [one.domain.members() for one in action.choices]
            picks = [{c.name: v for c, v in zip(action.choices, p, strict=True)} for p in product(*domains)]
            instants: list[Fraction | None] = [None] * len(picks)
        else:
            found = self._earliest(action)
            if found is None:
                return
            instants, picks = [found[0]], [found[1]]
        for at_ms, picked in zip(instants, picks, strict=True):
            try:
                step = self.do(at_ms, action.name, picked)
            except NotAStep:
                continue
            self.back()
            yield Offer(step)

    def _earliest(self, action: Action) -> tuple[Fraction | None, dict[str, Value]] | None:
        """The earliest instant at which the action can happen, and what it can pick then."""
        solver = z3.Optimize()
        now = self._clock()
        if now is not None:
            clock = self.system.variable(self.system.clock or "").term
            solver.add(clock >= z3.RealVal(str(now)))
            solver.minimize(clock)
        solver.add(*self._conditions(action))
        if decided(solver) != z3.sat:
            return None
        model = solver.model()
        at_ms = None if now is None else _value(model.eval(self.system.variable(self.system.clock or "").term))
        picked = {one.name: _value(model.eval(one.term, model_completion=True)) for one in action.choices}
        assert at_ms is None or isinstance(at_ms, int | Fraction)
        return (None if at_ms is None else Fraction(at_ms)), picked

    def _obstacle(self, action: Action) -> Obstacle | None:
        """The first condition with which, and the ones before it, no pick and no instant is left."""
        solver = z3.Solver()
        now = self._clock()
        if now is not None:
            solver.add(self.system.variable(self.system.clock or "").term >= z3.RealVal(str(now)))
        solver.add(*self._domains(action))
        for clause in (*self.system.urgency, *action.guard):
            solver.add(self._here(clause))
            if decided(solver) == z3.unsat:
                return Obstacle(action.name, action.party, clause.label, self._reads(clause))
        return None

    def _conditions(self, action: Action) -> list[Any]:
        clauses = [self._here(clause) for clause in (*self.system.urgency, *action.guard)]
        return [*clauses, *self._domains(action)]

    def _domains(self, action: Action) -> list[Any]:
        # An enum has its labels and a truth value its two; only a range of whole numbers has bounds to be told.
        ranges = [(one.term, one.domain) for one in action.choices if isinstance(one.domain, IntRange)]
        return [limit for term, domain in ranges for limit in (term >= domain.lo, term <= domain.hi)]

    def _here(self, clause: Clause) -> Any:
        """The condition with the values of the present state, the clock left open."""
        pairs = [
            (variable.term, variable.domain.literal(self.state[variable.name]))
            for variable in self.system.variables
            if variable.name != self.system.clock
        ]
        return z3.substitute(clause.expr, *pairs)

    def _reads(self, clause: Clause) -> FrozenMap[Value]:
        nodes = self.system.nodes
        names = nodes.names(nodes.read(clause.expr))
        return FrozenMap({name: self.state[name] for name in sorted(names) if name in self.state})

    def _clock(self) -> Value | None:
        return None if self.system.clock is None else self.state[self.system.clock]


def _size(domain: Domain) -> int:
    """How many values there are to pick from; of dense numbers more than anybody lists."""
    if isinstance(domain, IntRange):
        return domain.hi - domain.lo + 1
    return OFFERS_MAX + 1 if isinstance(domain, Real) else len(tuple(domain.members()))


def _value(term: Any) -> Value:
    if z3.is_rational_value(term):
        whole = term.as_fraction()
        return whole.numerator if whole.denominator == 1 else Fraction(whole.numerator, whole.denominator)
    if z3.is_int_value(term):
        return term.as_long()
    if z3.is_true(term) or z3.is_false(term):
        return z3.is_true(term)
    return str(term)
