"""What a sampled search asks of a finite system: the steps that a state allows, and what the properties say of it.

Both are worked out once a state and kept: the runs of a search meet the same states again and again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod

import attrs

from latchcheck.kernel import (
    Action,
    Bool,
    Enum,
    FrozenMap,
    IntRange,
    ModelError,
    Property,
    System,
    Trace,
    Value,
    record,
)
from latchcheck.kernel.compiling import Compiled, compile_expr
from latchcheck.kernel.domains import Domain
from latchcheck.kernel.errors import show
from latchcheck.kernel.program import program

Values = tuple[Value, ...]
"""A state: the values of the variables in the order of the system."""

CHOICES_MAX = 4096
STATES_KEPT_MAX = 200_000
EXPECTATIONS = ("always", "never-changes")


@attrs.frozen
class Event:
    """An action with its choices made, the state after it, and its instant in a system with a clock (ms)."""

    action: str
    args: FrozenMap[Value]
    after: Values
    at_ms: int | Fraction | None = None


@attrs.frozen
class Broken:
    """A property that a run breaks, and the clause of it."""

    property: str
    clause: str


@attrs.frozen
class Told:
    """What the properties say of one state.

    `applies` tells for each property whether its antecedent holds, `holds` which of its clauses do.
    """

    applies: tuple[bool, ...]
    holds: tuple[tuple[bool, ...], ...]


class Steps:
    """The steps that each state of a system allows, in the order of actions and choices.

    ModelError where choices cannot be listed: a dense number, or more combinations than `CHOICES_MAX`.
    """

    def __init__(self, system: System) -> None:
        self.system = system
        self.start: Values = tuple(variable.initial for variable in system.variables)
        self.picks = {action.name: _picks(system, action) for action in system.actions}
        self._domains = tuple(variable.domain for variable in system.variables)
        self._run = program(system).action
        self._kept: dict[Values, Mapping[str, tuple[Event, ...]]] = {}
        record(system, ())  # the conditions on the initial state

    def of(self, state: Values) -> Mapping[str, tuple[Event, ...]]:
        """The events that a state allows, by the name of their action; an action that cannot happen has no entry."""
        found = self._kept.get(state)
        if found is None:
            found = {name: events for name in self.picks if (events := tuple(self._events(name, state)))}
            if len(self._kept) >= STATES_KEPT_MAX:
                self._kept.clear()
            self._kept[state] = found
        return found

    def cell(self, state: Values, reads: Sequence[int]) -> tuple[object, ...]:
        """What is the same of two states that need not both be tried: what the properties read, and what can happen."""
        return (*(state[place] for place in reads), *self.of(state))

    def trace(self, events: Sequence[Event]) -> Trace:
        """The run of these events, executed by the plain stepper."""
        return record(self.system, [(None, event.action, event.args) for event in events])

    def _events(self, name: str, state: Values) -> Iterator[Event]:
        run = self._run(name)
        for args in self.picks[name]:
            after = run(state, tuple(args.values()))
            if isinstance(after, tuple):
                yield Event(name, args, normal(self.system, self._domains, name, after))


def normal(system: System, domains: Sequence[Domain], action: str, after: Values) -> Values:
    """The state that an action leaves, its values as the kernel keeps them; ModelError for one outside its domain."""
    values: list[Value] = []
    for variable, domain, new in zip(system.variables, domains, after, strict=True):
        value = domain.normal(new)
        if value is None:
            raise ModelError(f"action {action!r} sets variable {variable.name!r} to {show(new)}, outside {domain}")
        values.append(value)
    return tuple(values)


class Judge:
    """Says of states and steps which property they break, as the exhaustive search does.

    "always" is judged in every state where the antecedent holds, "never-changes" on every step that leaves such a
    state. ModelError for another expectation: no sample answers it.
    """

    def __init__(self, system: System, properties: Sequence[Property]) -> None:
        for asked in properties:
            if asked.expectation not in EXPECTATIONS:
                raise ModelError(
                    f"property {asked.id!r} is {asked.expectation!r}, of which a sample of runs says nothing; "
                    f"a sampled search takes {' and '.join(EXPECTATIONS)}"
                )
        self.properties = tuple(properties)
        self._names = tuple(variable.name for variable in system.variables)
        self._conditions = [
            (
                None if asked.antecedent is None else compile_expr(asked.antecedent),
                [compile_expr(clause.expr) for clause in asked.clauses],
            )
            for asked in properties
        ]
        read = {name for when, clauses in self._conditions for one in (when, *clauses) if one for name in one.names}
        self._reads = tuple(place for place, name in enumerate(self._names) if name in read)
        self._kept: dict[Values, Told] = {}

    def reads(self) -> tuple[int, ...]:
        """The positions of the variables that the properties speak about."""
        return self._reads

    def told(self, state: Values) -> Told:
        """What the properties say of a state."""
        key = tuple(state[place] for place in self._reads)
        found = self._kept.get(key)
        if found is None:
            values = dict(zip(self._names, state, strict=True))
            found = Told(
                tuple(when is None or _true(when, values) for when, _ in self._conditions),
                tuple(tuple(_true(clause, values) for clause in clauses) for _, clauses in self._conditions),
            )
            if len(self._kept) >= STATES_KEPT_MAX:
                self._kept.clear()
            self._kept[key] = found
        return found

    def broken(self, before: Values | None, state: Values) -> Broken | None:
        """What a step breaks, or the initial state where `before` is None; the first property and clause if several."""
        now = self.told(state)
        old = None if before is None else self.told(before)
        for place, asked in enumerate(self.properties):
            if asked.expectation == "always":
                wrong = [not one for one in now.holds[place]] if now.applies[place] else []
            elif old is not None and old.applies[place]:
                wrong = [one != other for one, other in zip(old.holds[place], now.holds[place], strict=True)]
            else:
                wrong = []
            if True in wrong:
                return Broken(asked.id, asked.clauses[wrong.index(True)].label)
        return None


def _true(condition: Compiled, values: Mapping[str, Value]) -> bool:
    return bool(condition(**{name: values[name] for name in condition.names}))


def _picks(system: System, action: Action) -> tuple[FrozenMap[Value], ...]:
    """Every way to make the choices of an action."""
    members = []
    for choice in action.choices:
        if not isinstance(choice.domain, Enum | Bool | IntRange):
            raise ModelError(f"action {action.name!r} picks the dense number {choice.name!r}; a sample needs a list")
        members.append(choice.domain.members())
    # A range counts its members without listing them.
    count = prod(len(one) for one in members)  # type: ignore[arg-type]
    if count > CHOICES_MAX:
        raise ModelError(
            f"action {action.name!r} of {system.name!r} can be done in {count} ways, more than {CHOICES_MAX}"
        )
    names = [choice.name for choice in action.choices]
    return tuple(FrozenMap(dict(zip(names, values, strict=True))) for values in product(*members))
