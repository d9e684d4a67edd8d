"""Every way a client can poll from one contact to the next (semantics.md section 2).

A *silence* starts at a contact (creation, or the arrival of a poll) and lasts until the next one.
Within it the client waits for a reply, waits out gaps, sends polls that never arrive, may be away
once in its life, and stops at its limit.  `Poller.explore` follows all of it at once for all
environments, in offsets from the contact.
"""

from collections import defaultdict

from attrs import Factory, define, evolve, frozen

from tests.agreement.brute_grid import INF, World
from tests.agreement.brute_packing import Packing

STOPPED = -1
"""The failure count of a client that has stopped for too many failures in a row."""


@frozen(slots=True)
class Stance:
    """What the client remembers at a contact: the next poll's number, failures in a row, restart used."""

    poll: int
    failures: int
    away_used: bool


@frozen(slots=True)
class Wait:
    """A gap about to start: by whom, whether it was away in this silence (0 or 1), and at which offsets."""

    stance: Stance
    away: int
    starts: int


@define(slots=True)
class Silence:
    """What can happen in the silence after one contact, packed by (offset, environment).

    Index 0 of a pair: the client was not away in this silence; index 1: it was, or is.
    `waiting`: no contact yet, and not stopped by its errors (its limit is not looked at here).
    `arrivals`: the next contact.  `quiet`: environments in which no contact need ever follow;
    `quiet_by_limit`: those in which its limit is the reason.
    `follow`: stance at the next contact -> offset -> packed offsets, from that contact, at which
    the client's next gap starts.
    """

    waiting: list[int] = Factory(lambda: [0, 0])
    arrivals: list[int] = Factory(lambda: [0, 0])
    quiet: int = 0
    quiet_by_limit: int = 0
    follow: dict = Factory(lambda: defaultdict(lambda: defaultdict(int)))

    def absorb(self, other: "Silence") -> None:
        """Add what another stance at the same contact can do."""
        for i in (0, 1):
            self.waiting[i] |= other.waiting[i]
            self.arrivals[i] |= other.arrivals[i]
        self.quiet |= other.quiet
        self.quiet_by_limit |= other.quiet_by_limit
        for stance, offsets in other.follow.items():
            for offset, refs in offsets.items():
                self.follow[stance][offset] |= refs


@frozen(slots=True)
class Poller:
    """The client of a world; `limits[e]` is the instant of its limit in environment e."""

    world: World
    packing: Packing
    may_send: int
    stopped: int

    @classmethod
    def of(cls, world: World, packing: Packing, limits: list[int], width: int) -> "Poller":
        """Masks over absolute instants: up to the limit a poll may be sent, from it on it need not."""
        may_send = stopped = 0
        for limit in set(limits):
            mine = sum(1 << e for e, other in enumerate(limits) if other == limit)
            if limit >= 0:
                may_send |= packing.spread(mine, 0, min(limit, width - 1))
            if limit < width:
                start = max(0, limit)
                stopped |= packing.spread(mine, start, width - 1)
        return cls(world, packing, may_send, stopped)

    def explore(self, contact: int, stance: Stance, refs: int) -> Silence:
        """All continuations from offsets `refs` at which the client's next gap starts."""
        silence, packing = Silence(), self.packing
        silence.waiting[0] |= packing.upto(refs)
        if stance.failures == STOPPED:
            silence.quiet |= packing.anywhere(refs)
            silence.quiet_by_limit |= packing.anywhere(refs & packing.later(self.stopped, -contact))
            return silence
        may_send = packing.later(self.may_send, -contact)
        stopped = packing.later(self.stopped, -contact)
        queue = [Wait(stance, 0, refs)]
        while queue:
            wait = queue.pop()
            queue += self._gap(silence, wait, 0, may_send, stopped)
            if self.world.restart_gap and not wait.stance.away_used:
                away = Wait(evolve(wait.stance, away_used=True), 1, wait.starts)
                queue += self._gap(silence, away, self.world.restart_gap, may_send, stopped)
        return silence

    def _gap(self, silence: Silence, wait: Wait, extra: int, may_send: int, stopped: int) -> list[Wait]:
        """One gap and the poll after it; the wait after that poll fails on its way in, if it can."""
        world, packing, stance = self.world, self.packing, wait.stance
        low, high = world.gaps.before(stance.poll, stance.failures)
        waiting = packing.spread(wait.starts, 0, high + extra)
        silence.waiting[wait.away] |= waiting
        by_limit = packing.anywhere(waiting & stopped)
        silence.quiet_by_limit |= by_limit
        silence.quiet |= by_limit
        sent = packing.spread(wait.starts, low, high + extra) & may_send
        if not sent:
            return []
        silence.waiting[wait.away] |= packing.spread(sent, 0, world.latency[1])
        silence.arrivals[wait.away] |= packing.spread(sent, *world.latency)
        answered = Stance(min(stance.poll + 1, len(world.gaps.after)), 0, stance.away_used)
        self._answered(silence, answered, sent)
        if stance.failures >= world.failures_max:
            return []
        failed = evolve(answered, failures=stance.failures + 1)
        stops = failed.failures >= world.errors_max
        self._lost(silence, evolve(failed, failures=STOPPED) if stops else failed, sent)
        silence.waiting[wait.away] |= packing.spread(sent, 0, world.request_timeout)
        noticed = packing.later(sent, world.request_timeout)
        if stops:
            silence.quiet |= packing.anywhere(noticed)
            silence.quiet_by_limit |= packing.anywhere(noticed & stopped)
            return []
        return [Wait(failed, wait.away, noticed)]

    def _answered(self, silence: Silence, stance: Stance, sent: int) -> None:
        """The poll arrives and its reply comes back."""
        packing, latency = self.packing, self.world.latency
        starts = silence.follow[stance]
        for offset, environments in packing.instants(packing.spread(sent, *latency)):
            starts[offset] |= packing.spread(environments, *latency)

    def _lost(self, silence: Silence, stance: Stance, sent: int) -> None:
        """The poll arrives and its reply is lost: noticed one request timeout after it was sent."""
        packing, (low, high) = self.packing, self.world.latency
        starts = silence.follow[stance]
        for offset, _ in packing.instants(packing.spread(sent, low, high)):
            window = sent & packing.between(offset - high, offset - low)
            starts[offset] |= packing.later(window, self.world.request_timeout - offset)


def limit_choices(world: World) -> list[tuple[int, int | None]]:
    """Pairs (limit instant, offset of the create reply or None for any), one an environment.

    The call was sent one request latency before time 0, the create reply takes another latency,
    and a give-up at the advertised ttl counts from creation.
    """
    low, high = world.latency
    give_up = min(world.give_up, INF)
    if world.overall_timeout >= INF:
        return [(give_up, None)]
    trips = range(low, high + 1)
    if world.overall_from == "call":
        return [(min(give_up, world.overall_timeout - trip), None) for trip in trips]
    return [(min(give_up, world.overall_timeout + trip), trip) for trip in trips]
