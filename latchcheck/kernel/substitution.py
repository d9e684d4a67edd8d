"""Puts terms in place of constants, and numbers in place of constants in many expressions at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import z3
from z3 import z3core

from .domains import literal_of_sort
from .frozen import Value

E = TypeVar("E", bound=z3.ExprRef)


def substitute(expr: E, pairs: Iterable[tuple[z3.ExprRef, z3.ExprRef]]) -> E:
    """The expression with the second term of each pair in place of the first.

    As z3.substitute, which wraps and compares the sorts of every pair before the solver itself does.
    Raises z3.Z3Exception where the sorts of a pair differ.
    """
    kept = [*pairs]  # alive until the call is over
    array: Any = z3.Ast * len(kept)
    old, new = array(*[one.as_ast() for one, _ in kept]), array(*[one.as_ast() for _, one in kept])
    context: Any = expr.ctx
    ast = z3core.Z3_substitute(context.ref(), expr.as_ast(), len(kept), old, new)
    result: Any = z3.z3._to_expr_ref(ast, context)  # noqa: SLF001 - no public way from a node to its class
    return result


class Substitution:
    """Replaces constants by values and simplifies; one call for each distinct expression.

    z3.substitute checks and wraps every pair anew for each expression, which for twenty parameters and a hundred
    expressions takes longer than everything else; here the pairs are prepared once.
    """

    __slots__ = ("_count", "_done", "_keep", "_new", "_old")

    def __init__(self, values: Mapping[z3.ExprRef, Value]) -> None:
        literals = [literal_of_sort(term.sort(), value) for term, value in values.items()]
        self._count = len(literals)
        array: Any = z3.Ast * self._count
        self._old = array(*[term.as_ast() for term in values])
        self._new = array(*[literal.as_ast() for literal in literals])
        self._keep = (tuple(values), literals)
        self._done: dict[int, tuple[z3.ExprRef, z3.ExprRef]] = {}

    def __call__(self, expr: E) -> E:
        """The expression with the values in place, simplified."""
        ident = expr.get_id()
        # Each entry keeps its expression alive: z3 gives the identifier of a dead one to another.
        if ident not in self._done:
            context: Any = expr.ctx
            ast = z3core.Z3_substitute(context.ref(), expr.as_ast(), self._count, self._old, self._new)
            z3core.Z3_inc_ref(context.ref(), ast)
            simple = z3core.Z3_simplify(context.ref(), ast)
            result: Any = z3.z3._to_expr_ref(simple, context)  # noqa: SLF001 - no public way from a node to its class
            z3core.Z3_dec_ref(context.ref(), ast)
            self._done[ident] = (expr, result)
        return self._done[ident][1]  # type: ignore[return-value]
