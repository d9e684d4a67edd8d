"""A client that has left for good: `orphans-found-in-time` and `abandoned-work-is-bounded`.

A pass that surely fires from an instant x on acts at the next sweep, at x + period + lateness at the latest. What ends
the record tells the work to stop; but a record that expired while its work runs can no longer be ended, so a deadline,
an orphan window or a cancel bounds the work only where no such expiry can come first.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction

import attrs

from latchcheck.kernel import System, Trace
from latchcheck.kernel.duration import told as worded
from latchcheck.model.config import Config
from latchcheck.model.timing.abandonment import abandoned_with, run_abandoned
from latchcheck.model.timing.schedule import Ms

from .abandoned_runs import expired_first, told_early, told_late
from .answers import Answer, NotApplicable, Outcome
from .bounds import Upper, instant_between
from .facts import Facts

# -- orphans-found-in-time ----------------------------------------------------------------------------------------


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


# -- abandoned-work-is-bounded ------------------------------------------------------------------------------------


@attrs.frozen
class Ending:
    """Something that surely ends the record of a task whose client left: `latest_ms` after that at the latest."""

    name: str
    key: str
    words: str
    latest_ms: Ms


def endings(facts: Facts) -> Iterator[Ending]:
    """Everything that surely ends the record, the work's own end left out."""
    config, spacing, skew = facts.config, facts.spacing_ms, facts.skew_ms
    if config.client.cancel_on_abandon:
        yield Ending("cancel", "client.cancel_on_abandon", "the client's cancel arrives", facts.latency[1])
    if spacing is None:
        return
    swept = skew + spacing
    if facts.window_ms is not None:
        key = "server.orphan_window_ms"
        yield Ending("orphans", key, "the orphans pass cancels the task", facts.window_ms + swept)
    if facts.deadline_ms is not None:
        yield Ending(
            "timeouts", "server.execution_deadline_ms", "the deadline fails the task", facts.deadline_ms + swept
        )
    if facts.running_expires:
        yield Ending("expiry", "server.enforced_ttl_ms", "the task expires", facts.ttl + swept)


def _goes_on(facts: Facts) -> Ms | None:
    """How long the work goes on when it is told to stop (None: for ever)."""
    on = facts.config.workload.works_on_after_cancel
    return None if on is True else 0 if on is False else on


def expiry_can_end(facts: Facts) -> bool:
    """Whether the record of running work can expire, before anything else has surely ended it."""
    if not facts.running_expires:
        return False
    expires, last = facts.ttl - facts.skew_ms, facts.ends[1]
    return (last is None or last > expires) and not _ended_first(facts, expires)


def _ended_first(facts: Facts, expires: Ms) -> bool:
    """Whether something else has surely ended the record of running work by the time that it can expire."""
    if facts.deadline_ms is not None and _first(facts, "timeouts", facts.deadline_ms, expires, inclusive=False):
        return True
    at_once = facts.window_ms == 0 and facts.window_inclusive and facts.skew_ms == 0
    if at_once and _first(facts, "orphans", 0, expires, inclusive=True):
        return True
    if facts.anchor != "activity":
        # The client may leave just before the ttl ends, or after it: neither a cancel nor an orphan window helps then.
        return False
    if facts.config.client.cancel_on_abandon and facts.latency[1] < expires:
        return True
    inclusive = facts.window_inclusive
    return facts.window_ms is not None and _first(facts, "orphans", facts.window_ms, expires, inclusive=inclusive)


def _first(facts: Facts, name: str, limit: Ms, expires: Ms, *, inclusive: bool) -> bool:
    """Whether a pass surely fires before an expiry pass that can act from `expires` on, or first in the same sweep."""
    sure = limit + facts.skew_ms
    if facts.runs_before(name, "expiry") and (sure < expires or (inclusive and sure == expires)):
        return True
    if facts.spacing_ms is None:
        return False
    latest = sure + facts.spacing_ms
    return latest < expires or (inclusive and latest == expires)


