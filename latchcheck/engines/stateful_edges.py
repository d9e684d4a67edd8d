"""Where the comparisons of a system become true or false: differences of their two sides, and the zeros of these."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from latchcheck.kernel import Action, IntRange, ModelError, Real, System, Value
from latchcheck.kernel.compiling import Emitter, define, python_name
from latchcheck.kernel.nodes import Nodes

Number = int | Fraction

_COMPARED = frozenset(("<=", "<", ">=", ">", "=="))
_ARITHMETIC = frozenset(("number", "+", "-", "*", "/", "neg", "to_real", "to_int", "div", "mod"))


class Differences:
    """The comparisons of one action, or of the urgency of a system, each as left side less right side.

    `free` are the positions of the guard's clauses that read no choice.
    """

    def __init__(self, system: System, action: Action | None) -> None:
        nodes = system.nodes
        self._names = [variable.name for variable in system.variables]
        self._choices = () if action is None else action.choices
        clauses = system.urgency if action is None else action.guard
        picked = {choice.name for choice in self._choices}
        self.free = frozenset(
            at for at, clause in enumerate(clauses) if not nodes.names(nodes.read(clause.expr)) & picked
        )
        exprs = [*(clause.expr for clause in clauses), *([] if action is None else action.updates.values())]
        moving = {*picked, *([] if system.clock is None else [system.clock])}
        numeric = _numeric_names(system, action)
        pairs = _compared(nodes, [nodes.read(expr) for expr in exprs], moving, numeric)
        self._function = self._compiled(nodes, pairs)
        self._bounds = {
            choice.name: tuple(
                None if bound is None else self._compiled(nodes, [(nodes.read(bound), None)])
                for bound in (choice.lower, choice.upper)
            )
            for choice in self._choices
        }

    def of(self, state: Sequence[Value], picked: Sequence[Value]) -> tuple[Any, ...]:
        """The differences in a state, with choices made. ModelError where a condition divides by zero."""
        return self._function(state, picked)

    def zeros(self, state: Sequence[Value], picked: Sequence[Value], clock: int | None) -> list[Number]:
        """The instants after now at which a difference is zero, as far as it is linear from now on."""
        if clock is None:
            return []
        now: Any = state[clock]
        later = (*state[:clock], now + 1, *state[clock + 1 :])
        return [now + by for by in self._steps((state, picked), (later, picked)) if by > 0]

    def zeros_of_choice(self, state: Sequence[Value], before: Sequence[Value], after: Sequence[Value]) -> list[Number]:
        """The values of the choice between those made, `before`, and the rest, at which a difference is zero."""
        return list(self._steps((state, (*before, 0, *after)), (state, (*before, 1, *after))))

    def bounds(self, choice: str, state: Sequence[Value]) -> tuple[Number | None, Number | None]:
        """The bounds that a dense choice states, in a state."""
        low, high = (None if one is None else one(state, ())[0] for one in self._bounds[choice])
        return low, high

    def _steps(self, one: tuple[Any, Any], other: tuple[Any, Any]) -> list[Number]:
        """How far each difference is from its zero, in steps from one point to the other."""
        found: dict[Number, None] = {}
        try:
            here, there = self._function(*one), self._function(*other)
        except ModelError:
            return []
        for value, moved in zip(here, there, strict=True):
            if isinstance(value, int | Fraction) and isinstance(moved, int | Fraction) and moved != value:
                found[Fraction(value) / (value - moved)] = None
        return list(found)

    def _compiled(self, nodes: Nodes, pairs: Sequence[tuple[int, int | None]]) -> Any:
        sources = {name: python_name("v", name, at) for at, name in enumerate(self._names)}
        picked = {choice.name: python_name("c", choice.name, at) for at, choice in enumerate(self._choices)}
        sides = [side for pair in pairs for side in pair if side is not None]
        emitter = Emitter(nodes, sides, {**sources, **picked})
        emitter.line(f"({''.join(name + ', ' for name in sources.values())}) = state")
        bound = [side for side in sides if nodes.names(side) & picked.keys()]
        if bound:
            emitter.line(f"({''.join(name + ', ' for name in picked.values())}) = args")
        values = [
            emitter.write(one) if other is None else f"{emitter.write(one)} - {emitter.write(other)}"
            for one, other in pairs
        ]
        emitter.line(f"return ({''.join(value + ', ' for value in values)})")
        return define("difference", ["def difference(state, args):", *emitter.lines], emitter.constants)


def sign(value: Any) -> int:
    """Whether a difference is below, at or above zero; 2 where it has no value."""
    return (value > 0) - (value < 0) if isinstance(value, int | Fraction) else 2


def numbers_of(system: System) -> tuple[Number, ...]:
    """The numbers above one that the system names, in order: its windows, periods and delays."""
    nodes = system.nodes
    parts = [clause.expr for clause in system.urgency]
    for action in system.actions:
        parts += [*(clause.expr for clause in action.guard), *action.updates.values()]
    found = {nodes.table[at].payload for at in nodes.order(nodes.read(part) for part in parts) if _is_number(nodes, at)}
    return tuple(sorted(number for number in found if number > 1))


def _is_number(nodes: Nodes, ident: int) -> bool:
    return nodes.table[ident].op == "number"


def _numeric_names(system: System, action: Action | None) -> frozenset[str]:
    holders = (*system.variables, *(() if action is None else action.choices))
    return frozenset(one.name for one in holders if isinstance(one.domain, Real | IntRange))


def _compared(
    nodes: Nodes, roots: Sequence[int], moving: set[str], numeric: frozenset[str]
) -> list[tuple[int, int | None]]:
    """The two sides of each comparison of numbers that reads the clock or a choice, in the order of the expressions."""
    found: dict[tuple[int, int | None], None] = {}
    for ident in nodes.order(roots):
        node = nodes.table[ident]
        if node.op in _COMPARED and nodes.names(ident) & moving and _numeric(nodes, node.children[0], numeric):
            found[node.children[0], node.children[1]] = None
    return list(found)


def _numeric(nodes: Nodes, ident: int, names: frozenset[str]) -> bool:
    node = nodes.table[ident]
    while node.op == "if":
        node = nodes.table[node.children[1]]
    return node.op in _ARITHMETIC or (node.op == "name" and node.payload in names)
