"""What a model is made of: variables, actions, the system they form, and the properties asked of it.

Expressions are z3 expressions; a record holds them and never evaluates them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, Literal

import attrs
import z3

from .domains import Domain, Real
from .errors import ModelError
from .frozen import FrozenMap, Value

Keyword = Literal["MUST", "SHOULD", "MAY"]
Expectation = Literal["always", "reachable", "never-changes", "leads-to"]


def _id(expr: z3.ExprRef | None) -> int | None:
    # z3's own == builds a new expression; within one context equal expressions share an identifier.
    return None if expr is None else expr.get_id()


def ids(exprs: Mapping[str, z3.ExprRef]) -> tuple[tuple[str, int], ...]:
    """What makes two mappings to expressions equal: their names and identifiers."""
    return tuple(sorted((name, expr.get_id()) for name, expr in exprs.items()))


def show_map(exprs: Mapping[str, z3.ExprRef]) -> str:
    """A mapping to expressions on one line."""
    return "{" + ", ".join(f"{name}: {expr}" for name, expr in exprs.items()) + "}"


@attrs.frozen
class Sentence:
    """A sentence that the model implements or checks: its words, the document, and the place in it."""

    text: str
    source: str
    where: str


@attrs.frozen
class Variable:
    """A part of the state: a name, what it can hold, and its value at the start; `term` is its z3 constant."""

    name: str
    domain: Domain
    initial: Value
    term: Any = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        value = self.domain.normal(self.initial)
        if value is None:
            raise ModelError(f"variable {self.name!r} starts at {self.initial!r}, which is not in {self.domain}")
        object.__setattr__(self, "initial", value)
        object.__setattr__(self, "term", self.domain.const(self.name))


def _number(value: Any) -> z3.ExprRef | None:
    return z3.RealVal(str(value)) if isinstance(value, int | Fraction) else value


@attrs.frozen
class Choice:
    """A value that an action picks when it happens (a latency, a jittered delay, who wins); `term` is its z3 constant.

    `lower` and `upper` bound a dense choice for engines that enumerate; the guard of the action still decides.
    """

    name: str
    domain: Domain
    lower: z3.ExprRef | None = attrs.field(default=None, converter=_number, eq=_id)
    upper: z3.ExprRef | None = attrs.field(default=None, converter=_number, eq=_id)
    term: Any = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        if (self.lower is not None or self.upper is not None) and not isinstance(self.domain, Real):
            raise ModelError(f"choice {self.name!r}: only a Real() choice takes lower and upper")
        object.__setattr__(self, "term", self.domain.const(self.name))


# z3's annotations give And, If and comparisons a union of types that no caller can narrow, so records accept Any
# expression and check what they were given.
def _condition(expr: Any) -> z3.BoolRef:
    return z3.BoolVal(expr) if isinstance(expr, bool) else expr


def _condition_or_none(expr: Any) -> z3.BoolRef | None:
    return None if expr is None else _condition(expr)


def expressions(exprs: Mapping[str, Any]) -> FrozenMap[z3.ExprRef]:
    """An immutable copy of a mapping to expressions."""
    return FrozenMap(exprs)


@attrs.frozen
class Clause:
    """One named condition: `label` is what a failure is reported as."""

    label: str
    expr: z3.BoolRef = attrs.field(converter=_condition, eq=_id)

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.expr, z3.BoolRef):
            raise ModelError(f"clause {self.label!r} is no condition: {self.expr!r}")


@attrs.frozen
class Action:
    """Something a party can do: when (`guard`), what it changes (`updates`), what it picks (`choices`).

    Updates happen all at once and read the state before; variables not named keep their value.
    """

    name: str
    party: str
    guard: tuple[Clause, ...] = attrs.field(default=(), converter=tuple)
    updates: FrozenMap[z3.ExprRef] = attrs.field(default=FrozenMap(), converter=expressions, eq=ids, repr=show_map)
    choices: tuple[Choice, ...] = attrs.field(default=(), converter=tuple)
    sentences: tuple[Sentence, ...] = attrs.field(default=(), converter=tuple)

    def __attrs_post_init__(self) -> None:
        for part in self.guard:
            if not isinstance(part, Clause):
                raise ModelError(f"action {self.name!r}: write Clause(label, condition) in the guard, not {part!r}")
        for name, expr in self.updates.items():
            if not isinstance(expr, z3.ExprRef):
                raise ModelError(
                    f"action {self.name!r}: the update of {name!r} is {expr!r}, no z3 expression; "
                    "write z3.RealVal(0), z3.BoolVal(True) or domain['label']"
                )
        names = [choice.name for choice in self.choices]
        if len(set(names)) != len(names):
            raise ModelError(f"action {self.name!r} names a choice twice: {', '.join(names)}")


@attrs.frozen
class Property:
    """A statement about a system with the sentence it formalises.

    `antecedent` is what must happen for the property to say anything (None: it always does); it is never reached in a
    run where the property is vacuous.
    """

    id: str
    keyword: Keyword
    sentence: Sentence
    clauses: tuple[Clause, ...] = attrs.field(default=(), converter=tuple)
    antecedent: z3.BoolRef | None = attrs.field(default=None, converter=_condition_or_none, eq=_id)
    expectation: Expectation = attrs.field(
        default="always", validator=attrs.validators.in_(("always", "reachable", "never-changes", "leads-to"))
    )


def unique(kind: str, system: str, names: Iterable[str]) -> None:
    """Raise ModelError if a name occurs twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ModelError(f"system {system!r} has two {kind} named {name!r}")
        seen.add(name)
