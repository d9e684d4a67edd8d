"""Every way in which a terminal outcome can come about, and when."""

from collections.abc import Iterator

import attrs

from latchcheck.model.timing.schedule import Ms
from latchcheck.model.timing.server import FINEST_PERIOD_MS

from .bounds import Upper, earliest
from .facts import Facts
from .orphan import judged, silences


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
        hi = earliest((work, facts.alive_until("timeouts"), _after_due(facts, facts.deadline_ms, beyond=True)))
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


def _after_due(facts: Facts, limit: Ms, *, beyond: bool = False) -> Upper:
    """Latest sweep that can be the first to act on a limit.

    What acts only `beyond` its limit needs an instant there, which an exact timer finds within a millisecond.
    """
    if facts.lazy:
        # The first access after the limit acts, and accesses come at most one silence apart.
        longest = None if facts.legs is None else facts.legs.longest(facts.legs.steady)
        return Upper(None if longest is None else limit + facts.skew_ms + longest)
    if facts.spacing_ms is None:
        return Upper(None)
    return Upper(limit + facts.skew_ms + max(facts.spacing_ms, FINEST_PERIOD_MS if beyond else 0))


def _orphan_source(facts: Facts, window: Ms) -> Iterator[Source]:
    """Orphans reclaimed under a client that will poll again, where there are any."""
    if any(judged(facts, silence) is not None for silence in silences(facts)):
        work = earliest((Upper(facts.ends[1]), facts.alive_until("orphans")))
        due = window - facts.skew_ms
        yield Source("orphans", max(0, due), closed=facts.window_inclusive or due < 0, hi=work)
