"""Writes runs in which a client leaves and its work goes on, for the stepper to execute.

`Reaper` plays the sweeps that must come, each as late as it may, with clocks that make every limit look far away.
It says only when sweeps come; what they do is decided by the model, and a script that is wrong does not execute.
"""

from collections.abc import Iterator, Mapping

import attrs

from latchcheck.kernel import Trace
from latchcheck.model.timing.abandonment import run_abandoned
from latchcheck.model.timing.schedule import Ms

from .facts import Facts
from .orphan import harmful_errors

Event = tuple[Ms, str, Mapping[str, object]]
SWEEPS_MAX = 8
"""A record is ended, removed, and that is all: more sweeps than this find nothing."""


@attrs.define
class Reaper:
    """The record as sweeps find it, from the first instant on."""

    facts: Facts
    phase: Ms | None
    last_contact: Ms = 0
    ended_at: Ms | None = None
    gone: bool = False
    swept: int = 0

    def events(self, until: Ms, cancelled: Ms | None) -> Iterator[Event]:
        """The sweeps that must come before `until`, and the cancel that arrives at `cancelled`."""
        facts = self.facts
        errors = harmful_errors(facts)
        for _ in range(SWEEPS_MAX):
            at = None if self.phase is None else self._next()
            if cancelled is not None and (at is None or cancelled <= at):
                if cancelled < until:
                    yield cancelled, "tasks/cancel", errors if facts.lazy else {}
                    self._cancel(cancelled)
                cancelled = None
            elif at is None or at >= until:
                return
            else:
                self.sweep(at, -facts.skew_ms, -facts.skew_ms)
                yield at, "sweep", errors

    def _cancel(self, at: Ms) -> None:
        if not self.gone and self.ended_at is None:
            self.ended_at = at
        if "cancel" in self.facts.config.server.contact_includes:
            self.last_contact = at

    @property
    def _anchored(self) -> Ms:
        ended = self.ended_at or 0
        since = {"creation": 0, "activity": max(self.last_contact, ended)}
        return since.get(self.facts.anchor, ended)

    def _sure(self) -> Iterator[tuple[Ms, bool]]:
        """From when on a pass surely acts on the record, and whether at that very instant."""
        facts, skew = self.facts, self.facts.skew_ms
        if self.gone:
            return
        if self.ended_at is None and facts.deadline_ms is not None:
            yield facts.deadline_ms + skew, False
        if self.ended_at is None and facts.window_ms is not None:
            yield self.last_contact + facts.window_ms + skew, facts.window_inclusive
        if facts.running_expires if self.ended_at is None else facts.ended_expires:
            yield self._anchored + facts.ttl + skew, True

    def _next(self) -> Ms | None:
        """The first sweep that must find something, as late as it may be."""
        period, phase = self.facts.period_ms, self.phase
        assert period is not None
        assert phase is not None
        numbers = [
            max(self.swept, 0, -((phase - sure) // period) if inclusive else (sure - phase) // period + 1)
            for sure, inclusive in self._sure()
        ]
        if not numbers:
            return None
        return phase + min(numbers) * period + self.facts.lateness_ms

    def sweep(self, at: Ms, anchor_error: Ms, error: Ms) -> None:
        """What one sweep does to the record."""
        facts = self.facts
        if facts.period_ms is not None and self.phase is not None:
            behind = -((facts.lateness_ms + self.phase - at) // facts.period_ms)
            self.swept = max(self.swept, behind) + 1
        for name in facts.config.server.sweep_order:
            running = self.ended_at is None and not self.gone
            if name == "timeouts" and facts.deadline_ms is not None and running and at + error > facts.deadline_ms:
                self.ended_at = at
            if name == "orphans" and facts.window_ms is not None and running:
                silence = at - self.last_contact + error
                if silence > facts.window_ms or (facts.window_inclusive and silence == facts.window_ms):
                    self.ended_at = at
            if name == "expiry" and not self.gone and facts.ttl_ms is not None:
                self._expire(at, anchor_error, running=running)

    def _expire(self, at: Ms, error: Ms, *, running: bool) -> None:
        facts = self.facts
        if at - self._anchored + error < facts.ttl or not (facts.running_expires if running else facts.ended_expires):
            return
        if running and facts.config.server.expiry_action in ("fail", "cancel"):
            self.ended_at = at
        else:
            self.gone = True


def told_late(facts: Facts, phase: Ms | None, cancelled: Ms | None, at: Ms, bound: Ms) -> Trace:
    """The client leaves at once, every limit acts as late as it may, and the work still runs at `at`."""
    events = [(0, "create", _phase(phase)), (0, "leave", {}), *Reaper(facts, phase).events(at, cancelled)]
    return run_abandoned(facts.config, [*events, (at, "still_running", {})], bound)


def told_early(facts: Facts, stamp: str, told: Ms, at: Ms, bound: Ms) -> Trace:
    """The client leaves at once, a limit acts as early as it can, at `told`, and the work still runs at `at`."""
    phase = None if facts.period_ms is None else told % facts.period_ms
    reaper = Reaper(facts, phase)
    # Whatever else this sweep finds, the record is no longer working after it.
    reaper.sweep(told, -facts.skew_ms, facts.skew_ms)
    events = [(0, "create", _phase(phase)), (0, "leave", {}), (told, "sweep", harmful_errors(facts, stamp))]
    events += reaper.events(at, None)
    return run_abandoned(facts.config, [*events, (at, "still_running", {})], bound)


def _polled(facts: Facts, until: Ms) -> Iterator[Event]:
    """The client polls up to an instant, so often that nobody takes its task for an orphan where once is too seldom."""
    reclaims = None if facts.window_ms is None else facts.window_ms + facts.skew_ms + (facts.spacing_ms or 0)
    if reclaims is not None and reclaims <= until:
        yield 0, "polls", {"until": until}
        yield until, "polls_end", {}
    else:
        yield until, "tasks/get", {}


def _phase(phase: Ms | None) -> dict[str, object]:
    return {} if phase is None else {"sweep_phase": phase}


def expired_first(facts: Facts, phase: Ms | None, after: Ms, bound: Ms) -> Trace:
    """The task expires as early as it can, its client leaves, and nothing finds the record any more.

    The work still runs `after` later.
    """
    high, expires = facts.latency[1], max(0, facts.ttl - facts.skew_ms)
    late = harmful_errors(facts, "error_anchor")
    cancels = facts.config.client.cancel_on_abandon
    events: list[Event] = [(0, "create", _phase(phase))]
    activity = facts.anchor == "activity"
    if facts.lazy:
        # The cancel itself is the access that finds the task expired.
        left = 0 if activity else max(0, expires - high)
        events += [(left, "leave", {}), (left + high, "tasks/cancel", late)]
    else:
        left = 0 if activity else expires
        events += [(0, "leave", {})] if activity else list(_polled(facts, expires))
        reaper = Reaper(facts, phase, last_contact=left)
        reaper.sweep(expires, facts.skew_ms, -facts.skew_ms)
        events.append((expires, "sweep", late))
        events += [] if activity else [(expires, "leave", {})]
        events += reaper.events(left + after, left + high if cancels else None)
    return run_abandoned(facts.config, [*events, (left + after, "still_running", {})], bound)
