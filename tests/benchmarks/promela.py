"""Writes a finite system as a Promela model, so that Spin searches the same states.

One process holds every action as one option of its loop, a choice being one option a value, and each happens in one
step. All variables are global: what Spin's partial-order reduction finds to leave out is then little or nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import z3

from latchcheck.kernel import Action, Bool, Enum, IntRange, System, Variable
from latchcheck.kernel.nodes import Nodes
from latchcheck.kernel.substitution import Substitution


def promela(system: System) -> str:
    """The text of the model."""
    nodes = Nodes()
    lines = [_declared(variable) for variable in system.variables]
    # Updates happen all at once: a new value waits in a variable that is no part of the state.
    most = max(len(action.updates) for action in system.actions)
    lines += [f"hidden int wait{i};" for i in range(most)]
    lines += ["active proctype system() {", "end:", "  do"]
    for action in system.actions:
        lines += _options(system, nodes, action)
    return "\n".join([*lines, "  od", "}", ""])


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
