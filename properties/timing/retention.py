"""Outcomes against retention: `result-reaches-client` and `timeout-is-seen`.

An outcome is lost when it is stored at x, removed at or after y, and the first successful poll after x arrives at p
with y <= p. The poll before it, at a, saw nothing (a <= x: at a tie the poll came first), so p lies at most one silence
after a. Where the removal counts from decides y: `terminal`: x + ttl - skew; `creation`: ttl - skew; `activity`:
a + ttl - skew; and never before x.
"""

from collections.abc import Callable, Iterator

import attrs

from latchcheck.kernel import Trace
from latchcheck.kernel.duration import duration
from latchcheck.model.timing.legs import Legs
from latchcheck.model.timing.schedule import Ms
from latchcheck.model.timing.script import Cut, Leg, Rounds, Script
from latchcheck.model.timing.system import timed_system

from .answers import NO_POLLER, Answer, NotApplicable, Outcome, Vacuous
from .bounds import Upper, earliest, instant_between
from .contacts import Contact, contacts
from .facts import Facts
from .orphan import harmful_errors, judged, phase_for, silences

TTL = ("server.enforced_ttl_ms",)
OUTCOMES = ("worker", "timeouts", "orphans", "expiry")


@attrs.frozen
class Source:
    """When an outcome of one cause can be stored: from `lo` (itself only if `closed`) to `hi`."""

    cause: str
    lo: Ms
    closed: bool
    hi: Upper

    @property
    def possible(self) -> bool:
        return self.hi.leaves(self.lo, closed=self.closed)


def sources(facts: Facts) -> tuple[Source, ...]:
    """Every way in which a terminal outcome can come about, with its instants."""
    first, last = facts.ends
    work = Upper(last)
    found = [Source("worker", first, closed=True, hi=earliest((work, facts.alive_until())))]
    if facts.deadline_ms is not None:
        hi = earliest((work, facts.alive_until("timeouts"), _after_due(facts, facts.deadline_ms)))
        found.append(Source("timeouts", max(0, facts.deadline_ms - facts.skew_ms), closed=False, hi=hi))
    if facts.window_ms is not None and facts.legs is not None:
        found.extend(_orphan_source(facts, facts.window_ms))
    if facts.running_expires and facts.config.server.expiry_action in ("fail", "cancel"):
        hi = earliest((work, facts.alive_until("expiry")))
        if facts.anchor != "activity":
            hi = earliest((hi, _after_due(facts, facts.ttl_ms)))
        found.append(Source("expiry", max(0, facts.ttl_ms - facts.skew_ms), closed=True, hi=hi))
    return tuple(source for source in found if source.possible)


def _after_due(facts: Facts, limit: Ms) -> Upper:
    """Latest sweep that can be the first to act on a limit."""
    if facts.lazy or facts.spacing_ms is None:
        return Upper(None)
    return Upper(limit + facts.skew_ms + facts.spacing_ms)


def _orphan_source(facts: Facts, window: Ms) -> Iterator[Source]:
    """Orphans reclaimed under a client that will poll again, where there are any."""
    if any(judged(facts, silence) is not None for silence in silences(facts)):
        work = earliest((Upper(facts.ends[1]), facts.alive_until("orphans")))
        yield Source("orphans", max(0, window - facts.skew_ms), closed=facts.window_inclusive, hi=work)


def success(legs: Legs, k: int, *, restart: bool = True) -> Ms | None:
    """Longest time from a contact before poll `k` to the next successful one."""
    longest = legs.leg(k, legs.failures_followed).hi
    return None if longest is None else longest + (legs.schedule.restart_ms if restart else 0)


# -- the properties -----------------------------------------------------------------------------------------------


def result_reaches_client(facts: Facts) -> Outcome:
    """`result-reaches-client`: every terminal outcome is still readable when the first successful poll after it arrives."""
    return _retained(facts, sources(facts), "outcome_lost", "no terminal outcome can come about")


