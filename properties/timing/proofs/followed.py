"""The legs of the client as expressions: how long each takes, what stops it, and where the client can stand meanwhile.

The delays and earliest contacts are functions of the poll's number, known by their recurrences alone: nothing here
unrolls a ramp.
"""

from collections.abc import Sequence
from typing import Any

import attrs
import z3

from latchcheck.kernel import Clause
from latchcheck.model.timing.terms import CAUSE, CLIENT, FATE, STATUS, V, least

from .recorded import FOLLOWED, UNTOLD, ZERO, R, Range, Recorded, either

DELAY: Any = z3.Function("delay_before", z3.IntSort(), z3.RealSort())
"""Nominal delay before poll k."""
FIRST: Any = z3.Function("earliest_contact", z3.IntSort(), z3.RealSort())
"""A number that no contact followed by poll k comes before."""


@attrs.frozen(slots=False)
class Followed(Recorded):
    """A shape of configuration whose client is followed from contact to contact."""

    # -- what ends the wait or the task -------------------------------------------------------------------------

    @property
    def told_ttl(self) -> Any | None:
        """The ttl that makes the client give up, or None."""
        gives_up = self.config.client.ttl_mode == "give-up" and "advertised_ttl" in self.system.parameters
        return self.number("advertised_ttl") if gives_up else None

    def stop(self, *, call: Any = None, handle: Any = None) -> Any | None:
        """When the client's limits stop it, after a call that took `call` or a handle that came at `handle`."""
        limits = [] if self.told_ttl is None else [self.told_ttl]
        if "overall_timeout" in self.system.parameters:
            start = -call if self.config.client.overall_timeout_from == "call" else handle
            limits.append(start + self.number("overall_timeout"))
        return least(limits) if limits else None

    def latest_stop(self, k: Any) -> Any | None:
        """Latest instant at which the client's limits stop it, a later handle only where it is the first contact.

        Elsewhere a later handle makes every contact as much later, and wins nothing.
        """
        lo, hi = self.latency.lo, self.latency.hi
        return self.stop(call=lo, handle=z3.If(k == 1, hi, lo))

    def earliest_stop(self) -> Any | None:
        """Earliest instant at which the client's limits stop it: after a slow call, or a handle that came soon."""
        return self.stop(call=self.latency.hi, handle=self.latency.lo)

    def unheard(self) -> list[Clause]:
        """Lemmas: of an outcome that is stored, the client has heard nothing at a contact before it."""
        ended = V["status"] != STATUS["working"]
        waits = z3.Or(either("calling", "pausing", "asking", "leaving"), UNTOLD)
        lemmas = [
            Clause("no contact told of it", z3.Implies(z3.And(waits, ended), R["leg_from"] <= V["ended_at"])),
            Clause("an outcome has a cause, and a cause an outcome", (V["cause"] == CAUSE["none"]) == z3.Not(ended)),
            Clause("an outcome is past", z3.And(V["ended_at"] >= 0, V["ended_at"] <= V["now"])),
        ]
        if self.work_ends is not None:
            in_time = z3.Implies(ended, V["ended_at"] <= self.work_ends)
            lemmas.append(Clause("it came while the work could run", in_time))
        return lemmas

    def stops_in_time(self) -> list[Clause]:
        """Lemma: the limit lies where the call and the handle put it."""
        lo, hi = self.latency.lo, self.latency.hi
        if not self.poller.limited():
            return []
        waiting, at = either("hearing", "pausing", "asking"), V["give_up_at"]
        calling = V["client"] == CLIENT["calling"]
        if self.config.client.overall_timeout_from == "call":
            latest, soonest = self.stop(call=lo), self.stop(call=hi)
            goal = z3.Implies(z3.Or(waiting, calling), z3.And(at <= latest, at >= soonest))
        else:
            ttl = self.told_ttl
            goal = z3.And(
                z3.Implies(waiting, at == self.stop(handle=R["handle_at"])),
                z3.Implies(calling, at == ttl) if ttl is not None else z3.Implies(calling, at >= self.stop(handle=hi)),
            )
        return [Clause("the limit is where it was set", goal)]

    # -- the schedule as functions of the poll's number ---------------------------------------------------------

    def schedule(self, *polls: Any) -> list[Any]:
        """The recurrence of the delays, and what it needs to begin, where a step reads it: at these polls."""
        known: list[Any] = [DELAY(1) == self.poller.first_nominal(), DELAY(1) >= 0]
        for k in polls:
            known += [DELAY(k + 1) == self.poller.grown(DELAY(k)), DELAY(k) >= 0]
        return known

    def gap(self, k: Any) -> Range:
        """The gap before poll k after a success."""
        low, high = (z3.RealVal(str(factor)) for factor in self.config.client.jitter)
        return Range(self.poller.bound(DELAY(k) * low), self.poller.bound(DELAY(k) * high))

    def error_nominal(self, in_a_row: int) -> Any:
        """Nominal delay after the `in_a_row`-th failure."""
        client = self.config.client
        delay: Any = self.number("error_initial_delay")
        for one in range(1, in_a_row + 1):
            if one > 1:
                delay = delay * z3.RealVal(str(client.error_multiplier))
            if client.error_max_delay_ms is not None:
                delay = least([delay, self.number("error_max_delay")])
        return delay

    def error_gap(self, k: Any, in_a_row: int) -> Range:
        """Gap after the `in_a_row`-th failure in a row, before poll k."""
        if self.config.client.error_initial_delay_ms is None:
            return self.gap(k)
        gap = self.poller.bound(self.error_nominal(in_a_row))
        return Range(gap, gap)

    def paused(self, k: Any, failed: int) -> Range:
        """From the contact before poll k to the gap after the `failed`-th failure (0: the first gap)."""
        if failed == 0:
            return self.latency
        return self.sent(k, failed - 1) + Range(self.timeout, self.timeout)

    def sent(self, k: Any, failed: int) -> Range:
        """From the contact before poll k to the sending of a poll, `failed` polls having failed before it."""
        gap = self.gap(k) if failed == 0 else self.error_gap(k + failed, failed)
        return self.paused(k, failed) + gap

    def leg(self, k: Any, failed: int) -> Range:
        """From a contact to the arrival of the next successful poll."""
        return self.sent(k, failed) + self.latency

    def longest(self, k: Any) -> Any:
        """Longest silence that starts before poll k, the client following its schedule and once being away."""
        leg = self.leg(k, self.followed).hi
        if self.stopping is not None:
            noticed = self.paused(k, self.stopping).hi
            leg = z3.If(noticed > leg, noticed, leg)
        return leg + self.restart

    def success(self, k: Any) -> Any:
        """Longest time from a contact before poll k to the next successful one."""
        return self.leg(k, self.followed).hi + self.restart

    def contacts(self, k: Any) -> list[Any]:
        """That `FIRST` comes before every contact: creation is one, and a leg takes its least time at least."""
        steps = [FIRST(k + failed + 1) <= FIRST(k) + self.leg(k, failed).lo for failed in range(self.followed + 1)]
        return [FIRST(1) == 0, *steps]

    # -- where the client can stand -----------------------------------------------------------------------------

    def polls_read(self) -> list[Any]:
        """Numbers of polls at which a step reads the recurrences."""
        return [R["leg_poll"] + failed for failed in range(self.failures + 2)]

    def standing(self) -> list[Clause]:
        """Lemmas: since its last heard contact the client has taken no longer, and no less, than its leg allows."""
        client, k, since = V["client"], R["leg_poll"], V["since"]
        # A client that stopped while a poll was out is still followed until that poll arrives.
        pausing, waiting = client == CLIENT["pausing"], FOLLOWED
        lemmas = [
            Clause("nothing happens before creation", self._untouched()),
            Clause("nothing was told as one", client != CLIENT["cycling"]),
            Clause(
                "instants are past", z3.Implies(waiting, z3.And(since <= V["now"], R["leg_from"] <= V["last_contact"]))
            ),
            Clause("a contact is past", V["last_contact"] <= V["now"]),
            Clause("the handle comes first", z3.Implies(waiting, z3.And(k >= 1, R["next_poll"] >= k))),
            Clause(
                "while a message from the server travels, its contact is the last heard",
                z3.Implies(either("calling", "hearing"), z3.And(since == R["leg_from"], R["next_poll"] == k)),
            ),
            Clause("the handle is a reply to the creation", self._handle()),
            Clause("the delay is that of the next poll", z3.Implies(waiting, V["nominal"] == DELAY(R["next_poll"]))),
            Clause("failures are few", z3.Implies(waiting, z3.And(V["failures"] >= 0, V["failures"] <= self.failures))),
            Clause("a failing poll is one failure more", self._failing()),
            Clause(
                "only a gap is prolonged", z3.Implies(z3.And(waiting, V["away_now"]), z3.And(V["away_used"], pausing))
            ),
            Clause("to leave uses the restart up", z3.Implies(V["away"], V["away_used"])),
        ]
        if "restart_gap" not in self.system.parameters:
            lemmas.append(Clause("no restart gap, nobody leaves", z3.Not(V["away_used"])))
        if self.stopping is not None:
            lemmas.append(
                Clause(
                    "too many failures stop it",
                    z3.Implies(either("pausing", "asking", "leaving"), V["failures"] < self.stopping),
                )
            )
        for failed in range(self.followed + 1):
            lemmas += self._in_time(failed)
        return lemmas

    def _in_time(self, failed: int) -> list[Clause]:
        """Lemmas: after so many failures in a row the gap began, and the poll was sent, within the leg."""
        k, since = R["leg_poll"], V["since"]
        paused, sent = self.paused(k, failed), self.sent(k, failed)
        backs_off = failed and self.config.client.error_initial_delay_ms is not None
        nominal = [V["error_nominal"] == self.error_nominal(failed)] if backs_off else []
        away = z3.If(V["away_used"], self.restart, ZERO)
        away_before = z3.If(z3.And(V["away_used"], z3.Not(V["away_now"])), self.restart, ZERO)
        pausing = z3.And(V["client"] == CLIENT["pausing"], V["failures"] == failed)
        asking = z3.And(either("asking", "leaving"), V["failures"] == failed)
        began = z3.And(since >= self._base() + paused.lo, since <= R["leg_from"] + paused.hi + away_before)
        was_sent = z3.And(since >= self._base() + sent.lo, since <= R["leg_from"] + sent.hi + away)
        return [
            Clause(
                f"the gap after {failed} failures began in time",
                z3.Implies(pausing, z3.And(began, R["next_poll"] == k + failed, *nominal)),
            ),
            Clause(
                f"the poll after {failed} failures was sent in time",
                z3.Implies(asking, z3.And(was_sent, R["next_poll"] == k + failed + 1, *nominal)),
            ),
        ]

    def _base(self) -> Any:
        """The contact of the leg; where the handle came late, as much later, as every contact after it then is."""
        return z3.If(R["leg_poll"] == 1, R["handle_at"] - self.latency.lo, R["leg_from"])

    def no_sooner(self) -> list[Clause]:
        """Lemma: no contact comes before `FIRST`, nor sooner after a late handle."""
        late = R["handle_at"] - self.latency.lo
        first = FIRST(R["leg_poll"])
        sooner = z3.And(R["leg_from"] >= first, z3.Implies(R["leg_poll"] > 1, R["leg_from"] >= first + late))
        return [Clause("no contact comes sooner than it can", z3.Implies(FOLLOWED, sooner))]

    def left_after_reply(self) -> Clause:
        """Lemma: who is away has heard of the last contact before."""
        away = z3.And(either("pausing", "asking"), V["now"] >= self._base() + self.latency.lo)
        waiting = either("calling", "hearing", "pausing", "asking")
        return Clause("it left after the reply", z3.Implies(z3.And(waiting, V["away"]), away))

    def _untouched(self) -> Any:
        absent = V["client"] == CLIENT["absent"]
        idle = [V["now"] == 0, V["last_contact"] == 0, V["failures"] == 0, R["leg_from"] == 0, R["next_poll"] == 0]
        return z3.Implies(absent, z3.And(*idle, V["since"] == 0, z3.Not(V["away_used"]), z3.Not(V["away_now"])))

    def _handle(self) -> Any:
        calling = z3.And(R["leg_poll"] == 1, R["leg_from"] == 0, V["failures"] == 0, z3.Not(V["away_used"]))
        later = z3.And(R["handle_at"] >= self.latency.lo, R["handle_at"] <= self.latency.hi)
        first = z3.Implies(R["leg_poll"] == 1, R["leg_from"] == 0)
        return z3.And(
            z3.Implies(V["client"] == CLIENT["calling"], calling),
            z3.Implies(either("hearing", "pausing", "asking", "leaving"), z3.And(later, first)),
            z3.Implies(V["client"] == CLIENT["hearing"], R["leg_poll"] > 1),
        )

    def _failing(self) -> Any:
        lost = V["poll_fate"] != FATE["answered"]
        asking = either("asking", "leaving")
        if not self.failures:
            return z3.Not(lost)
        return z3.Implies(z3.And(asking, lost), V["failures"] < self.failures)


def exactly(label: str, parts: Sequence[Any]) -> Clause:
    """Several conditions as one clause."""
    return Clause(label, z3.And(list(parts)))