def latest_told(facts: Facts, ended: Ms) -> Ms | None:
    """Latest instant at which a cancel, the deadline or the orphans pass can end the record.

    It is ended by `ended` in any case; None where it surely expires before.
    """
    found = []
    if facts.config.client.cancel_on_abandon and facts.latency[0] <= ended:
        found.append(min(facts.latency[1], ended))
    for name, limit in (("orphans", facts.window_ms), ("timeouts", facts.deadline_ms)):
        if limit is None or facts.lazy:
            continue
        last = ended
        if facts.running_expires and not facts.runs_before(name, "expiry"):
            # Once the expiry pass surely acts, it does so before this one in the same sweep.
            last = min(ended, facts.ttl + facts.skew_ms)
        due = limit - facts.skew_ms
        if due < last or (due == last and _acts_at_once(facts, name, due)):
            found.append(last)
    return max(found, default=None)


def _acts_at_once(facts: Facts, name: str, due: Ms) -> bool:
    """Whether a pass that is due at this instant acts then: an exact timer does, unless expiry comes before it."""
    if not facts.exact:
        return False
    if not facts.running_expires or facts.ttl + facts.skew_ms > due:
        return True
    return name == "orphans" and facts.window_inclusive and facts.runs_before(name, "expiry")


def abandoned_work_is_bounded(facts: Facts) -> Outcome:
    """`abandoned-work-is-bounded`: work whose client has left for good is stopped within a stated bound."""
    found, stated = _stopped(facts), facts.config.server.abandoned_work_bound_ms
    if stated is None and not _speaks_of_work(facts):
        return NotApplicable("no limit on the work at all: no orphan window, deadline, ttl, cancel or execution is set")
    if isinstance(found, str):
        return Answer(
            safe=False,
            clause=f"something stops work whose client has left: {found}" + _unstated(facts),
            binding=_would_stop(facts),
            runs=_unbounded(facts),
            harm="works_on",
        )
    clause = f"{found.words}, {worded(found.latest_ms)} after the client left at the latest"
    if stated is None:
        return Answer(safe=True, clause=clause, bound_ms=found.latest_ms)
    return Answer(
        safe=found.latest_ms <= stated,
        clause=f"{clause}; stated are {worded(stated)}",
        margin_ms=stated - found.latest_ms,
        binding=("server.abandoned_work_bound_ms", found.key),
        runs=_late(facts, found.latest_ms, stated),
        harm="works_on",
        bound_ms=found.latest_ms,
    )


def _unstated(facts: Facts) -> str:
    """What to say where no bound was asked for: the sentence speaks of one."""
    if facts.config.server.abandoned_work_bound_ms is not None:
        return ""
    return "; no bound is stated (server.abandoned_work_bound), and none could be kept"


def work_system(facts: Facts) -> System:
    """The system in which the runs of `abandoned-work-is-bounded` are executed."""
    found, stated = _stopped(facts), facts.config.server.abandoned_work_bound_ms
    if isinstance(found, str):
        return abandoned_with(facts.config, facts.horizon_ms - 1)
    return abandoned_with(facts.config, found.latest_ms if stated is None else stated)


def _speaks_of_work(facts: Facts) -> bool:
    """Whether the configuration has anything that could end a task or its work."""
    limits = (facts.window_ms, facts.deadline_ms, facts.ttl_ms)
    return (
        any(limit is not None for limit in limits) or facts.execution_declared or facts.config.client.cancel_on_abandon
    )


def _stopped(facts: Facts) -> Ending | str:
    """What stops the work, and when at the latest; or why nothing does."""
    found, last = _told_or_expired(facts), facts.ends[1] if facts.execution_declared else None
    if last is not None and (isinstance(found, str) or last < found.latest_ms):
        return Ending("work", "workload.execution_ms", "the work ends by itself", last)
    return found