def timeout_is_seen(facts: Facts) -> Outcome:
    """`timeout-is-seen`: a task failed by its deadline stays readable until the first successful poll after it."""
    if facts.deadline_ms is None:
        return NotApplicable("no execution deadline: server.execution_deadline is not set")
    timeouts = tuple(source for source in sources(facts) if source.cause == "timeouts")
    return _retained(facts, timeouts, "timeout_lost", "the deadline never fails a task: the work, or another limit, ends it before")


def _retained(facts: Facts, found: tuple[Source, ...], harm: str, never: str) -> Outcome:
    legs = facts.legs
    if legs is None:
        return NotApplicable(NO_POLLER)
    if not found:
        return Vacuous(never)
    if not facts.ended_expires:
        return Answer(safe=True, clause="no terminal record is ever removed")
    reaches = [_reach(facts, legs, source) for source in found]
    worst = None if any(reach is None for reach in reaches) else max(reach for reach in reaches if reach is not None)
    harmful = [source for source in found if _loses(facts, legs, source)]
    margin = None if worst is None else facts.ttl_ms - worst
    return Answer(
        safe=not harmful,
        clause=_clause(facts, worst),
        margin_ms=margin,
        binding=TTL,
        runs=_runs(facts, legs, harmful),
        harm=harm,
    )


def _clause(facts: Facts, worst: Ms | None) -> str:
    what = {
        "creation": "the latest first poll after an outcome, counted from creation",
        "activity": "the longest silence",
    }.get(facts.anchor, "the longest time from an outcome to the first successful poll after it")
    reach = "which has no bound" if worst is None else f"which is {duration(worst)}"
    return f"the ttl ({duration(facts.ttl_ms)} from {facts.anchor}) is longer than {what}, {reach}"


def _reach(facts: Facts, legs: Legs, source: Source) -> Ms | None:
    """The ttl up to which this outcome can be lost (None: any), not counting that the ttl itself ends running work."""
    _, stop = facts.stops()
    hi = source.hi if source.cause != "worker" else earliest((Upper(facts.ends[1]), _without_ttl(facts)))
    worst: Ms = 0
    for k, start, _ in legs.starts():
        begin = max(source.lo, start)
        if not hi.admits(begin) and start > source.lo:
            break
        longest = success(legs, k)
        if facts.anchor == "creation":
            if hi.at is None or longest is None:
                reach = stop
            else:
                reach = hi.at + longest if stop is None else min(hi.at + longest, stop)
        elif facts.anchor == "activity":
            reach = longest
        else:
            reach = longest if stop is None else stop - begin if longest is None else min(longest, stop - begin)
        if reach is None:
            return None
        worst = max(worst, reach)
    return worst + facts.skew_ms


def _without_ttl(facts: Facts) -> Upper:
    if not facts.running_expires:
        return facts.alive_until()
    server = attrs.evolve(facts.config.server, expire_running=False)
    return Facts(attrs.evolve(facts.config, server=server)).alive_until()


def _loses(facts: Facts, legs: Legs, source: Source) -> bool:
    """Whether this outcome can be lost if every instant from the earliest contact on could be one."""
    _, stop = facts.stops()
    kept = facts.ttl_ms - facts.skew_ms
    for k, start, _ in legs.starts():
        begin = max(source.lo, start)
        if not source.hi.admits(begin) and not (start <= source.lo and source.possible):
            return False
        longest = success(legs, k)
        if facts.anchor == "activity":
            if (longest is None or longest >= kept) and (stop is None or start <= stop):
                return True
            continue
        if facts.anchor == "creation":
            latest = Upper(stop) if longest is None else earliest((source.hi.plus(longest), Upper(stop)))
            if latest.leaves(max(kept, source.lo)):
                return True
            continue
        room = Upper(stop) if longest is None else earliest((Upper(begin + longest), Upper(stop)))
        if room.leaves(begin + kept, closed=source.closed or begin > source.lo or longest is not None):
            return True
    return False


# -- runs ---------------------------------------------------------------------------------------------------------


