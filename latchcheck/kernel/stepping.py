"""The plain stepper: runs steps one by one on the compiled guards and updates, and refuses what is no step.

Every trace that anybody prints goes through here first.
Nothing is filled in silently: a step that the system does not allow raises NotAStep with the first false condition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from .errors import ModelError, NotAStep, show
from .frozen import FrozenMap, State, Value
from .program import BoundProgram, program
from .records import Action, Clause
from .system import System
from .trace import Change, Step, Trace

Planned = tuple[Fraction | int | None, str, Mapping[str, Value]]


class Stepper:
    """A system at one moment; `do` performs a step or raises NotAStep and leaves the state as it was.

    `at` gives numbers for parameters that the system leaves open; it costs less than System.at, which rewrites every
    expression.
    """

    def __init__(self, system: System, at: Mapping[str, Value] | None = None) -> None:
        self.system = system
        self._program: BoundProgram = program(system, at)
        self._parameters: dict[str, Value] = dict(at or {})
        self._names = tuple(variable.name for variable in system.variables)
        self._values: tuple[Value, ...] = tuple(variable.initial for variable in system.variables)
        self._actions = {action.name: action for action in system.actions}
        self._clock = None if system.clock is None else self._names.index(system.clock)
        self._count = 0
        failed = self._program.clauses("initial")(self._values, ()) if system.initial else -1
        if failed >= 0:
            raise self._refuse("", system.initial[failed], self._values, {}, "is false at the start", -1)

    @property
    def state(self) -> State:
        """The present values of all variables."""
        return State(dict(zip(self._names, self._values, strict=True)))

    def do(self, at_ms: Fraction | int | None, name: str, args: Mapping[str, Value]) -> State:
        """Perform an action at an instant (None in a system without clock) and return the state after it."""
        action = self._actions.get(name)
        if action is None:
            known = ", ".join(self._actions)
            raise NotAStep(
                self._count, name, None, {}, f"system {self.system.name!r} has no such action; it has {known}"
            )
        picked = self._picked(action, args)
        before = self._advanced(action, at_ms)
        result = self._program.action(name)(before, tuple(picked.values()))
        if isinstance(result, int):
            raise self._refuse(name, action.guard[result], before, picked, "is false")
        self._values = self._normal(action, before, result)
        self._count += 1
        return self.state

    def _picked(self, action: Action, args: Mapping[str, Value]) -> dict[str, Value]:
        picked: dict[str, Value] = {}
        for choice in action.choices:
            if choice.name not in args:
                raise NotAStep(self._count, action.name, None, args, f"no value for choice {choice.name!r}")
            value = choice.domain.normal(args[choice.name])
            if value is None:
                reason = f"choice {choice.name!r} is {show(args[choice.name])}, outside {choice.domain}"
                raise NotAStep(self._count, action.name, None, args, reason)
            picked[choice.name] = value
        for name in args:
            if name not in picked:
                raise NotAStep(self._count, action.name, None, args, f"the action makes no choice {name!r}")
        return picked

    def _advanced(self, action: Action, at_ms: Fraction | int | None) -> tuple[Value, ...]:
        """The state with the clock moved to the instant of the step, at which every urgency clause must hold."""
        if self._clock is None:
            if at_ms is not None:
                raise NotAStep(
                    self._count, action.name, None, {}, f"system {self.system.name!r} has no clock; give no instant"
                )
            return self._values
        if at_ms is None:
            raise NotAStep(self._count, action.name, None, {}, "the step has no instant (at_ms)")
        now = self._values[self._clock]
        assert isinstance(now, int | Fraction)
        if at_ms < now:
            reads = {self._names[self._clock]: now, "at_ms": at_ms}
            raise NotAStep(self._count, action.name, None, reads, "time runs backwards")
        instant = Fraction(at_ms)
        moved = list(self._values)
        moved[self._clock] = instant.numerator if instant.denominator == 1 else instant
        if self.system.urgency:
            failed = self._program.clauses("urgency")(moved, ())
            if failed >= 0:
                clause = self.system.urgency[failed]
                raise self._refuse(action.name, clause, moved, {}, "is false when time has advanced so far")
        return tuple(moved)

    def _normal(self, action: Action, before: tuple[Value, ...], after: tuple[Any, ...]) -> tuple[Value, ...]:
        values: list[Value] = []
        for variable, old, new in zip(self.system.variables, before, after, strict=True):
            value = old if new is old else variable.domain.normal(new)
            if value is None:
                raise ModelError(
                    f"action {action.name!r} sets variable {variable.name!r} to {show(new)}, outside {variable.domain}"
                )
            values.append(value)
        return tuple(values)

    def _refuse(
        self,
        action: str,
        clause: Clause,
        values: Sequence[Value],
        args: Mapping[str, Value],
        reason: str,
        index: int | None = None,
    ) -> NotAStep:
        known = {**self._parameters, **dict(zip(self._names, values, strict=True)), **args}
        nodes = self.system.nodes
        reads = {name: known[name] for name in sorted(nodes.names(nodes.read(clause.expr)))}
        where = self._count if index is None else index
        return NotAStep(where, action, clause.label, reads, f"{clause.label!r} {reason}")


def execute(system: System, steps: Iterable[Step], at: Mapping[str, Value] | None = None) -> tuple[State, ...]:
    """Run steps from the initial state and return every state, the initial one first.

    Instants are in milliseconds; `at` gives numbers for parameters left open.
    Raises NotAStep for the first step that is none, ModelError where an update leaves the domain of its variable.
    """
    stepper = Stepper(system, at)
    return (stepper.state, *(stepper.do(step.at_ms, step.action, step.args) for step in steps))


def record(system: System, planned: Iterable[Planned], at: Mapping[str, Value] | None = None) -> Trace:
    """Run `(at_ms, action, args)` from the initial state and write down party and changes; errors as `execute`."""
    return Trace(system.name, tuple(_recorded(system, planned, at)))


def replay(system: System, trace: Trace, at: Mapping[str, Value] | None = None) -> tuple[State, ...]:
    """Run a trace again and return every state; NotAStep also where party or `changed` is not what happened."""
    stepper = Stepper(system, at)
    states = [stepper.state]
    for index, step in enumerate(trace.steps):
        after = stepper.do(step.at_ms, step.action, step.args)
        party = system.action(step.action).party
        if step.party != party:
            raise NotAStep(index, step.action, None, {}, f"recorded for {step.party!r}, it is done by {party!r}")
        changed = changes(system, states[-1], after)
        if changed != step.changed:
            reason = f"recorded to change {_show(step.changed)}, it changes {_show(changed)}"
            raise NotAStep(index, step.action, None, {}, reason)
        states.append(after)
    return tuple(states)


def changes(system: System, before: State, after: State) -> FrozenMap[Change]:
    """What differs between two states, the clock left out: name to (before, after)."""
    return FrozenMap(
        {name: (before[name], new) for name, new in after.items() if new != before[name] and name != system.clock}
    )


def _recorded(system: System, planned: Iterable[Planned], at: Mapping[str, Value] | None) -> Iterator[Step]:
    stepper = Stepper(system, at)
    before = stepper.state
    for at_ms, name, args in planned:
        after = stepper.do(at_ms, name, args)
        instant = None if at_ms is None else Fraction(at_ms)
        yield Step(instant, system.action(name).party, name, FrozenMap(args), changes(system, before, after))
        before = after


def _show(changed: Mapping[str, Change]) -> str:
    return ", ".join(f"{name}: {show(old)} -> {show(new)}" for name, (old, new) in changed.items()) or "nothing"
