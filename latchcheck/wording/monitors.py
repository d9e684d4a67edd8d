"""Turns a sentence into a monitor: a few variables that every action of a system also updates.

The product of a system and monitors is a System again, so every engine reads it.
A monitor looks at each moment of a run: the initial state, and the state after each step, in which an event is true
exactly if that step was it.
Its `failing` says that the run, if it went on for ever without changing that, breaks the sentence: for safety it stays
true once it is, for a duty still open it ends when the duty is met.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
import z3

from latchcheck.engines.obligations import prove
from latchcheck.kernel import Action, Bool, IntRange, ModelError, System, Variable

from .conditions import FALSE, TRUE, Moment
from .language import Sentence
from .machine import Machine
from .patterns import Memory
from .words import World


@attrs.frozen(eq=False)
class Monitor:
    """A sentence on a system: its variables, what they become at each step, and what they say."""

    name: str
    sentence: Sentence
    variables: tuple[Variable, ...]
    updates: Mapping[str, Mapping[str, Any]]
    failing: Any
    tried: Any
    """It was put to the test at some moment so far."""
    live: bool
    """It can ask for something without saying by when, so a run that stops too early breaks it."""

    @property
    def possible(self) -> bool:
        """It asks only that something can happen."""
        return self.sentence.pattern == "possibility"


def monitor(world: World, sentence: Sentence, name: str) -> Monitor:
    """The monitor of a sentence on the system of a world; `name` sets its variables apart from those of others."""
    key = (sentence, name)
    if key not in world.cache:
        world.cache[key] = _made(world, sentence, name)
    return world.cache[key]


def _made(world: World, sentence: Sentence, name: str) -> Monitor:
    machine = Machine(sentence)
    system = world.system
    assert system.clock is None, "a world with a clock is told moment by moment first"
    start = _initial(world)
    begun = machine.advance(machine.blank(), Moment(world, None, start), first=True)
    variables = tuple(
        Variable(f"{name}.{key}", machine.domains[key], _literal(begun[key], machine.domains[key], world.assumed))
        for key in begun
    )
    memory: Memory = {key: variable.term for key, variable in zip(begun, variables, strict=True)}
    updates: dict[str, dict[str, Any]] = {}
    for action in system.actions:
        after = machine.advance(memory, Moment(world, action, _putter(system, action)))
        changed = {key: z3.simplify(value) for key, value in after.items()}
        updates[action.name] = {f"{name}.{key}": value for key, value in changed.items() if not value.eq(memory[key])}
    failing = z3.simplify(z3.Or(memory["bad"], machine.still_owed(memory)))
    return Monitor(name, sentence, variables, updates, failing, memory["tried"], machine.live)


def product(world: World, monitors: Sequence[Monitor], *, extra: Sequence[Action] = ()) -> System:
    """The system of a world with monitors that look on; `extra` are actions that change none of its variables."""
    system = world.system
    actions = [
        attrs.evolve(
            action,
            updates={**action.updates, **{k: v for one in monitors for k, v in one.updates[action.name].items()}},
        )
        for action in system.actions
    ]
    return System(
        f"{system.name} watched",
        (*system.variables, *(variable for one in monitors for variable in one.variables)),
        (*actions, *extra),
        None,
        (),
        system.parameters,
        system.initial,
    )


def _initial(world: World) -> Callable[[Any], Any]:
    system = world.system
    pairs = [(variable.term, variable.domain.literal(variable.initial)) for variable in system.variables]
    return lambda expr: z3.simplify(z3.substitute(expr, *pairs)) if isinstance(expr, z3.ExprRef) else expr


def _putter(system: System, action: Action) -> Callable[[Any], Any]:
    """An expression as it is after an action, over the state before and the choices."""
    pairs = [(system.variable(name).term, expr) for name, expr in action.updates.items()]
    return lambda expr: z3.substitute(expr, *pairs) if pairs and isinstance(expr, z3.ExprRef) else expr


def _literal(term: Any, domain: Any, assumed: Sequence[Any]) -> Any:
    value: Any = z3.simplify(term)
    if isinstance(domain, Bool):
        for known in (TRUE, FALSE) if assumed else ():
            if prove("at the start", assumed, value == known).proved:
                return z3.is_true(known)
        if not (z3.is_true(value) or z3.is_false(value)):
            raise ModelError(f"whether {term} holds at the start depends on a number left open")
        return bool(z3.is_true(value))
    return value.as_long() if isinstance(domain, IntRange) else value.as_fraction()
