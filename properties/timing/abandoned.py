"""Work whose client has left for good: `abandoned-work-is-bounded`.

What ends the record tells the work to stop; but a record that expired while its work runs can no longer be ended, so a
deadline, an orphan window or a cancel bounds the work only where no such expiry can come first.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction

import attrs

from latchcheck.kernel import System, Trace
from latchcheck.kernel.duration import told as worded
from latchcheck.model.timing.abandonment import abandoned_with
from latchcheck.model.timing.schedule import Ms

from .abandoned_endings import Ending, endings, expiry_can_end, latest_told
from .abandoned_runs import expired_first, told_early, told_late
from .answers import Answer, NotApplicable, Outcome
from .bounds import Upper, instant_between
from .facts import Facts


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


def _goes_on(facts: Facts) -> Ms | None:
    """How long the work goes on when it is told to stop (None: for ever)."""
    on = facts.config.workload.works_on_after_cancel
    return None if on is True else 0 if on is False else on


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
