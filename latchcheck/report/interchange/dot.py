"""The state graph of a small system, for Graphviz."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import attrs

from latchcheck.kernel import Action, ModelError, Property, State, System, Value, compile_expr
from latchcheck.kernel.errors import show
from latchcheck.kernel.program import program

STATES_MAX = 500
"""More states than this are no picture any more."""


@attrs.frozen
class Edge:
    """A step from one state to another, by their positions, with the action and what it picked."""

    before: int
    after: int
    action: Action
    args: Mapping[str, Value]


@attrs.frozen
class Graph:
    """Every state in the order in which a breadth-first search finds them, and every step between them."""

    system: System
    states: tuple[State, ...]
    edges: tuple[Edge, ...]


def graph(system: System, *, states_max: int = STATES_MAX) -> Graph:
    """Walk a system of finite domains, step by step and slowly; ModelError for a clock or for too many states.

    ModelError too where an update leaves the domain of its variable.
    """
    if system.clock is not None:
        raise ModelError(f"system {system.name!r} has a clock, and its states are not finitely many")
    names = tuple(variable.name for variable in system.variables)
    start = system.start()
    found: dict[State, int] = {start: 0}
    order, edges = [start], []
    for before, state in enumerate(order):
        for action, args, values in _successors(system, tuple(state.values())):
            after = State(dict(zip(names, values, strict=True)))
            if after not in found:
                if len(order) == states_max:
                    raise ModelError(f"system {system.name!r} has more than {states_max} states; draw a smaller scope")
                found[after] = len(order)
                order.append(after)
            edges.append(Edge(before, found[after], action, args))
    return Graph(system, tuple(order), tuple(edges))


def to_dot(drawn: Graph, property_: Property | None = None) -> str:
    """The graph as a Graphviz digraph; states in which a clause of the "always" property is false are marked.

    An arrow shows what the step picked; a node shows what differs from the initial state.
    """
    start = drawn.states[0]
    lines = [
        "digraph {",
        f"  label={_text(drawn.system.name)}",
        '  node [shape=box, style=rounded, fontname="sans-serif"]',
        '  edge [fontname="sans-serif"]',
    ]
    judged = None if property_ is None else Judge(property_)
    for position, state in enumerate(drawn.states):
        changed = [f"{name} = {show(value)}" for name, value in state.items() if value != start[name]]
        broken = "" if judged is None or judged(state) else ', color="red", penwidth=2'
        shown = "start" if position == 0 else "\n".join(changed) or "start"
        lines.append(f"  s{position} [label={_text(shown)}{broken}]")
    for edge in drawn.edges:
        args = ", ".join(f"{name}={show(value)}" for name, value in edge.args.items())
        lines.append(f"  s{edge.before} -> s{edge.after} [label={_text(f'{edge.action.name}({args})')}]")
    return "\n".join([*lines, "}"]) + "\n"


class Judge:
    """Whether a state satisfies an "always" property; compiled once."""

    def __init__(self, asked: Property) -> None:
        parts = [] if asked.antecedent is None else [asked.antecedent]
        self._when = [compile_expr(part) for part in parts]
        self._then = [compile_expr(clause.expr) for clause in asked.clauses]

    def __call__(self, state: State) -> bool:
        """Whether it holds in this state."""

        def holds(part: Any) -> bool:
            return bool(part(**{name: state[name] for name in part.names}))

        return not all(map(holds, self._when)) or all(map(holds, self._then))


def _successors(
    system: System, values: tuple[Value, ...]
) -> Iterator[tuple[Action, dict[str, Value], tuple[Value, ...]]]:
    compiled = program(system)
    for action in system.actions:
        for picked in product(*(choice.domain.members() for choice in action.choices)):
            result = compiled.action(action.name)(values, picked)
            if isinstance(result, int):
                continue
            for variable, value in zip(system.variables, result, strict=True):
                if variable.domain.normal(value) is None:
                    raise ModelError(f"action {action.name!r} sets {variable.name!r} to {show(value)}")
            yield action, dict(zip((choice.name for choice in action.choices), picked, strict=True)), result


def _text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
