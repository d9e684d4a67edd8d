"""`cancel-marker-outlives-record`: the condition against its system.

The unit of time is the sweep period where there is one, which costs nothing: dense time has no grain of its own.
Written with M the marker's retention, T the ttl, s the clock skew, p the longest time between two sweeps (1 and their
lateness l, or 0 where accesses judge), e0 and e1 the declared range of the late write, v how long cancelled work goes
on at most, and k = T + s + p, a record reads otherwise than cancelled after its marker exactly when

- the ttl counts from the terminal write, or a running task is exempt: M < min(e1, v) + k, or always where neither is;
- it counts from creation and the work goes on until it is done: M < k;
- it is restarted by the terminal write, and the work may take any time: M < ceil(T + s + l) + k, since one grid of
  sweeps must both miss the running record and remove the terminal one late.
"""

from typing import Any

import attrs
import z3

from latchcheck.engines.obligations import Proof, prove
from latchcheck.engines.smt import Event, inductive, valid_run
from latchcheck.kernel import Clause
from latchcheck.model.config import Config
from latchcheck.model.timing.marker import M, marker_system
from latchcheck.model.timing.terms import CLIENT, STATUS, V, largest, least

from .swept import PERIOD, Swept

READ: Any = z3.Real("read_at")
"""When the record is read: any instant that is late enough and comes before the record goes."""
WHOLE: Any = z3.Int("whole")
APART: Any = z3.Int("apart")
"""A difference of whole numbers by name: a strict bound on it is then a bound that is tighter by one."""
PHASE: Any = z3.Real("phase_of_read")
LATEST: Any = z3.Int("latest")
"""ceil(T + s + l): the latest write that a sweep can miss."""

WORKING = z3.And(V["status"] == STATUS["working"], z3.Not(V["gone"]))
COMPLETED = z3.And(V["status"] == STATUS["completed"], z3.Not(V["gone"]))


@attrs.frozen
class Shaped(Swept):
    """One shape of a marker beside its record."""

    build = staticmethod(marker_system)

    @property
    def lazy(self) -> bool:
        """Whether accesses judge."""
        return self.config.server.sweep_period_ms == "lazy"

    @property
    def sane(self) -> list[Any]:
        """The ttl is positive, no number is negative, ranges are the right way round."""
        found = self.counted
        found.append(self.number("enforced_ttl") > 0)
        if self.last is not None:
            found.append(self.number("execution_lo") <= self.last)
        return found

    @property
    def last(self) -> Any | None:
        """The latest late write (None: work of no declared end)."""
        declared = self.config.workload.execution_ms
        return None if declared is None or declared[1] is None else self.number("execution_hi")

    @property
    def longest(self) -> Any | None:
        """Longest time from a cancel to the late write."""
        found = [] if self.last is None else [self.last]
        if self.config.workload.works_on_after_cancel is not True:
            found.append(self.number("works_on_at_most"))
        return least(found) if found else None

    @property
    def sure(self) -> Any:
        """The ttl as it is when the clocks make it as long as they can."""
        return self.number("enforced_ttl") + self.number("clock_skew")

    @property
    def kept(self) -> Any:
        """The same, until the sweep that removes the record."""
        return self.sure if self.lazy else self.sure + PERIOD + self.number("sweep_lateness")

    @property
    def errors(self) -> dict[str, Any]:
        """Clock errors of an access that make every limit look far away."""
        return {choice.name: -self.number("clock_skew") for choice in self.system.action("tasks/get").choices}

    def create(self, read: Any) -> Event:
        """Creation, with a grid of sweeps one of which comes at the read, as late as it may."""
        del read
        return 0, "create", {} if self.lazy else {"sweep_phase": PHASE}

    def due(self, read: Any) -> list[Any]:
        """What PHASE and WHOLE mean: so many sweep periods after the phase a sweep is due at the read."""
        due = PHASE + z3.ToReal(WHOLE) + self.number("sweep_lateness")
        return [] if self.lazy else [read == due, PHASE >= 0, PHASE < 1]

    def run(self, cancelled: Any, written: Any | None, read: Any) -> list[Event]:
        """Create, cancel, perhaps a late write, and the read."""
        events = [self.create(read), (cancelled, "tasks/cancel", self.errors)]
        if written is not None:
            events.append((written, "write_terminal", {}))
        return [*events, (read, "tasks/get", self.errors)]


