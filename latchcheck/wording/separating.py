"""Runs that obey one sentence and break another: how they are searched for, in one world."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product as combinations
from typing import Any

import attrs
import z3

from latchcheck.engines.explicit import Options, explore
from latchcheck.kernel import Action, Bool, Clause, Property, Sentence, System, Trace, Variable, record, replay

from .conditions import TRUE
from .files import Reading
from .moments import bare, ticking, until_ms
from .monitors import Monitor, monitor, product
from .words import World

WATCHER = "latchcheck"
LEAVES = "the other sentence would be broken for ever"


@attrs.frozen(eq=False)
class Split:
    """A run that obeys one sentence and breaks the other; `loop` steps before it repeats for ever, None where not.

    `until_ms` is the instant up to which nothing more happens, where the run turns on that.
    `roundabout` says that a shorter loop was not excluded.
    """

    world: str
    obeys: str
    breaks: str
    trace: Trace
    loop: int | None = None
    stops: bool = False
    until_ms: Any = None
    roundabout: bool = False

    @property
    def length(self) -> tuple[int, int]:
        """The steps before it stops or begins to repeat, then all of them: what of two runs makes one the shorter."""
        return (len(self.trace) if self.loop is None else self.loop), len(self.trace)


@attrs.frozen(eq=False)
class Watched:
    """A world with the monitors of some readings, and of each what it assumes: a condition, and fair actions.

    `told` is the world moment by moment, which `system` is made of.
    """

    world: World
    told: World
    system: System
    monitors: tuple[Monitor, ...]
    assumed: tuple[Any, ...]
    fairness: tuple[tuple[str, ...], ...]


def watch(world: World, readings: Sequence[Reading], told: World | None = None) -> Watched:
    """Put the monitors of readings, and of their assumptions, into one system; `told` as a search takes it if None."""
    told = told or ticking(world)
    found = [monitor(told, one.sentence, f"m{i}") for i, one in enumerate(readings)]
    limits = dict.fromkeys(limit for one in readings for limit in one.restricting)
    guards = {limit: monitor(told, limit, f"a{i}") for i, limit in enumerate(limits)}
    there = {action.name for action in world.system.actions}
    fairness = [
        tuple(dict.fromkeys(name for phrase in one.assuming for name in world.value(phrase) if name in there))
        for one in readings
    ]
    assumed = [z3.And(TRUE, *(z3.Not(guards[limit].failing) for limit in one.restricting)) for one in readings]
    system = product(told, [*found, *guards.values()])
    return Watched(world, told, system, tuple(found), tuple(assumed), tuple(fairness))


Pair = tuple[int, int]


def separate_all(watched: Watched, pairs: Sequence[Pair]) -> dict[Pair, tuple[Split | None, bool]]:
    """For each pair a run that obeys the first reading and breaks the second; and whether the search saw every run.

    A reading speaks about the runs that meet its assumptions: any other run obeys it.
    So the run meets those of the reading that it breaks, and either obeys the other sentence or fails an assumption of
    that.
    Where both forbid a prefix of a run, one search answers them all.
    """
    # No run breaks a freedom that another sentence does not give.
    free = [pair for pair in pairs if watched.monitors[pair[1]].possible and not watched.monitors[pair[0]].possible]
    simple = [pair for pair in pairs if pair not in free and _is_simple(watched, *pair)]
    found: dict[Pair, tuple[Split | None, bool]] = dict.fromkeys(free, (None, True))
    found |= {pair: _apart(watched, *pair) for pair in pairs if pair not in free and pair not in simple}
    if simple:
        asks = [ask(f"{i} {j}", condition(watched, i, j)) for i, j in simple]
        made = search(watched.system, watched.world, asks)
        for i, j in simple:
            run = made.witnesses.get(f"{i} {j}")
            split = None
            if run is not None:
                names = watched.monitors[i].name, watched.monitors[j].name
                split = Split(
                    watched.world.name, *names, bare(watched.world, run), until_ms=until_ms(watched.world, run)
                )
            found[i, j] = split, split is not None or made.complete
    return found


def separate(watched: Watched, obeyed: int, broken: int) -> tuple[Split | None, bool]:
    """Answer one pair, as `separate_all` answers many."""
    return separate_all(watched, [(obeyed, broken)])[obeyed, broken]


def _is_simple(watched: Watched, obeyed: int, broken: int) -> bool:
    one, other = watched.monitors[obeyed], watched.monitors[broken]
    lasting = one.live or other.live or watched.fairness[broken] or watched.fairness[obeyed]
    return watched.world.system.clock is not None or other.possible or not lasting


def condition(watched: Watched, obeyed: int, broken: int) -> Any:
    """What is true once a run obeys one reading and breaks another."""
    one, other = watched.monitors[obeyed], watched.monitors[broken]
    if other.possible:
        # A run that uses the freedom of one and not that of the other.
        return z3.And(one.tried, z3.Not(other.tried), watched.assumed[obeyed], watched.assumed[broken])
    if one.possible:
        # A run that uses a freedom which the other sentence forbids.
        return z3.And(one.tried, other.failing, watched.assumed[obeyed], watched.assumed[broken])
    excused = z3.Or(z3.Not(one.failing), z3.Not(watched.assumed[obeyed]))
    return z3.And(excused, other.failing, watched.assumed[broken])


def _apart(watched: Watched, obeyed: int, broken: int) -> tuple[Split | None, bool]:
    one, other = watched.monitors[obeyed], watched.monitors[broken]
    kept, fair = watched.assumed[broken], watched.fairness[broken]
    if one.possible:
        kept = z3.And(kept, one.tried, watched.assumed[obeyed])
    excused = z3.Or(z3.Not(one.failing), z3.Not(watched.assumed[obeyed]))
    found = [_endless(watched, z3.And(other.failing, kept), z3.Not(excused), fair, (one, other))]
    left = [name for name in watched.fairness[obeyed] if name not in fair]
    found += [_neglected(watched, z3.And(other.failing, kept), name, fair, (one, other)) for name in left]
    runs = [split for split, _ in found if split is not None]
    return min(runs, key=lambda split: split.length, default=None), all(complete for _, complete in found)


def ask(name: str, condition: Any, expectation: str = "reachable") -> Property:
    """Return the question whether a condition can be, for an engine."""
    sentence = Sentence(name, WATCHER, "wording")
    return Property(name, "MAY", sentence, (Clause(name, condition),), None, expectation)  # type: ignore[arg-type]


def search(watched_system: System, world: World, asked: Sequence[Property], options: Options | None = None) -> Any:
    """Search a watched system within the limits of its world."""
    return explore(watched_system, asked, states_max=world.states_max, unit_ms=world.unit_ms, options=options)


def _endless(
    watched: Watched, wanted: Any, barred: Any, fair: Sequence[str], names: tuple[Monitor, Monitor]
) -> tuple[Split | None, bool]:
    """A fair run on which a condition stays true from some moment on, and another is false again and again.

    A watcher may leave where the other holds, and is fair: so a run on which it never leaves is one on which that is
    false again and again. A run stops for good only where no fair action, and no leaving, is possible.
    """
    gone = Variable("watch.left", Bool(), False)
    guard = (Clause(LEAVES, z3.And(barred, z3.Not(gone.term))),)
    leave = Action("watch.leave", WATCHER, guard, {gone.name: TRUE})
    system = attrs.evolve(
        watched.system, variables=(*watched.system.variables, gone), actions=(*watched.system.actions, leave)
    )
    return lasso(watched, system, z3.And(wanted, z3.Not(gone.term)), (*fair, leave.name), names)


def _neglected(
    watched: Watched, wanted: Any, name: str, fair: Sequence[str], names: tuple[Monitor, Monitor]
) -> tuple[Split | None, bool]:
    """A run on which a condition stays true while an action stays possible and never happens: it is unfair to that."""
    took = Variable("watch.took", Bool(), False)
    actions = [
        attrs.evolve(action, updates={**action.updates, took.name: z3.BoolVal(action.name == name)})
        for action in watched.system.actions
    ]
    system = attrs.evolve(watched.system, variables=(*watched.system.variables, took), actions=actions)
    able = possible_now(watched.system.action(name))
    return lasso(watched, system, z3.And(wanted, able, z3.Not(took.term)), fair, names)


def possible_now(action: Action) -> Any:
    """Whether an action with finite choices can happen."""
    guard = z3.And(TRUE, *(clause.expr for clause in action.guard))
    ways = [
        [(choice.term, choice.domain.literal(value)) for choice, value in zip(action.choices, values, strict=True)]
        for values in combinations(*(choice.domain.members() for choice in action.choices))
    ]
    return z3.simplify(z3.Or(*(z3.substitute(guard, *way) if way else guard for way in ways)))


def lasso(
    watched: Watched, system: System, stays: Any, fair: Sequence[str], names: tuple[Monitor, Monitor]
) -> tuple[Split | None, bool]:
    """A fair run of a system on which a condition stays true from some moment on."""
    sentence = Sentence("split", WATCHER, "wording")
    asked = Property("split", "MUST", sentence, (Clause("split", z3.Not(stays)),), stays, "leads-to")
    found = search(system, watched.world, [asked], Options(fairness=dict.fromkeys(fair, ())))
    if "split" not in found.counterexamples:
        return None, found.complete
    loop = found.loops.get("split")
    trace = bare(watched.world, found.counterexamples["split"])
    stops = loop is None or loop >= len(trace)
    if loop is not None and not stops:
        trace, loop = rolled(watched.world.system, trace, loop)
    longer = "split" in found.longer
    split = Split(watched.world.name, names[0].name, names[1].name, trace, None if stops else loop, stops)
    return attrs.evolve(split, roundabout=longer), True


def rolled(system: System, trace: Trace, loop: int) -> tuple[Trace, int]:
    """The same endless run, told with as few steps as can be before it repeats.

    What a sentence remembers may change for the last time when the run itself repeats already.
    """
    states = replay(system, trace)
    steps = [(step.at_ms, step.action, step.args) for step in trace.steps]
    while loop and steps[loop - 1] == steps[-1] and states[loop - 1] == states[len(steps) - 1]:
        steps.pop()
        loop -= 1
    return record(system, steps), loop
