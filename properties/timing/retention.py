"""Outcomes against retention: `result-reaches-client` and `timeout-is-seen`.

An outcome is lost when it is stored at x, removed at or after y, and the first successful poll after x arrives at p
with y <= p. The poll before it, at a, saw nothing (a <= x: at a tie the poll came first), so p lies at most one silence
after a. Where the removal counts from decides y: `creation`: ttl - skew, and never before x; every other anchor moves
with the terminal write: x + ttl - skew.
"""

from collections.abc import Callable, Iterator

import attrs

from latchcheck.kernel import Trace
from latchcheck.kernel.duration import duration
from latchcheck.model.timing.legs import Legs
from latchcheck.model.timing.schedule import Ms
from latchcheck.model.timing.script import Cut, Leg, Rounds, Script

from .answers import NO_POLLER, Answer, NotApplicable, Outcome, Vacuous
from .bounds import Upper, earliest, instant_between
from .contacts import Contact, Piece, complete, contacts, pieces, success, ways
from .facts import Facts
from .orphan import harmful_errors, judged, phase_for, silences

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
        """Whether there is such an instant at all."""
        return self.hi.leaves(self.lo, closed=self.closed)


def sources(facts: Facts) -> tuple[Source, ...]:
    """Every way in which a terminal outcome can come about, with its instants."""
    first, last = facts.ends
    work = Upper(last)
    found = [Source("worker", first, closed=True, hi=earliest((work, facts.alive_until())))]
    if facts.deadline_ms is not None:
        hi = earliest((work, facts.alive_until("timeouts"), _after_due(facts, facts.deadline_ms)))
        due = facts.deadline_ms - facts.skew_ms
        found.append(Source("timeouts", max(0, due), closed=due < 0, hi=hi))
    if facts.window_ms is not None and facts.legs is not None:
        found.extend(_orphan_source(facts, facts.window))
    if facts.running_expires and facts.config.server.expiry_action in ("fail", "cancel"):
        hi = earliest((work, facts.alive_until("expiry")))
        if facts.anchor != "activity":
            hi = earliest((hi, _after_due(facts, facts.ttl)))
        found.append(Source("expiry", max(0, facts.ttl - facts.skew_ms), closed=True, hi=hi))
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
        due = window - facts.skew_ms
        yield Source("orphans", max(0, due), closed=facts.window_inclusive or due < 0, hi=work)


# -- the properties -----------------------------------------------------------------------------------------------


def result_reaches_client(facts: Facts) -> Outcome:
    """`result-reaches-client`.

    Every terminal outcome is still readable when the first successful poll after it arrives.
    """
    return _retained(facts, sources(facts), "outcome_lost", "no terminal outcome can come about")


def timeout_is_seen(facts: Facts) -> Outcome:
    """`timeout-is-seen`: a task failed by its deadline stays readable until the first successful poll after it."""
    if facts.deadline_ms is None:
        return NotApplicable("no execution deadline: server.execution_deadline is not set")
    timeouts = tuple(source for source in sources(facts) if source.cause == "timeouts")
    return _retained(
        facts, timeouts, "timeout_lost", "the deadline never fails a task: the work, or another limit, ends it before"
    )


def _retained(facts: Facts, found: tuple[Source, ...], harm: str, never: str) -> Outcome:
    legs = facts.legs
    if legs is None:
        return NotApplicable(NO_POLLER)
    if not found:
        return Vacuous(never)
    if not facts.ended_expires:
        return Answer(safe=True, clause="no terminal record is ever removed")
    reaches = [_reach(facts, legs, _unexpired(facts, source)) for source in found]
    harmful = [source for source in found if _harms(facts, legs, source)]
    worst = max(reaches, key=lambda reach: (reach.at is None, reach.at or 0))
    return Answer(
        safe=not harmful,
        clause=_clause(facts, worst.at),
        margin_ms=None if worst.at is None else facts.ttl - worst.at,
        binding=facts.ttl_knobs,
        runs=_runs(facts, legs, harmful),
        harm=harm,
    )