HARM = M["read_uncancelled"]


def from_terminal(config: Config) -> list[Proof]:
    """Anchor `terminal`, or `creation-then-terminal` with a running task exempt."""
    shaped = Shaped.of(config)
    marker, longest = shaped.number("cancel_marker_retention"), shaped.longest
    if longest is None:
        given = [*shaped.sane, *shaped.due(marker)]
        return [valid_run(shaped.system, given, shaped.run(0, None, marker), HARM)]
    last = longest + shaped.kept
    written = shaped.number("execution_lo") if shaped.last is None else shaped.last
    cancelled = z3.RealVal(0)
    if config.workload.works_on_after_cancel is not True:
        on = shaped.number("works_on_at_most")
        # Work of no declared end is cancelled at once and writes as late as it may.
        written = largest([written, on]) if shaped.last is None else written
        cancelled = largest([z3.RealVal(0), written - on])
    soonest, goes = largest([cancelled + marker, written]), written + shaped.kept
    events = shaped.run(cancelled, written, READ)
    given = [*shaped.sane, marker < last]
    invariant = [*_times(shaped), *_late(shaped)]
    return [
        _read_between(given, soonest, goes),
        valid_run(shaped.system, [*given, *shaped.due(READ), soonest <= READ, goes > READ], events, HARM),
        inductive(shaped.system, [*shaped.sane, marker >= last], invariant, HARM),
    ]


def _named(name: Any, difference: Any) -> list[Any]:
    """A name for a difference, written so that the solver does not put the difference in its place again."""
    return [name <= difference, name >= difference]


def _read_between(given: list[Any], soonest: Any, goes: Any) -> Proof:
    """Wherever the condition fails there is an instant at which to read."""
    return Proof("an instant to read at", (prove("the marker goes before the record", given, soonest < goes),))


def from_creation(config: Config) -> list[Proof]:
    """Anchor `creation`, running tasks expire, and the work goes on until it is done."""
    shaped = Shaped.of(config)
    marker, kept = shaped.number("cancel_marker_retention"), shaped.kept
    first = shaped.number("execution_lo")
    given = [*shaped.sane, *shaped.due(READ), marker <= READ, kept > READ]
    if not shaped.lazy:
        given += _named(APART, WHOLE + z3.ToInt(PHASE - shaped.sure))
    runs: list[tuple[list[Any], list[Event]]] = [
        ([first >= READ], shaped.run(0, None, READ)),
        ([first < READ], shaped.run(0, first, READ)),
    ]
    created = z3.Implies(z3.And(V["client"] != CLIENT["absent"], z3.Not(V["gone"])), V["now"] < kept)
    invariant = [*_times(shaped), Clause("nothing stops the work", V["status"] != STATUS["cancelled"])]
    if not shaped.lazy:
        invariant.append(Clause("a record does not outlive its ttl", created))
    return [
        *(valid_run(shaped.system, [*given, *case], events, HARM) for case, events in runs),
        inductive(shaped.system, [*shaped.sane, marker >= kept], invariant, HARM),
    ]


def restarted(config: Config) -> list[Proof]:
    """Anchor `creation-then-terminal`, running tasks expire at a sweep, and the work may take any time."""
    shaped = Shaped.of(config)
    marker, sure, late = shaped.number("cancel_marker_retention"), shaped.sure, shaped.number("sweep_lateness")
    latest = z3.ToReal(LATEST)
    ceiling = [sure + late <= latest, latest < sure + late + 1]
    last = latest + shaped.kept
    # So close to the end that the sweep that would have found it running comes no earlier than the write.
    close = last - (sure + late + PERIOD - latest)
    soonest = largest([marker, close, latest])
    given = [*shaped.sane, *ceiling, shaped.number("execution_lo") <= latest]
    shown = [
        *(*given, *shaped.due(READ), soonest <= READ, last > READ),
        *_named(z3.Int("missed"), WHOLE - LATEST + z3.ToInt(PHASE - sure)),
        *_named(z3.Int("removed"), WHOLE + z3.ToInt(PHASE - sure - latest)),
    ]
    first, second = z3.ToInt(V["phase"] - sure), z3.ToInt(V["phase"] - V["ended_at"] - sure)
    apart = _named(APART, first - second - LATEST)
    invariant = [*_times(shaped), *_on_one_grid(shaped)]
    return [
        _read_between([*given, marker < last], soonest, last),
        valid_run(shaped.system, shown, shaped.run(0, latest, READ), HARM),
        inductive(shaped.system, [*given, *apart, marker >= last], invariant, HARM),
    ]