def _runs(facts: Facts, legs: Legs, harmful: list[Source]) -> Iterator[Callable[[], Trace]]:
    for source in harmful:
        for contact in _candidates(facts, legs, source):
            yield from _losing(facts, legs, source, contact)


def _candidates(facts: Facts, legs: Legs, source: Source) -> Iterator[Contact]:
    """Contacts after which the outcome may come and be lost, the shortest runs first."""
    last = legs.leg(legs.steady, legs.failures_followed).hi
    step = facts.horizon_ms if last is None else last + legs.schedule.restart_ms
    kept = facts.ttl_ms - facts.skew_ms
    lo = max(0, source.lo - step)
    if facts.anchor == "creation":
        lo = max(lo, kept - step)
    top = source.hi.at if source.hi.at is not None else max(lo, source.lo) + 3 * step + 1
    yield from _earliest_contacts(legs, top)
    yield from sorted(contacts(legs, lo, top), key=lambda contact: len(contact.parts))


def _earliest_contacts(legs: Legs, top: Ms) -> Iterator[Contact]:
    for k, start, failures in legs.starts():
        if start > top:
            return
        parts, index = [], 1
        for failed in failures:
            span = legs.leg(index, failed)
            parts.append((index, failed, 1, span))
            index += failed + 1
        yield Contact(start, start, k, tuple(parts), restart_used=False)


def _losing(facts: Facts, legs: Legs, source: Source, contact: Contact) -> Iterator[Callable[[], Trace]]:
    """Runs that lose an outcome of `source` after `contact`."""
    _, stop = facts.stops()
    for a in sorted({contact.lo, contact.hi, min(max(contact.lo, source.lo), contact.hi)}):
        for failed in range(legs.failures_followed + 1):
            span = legs.leg(contact.k, failed)
            restart = 0 if contact.restart_used else legs.schedule.restart_ms
            latest = earliest((Upper(stop), Upper(None if span.hi is None else a + span.hi + restart)))
            for x in _outcomes(source, a):
                removed = max(x, {"creation": 0, "activity": a}.get(facts.anchor, x) + facts.ttl_ms - facts.skew_ms)
                p = max(a + span.lo, removed)
                if latest.admits(p):
                    yield _execution(facts, legs, source, contact, Leg(contact.k, failed, p - a), (a, x, removed, p))
                    break


def _outcomes(source: Source, a: Ms) -> list[Ms]:
    """Instants at or after `a` at which the outcome may be stored: as early as can be, as late as can be."""
    begin = max(a, source.lo)
    closed = source.closed or begin > source.lo
    if not source.hi.leaves(begin, closed=closed):
        return []
    first = instant_between(begin, source.hi, closed=closed)
    if closed and first != begin:
        return [begin, first]
    return [first]


def _execution(
    facts: Facts, legs: Legs, source: Source, contact: Contact, leg: Leg, instants: tuple[Ms, Ms, Ms, Ms]
) -> Callable[[], Trace]:
    a, x, removed, p = instants
    taken: tuple[Leg | Rounds, ...] = (*contact.legs_to(a), leg)
    cuts = []
    if source.cause == "worker":
        cuts.append(Cut(x, "write_terminal", before=x > a))
    elif not facts.lazy:
        stamp = {"timeouts": "error_created", "orphans": "error_contact", "expiry": "error_anchor"}[source.cause]
        cuts.append(Cut(x, "sweep", harmful_errors(facts, stamp), before=x > a))
    late = harmful_errors(facts, "error_anchor")
    if not facts.lazy:
        cuts.append(Cut(removed, "sweep", late, before=removed > a))

    def run() -> Trace:
        script = Script(
            legs=legs,
            taken=taken,
            cuts=cuts,
            until_ms=p,
            keep_last=True,
            call_latency_ms=facts.latency[0],
            phase_ms=phase_for(facts, removed),
            access=harmful_errors(facts) if facts.lazy else {},
            last_access=late if facts.lazy else None,
        )
        return script.run(timed_system(facts.config))

    return run
