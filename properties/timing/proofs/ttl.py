"""`ttl-covers-execution`: live work expires exactly when ttl - skew is at or before the latest instant it can be found.

That instant is the end of the declared execution, or what the other passes leave of it: a pass that must fire ends the
task in its own sweep where it stands earlier in the order, and otherwise at the next sweep of the grid.

What speaks about a grid of sweeps is proved with the sweep period as the unit of time. That costs nothing: time is
dense and every other number open, so any configuration is one of these with its durations divided by the period.
"""

from typing import Any

import attrs
import z3

from latchcheck.engines.obligations import Proof
from latchcheck.engines.smt import Event, inductive, valid_run
from latchcheck.kernel import Clause, System
from latchcheck.model.config import Config
from latchcheck.model.timing.terms import CLIENT, COUNT_MAX, STATUS, V

from .followed import Followed
from .scripts import contact_state, slow_legs

PERIOD = 1
"""The unit of time of what is said about a grid."""

WORKING = z3.And(V["status"] == STATUS["working"], z3.Not(V["gone"]))
GRID = "the sweep whose"
"""Sweeps are counted up to here: no run is so many periods long."""


# -- without a grid -----------------------------------------------------------------------------------------------


def found_until(shape: Followed) -> list[Any]:
    """The latest instants at which the expiry pass can find the task working, sweeps coming at any moment."""
    windows, found = shape.windows, [shape.work_ends]
    assert shape.work_ends is not None
    if windows.deadline is not None and windows.order.index("timeouts") < windows.order.index("expiry"):
        found.append(windows.deadline + shape.skew)
    return found


def _kept(shape: Followed) -> Any:
    return shape.number("enforced_ttl") - shape.skew


def covered(config: Config) -> Proof:
    """Where ttl - skew comes later, no live work expires."""
    shape = Followed(config)
    safe = z3.Or([_kept(shape) > until for until in found_until(shape)])
    invariant = [
        Clause("nothing happens before creation", z3.Implies(V["client"] == CLIENT["absent"], V["now"] == 0)),
        Clause("no live work expired", z3.Not(V["expired_live"])),
    ]
    return inductive(shape.system, [*shape.sane, safe], invariant, V["expired_live"])


def expired(config: Config) -> list[Proof]:
    """Where it does not, some run lets live work expire at max(0, ttl - skew).

    That instant lies in some leg of the client, which contacts lead to, or after its limit; the run is cut off there.
    """
    shape = Followed(config)
    at = z3.Real("at")
    due = z3.If(_kept(shape) > 0, _kept(shape), z3.RealVal(0))
    known = [*shape.sane, at == due, *(_kept(shape) <= until for until in found_until(shape))]
    sweep: Event = (at, "sweep", late(shape))
    proofs = []
    for first in (True, False):
        for script in slow_legs(shape, first=first):
            given = [*known, *shape.schedule(*script.polls), *script.given]
            if shape.poller.limited():
                stop = shape.stop(call=shape.latency.lo, handle=shape.latency.hi)
                given.append(at <= (stop if first else V["give_up_at"]))
            start = None if first else contact_state(shape)
            proofs.append(
                valid_run(shape.system, [z3.And(given)], [*script.events, sweep], V["expired_live"], start=start)
            )
    proofs.append(valid_run(shape.system, [*known, at >= V["now"]], [sweep], V["expired_live"], start=stopped()))
    if shape.poller.limited():
        proofs += _stops(shape)
    return proofs


def late(shape: Followed, *also: str) -> dict[str, Any]:
    """Clock errors that make the age of the record the greatest, and everything else look young."""
    names = ("error_anchor", *also)
    return {choice.name: shape.skew if choice.name in names else -shape.skew for choice in shape.windows.errors}


def stopped() -> list[Clause]:
    """A working task whose client has stopped."""
    return [
        Clause("the client stopped", V["client"] == CLIENT["stopped"]),
        Clause("the task is working", z3.And(WORKING, V["next_sweep"] == 0, z3.Not(V["expired_live"]))),
        Clause("instants are past", z3.And(V["now"] >= 0, V["last_contact"] <= V["now"])),
    ]


def _stops(shape: Followed) -> list[Proof]:
    """A client whose limit comes in a leg leaves a working task behind, before the limit of the work."""
    proofs = []
    for script in slow_legs(shape, first=False):
        at = script.at
        known = [*shape.sane, *shape.schedule(*script.polls), *script.given, at == V["give_up_at"]]
        known += [at <= until for until in found_until(shape)]
        events: list[Event] = [*script.events, (at, "give_up", {})]
        goal = z3.And(WORKING, z3.Or(V["client"] == CLIENT["stopped"], V["client"] == CLIENT["leaving"]))
        proofs.append(valid_run(shape.system, [z3.And(known)], events, goal, start=contact_state(shape)))
    return proofs


# -- on a grid ----------------------------------------------------------------------------------------------------


