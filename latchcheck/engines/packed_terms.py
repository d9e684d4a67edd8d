"""Writes z3 expressions over packed states as source that Python and the machine read alike.

Enum labels become their positions, integers stay themselves, conditions are bools; nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from latchcheck.kernel import Enum, IntRange, System
from latchcheck.kernel.compiling import WRITE
from latchcheck.kernel.nodes import Node, Nodes

from .layout import NotPackable

Interval = tuple[int, int]

# Python's parser gives up at about 200 nested parentheses.
_DEPTH_MAX = 30
# Beyond it a machine integer might overflow on the way.
_SAFE = 1 << 62
_ARITHMETIC = frozenset(("+", "-", "*", "neg", "div", "mod"))
_CONDITIONS = frozenset(
    ("true", "false", "and", "or", "not", "implies", "xor", "==", "distinct", "<=", "<", ">=", ">", "is", "is_int")
)


class Terms:
    """Expressions of one system as source lines; what is written in a scope is known only inside it.

    `exact` tells whether everything written so far stays within machine integers and needs no helper of the kernel.
    """

    def __init__(self, system: System) -> None:
        self.nodes = Nodes()
        self.exact = True
        self._enums: dict[int, Enum] = {}
        self._ranges: dict[str, Interval] = {}
        self._labels: dict[int, int] = {}
        choices = (choice for action in system.actions for choice in action.choices)
        for item in (*system.variables, *choices):
            if isinstance(item.domain, Enum):
                self._enums[item.domain.sort.get_id()] = item.domain
            elif isinstance(item.domain, IntRange):
                # Actions may use one name for choices of different ranges.
                lo, hi = self._ranges.get(item.name, (item.domain.lo, item.domain.hi))
                self._ranges[item.name] = (min(lo, item.domain.lo), max(hi, item.domain.hi))
        for domain in self._enums.values():
            for position, label in enumerate(domain.values):
                self._labels[self.nodes.read(domain[label])] = position
        self._extents: dict[int, Interval | None] = {}
        self._count = 0

    def known(self, sources: Mapping[str, str]) -> Scope:
        """A scope in which the constants have these sources."""
        return Scope(self, sources, {})

    def local(self) -> str:
        """A name that no other line uses."""
        self._count += 1
        return f"e{self._count}"

    def position(self, ident: int, label: str) -> int:
        """The position of a label in the enum that an expression is of."""
        node = self.nodes.table[ident]
        while node.op == "if":
            ident = node.children[1]
            node = self.nodes.table[ident]
        if ident in self._labels:
            domain = next(one for one in self._enums.values() if self.nodes.read(one[str(node.payload)]) == ident)
        else:
            domain = self._enums[self.nodes.sorts[ident]]
        return domain.values.index(label)

    def label(self, ident: int) -> int | None:
        """The position of a label, or None for anything else."""
        return self._labels.get(ident)

    def extent(self, root: int) -> Interval | None:
        """The least and the greatest value an integer expression can have, or None where nothing tells."""
        extents, table = self._extents, self.nodes.table
        for ident in self.nodes.order((root,), extents):
            node = table[ident]
            extents[ident] = self._extent(ident, node, [extents[child] for child in node.children])
        return extents[root]

    def _extent(self, ident: int, node: Node, parts: Sequence[Interval | None]) -> Interval | None:
        if ident in self._labels:
            return self._labels[ident], self._labels[ident]
        if node.op == "number":
            return (node.payload, node.payload) if isinstance(node.payload, int) else None
        if node.op == "name":
            domain = self._enums.get(self.nodes.sorts[ident])
            return self._ranges.get(node.payload) if domain is None else (0, len(domain.values) - 1)
        known = [part for part in parts[node.op == "if" :] if part is not None]
        if node.op in _CONDITIONS or len(known) < len(parts) - (node.op == "if"):
            return None
        return _combined(node.op, known)


class Scope:
    """Sources of expressions, valid where they were written and in the blocks below."""

    __slots__ = ("_sources", "_terms", "_text")

    def __init__(self, terms: Terms, sources: Mapping[str, str], text: Mapping[int, str]) -> None:
        self._terms = terms
        self._sources = sources
        self._text = dict(text)

    def inner(self, sources: Mapping[str, str] | None = None) -> Scope:
        """The scope of a block inside this one, with more constants known."""
        return Scope(self._terms, {**self._sources, **(sources or {})}, self._text)

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
            source = self._source(ident, node)
            level = 1 + max([nesting.get(child, 0) for child in node.children], default=0)
            # A comparison with a constant costs no more than reading a local; what lies deeper is computed once.
            if (uses.get(ident, 0) > 1 and node.depth > 1) or level > _DEPTH_MAX:
                local = terms.local()
                lines.append(f"{indent}{local} = {source}")
                source, level = local, 0
            text[ident] = source
            nesting[ident] = level
        return [text[root] for root in roots]

    def _source(self, ident: int, node: Node) -> str:
        terms, op = self._terms, node.op
        if not node.children:
            return self._leaf(ident, node)
        args = [self._text[child] for child in node.children]
        if op == "/":
            raise NotPackable("a division that may leave a fraction")
        if op in _ARITHMETIC:
            extent = terms.extent(ident)
            terms.exact &= extent is not None and extent[0] > -_SAFE and extent[1] < _SAFE
        if op == "is":
            return f"({args[0]} == {terms.position(node.children[0], node.payload)})"
        if op in ("div", "mod"):
            return self._division(op, args, terms.nodes.table[node.children[1]])
        # Numbers are whole here, whatever sort they are of.
        return {"to_real": args[0], "to_int": args[0], "is_int": "True"}.get(op) or WRITE[op](args)

    def _leaf(self, ident: int, node: Node) -> str:
        position, payload = self._terms.label(ident), node.payload
        if position is not None:
            return str(position)
        if node.op == "name":
            if payload not in self._sources:
                raise NotPackable(f"{payload!r} has no value here")
            return self._sources[payload]
        if node.op == "number":
            if not isinstance(payload, int):
                raise NotPackable(f"the fraction {payload}")
            return str(payload) if payload >= 0 else f"({payload})"
        return {"true": "True", "false": "False"}[node.op]

    def _division(self, op: str, args: Sequence[str], divisor: Node) -> str:
        by = divisor.payload if divisor.op == "number" else 0
        if by == 0:
            self._terms.exact = False
            return f"{'_int_div' if op == 'div' else '_int_mod'}({args[0]}, {args[1]})"
        if op == "mod":
            return f"({args[0]} % {abs(by)})"
        return f"({args[0]} // {by})" if by > 0 else f"(-({args[0]} // {-by}))"


def _combined(op: str, parts: Sequence[Interval]) -> Interval | None:
    los, his = [lo for lo, _ in parts], [hi for _, hi in parts]
    if op == "*":
        return _product(parts)
    if op in ("div", "mod"):
        by = parts[1]
        if by[0] != by[1] or by[0] == 0:
            return None
        size = abs(by[0]) - 1 if op == "mod" else max(abs(los[0]), abs(his[0]))
        return (0 if op == "mod" else -size), size
    return {
        "if": (min(los), max(his)),
        "+": (sum(los), sum(his)),
        "-": (los[0] - sum(his[1:]), his[0] - sum(los[1:])),
        "neg": (-his[0], -los[0]),
        "to_real": parts[0],
        "to_int": parts[0],
    }.get(op)


def _product(parts: Sequence[Interval]) -> Interval:
    lo, hi = parts[0]
    for other in parts[1:]:
        ends = [a * b for a in (lo, hi) for b in other]
        lo, hi = min(ends), max(ends)
    return lo, hi
