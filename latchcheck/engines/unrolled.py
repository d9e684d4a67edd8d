"""Refutation by the solver: a run from the start that breaks a property, sought step by step deeper.

The transition relation is unrolled: one copy of every variable for each step, and which action happens is open.
There is no bound but the one that is given: a property that fails in some run is refuted sooner or later, one that
holds never is, which is what `inductive` of smt.py is for.
A run that the solver finds is executed by the plain stepper before anybody sees it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs
import z3

from latchcheck.kernel import Action, Bool, Domain, Enum, IntRange, ModelError, Property, System, Trace, Value, record
from latchcheck.kernel.doing import doing
from latchcheck.kernel.substitution import substitute

from .obligations import RLIMIT, decided, spent

STEPS_MAX = 40


@attrs.frozen
class Refutation:
    """What was found: `trace` a run of the fewest steps that breaks the property, or None up to `steps`.

    `unknown` says that the solver gave up on some depth, so that nothing follows for it.
    """

    trace: Trace | None
    steps: int
    rlimit: int
    unknown: bool = False


def refute(
    system: System, asked: Property, *, steps_min: int = 0, steps_max: int = STEPS_MAX, rlimit: int = RLIMIT
) -> Refutation:
    """Seek a run of at least `steps_min` and at most `steps_max` steps at whose end a clause of the property fails.

    Each depth is asked of a fresh solver with a budget of `rlimit`.
    Raises ModelError for a system with a clock or a dense variable, and for a property that is no safety property.
    """
    _check(system, asked)
    applies = z3.BoolVal(True) if asked.antecedent is None else asked.antecedent
    broken = z3.And(applies, z3.Or(*(z3.Not(clause.expr) for clause in asked.clauses)))
    states, relation, took, unknown = [_state(system, 0)], _start(system), 0, False
    for steps in range(steps_max + 1):
        if steps:
            states.append(_state(system, steps))
            relation += _step(system, states[-2], states[-1], steps)
        if steps < steps_min:
            continue
        solver = z3.Solver()
        solver.set("rlimit", rlimit)
        before = spent(solver)
        solver.add(*relation, _put(broken, states[-1]))
        with doing(f"runs of {steps} steps"):
            answer = decided(solver)
        took += spent(solver) - before
        if answer == z3.sat:
            events = list(_events(system, solver.model(), steps))
            return Refutation(record(system, events), steps, took, unknown)
        unknown = unknown or answer == z3.unknown
    return Refutation(None, steps_max, took, unknown)


State = list[tuple[Any, Any]]
"""Each variable's own constant, and the one that stands for it at some depth."""


def _check(system: System, asked: Property) -> None:
    if system.clock is not None or asked.expectation != "always":
        raise ModelError("only what always holds is refuted by unrolling, and in systems without a clock")
    parts = (*system.variables, *(choice for action in system.actions for choice in action.choices))
    for part in parts:
        if not isinstance(part.domain, Bool | Enum | IntRange):
            raise ModelError(f"{part.name!r} is dense, so there is no run of whole numbers to seek")


def _state(system: System, depth: int) -> State:
    return [(one.term, z3.Const(f"{one.name}@{depth}", one.term.sort())) for one in system.variables]


def _start(system: System) -> list[Any]:
    return [z3.Const(f"{one.name}@0", one.term.sort()) == one.domain.literal(one.initial) for one in system.variables]


def _put(expr: Any, state: State, picked: State | None = None) -> Any:
    return substitute(expr, [*state, *(picked or [])])


def _step(system: System, before: State, after: State, depth: int) -> list[Any]:
    """One step of any action; what an action does not change keeps its value."""
    which = _which(depth)
    found: list[Any] = [which >= 0, which < len(system.actions)]
    new: dict[str, Any] = {one.name: old for one, (_, old) in zip(system.variables, before, strict=True)}
    for number, action in enumerate(system.actions):
        picked = _choices(action, depth)
        for choice, (_, term) in zip(action.choices, picked, strict=True):
            if isinstance(choice.domain, IntRange):
                found += [term >= choice.domain.lo, term <= choice.domain.hi]
        happens = which == number
        found += [z3.Implies(happens, _put(clause.expr, before, picked)) for clause in action.guard]
        for name, expr in action.updates.items():
            new[name] = z3.If(happens, _put(expr, before, picked), new[name])
    found += [term == new[one.name] for one, (_, term) in zip(system.variables, after, strict=True)]
    return found


def _which(depth: int) -> Any:
    return z3.Int(f"which@{depth}")


def _choices(action: Action, depth: int) -> State:
    return [(one.term, z3.Const(f"{action.name}.{one.name}@{depth}", one.term.sort())) for one in action.choices]


def _events(system: System, model: z3.ModelRef, steps: int) -> Iterator[tuple[None, str, Mapping[str, Value]]]:
    """The actions of a run and what each of them picked."""
    for depth in range(1, steps + 1):
        which: Any = model.eval(_which(depth), model_completion=True)
        action = system.actions[which.as_long()]
        picked = zip(action.choices, _choices(action, depth), strict=True)
        args = {one.name: _value(one.domain, model.eval(term, model_completion=True)) for one, (_, term) in picked}
        yield None, action.name, args


def _value(domain: Domain, term: Any) -> Value:
    if isinstance(domain, Enum):
        return next(label for label in domain.values if term.eq(domain[label]))
    if z3.is_int_value(term):
        return term.as_long()
    return z3.is_true(term)
