"""Writes the actions of a finite system as straight-line blocks over packed states.

A choice with few values is unrolled: z3 puts each value into guard and updates and simplifies, so that an update of
"the task that was picked" becomes an update of one variable. Guard clauses stand outside of the choices that they do
not read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any

import attrs
import z3

from latchcheck.kernel import Action, Bool, Choice, Enum, IntRange, System
from latchcheck.kernel.compiling import RUNTIME, python_name
from latchcheck.kernel.substitution import Substitution

from .layout import Field, Layout
from .lines import Lines, unbounded
from .packed_scope import Scope
from .packed_terms import Terms

# More instances of one action than this would make more source than they save; the rest are loops.
UNROLLED_MAX = 64


@attrs.frozen
class Fired:
    """One action with its choices made: what an engine does with it."""

    code: int
    # The source of each choice, an Enum's value as its position.
    picked: tuple[str, ...]
    # The source of each word of the state after it.
    after: tuple[str, ...]
    # The variables whose value it may change.
    changed: frozenset[str]
    # What must hold for it and what it puts, with the choices that are written out put in.
    guard: tuple[Any, ...] = ()
    updates: Mapping[str, Any] = attrs.field(factory=dict)


class Blocks(Lines):
    """Source lines of one function over packed states.

    With `split` the state is in locals s0, s1, ..., one a word; without it is in s0 altogether.
    """

    def __init__(self, system: System, layout: Layout, *, split: bool) -> None:
        super().__init__()
        self.system = system
        self.layout = layout
        self.split = split
        self.terms = Terms(system, layout)
        self.coarse: Callable[[int], Sequence[str]] = lambda _: [
            "raise ValueError('a dense number is no multiple of a part')"
        ]
        self.constants: dict[str, Any] = dict(RUNTIME)
        self.sources = {name: python_name("v", name, i) for i, name in enumerate(layout.fields)}
        self.words = layout.words if split else 1

    def place(self, field: Field) -> tuple[int, int]:
        """The word of a field and its lowest bit, as this function sees them."""
        return (field.word, field.shift) if self.split else (0, field.offset)

    def field(self, name: str, state: str) -> str:
        """The source of a variable's value in the words that are named `state` with a number."""
        field = self.layout.fields[name]
        word, shift = self.place(field)
        if isinstance(field.variable.domain, Bool):
            return f"({state}{word} & {1 << shift} != 0)"
        kept = f"({state}{word} >> {shift} & {field.mask})" if shift else f"({state}{word} & {field.mask})"
        return f"({kept} + {field.lo})" if field.lo else kept

    def unpack(self, names: Iterable[str]) -> Scope:
        """Put variables of the state into locals; the scope knows all of them."""
        wanted = set(names)
        for name, source in self.sources.items():
            if name in wanted:
                self.line(f"{source} = {self.field(name, 's')}")
        return self.known(self.sources)

    def known(self, sources: Mapping[str, str]) -> Scope:
        """A scope in which the constants have these sources."""
        return Scope(self.terms, self.coarse, sources)

    def reads(self, expr: Any) -> frozenset[str]:
        """The names of the constants in an expression."""
        return self.terms.nodes.names(self.terms.nodes.read(expr))

    def values(self, scope: Scope, exprs: Iterable[Any]) -> list[str]:
        """The sources of expressions, after the lines they need."""
        return scope.write(exprs, self.lines, self.indent)

    def require(self, scope: Scope, exprs: Sequence[Any]) -> bool:
        """Open a block in which all expressions hold; False if they never do."""
        needed = [expr for expr in exprs if not z3.is_true(expr)]
        if any(z3.is_false(expr) for expr in needed):
            return False
        self.where(partial(self._value, scope, expr) for expr in needed)
        return True

    def _value(self, scope: Scope, expr: Any) -> str:
        return self.values(scope, [expr])[0]

    def after(self, kept: Mapping[str, str | int]) -> tuple[str, ...]:
        """The sources of the words of a state in which some fields hold something else: a number, or source."""
        gone, fixed = [0] * self.words, [0] * self.words
        every = [0] * self.words
        parts: list[list[str]] = [[] for _ in range(self.words)]
        for name, field in self.layout.fields.items():
            word, shift = self.place(field)
            every[word] |= field.mask << shift
            if name not in kept:
                continue
            new = kept[name]
            gone[word] |= field.mask << shift
            if isinstance(new, int):
                fixed[word] |= new << shift
            elif isinstance(field.variable.domain, Bool):
                parts[word].append(f"({1 << shift} if {new} else 0)")
            else:
                parts[word].append(f"{new} << {shift}" if shift else new)
        found = []
        for word in range(self.words):
            pieces = [f"s{word} & {every[word] & ~gone[word]}" if gone[word] else f"s{word}", *parts[word]]
            found.append(" | ".join([*pieces, str(fixed[word])] if fixed[word] else pieces))
        return tuple(found)

    def read_by_actions(self) -> set[str]:
        """The variables that some guard or update reads."""
        found: set[str] = {self.system.clock} if self.system.clock is not None else set()
        for clause in self.system.urgency:
            found |= self.reads(clause.expr)
        for action in self.system.actions:
            bounds = (bound for choice in action.choices for bound in (choice.lower, choice.upper) if bound is not None)
            for expr in (*(clause.expr for clause in action.guard), *action.updates.values(), *bounds):
                found |= self.reads(expr)
        return found & self.layout.fields.keys()


