"""What a condition is worth at one moment of a run, as a term over the state before it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs
import z3

from latchcheck.kernel import Action

from .language import Amount, Joined, Not, Number, Phrase, Prop
from .moments import PASSES
from .words import Occurrence, World

TRUE: Any = z3.BoolVal(True)
FALSE: Any = z3.BoolVal(False)
COMPARE: Mapping[str, Callable[[Any, Any], Any]] = {
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


@attrs.frozen(eq=False)
class Moment:
    """A moment of a run as terms over the state before it: what a condition is worth there, and the instant."""

    world: World
    action: Action | None
    put: Callable[[Any], Any]

    @property
    def now(self) -> Any:
        """The instant; None without a clock."""
        return None if self.world.instant is None else self.put(self.world.instant)

    def value(self, prop: Prop | None) -> Any:
        """Whether a condition holds at this moment."""
        if prop is None:
            return FALSE
        if isinstance(prop, Phrase):
            found = self.world.value(prop.text)
            return self._happens(found) if isinstance(found, Occurrence) else self.put(found)
        if isinstance(prop, Not):
            return z3.Not(self.value(prop.inner))
        if isinstance(prop, Joined):
            parts = [self.value(part) for part in prop.parts]
            return z3.And(*parts) if prop.word == "and" else z3.Or(*parts)
        return COMPARE[prop.sign](self._amount(prop.left), self._amount(prop.right))

    def _amount(self, amount: Amount) -> Any:
        total: Any = None
        for sign, term in amount.terms:
            value = term.value if isinstance(term, Number) else self.put(self.world.value(term.text))
            part = value if sign > 0 else -value
            total = part if total is None else total + part
        return z3.RealVal(total) if isinstance(total, int) else total

    def _happens(self, event: Occurrence) -> Any:
        action = self.action
        if action is None or action.name == PASSES:
            return FALSE
        if event.actions is not None and action.name not in event.actions:
            return FALSE
        if event.party is not None and action.party != event.party:
            return FALSE
        names = {choice.name: choice.term for choice in action.choices}
        conditions = [event.before] if event.before is not None else []
        for name, value in event.picked.items():
            if name not in names:
                return FALSE
            conditions.append(names[name] == value)
        if event.after is not None:
            conditions.append(self.put(event.after))
        if event.changes:
            conditions.append(z3.Or(*(self.put(one) != one for one in event.changes)))
        return z3.And(*conditions) if conditions else TRUE
