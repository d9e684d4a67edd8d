"""The exhaustive search that answers where neither the exact condition nor a written run decides.

It walks the same actions in whole ticks. All bounds of the model are differences of instants against numbers of the
configuration, so a run of the dense system can be moved onto the lattice of their greatest common divisor as long as
every strict bound keeps its room. Strict are "longer than the orphan window" and "later than the deadline"; where both
are there, half a tick gives room for both.
"""

from collections.abc import Iterator
from fractions import Fraction
from math import gcd, lcm

import attrs
import z3

from latchcheck.kernel import Bool, Clause, Property, Sentence, System, Trace
from latchcheck.model.config import Config
from latchcheck.model.timing.poller import active
from latchcheck.model.timing.schedule import Ms
from latchcheck.model.timing.system import run, timed_system
from latchcheck.model.timing.terms import CLIENT, V

from .facts import Facts, durations

STATES_MAX = 150_000
TICKS_MAX = 2_000
RAMP_MAX = 12


@attrs.frozen
class Searched:
    """What a search found: a run, or none within `scope`; `complete` is False where it was given up."""

    complete: bool
    scope: str
    trace: Trace | None = None


def search(facts: Facts, harm: str) -> Searched:
    """Search every run of a configuration, in ticks, for one that ends in `harm`."""
    horizon = _horizon(facts)
    tick = _tick(facts)
    if horizon is None:
        return Searched(complete=False, scope="the work has no declared greatest time, so runs have no end")
    if tick is None or horizon / tick > TICKS_MAX:
        return Searched(complete=False, scope="the numbers share no tick coarse enough for an exhaustive search")
    from latchcheck.engines.explicit import explore

    found = explore(
        narrowed(timed_system(scaled(facts.config, 1 / tick)), harm),
        (_never(harm),),
        states_max=STATES_MAX,
        horizon_ms=int(horizon / tick),
    )
    scope = f"every run in ticks of {tick} ms up to {horizon} ms after creation, {found.states} states"
    if found.counterexample is None and not found.complete:
        return Searched(complete=False, scope=f"gave up after {found.states} states")
    trace = found.counterexample
    return Searched(complete=True, scope=scope, trace=None if trace is None else _in_ms(facts, trace, tick))


def scaled(config: Config, factor: Fraction) -> Config:
    """The configuration with every duration multiplied, so that whole ticks become whole numbers."""
    changes: dict[str, object] = {}
    for name, value in config.flat().items():
        if not name.endswith("_ms"):
            continue
        many = isinstance(value, list)
        items = [int(item * factor) if type(item) is int else item for item in (value if many else [value])]
        changes[name] = items if many else items[0]
    return config.replace(changes)


def _in_ms(facts: Facts, trace: Trace, tick: Fraction) -> Trace:
    """The run in milliseconds, executed again on the configuration as it was given."""
    return run(
        facts.config,
        [
            ((step.at_ms or 0) * tick, step.action, {name: _times(value, tick) for name, value in step.args.items()})
            for step in trace.steps
        ],
    )


def _times(value: object, tick: Fraction) -> object:
    return value * tick if isinstance(value, int | Fraction) and not isinstance(value, bool) else value


def narrowed(system: System, harm: str) -> System:
    """The system that records one harm alone, without the shorthand for many polls.

    Where the harm needs a client that still follows its schedule, time stops with the client.
    """
    others = {
        variable.name
        for variable in system.variables
        if isinstance(variable.domain, Bool) and variable.name in HARMS and variable.name != harm
    }
    actions = tuple(
        attrs.evolve(action, updates={name: expr for name, expr in action.updates.items() if name not in others})
        for action in system.actions
        if action.name not in ("polls", "polls_end")
    )
    urgency = system.urgency
    if harm != "expired_live":
        urgency = (
            *urgency,
            Clause("somebody still waits", z3.Or(active(), V["client"] == CLIENT["leaving"], V["now"] <= 0)),
        )
    return System(
        name=system.name,
        variables=tuple(variable for variable in system.variables if variable.name not in others),
        actions=actions,
        clock=system.clock,
        urgency=urgency,
    )


HARMS = ("orphaned_live", "orphaned_away", "expired_live", "outcome_lost", "timeout_lost", "gave_up_early")


def _never(harm: str) -> Property:
    sentence = Sentence(f"{harm} never happens", "latchcheck", "properties/timing")
    return Property(harm, "MUST", sentence, (Clause(harm, z3.Not(V[harm])),))


def _horizon(facts: Facts) -> Ms | None:
    """An instant after which nothing new can go wrong, or None where there is none."""
    legs, (_, stop), end = facts.legs, facts.stops(), facts.ends[1]
    if legs is None:
        return None
    longest = max((legs.longest(k) or 0) for k in range(1, legs.steady + 1))
    after = longest + facts.latency[1] + (facts.ttl_ms or 0) + 2 * (facts.spacing_ms or 0) + 2 * facts.skew_ms
    alive = facts.alive_until().at
    last = [limit for limit in (end, stop, alive) if limit is not None]
    return min(last) + after if last else None


def _tick(facts: Facts) -> Fraction | None:
    """What every number of the configuration is a multiple of, divided by the kinds of strict bounds."""
    legs = facts.legs
    if legs is None or legs.steady > RAMP_MAX:
        return None
    exact = [Fraction(value) for value in _numbers(facts) if value]
    if not exact:
        return None
    denominator = lcm(*(value.denominator for value in exact))
    kinds = (facts.window_ms is not None) + (facts.deadline_ms is not None)
    return Fraction(gcd(*(int(value * denominator) for value in exact)), max(1, kinds) * denominator)


def _numbers(facts: Facts) -> Iterator[Ms | None]:
    yield from durations(facts.config)
    legs = facts.legs
    assert legs is not None
    for span in legs.ramp:
        yield span.lo
        yield span.hi
    for failures in range(1, legs.schedule.failures + 1):
        yield legs.error_gap(1, failures).lo
    if facts.period_ms is not None:
        yield facts.period_ms
