"""When a client can be in contact with its server: arrivals that some run of the schedule really has.

`earliest` contacts are exact (see `Legs.earliest`). For "a contact close to this instant" the runs are searched here
in families that are easy to write down: polls along the ramp, then steady ones, with some failures or the restart gap
before them. Each found contact is a run; that none is found proves nothing, so nothing is concluded from it.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from heapq import heappop, heappush

import attrs

from latchcheck.model.timing.legs import Legs
from latchcheck.model.timing.schedule import Ms, Span
from latchcheck.model.timing.script import Leg, Rounds

FAILING_LEGS_MAX = 24
"""How many failing legs of one kind a family may have; enough to try each remainder of common poll intervals."""


@attrs.frozen
class Contact:
    """A contact that can happen anywhere in `[lo, hi]`, just before poll `k`.

    `parts` are the legs that lead to it: `(k, failed, span, restart)` in the ramp, `("steady", count, span)` after it.
    """

    lo: Ms
    hi: Ms
    k: int
    parts: tuple[tuple[int, int, int, Span], ...]
    restart_used: bool

    @property
    def steady_legs(self) -> int:
        """How many steady legs stand at its end."""
        return self.parts[-1][2] if self.parts else 0

    def legs_to(self, at: Ms, *, told_one_by_one: bool = False) -> tuple[Leg | Rounds, ...]:
        """The legs with lengths that add up to `at`, each as short as the rest allows.

        Many steady legs are told as one, which leaves no room for a sweep to be dodged between them, unless
        `told_one_by_one`.
        """
        left = at - sum(count * span.lo for _, _, count, span in self.parts)
        found: list[Leg | Rounds] = []
        for k, failed, count, span in self.parts:
            assert span.hi is not None
            more = min(left, count * (span.hi - span.lo))
            left -= more
            length = count * span.lo + more
            if count == 1:
                away = self.restart_used and not found
                found.append(Leg(k, failed, length, away=away))
            elif told_one_by_one:
                found += [Leg(k, 0, Fraction(length, count))] * count
            else:
                # The last of them stays a leg of its own, so that something may happen at its very arrival.
                each = Fraction(length, count)
                found += [Rounds(count - 1, each * (count - 1)), Leg(k, 0, each)]
        return tuple(found)


def complete(legs: Legs) -> bool:
    """Whether `contacts` leaves none out: without failures the families are all there is."""
    return legs.failures_followed == 0


COVER_MAX = 12
"""Up to how many different counts of steady legs are looked at one by one."""

REACHABLE_MAX = 400
"""How many ranges of contacts are listed where failures make them intricate."""

ONE_BY_ONE_MAX = 40
"""How many steady legs a run may tell one by one."""


@attrs.frozen
class Piece:
    """Contacts from `lo` to `hi` (None: no end), and how long until the next successful one at most.

    `follows_ms` is how long the client follows its schedule without one, which a last failure can make longer, and
    `soonest_ms` how soon the next one can come.
    Where failures make the true set of contacts intricate, a piece may stand for more than there are.
    """

    lo: Ms
    hi: Ms | None
    next_ms: Ms | None
    follows_ms: Ms | None
    soonest_ms: Ms = 0


def pieces(legs: Legs, lo: Ms, hi: Ms | None) -> Iterator[Piece]:
    """Pieces that cover every contact between `lo` and `hi`; exactly these where `complete`."""
    if complete(legs) and hi is not None:
        for contact in contacts(legs, lo, hi, cover=True):
            restart = not contact.restart_used
            longest = legs.longest(contact.k)
            follows = longest if restart or longest is None else longest - legs.schedule.restart_ms
            soonest = legs.leg(contact.k).lo
            yield Piece(contact.lo, contact.hi, success(legs, contact.k, restart=restart), follows, soonest)
        return
    found = None if hi is None else reachable(legs, hi)
    if found is None or hi is None:
        for k, start, _ in legs.starts():
            yield Piece(start, None, success(legs, k), legs.longest(k), legs.leg(k).lo)
        return
    for k, used, low, high in found:
        if high < lo:
            continue
        longest = legs.longest(k)
        follows = longest if not used or longest is None else longest - legs.schedule.restart_ms
        yield Piece(max(low, lo), min(high, hi), success(legs, k, restart=not used), follows, legs.leg(k).lo)


@lru_cache(maxsize=64)
def reachable(legs: Legs, hi: Ms) -> tuple[tuple[int, bool, Ms, Ms], ...] | None:
    """Every contact up to `hi`: `(next poll, restart gap used, from, to)`; None where there are too many to list.

    Contacts are taken in the order of time; what an earlier range already covers is not followed again.
    """
    restart = legs.schedule.restart_ms
    queue: list[tuple[Ms, Ms, int, bool]] = [(0, 0, 1, False)]
    covered: dict[tuple[int, bool], list[tuple[Ms, Ms]]] = {}
    for _ in range(4 * REACHABLE_MAX):
        if not queue:
            return tuple((k, used, low, high) for (k, used), ranges in covered.items() for low, high in ranges)
        low, high, k, used = heappop(queue)
        ranges = covered.setdefault((k, used), [])
        if any(first <= low and high <= last for first, last in ranges):
            continue
        if ranges and ranges[-1][1] >= low:
            low = ranges[-1][0]
            high = max(high, ranges[-1][1])
            ranges[-1] = (low, high)
        else:
            ranges.append((low, high))
        for failed in range(legs.failures_followed + 1):
            span = legs.leg(k, failed)
            if span.hi is None or span.hi == 0:
                return None
            after = min(k + failed + 1, legs.steady)
            for away, more in ((used, 0), (True, restart)) if restart and not used else ((used, 0),):
                if low + span.lo <= hi:
                    latest = high + span.hi + more
                    heappush(queue, (low + span.lo, min(hi, latest), after, away))
    return None


def ways(contact: Contact, at: Ms) -> Iterator[tuple[Leg | Rounds, ...]]:
    """The legs that lead to a contact, many steady ones told as one, and then one by one where they are few."""
    yield contact.legs_to(at)
    if 1 < contact.steady_legs <= ONE_BY_ONE_MAX:
        yield contact.legs_to(at, told_one_by_one=True)


def success(legs: Legs, k: int, *, restart: bool = True) -> Ms | None:
    """Longest time from a contact before poll `k` to the next successful one."""
    longest = legs.leg(k, legs.failures_followed).hi
    return None if longest is None else longest + (legs.schedule.restart_ms if restart else 0)


def contacts(legs: Legs, lo: Ms, hi: Ms, *, cover: bool = False) -> Iterator[Contact]:
    """Contacts that can happen between `lo` and `hi`; of steady ones the first and the last of each family.

    With `cover` nothing that some family reaches is left out.
    """
    for prefix, used in _prefixes(legs):
        yield from _along(legs, prefix, lo, hi, used=used, cover=cover)


def _prefixes(legs: Legs) -> Iterator[tuple[tuple[tuple[int, int, int, Span], ...], bool]]:
    """What stands before the polls that succeed: nothing, some failing legs, or the restart gap."""
    yield (), False
    restart = legs.schedule.restart_ms
    if restart and legs.gap(1).hi is not None:
        yield ((1, 0, 1, legs.leg(1) + Span(0, restart)),), True
    for failed in range(1, min(legs.failures_followed, 3) + 1):
        for count in range(1, FAILING_LEGS_MAX + 1):
            parts, k = [], 1
            for _ in range(count):
                parts.append((k, failed, 1, legs.leg(k, failed)))
                k += failed + 1
            yield tuple(parts), False


def _along(
    legs: Legs, prefix: tuple[tuple[int, int, int, Span], ...], lo: Ms, hi: Ms, *, used: bool, cover: bool
) -> Iterator[Contact]:
    """Contacts after the prefix and any number of successful polls."""
    low, high, k, parts = 0, 0, 1, list(prefix)
    for _, failed, count, span in prefix:
        if span.hi is None:
            return
        low, high, k = low + count * span.lo, high + count * span.hi, k + failed + 1
    while True:
        if low > hi:
            return
        if high >= lo:
            yield Contact(max(low, lo), min(high, hi), k, tuple(parts), used)
        if k >= legs.steady:
            break
        span = legs.leg(k)
        if span.hi is None:
            return
        parts.append((k, 0, 1, span))
        low, high, k = low + span.lo, high + span.hi, k + 1
    span = legs.leg(k)
    if span.hi is None:
        return
    for count in _counts(span, low, high, lo, hi, cover=cover):
        first, last = low + count * span.lo, high + count * span.hi
        if count and first <= hi and last >= lo:
            yield Contact(max(first, lo), min(last, hi), k, (*parts, (k, 0, count, span)), used)


def _counts(span: Span, low: Ms, high: Ms, lo: Ms, hi: Ms, *, cover: bool) -> list[int]:
    """The fewest and the most steady legs with which a contact falls between `lo` and `hi`."""
    if not span.hi:
        return []
    fewest = max(1, -((high - lo) // span.hi))
    most = fewest if span.lo == 0 else (hi - low) // span.lo
    fewest, most = int(fewest), int(max(fewest, most))
    if cover and most - fewest <= COVER_MAX:
        return list(range(fewest, most + 1))
    # Where so many counts come so close, the second reaches to where the last but one begins.
    inner = {fewest + 1, (fewest + most) // 2, most - 1} if cover else set()
    return sorted({fewest, most} | inner)
