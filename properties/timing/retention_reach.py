"""How long an outcome can wait for the first successful poll after it, and how close removal can follow it."""

from collections.abc import Iterator

import attrs

from latchcheck.model.timing.legs import Legs
from latchcheck.model.timing.schedule import Ms

from .bounds import Upper, earliest
from .contacts import Contact, Piece, contacts, pieces, success
from .facts import Facts
from .outcomes import Source


@attrs.frozen
class Reach:
    """Every ttl up to `at` (itself only if `closed`; None: every one) loses an outcome."""

    at: Ms | None
    closed: bool = True

    def includes(self, ttl_ms: Ms) -> bool:
        """Whether this ttl is one of them."""
        return self.at is None or ttl_ms < self.at or (self.closed and ttl_ms == self.at)


def reach_of(facts: Facts, legs: Legs, source: Source) -> Reach:
    """Up to which ttl the outcomes of a source can be lost."""
    if legs.grows_on and source.hi.at is None and facts.last_arrival_ms is None:
        return Reach(None, closed=False)
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
        if top is None:
            yield from pieces(legs, 0, None)
            return
        # A poll after the last contact may no longer be sent, so what counts may be the contact before it.
        lo = min(top, top if stop is None else stop)
        yield from pieces(legs, max(0, lo - 2 * last), max(0, lo - last))
        yield from pieces(legs, max(0, lo - last), top)
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
    if stop is not None and piece.lo + piece.soonest_ms > stop:
        return None
    if stop is not None and (p is None or p > stop):
        p = stop
    if p is None:
        return Reach(None)
    return None if p < x else Reach(p - x, closed)


def _from_creation(facts: Facts, source: Source, piece: Piece) -> Reach | None:
    """The ttl counts from creation: what matters is when the first poll after the outcome comes."""
    stop = facts.last_arrival_ms
    latest = earliest((Upper(piece.hi), source.hi))
    if not latest.leaves(piece.lo) or (stop is not None and piece.lo + piece.soonest_ms > stop):
        return None
    p = latest if piece.next_ms is not None else Upper(None)
    if piece.next_ms is not None:
        p = p.plus(piece.next_ms)
    p = earliest((p, Upper(stop)))
    if p.at is None:
        return Reach(None)
    return Reach(p.at, p.closed) if p.leaves(source.lo, closed=source.closed) else None


def harms_after_lost_reply(facts: Facts, legs: Legs, source: Source) -> bool:
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


def judged_together(facts: Facts, legs: Legs, source: Source) -> list[Contact]:
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


def apart(facts: Facts, source: Source, least_ms: Ms) -> tuple[Ms, int]:
    """The shortest distance of at least `least_ms` between a sweep that stores an outcome and one that removes it.

    Given with the number of sweep periods between the two; 0 is one and the same sweep, whose expiry pass comes later.
    """
    period, lateness = facts.period_ms, facts.lateness_ms
    assert period is not None
    if least_ms <= 0 and facts.runs_before(source.cause, "expiry"):
        return 0, 0
    periods = max(1, -(-(least_ms - lateness) // period))
    return max(least_ms, periods * period - lateness, 0), int(periods)
