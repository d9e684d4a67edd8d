"""Translates the generated searches to LLVM's language: Python's syntax, whole numbers of 64 bits, nothing else.

The searches stay functions that Python can run, which is how tests compare them; this file gives the same text to a
compiler. A general compiler for Python spends minutes on what this one translates in tenths of a second, because it
has nothing to infer: a value is a number, a truth value, or an element of an array named in the signature.

What it reads: assignments to names, elements and tuples of names; `if`, `while`, `for ... in range(...)`, `break`,
`return`; whole-number arithmetic, comparisons, `and`, `or`, `not`, `... if ... else ...` (both sides are computed);
calls of other functions of the same text, `prefetch(array, index)`, and `word(bytes, index)` with
`put_word(bytes, index, value)`, which read and write 64 bits from any byte on, the lowest first.
A parameter is annotated "i64", "i1", or with an array's element: "i64*", "u32*", "u8*". Divisors are positive
constants.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import attrs

Term = tuple[str, str]  # the text of a value, and its type: i64 or i1

_OPERATIONS: Mapping[type, str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shl",
    ast.RShift: "ashr",
}
_COMPARISONS: Mapping[type, str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "slt",
    ast.LtE: "sle",
    ast.Gt: "sgt",
    ast.GtE: "sge",
}
_SHORT = 5  # statements
_ELEMENTS = {"i64*": "i64", "u32*": "i32", "u8*": "i8"}


def translate(text: str) -> str:
    """The module in LLVM's language for the functions of a source; only `search` and `refill` are seen from outside."""
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    signatures = {node.name: Signature.of(node) for node in functions}
    parts = ["declare void @llvm.prefetch.p0(ptr, i32, i32, i32)"]
    parts += [Function(node, signatures).text() for node in functions]
    # Names stand in quotes, because Python allows letters in them that LLVM does not.
    return "\n".join(parts).replace("'", '"')


@attrs.frozen
class Signature:
    """The parameters of a function with their types, and how many numbers it returns."""

    parameters: Mapping[str, str]
    returns: int

    @classmethod
    def of(cls, node: ast.FunctionDef) -> Signature:
        """Read the annotations."""
        assert isinstance(node.returns, ast.Constant)
        return cls({arg.arg: arg.annotation.value for arg in node.args.args}, node.returns.value)  # type: ignore[union-attr]

    @property
    def result(self) -> str:
        """The type of what it returns."""
        return "i64" if self.returns == 1 else "{" + ", ".join(["i64"] * self.returns) + "}"


