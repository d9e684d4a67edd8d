"""Turns z3 expressions into Python source with exact arithmetic: int and Fraction, never float."""

from __future__ import annotations

import keyword
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs
import z3

from .errors import ModelError
from .nodes import Node, Nodes

# CPython's parser gives up at about 200 nested parentheses; a deeper expression goes through a local variable.
_DEPTH_MAX = 30


class _Undefined:
    """What dividing by zero gives: it may be computed and passed over, but never decides a truth value.

    z3 leaves x/0 open; shared subexpressions are computed before anyone knows whether they are needed,
    so `If(p == 0, 0, x / p)` must survive p = 0.
    """

    __slots__ = ()

    def _same(self, *_: object) -> _Undefined:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = _same
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __floor__ = _same
    __lt__ = __le__ = __gt__ = __ge__ = _same
    __eq__ = __ne__ = _same  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        raise ModelError("a condition divides by zero; guard the division with If(divisor == 0, ...)")

    def __repr__(self) -> str:
        return "undefined (division by zero)"


UNDEFINED = _Undefined()


def _divide(a: Any, b: Any) -> Any:
    if isinstance(a, _Undefined) or isinstance(b, _Undefined) or b == 0:
        return UNDEFINED
    return Fraction(a) / b


def _int_div(a: Any, b: Any) -> Any:
    """SMT-LIB division of integers: the remainder is never negative."""
    if isinstance(b, _Undefined) or b == 0:
        return UNDEFINED
    return a // b if b > 0 else -(a // -b)


def _int_mod(a: Any, b: Any) -> Any:
    return UNDEFINED if isinstance(b, _Undefined) or b == 0 else a % abs(b)


def _is_int(a: Any) -> Any:
    return a if isinstance(a, _Undefined) else math.floor(a) == a


RUNTIME: Mapping[str, Any] = {
    "_divide": _divide,
    "_int_div": _int_div,
    "_int_mod": _int_mod,
    "_floor": math.floor,
    "_is_int": _is_int,
}


def python_name(prefix: str, name: str, index: int) -> str:
    """A Python identifier for a z3 constant: readable where the name allows it, unique always."""
    plain = name.isidentifier() and not keyword.iskeyword(name)
    return f"{prefix}_{name}" if plain else f"{prefix}{index}"


class Emitter:
    """Writes Python source for expressions, line by line into `lines`; a shared subexpression is written once.

    `sources` maps each z3 constant to the Python source that holds its value; one that is missing is a ModelError.
    All expressions are announced first (`roots`), so that sharing is known; `constants` collects the fractions that
    the source refers to by name.
    """

    __slots__ = ("_nodes", "_sources", "_text", "_uses", "constants", "indent", "lines")

    def __init__(self, nodes: Nodes, roots: Iterable[int], sources: Mapping[str, str]) -> None:
        self._nodes = nodes
        self._sources = sources
        self._text: dict[int, str] = {}
        self._uses: dict[int, int] = {}
        self.lines: list[str] = []
        self.constants: dict[str, Fraction] = {}
        self.indent = "    "
        roots = tuple(roots)
        uses, table = self._uses, nodes.table
        for ident in nodes.order(roots):
            for child in table[ident].children:
                uses[child] = uses.get(child, 0) + 1
        for root in roots:
            uses[root] = uses.get(root, 0) + 1

    def line(self, text: str) -> None:
        """One line at the present indentation."""
        self.lines.append(self.indent + text)

    def write(self, root: int) -> str:
        """The source of an expression, after the lines that compute what it shares with others."""
        text, table, uses = self._text, self._nodes.table, self._uses
        if root in text:
            return text[root]
        nesting: dict[int, int] = {}
        for ident in self._nodes.order((root,), text):
            node = table[ident]
            source = self._source(node)
            level = 1 + max([nesting.get(child, 0) for child in node.children], default=0)
            if node.children and (uses[ident] > 1 or level > _DEPTH_MAX):
                local = f"t{len(text)}"
                self.line(f"{local} = {source}")
                source, level = local, 0
            text[ident] = source
            nesting[ident] = level
        return text[root]

    def _source(self, node: Node) -> str:
        op = node.op
        if op == "name":
            source = self._sources.get(node.payload)
            if source is None:
                raise ModelError(f"{node.payload!r} is neither a variable, a choice nor a parameter")
            return source
        if not node.children:
            return self._number(node.payload) if op == "number" else _CONSTANT.get(op) or repr(node.payload)
        args = [self._text[child] for child in node.children]
        if op == "is":
            return f"({args[0]} == {node.payload!r})"
        if op in ("/", "div", "mod"):
            return self._division(op, args, self._nodes.table[node.children[1]])
        return WRITE[op](args)

    def _number(self, value: int | Fraction) -> str:
        if isinstance(value, int):
            return str(value) if value >= 0 else f"({value})"
        name = f"q_{'n' if value < 0 else ''}{abs(value.numerator)}_{value.denominator}"
        self.constants[name] = value
        return name

    def _division(self, op: str, args: Sequence[str], divisor: Node) -> str:
        by = divisor.payload if divisor.op == "number" else 0
        if by == 0:
            helper = {"/": "_divide", "div": "_int_div", "mod": "_int_mod"}[op]
            return f"{helper}({args[0]}, {args[1]})"
        if op == "/":
            return f"({args[0]} * {self._number(_whole(1 / Fraction(by)))})"
        if op == "mod":
            return f"({args[0]} % {abs(by)})"
        return f"({args[0]} // {by})" if by > 0 else f"(-({args[0]} // {-by}))"


