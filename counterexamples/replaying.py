"""Replays saved counterexamples on the model: executed again step by step, and judged by the property they break.

A fixture reproduces, or it is stale: its property, switch, action or argument is gone, or the run is no run any more,
or no longer breaks what it broke. A stale fixture protects nothing, so it counts as a failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import attrs

from latchcheck.kernel import (
    ModelError,
    NotAStep,
    Property,
    Real,
    State,
    Step,
    Stepper,
    System,
    Trace,
    Value,
    compile_expr,
)
from latchcheck.kernel.stepping import changes
from latchcheck.naming import instead

from .errors import Stale
from .fixture import Event, Fixture, FoundBy, Minimal, Violation, events_of


@attrs.frozen
class Case:
    """What a fixture is replayed on: the system under its policy, scope and configuration, and its property.

    `within` bounds a leads-to: the number of steps after which the goal must have come.
    """

    system: System
    asked: Property
    within: int | None = None


Provider = Callable[[Fixture], Case]
"""Maps property, policy, scope and config of a fixture to a Case.

Raises Stale where the property, a switch or its value, a scope or a configuration key is unknown.
"""


@attrs.frozen
class Replayed:
    """What became of a fixture: the run where it reproduces, else the reason why it is stale."""

    fixture: Fixture
    trace: Trace | None = None
    reason: str | None = None

    @property
    def stale(self) -> bool:
        """Whether the fixture says nothing any more."""
        return self.trace is None


def reproduce(fixture: Fixture, case: Case) -> Trace:
    """Execute a fixture again and check that it breaks what it says it breaks, when it says so, and not before.

    Instants are ignored where the system has no clock: they serve targets that have one.
    Raises Stale with the first thing that is not so.
    """
    asked = case.asked
    if asked.id != fixture.property:
        raise Stale(f"it is about the property {fixture.property!r}, not {asked.id!r}")
    trace, states = run(case.system, fixture.steps)
    at = broken_at(case, fixture.violates.clause, states, fixture.repeats_from)
    if at != fixture.violates.step:
        raise Stale(f"{fixture.violates.clause!r} is broken by step {at}, not by step {fixture.violates.step}")
    return trace


def broken_at(case: Case, label: str, states: Sequence[State], repeats_from: int | None = None) -> int:
    """The first step (from 0) that makes a clause of the property false, given every state of a run.

    For a "leads-to" it is the step with which the waiting begins that never ends.
    Raises Stale where the run does not break the clause, or where it is false before the first step.
    """
    asked = case.asked
    clause = next((one for one in asked.clauses if one.label == label), None)
    if clause is None:
        labels = ", ".join(repr(one.label) for one in asked.clauses)
        raise Stale(f"the property {asked.id!r} has no clause {label!r}; it has {labels}")
    _check_repetition(case, states, repeats_from)
    if asked.expectation == "leads-to":
        return _waits_at(case, states, repeats_from)
    applies, holds = _condition(case.system, asked.antecedent), _condition(case.system, clause.expr)
    if asked.expectation == "always":
        broken = [applies(state) and not holds(state) for state in states]
        if broken[0]:
            raise Stale(f"{label!r} is false before the first step")
        del broken[0]
    elif asked.expectation == "never-changes":
        broken = [applies(old) and holds(old) != holds(new) for old, new in pairwise(states)]
    else:
        raise Stale(f"no run breaks a property that is {asked.expectation!r}")
    if True not in broken:
        raise Stale(f"the run no longer breaks {label!r}")
    return broken.index(True)


def made(  # noqa: PLR0913 - a fixture has as many parts, each named where it is made
    ident: str,
    case: Case,
    trace: Trace,
    clause: str,
    *,
    found_by: FoundBy,
    shortest: int | None = None,
    repeats_from: int | None = None,
    era: str | None = None,
    policy: Mapping[str, Any] | None = None,
    scope: Mapping[str, Any] | None = None,
    config: Mapping[str, Any] | None = None,
) -> Fixture:
    """The fixture of a run that breaks a clause, under a policy, a scope and a configuration.

    Raises Stale where the run does not break the clause.
    """
    events = events_of(trace)
    _, states = run(case.system, events)
    return Fixture(
        id=ident,
        property=case.asked.id,
        sentence=case.asked.sentence,
        steps=events,
        violates=Violation(broken_at(case, clause, states, repeats_from), clause),
        found_by=found_by,
        minimal=Minimal(len(events), shortest),
        repeats_from=repeats_from,
        era=era,
        policy=policy or {},
        scope=scope or {},
        config=config,
    )


def check(fixture: Fixture, provider: Provider) -> Replayed:
    """Replay a fixture on what the provider gives for it."""
    try:
        return Replayed(fixture, trace=reproduce(fixture, provider(fixture)))
    except Stale as stale:
        return Replayed(fixture, reason=str(stale))


def check_all(fixtures: Iterable[Fixture], provider: Provider) -> tuple[Replayed, ...]:
    """Replay fixtures, in their order."""
    return tuple(check(fixture, provider) for fixture in fixtures)


def run(system: System, steps: Sequence[Event]) -> tuple[Trace, tuple[State, ...]]:
    """Execute abstract events from the initial state; the run and every state, the initial one first.

    Raises Stale for an event that the system does not know or does not allow.
    """
    stepper = Stepper(system)
    states, done = [stepper.state], []
    for index, event in enumerate(steps):
        action = next((one for one in system.actions if one.name == event.action), None)
        if action is None:
            meant = instead(event.action, (one.name for one in system.actions))
            raise Stale(f"step {index}: there is no action {event.action!r}; {meant}")
        if action.party != event.party:
            raise Stale(f"step {index}: {event.action!r} is done by {action.party!r}, not by {event.party!r}")
        at_ms = None if system.clock is None else event.at_ms
        domains = {choice.name: choice.domain for choice in action.choices}
        # In the order of the choices, whatever the order in a file, so that a run is always told the same.
        names = [
            *(name for name in domains if name in event.args),
            *(name for name in event.args if name not in domains),
        ]
        args = {name: _exact(event.args[name], domains.get(name)) for name in names}
        try:
            states.append(stepper.do(at_ms, event.action, args))
        except NotAStep as refused:
            raise Stale(str(refused)) from None
        except ModelError as error:
            raise Stale(f"step {index}: {error}") from None
        instant = None if at_ms is None else Fraction(at_ms)
        done.append(Step(instant, event.party, event.action, args, changes(system, states[-2], states[-1])))
    return Trace(system.name, tuple(done)), tuple(states)


def _check_repetition(case: Case, states: Sequence[State], repeats_from: int | None) -> None:
    """Stale where a run that is said to go on for ever does not come back, whatever kind of property it breaks."""
    clock = case.system.clock
    if repeats_from is not None and _without(states[-1], clock) != _without(states[repeats_from], clock):
        raise Stale(f"the last step does not lead back to where step {repeats_from} begins")


def _waits_at(case: Case, states: Sequence[State], repeats_from: int | None) -> int:
    """Where the waiting begins that has no end: the run repeats for ever, or is as long as the goal may take.

    Whether the repetition is fair is the question of the engine that found it and is not asked again.
    """
    steps = len(states) - 1
    if repeats_from is None and case.within is None:
        raise Stale("a run that ends breaks no promise without a bound; the fixture needs repeats_from")
    applies = _condition(case.system, case.asked.antecedent)
    goal = [_condition(case.system, clause.expr) for clause in case.asked.clauses]
    met = [all(holds(state) for holds in goal) for state in states]
    for begin, state in enumerate(states):
        waits = begin if repeats_from is None else min(begin, repeats_from)
        late = repeats_from is not None or steps - begin >= (case.within or 0)
        if late and applies(state) and True not in met[waits:]:
            return max(begin - 1, 0)
    raise Stale("what is waited for comes in time")


def _without(state: State, clock: str | None) -> Mapping[str, Value]:
    return {name: value for name, value in state.items() if name != clock}


def _condition(system: System, expr: Any) -> Callable[[State], bool]:
    """An expression as a function of a state, compiled once a system; None is always true."""
    if expr is None:
        return lambda _: True
    key = f"condition {expr.get_id()}"
    if key not in system.cache:
        # The entry keeps the expression alive: z3 gives the identifier of a dead one to another.
        system.cache[key] = compile_expr(expr)
    compiled = system.cache[key]
    return lambda state: bool(compiled(**{name: state[name] for name in compiled.names}))


def _exact(value: Value, domain: object) -> Value:
    """A number that JSON cannot write exactly is written as text; the domain of the choice tells it from a label."""
    if isinstance(value, str) and isinstance(domain, Real):
        try:
            return Fraction(value)
        except (ValueError, ZeroDivisionError):
            return value
    return value