def _harms(facts: Facts, legs: Legs, source: Source) -> bool:
    """Whether an outcome of the source can be lost, as far as its last contact and its next poll decide."""
    if facts.lazy and source.cause != "worker" and complete(legs):
        return bool(_judged_together(facts, legs, source))
    if facts.lazy and source.cause != "worker":
        return _harms_after_lost_reply(facts, legs, source)
    reach = _reach(facts, legs, source)
    if not reach.includes(facts.ttl):
        return False
    if source.cause == "worker" or facts.anchor == "creation" or reach.at is None or facts.period_ms is None:
        return True
    # One sweep stores the outcome and a later one removes it, so their distance is one that the grid has.
    return reach.at - facts.skew_ms >= _apart(facts, source, facts.ttl - facts.skew_ms)[0]


def _harms_after_lost_reply(facts: Facts, legs: Legs, source: Source) -> bool:
    """Whether a poll whose reply gets lost may store an outcome that is gone when the next one succeeds.

    (Or one access does both, which is then not looked into further.)
    """
    due = facts.ttl - facts.skew_ms
    if facts.runs_before(source.cause, "expiry") and (facts.anchor == "creation" or due <= 0):
        return True
    for k, _, _ in legs.starts():
        rest = legs.leg(k, legs.failures_followed).hi
        if rest is None:
            return True
        # From the lost poll's arrival on: without the reply before it, the first gap, and its own way in.
        rest += legs.schedule.restart_ms - facts.latency[1] - (legs.gap(k).hi or 0) - facts.latency[0]
        if (source.hi.plus(rest).leaves(due)) if facts.anchor == "creation" else rest >= due:
            return True
    return False


def _judged_together(facts: Facts, legs: Legs, source: Source) -> list[Contact]:
    """Accesses that store an outcome and remove it at once.

    That is all a lazy judgement can lose unless a poll fails on its way out: any other access that stores an outcome
    also tells it.
    """
    if not facts.runs_before(source.cause, "expiry"):
        return []
    due = facts.ttl - facts.skew_ms
    if facts.anchor != "creation":
        if due > 0:
            return []
        due = 0
    lo = max(source.lo, due)
    step = success(legs, legs.steady) or 1
    hi = source.hi.at if source.hi.at is not None else lo + 3 * step
    return [found for found in contacts(legs, lo, hi) if found.parts and source.hi.admits(found.lo)]


