"""What surely ends the record of a task whose client has left, and what can come before it.

A pass that surely fires from an instant x on acts at the next sweep, at x + period + lateness at the latest. A record
that expired while its work runs can no longer be ended by anything else.
All windows and instants are in ms.
"""

from collections.abc import Iterator

import attrs

from latchcheck.model.timing.schedule import Ms

from .facts import Facts


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
