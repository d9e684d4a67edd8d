"""The client: it calls, waits for the handle, polls on its schedule, and stops.

Source: docs/reference/semantics.md, section 2.

The nominal delay is a variable that grows by the multiplier, so the model needs no table of polls.
"""

import attrs
import z3

from latchcheck.kernel import Action, Choice, Clause, Real

from .terms import CAUSE, CLIENT, FATE, SEEN, STATUS, Numbers, Term, V, largest, least


def active() -> Term:
    """The client still follows its polling schedule."""
    client = V["client"]
    return z3.And([client != CLIENT[over] for over in ("absent", "leaving", "stopped", "done")])


@attrs.frozen
class Poller:
    """The client's numbers as z3 terms, and the actions made of them."""

    numbers: Numbers

    # -- gaps -------------------------------------------------------------------------------------------------

    def _delays(self) -> tuple[Term, Term]:
        """First nominal delay and ceiling."""
        client = self.numbers.config.client
        initial, ceiling = client.initial_delay_ms, client.max_delay_ms
        if initial is None:
            initial = 0 if ceiling is None else ceiling
        first = self.numbers.real("initial_delay", initial)
        return first, self.numbers.real("max_delay", ceiling)

    def first_nominal(self) -> Term:
        """The nominal delay before the first poll."""
        first, ceiling = self._delays()
        return first if ceiling is None else least([first, ceiling])

    def grown(self, nominal: Term) -> Term:
        """The nominal delay after one more poll."""
        multiplier = self.numbers.config.client.multiplier
        _, ceiling = self._delays()
        if multiplier == 1:
            return nominal
        more = nominal * z3.RealVal(str(multiplier))
        return more if ceiling is None else least([more, ceiling])

    def final_nominal(self) -> Term:
        """The nominal delay that growth ends at, or the present one where nothing ends it."""
        _, ceiling = self._delays()
        grows = self.numbers.config.client.multiplier != 1
        return largest([V["nominal"], ceiling]) if grows and ceiling is not None else V["nominal"]

    def steady(self) -> Term:
        """Whether all gaps from now on are alike, however the nominal delay may still grow."""
        client = self.numbers.config.client
        if client.multiplier == 1:
            return z3.BoolVal(True)
        if client.hint_mode == "replace" and self.numbers.config.server.poll_interval_ms is not None:
            return z3.BoolVal(True)
        if client.max_delay_ms is None:
            return self._capped()
        factors = [z3.RealVal(str(factor)) for factor in client.jitter]
        final = self.final_nominal()
        return z3.And([self.bound(V["nominal"] * factor) == self.bound(final * factor) for factor in factors])

    def _capped(self) -> Term:
        """Whether a delay that grows for ever has passed what bounds every gap from above."""
        config, real = self.numbers.config, self.numbers.real
        caps = []
        if config.client.hint_mode == "ceiling":
            caps.append(real("poll_interval", config.server.poll_interval_ms))
        if config.client.ttl_mode == "cap-gap":
            caps.append(real("advertised_ttl", config.advertised_ttl_ms_effective))
        caps = [cap for cap in caps if cap is not None]
        least_delay = V["nominal"] * z3.RealVal(str(config.client.jitter[0]))
        return z3.Or(V["nominal"] == 0, least_delay >= least(caps)) if caps else V["nominal"] == 0

    def bound(self, delay: Term) -> Term:
        """The gap that a delay becomes once hint, `min_delay` and the ttl cap have bound it."""
        config, real = self.numbers.config, self.numbers.real
        hint = real("poll_interval", config.server.poll_interval_ms)
        floor = real("min_delay", config.client.min_delay_ms)
        mode, gap = config.client.hint_mode, delay
        if hint is not None and mode == "floor":
            gap = largest([hint, delay])
        elif hint is not None and mode == "replace":
            gap = hint
        elif hint is not None and mode == "ceiling":
            gap = least([hint, delay])
        elif hint is not None and mode == "clamp":
            gap = hint if floor is None else largest([hint, floor])
            ceiling = self._delays()[1]
            gap = gap if ceiling is None else least([gap, ceiling])
        if floor is not None:
            gap = largest([gap, floor])
        if config.client.ttl_mode == "cap-gap":
            cap = real("advertised_ttl", config.advertised_ttl_ms_effective)
            gap = gap if cap is None else least([gap, cap])
        return gap

    def gap(self) -> tuple[Term, Term]:
        """Least and greatest gap now running."""
        low, high = self.numbers.config.client.jitter
        lo, hi = self.bound(V["nominal"] * z3.RealVal(str(low))), self.bound(V["nominal"] * z3.RealVal(str(high)))
        if self.numbers.config.client.error_initial_delay_ms is None:
            return lo, hi
        error = self.bound(V["error_nominal"])
        failed = V["failures"] > 0
        return z3.If(failed, error, lo), z3.If(failed, error, hi)

    def longest_gap(self) -> Term:
        """Greatest gap now running, with the restart gap on top while the client is away."""
        restart = self.numbers.real("restart_gap", self.numbers.config.client.restart_gap_ms)
        hi = self.gap()[1]
        return hi if restart is None else z3.If(V["away_now"], hi + restart, hi)

    # -- network ----------------------------------------------------------------------------------------------

    def latency(self) -> tuple[Term, Term]:
        """Least and greatest time that a message takes."""
        lo, hi = self.numbers.config.network.latency_ms
        if lo == hi:
            same = self.numbers.real("latency", lo)
            return same, same
        return self.numbers.real("latency_lo", lo), self.numbers.real("latency_hi", hi)

    def travelled(self) -> tuple[Clause, Clause]:
        """A message sent at `since` may arrive now."""
        lo, hi = self.latency()
        elapsed = V["now"] - V["since"]
        return Clause("the message takes at least network.latency[0]", elapsed >= lo), Clause(
            "the message takes at most network.latency[1]", elapsed <= hi
        )

    # -- limits -----------------------------------------------------------------------------------------------

    def limited(self) -> bool:
        """Whether any limit stops the client."""
        client = self.numbers.config.client
        gives_up = client.ttl_mode == "give-up" and self.numbers.config.advertised_ttl_ms_effective is not None
        return client.overall_timeout_ms is not None or gives_up

    def limit_from(self, start: Term) -> Term:
        """The instant at which the client gives up when its overall timeout counts from `start`."""
        client, real = self.numbers.config.client, self.numbers.real
        limits = []
        if client.overall_timeout_ms is not None:
            limits.append(start + real("overall_timeout", client.overall_timeout_ms))
        ttl = self.numbers.config.advertised_ttl_ms_effective
        if client.ttl_mode == "give-up" and ttl is not None:
            limits.append(real("advertised_ttl", ttl))
        return least(limits) if limits else None

    # -- actions ----------------------------------------------------------------------------------------------

    def create(self, phase: Choice | None, in_phase: tuple[Clause, ...]) -> Action:
        """The call arrives and the task becomes durable: the server's first contact with the client."""
        lo, hi = self.latency()
        call = Choice("call_latency", Real(), lower=lo, upper=hi)
        updates: dict[str, Term] = {
            "client": CLIENT["calling"],
            "since": z3.RealVal(0),
            "nominal": self.first_nominal(),
        }
        guard = [
            Clause("nothing was created yet", V["client"] == CLIENT["absent"]),
            Clause("creation is instant 0", V["now"] == 0),
            Clause("the call takes network.latency", z3.And(call.term >= lo, call.term <= hi)),
            *in_phase,
        ]
        limit = self.limit_from(-call.term)
        if limit is not None and self.numbers.config.client.overall_timeout_from == "call":
            updates["give_up_at"] = limit
        elif limit is not None:
            # Until the handle arrives only a ttl can end the wait; the overall timeout starts with the handle.
            updates["give_up_at"] = self._before_handle()
        if phase is not None:
            updates["phase"] = phase.term
        return Action("create", "client", guard, updates, (call,) if phase is None else (call, phase))

    def _before_handle(self) -> Term:
        ttl = self.numbers.config.advertised_ttl_ms_effective
        if self.numbers.config.client.ttl_mode == "give-up" and ttl is not None:
            return self.numbers.real("advertised_ttl", ttl)
        return self.latency()[1] + self.numbers.real("overall_timeout", self.numbers.config.client.overall_timeout_ms)

    def handle_arrives(self) -> Action:
        """The reply to the call arrives: the client has the task's id and begins to poll."""
        updates: dict[str, Term] = {"client": CLIENT["pausing"], "since": V["now"]}
        if self.numbers.config.client.overall_timeout_from == "handle":
            limit = self.limit_from(V["now"])
            if limit is not None:
                updates["give_up_at"] = limit
        guard = (Clause("the handle is on its way", V["client"] == CLIENT["calling"]), *self.travelled())
        return Action("handle_arrives", "client", guard, updates)

    def poll(self) -> Action:
        """The next poll is sent; its fate is chosen here, and shows later."""
        lo, _ = self.gap()
        elapsed, failures = V["now"] - V["since"], self.numbers.config.network.max_consecutive_failures
        guard = [
            Clause("a gap is running", V["client"] == CLIENT["pausing"]),
            Clause("the gap is at least its least", elapsed >= lo),
            Clause("the gap is at most its greatest", elapsed <= self.longest_gap()),
        ]
        updates: dict[str, Term] = {
            "client": CLIENT["asking"],
            "since": V["now"],
            "nominal": self.grown(V["nominal"]),
        }
        choices: tuple[Choice, ...] = ()
        if failures:
            fate = Choice("fate", FATE)
            choices = (fate,)
            guard.append(
                Clause(
                    "at most network.max_consecutive_failures polls in a row fail",
                    z3.Or(fate.term == FATE["answered"], V["failures"] < failures),
                )
            )
            updates["poll_fate"] = fate.term
        if self.numbers.config.client.restart_gap_ms is not None:
            updates["away_now"] = z3.BoolVal(False)
        return Action("poll", "client", guard, updates, choices)

    def leave(self) -> Action | None:
        """The client goes away (crash, deploy, reconcile), once; it is back when it sends the next poll."""
        if self.numbers.config.client.restart_gap_ms is None:
            return None
        guard = (
            Clause("a gap is running", V["client"] == CLIENT["pausing"]),
            Clause("the client was not away before", z3.Not(V["away_used"])),
        )
        gone = z3.BoolVal(True)
        return Action("leave", "client", guard, {"away_used": gone, "away": gone, "away_now": gone})

    def reply_arrives(self) -> Action:
        """The reply to a successful poll arrives; a terminal status, or an unknown id, ends the wait."""
        ends = V["seen"] != SEEN["working"]
        updates: dict[str, Term] = {
            "client": z3.If(ends, CLIENT["done"], CLIENT["pausing"]),
            "since": V["now"],
            "failures": z3.IntVal(0),
        }
        guard = (Clause("a reply is on its way", V["client"] == CLIENT["hearing"]), *self.travelled())
        return Action("reply_arrives", "client", guard, updates)

    def failure_noticed(self) -> Action | None:
        """A failed poll is noticed `request_timeout` after it was sent."""
        client, network = self.numbers.config.client, self.numbers.config.network
        if not network.max_consecutive_failures:
            return None
        timeout = self.numbers.real("request_timeout", client.request_timeout_ms or 0)
        failed = V["failures"] + 1
        stops = z3.BoolVal(False) if client.max_consecutive_errors is None else failed >= client.max_consecutive_errors
        updates: dict[str, Term] = {
            "client": z3.If(stops, CLIENT["stopped"], CLIENT["pausing"]),
            "since": V["now"],
            "failures": failed,
        }
        if client.error_initial_delay_ms is not None:
            first = self.numbers.real("error_initial_delay", client.error_initial_delay_ms)
            ceiling = self.numbers.real("error_max_delay", client.error_max_delay_ms)
            more = V["error_nominal"] * z3.RealVal(str(client.error_multiplier))
            delay = z3.If(V["failures"] == 0, first, more)
            updates["error_nominal"] = delay if ceiling is None else least([delay, ceiling])
        guard = (
            Clause("a failed poll is out", z3.And(V["client"] == CLIENT["asking"], V["poll_fate"] != FATE["answered"])),
            Clause("a failure is noticed request_timeout after sending", V["now"] == V["since"] + timeout),
        )
        return Action("failure_noticed", "client", guard, updates)

    def give_up(self) -> Action | None:
        """The client stops at its overall limit; a poll that is out still reaches the server."""
        if not self.limited():
            return None
        unseen = z3.Or(V["status"] == STATUS["working"], V["cause"] == CAUSE["worker"])
        guard = (
            Clause("the client still waits", active()),
            Clause("no polls are just being told as one", V["client"] != CLIENT["cycling"]),
            Clause("the limit is reached", V["now"] >= V["give_up_at"]),
        )
        travels = z3.And(V["client"] == CLIENT["asking"], V["poll_fate"] != FATE["request_lost"])
        updates = {
            "client": z3.If(travels, CLIENT["leaving"], CLIENT["stopped"]),
            "gave_up_early": z3.Or(V["gave_up_early"], unseen),
        }
        return Action("give_up", "client", guard, updates)

    def urgency(self) -> tuple[Clause, ...]:
        """What the client and the network do not let time pass."""
        client, elapsed, hi = V["client"], V["now"] - V["since"], self.latency()[1]
        found = [
            Clause("the task is created at instant 0", z3.Or(client != CLIENT["absent"], V["now"] <= 0)),
            Clause("the handle arrives in time", z3.Or(client != CLIENT["calling"], elapsed <= hi)),
            Clause("the next poll is sent in time", z3.Or(client != CLIENT["pausing"], elapsed <= self.longest_gap())),
            Clause("polls told as one end", z3.Or(client != CLIENT["cycling"], V["now"] <= V["cycle_until"])),
            Clause("a reply arrives in time", z3.Or(client != CLIENT["hearing"], elapsed <= hi)),
        ]
        asking, lost = (
            z3.Or(client == CLIENT["asking"], client == CLIENT["leaving"]),
            V["poll_fate"] == FATE["request_lost"],
        )
        if self.numbers.config.network.max_consecutive_failures:
            found.append(Clause("a request arrives in time", z3.Or(z3.Not(asking), lost, elapsed <= hi)))
            timeout = self.numbers.real("request_timeout", self.numbers.config.client.request_timeout_ms or 0)
            answered = V["poll_fate"] == FATE["answered"]
            found.append(
                Clause("a failure is noticed in time", z3.Or(client != CLIENT["asking"], answered, elapsed <= timeout))
            )
        else:
            found.append(Clause("a request arrives in time", z3.Or(z3.Not(asking), elapsed <= hi)))
        if self.limited():
            found.append(Clause("the client stops at its limit", z3.Or(z3.Not(active()), V["now"] <= V["give_up_at"])))
        return tuple(found)