@attrs.frozen
class _Begun:
    """An action some of whose choices are made: those still open, and guard and updates with the others put in.

    `held` are the clauses of the guard that stand around what is left, `picked` the sources of the choices made.
    """

    code: int
    choices: tuple[Choice, ...]
    guard: tuple[Any, ...]
    updates: Mapping[str, Any]
    held: tuple[Any, ...] = ()
    picked: tuple[str, ...] = ()

    def after(self, source: str, put: Callable[[Any], Any]) -> _Begun:
        """What is left when the first open choice is made."""
        return _Begun(
            self.code,
            self.choices[1:],
            tuple(put(expr) for expr in self.guard),
            {name: put(expr) for name, expr in self.updates.items()},
            self.held,
            (*self.picked, source),
        )


class Actions:
    """The actions of a system, written into blocks; `fire` and `fail` write what an engine does.

    `fail(code, field, source)` writes the end of the search where an update leaves the range of its variable.
    """

    def __init__(self, blocks: Blocks, fire: Callable[[Fired], None], fail: Callable[[int, Field, str], None]) -> None:
        self.blocks = blocks
        self.fire = fire
        self.fail = fail
        self._name = ""
        self._unrolled: frozenset[str] = frozenset()

    def write(self, code: int, action: Action, scope: Scope) -> None:
        """One action with all its choices."""
        self._name, self._unrolled = action.name, _unrolled(action)
        guard = tuple(clause.expr for clause in action.guard)
        self._choose(_Begun(code, action.choices, guard, action.updates), scope.inner())

    def _choose(self, begun: _Begun, scope: Scope) -> None:
        """Write what is left of an action; nothing where it cannot happen."""
        blocks = self.blocks
        level, mark = blocks.level, len(blocks.lines)
        open_names = {choice.name for choice in begun.choices}
        ready = tuple(expr for expr in begun.guard if not blocks.reads(expr) & open_names)
        waiting = tuple(expr for expr in begun.guard if blocks.reads(expr) & open_names)
        if blocks.require(scope, ready):
            inside = len(blocks.lines)
            begun = attrs.evolve(begun, guard=waiting, held=(*begun.held, *ready))
            if begun.choices:
                self._pick(begun, scope)
            else:
                self._fire(begun, scope)
            if len(blocks.lines) == inside:
                del blocks.lines[mark:]
        blocks.level = level

    def _pick(self, begun: _Begun, scope: Scope) -> None:
        """Write the rest of an action for each value of its first open choice."""
        blocks, choice = self.blocks, begun.choices[0]
        for source, known, put in self._members(choice, scope):
            body = len(blocks.lines)
            self._choose(begun.after(source, put), scope.inner(known))
            if choice.name not in self._unrolled:
                blocks.level -= 1
                if len(blocks.lines) == body:
                    del blocks.lines[-1]  # a loop around nothing

    def _members(self, choice: Choice, scope: Scope) -> Iterable[tuple[str, Mapping[str, str], Callable[[Any], Any]]]:
        """For each block of a choice: the source of the value, what it makes known, and how it enters expressions."""
        domain = choice.domain
        if choice.name in self._unrolled:
            for position, value in enumerate(domain.members()):
                yield str(position if isinstance(domain, Enum) else value), {}, Substitution({choice.term: value})
            return
        local = python_name("c", choice.name, 0)
        if isinstance(domain, IntRange):
            self.blocks.line(f"for {local} in range({domain.lo}, {domain.hi + 1}):")
            source = local
        elif isinstance(domain, Enum):
            self.blocks.line(f"for {local} in range({len(domain.values)}):")
            source = local
        elif isinstance(domain, Bool):
            self.blocks.line(f"for {local} in range(2):")
            source = f"({local} == 1)"
        else:
            lower, upper = self._bounds(choice, scope)
            unit = self.blocks.layout.grid.scaled(self.blocks.layout.grid.unit_ms)
            if unit == 1:
                self.blocks.line(f"for {local} in range({lower}, {upper} + 1):")
            else:
                self.blocks.line(f"for {local} in range(-(-{lower} // {unit}), {upper} // {unit} + 1):")
            source = local if unit == 1 else f"({local} * {unit})"
        yield source, {choice.name: source}, lambda expr: expr

    def _bounds(self, choice: Choice, scope: Scope) -> list[str]:
        """The sources of the ends of a dense choice."""
        grid, found = self.blocks.layout.grid, []
        for side, bound in enumerate((choice.lower, choice.upper)):
            if bound is not None:
                found += self.blocks.values(scope, [bound])
            elif choice.name in grid.bounds:
                found.append(f"({grid.scaled(grid.bounds[choice.name][side])})")
            else:
                raise unbounded(self._name, choice.name)
        return found

    def _fire(self, begun: _Begun, scope: Scope) -> None:
        blocks, fields, code = self.blocks, self.blocks.layout.fields, begun.code
        changes = {name: expr for name, expr in begun.updates.items() if not expr.eq(fields[name].variable.term)}
        sources = blocks.values(scope, changes.values())
        kept = {
            name: self._kept(fields[name], expr, source, code)
            for (name, expr), source in zip(changes.items(), sources, strict=True)
        }
        self.fire(Fired(code, begun.picked, blocks.after(kept), frozenset(changes), begun.held, changes))

    def _kept(self, field: Field, expr: Any, source: str, code: int) -> str | int:
        """What the field holds for the new value: a number known now, or source; range checks where they may fail."""
        blocks, domain = self.blocks, field.variable.domain
        if isinstance(domain, Bool):
            return 1 if z3.is_true(expr) else 0 if z3.is_false(expr) else source
        extent = blocks.terms.extent(blocks.terms.nodes.read(expr))
        if not isinstance(domain, Enum) and (extent is None or extent[0] < field.lo or extent[1] > field.hi):
            source = self.checked(code, field, source)
        elif extent is not None and extent[0] == extent[1]:
            return int(extent[0]) - field.lo
        return f"({source} - {field.lo})" if field.lo else source

    def checked(self, code: int, field: Field, source: str) -> str:
        """The source of a number, after lines that end the search where its field cannot hold it."""
        local = self.blocks.terms.local()
        self.blocks.line(f"{local} = {source}")
        self.blocks.line(f"if not {field.lo} <= {local} <= {field.hi}:")
        self.fail(code, field, local)
        self.blocks.level -= 1
        return local


def _unrolled(action: Action) -> frozenset[str]:
    """The choices that are written out value by value: the small ones, as long as they stay few together."""
    found: list[Choice] = []
    for choice in sorted(action.choices, key=_size):
        if prod(_size(one) for one in (*found, choice)) > UNROLLED_MAX:
            break
        found.append(choice)
    return frozenset(choice.name for choice in found)


def _size(choice: Choice) -> int:
    domain = choice.domain
    if isinstance(domain, IntRange):
        return domain.hi - domain.lo + 1
    if isinstance(domain, Enum):
        return len(domain.values)
    # A dense choice is always a loop.
    return 2 if isinstance(domain, Bool) else UNROLLED_MAX + 1
