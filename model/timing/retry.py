"""Attempts at the work and the delays between them, under the execution deadline.

The nominal delay is a variable that grows by the multiplier, so the model needs no table of attempts.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

import attrs
import z3

from latchcheck.kernel import Action, Bool, Choice, Clause, Enum, IntRange, Real, System, Trace, Variable, record

from ..config import Config
from .terms import COUNT_MAX

WORK = Enum("Attempts", ("running", "waiting", "over"))

VARIABLES = (
    Variable("now", Real(), 0),
    Variable("work", WORK, "running"),
    Variable("attempt", IntRange(1, COUNT_MAX), 1),
    Variable("since", Real(), 0),
    Variable("delay", Real(), 0),
    Variable("told_as_one", Bool(), False),
    Variable("cut_short", Bool(), False),
)
V: dict[str, Any] = {variable.name: variable.term for variable in VARIABLES}
"""The z3 constant of each variable, by name."""

_DURATIONS = ("execution_hi", "execution_deadline", "clock_skew", "retry_initial_delay", "retry_max_delay")
NUMBERS: dict[str, Any] = {name: z3.Real(name) for name in _DURATIONS}
NUMBERS["retry_multiplier"] = z3.Real("retry_multiplier")
NUMBERS["max_attempts"] = z3.Int("max_attempts")
"""The z3 constant of each number, by name."""
SUMMED = {"attempts_told": z3.Int("attempts_told"), "delays_told": z3.Real("delays_told")}
"""How many attempts a run tells as one, and the delays after them summed up."""


@attrs.frozen
class Shape:
    """Whether the delays grow and have a ceiling, and whether the first attempts are told as one."""

    grows: bool
    ceiling: bool
    told: bool = False


def retry_system(config: Config, *, symbolic: bool = False) -> System:
    """The attempts of a configuration; with `symbolic` its numbers are parameters."""
    system = of_shape(_shape(config))
    found = numbers(config)
    return system if symbolic else system.at({name: found[name] for name in system.parameters})


def run_retries(config: Config, events: Iterable[Any], told: tuple[int, int | Fraction] | None = None) -> Trace:
    """Execute events on the attempts' system; raises NotAStep at the first that it does not allow.

    With `told` = (count, delays) there is an action that tells the first `count` attempts as one.
    """
    system = of_shape(attrs.evolve(_shape(config), told=told is not None))
    return record(system, events, at=_given(system, config, told))


def retries_with(config: Config, told: tuple[int, int | Fraction] | None = None) -> System:
    """The system in which `run_retries` executes, with its numbers in."""
    system = of_shape(attrs.evolve(_shape(config), told=told is not None))
    return system.at(_given(system, config, told))


def _given(system: System, config: Config, told: tuple[int, int | Fraction] | None) -> dict[str, int | Fraction]:
    found: dict[str, int | Fraction] = dict(numbers(config))
    if told is not None:
        found["attempts_told"], found["delays_told"] = told
    return {name: found[name] for name in system.parameters}


def _shape(config: Config) -> Shape:
    server = config.server
    return Shape(server.retry_multiplier != 1, server.retry_max_delay_ms is not None)


def numbers(config: Config) -> Mapping[str, int | Fraction]:
    """The value of every number that the attempts' system names, durations in milliseconds."""
    server = config.server
    found = {
        "execution_hi": None if config.workload.execution_ms is None else config.workload.execution_ms[1],
        "execution_deadline": server.execution_deadline_ms,
        "clock_skew": server.clock_skew_ms,
        "retry_initial_delay": server.retry_initial_delay_ms or 0,
        "retry_max_delay": server.retry_max_delay_ms,
        "retry_multiplier": server.retry_multiplier,
        "max_attempts": server.max_attempts,
    }
    return {name: value for name, value in found.items() if value is not None}


@lru_cache(maxsize=64)
def of_shape(shape: Shape) -> System:
    """The attempts' system of a shape, every number a parameter."""
    actions = [_attempt_fails(shape), _retry(), _write_terminal(), _deadline_fires()]
    parameters = dict(NUMBERS)
    if not shape.grows:
        del parameters["retry_multiplier"]
    if not shape.ceiling:
        del parameters["retry_max_delay"]
    if shape.told:
        actions.append(_attempts_fail())
        parameters |= SUMMED
    return System("attempts", VARIABLES, actions, clock="now", urgency=_urgency(), parameters=parameters)


