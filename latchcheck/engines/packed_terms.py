"""What generated searches know about z3 expressions: sorts, positions of labels, and how large a number can get."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from latchcheck.kernel import Action, Bool, Choice, Enum, IntRange, Real, System
from latchcheck.kernel.nodes import Node, Nodes

from .layout import Layout, Number

Interval = tuple[Number, Number]

# Beyond it a machine integer might overflow on the way.
SAFE = 1 << 62
ARITHMETIC = frozenset(("+", "-", "*", "/", "neg", "div", "mod", "to_real", "to_int"))
_CONDITIONS = frozenset(
    ("true", "false", "and", "or", "not", "implies", "xor", "==", "distinct", "<=", "<", ">=", ">", "is", "is_int")
)


class Terms:
    """The expressions of one system; dense numbers are counted in parts of the layout's grid.

    `exact` tells whether everything written so far stays within machine integers and needs no helper of the kernel.
    """

    def __init__(self, system: System, layout: Layout) -> None:
        self.nodes = Nodes()
        self.exact = True
        self.grid = layout.grid
        self._enums: dict[int, Enum] = {}
        self._ranges: dict[str, Interval] = {name: (field.lo, field.hi) for name, field in layout.fields.items()}
        self._labels: dict[int, int] = {}
        self._extents: dict[int, Interval | None] = {}
        self._count = 0
        self._dense = Real().sort.get_id()
        choices = [choice for action in system.actions for choice in action.choices]
        for item in (*system.variables, *choices):
            if isinstance(item.domain, Enum):
                self._enums[item.domain.sort.get_id()] = item.domain
        for domain in self._enums.values():
            for position, label in enumerate(domain.values):
                self._labels[self.nodes.read(domain[label])] = position
        spans: dict[str, list[Interval | None]] = {}
        for choice in choices:
            if not isinstance(choice.domain, Enum):
                # Actions may use one name for choices of different ranges.
                spans.setdefault(choice.name, []).append(self.span(choice))
        for name, found in spans.items():
            known = [one for one in found if one is not None]
            if len(known) == len(found):
                self._ranges[name] = min(lo for lo, _ in known), max(hi for _, hi in known)

    def local(self) -> str:
        """A name that no other line uses."""
        self._count += 1
        return f"e{self._count}"

    def span(self, choice: Choice) -> Interval | None:
        """The least and the greatest number that a choice can be, or None where nothing tells."""
        domain = choice.domain
        if isinstance(domain, IntRange):
            return domain.lo, domain.hi
        if isinstance(domain, Enum):
            return 0, len(domain.values) - 1
        if isinstance(domain, Bool):
            return 0, 1
        ends: list[Interval | None] = []
        for side, bound in enumerate((choice.lower, choice.upper)):
            if bound is not None:
                ends.append(self.extent(self.nodes.read(bound)))
            elif choice.name in self.grid.bounds:
                end = self.grid.scaled(self.grid.bounds[choice.name][side])
                ends.append((end, end))
            else:
                ends.append(None)
        lower, upper = ends
        return None if lower is None or upper is None else (lower[0], upper[1])

    def fanout(self, action: Action) -> int | None:
        """How many successors the action has at most from one state, or None where nothing tells."""
        found = 1
        for choice in action.choices:
            span = self.span(choice)
            if span is None:
                return None
            step = self.grid.scaled(self.grid.unit_ms) if isinstance(choice.domain, Real) else 1
            found *= max(0, int((span[1] - span[0]) // step) + 1)
        return found

    def dense(self, ident: int) -> bool:
        """Whether a number is dense; asked of names and literals only."""
        return self.nodes.sorts.get(ident) == self._dense

    def literal(self, ident: int) -> int:
        """A literal as the searches write it: an integer as it is, a dense number in parts."""
        value = self.nodes.table[ident].payload
        return self.grid.scaled(value) if self.dense(ident) else value

    def factors(self, node: Node) -> tuple[Fraction, list[int]]:
        """A product or a quotient by a literal as one coefficient and the factors that are no literals."""
        table, coefficient, rest = self.nodes.table, Fraction(1), []
        for place, child in enumerate(node.children):
            if table[child].op != "number":
                rest.append(child)
            elif node.op == "/" and place:
                coefficient /= table[child].payload
            else:
                coefficient *= table[child].payload
        return coefficient, rest

    def is_dense(self, root: int) -> bool:
        """Whether an expression of numbers is dense."""
        node = self.nodes.table[root]
        while node.op not in ("name", "number", "to_real", "to_int", "/", "div", "mod"):
            if not node.children:
                return False
            root = node.children[-1]
            node = self.nodes.table[root]
        return node.op in ("to_real", "/") or (node.op in ("name", "number") and self.dense(root))

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
        """The least and the greatest value that is kept for a number or a label, or None where nothing tells."""
        extents, table = self._extents, self.nodes.table
        for ident in self.nodes.order((root,), extents):
            node = table[ident]
            extents[ident] = self._extent(ident, node, [extents[child] for child in node.children])
        return extents[root]

    def _extent(self, ident: int, node: Node, parts: Sequence[Interval | None]) -> Interval | None:
        if ident in self._labels:
            return self._labels[ident], self._labels[ident]
        if node.op == "number":
            value = node.payload * (self.grid.parts if self.dense(ident) else 1)
            return value, value
        if node.op == "name":
            domain = self._enums.get(self.nodes.sorts[ident])
            return self._ranges.get(node.payload) if domain is None else (0, len(domain.values) - 1)
        if node.op in ("*", "/"):
            return self._product(ident, node)
        known = [part for part in parts[node.op == "if" :] if part is not None]
        if node.op in _CONDITIONS or len(known) < len(parts) - (node.op == "if"):
            return None
        return _combined(node.op, known, self.grid.parts)

    def _product(self, ident: int, node: Node) -> Interval | None:
        """The extent of a product: a factor that is dense counts parts, and the product counts them once."""
        coefficient, rest = self.factors(node)
        scale = self.grid.parts if self.is_dense(ident) else 1
        lo: Number = coefficient * scale
        hi = lo
        for child in rest:
            part = self._extents[child]
            if part is None:
                return None
            ends = [a * b / Fraction(scale) for a in (lo, hi) for b in part]
            lo, hi = min(ends), max(ends)
        return lo, hi


def _combined(op: str, parts: Sequence[Interval], scale: int) -> Interval | None:
    los, his = [lo for lo, _ in parts], [hi for _, hi in parts]
    if op in ("div", "mod"):
        by = parts[1]
        if by[0] != by[1] or by[0] == 0:
            return None
        size = abs(by[0]) - 1 if op == "mod" else max(abs(los[0]), abs(his[0]))
        return (0 if op == "mod" else -size), size
    ends: Mapping[str, Interval] = {
        "if": (min(los), max(his)),
        "+": (sum(los), sum(his)),
        "-": (los[0] - sum(his[1:]), his[0] - sum(los[1:])),
        "neg": (-his[0], -los[0]),
        "to_real": (los[0] * scale, his[0] * scale),
        "to_int": (los[0] // scale, his[0] // scale),
    }
    return ends.get(op)
