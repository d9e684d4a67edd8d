"""`hint-honoured` and `hint-inside-ttl`: each condition against its system.

Written with h the hint, g the shortest gap between polls, f the one after a failed poll, u the greatest
latency, t the request timeout, T the enforced ttl, s the clock skew, e0 and e1 the declared range of the terminal
write, k = max(0, T - s):

- a poll comes too soon exactly when g < h and a first poll can be sent, or f < h and a second one;
- the first hinted poll comes too late exactly when 2u + h is at or after the earliest end of the ttl: k where it can
  end a running task (e1 >= k), else max(e0, k) from creation and e0 + k from any other anchor.
"""

from typing import Any

import attrs
import z3

from latchcheck.engines.obligations import Proof, possible
from latchcheck.engines.smt import Event, inductive, valid_run
from latchcheck.kernel import Clause
from latchcheck.model.config import Config
from latchcheck.model.timing.hinted import OBEYING, POLLED_TOO_SOON, O, obeying_system, polling_system
from latchcheck.model.timing.poller import Poller
from latchcheck.model.timing.server import execution
from latchcheck.model.timing.terms import CLIENT, FATE, Numbers, V, largest, least

# -- hint-honoured ------------------------------------------------------------------------------------------------


@attrs.frozen
class Terms:
    """The client's numbers of one shape as z3 terms."""

    numbers: Numbers
    poller: Poller
    first: Any
    after_failure: Any | None
    timeout: Any
    low: Any
    high: Any

    @classmethod
    def of(cls, config: Config) -> "Terms":
        """The numbers of a configuration's shape."""
        numbers = Numbers(config, symbolic=True)
        poller, client = Poller(numbers), config.client
        first = poller.bound(poller.first_nominal() * z3.RealVal(str(client.jitter[0])))
        low, high = poller.latency()
        timeout = numbers.real("request_timeout", client.request_timeout_ms or 0)
        follows = config.network.max_consecutive_failures and client.max_consecutive_errors != 1
        after = None
        if follows and client.error_initial_delay_ms is not None:
            after = poller.bound(_first_error(numbers))
        return cls(numbers, poller, first, after, timeout, low, high)

    def sent(self, paused: Any) -> Any:
        """Whether the client can wait so long after the handle (at a tie with its limit the poll comes first)."""
        config, real = self.numbers.config, self.numbers.real
        client, fits = config.client, []
        if client.overall_timeout_ms is not None:
            overall = real("overall_timeout", client.overall_timeout_ms)
            spent = 2 * self.low if client.overall_timeout_from == "call" else 0
            fits.append(spent + paused <= overall)
        ttl = config.advertised_ttl_ms_effective
        if client.ttl_mode == "give-up" and ttl is not None:
            fits.append(self.low + paused <= real("advertised_ttl", ttl))
        return z3.And(fits)

    def sane(self, system: Any) -> list[Any]:
        """No number is negative, and ranges are the right way round."""
        return [*(number >= 0 for number in system.parameters.values()), self.timeout >= 0, self.low <= self.high]


def _first_error(numbers: Numbers) -> Any:
    client = numbers.config.client
    first = numbers.real("error_initial_delay", client.error_initial_delay_ms)
    ceiling = numbers.real("error_max_delay", client.error_max_delay_ms)
    return first if ceiling is None else least([first, ceiling])


def honoured_proofs(config: Config) -> list[Proof]:
    """Both implications for the shape of a configuration."""
    system, terms = polling_system(config, symbolic=True), Terms.of(config)
    hint = terms.numbers.real("poll_interval", config.server.poll_interval_ms)
    sane, harm = terms.sane(system), POLLED_TOO_SOON.term
    soon = z3.And(terms.first < hint, terms.sent(terms.first))
    heard = {"becomes": FATE["answered"]} if config.network.max_consecutive_failures else {}
    begin: list[Event] = [(0, "create", {"call_latency": terms.low}), (terms.low, "handle_arrives", {})]
    first = terms.low + terms.first
    runs, broken = [([soon], [*begin, (first, "poll", heard)])], [soon]
    if terms.after_failure is not None:
        paused = terms.first + terms.timeout + terms.after_failure
        again = z3.And(terms.after_failure < hint, terms.sent(paused))
        events: list[Event] = [
            *begin,
            (first, "poll", {"becomes": FATE["request_lost"]}),
            (first + terms.timeout, "failure_noticed", {}),
            (terms.low + paused, "poll", heard),
        ]
        runs.append(([again, z3.Not(soon)], events))
        broken.append(again)
    # With some hint modes no gap is ever shorter than the hint, so there is no run to show.
    proofs = [
        valid_run(system, [*sane, *given], events, harm)
        for given, events in runs
        if possible("some numbers break it", [*sane, *given]).proved
    ]
    return [*proofs, inductive(system, [*sane, z3.Not(z3.Or(broken))], _honoured(config, terms), harm)]