def capped(shape: Shape, delay: Any) -> Any:
    """A delay under the ceiling, if there is one."""
    ceiling = NUMBERS["retry_max_delay"]
    return z3.If(delay < ceiling, delay, ceiling) if shape.ceiling else delay


def grown(shape: Shape, delay: Any) -> Any:
    """The delay that follows the attempt after the one that `delay` followed."""
    return capped(shape, delay * NUMBERS["retry_multiplier"]) if shape.grows else delay


def first_delay(shape: Shape) -> Any:
    """The delay that follows the first attempt."""
    return capped(shape, NUMBERS["retry_initial_delay"])


def _attempt_fails(shape: Shape) -> Action:
    guard = (
        Clause("an attempt runs", V["work"] == WORK["running"]),
        Clause("nothing is told ahead", z3.And(z3.Not(V["told_as_one"]), V["now"] >= V["since"])),
        Clause("attempts are left", V["attempt"] < NUMBERS["max_attempts"]),
    )
    delay = z3.If(V["attempt"] == 1, first_delay(shape), grown(shape, V["delay"]))
    return Action("attempt_fails", "worker", guard, {"work": WORK["waiting"], "since": V["now"], "delay": delay})


def _retry() -> Action:
    guard = (
        Clause("an attempt has failed", V["work"] == WORK["waiting"]),
        Clause("the delay has passed", V["now"] - V["since"] >= V["delay"]),
    )
    return Action("retry", "server", guard, {"work": WORK["running"], "since": V["now"], "attempt": V["attempt"] + 1})


def _write_terminal() -> Action:
    guard = (
        Clause("an attempt runs", V["work"] == WORK["running"]),
        Clause("nothing is told ahead", V["now"] >= V["since"]),
    )
    return Action("write_terminal", "worker", guard, {"work": WORK["over"]})


def _attempts_fail() -> Action:
    """The first `attempts_told` attempts and the delays after them, told as one: the next attempt begins at `until`.

    This is shorthand for `attempt_fails` and `retry` so many times, the attempts together as long as it takes.
    Nothing but the end of the attempt that comes next is told after it.
    """
    until = Choice("until", Real())
    count, delays = SUMMED["attempts_told"], SUMMED["delays_told"]
    longest = delays + z3.ToReal(count) * NUMBERS["execution_hi"]
    guard = (
        Clause("the first attempt begins", z3.And(V["work"] == WORK["running"], V["attempt"] == 1, V["now"] == 0)),
        Clause("nothing is told ahead", z3.Not(V["told_as_one"])),
        Clause("attempts are left", count < NUMBERS["max_attempts"]),
        Clause("the delays pass", until.term >= delays),
        Clause("each attempt takes workload.execution[1] at most", until.term <= longest),
    )
    updates = {"attempt": V["attempt"] + count, "since": until.term, "told_as_one": z3.BoolVal(True)}
    return Action("attempts_fail", "worker", guard, updates, (until,))


def _deadline_fires() -> Action:
    """The timeouts pass fails the task: `now - created`, read with the clocks' error, exceeds the deadline."""
    skew = NUMBERS["clock_skew"]
    error = Choice("error_created", Real(), lower=-skew, upper=skew)
    guard = (
        Clause("the task is not terminal", V["work"] != WORK["over"]),
        Clause("nothing is told ahead", V["now"] >= V["since"]),
        Clause("the clocks differ by at most clock_skew", z3.And(error.term >= -skew, error.term <= skew)),
        Clause("the deadline has passed", V["now"] + error.term > NUMBERS["execution_deadline"]),
    )
    updates = {"work": WORK["over"], "cut_short": z3.BoolVal(True)}
    return Action("deadline_fires", "reaper", guard, updates, (error,))


def _urgency() -> tuple[Clause, ...]:
    elapsed = V["now"] - V["since"]
    return (
        Clause(
            "an attempt takes workload.execution[1] at most",
            z3.Or(V["work"] != WORK["running"], elapsed <= NUMBERS["execution_hi"]),
        ),
        Clause("the next attempt comes after its delay", z3.Or(V["work"] != WORK["waiting"], elapsed <= V["delay"])),
    )
