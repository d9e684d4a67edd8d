"""A saved counterexample: what somebody did, under which policy, and which clause of which property it breaks.

It holds meaning only (abstract events, no blob of any engine), so it outlives the engine that found it.
Format: schema/fixture.schema.json; loading.py reads it, writing.py writes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

import attrs

from latchcheck.kernel import FrozenMap, Sentence, Trace, Value

FORMAT: Final = "latchcheck/fixture/1"


def _instant(at_ms: Fraction | int | None) -> Fraction | int | None:
    if isinstance(at_ms, Fraction) and at_ms.denominator == 1:
        return at_ms.numerator
    return at_ms


def _guarded(answer: Mapping[str, Any] | None) -> FrozenMap[Any] | None:
    return None if answer is None else FrozenMap(answer)


@attrs.frozen
class Event:
    """One abstract step: at `at_ms` milliseconds (None in a run without clock) a party did an action.

    `guarded` is what a correct implementation answers at this step (its decision, status and version), where known.
    """

    at_ms: Fraction | int | None = attrs.field(converter=_instant)
    party: str
    action: str
    args: FrozenMap[Value] = attrs.field(factory=FrozenMap, converter=FrozenMap)
    guarded: FrozenMap[Any] | None = attrs.field(default=None, converter=_guarded)


@attrs.frozen
class Violation:
    """The step (counted from 0) after which a clause, by its label, is false for the first time."""

    step: int
    clause: str


@attrs.frozen
class FoundBy:
    """Who found the run: engine, seed (None where it draws nothing) and the versions it ran with."""

    engine: str
    seed: int | None = None
    versions: FrozenMap[str | None] = attrs.field(factory=FrozenMap, converter=FrozenMap)


@attrs.frozen
class Minimal:
    """How many steps the run has, and how many a shortest one has (None where no engine has said)."""

    steps: int
    shortest: int | None = None


@attrs.frozen
class Fixture:
    """A saved counterexample.

    `id` is "property/what happens", `policy` names the switches that differ from the guarded model, `scope` the
    numbers of parties; `config` is a whole timeout configuration by flat key, durations in ms, where time matters.
    `repeats_from` is set where the run goes on for ever: after the last step it continues with this one.
    """

    id: str
    property: str
    sentence: Sentence
    era: str | None
    policy: FrozenMap[Any] = attrs.field(converter=FrozenMap)
    scope: FrozenMap[Any] = attrs.field(converter=FrozenMap)
    config: FrozenMap[Any] | None = attrs.field(converter=_guarded)
    steps: tuple[Event, ...] = attrs.field(converter=tuple)
    violates: Violation
    found_by: FoundBy
    minimal: Minimal
    repeats_from: int | None = None


def events_of(trace: Trace) -> tuple[Event, ...]:
    """The steps of a run as abstract events; what they changed is left out, since replaying finds it again."""
    return tuple(Event(step.at_ms, step.party, step.action, step.args) for step in trace)
