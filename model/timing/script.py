"""A run of the timed model written down as a script: which legs the client takes, how long each, and what else happens.

A script says only what is chosen; `Script.events` turns it into the steps that the stepper executes.
A script that asks for something impossible does not execute: nothing here decides what is allowed.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import attrs

from latchcheck.kernel import Trace

from ..config import Config
from .legs import Legs
from .schedule import Ms, Span
from .system import Event, run


@attrs.frozen
class Leg:
    """One leg that a script takes: the poll it starts with, how many polls fail first, and how long it lasts.

    `reply_lost` lists which of the failing polls still reach the server (1 is the first); `away` says that the client
    leaves for its restart gap in the first gap of the leg.
    """

    k: int
    failed: int
    length_ms: Ms
    reply_lost: frozenset[int] = frozenset()
    away: bool = False


@attrs.frozen
class Rounds:
    """Several steady legs in a row without a failure, `length_ms` from their first contact to their last."""

    count: int
    length_ms: Ms


@attrs.frozen
class Cut:
    """An event besides the client's own schedule: `before` puts it ahead of the client's events of the same instant."""

    at_ms: Ms
    action: str
    args: Mapping[str, object] = attrs.field(factory=dict)
    before: bool = True


@attrs.define
class Script:
    """A client's legs and everything else that happens, up to an instant.

    `call_latency_ms` is how long the call travelled before creation; `until_ms` cuts the client's own events off
    (those at that very instant are kept only with `keep_last`).
    `access` are the clock errors of every `tasks/get`, where accesses are judged; `last_access` those of the last one,
    `first_lost` those of the first of the last leg, when its reply gets lost.
    """

    legs: Legs
    taken: Sequence[Leg | Rounds]
    cuts: Sequence[Cut]
    until_ms: Ms
    call_latency_ms: Ms = 0
    phase_ms: Ms | None = None
    keep_last: bool = False
    access: Mapping[str, object] = attrs.field(factory=dict)
    last_access: Mapping[str, object] | None = None
    first_lost: Mapping[str, object] | None = None
    handle_ms: Ms | None = None

    def events(self) -> list[Event]:
        """The steps of the run, in order: `(instant, action, args)`."""
        create: dict[str, object] = {"call_latency": self.call_latency_ms}
        if self.phase_ms is not None:
            create["sweep_phase"] = self.phase_ms
        own: list[Event] = [(0, "create", create)]
        at: Ms = 0
        heard: Ms | None = None
        for number, leg in enumerate(self.taken):
            if isinstance(leg, Rounds):
                steps, at, heard = self._rounds(leg, at, first=number == 0)
            else:
                steps, at = self._leg(leg, at, first=number == 0, heard=heard)
                heard = None
            own.extend(steps)
        own = self._with_access_errors([event for event in own if self._kept(event[0])])
        keyed = [(event[0], 1, i, event) for i, event in enumerate(own)]
        # Two ways for a tie: a cut stands before the client's events of its instant, or after them.
        keyed += [
            (cut.at_ms, 0 if cut.before else 2, i, (cut.at_ms, cut.action, cut.args)) for i, cut in enumerate(self.cuts)
        ]
        keyed.sort(key=lambda item: (item[0], 1 if item[3][1] == "create" else item[1], item[2]))
        return [item[3] for item in keyed]

    def _kept(self, at: Ms) -> bool:
        return at < self.until_ms or (self.keep_last and at == self.until_ms)

    def _with_access_errors(self, own: list[Event]) -> list[Event]:
        if not self.access:
            return own
        gets = [i for i, event in enumerate(own) if event[1] == "tasks/get"]
        errors = dict.fromkeys(gets, self.access)
        if gets and self.last_access is not None:
            errors[gets[-1]] = self.last_access
        ending = self.taken[-1] if self.taken else None
        if self.first_lost is not None and isinstance(ending, Leg) and ending.reply_lost:
            errors[gets[-1 - len(ending.reply_lost)]] = self.first_lost
        return [(at, action, errors.get(i, args)) for i, (at, action, args) in enumerate(own)]

    def _rounds(self, rounds: Rounds, start: Ms, *, first: bool) -> tuple[list[Event], Ms, Ms]:
        """Events of several steady legs, the instant of their last contact, and that of the reply to it."""
        latency, gap = self.legs.schedule.latency, self.legs.gap(self.legs.steady).hi
        low: Ms = latency.lo
        if gap is not None and latency.hi is not None:
            # As much of a long leg as its gap and its way in cannot take.
            low = min(latency.hi, max(low, Fraction(rounds.length_ms) / rounds.count - gap - latency.hi))
        heard_first = start + (low if not first or self.handle_ms is None else self.handle_ms)
        contact = start + rounds.length_ms
        heard = contact + (heard_first - start)
        return (
            [
                (heard_first, "handle_arrives" if first else "reply_arrives", {}),
                (heard_first, "polls", {"count": rounds.count, "until": heard}),
                (heard, "polls_end", {}),
            ],
            contact,
            heard,
        )

    def _leg(self, leg: Leg, start: Ms, *, first: bool, heard: Ms | None) -> tuple[list[Event], Ms]:
        """Events of one leg from the contact at `start`, and the instant of the contact that ends it.

        `heard` is when the reply to that contact arrived, where that is part of the rounds before.
        """
        legs, schedule = self.legs, self.legs.schedule
        timeout = schedule.request_timeout_ms or 0
        spans = [schedule.latency, legs.gap(leg.k)]
        spans += [legs.error_gap(leg.k + failure, failure) for failure in range(1, leg.failed + 1)]
        spans.append(schedule.latency)
        fixed = self.handle_ms if first and heard is None else None if heard is None else heard - start
        lengths = self._spread(spans, leg.length_ms - leg.failed * timeout, fixed)
        at = start + lengths[0]
        events: list[Event] = []
        if heard is None:
            events.append((at, "handle_arrives" if first else "reply_arrives", {}))
        if leg.away:
            events.append((at, "leave", {}))
        failures = schedule.failures > 0
        for failure in range(leg.failed + 1):
            at += lengths[1 + failure]
            lost = failure < leg.failed
            reached = lost and failure + 1 in leg.reply_lost
            fate = ("reply_lost" if reached else "request_lost") if lost else "answered"
            events.append((at, "poll", {"fate": fate} if failures else {}))
            if reached:
                events.append((at + schedule.latency.lo, "tasks/get", {}))
            if lost:
                at += timeout
                events.append((at, "failure_noticed", {}))
        at += lengths[-1]
        events.append((at, "tasks/get", {}))
        return events, at

    def _spread(self, spans: Sequence[Span], total: Ms, fixed: Ms | None) -> list[Ms]:
        """Lengths of the parts that add up to `total`; the gap takes what is left, beyond its greatest if it must.

        `fixed` is the length of the first part where it is given.
        """
        lengths: list[Ms] = [span.lo for span in spans]
        if fixed is not None:
            lengths[0] = fixed
        left = total - sum(lengths)
        for i, span in enumerate(spans):
            if i == 0 and fixed is not None:
                continue
            room = left if span.hi is None else min(left, span.hi - lengths[i])
            if room > 0:
                lengths[i] += room
                left -= room
        if left > 0:
            lengths[1] += left
        return lengths

    def run(self, config: Config) -> Trace:
        """Execute the script on the model; raises NotAStep at the first event that the model does not allow."""
        return run(config, self.events())
