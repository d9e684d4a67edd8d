"""Writes z3 expressions, as the kernel reads them, in TLA+.

Enum labels are strings, integers are integers; there are no other numbers in a finite system.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from latchcheck.kernel import UnsupportedExpression
from latchcheck.kernel.nodes import Node, Nodes

from .names import Names

INT_MAX = 2**31 - 1
"""TLC counts in 32 bits."""

# The parser of TLA+ descends into nested parentheses; a deeper expression gets a name of its own.
_DEPTH_MAX = 40


class Expressions:
    """Expressions that stand in one definition, within the same loops over choices.

    A subexpression that occurs more than once is named by LET, outside the loops whose choices it does not read.
    `sources` maps the name of each constant to the TLA+ that holds its value; `choices` are in the order of the loops.
    """

    def __init__(
        self, nodes: Nodes, roots: Iterable[Any], sources: Mapping[str, str], names: Names, choices: Sequence[str] = ()
    ) -> None:
        self._nodes = nodes
        self._sources = sources
        self._names = names
        self._position = {name: position for position, name in enumerate(choices, 1)}
        self._text: dict[int, str] = {}
        self.definitions: list[list[str]] = [[] for _ in range(len(choices) + 1)]
        uses: dict[int, int] = {}
        idents = [nodes.read(root) for root in roots]
        for ident in nodes.order(idents):
            for child in nodes.table[ident].children:
                uses[child] = uses.get(child, 0) + 1
        for ident in idents:
            uses[ident] = uses.get(ident, 0) + 1
        self._write(idents, uses)

    def level(self, expr: Any) -> int:
        """How many of the choices must be picked before the expression has a value."""
        return self._level(self._nodes.read(expr))

    def text(self, expr: Any) -> str:
        """The TLA+ of one of the expressions."""
        return self._text[self._nodes.read(expr)]

    def _level(self, ident: int) -> int:
        return max((self._position.get(name, 0) for name in self._nodes.names(ident)), default=0)

    def _write(self, roots: Sequence[int], uses: Mapping[int, int]) -> None:
        nesting: dict[int, int] = {}
        for ident in self._nodes.order(roots):
            node = self._nodes.table[ident]
            source = self._source(node)
            deep = 1 + max([nesting.get(child, 0) for child in node.children], default=0)
            if node.children and (uses[ident] > 1 or deep > _DEPTH_MAX):
                name = self._names.new("t")
                self.definitions[self._level(ident)].append(f"{name} == {source}")
                source, deep = name, 0
            self._text[ident] = source
            nesting[ident] = deep

    def _source(self, node: Node) -> str:
        op = node.op
        if not node.children:
            return self._leaf(node)
        args = [self._text[child] for child in node.children]
        if op == "is":
            return f"({args[0]} = {label(node.payload)})"
        if op in ("div", "mod"):
            return _division(op, args, self._nodes.table[node.children[1]])
        if op not in _WRITE:
            raise _unsupported(op, "use whole numbers, which TLC can count")
        return _WRITE[op](args)

    def _leaf(self, node: Node) -> str:
        if node.op == "name":
            return self._sources[node.payload]
        if node.op == "number":
            return number(node.payload)
        return _CONSTANT.get(node.op) or label(node.payload)


def label(text: str) -> str:
    """A label of an enum as a TLA+ string; UnsupportedExpression for one that no string of TLA+ can hold."""
    if not (text.isascii() and text.isprintable()):
        raise _unsupported(repr(text), "a string of TLA+ holds printable ASCII")
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def number(value: Any) -> str:
    """A whole number in TLA+; UnsupportedExpression for a fraction and for what TLC cannot count to."""
    if not isinstance(value, int):
        raise _unsupported(str(value), "use whole numbers, which TLC can count")
    if abs(value) > INT_MAX:
        raise _unsupported(str(value), f"TLC counts up to {INT_MAX}")
    return str(value) if value >= 0 else f"(-{-value})"


def _division(op: str, args: Sequence[str], divisor: Node) -> str:
    """SMT-LIB's division, whose remainder is never negative, by that of TLA+, whose divisor must be positive."""
    a, b = args
    positive = {"div": f"({a} \\div {b})", "mod": f"({a} % {b})"}[op]
    if divisor.op == "number" and divisor.payload > 0:
        return positive
    negative = {"div": f"(-({a} \\div (-{b})))", "mod": f"({a} % (-{b}))"}[op]
    return f"(IF {b} > 0 THEN {positive} ELSE {negative})"


def _unsupported(operator: str, instead: str) -> UnsupportedExpression:
    return UnsupportedExpression(operator, f"the export to TLA+: {instead}")


def _joined(op: str) -> Callable[[Sequence[str]], str]:
    return lambda args: "(" + f" {op} ".join(args) + ")"


def _chained(op: str) -> Callable[[Sequence[str]], str]:
    return lambda args: "(" + " /\\ ".join(f"{a} {op} {b}" for a, b in pairwise(args)) + ")"


def _distinct(args: Sequence[str]) -> str:
    pairs = [f"{a} # {b}" for i, a in enumerate(args) for b in args[i + 1 :]]
    return "(" + " /\\ ".join(pairs or ["TRUE"]) + ")"


_CONSTANT = {"true": "TRUE", "false": "FALSE"}
_WRITE: dict[str, Callable[[Sequence[str]], str]] = {
    "and": _joined("/\\"),
    "or": _joined("\\/"),
    "not": lambda args: f"(~{args[0]})",
    "implies": lambda args: f"({args[0]} => {args[1]})",
    "xor": lambda args: f"({args[0]} # {args[1]})",
    "==": _chained("="),
    "distinct": _distinct,
    "if": lambda args: f"(IF {args[0]} THEN {args[1]} ELSE {args[2]})",
    "<=": _chained("<="),
    "<": _chained("<"),
    ">=": _chained(">="),
    ">": _chained(">"),
    "+": _joined("+"),
    "-": _joined("-"),
    "*": _joined("*"),
    "neg": lambda args: f"(-{args[0]})",
    # Without fractions every number is whole.
    "to_real": lambda args: args[0],
    "to_int": lambda args: args[0],
    "is_int": lambda _: "TRUE",
}
