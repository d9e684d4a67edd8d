"""The symbolic timed system with a record of where its client stands, and the legs of that client as expressions.

The record is kept in variables that no guard reads, so it changes no run: which poll comes next, which poll the present
leg began with, at which contact it began, and when the handle arrived.
The delays and earliest contacts are functions of the poll's number, known by their recurrences alone: nothing here
unrolls a ramp.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import attrs
import z3

from latchcheck.kernel import Action, Clause, IntRange, Real, System, Variable
from latchcheck.model.config import Config
from latchcheck.model.timing.poller import Poller
from latchcheck.model.timing.record import Windows
from latchcheck.model.timing.server import execution
from latchcheck.model.timing.system import timed_system
from latchcheck.model.timing.terms import CAUSE, CLIENT, FATE, SEEN, STATUS, Numbers, V, least

POLLS_MAX = 10**15
RECORD = (
    Variable("next_poll", IntRange(0, POLLS_MAX), 0),
    Variable("leg_poll", IntRange(0, POLLS_MAX), 0),
    Variable("leg_from", Real(), 0),
    Variable("handle_at", Real(), 0),
)
R: dict[str, Any] = {variable.name: variable.term for variable in RECORD}
"""Number of the next poll, number of the poll the leg began with, the contact it began at, arrival of the handle."""

DELAY: Any = z3.Function("delay_before", z3.IntSort(), z3.RealSort())
"""Nominal delay before poll k."""
FIRST: Any = z3.Function("earliest_contact", z3.IntSort(), z3.RealSort())
"""A number that no contact followed by poll k comes before."""
ZERO = z3.RealVal(0)


@attrs.frozen
class Range:
    """From `lo` to `hi`, as expressions."""

    lo: Any
    hi: Any

    def __add__(self, other: "Range") -> "Range":
        return Range(self.lo + other.lo, self.hi + other.hi)


def either(*names: str) -> Any:
    """The client is in one of these states."""
    return z3.Or([V["client"] == CLIENT[name] for name in names])


FOLLOWED: Any = either("calling", "hearing", "pausing", "asking", "leaving")
"""A message of the client, or one to it, is on its way or will be."""
UNTOLD: Any = z3.And(V["client"] == CLIENT["hearing"], V["seen"] == SEEN["working"])
"""The reply on its way says that the task works."""


@attrs.frozen(slots=False)
class Followed:
    """One shape of configuration: its modes are taken as they are, its numbers left open."""

    config: Config

    @cached_property
    def numbers(self) -> Numbers:
        """The numbers of the shape, one symbol each."""
        return Numbers(self.config, symbolic=True)

    @cached_property
    def poller(self) -> Poller:
        """The client's actions and gaps over those numbers."""
        return Poller(self.numbers)

    @cached_property
    def windows(self) -> Windows:
        """The server's limits over those numbers."""
        return Windows.of(self.numbers)

    @cached_property
    def system(self) -> System:
        """The timed system without the shorthand for many polls, and with the record."""
        plain = timed_system(self.config, symbolic=True)
        actions = [_recorded(action) for action in plain.actions if action.name not in ("polls", "polls_end")]
        return System(
            name=plain.name,
            variables=(*plain.variables, *RECORD),
            actions=actions,
            clock=plain.clock,
            urgency=plain.urgency,
            parameters=dict(plain.parameters),
        )

    # -- numbers ------------------------------------------------------------------------------------------------

    def number(self, name: str) -> Any:
        """The symbol of that name."""
        return self.system.parameters[name]

    @property
    def failures(self) -> int:
        """Most failures in a row."""
        return self.config.network.max_consecutive_failures

    @property
    def stopping(self) -> int | None:
        """So many failures in a row stop the client, where they can happen."""
        most = self.config.client.max_consecutive_errors
        return most if most is not None and most <= self.failures else None

    @property
    def followed(self) -> int:
        """Most failures in a row after which the client still follows its schedule."""
        return self.failures if self.stopping is None else self.stopping - 1

    @property
    def latency(self) -> Range:
        """How long a message takes."""
        return Range(*self.poller.latency())

    @property
    def timeout(self) -> Any:
        """How long after sending a failure is noticed."""
        return self.system.parameters.get("request_timeout", ZERO)

    @property
    def restart(self) -> Any:
        """How long the client is away at most."""
        return self.system.parameters.get("restart_gap", ZERO)

    @property
    def skew(self) -> Any:
        """How far the clocks are apart at most."""
        return self.system.parameters.get("clock_skew", ZERO)

    @property
    def work_ends(self) -> Any | None:
        """Latest end of the work, or None."""
        return execution(self.numbers)[1]

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

    @cached_property
    def sane(self) -> list[Any]:
        """What every configuration has: no negative number, ranges the right way round."""
        known = [number >= 0 for number in self.system.parameters.values()]
        known += [self.latency.lo <= self.latency.hi]
        if "execution_lo" in self.system.parameters and self.work_ends is not None:
            known.append(self.number("execution_lo") <= self.work_ends)
        if "sweep_period" in self.system.parameters:
            known.append(self.number("sweep_period") > 0)
        return known

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
        pausing, asking, waiting = client == CLIENT["pausing"], either("asking", "leaving"), FOLLOWED
        # The handle may have come late; every later contact then comes as much later.
        base = z3.If(k == 1, R["handle_at"] - self.latency.lo, R["leg_from"])
        away = z3.If(V["away_used"], self.restart, ZERO)
        away_before = z3.If(z3.And(V["away_used"], z3.Not(V["away_now"])), self.restart, ZERO)
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
            here = V["failures"] == failed
            paused, sent = self.paused(k, failed), self.sent(k, failed)
            number = [R["next_poll"] == k + failed]
            if failed and self.config.client.error_initial_delay_ms is not None:
                number.append(V["error_nominal"] == self.error_nominal(failed))
                on_the_way = [V["error_nominal"] == self.error_nominal(failed)]
            else:
                on_the_way = []
            within = z3.And(since >= base + paused.lo, since <= R["leg_from"] + paused.hi + away_before)
            lemmas.append(
                Clause(
                    f"the gap after {failed} failures began in time",
                    z3.Implies(z3.And(pausing, here), z3.And(within, *number)),
                )
            )
            within = z3.And(since >= base + sent.lo, since <= R["leg_from"] + sent.hi + away)
            lemmas.append(
                Clause(
                    f"the poll after {failed} failures was sent in time",
                    z3.Implies(z3.And(asking, here), z3.And(within, R["next_poll"] == k + failed + 1, *on_the_way)),
                )
            )
        return lemmas

    def no_sooner(self) -> list[Clause]:
        """Lemma: no contact comes before `FIRST`, nor sooner after a late handle."""
        late = R["handle_at"] - self.latency.lo
        first = FIRST(R["leg_poll"])
        sooner = z3.And(R["leg_from"] >= first, z3.Implies(R["leg_poll"] > 1, R["leg_from"] >= first + late))
        return [Clause("no contact comes sooner than it can", z3.Implies(FOLLOWED, sooner))]

    def left_after_reply(self) -> Clause:
        """Lemma: who is away has heard of the last contact before."""
        base = z3.If(R["leg_poll"] == 1, R["handle_at"] - self.latency.lo, R["leg_from"])
        away = z3.And(either("pausing", "asking"), V["now"] >= base + self.latency.lo)
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


def _recorded(action: Action) -> Action:
    """The action with what it adds to the record."""
    added: dict[str, Any] = {}
    if action.name == "create":
        added = {"next_poll": z3.IntVal(1), "leg_poll": z3.IntVal(1), "leg_from": ZERO}
    elif action.name == "handle_arrives":
        added = {"handle_at": V["now"]}
    elif action.name == "poll":
        added = {"next_poll": R["next_poll"] + 1}
    elif action.name == "tasks/get":
        heard = V["poll_fate"] == FATE["answered"]
        added = {
            "leg_poll": z3.If(heard, R["next_poll"], R["leg_poll"]),
            "leg_from": z3.If(heard, V["now"], R["leg_from"]),
        }
    return attrs.evolve(action, updates={**action.updates, **added})


def exactly(label: str, parts: Sequence[Any]) -> Clause:
    """Several conditions as one clause."""
    return Clause(label, z3.And(list(parts)))