def _honoured(config: Config, terms: Terms) -> list[Clause]:
    """Delays never shrink, and a client that polls has waited before."""
    client, failed = V["client"], V["failures"] > 0
    on = z3.Or([client == CLIENT[name] for name in ("pausing", "asking", "hearing", "leaving")])
    called = client != CLIENT["absent"]
    polled = z3.Or(client == CLIENT["asking"], client == CLIENT["hearing"], failed)
    waited = z3.If(z3.And(failed, client == CLIENT["pausing"]), terms.first + terms.timeout, terms.first)
    waited = z3.If(polled, waited, z3.RealVal(0))
    lemmas = [
        Clause("the nominal delay never shrinks", z3.Or(z3.Not(called), V["nominal"] >= terms.poller.first_nominal())),
        Clause("failures are counted from 0", V["failures"] >= 0),
        Clause("nobody polled before the handle", z3.Implies(client == CLIENT["calling"], z3.Not(failed))),
        Clause("nobody polled before the call", z3.Implies(client == CLIENT["absent"], z3.Not(failed))),
        Clause("the handle took its latency", z3.Implies(on, V["since"] >= terms.low + waited)),
        Clause("a call begins at 0", z3.Implies(client == CLIENT["calling"], V["since"] == 0)),
        Clause("no poll came too soon", z3.Not(POLLED_TOO_SOON.term)),
    ]
    if config.client.error_initial_delay_ms is not None and config.network.max_consecutive_failures:
        grown = V["error_nominal"] >= _first_error(terms.numbers)
        lemmas.append(Clause("the delay after failures never shrinks", z3.Implies(failed, grown)))
    if not config.network.max_consecutive_failures:
        lemmas.append(Clause("no poll fails", z3.Not(failed)))
    if config.client.max_consecutive_errors == 1:
        over = z3.Or(client == CLIENT["stopped"], client == CLIENT["done"])
        lemmas.append(Clause("the first failure stops the client", z3.Implies(failed, over)))
    return [*lemmas, *_stopping(config, terms, on, waited)]


def _stopping(config: Config, terms: Terms, on: Any, waited: Any) -> list[Clause]:
    """How late the client's limit can be, seen from where it stands."""
    client, real, lemmas = config.client, terms.numbers.real, []
    called = V["client"] != CLIENT["absent"]
    if client.overall_timeout_ms is not None:
        overall = real("overall_timeout", client.overall_timeout_ms)
        if client.overall_timeout_from == "call":
            lemmas.append(
                Clause("the limit counts from the call", z3.Implies(called, V["give_up_at"] <= overall - terms.low))
            )
        else:
            since = V["give_up_at"] <= V["since"] - waited + overall
            lemmas.append(Clause("the limit counts from the handle", z3.Implies(on, since)))
    ttl = config.advertised_ttl_ms_effective
    if client.ttl_mode == "give-up" and ttl is not None:
        limit = V["give_up_at"] <= real("advertised_ttl", ttl)
        lemmas.append(Clause("the ttl limits the wait", z3.Implies(called, limit)))
    return lemmas


# -- hint-inside-ttl ----------------------------------------------------------------------------------------------


def inside_proofs(config: Config) -> list[Proof]:
    """Both implications for the shape of a configuration."""
    system = obeying_system(config, symbolic=True)
    numbers = Numbers(config, symbolic=True)
    low, high = Poller(numbers).latency()
    hint = numbers.real("poll_interval", config.server.poll_interval_ms)
    skew = numbers.real("clock_skew", config.server.clock_skew_ms)
    first, last = execution(numbers)
    parameters: dict[str, Any] = dict(system.parameters)
    sane = [*(number >= 0 for number in parameters.values()), low <= high]
    if last is not None:
        sane.append(first <= last)
    kept = largest([z3.RealVal(0), numbers.real("enforced_ttl", config.enforced_ttl_ms_effective) - skew])
    anchor = config.enforced_anchor_effective
    exempt = anchor == "terminal" or not config.server.expire_running
    running = z3.BoolVal(False) if exempt else z3.BoolVal(True) if last is None else last >= kept
    written = largest([first, kept]) if anchor == "creation" else first + kept
    ends = z3.If(running, kept, written)
    arrives = 2 * high + hint
    late = arrives >= ends
    own: list[Event] = [(0, "create", {}), (high, "handle_arrives", {}), (high + hint, "poll", {})]
    get: Event = (arrives, "tasks/get", {})
    error = {"error_anchor": skew}
    between = [0, high, high + hint, arrives]
    runs: list[tuple[list[Any], list[Event]]] = []
    for i in range(1, len(between)):
        # What ends the task falls before the handle, before the poll or after it.
        early: list[Event] = [*own[:i], (kept, "ttl_ends", error), *own[i:], get]
        here = [late, running, kept >= between[i - 1], kept <= between[i]]
        if not exempt:
            runs.append((here, early))
        done: list[Event] = [*own[:i], (first, "write_terminal", {}), *own[i:], (arrives, "ttl_ends", error), get]
        here = [late, z3.Not(running), first >= between[i - 1], first <= between[i]]
        if exempt or last is not None:
            runs.append((here, done))
    # Not every end falls into every part of the run.
    proofs = [
        valid_run(system, [*sane, *given], events, O["hint_too_late"])
        for given, events in runs
        if possible("some numbers break it", [*sane, *given]).proved
    ]
    return [*proofs, inductive(system, [*sane, z3.Not(late)], _inside(ends, first, high, hint), O["hint_too_late"])]


def _inside(ends: Any, first: Any, high: Any, hint: Any) -> list[Clause]:
    """The client is in time at each stage, and the ttl does not end early."""
    at = {"calling": z3.RealVal(0), "pausing": high, "asking": high + hint}
    return [
        *(Clause(f"{name} since", z3.Implies(O["client"] == OBEYING[name], O["since"] <= at[name])) for name in at),
        Clause("written in the work's time", z3.Implies(O["terminal"], O["ended_at"] >= first)),
        Clause("no write lies ahead", z3.Implies(O["terminal"], O["ended_at"] <= O["now"])),
        Clause("time begins at creation", O["now"] >= 0),
        Clause("the ttl does not end early", z3.Implies(O["ttl_ended"], O["now"] >= ends)),
        Clause("no poll is too late", z3.Not(O["hint_too_late"])),
    ]