class Function:
    """One function on its way to LLVM: every local has a place in memory, which LLVM's first pass takes away again."""

    def __init__(self, node: ast.FunctionDef, signatures: Mapping[str, Signature]) -> None:
        self._node = node
        self._signatures = signatures
        self._signature = signatures[node.name]
        self._arrays = {n: t for n, t in self._signature.parameters.items() if t in _ELEMENTS}
        self._locals: dict[str, str] = {}
        self._entry: list[str] = []
        self._lines: list[str] = []
        self._count = 0
        self._closed = False
        self._exits: list[str] = []

    def text(self) -> str:
        """The definition."""
        for name, sort in self._signature.parameters.items():
            if sort not in _ELEMENTS:
                self._store(name, (f"%'a_{name}'", sort))
        self._block(self._node.body)
        if not self._closed:
            self._lines.append("unreachable")
        kinds = {
            name: "ptr noalias" if sort in _ELEMENTS else sort for name, sort in self._signature.parameters.items()
        }
        arguments = ", ".join(f"{kind} %'a_{name}'" for name, kind in kinds.items())
        seen = "" if self._node.name in ("search", "refill") else "internal "
        # What is called from every action must not be copied into each.
        inline = "alwaysinline " if seen and len(self._node.body) < _SHORT else "noinline "
        head = f"define {seen}{self._signature.result} @{self._node.name}({arguments}) {inline}nounwind {{"
        return "\n".join([head, *self._entry, *self._lines, "}"])

    # -- values ----------------------------------------------------------------------------------------------------

    def _new(self, text: str) -> str:
        self._count += 1
        self._lines.append(f"%r{self._count} = {text}")
        return f"%r{self._count}"

    def _number(self, node: ast.expr) -> str:
        value, sort = self._value(node)
        return self._new(f"zext i1 {value} to i64") if sort == "i1" else value

    def _truth(self, node: ast.expr) -> str:
        value, sort = self._value(node)
        return self._new(f"icmp ne i64 {value}, 0") if sort == "i64" else value

    def _value(self, node: ast.expr) -> Term:
        return getattr(self, f"_{type(node).__name__.lower()}")(node)

    def _constant(self, node: ast.Constant) -> Term:
        if isinstance(node.value, bool):
            return ("true" if node.value else "false"), "i1"
        return str(node.value), "i64"

    def _name(self, node: ast.Name) -> Term:
        sort = self._locals[node.id]
        return self._new(f"load {sort}, ptr %'l_{node.id}'"), sort

    def _unaryop(self, node: ast.UnaryOp) -> Term:
        if isinstance(node.op, ast.Not):
            return self._new(f"xor i1 {self._truth(node.operand)}, true"), "i1"
        value = self._number(node.operand)
        return self._new(f"sub i64 0, {value}" if isinstance(node.op, ast.USub) else f"xor i64 {value}, -1"), "i64"

    def _binop(self, node: ast.BinOp) -> Term:
        left, right = self._number(node.left), self._number(node.right)
        if not isinstance(node.op, ast.FloorDiv | ast.Mod):
            return self._new(f"{_OPERATIONS[type(node.op)]} i64 {left}, {right}"), "i64"
        # Python rounds down, the machine towards zero: they differ where the rest is negative.
        rest = self._new(f"srem i64 {left}, {right}")
        below = self._new(f"icmp slt i64 {rest}, 0")
        if isinstance(node.op, ast.Mod):
            return self._new(f"select i1 {below}, i64 {self._new(f'add i64 {rest}, {right}')}, i64 {rest}"), "i64"
        whole = self._new(f"sdiv i64 {left}, {right}")
        return self._new(f"select i1 {below}, i64 {self._new(f'sub i64 {whole}, 1')}, i64 {whole}"), "i64"

    def _boolop(self, node: ast.BoolOp) -> Term:
        op = "and" if isinstance(node.op, ast.And) else "or"
        found = self._truth(node.values[0])
        for other in node.values[1:]:
            found = self._new(f"{op} i1 {found}, {self._truth(other)}")
        return found, "i1"

    def _compare(self, node: ast.Compare) -> Term:
        terms = [self._value(one) for one in (node.left, *node.comparators)]
        found = ""
        for (left, sort), (right, _), op in zip(terms, terms[1:], node.ops, strict=False):
            one = self._new(f"icmp {_COMPARISONS[type(op)]} {sort} {left}, {right}")
            found = self._new(f"and i1 {found}, {one}") if found else one
        return found, "i1"

    def _ifexp(self, node: ast.IfExp) -> Term:
        test = self._truth(node.test)
        (one, sort), (other, _) = self._value(node.body), self._value(node.orelse)
        return self._new(f"select i1 {test}, {sort} {one}, {sort} {other}"), sort

    def _subscript(self, node: ast.Subscript) -> Term:
        place, element = self._place(node.value, node.slice)
        value = self._new(f"load {element}, ptr {place}")
        return (value if element == "i64" else self._new(f"zext {element} {value} to i64")), "i64"

    def _place(self, array: ast.expr, index: ast.expr) -> tuple[str, str]:
        assert isinstance(array, ast.Name)
        element = _ELEMENTS[self._arrays[array.id]]
        return self._new(f"getelementptr {element}, ptr %'a_{array.id}', i64 {self._number(index)}"), element

    def _call(self, node: ast.Call) -> Term:
        assert isinstance(node.func, ast.Name)
        name = node.func.id
        if name in ("prefetch", "word", "put_word"):
            return self._memory(name, node.args)
        signature = self._signatures[name]
        kinds = signature.parameters.values()
        passed = []
        for kind, arg in zip(kinds, node.args, strict=True):
            if kind in _ELEMENTS:
                assert isinstance(arg, ast.Name)
                passed.append(f"ptr %'a_{arg.id}'")
            else:
                passed.append(f"{kind} {self._truth(arg) if kind == 'i1' else self._number(arg)}")
        return self._new(f"call {signature.result} @{name}({', '.join(passed)})"), signature.result

    def _memory(self, name: str, given: list[ast.expr]) -> Term:
        """What no Python function says: memory asked for ahead, and words that begin at any byte."""
        place, _ = self._place(given[0], given[1])
        if name == "word":
            return self._new(f"load i64, ptr {place}, align 1"), "i64"
        if name == "put_word":
            self._lines.append(f"store i64 {self._number(given[2])}, ptr {place}, align 1")
        else:
            # Read, keep in every cache, data and not instructions.
            self._lines.append(f"call void @llvm.prefetch.p0(ptr {place}, i32 0, i32 3, i32 1)")
        return "", "void"

    # -- statements ------------------------------------------------------------------------------------------------

    def _store(self, name: str, term: Term) -> None:
        value, sort = term
        if name not in self._locals:
            self._locals[name] = sort
            self._entry.append(f"%'l_{name}' = alloca {sort}")
        assert self._locals[name] == sort, f"{name} is {self._locals[name]} and {sort}"
        self._lines.append(f"store {sort} {value}, ptr %'l_{name}'")

    def _label(self, name: str) -> None:
        if not self._closed:
            self._lines.append(f"br label %{name}")
        self._lines.append(f"{name}:")
        self._closed = False

    def _labels(self, *names: str) -> list[str]:
        self._count += 1
        return [f"{name}{self._count}" for name in names]

    def _close(self, line: str) -> None:
        self._lines.append(line)
        self._closed = True

    def _block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            if self._closed:
                return  # after a return or break nothing is reached
            if isinstance(statement, ast.Expr):
                self._value(statement.value)
            elif not isinstance(statement, ast.Pass):
                getattr(self, f"_do_{type(statement).__name__.lower()}")(statement)

    def _do_assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        if not isinstance(target, ast.Tuple):
            self._assign(target, self._value(node.value))
            return
        if isinstance(node.value, ast.Tuple):
            terms = [self._value(one) for one in node.value.elts]
        else:
            value, sort = self._value(node.value)
            terms = [(self._new(f"extractvalue {sort} {value}, {i}"), "i64") for i in range(len(target.elts))]
        for one, term in zip(target.elts, terms, strict=True):
            self._assign(one, term)

    def _assign(self, target: ast.expr, term: Term) -> None:
        if isinstance(target, ast.Name):
            self._store(target.id, term)
            return
        assert isinstance(target, ast.Subscript)
        place, element = self._place(target.value, target.slice)
        value = term[0] if element == "i64" else self._new(f"trunc i64 {term[0]} to {element}")
        self._lines.append(f"store {element} {value}, ptr {place}")

    def _do_augassign(self, node: ast.AugAssign) -> None:
        target = node.target
        read = ast.Name(target.id) if isinstance(target, ast.Name) else target
        self._assign(target, self._binop(ast.BinOp(read, node.op, node.value)))

    def _do_if(self, node: ast.If) -> None:
        inside, other, after = self._labels("then", "else", "after")
        self._close(f"br i1 {self._truth(node.test)}, label %{inside}, label %{other if node.orelse else after}")
        self._label(inside)
        self._block(node.body)
        if node.orelse:
            if not self._closed:
                self._close(f"br label %{after}")
            self._label(other)
            self._block(node.orelse)
        self._label(after)

    @contextmanager
    def _loop(self, test: Callable[[], str], step: Callable[[], None]) -> Iterator[None]:
        head, body, done = self._labels("head", "body", "done")
        self._label(head)
        self._close(f"br i1 {test()}, label %{body}, label %{done}")
        self._label(body)
        self._exits.append(done)
        yield
        self._exits.pop()
        if not self._closed:
            step()
            self._close(f"br label %{head}")
        self._label(done)

    def _do_while(self, node: ast.While) -> None:
        with self._loop(lambda: self._truth(node.test), lambda: None):
            self._block(node.body)

    def _do_for(self, node: ast.For) -> None:
        assert isinstance(node.target, ast.Name)
        assert isinstance(node.iter, ast.Call)
        name = node.target.id
        ends = [self._number(arg) for arg in node.iter.args]
        start, stop = ends if len(ends) > 1 else ("0", ends[0])
        self._store(name, (start, "i64"))
        here: Any = ast.Name(name)
        with self._loop(
            lambda: self._new(f"icmp slt i64 {self._number(here)}, {stop}"),
            lambda: self._store(name, (self._new(f"add i64 {self._number(here)}, 1"), "i64")),
        ):
            self._block(node.body)

    def _do_break(self, _: ast.Break) -> None:
        self._close(f"br label %{self._exits[-1]}")

    def _do_return(self, node: ast.Return) -> None:
        assert node.value is not None
        if not isinstance(node.value, ast.Tuple) or self._signature.returns == 1:
            self._close(f"ret i64 {self._number(node.value)}")
            return
        found = "undef"
        for i, one in enumerate(node.value.elts):
            found = self._new(f"insertvalue {self._signature.result} {found}, i64 {self._number(one)}, {i}")
        self._close(f"ret {self._signature.result} {found}")
