"""Writes a finite system as a Promela model, so that Spin searches the same states.

Actions that have variables in common stand in one process, each as one option of its loop, a choice being one option a
value, and each happens in one step. Told as one process all variables are global, and Spin's partial-order reduction
finds nothing to leave out; told as several, each keeps its variables to itself, which is the most that Spin can be
told: no step of one process then depends on another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import z3

from latchcheck.kernel import Action, Bool, Enum, IntRange, System, Variable
from latchcheck.kernel.nodes import Nodes
from latchcheck.kernel.substitution import Substitution


def promela(system: System, *, apart: bool = False) -> str:
    """The text of the model; `apart` puts actions that have no variable in common into processes of their own."""
    nodes = Nodes()
    most = max(len(action.updates) for action in system.actions)
    # Updates happen all at once: a new value waits in a variable that is no part of the state.
    lines = [f"hidden int wait{i};" for i in range(most)]
    parts = _parts(system, nodes) if apart else [list(system.actions)]
    for at, actions in enumerate(parts):
        used = set[str]().union(*(_names(nodes, action) for action in actions))
        own = [_declared(variable) for variable in system.variables if variable.name in used]
        lines += [*own, f"active proctype part{at}() {{"] if not apart else [f"active proctype part{at}() {{", *own]
        lines += ["end:", "  do"]
        for action in actions:
            lines += _options(system, nodes, action)
        lines += ["  od", "}"]
    return "\n".join([*lines, ""])


def _names(nodes: Nodes, action: Action) -> frozenset[str]:
    """The constants in an action."""
    exprs = (*(clause.expr for clause in action.guard), *action.updates.values())
    return frozenset(action.updates).union(*(nodes.names(nodes.read(expr)) for expr in exprs))


def _parts(system: System, nodes: Nodes) -> list[list[Action]]:
    """Actions by the variables that they have in common, directly or through others."""
    variables = {variable.name for variable in system.variables}
    found: list[tuple[set[str], list[Action]]] = []
    for action in system.actions:
        names, together = set(_names(nodes, action) & variables), [action]
        for other in [one for one in found if one[0] & names]:
            found.remove(other)
            names |= other[0]
            together = other[1] + together
        found.append((names, together))
    return [actions for _, actions in found]


def _declared(variable: Variable) -> str:
    domain = variable.domain
    if isinstance(domain, Bool):
        return f"bit {variable.name} = {int(variable.initial)};"
    if isinstance(domain, Enum):
        return f"byte {variable.name} = {domain.values.index(str(variable.initial))};"
    assert isinstance(domain, IntRange)
    assert 0 <= domain.lo <= domain.hi <= 255, "Promela's byte"
    return f"byte {variable.name} = {variable.initial};"


def _options(system: System, nodes: Nodes, action: Action) -> Iterator[str]:
    for values in product(*(choice.domain.members() for choice in action.choices)):
        put: Any = Substitution({c.term: value for c, value in zip(action.choices, values, strict=True)})
        guards = [put(clause.expr) for clause in action.guard]
        if any(z3.is_false(guard) for guard in guards):
            continue
        terms = {variable.name: variable.term for variable in system.variables}
        updates = {name: put(expr) for name, expr in action.updates.items()}
        updates = {name: expr for name, expr in updates.items() if not expr.eq(terms[name])}
        guard = " && ".join(_text(system, nodes, one) for one in guards if not z3.is_true(one)) or "true"
        yield f"  :: d_step {{ {guard} -> {_assigned(system, nodes, updates)} }}"


def _assigned(system: System, nodes: Nodes, updates: Mapping[str, z3.ExprRef]) -> str:
    texts = {name: _text(system, nodes, expr) for name, expr in updates.items()}
    read = {name: nodes.names(nodes.read(expr)) - {name} for name, expr in updates.items()}
    if not any(names & updates.keys() for names in read.values()):
        return "; ".join(f"{name} = {text}" for name, text in texts.items()) or "skip"
    waits = [f"wait{i} = {text}" for i, text in enumerate(texts.values())]
    takes = [f"{name} = wait{i}" for i, name in enumerate(texts)]
    return "; ".join([*waits, *takes, *(f"wait{i} = 0" for i in range(len(texts)))])


def _text(system: System, nodes: Nodes, expr: z3.ExprRef) -> str:
    labels = {
        nodes.read(v.domain[label]): str(at)
        for v in system.variables
        if isinstance(v.domain, Enum)
        for at, label in enumerate(v.domain.values)
    }
    found: dict[int, str] = {}
    root = nodes.read(expr)
    for ident in nodes.order((root,)):
        node = nodes.table[ident]
        args = [found[child] for child in node.children]
        if ident in labels:
            found[ident] = labels[ident]
        elif node.op in ("name", "number"):
            found[ident] = str(node.payload)
        elif node.op == "if":
            found[ident] = f"({args[0]} -> {args[1]} : {args[2]})"
        elif node.op == "not":
            found[ident] = f"(!{args[0]})"
        else:
            found[ident] = (
                "(" + f" {_OPERATORS[node.op]} ".join(args) + ")" if args else {"true": "1", "false": "0"}[node.op]
            )
    return found[root]


_OPERATORS = {"and": "&&", "or": "||", "==": "==", "distinct": "!=", "+": "+", "-": "-", "*": "*"} | {
    op: op for op in ("<", "<=", ">", ">=")
}
