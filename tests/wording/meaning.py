"""What words are worth at the moments of one run, from the states alone: no monitor, and no search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import z3

from latchcheck.kernel import Trace, replay
from latchcheck.wording.files import Reading
from latchcheck.wording.words import Occurrence, World
from tests.wording.brute import Meaning, Moment, Run, obeys, stretches, truth


def run_of(world: World, trace: Trace, until_ms: Any = None) -> list[Moment]:
    """A run of the bare system as moments: each step, and before it each whole millisecond that passes on a clock.

    `until_ms` is the instant up to which nothing more happens; None where the run ends with its last step.
    """
    states = replay(world.system, trace)
    clock, run = world.system.clock, [Moment(states[0], None, None)]
    for step, before, after in zip(trace.steps, states, states[1:], strict=False):
        early: Mapping[str, Any] = before
        if clock is not None:
            run += _passing(before, clock, after[clock])
            early = {**before, clock: after[clock]}
        run.append(Moment(after, step.action, early))
    if clock is not None and until_ms is not None:
        run += _passing(states[-1], clock, until_ms)
    return run


def _passing(state: Mapping[str, Any], clock: str, until: Any) -> list[Moment]:
    return [Moment({**state, clock: at}, None, None) for at in range(int(state[clock]) + 1, int(until) + 1)]


def meaning(world: World) -> Meaning:
    """Every state, event and quantity of a world, evaluated at a moment."""
    return {
        phrase: (lambda at, phrase=phrase: _worth(world, phrase, at))
        for phrase in world.vocabulary.of_kind("state", "event", "quantity")
    }


def is_obeyed(world: World, one: Reading, run: Run) -> bool:
    """Whether a run that ends here obeys a reading by the definition of its sentence; a freedom: whether it is used."""
    words = meaning(world)
    if one.sentence.pattern != "possibility":
        return obeys(one.sentence, run, words)
    parts = stretches(one.sentence, run, words)
    return any(truth(one.sentence.first, run[i], words) for part in parts for i in range(part.begin, part.end))


def _worth(world: World, phrase: str, at: Moment) -> Any:
    found = world.value(phrase)
    if not isinstance(found, Occurrence):
        return _value(world, found, at.state)
    if at.before is None or at.action is None:
        return False
    asked = [
        found.actions is None or at.action in found.actions,
        found.party is None or world.system.action(at.action).party == found.party,
        found.before is None or _value(world, found.before, at.before),
        found.after is None or _value(world, found.after, at.state),
    ]
    if not all(asked):
        return False
    changed = [_value(world, one, at.before) != _value(world, one, at.state) for one in found.changes]
    return any(changed) if changed else True


def _value(world: World, expr: Any, state: Mapping[str, Any]) -> Any:
    pairs = [(variable.term, variable.domain.literal(state[variable.name])) for variable in world.system.variables]
    value: Any = z3.simplify(z3.substitute(expr, *pairs))
    if z3.is_true(value) or z3.is_false(value):
        return z3.is_true(value)
    if z3.is_int_value(value):
        return value.as_long()
    return value.as_fraction() if z3.is_rational_value(value) else str(value)
