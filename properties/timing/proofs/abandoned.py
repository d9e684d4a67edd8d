"""`orphans-found-in-time` and `abandoned-work-is-bounded`: each condition against its system.

The unit of time is the sweep period: dense time has no grain of its own, so nothing is lost by it, and the grid of
sweeps becomes the whole numbers beyond its phase. Written with W the orphan window, D the deadline, T the ttl, s the
clock skew, l the lateness of a sweep, v how long told work goes on, u the greatest latency, B the stated bound:

- an abandoned task is found too late exactly when B < W + s + 1 + l;
- with one limit alone, the work outlasts B exactly when B < W + s + 1 + l + v, D + s + 1 + l + v, T + s + 1 + l or
  u + v, for the orphan window, the deadline, an expiry that stops work, and a cancel on leaving;
- a window and a deadline together bound it by the smaller of the two.
"""

from typing import Any

import attrs
import z3

from latchcheck.engines.obligations import Proof
from latchcheck.engines.smt import Event, inductive, valid_run
from latchcheck.kernel import Clause
from latchcheck.model.config import Config
from latchcheck.model.timing.abandonment import L, abandoned_system
from latchcheck.model.timing.terms import CLIENT, STATUS, V, least

from .swept import PERIOD, Swept

CLIENT_GONE = V["client"] == CLIENT["stopped"]
CREATED = V["client"] != CLIENT["absent"]
WORKING = z3.And(V["status"] == STATUS["working"], z3.Not(V["gone"]))


@attrs.frozen
class Shaped(Swept):
    """One shape of a client that leaves and of the work behind it."""

    build = staticmethod(abandoned_system)

    @property
    def sane(self) -> list[Any]:
        """No number is negative or beyond what sweeps are counted to, ranges are the right way round."""
        found, parameters = self.counted, self.system.parameters
        if "latency_lo" in parameters:
            found.append(parameters["latency_lo"] <= parameters["latency_hi"])
        return found

    @property
    def latency(self) -> Any:
        """The greatest latency."""
        return self.number("latency_hi") if "latency_hi" in self.system.parameters else self.number("latency")

    def late(self, limit: str) -> tuple[Any, Any]:
        """From when on a pass surely acts, and when it has acted at the latest."""
        sure = self.number(limit) + self.number("clock_skew")
        return sure, sure + PERIOD + self.number("sweep_lateness")

    def errors(self) -> dict[str, Any]:
        """Clock errors that make every limit look far away."""
        return {choice.name: -self.number("clock_skew") for choice in self.system.action("sweep").choices}


def _phase(on_time: Any) -> Any:
    """The phase with which a sweep is due at an instant."""
    return on_time - z3.ToReal(z3.ToInt(on_time))


def _grid() -> list[Clause]:
    """What is true of sweeps and instants in every state."""
    return [
        Clause("the phase is within one sweep period", z3.And(V["phase"] >= 0, V["phase"] <= PERIOD)),
        Clause("no contact lies before creation", V["last_contact"] >= 0),
        Clause("no contact lies ahead", V["last_contact"] <= V["now"]),
        Clause("the client left at its last contact", z3.Implies(CLIENT_GONE, L["left_at"] == V["last_contact"])),
        Clause("the client has not left before creation", L["left_at"] >= 0),
        Clause("no sweep found anything while the task works", z3.Implies(WORKING, V["next_sweep"] == 0)),
        Clause("work runs from creation on", z3.Implies(L["running"], CREATED)),
        Clause("nothing happens before creation", z3.Or(CREATED, z3.And(WORKING, z3.Not(L["told"])))),
        Clause("a working task has not ended", z3.Implies(WORKING, V["ended_at"] == 0)),
    ]


# -- orphans-found-in-time ----------------------------------------------------------------------------------------


def orphan_proofs(config: Config) -> list[Proof]:
    """Both implications for a configuration with an orphan window and a sweep period, and no other limit."""
    shaped = Shaped.of(config)
    system, bound = shaped.system, shaped.number("bound")
    sure, latest = shaped.late("orphan_window")
    harm = L["found_late"]
    seen = latest if config.server.orphan_comparison == ">" else (bound + latest) / 2
    events: list[Event] = [
        (0, "create", {"sweep_phase": _phase(sure - (latest - seen))}),
        (0, "leave", {}),
        (seen, "still_working", {}),
    ]
    invariant = [*_grid(), Clause("no task is found late", z3.Not(harm))]
    return [
        valid_run(system, [*shaped.sane, bound < latest], events, harm),
        inductive(system, [*shaped.sane, bound >= latest], invariant, harm),
    ]


