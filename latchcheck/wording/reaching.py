"""How far a proof about time reaches beyond the numbers that it was made at, and where it ends to hold."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import attrs
import z3

from latchcheck.engines.obligations import decided

from .files import Reading
from .judging import judge
from .opening import Condition, General, general
from .proving import Induction, breaks
from .relations import words_of
from .words import Model, World

ENOUGH = "enough, perhaps not needed: a proof for more numbers may exist"
NUMBER_MAX = 8
"""Up to which number of milliseconds a configuration is looked for in which a condition fails: runs must be short."""


@attrs.frozen
class Reach:
    """For which numbers a proof holds.

    `conditions` are those it needs, each with the settings at which a run breaks the sentence without it, or None
    where none was found; `fixed` are the numbers that it takes as configured.
    Not `shown` says that with the numbers left open no proof was found, so that it is one for these numbers.
    """

    shown: bool
    conditions: tuple[tuple[str, str | None], ...] = ()
    fixed: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.shown:
            return "not shown: with the numbers left open no proof is found"
        asked = [f"{text} (broken at {where})" if where else text for text, where in self.conditions]
        parts = [f"in which {' and '.join(asked)}"] if asked else []
        parts += [f"with {' and '.join(self.fixed)}"] if self.fixed else []
        enough = f"; {ENOUGH}" if parts else ""
        return " ".join(["proved for every configuration of these modes", *parts]) + enough


def reach(model: Model | None, world: World, one: Reading, found: Induction) -> Reach:
    """What a proof of a reading shows of other numbers; without a model no runs are looked for beyond them."""
    made = general(world, [one], breaks, found)
    if made is None:
        return Reach(shown=False)
    told = tuple(
        (str(condition), None if model is None else _broken_at(model, one, made, condition))
        for condition in made.conditions
    )
    return Reach(shown=True, conditions=told, fixed=made.fixed)


def _broken_at(model: Model, one: Reading, made: General, condition: Condition) -> str | None:
    """Numbers near those configured at which only this condition fails, and a run breaks the reading."""
    opened = made.opened
    terms = dict(opened.world.system.parameters)
    whole = {name: z3.Int(f"{name} in ms") for name in terms}
    solver = z3.Optimize()
    solver.add(*opened.assumed, z3.Not(condition.expr), *(c.expr for c in made.conditions if c is not condition))
    for name, term in terms.items():
        value = z3.RealVal(str(opened.values[name]))
        solver.add(term == z3.ToReal(whole[name]), whole[name] >= 0)
        if opened.names[name].endswith("]"):
            solver.add(term == value)  # a range is no single setting
        else:
            solver.add(whole[name] <= max(NUMBER_MAX, int(opened.values[name])))
            solver.add_soft(term == value, "1000")
            solver.minimize(z3.If(term > value, term - value, value - term))
    if decided(solver) != z3.sat:
        return None
    values: Any = solver.model()
    found = {name: Fraction(values.eval(number, model_completion=True).as_long()) for name, number in whole.items()}
    changed = [f"{opened.names[name]}={value}ms" for name, value in found.items() if value != opened.values[name]]
    setting = ",".join(changed)
    world = model.world(setting, words_of([one])) if changed else None
    return setting if world is not None and judge(world, one).verdict == "violated" else None
