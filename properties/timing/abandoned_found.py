"""When an abandoned task is found: `orphans-found-in-time`.

The orphans pass surely fires from an instant x on, and so at the next sweep, at x + period + lateness at the latest.
"""

from fractions import Fraction

from latchcheck.kernel import System, Trace
from latchcheck.kernel.duration import told as worded
from latchcheck.model.config import Config
from latchcheck.model.timing.abandonment import abandoned_with, run_abandoned
from latchcheck.model.timing.schedule import Ms

from .answers import Answer, NotApplicable, Outcome
from .bounds import Upper, instant_between
from .facts import Facts


def orphans_found_in_time(facts: Facts) -> Outcome:
    """`orphans-found-in-time`: an abandoned task is reclaimed within a stated bound, and that bound is reported."""
    window, server = facts.window_ms, facts.config.server
    if window is None:
        return NotApplicable("no orphan window: server.orphan_window is not set")
    alone = _orphans_alone(facts.config)
    if facts.lazy:
        never = facts.horizon_ms
        return Answer(
            safe=False,
            clause=(
                "something sweeps: an abandoned task is accessed by nobody, so a server that judges at each access "
                '(sweep_period = "lazy") never reclaims it'
            ),
            binding=("server.sweep_period_ms",),
            runs=(lambda: _left_alone(alone, None, never, never - 1, "still_working"),),
            harm="found_late",
        )
    if facts.spacing_ms is None:
        return NotApplicable("no sweep period: server.sweep_period is not set, so nothing promises that a sweep comes")
    sure = window + facts.skew_ms
    bound, stated = sure + facts.spacing_ms, server.orphan_bound_ms
    clause = (
        f"an abandoned task is reclaimed at most {worded(bound)} after its last contact: orphan window "
        f"{_with_skew(facts, window)}, then the next sweep within {worded(facts.spacing_ms)}"
    )
    if stated is None:
        return Answer(safe=True, clause=clause, bound_ms=bound)
    return Answer(
        safe=bound <= stated,
        clause=f"{clause}; stated are {worded(stated)}",
        margin_ms=stated - bound,
        binding=("server.orphan_bound_ms", "server.sweep_period_ms"),
        runs=(lambda: _found_late(facts, alone, sure, bound, stated),),
        harm="found_late",
        bound_ms=bound,
    )


def _orphans_alone(config: Config) -> Config:
    """The configuration with the orphan window as its only limit: the bound is what the orphans pass promises."""
    return config.replace(
        {
            "server.execution_deadline_ms": None,
            "server.advertised_ttl_ms": None,
            "server.enforced_ttl_ms": None,
            "server.honours_requested_ttl": False,
            "client.cancel_on_abandon": False,
            "workload.execution_ms": None,
        }
    )


def _with_skew(facts: Facts, limit: Ms) -> str:
    return worded(limit) + (f" and {worded(facts.skew_ms)} of clock skew" if facts.skew_ms else "")


def _found_late(facts: Facts, config: Config, sure: Ms, bound: Ms, stated: Ms) -> Trace:
    """A sweep comes just before the window is surely over, on time, and the next one as late as it may be."""
    at = instant_between(Fraction(stated), Upper(bound, closed=not facts.window_inclusive), closed=False)
    assert facts.period_ms is not None
    phase = (sure - (bound - at)) % facts.period_ms
    return _left_alone(config, phase, at, stated, "still_working")


def _left_alone(config: Config, phase: Ms | None, at: Ms, bound: Ms, observer: str) -> Trace:
    """Create, leave at once, and somebody looks at `at`."""
    create = {} if phase is None else {"sweep_phase": phase}
    events = [(0, "create", create), (0, "leave", {}), (at, observer, {})]
    return run_abandoned(config, events, bound)


def left_alone_system(facts: Facts) -> System:
    """The system in which the runs of `orphans-found-in-time` are executed, for a server with an orphan window."""
    window, stated = facts.window_ms, facts.config.server.orphan_bound_ms
    assert window is not None
    if facts.lazy:
        bound = facts.horizon_ms - 1
    else:
        bound = window + facts.skew_ms + (facts.spacing_ms or 0) if stated is None else stated
    return abandoned_with(_orphans_alone(facts.config), bound)