def never_reclaimed_proof(config: Config) -> Proof:
    """Lazily judged, an abandoned task is still working at any later instant, whatever the bound."""
    shaped = Shaped.of(config)
    bound = shaped.number("bound")
    events: list[Event] = [(0, "create", {}), (0, "leave", {}), (bound + 1, "still_working", {})]
    return valid_run(shaped.system, shaped.sane, events, L["found_late"])


# -- abandoned-work-is-bounded ------------------------------------------------------------------------------------


def work_proofs(config: Config) -> list[Proof]:
    """Both implications for a configuration with something that stops abandoned work.

    That is an orphan window and a deadline, alone or together, or an expiry that stops work, or a cancel on leaving.
    """
    shaped = Shaped.of(config)
    goes_on = z3.RealVal(0) if config.server.expiry_stops_work else shaped.number("works_on_at_most")
    bound, harm = shaped.number("bound"), L["works_on"]
    told, events, inclusive = _worst(shaped)
    latest = told + goes_on
    given = [*shaped.sane, bound < latest]
    # Where a pass acts at its very end, the worst is only approached.
    short = least([(latest - bound) / 2, z3.RealVal("1/2")]) if inclusive else z3.RealVal(0)
    seen = latest - short
    proofs = [
        valid_run(shaped.system, [*given, *case], [*run, (seen, "still_running", {})], harm)
        for case, run in events(short)
    ]
    invariant = [*_grid(), *_told(shaped, told), Clause("no work outlasts the bound", z3.Not(harm))]
    return [*proofs, inductive(shaped.system, [*shaped.sane, bound >= latest], invariant, harm)]


def _worst(shaped: Shaped) -> tuple[Any, Any, bool]:
    """When the record is ended at the latest, the runs in which it is (with their case), and whether only almost."""
    config = shaped.config
    left: list[Event] = [(0, "leave", {})]
    if config.client.cancel_on_abandon:
        cancelled: Event = (shaped.latency, "tasks/cancel", {})
        told = [] if config.workload.works_on_after_cancel is False else [cancelled]
        return shaped.latency, lambda _: [([], [(0, "create", {}), *left, *told])], False
    limits = [
        (name, inclusive)
        for name, set_, inclusive in (
            ("orphan_window", config.server.orphan_window_ms, config.server.orphan_comparison == ">="),
            ("execution_deadline", config.server.execution_deadline_ms, False),
            ("enforced_ttl", config.enforced_ttl_ms_effective, True),
        )
        if set_ is not None
    ]
    latest = least([shaped.late(name)[1] for name, _ in limits])
    stops = config.server.expiry_stops_work and config.enforced_ttl_ms_effective is not None
    at_once = stops or config.workload.works_on_after_cancel is False

    def runs(short: Any) -> list[tuple[list[Any], list[Event]]]:
        found = []
        for name, _ in limits:
            sure, acted = shaped.late(name)
            create: Event = (0, "create", {"sweep_phase": _phase(sure - short)})
            swept: list[Event] = [] if at_once else [(acted - short, "sweep", shaped.errors())]
            found.append(([acted == latest], [create, *left, *swept]))
        return found

    return latest, runs, any(inclusive for _, inclusive in limits)


def _told(shaped: Shaped, told: Any) -> list[Clause]:
    """Told work stops in time, and it was told in time."""
    running = L["running"]
    lemmas = [
        Clause("work that was not told has a working task", z3.Implies(z3.And(running, z3.Not(L["told"])), WORKING)),
        Clause("a working task was told nothing", z3.Implies(WORKING, z3.Not(L["told"]))),
        Clause("a live record has not expired", z3.Implies(WORKING, z3.Not(V["expired_live"]))),
    ]
    if shaped.config.workload.works_on_after_cancel is False or shaped.config.server.expiry_stops_work:
        lemmas.append(Clause("nothing goes on when told", z3.Not(z3.And(L["told"], running))))
    else:
        stops = V["now"] - L["told_at"] <= shaped.number("works_on_at_most")
        lemmas += [
            Clause("told work stops in time", z3.Implies(z3.And(running, L["told"]), stops)),
            Clause(
                "work was told in time", z3.Implies(z3.And(CLIENT_GONE, L["told"]), L["told_at"] <= L["left_at"] + told)
            ),
            Clause("nothing is told ahead", z3.Implies(L["told"], L["told_at"] <= V["now"])),
        ]
    if shaped.config.client.cancel_on_abandon:
        waits = z3.And(running, CLIENT_GONE, z3.Not(L["told"]))
        in_time = z3.And(L["cancel_sent"], V["now"] <= L["left_at"] + told)
        lemmas.append(Clause("a cancel is on its way", z3.Implies(waits, in_time)))
        lemmas.append(Clause("no cancel before leaving", z3.Implies(L["cancel_sent"], CLIENT_GONE)))
    return lemmas
