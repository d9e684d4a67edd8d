"""Reads z3 expressions once into small Python tuples.

z3's Python classes cost about 25 microseconds a node, its C interface about five; a system of some hundred nodes is
read for every verdict, so this file talks to the C interface and everything else talks to this file.
Identifiers of z3 nodes are reused after a node dies, so whoever keeps a `Nodes` keeps the expressions alive.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from fractions import Fraction
from typing import Any, NamedTuple

import z3
from z3 import z3core

from .errors import UnsupportedExpression

_OPERATORS = {
    z3.Z3_OP_TRUE: "true",
    z3.Z3_OP_FALSE: "false",
    z3.Z3_OP_AND: "and",
    z3.Z3_OP_OR: "or",
    z3.Z3_OP_NOT: "not",
    z3.Z3_OP_IMPLIES: "implies",
    z3.Z3_OP_XOR: "xor",
    z3.Z3_OP_IFF: "==",
    z3.Z3_OP_EQ: "==",
    z3.Z3_OP_DISTINCT: "distinct",
    z3.Z3_OP_ITE: "if",
    z3.Z3_OP_LE: "<=",
    z3.Z3_OP_LT: "<",
    z3.Z3_OP_GE: ">=",
    z3.Z3_OP_GT: ">",
    z3.Z3_OP_ADD: "+",
    z3.Z3_OP_SUB: "-",
    z3.Z3_OP_MUL: "*",
    z3.Z3_OP_UMINUS: "neg",
    z3.Z3_OP_DIV: "/",
    z3.Z3_OP_IDIV: "div",
    z3.Z3_OP_MOD: "mod",
    z3.Z3_OP_TO_REAL: "to_real",
    z3.Z3_OP_TO_INT: "to_int",
    z3.Z3_OP_IS_INT: "is_int",
}
_NO_CONSTANTS: frozenset[int] = frozenset()
_TEXT_MAX = 200  # an error message shows the beginning of a large expression
_LEAF_KINDS = {z3.Z3_OP_UNINTERPRETED: "name", z3.Z3_OP_DT_CONSTRUCTOR: "label"}
_EMPTY = {"and": "true", "or": "false"}  # what a conjunction or disjunction of nothing means
_LEAVES = frozenset(("number", "name", "label", "true", "false"))


class Node(NamedTuple):
    """One z3 node: `op` is an operator above, "number", "label" (of an enum), "is" (a label test) or "name"."""

    op: str
    children: tuple[int, ...]
    payload: Any
    depth: int


class Nodes:
    """The nodes of some expressions by z3 identifier, each read once."""

    __slots__ = ("_alive", "constants", "sorts", "table")

    def __init__(self) -> None:
        self.table: dict[int, Node] = {}
        # For each node the identifiers of the constants it reads; for each constant and number that of its sort.
        self.constants: dict[int, frozenset[int]] = {}
        self.sorts: dict[int, int] = {}
        self._alive: list[z3.ExprRef] = []

    def read(self, expr: z3.ExprRef) -> int:
        """Read an expression and return its identifier; UnsupportedExpression names an operator without meaning."""
        context: Any = expr.ctx
        ctx = context.ref()
        table, constants = self.table, self.constants
        get_id, get_arg = z3core.Z3_get_ast_id, z3core.Z3_get_app_arg
        root = expr.as_ast()
        root_id = get_id(ctx, root)
        if root_id in table:
            return root_id
        self._alive.append(expr)
        # An explicit stack: a ramp of polls nests deeper than Python's recursion allows.
        # An entry without `op` is still to be looked at; one with it waits only for its children.
        stack: list[tuple[int, Any, str | None, Any, list[int]]] = [(root_id, root, None, None, [])]
        while stack:
            ident, ast, op, payload, children = stack.pop()
            if op is not None:
                depth = 1 + max([table[child].depth for child in children])
                table[ident] = Node(op, tuple(children), payload, depth)
                constants[ident] = _NO_CONSTANTS.union(*[constants[child] for child in children])
                continue
            if ident in table:
                continue
            op, payload = _operator(ctx, ast)
            count = 0 if op in _LEAVES else z3core.Z3_get_app_num_args(ctx, ast)
            if count == 0:
                op = _EMPTY.get(op, op)
                table[ident] = Node(op, (), payload, 0)
                constants[ident] = _NO_CONSTANTS
                if op == "name":
                    constants[ident] = frozenset((ident,))
                if op in ("name", "number"):
                    self.sorts[ident] = _sort_id(ctx, ast)
                continue
            args = [get_arg(ctx, ast, i) for i in range(count)]
            children = [get_id(ctx, arg) for arg in args]
            stack.append((ident, ast, op, payload, children))
            for child, arg in zip(children, args, strict=True):
                if child not in table:
                    stack.append((child, arg, None, None, []))
        return root_id

    def names(self, root: int) -> frozenset[str]:
        """The names of the constants (variables, choices, parameters) that an expression reads."""
        table = self.table
        return frozenset(table[ident].payload for ident in self.constants[root])

    def order(self, roots: Iterable[int], known: Container[int] = ()) -> list[int]:
        """Every node below the roots that is not yet known, children first, each once."""
        table, seen, out = self.table, set[int](), list[int]()
        stack = list(roots)
        stack.reverse()
        while stack:
            ident = stack.pop()
            if ident < 0:
                out.append(~ident)
            elif ident not in seen and ident not in known:
                seen.add(ident)
                children = table[ident].children
                if children:
                    # A negative number says: the children are done.
                    stack.append(~ident)
                    stack.extend(children[::-1])
                else:
                    out.append(ident)
        return out


def _operator(ctx: Any, ast: Any) -> tuple[str, Any]:
    """The operator of a z3 node, or what a leaf holds."""
    try:
        declaration = z3core.Z3_get_app_decl(ctx, ast)
    except z3.Z3Exception:
        raise UnsupportedExpression("quantifier", _text(ctx, ast)) from None
    kind = z3core.Z3_get_decl_kind(ctx, declaration)
    op = _OPERATORS.get(kind)
    if op is not None:
        return op, None
    if kind == z3.Z3_OP_ANUM:
        return "number", _number(ctx, ast)
    if kind in (z3.Z3_OP_DT_IS, z3.Z3_OP_DT_RECOGNISER):
        return "is", _name(ctx, z3core.Z3_get_decl_func_decl_parameter(ctx, declaration, 0))
    op = _LEAF_KINDS.get(kind)
    if op is None or z3core.Z3_get_app_num_args(ctx, ast):
        raise UnsupportedExpression(_name(ctx, declaration), _text(ctx, ast))
    return op, _name(ctx, declaration)


def _sort_id(ctx: Any, ast: Any) -> int:
    return z3core.Z3_get_ast_id(ctx, z3core.Z3_sort_to_ast(ctx, z3core.Z3_get_sort(ctx, ast)))


def _name(ctx: Any, declaration: Any) -> str:
    symbol = z3core.Z3_get_decl_name(ctx, declaration)
    if z3core.Z3_get_symbol_kind(ctx, symbol) == z3.Z3_INT_SYMBOL:
        return f"k!{z3core.Z3_get_symbol_int(ctx, symbol)}"
    return z3core.Z3_get_symbol_string(ctx, symbol)


def _number(ctx: Any, ast: Any) -> int | Fraction:
    text = z3core.Z3_get_numeral_string(ctx, ast)
    try:
        value = Fraction(text)
    except ValueError:
        raise UnsupportedExpression("irrational number", text) from None
    return value.numerator if value.denominator == 1 else value


def _text(ctx: Any, ast: Any) -> str:
    text = z3core.Z3_ast_to_string(ctx, ast)
    return text if len(text) <= _TEXT_MAX else text[:_TEXT_MAX] + "..."