def _apart(facts: Facts, source: Source, least_ms: Ms) -> tuple[Ms, int]:
    """The shortest distance of at least `least_ms` between a sweep that stores an outcome and one that removes it.

    Given with the number of sweep periods between the two; 0 is one and the same sweep, whose expiry pass comes later.
    """
    period, lateness = facts.period_ms, facts.lateness_ms
    assert period is not None
    if least_ms <= 0 and facts.runs_before(source.cause, "expiry"):
        return 0, 0
    periods = max(1, -(-(least_ms - lateness) // period))
    return max(least_ms, periods * period - lateness, 0), int(periods)


def _unexpired(facts: Facts, source: Source) -> Source:
    """The source as it would be if the ttl, which the margin is about, did not itself end running work."""
    if source.cause != "worker" or not facts.running_expires:
        return source
    server = attrs.evolve(facts.config.server, expire_running=False)
    alive = Facts(attrs.evolve(facts.config, server=server)).alive_until()
    return attrs.evolve(source, hi=earliest((Upper(facts.ends[1]), alive)))


def _clause(facts: Facts, worst: Ms | None) -> str:
    what = "the longest time from an outcome to the first successful poll after it"
    if facts.anchor == "creation":
        what = "the latest first poll after an outcome, counted from creation"
    reach = "which has no bound" if worst is None else f"which is {duration(worst)}"
    return f"the ttl ({duration(facts.ttl)} from {facts.anchor}) is longer than {what}, {reach}"


@attrs.frozen
class Reach:
    """Every ttl up to `at` (itself only if `closed`; None: every one) loses an outcome."""

    at: Ms | None
    closed: bool = True

    def includes(self, ttl_ms: Ms) -> bool:
        """Whether this ttl is one of them."""
        return self.at is None or ttl_ms < self.at or (self.closed and ttl_ms == self.at)


def _reach(facts: Facts, legs: Legs, source: Source) -> Reach:
    """Up to which ttl the outcomes of a source can be lost."""
    best = Reach(-1, closed=False)
    of = _from_creation if facts.anchor == "creation" else _from_end
    for piece in _pieces(facts, legs, source):
        reach = of(facts, source, piece)
        if reach is None:
            continue
        if reach.at is None:
            return reach
        at = reach.at + facts.skew_ms
        if best.at is None or at > best.at or (at == best.at and reach.closed):
            best = Reach(at, reach.closed)
    return best


def _pieces(facts: Facts, legs: Legs, source: Source) -> Iterator[Piece]:
    """Contacts that may be the last before an outcome of the source."""
    stop = facts.last_arrival_ms
    last = success(legs, legs.steady)
    if last is None or last == 0:
        yield from pieces(legs, 0, None)
        return
    top = source.hi.at if source.hi.at is not None else stop if stop is not None else None
    if facts.anchor == "creation":
        # The latest contact loses most; without an end every later one does.
        yield from pieces(legs, 0 if top is None else max(0, min(top, stop or top) - last), top)
    else:
        # What counts is the last contact before the source begins, and the first one after.
        yield from pieces(legs, max(0, source.lo - last), source.lo)
        yield from pieces(legs, source.lo, source.lo + last if top is None else top)


def _from_end(facts: Facts, source: Source, piece: Piece) -> Reach | None:
    """The ttl counts from the terminal write: what matters is how long after it the next poll comes."""
    stop = facts.last_arrival_ms
    if piece.hi is not None and piece.hi < source.lo:
        x, closed = source.lo, source.closed
        if not source.hi.leaves(x, closed=closed):
            return None
        p = None if piece.next_ms is None else piece.hi + piece.next_ms
    else:
        x = max(piece.lo, source.lo)
        closed = source.closed or x > source.lo
        if not source.hi.leaves(x, closed=closed):
            return None
        p = None if piece.next_ms is None else x + piece.next_ms
        # A later outcome waits as long for its poll, so an open end of the source costs nothing here.
        closed = closed or stop is None or (p is not None and p < stop)
    if stop is not None and (p is None or p > stop):
        p = stop
    if p is None:
        return Reach(None)
    return None if p < x else Reach(p - x, closed)


def _from_creation(facts: Facts, source: Source, piece: Piece) -> Reach | None:
    """The ttl counts from creation: what matters is when the first poll after the outcome comes."""
    stop = facts.last_arrival_ms
    latest = earliest((Upper(piece.hi), source.hi))
    if not latest.leaves(piece.lo):
        return None
    p = latest if piece.next_ms is not None else Upper(None)
    if piece.next_ms is not None:
        p = p.plus(piece.next_ms)
    p = earliest((p, Upper(stop)))
    if p.at is None:
        return Reach(None)
    return Reach(p.at, p.closed) if p.leaves(source.lo, closed=source.closed) else None


# -- runs ---------------------------------------------------------------------------------------------------------


def _runs(facts: Facts, legs: Legs, harmful: list[Source]) -> Iterator[Callable[[], Trace]]:
    for source in harmful:
        if facts.lazy and source.cause != "worker" and complete(legs):
            for access in _judged_together(facts, legs, source):
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
    apart, periods = _apart(facts, source, due - x)
    if periods == 0:
        return x, phase_for(facts, x)
    removed = x + apart
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


def _limit_of_run(facts: Facts) -> tuple[Ms | None, Ms | None]:
    """When the handle arrives in a run, where that matters, and when the client's limit then stops it."""
    client, ttl, low = facts.config.client, facts.give_up_ttl_ms, facts.latency[0]
    if client.overall_timeout_ms is None:
        return None, ttl
    from_handle = client.overall_timeout_from == "handle"
    stop = client.overall_timeout_ms + (low if from_handle else -low)
    return (low if from_handle else None), stop if ttl is None else min(stop, ttl)


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

    handle, stop = _limit_of_run(facts)
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
