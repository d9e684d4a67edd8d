"""Runs in which an outcome is lost: scripts for the stepper, fewest events first."""

from collections.abc import Callable, Iterator

from latchcheck.kernel import Trace
from latchcheck.model.timing.legs import Legs
from latchcheck.model.timing.schedule import Ms
from latchcheck.model.timing.script import Cut, Leg, Rounds, Script

from .bounds import Upper, earliest, instant_between
from .contacts import Contact, complete, contacts, success, ways
from .facts import Facts
from .orphan import harmful_errors, limit_of_run, phase_for
from .outcomes import Source
from .retention_reach import apart, judged_together


def runs_losing(facts: Facts, legs: Legs, harmful: list[Source]) -> Iterator[Callable[[], Trace]]:
    """Attempts at a run that loses an outcome of one of the sources."""
    for source in harmful:
        if facts.lazy and source.cause != "worker" and complete(legs):
            for access in judged_together(facts, legs, source):
                for at in sorted({access.lo, access.hi}):
                    yield _lost_at_access(facts, legs, source, access, at)
            continue
        if facts.lazy and source.cause != "worker":
            yield from _lost_replies(facts, legs, source)
        for contact in _candidates(facts, legs, source):
            yield from _losing(facts, legs, source, contact)


def _candidates(facts: Facts, legs: Legs, source: Source) -> Iterator[Contact]:
    """Contacts after which the outcome may come and be lost, the shortest runs first."""
    last = legs.leg(legs.steady, legs.failures_followed).hi
    step = facts.horizon_ms if last is None else last + legs.schedule.restart_ms
    kept = facts.ttl - facts.skew_ms
    lo = max(0, source.lo - step)
    if facts.anchor == "creation":
        lo = max(lo, kept - step)
    top = source.hi.at if source.hi.at is not None else max(lo, source.lo) + 3 * step + 1
    yield from _earliest_contacts(legs, top)
    around = [*contacts(legs, lo, min(max(lo, source.lo), top)), *contacts(legs, min(max(lo, source.lo), top), top)]
    yield from sorted(around, key=lambda contact: len(contact.parts))


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
    stop = facts.last_arrival_ms
    for a in sorted({contact.lo, contact.hi, min(max(contact.lo, source.lo), contact.hi)}):
        for failed in range(legs.failures_followed + 1):
            span = legs.leg(contact.k, failed)
            restart = 0 if contact.restart_used else legs.schedule.restart_ms
            latest = earliest((Upper(stop), Upper(None if span.hi is None else a + span.hi + restart)))
            for x in _outcomes(source, a):
                due = (0 if facts.anchor == "creation" else x) + facts.ttl - facts.skew_ms
                removed, phase = _removal(facts, source, x, due)
                p = max(a + span.lo, removed)
                if latest.admits(p):
                    away = span.hi is not None and p - a > span.hi
                    leg = Leg(contact.k, failed, p - a, away=away)
                    instants = (a, x, removed, p)
                    for way in ways(contact, a):
                        yield _execution(facts, legs, source, (*way, leg), instants, phase)
                    break


def _removal(facts: Facts, source: Source, x: Ms, due: Ms) -> tuple[Ms, Ms | None]:
    """When a sweep removes the outcome stored at `x`, at or after `due`; and the phase of such sweeps."""
    if facts.period_ms is None or source.cause == "worker":
        removed = max(x, due)
        return removed, phase_for(facts, removed)
    distance, periods = apart(facts, source, due - x)
    if periods == 0:
        return x, phase_for(facts, x)
    removed = x + distance
    nominal = max(0, x - facts.lateness_ms, removed - periods * facts.period_ms - facts.lateness_ms)
    return removed, nominal % facts.period_ms


def _lost_replies(facts: Facts, legs: Legs, source: Source) -> Iterator[Callable[[], Trace]]:
    """Runs in which a poll whose reply gets lost stores the outcome, and the next access finds it gone."""
    step = success(legs, legs.steady) or 1
    hi = source.hi.at if source.hi.at is not None else source.lo + 3 * step
    for contact in (*_earliest_contacts(legs, hi), *contacts(legs, max(0, source.lo - step), hi)):
        for a in sorted({contact.lo, contact.hi}):
            for failed in range(1, legs.failures_followed + 1):
                length = legs.leg(contact.k, failed).hi
                if length is None:
                    continue
                script = Script(
                    legs=legs,
                    taken=(*contact.legs_to(a), Leg(contact.k, failed, length, reply_lost=frozenset({1}))),
                    cuts=(),
                    until_ms=a + length,
                    keep_last=True,
                    call_latency_ms=facts.latency[0],
                    access=harmful_errors(facts),
                    last_access=harmful_errors(facts, "error_anchor"),
                    first_lost=harmful_errors(facts, STAMPS[source.cause]),
                )
                yield lambda script=script: script.run(facts.config)


STAMPS = {"timeouts": "error_created", "orphans": "error_contact", "expiry": "error_anchor"}


def _lost_at_access(facts: Facts, legs: Legs, source: Source, access: Contact, at: Ms) -> Callable[[], Trace]:
    script = Script(
        legs=legs,
        taken=access.legs_to(at),
        cuts=(),
        until_ms=at,
        keep_last=True,
        call_latency_ms=facts.latency[0],
        access=harmful_errors(facts),
        last_access=harmful_errors(facts, STAMPS[source.cause], "error_anchor"),
    )
    return lambda: script.run(facts.config)


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
    facts: Facts,
    legs: Legs,
    source: Source,
    taken: tuple[Leg | Rounds, ...],
    instants: tuple[Ms, Ms, Ms, Ms],
    phase: Ms | None,
) -> Callable[[], Trace]:
    a, x, removed, p = instants
    cuts = []
    if source.cause == "worker":
        cuts.append(Cut(x, "write_terminal", before=x > a))
    elif not facts.lazy:
        stamp = STAMPS[source.cause]
        late = () if removed > x else ("error_anchor",)
        cuts.append(Cut(x, "sweep", harmful_errors(facts, stamp, *late), before=x > a))
    late = harmful_errors(facts, "error_anchor")
    if not facts.lazy and (source.cause == "worker" or removed > x):
        cuts.append(Cut(removed, "sweep", late, before=removed > a))

    handle, stop = limit_of_run(facts)
    if stop is not None and p > stop:
        # The poll that was out when the client stopped is the one that finds the outcome gone.
        cuts.append(Cut(stop, "give_up", before=False))

    def run() -> Trace:
        script = Script(
            legs=legs,
            taken=taken,
            cuts=cuts,
            until_ms=p,
            keep_last=True,
            call_latency_ms=facts.latency[0],
            handle_ms=handle,
            phase_ms=phase,
            access=harmful_errors(facts) if facts.lazy else {},
            last_access=late if facts.lazy else None,
        )
        return script.run(facts.config)

    return run