def _whole(value: Fraction) -> int | Fraction:
    return value.numerator if value.denominator == 1 else value


def _joined(op: str) -> Callable[[Sequence[str]], str]:
    return lambda args: "(" + f" {op} ".join(args) + ")"


def _distinct(args: Sequence[str]) -> str:
    pairs = [f"{a} != {b}" for i, a in enumerate(args) for b in args[i + 1 :]]
    return "(" + " and ".join(pairs or ["True"]) + ")"


_CONSTANT = {"true": "True", "false": "False"}
# How each operator is written in Python, given the sources of its operands.
WRITE: dict[str, Callable[[Sequence[str]], str]] = {
    "and": lambda args: "(" + " and ".join(args) + ")",
    "or": lambda args: "(" + " or ".join(args) + ")",
    "not": lambda args: f"(not {args[0]})",
    "implies": lambda args: f"(not {args[0]} or {args[1]})",
    "xor": _joined("!="),
    "==": _joined("=="),
    "distinct": _distinct,
    "if": lambda args: f"({args[1]} if {args[0]} else {args[2]})",
    "<=": _joined("<="),
    "<": _joined("<"),
    ">=": _joined(">="),
    ">": _joined(">"),
    "+": _joined("+"),
    "-": _joined("-"),
    "*": _joined("*"),
    "neg": lambda args: f"(-{args[0]})",
    "to_real": lambda args: args[0],
    "to_int": lambda args: f"_floor({args[0]})",
    "is_int": lambda args: f"_is_int({args[0]})",
}


def define(name: str, lines: Sequence[str], constants: Mapping[str, Any]) -> Callable[..., Any]:
    """The function `name` that the source lines define, with `constants` as its globals."""
    scope: dict[str, Any] = {**RUNTIME, **constants}
    exec(compile("\n".join(lines), f"<compiled {name}>", "exec"), scope)  # noqa: S102 - source written by Emitter only
    return scope[name]


@attrs.frozen(eq=False)
class Compiled:
    """An expression as a Python function: `compiled(x=1, y=Fraction(1, 2))` is its value, `source` what runs."""

    expr: z3.ExprRef
    names: tuple[str, ...]
    source: str
    function: Callable[..., Any] = attrs.field(repr=False)

    def __call__(self, **values: Any) -> Any:
        """The value of the expression; a missing or surplus name is a TypeError that names it."""
        return self.function(**values)


def compile_expr(expr: Any, names: Iterable[str] | None = None) -> Compiled:
    """Compile one z3 expression; `names` are the constants it may read (default: those it does read).

    Raises UnsupportedExpression for an operator without translation, ModelError for a constant outside `names`.
    """
    nodes = Nodes()
    root = nodes.read(expr)
    wanted = tuple(sorted(nodes.names(root)) if names is None else names)
    # Parameters keep their own name, so that the function is called with keywords; odd names go through a mapping.
    sources = {name: python_name("v", name, i) for i, name in enumerate(wanted)}
    emitter = Emitter(nodes, (root,), sources)
    result = emitter.write(root)
    unpack = [f"    {source} = values[{name!r}]" for name, source in sources.items()]
    lines = ["def value(values):", *unpack, *emitter.lines, f"    return {result}"]
    function = define("value", lines, emitter.constants)
    return Compiled(expr, wanted, "\n".join(lines), _Keywords(function, wanted))


@attrs.frozen
class _Keywords:
    """Calls a compiled function with keywords after checking that none is missing and none is surplus."""

    function: Callable[..., Any]
    names: tuple[str, ...]

    def __call__(self, **values: Any) -> Any:
        if values.keys() != set(self.names):
            missing = [name for name in self.names if name not in values]
            surplus = [name for name in values if name not in self.names]
            raise TypeError(f"needs a value for {missing}, knows no {surplus}")
        return self.function(values)
