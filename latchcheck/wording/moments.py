"""A world with a clock told as one without: time passing is an action among others, so that every moment is a step.

A search takes steps of one unit up to its horizon.
A proof takes steps of any length, without end: what it shows is true of dense time, and at whatever further instants
somebody looks.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import attrs
import z3

from latchcheck.kernel import Action, Choice, Clause, Real, System, Trace, record, replay
from latchcheck.kernel.stepping import Stepper

from .words import World

PASSES: Final = "time passes"
TIME: Final = "time"
UNTIL: Final = "until"
BOUNDED: Final = "the search goes on"


def ticking(world: World) -> World:
    """A world whose time passes by its unit, up to its horizon; a world without a clock is itself."""
    return _told(world, "ticking", dense=False)


def dense(world: World) -> World:
    """A world whose time passes by any amount, without a horizon; for proofs, since nobody can list the amounts."""
    return _told(world, "dense", dense=True)


def finer(world: World) -> World:
    """A world with a clock whose time passes by half its unit: what whole ones leave between them shows there."""
    if "finer" not in world.cache:
        assert world.horizon_ms is not None
        unit = Fraction(world.unit_ms) / 2
        scope = f"every run in steps of {unit} ms, up to {world.horizon_ms} ms"
        world.cache["finer"] = attrs.evolve(world, unit_ms=unit, scope=scope)
    return world.cache["finer"]


def _told(world: World, key: str, *, dense: bool) -> World:
    if world.system.clock is None:
        return world
    if key not in world.cache:
        system = world.system
        assert system.clock is not None
        now: Any = system.variable(system.clock).term
        actions = (*(_urged(action, system.urgency) for action in system.actions), _passing(world, now, dense=dense))
        made = System(system.name, system.variables, actions, None, (), system.parameters, system.initial)
        world.cache[key] = attrs.evolve(world, system=made, instant=now)
    return world.cache[key]


def _urged(action: Action, urgency: tuple[Clause, ...]) -> Action:
    """No event happens at an instant that urgency forbids."""
    return attrs.evolve(action, guard=(*action.guard, *urgency))


def _passing(world: World, now: Any, *, dense: bool) -> Action:
    clock, urgency = world.system.clock, world.system.urgency
    assert clock is not None
    if dense:
        until = Choice(UNTIL, Real())
        later, choices = until.term, (until,)
        guard = [Clause("time does not run backwards", until.term > now)]
    else:
        later, choices = now + z3.RealVal(str(world.unit_ms)), ()
        guard = [] if world.horizon_ms is None else [Clause(BOUNDED, later <= world.horizon_ms)]
    guard += [Clause(clause.label, z3.substitute(clause.expr, (now, later))) for clause in urgency]
    return Action(PASSES, TIME, guard, {clock: later}, choices)


def bare(world: World, trace: Trace) -> Trace:
    """A run of a product as a run of the system of the world alone, executed again there."""
    system, planned = world.system, []
    now: Any = Stepper(system).state[system.clock] if system.clock is not None else None
    for step in trace.steps:
        if step.action != PASSES:
            planned.append((now, step.action, step.args))
        elif system.clock is not None:
            now = step.changed[system.clock][1]
    made = record(system, planned)
    replay(system, made)
    return made


def until_ms(world: World, trace: Trace) -> Any:
    """The instant to which a run of a product goes on after its last event; None where nothing passes after it."""
    clock = world.system.clock
    if clock is None or not trace.steps or trace.steps[-1].action != PASSES:
        return None
    return trace.steps[-1].changed[clock][1]


def spelled(world: World, trace: Trace, until: Any = None) -> list[tuple[None, str, Any]]:
    """The steps of a run of a world as steps of its ticking form, time passing included."""
    clock = world.system.clock
    if clock is None:
        return [(None, step.action, step.args) for step in trace.steps]
    found: list[tuple[None, str, Any]] = []
    now: Any = Stepper(world.system).state[clock]
    for step in trace.steps:
        while now < step.at_ms:
            found.append((None, PASSES, {}))
            now += world.unit_ms
        found.append((None, step.action, step.args))
    while until is not None and now < until:
        found.append((None, PASSES, {}))
        now += world.unit_ms
    return found
