"""Writes z3 expressions over packed states as source that Python and the machine read alike.

Enum labels become their positions, integers stay themselves, dense numbers are counted in parts, conditions are bools;
nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from latchcheck.kernel.compiling import WRITE
from latchcheck.kernel.nodes import Node

from .layout import NotPackable
from .packed_terms import ARITHMETIC, SAFE, Terms

# Python's parser gives up at about 200 nested parentheses.
_DEPTH_MAX = 30


class Scope:
    """Sources of expressions, valid where they were written and in the blocks below.

    `coarse(divisor)` gives the lines that end the search where a dense number turns out to be no multiple of a part.
    """

    __slots__ = ("_coarse", "_sources", "_terms", "_text")

    def __init__(
        self,
        terms: Terms,
        coarse: Callable[[int], Sequence[str]],
        sources: Mapping[str, str],
        text: Mapping[int, str] | None = None,
    ) -> None:
        self._terms = terms
        self._coarse = coarse
        self._sources = sources
        self._text = dict(text or {})

    def inner(self, sources: Mapping[str, str] | None = None) -> Scope:
        """The scope of a block inside this one, with more constants known."""
        return Scope(self._terms, self._coarse, {**self._sources, **(sources or {})}, self._text)

    def write(self, exprs: Iterable[Any], lines: list[str], indent: str) -> list[str]:
        """The source of each expression, after the lines that compute what they share."""
        terms, text = self._terms, self._text
        nodes = terms.nodes
        roots = [nodes.read(expr) for expr in exprs]
        order = nodes.order(roots, text)
        uses: dict[int, int] = {}
        for ident in order:
            for child in nodes.table[ident].children:
                uses[child] = uses.get(child, 0) + 1
        for root in roots:
            uses[root] = uses.get(root, 0) + 1
        nesting: dict[int, int] = {}
        for ident in order:
            node = nodes.table[ident]
            if (
                node.op == "number"
                and terms.dense(ident)
                and ident not in roots
                and self._coefficient_only(order, ident)
            ):
                continue
            source = self._source(ident, node, lines, indent)
            level = 1 + max([nesting.get(child, 0) for child in node.children], default=0)
            # A comparison with a constant costs no more than reading a local; what lies deeper is computed once.
            if (uses.get(ident, 0) > 1 and node.depth > 1) or level > _DEPTH_MAX:
                local = terms.local()
                lines.append(f"{indent}{local} = {source}")
                source, level = local, 0
            text[ident] = source
            nesting[ident] = level
        return [text[root] for root in roots]

    def _coefficient_only(self, order: Sequence[int], ident: int) -> bool:
        """Whether a literal is nothing but a factor: it is then never written, and may be finer than the parts."""
        table = self._terms.nodes.table
        return all(table[one].op in ("*", "/") for one in order if ident in table[one].children)

    def _source(self, ident: int, node: Node, lines: list[str], indent: str) -> str:
        terms, op = self._terms, node.op
        if not node.children:
            return self._leaf(ident, node)
        if op in ARITHMETIC:
            extent = terms.extent(ident)
            terms.exact &= extent is not None and extent[0] > -SAFE and extent[1] < SAFE
        if op in ("*", "/"):
            return self._product(ident, node, lines, indent)
        args = [self._text[child] for child in node.children]
        if op == "is":
            return f"({args[0]} == {terms.position(node.children[0], node.payload)})"
        if op in ("div", "mod"):
            return self._division(op, args, terms.nodes.table[node.children[1]])
        if op in ("to_real", "to_int", "is_int"):
            parts = terms.grid.parts
            written = {"to_real": f"({args[0]} * {parts})", "to_int": f"({args[0]} // {parts})"}
            whole = {"to_real": args[0], "to_int": args[0], "is_int": "True"}
            return whole[op] if parts == 1 else written.get(op, f"({args[0]} % {parts} == 0)")
        return WRITE[op](args)

    def _leaf(self, ident: int, node: Node) -> str:
        position, payload = self._terms.label(ident), node.payload
        if position is not None:
            return str(position)
        if node.op == "name":
            if payload not in self._sources:
                raise NotPackable(f"{payload!r} has no value here")
            return self._sources[payload]
        if node.op == "number":
            value = self._terms.literal(ident)
            return str(value) if value >= 0 else f"({value})"
        return {"true": "True", "false": "False"}[node.op]

    def _product(self, ident: int, node: Node, lines: list[str], indent: str) -> str:
        """A product in parts; where it may fall between two parts, lines before it see to that."""
        terms = self._terms
        coefficient, rest = terms.factors(node)
        if node.op == "/" and terms.nodes.table[node.children[1]].op != "number":
            raise NotPackable("a division by what is no constant")
        dense = terms.is_dense(ident)
        if not rest:
            value = terms.grid.scaled(coefficient) if dense else int(coefficient)
            return str(value) if value >= 0 else f"({value})"
        divisor = coefficient.denominator * (terms.grid.parts ** (len(rest) - 1) if dense else 1)
        factors = [self._text[child] for child in rest]
        if coefficient.numerator != 1:
            factors.insert(0, f"({coefficient.numerator})" if coefficient.numerator < 0 else str(coefficient.numerator))
        source = f"({' * '.join(factors)})" if len(factors) > 1 else factors[0]
        if divisor == 1:
            return source
        extents = [terms.extent(child) for child in rest]
        size = abs(coefficient.numerator)
        for extent in extents:
            size *= int(max(abs(extent[0]), abs(extent[1]))) if extent is not None else SAFE
        terms.exact &= size < SAFE
        local = terms.local()
        lines += [f"{indent}{local} = {source}", f"{indent}if {local} % {divisor} != 0:"]
        lines += [f"{indent}    {line}" for line in self._coarse(divisor)]
        return f"({local} // {divisor})"

    def _division(self, op: str, args: Sequence[str], divisor: Node) -> str:
        by = divisor.payload if divisor.op == "number" else 0
        if by == 0:
            self._terms.exact = False
            return f"{'_int_div' if op == 'div' else '_int_mod'}({args[0]}, {args[1]})"
        if op == "mod":
            return f"({args[0]} % {abs(by)})"
        return f"({args[0]} // {by})" if by > 0 else f"(-({args[0]} // {-by}))"