@attrs.frozen
class Grid:
    """A shape whose sweep period is the unit of time, and one pass that must fire from `limit` on.

    Passes that the statement is not about do not press: without their urgency the system has more runs, not fewer.
    """

    shape: Followed
    name: str

    @property
    def system(self) -> System:
        """The system with the period as the unit of time, and no urgency but that of the pass."""
        system = self.shape.system.at({"sweep_period": PERIOD})
        urgency = [
            clause for clause in system.urgency if not clause.label.startswith(GRID) or self.name in clause.label
        ]
        return System(system.name, system.variables, system.actions, system.clock, urgency, dict(system.parameters))

    @property
    def presses(self) -> list[Clause]:
        """The urgency of the pass."""
        return [clause for clause in self.system.urgency if clause.label.startswith(GRID)]

    @property
    def relaxed(self) -> System:
        """The same without that urgency, which is then shown apart."""
        system = self.system
        urgency = [clause for clause in system.urgency if not clause.label.startswith(GRID)]
        return System(system.name, system.variables, system.actions, system.clock, urgency, dict(system.parameters))

    @property
    def limit(self) -> Any:
        """The instant from which on the pass surely fires."""
        for name, instant, _, _ in self.shape.windows.limits_while_working():
            if name == self.name:
                return instant
        raise KeyError(self.name)

    @property
    def inclusive(self) -> bool:
        """Whether it fires at that instant itself."""
        return next(last for name, *_, last in self.shape.windows.limits_while_working() if name == self.name)

    @property
    def lateness(self) -> Any:
        """How late a sweep may be."""
        return self.shape.number("sweep_lateness")

    @property
    def dodged(self) -> Any:
        """The latest instant at which the task can still be working."""
        return self.limit + PERIOD + self.lateness

    @property
    def sane(self) -> list[Any]:
        """What every configuration has, the period apart."""
        return [known for known in self.shape.sane if "sweep_period" not in str(known)]

    def alive(self, now: Any) -> Any:
        """What `now` is at most while the task works: the bound itself only where the pass spares its own instant.

        A limit of 0 is an exception: the first sweep of a grid may come a whole period after creation.
        """
        if not self.inclusive:
            return now <= self.dodged
        return z3.If(self.limit > 0, now < self.dodged, now <= self.dodged)

    def last_sweep(self) -> tuple[Any, list[Any]]:
        """A sweep as late as it may be, and what places it on the grid; every instant after the lateness is one."""
        number = z3.Int("number")
        at = V["phase"] + number * PERIOD + self.lateness
        # Of the two ways to write a multiple of the period, the one with a phase above 0: the first sweep is number 0.
        return at, [number >= 0, V["phase"] > 0, V["phase"] <= PERIOD, at >= V["now"], at < COUNT_MAX]

    def lemmas(self) -> list[Clause]:
        """What is true of every state on the grid."""
        return [
            Clause("nothing happens before creation", z3.Implies(_absent(), z3.And(V["now"] == 0, V["phase"] == 0))),
            Clause("contacts are past", z3.And(V["last_contact"] >= 0, V["last_contact"] <= V["now"])),
            Clause("the phase is within a period", z3.And(V["phase"] >= 0, V["phase"] <= PERIOD)),
            Clause("no sweep acted yet", z3.Implies(WORKING, V["next_sweep"] == 0)),
            Clause("the pass is not dodged for longer", z3.Implies(WORKING, self.alive(V["now"]))),
        ]


def _absent() -> Any:
    return V["client"] == CLIENT["absent"]


def grids(config: Config) -> list[Grid]:
    """Every pass of a configuration that can end a working task, by its deadline, its ttl or silence."""
    shape = Followed(config)
    return [
        Grid(shape, name)
        for name, _, follows, _ in shape.windows.limits_while_working()
        if not follows or name == "orphans"
    ]


def dodged(grid: Grid) -> list[Proof]:
    """A pass that must fire ends the task at limit + period + lateness at the latest, and a run attains that."""
    never = z3.And(WORKING, z3.Not(grid.alive(V["now"])))
    proofs = [inductive(grid.system, grid.sane, grid.lemmas(), never)]
    at, placed = grid.last_sweep()
    room = [*placed, grid.alive(at), at > grid.limit]
    if grid.shape.work_ends is not None:
        room.append(at <= grid.shape.work_ends)
    if "execution_lo" in grid.shape.system.parameters:
        room.append(at >= grid.shape.number("execution_lo"))
    events: list[Event] = [(at, "write_terminal", {})]
    ended = V["status"] == STATUS["completed"]
    proofs.append(valid_run(grid.system, [*grid.sane, *room], events, ended, start=stopped()))
    return proofs


def swept(grid: Grid) -> list[Proof]:
    """Live work against the ttl where a pass later in the order ends it by the next sweep: both implications."""
    shape, kept = grid.shape, _kept(grid.shape)
    due = z3.If(kept > 0, kept, z3.RealVal(0))
    safe = z3.Or(kept > shape.work_ends, z3.Not(grid.alive(due)))
    invariant = [*grid.lemmas(), Clause("no live work expired", z3.Not(V["expired_live"]))]
    proofs = [inductive(grid.system, [*grid.sane, safe], invariant, V["expired_live"])]
    events: list[Event] = [(due, "sweep", late(shape))]
    at, placed = grid.last_sweep()
    cases = [
        (at, [*placed, at == due, at > grid.lateness]),
        (due, [due <= grid.lateness, V["phase"] == 0]),
    ]
    for instant, given in cases:
        events = [(instant, "sweep", late(shape))]
        known = [*grid.sane, z3.Not(safe), *given, instant >= V["now"]]
        proofs.append(valid_run(grid.system, known, events, V["expired_live"], start=stopped()))
    return proofs
