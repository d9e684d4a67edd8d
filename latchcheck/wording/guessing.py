"""Guesses at what is true of every state, read off the states of a search: conditions, and bounds between numbers.

Nothing rests on a guess: it is a lemma once the solver has shown that every step keeps it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import lcm
from typing import Any

import attrs
import z3

from latchcheck.engines.ticks import TickSearch
from latchcheck.engines.ticks_source import Setting
from latchcheck.kernel import Bool, Enum, IntRange, Real, System, Variable

STATES_MAX = 3000
READ_MAX = 800
VALUES_MAX = 4
"""A variable with more values is left out of the conditions."""
FINEST = Fraction(1, 2)
"""How far apart the instants are that guesses are read off, in milliseconds."""


@attrs.frozen(eq=False)
class Literal:
    """What one variable may be, and in which of the states it is so: one bit a state."""

    expr: Any
    name: str
    mask: int


def states_of(system: System) -> list[tuple[Any, ...]]:
    """States of a system without a clock, in the order in which a search finds them."""
    run = TickSearch(system, (), Setting(FINEST))
    run.search(STATES_MAX)
    return run.order[:: max(1, len(run.order) // READ_MAX)]


def guesses(system: System, states: Sequence[tuple[Any, ...]], late: Sequence[bool]) -> list[Any]:
    """Conditions that are true of all states, the simplest first: of one variable, of two, and bounds.

    `late` marks the states of the last part of a search: a bound that only those reach is no bound.
    """
    columns = {variable.name: [state[i] for state in states] for i, variable in enumerate(system.variables)}
    full = (1 << len(states)) - 1
    every = [one for variable in system.variables for one in _literals(variable, columns[variable.name])]
    open_ = [one for one in every if one.mask not in (0, full)]
    pairs = [
        z3.Or(one.expr, other.expr)
        for one, other in combinations(open_, 2)
        if one.name != other.name and one.mask | other.mask == full
    ]
    plain, guarded = _bounds(system, columns, open_, late)
    return [*(one.expr for one in every if one.mask == full), *plain, *pairs, *guarded]


def _literals(variable: Variable, column: Sequence[Any]) -> list[Literal]:
    domain, term = variable.domain, variable.term
    found: list[tuple[Any, Any]] = []
    if isinstance(domain, Bool):
        found = [(term, True), (z3.Not(term), False)]
    elif isinstance(domain, Enum):
        found = [(term == domain[label], label) for label in domain.values]
    elif isinstance(domain, IntRange) and len(set(column)) <= VALUES_MAX:
        found = [(term == value, value) for value in sorted(set(column))]
    literals = []
    for expr, value in found:
        mask = sum(1 << at for at, one in enumerate(column) if one == value)
        literals.append(Literal(expr, variable.name, mask))
        if not isinstance(domain, Bool):
            literals.append(Literal(z3.Not(expr), variable.name, ((1 << len(column)) - 1) ^ mask))
    return literals


def _bounds(
    system: System, columns: dict[str, list[Any]], literals: Sequence[Literal], late: Sequence[bool]
) -> tuple[list[Any], list[Any]]:
    """What is constant, and how far numbers lie apart: in every state, and where a condition holds."""
    reals = [variable for variable in system.variables if isinstance(variable.domain, Real)]
    constant = [variable for variable in reals if len(set(columns[variable.name])) == 1]
    plain: list[Any] = [variable.term == variable.domain.literal(variable.initial) for variable in constant]
    # Whole numbers of one part are compared: fractions are slow.
    part = lcm(*(Fraction(value).denominator for variable in reals for value in columns[variable.name]), 1)
    numbers: list[tuple[Any, list[int]]] = [(None, [0] * len(late))]
    numbers += [
        (variable.term, [int(value * part) for value in columns[variable.name]])
        for variable in reals
        if variable not in constant
    ]
    guarded: list[Any] = []
    places = {id(one): [at for at in range(len(late)) if one.mask >> at & 1] for one in literals}
    everywhere = list(range(len(late)))
    for i, (one, first) in enumerate(numbers):
        for j, (other, second) in enumerate(numbers):
            if i == j:
                continue
            apart = [a - b for a, b in zip(first, second, strict=True)]
            whole = _greatest(apart, everywhere, late)
            if whole is not None:
                plain += _at_most(one, other, Fraction(whole, part))
            for literal in literals:
                here = _greatest(apart, places[id(literal)], late)
                if here is not None and (whole is None or here < whole):
                    guarded += [
                        z3.Or(z3.Not(literal.expr), bound) for bound in _at_most(one, other, Fraction(here, part))
                    ]
    return plain, guarded


def _greatest(apart: Sequence[Any], places: Sequence[int], late: Sequence[bool]) -> Any:
    """The greatest of some numbers; None where only late states come that far."""
    best = max((apart[at] for at in places), default=None)
    early = max((apart[at] for at in places if not late[at]), default=None)
    return best if best is not None and best == early else None


def _at_most(one: Any, other: Any, bound: Fraction) -> list[Any]:
    """That one number is at most so far above another; None stands for 0."""
    # Between two instants of the search the bound may lie a little higher, without being reached.
    if one is None:
        return [other >= z3.RealVal(str(-bound)), other > z3.RealVal(str(-bound - FINEST))]
    term = one if other is None else one - other
    return [term <= z3.RealVal(str(bound)), term < z3.RealVal(str(bound + FINEST))]