def _told_or_expired(facts: Facts) -> Ending | str:
    ways = sorted(endings(facts), key=lambda way: way.latest_ms)
    if not ways:
        return "no sweep is promised" if facts.spacing_ms is None and _limited(facts) else "nothing ends its task"
    least, goes_on = ways[0], _goes_on(facts)
    stops = facts.config.server.expiry_stops_work
    if expiry_can_end(facts) and not stops:
        return (
            f"the task can expire ({worded(facts.ttl)} from {facts.anchor}) while its work runs on, and then "
            "nothing finds the task any more"
        )
    told = latest_told(facts, least.latest_ms)
    if told is None:
        return attrs.evolve(least, words=f"{least.words}, which stops the work")
    if goes_on is None:
        return "the work goes on when it is told to stop (workload.works_on_after_cancel)"
    on = f", and the work goes on for {worded(goes_on)} at most" if goes_on else ", which stops the work"
    return attrs.evolve(least, words=f"{least.words}{on}", latest_ms=max(told + goes_on, least.latest_ms))


def _limited(facts: Facts) -> bool:
    return facts.window_ms is not None or facts.deadline_ms is not None or facts.running_expires


def _would_stop(facts: Facts) -> tuple[str, ...]:
    if _goes_on(facts) is None or expiry_can_end(facts):
        return ("server.expiry_stops_work", "workload.works_on_after_cancel", "workload.execution_ms")
    return ("server.execution_deadline_ms", "server.orphan_window_ms", "client.cancel_on_abandon")


# -- runs ---------------------------------------------------------------------------------------------------------


def _phases(facts: Facts, before: Ms = 0) -> list[Ms | None]:
    """Phases with which a sweep comes on time `before` the instant at which some limit surely acts, or at its first."""
    period, skew = facts.period_ms, facts.skew_ms
    if period is None:
        return [None]
    found: list[Ms] = []
    for limit in (facts.window_ms, facts.deadline_ms, facts.ttl_ms):
        if limit is not None:
            found += [limit + skew - before, limit - skew, limit - skew - facts.lateness_ms]
    return list(dict.fromkeys(at % period for at in [*found, 0]))


def _unbounded(facts: Facts) -> Iterator[Callable[[], Trace]]:
    """Runs in which the work still runs later than any limit of the configuration reaches."""
    never = facts.horizon_ms
    yield from _runs_at(facts, _phases(facts), never, never - 1)


def _late(facts: Facts, bound: Ms, stated: Ms) -> Iterator[Callable[[], Trace]]:
    """Runs in which the work outlasts what is stated: it is seen at the bound itself, or as close to it as can be."""
    between = instant_between(Fraction(stated), Upper(bound, closed=False), closed=False)
    for at in (bound, between, Fraction(stated + between, 2)):
        yield from _runs_at(facts, _phases(facts, bound - at), at, stated)


def _runs_at(facts: Facts, phases: list[Ms | None], at: Ms, bound: Ms) -> Iterator[Callable[[], Trace]]:
    cancels: list[Ms | None] = (
        [*dict.fromkeys(reversed(facts.latency))] if facts.config.client.cancel_on_abandon else [None]
    )
    for phase in phases:
        for cancelled in cancels:
            yield lambda phase=phase, cancelled=cancelled: told_late(facts, phase, cancelled, at, bound)
    if not facts.lazy and facts.config.client.cancel_on_abandon is False:
        for stamp, limit, inclusive in _told_from(facts):
            first = max(Fraction(0), Fraction(limit))
            for told in (instant_between(first, Upper(at), closed=inclusive or limit < 0), first + Fraction(1, 2)):
                yield lambda stamp=stamp, told=told: told_early(facts, stamp, told, at, bound)
    if facts.running_expires:
        for phase in phases:
            yield lambda phase=phase: expired_first(facts, phase, at, bound)


def _told_from(facts: Facts) -> Iterator[tuple[str, Ms, bool]]:
    """From when on a pass can end the record: the stamp that must look old, the instant, and whether it is included."""
    if facts.window_ms is not None:
        yield "error_contact", facts.window_ms - facts.skew_ms, facts.window_inclusive
    if facts.deadline_ms is not None:
        yield "error_created", facts.deadline_ms - facts.skew_ms, False