# -- invariants ---------------------------------------------------------------------------------------------------


def _times(shaped: Shaped) -> list[Clause]:
    """What is true of instants and sweeps in every state."""
    unheard = z3.Not(M["acknowledged"])
    lemmas = [
        Clause("time begins at creation", V["now"] >= 0),
        Clause("no cancel lies before creation", M["acknowledged_at"] >= 0),
        Clause("no instant lies ahead", z3.And(M["acknowledged_at"] <= V["now"], V["ended_at"] <= V["now"])),
        Clause("a working task has not ended", z3.Implies(WORKING, V["ended_at"] == 0)),
        Clause("no end lies before creation", V["ended_at"] >= 0),
        Clause("nothing happens before creation", z3.Or(V["client"] != CLIENT["absent"], z3.And(WORKING, unheard))),
        Clause("nothing reads otherwise than cancelled", z3.Not(HARM)),
        Clause("a task never fails here", V["status"] != STATUS["failed"]),
    ]
    if not shaped.lazy:
        lemmas += [
            Clause("the phase is within one sweep period", z3.And(V["phase"] >= 0, V["phase"] <= PERIOD)),
            Clause("no sweep acts but to remove the record", z3.Or(V["gone"], V["next_sweep"] == 0)),
        ]
    return lemmas


def _late(shaped: Shaped) -> list[Clause]:
    """Cancelled work ends in time, and its record does not outlive its ttl."""
    lemmas = []
    if shaped.last is not None:
        lemmas += [
            Clause(
                "work ends in time",
                z3.Implies(z3.And(WORKING, V["client"] != CLIENT["absent"]), V["now"] <= shaped.last),
            ),
            Clause("work ended in time", z3.Implies(COMPLETED, V["ended_at"] <= shaped.last)),
        ]
    if shaped.config.workload.works_on_after_cancel is not True:
        until = M["acknowledged_at"] + shaped.number("works_on_at_most")
        working, completed = z3.And(M["acknowledged"], WORKING), z3.And(M["acknowledged"], COMPLETED)
        lemmas += [
            Clause("cancelled work ends in time", z3.Implies(working, V["now"] <= until)),
            Clause("cancelled work ended in time", z3.Implies(completed, V["ended_at"] <= until)),
        ]
    if not shaped.lazy:
        lemmas.append(
            Clause("a record does not outlive its ttl", z3.Implies(COMPLETED, V["now"] < V["ended_at"] + shaped.kept))
        )
    return lemmas


def _on_one_grid(shaped: Shaped) -> list[Clause]:
    """The first sweep from its ttl's end on finds the running record, and the terminal one."""

    def found(sure: Any) -> Any:
        number: Any = -z3.ToInt(-(sure - V["phase"]))
        return V["phase"] + z3.ToReal(z3.If(number < 0, 0, number)) + shaped.number("sweep_lateness")

    created, running = V["client"] != CLIENT["absent"], found(shaped.sure)
    return [
        Clause("a running task does not outlive its ttl", z3.Implies(z3.And(created, WORKING), V["now"] <= running)),
        Clause("the late write came before that", z3.Implies(COMPLETED, V["ended_at"] <= running)),
        Clause(
            "a terminal task does not outlive its ttl",
            z3.Implies(COMPLETED, V["now"] <= found(V["ended_at"] + shaped.sure)),
        ),
    ]
