"""An inductive proof found without help: lemmas of one and two conditions, as many as every step keeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import z3

from latchcheck.kernel import Action, Bool, Enum, IntRange, System

RLIMIT = 20_000_000
VALUES_MAX = 4
"""A variable with more values is left out of the lemmas."""


def literals(system: System) -> list[Any]:
    """The conditions that lemmas are made of: what one variable may be, or may not."""
    found: list[Any] = []
    for variable in system.variables:
        term, domain = variable.term, variable.domain
        if isinstance(domain, Bool):
            found += [term, z3.Not(term)]
        elif isinstance(domain, Enum):
            for label in domain.values:
                found += [term == domain[label], term != domain[label]]
        elif isinstance(domain, IntRange) and domain.hi - domain.lo < VALUES_MAX:
            for value in range(domain.lo, domain.hi + 1):
                found += [term == value, term != value]
    return found


def candidates(system: System, goal: Any) -> list[Any]:
    """The goal, each condition, and each two of different variables, as far as they hold at the start."""
    start = [(variable.term, variable.domain.literal(variable.initial)) for variable in system.variables]
    single = literals(system)
    names = [str(next(_variables(one))) for one in single]
    pairs = [z3.Or(single[i], single[j]) for i, j in combinations(range(len(single)), 2) if names[i] != names[j]]
    every = [goal, *single, *pairs]
    return [one for one in every if z3.is_true(z3.simplify(z3.substitute(one, *start)))]


def _variables(expr: Any) -> Iterator[Any]:
    if z3.is_const(expr) and expr.decl().kind() == z3.Z3_OP_UNINTERPRETED:
        yield expr
    for child in expr.children():
        yield from _variables(child)


def domains(system: System) -> list[Any]:
    """What the types say beyond the sorts."""
    return [
        z3.And(variable.term >= variable.domain.lo, variable.term <= variable.domain.hi)
        for variable in system.variables
        if isinstance(variable.domain, IntRange)
    ]


def after(system: System, action: Action, expr: Any) -> Any:
    """A condition after an action, over the state before and the choices."""
    pairs = [(system.variable(name).term, value) for name, value in action.updates.items()]
    return z3.substitute(expr, *pairs) if pairs else expr


def picked(action: Action) -> list[Any]:
    """The ranges of an action's choices."""
    return [
        z3.And(choice.term >= choice.domain.lo, choice.term <= choice.domain.hi)
        for choice in action.choices
        if isinstance(choice.domain, IntRange)
    ]


def strongest(system: System, found: Sequence[Any]) -> list[Any] | None:
    """The largest part of some candidates that every step keeps; None where the solver gives up.

    Each refuted step shows a state after it; every candidate that is false there goes at once.
    """
    kept = list(found)
    changed = True
    while changed:
        changed = False
        for action in system.actions:
            remaining = _kept_by(system, action, kept)
            if remaining is None:
                return None
            changed = changed or len(remaining) < len(kept)
            kept = remaining
    return kept


def _kept_by(system: System, action: Action, kept: list[Any]) -> list[Any] | None:
    updated = set(action.updates)
    touched = [one for one in kept if any(str(v) in updated for v in _variables(one))]
    later = {id(one): after(system, action, one) for one in touched}
    while touched:
        solver = z3.Solver()
        solver.set("rlimit", RLIMIT)
        solver.add(*kept, *domains(system), *(clause.expr for clause in action.guard), *picked(action))
        solver.add(z3.Or(*(z3.Not(later[id(one)]) for one in touched)))
        answer = solver.check()
        if answer == z3.unknown:
            return None
        if answer == z3.unsat:
            return kept
        model = solver.model()
        false = {id(one) for one in touched if not z3.is_true(model.eval(later[id(one)], model_completion=True))}
        touched = [one for one in touched if id(one) not in false]
        kept = [one for one in kept if id(one) not in false]
    return kept
