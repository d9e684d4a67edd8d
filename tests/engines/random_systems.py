"""Small random finite systems with random properties, and a search of them that shares nothing with the engines.

The naive search keeps states as mappings and asks the kernel's compiled expressions, one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import attrs
import z3
from hypothesis import strategies as st

from latchcheck.kernel import (
    Action,
    Bool,
    Choice,
    Clause,
    Enum,
    IntRange,
    Property,
    Sentence,
    State,
    System,
    Variable,
    compile_expr,
)

# The same labels at other positions: an engine that takes a label for its position anywhere gets caught.
COLOURS = Enum("RandomColour", ("red", "green", "blue"))
LIGHTS = Enum("RandomLight", ("blue", "red"))
DOMAINS = (Bool(), COLOURS, LIGHTS, IntRange(0, 3), IntRange(-2, 1), IntRange(5, 5))
WORDS = Sentence("Something random holds.", "a test", "here")

Draw = Callable[[Any], Any]


@attrs.frozen
class Terms:
    """The constants that an expression may read, by kind."""

    holders: tuple[Variable | Choice, ...]

    def of(self, domain: Any) -> list[Any]:
        """The constants of one domain; ranges count as one kind."""
        kind = IntRange if isinstance(domain, IntRange) else None
        return [h.term for h in self.holders if h.domain == domain or (kind and isinstance(h.domain, kind))]


def condition(draw: Draw, terms: Terms, depth: int = 2) -> Any:
    """A random condition."""
    kind = draw(st.sampled_from(["atom", "atom", "and", "or", "not", "implies", "xor", "if"] if depth else ["atom"]))
    if kind == "atom":
        return _atom(draw, terms)
    parts = [condition(draw, terms, depth - 1) for _ in range({"not": 1, "if": 3}.get(kind, 2))]
    build = {"and": z3.And, "or": z3.Or, "not": z3.Not, "implies": z3.Implies, "xor": z3.Xor, "if": z3.If}[kind]
    return build(*parts)


def _atom(draw: Draw, terms: Terms) -> Any:
    domain = draw(st.sampled_from(terms.holders)).domain
    if isinstance(domain, Bool):
        return draw(st.sampled_from(terms.of(domain)))
    left, right = value(draw, terms, domain), value(draw, terms, domain)
    if isinstance(domain, Enum):
        return draw(st.sampled_from([left == right, left != right]))
    return draw(st.sampled_from([left == right, left < right, left >= right, z3.Distinct(left, right)]))


def value(draw: Draw, terms: Terms, domain: Any, depth: int = 1) -> Any:
    """A random expression of the sort of a domain; a number may lie outside its range."""
    if isinstance(domain, Bool):
        return condition(draw, terms, depth)
    kinds = ["constant", "literal"] + (["if"] if depth else []) + (["sum", "mod", "div", "times"] if depth else [])
    kind = draw(st.sampled_from(kinds[:3] if isinstance(domain, Enum) and depth else kinds))
    known = terms.of(domain)
    if kind == "if":
        return z3.If(
            condition(draw, terms, 1), value(draw, terms, domain, depth - 1), value(draw, terms, domain, depth - 1)
        )
    if kind in ("sum", "mod", "div", "times"):
        left = value(draw, terms, domain, 0)
        by = draw(st.sampled_from([-3, -1, 2, 3]))
        return {"sum": left + by, "mod": left % by, "div": left / by, "times": left * by}[kind]
    if kind == "constant" and known:
        return draw(st.sampled_from(known))
    return domain.literal(draw(st.sampled_from(list(domain.members()))))


@st.composite
def systems(draw: Draw) -> System:
    """A random system of a few variables and actions; now and then an update leaves its range."""
    variables = tuple(
        Variable(f"x{i}", domain, draw(st.sampled_from(list(domain.members()))))
        for i, domain in enumerate(draw(st.lists(st.sampled_from(DOMAINS), min_size=2, max_size=4)))
    )
    actions = []
    for i in range(draw(st.integers(1, 4))):
        choices = tuple(
            Choice(f"c{j}", domain) for j, domain in enumerate(draw(st.lists(st.sampled_from(DOMAINS[:5]), max_size=2)))
        )
        terms = Terms((*variables, *choices))
        guard = [Clause(f"clause {j}", condition(draw, terms)) for j in range(draw(st.integers(0, 2)))]
        updates = {
            variable.name: _kept_inside(draw, variable, value(draw, terms, variable.domain))
            for variable in draw(st.lists(st.sampled_from(variables), min_size=1, unique=True))
        }
        actions.append(Action(f"a{i}", "somebody", guard, updates, choices))
    return System("random", variables, actions)


def _kept_inside(draw: Draw, variable: Variable, expr: Any) -> Any:
    domain = variable.domain
    if not isinstance(domain, IntRange) or draw(st.integers(0, 30)) == 0:
        return expr
    return z3.If(z3.And(expr >= domain.lo, expr <= domain.hi), expr, variable.term)


@st.composite
def properties(draw: Draw, system: System, kinds: tuple[str, ...] = ("always", "never-changes", "reachable")) -> Any:
    """A few random properties of a system."""
    terms = Terms(system.variables)
    return [
        Property(
            f"p{i}",
            "MUST",
            WORDS,
            [Clause(f"clause {j}", condition(draw, terms)) for j in range(draw(st.integers(1, 2)))],
            condition(draw, terms, 1) if draw(st.booleans()) else None,
            draw(st.sampled_from(kinds)),
        )
        for i in range(draw(st.integers(0, 3)))
    ]


class OutOfRange(Exception):
    """An update left the range of its variable."""


class Naive:
    """A breadth-first search over mappings; the numbers it leaves are what every engine must find."""

    def __init__(self, system: System, asked: list[Property], *, keep_going: bool) -> None:
        self.system, self.asked = system, asked
        self.compiled: dict[int, Any] = {}
        start = system.start()
        self.order: list[State] = [start]
        self.depths: dict[State, int] = {start: 0}
        self.fired = {action.name: 0 for action in system.actions}
        self.reached = {one.id: 0 for one in asked}
        self.lengths: dict[str, int] = {}
        self.clauses: dict[str, str] = {}
        self.complete = True
        for state in self.order:
            if self._take(state, first=not keep_going):
                self.complete = False
                break

    @property
    def depth(self) -> int:
        """Steps to the farthest state."""
        return self.depths[self.order[-1]]

    def read(self, expr: Any, values: Mapping[str, Any]) -> Any:
        """The value of an expression."""
        key = expr.get_id()
        if key not in self.compiled:
            self.compiled[key] = compile_expr(expr)  # keeps the expression alive, so that no other gets its number
        compiled = self.compiled[key]
        return compiled(**{name: values[name] for name in compiled.names})

    def steps(self, state: State) -> list[tuple[str, State]]:
        """Every step, in the order of actions and choices."""
        found = []
        for action in self.system.actions:
            for picked in product(*(choice.domain.members() for choice in action.choices)):
                values = {**state, **dict(zip((c.name for c in action.choices), picked, strict=True))}
                if all(self.read(clause.expr, values) for clause in action.guard):
                    after = {name: self.read(expr, values) for name, expr in action.updates.items()}
                    if any(self.system.variable(name).domain.normal(new) is None for name, new in after.items()):
                        raise OutOfRange
                    found.append((action.name, State({**state, **after})))
        return found

    def applies(self, one: Property, state: State) -> bool:
        """Whether the antecedent holds."""
        return one.antecedent is None or self.read(one.antecedent, state)

    def failing(self, one: Property, state: State) -> list[str]:
        """The clauses that are false."""
        return [c.label for c in one.clauses if not self.read(c.expr, state)]

    def _take(self, state: State, *, first: bool) -> bool:
        hit = False
        for one in self.asked:
            if self.applies(one, state):
                self.reached[one.id] += 1
                failing = self.failing(one, state)
                if one.expectation == "always" and failing:
                    hit |= self._broken(one, self.depths[state], failing[0])
                elif one.expectation == "reachable" and not failing:
                    self._broken(one, self.depths[state], "")
        if hit and first:
            return True
        for name, after in self.steps(state):
            self.fired[name] += 1
            for one in self.asked:
                if one.expectation == "never-changes" and self.applies(one, state):
                    changed = set(self.failing(one, state)) ^ set(self.failing(one, after))
                    if changed:
                        label = next(c.label for c in one.clauses if c.label in changed)
                        hit |= self._broken(one, self.depths[state] + 1, label)
            if after not in self.depths:
                self.depths[after] = self.depths[state] + 1
                self.order.append(after)
        return hit and first

    def _broken(self, one: Property, length: int, label: str) -> bool:
        if one.id not in self.lengths:
            self.lengths[one.id] = length
            self.clauses[one.id] = label
        return True
