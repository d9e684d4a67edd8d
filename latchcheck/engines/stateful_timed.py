"""The steps of a system with a clock or dense numbers that a sample may draw: those at the edges of its windows.

An instant at which a comparison of the model becomes true or false is an edge. Between two edges the same steps are
possible, so a sample that tries each edge T, and T-1 and T+1, tries what differs; a few instants between are drawn too.
Edges are read from the guards, updates and urgency of the system: each comparison is the difference of two terms,
linear in the clock as long as no rounding jumps, and its zero is an edge. A dense choice has edges in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any

from latchcheck.kernel import Action, Choice, FrozenMap, IntRange, ModelError, Real, System, Trace, Value, record
from latchcheck.kernel.program import program

from .stateful_edges import Differences, Number, numbers_of, sign
from .stateful_states import Event, Values, normal

KEPT_MAX = 4000
PICKS_MAX = 96
"""So many ways to make the choices of one action at one instant are tried at most."""
ALONE_MAX = 2
"""An action with more dense choices than these tries only their bounds and zero."""
LISTED_MAX = 16
"""A range with more integers than these is not listed."""
COUNT_MAX = 10**6
"""Beyond this no integer of such a range is tried."""


def is_dense(system: System) -> bool:
    """Whether a system has a clock or dense numbers, so that the steps of a state cannot all be listed."""
    holders = (*system.variables, *(choice for action in system.actions for choice in action.choices))
    return system.clock is not None or any(isinstance(one.domain, Real) for one in holders)


class TimedSteps:
    """The steps of each state at the edges of the windows in force, in the order of actions, instants and choices."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.start: Values = tuple(variable.initial for variable in system.variables)
        names = [variable.name for variable in system.variables]
        self._clock = None if system.clock is None else names.index(system.clock)
        self._discrete = [at for at, one in enumerate(system.variables) if not isinstance(one.domain, Real)]
        self._domains = tuple(variable.domain for variable in system.variables)
        compiled = program(system)
        self._run = {action.name: compiled.action(action.name) for action in system.actions}
        self._urgency = compiled.clauses("urgency") if system.urgency else None
        self._late = Differences(system, None)
        self._edges = {action.name: Differences(system, action) for action in system.actions}
        self._numbers = numbers_of(system)
        self._kept: dict[Values, Mapping[str, tuple[Event, ...]]] = {}
        record(system, ())  # the conditions on the initial state

    def of(self, state: Values) -> Mapping[str, tuple[Event, ...]]:
        """The events at edges that a state allows, by the name of their action; one that cannot happen has no entry."""
        found = self._kept.get(state)
        if found is None:
            late = self._late.zeros(state, (), self._clock)
            found = {}
            for action in self.system.actions:
                events = tuple(self._events(action, state, self._instants(action, state, late)))
                if events:
                    found[action.name] = events
            if len(self._kept) >= KEPT_MAX:
                self._kept.clear()
            self._kept[state] = found
        return found

    def at(self, action: str, state: Values, instant: Number) -> tuple[Event, ...]:
        """The events of an action at one instant, whether an edge or not."""
        return tuple(self._events(self.system.action(action), state, [instant]))

    def span(self, action: str, state: Values) -> tuple[int, int]:
        """The whole instants between which an action may be drawn: from now to the last edge at which it happens."""
        if self._clock is None:
            return 0, 0
        now: Any = state[self._clock]
        last: Any = self.of(state)[action][-1].at_ms
        return -(-now // 1), max(last // 1, -(-now // 1))

    def cell(self, state: Values, reads: Sequence[int]) -> tuple[object, ...]:
        """What is the same of two states that need not both be tried: which windows are over, and all but numbers."""
        del reads  # all that is no number counts
        try:
            signs = tuple(map(sign, self._late.of(state, ())))
        except ModelError:
            signs = ()
        return (*(state[at] for at in self._discrete), *signs, *self.of(state))

    def trace(self, events: Sequence[Event]) -> Trace:
        """The run of these events, executed by the plain stepper."""
        return record(self.system, [(event.at_ms, event.action, event.args) for event in events])

    # -- instants -------------------------------------------------------------------------------------------------

    def _instants(self, action: Action, state: Values, late: Sequence[Number]) -> list[Number | None]:
        """The edges from now on at which time may stand, each with the millisecond before and after it."""
        if self._clock is None:
            return [None]
        now: Any = state[self._clock]
        edges = {*late}
        for picked in self._corners(action, state):
            edges.update(self._edges[action.name].zeros(state, picked, self._clock))
        around = {at + by for at in edges for by in (-1, 0, 1)}
        return sorted({now, now + 1, *(_whole(at) for at in around if at > now)})

    def _corners(self, action: Action, state: Values) -> list[tuple[Value, ...]]:
        """All choices at their lowest, and all at their highest."""
        ends = [self._bounds(action, choice, state) for choice in action.choices]
        return list(dict.fromkeys([tuple(low for low, _ in ends), tuple(high for _, high in ends)]))

    def _bounds(self, action: Action, choice: Choice, state: Values) -> tuple[Any, Any]:
        if isinstance(choice.domain, IntRange):
            return choice.domain.lo, choice.domain.lo
        if not isinstance(choice.domain, Real):
            members = list(choice.domain.members())
            return members[0], members[-1]
        low, high = self._edges[action.name].bounds(choice.name, state)
        return (0 if low is None else low), (low or 0) if high is None else high

    # -- events ---------------------------------------------------------------------------------------------------

    def _events(self, action: Action, state: Values, instants: Sequence[Number | None]) -> Iterator[Event]:
        run, edges = self._run[action.name], self._edges[action.name]
        for instant in instants:
            moved = self._moved(state, instant)
            if self._urgency is not None and self._urgency(moved, ()) >= 0:
                # What must not be passed at one instant may not be passed later either.
                return
            first = run(moved, self._corners(action, moved)[0] if action.choices else ())
            if isinstance(first, int) and first in edges.free:
                continue
            for args in islice(self._picks(action, moved, ()), PICKS_MAX):
                after = run(moved, args)
                if isinstance(after, tuple):
                    named = FrozenMap({one.name: value for one, value in zip(action.choices, args, strict=True)})
                    values = normal(self.system, self._domains, action.name, after)
                    yield Event(action.name, named, values, instant)

    def _moved(self, state: Values, instant: Number | None) -> Values:
        """The state at an instant."""
        if self._clock is None or instant is None:
            return state
        return (*state[: self._clock], instant, *state[self._clock + 1 :])

    def _picks(self, action: Action, state: Values, picked: tuple[Value, ...]) -> Iterator[tuple[Value, ...]]:
        """Ways to make the choices, each choice made with those before it in view."""
        if len(picked) == len(action.choices):
            yield picked
            return
        choice = action.choices[len(picked)]
        for value in self._values(action, choice, state, picked):
            yield from self._picks(action, state, (*picked, value))

    def _values(self, action: Action, choice: Choice, state: Values, picked: tuple[Value, ...]) -> list[Any]:
        if isinstance(choice.domain, IntRange) and choice.domain.hi - choice.domain.lo >= LISTED_MAX:
            return self._counts(action, choice.domain, state, picked)
        if not isinstance(choice.domain, Real):
            return list(choice.domain.members())
        low, high = self._edges[action.name].bounds(choice.name, state)
        found: set[Any] = {one for one in (low, high) if one is not None}
        if low is None or high is None or low <= 0 <= high:
            found.add(0)
        dense = sum(isinstance(one.domain, Real) for one in action.choices)
        if dense <= ALONE_MAX:
            rest = self._corners(action, state)[0][len(picked) + 1 :]
            for zero in self._edges[action.name].zeros_of_choice(state, picked, rest):
                found |= {_whole(zero + by) for by in (-1, 0, 1)}
            if low is not None and high is not None and high > low:
                found |= {_whole(low + (number - low) % (high - low)) for number in self._numbers for by in (-1, 0, 1)}
        return sorted(one for one in found if (low is None or one >= low) and (high is None or one <= high))

    def _counts(self, action: Action, domain: IntRange, state: Values, picked: tuple[Value, ...]) -> list[int]:
        """Of a large range the lowest, ever larger ones, and the largest that is possible, with the one before it."""

        def fits(value: int) -> bool:
            tried = islice(self._picks(action, state, (*picked, value)), PICKS_MAX)
            return any(isinstance(self._run[action.name](state, args), tuple) for args in tried)

        found, by = [domain.lo], 1
        while domain.lo + by <= min(domain.hi, COUNT_MAX) and fits(domain.lo + by):
            found.append(domain.lo + by)
            by *= 2
        low, high = found[-1], min(domain.lo + by, domain.hi, COUNT_MAX)
        while low < high - 1:
            middle = (low + high) // 2
            low, high = (middle, high) if fits(middle) else (low, middle)
        return sorted({*found, low, max(low - 1, domain.lo)})


def _whole(value: Any) -> Number:
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value
