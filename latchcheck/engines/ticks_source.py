"""Writes the Python source of a breadth-first search over one system, every action in line.

One generated function holds the whole inner loop in local variables: a call for each action and each state would cost
more than the work itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import attrs

from latchcheck.kernel import Action, Choice, IntRange, Property, Real, System
from latchcheck.kernel.compiling import RUNTIME, Emitter, python_name

from .lines import Lines, unbounded

Number = int | Fraction


@attrs.frozen
class Setting:
    """What bounds a search: the tick in milliseconds, the last instant, and bounds for choices that state none."""

    unit_ms: Number = 1
    horizon_ms: Number | None = None
    bounds: Mapping[str, tuple[Number, Number]] = attrs.field(factory=dict)


class Writer(Lines):
    """Source lines of one function over a system."""

    def __init__(self, system: System, setting: Setting) -> None:
        super().__init__()
        self.system = system
        self.setting = setting
        self.constants: dict[str, Any] = {**RUNTIME, "_span": Span(setting.unit_ms)}
        self.old = {v.name: python_name("v", v.name, i) for i, v in enumerate(system.variables)}
        self.new = {v.name: python_name("n", v.name, i) for i, v in enumerate(system.variables)}

    def unpack(self, names: Iterable[str], source: str) -> None:
        """Put the values of a tuple into local variables."""
        self.line(f"{_tuple(names)} = {source}")

    def emitter(self, exprs: Iterable[Any], sources: Mapping[str, str]) -> Emitter:
        """An Emitter for these expressions that writes into this function."""
        nodes = self.system.nodes
        emitter = Emitter(nodes, [nodes.read(expr) for expr in exprs], sources)
        emitter.lines = self.lines
        return emitter

    def value(self, emitter: Emitter, expr: Any) -> str:
        """The source of an expression, after the lines that it needs."""
        emitter.indent = self.indent
        source = emitter.write(self.system.nodes.read(expr))
        self.constants |= emitter.constants
        return source

    def require(self, emitter: Emitter, exprs: Iterable[Any]) -> None:
        """Open a block in which all expressions hold."""
        self.where(partial(self.value, emitter, expr) for expr in exprs)

    def action(self, action: Action, fire: Callable[[Mapping[str, str], Sequence[str]], None]) -> None:
        """Write an action: guards and loops over its choices, and inside them what `fire` writes.

        `fire` is given the source of every variable after the updates, and the local names of the choices.
        """
        level = self.level
        choices = {choice.name: python_name("c", choice.name, i) for i, choice in enumerate(action.choices)}
        bounds = [bound for choice in action.choices for bound in (choice.lower, choice.upper) if bound is not None]
        exprs = [*(clause.expr for clause in action.guard), *bounds, *action.updates.values()]
        emitter = self.emitter(exprs, {**self.old, **choices})
        waiting = [clause.expr for clause in action.guard]
        picked: set[str] = set()
        for choice in (None, *action.choices):
            if choice is not None:
                self._loop(emitter, action, choice, choices[choice.name])
                picked.add(choice.name)
            ready = [expr for expr in waiting if not (self._reads(expr) & choices.keys()) - picked]
            waiting = [expr for expr in waiting if not any(expr is other for other in ready)]
            self.require(emitter, ready)
        after = {**self.old, **{name: self.value(emitter, expr) for name, expr in action.updates.items()}}
        fire(after, tuple(choices.values()))
        self.level = level

    def _reads(self, expr: Any) -> frozenset[str]:
        return self.system.nodes.names(self.system.nodes.read(expr))

    def _loop(self, emitter: Emitter, action: Action, choice: Choice, local: str) -> None:
        if not isinstance(choice.domain, Real):
            members = choice.domain.members()
            source = f"range({members.start}, {members.stop})" if isinstance(members, range) else repr(tuple(members))
            self.line(f"for {local} in {source}:")
            return
        given = self.setting.bounds.get(choice.name)
        ends: list[str] = []
        for side, bound in enumerate((choice.lower, choice.upper)):
            if bound is not None:
                ends.append(self.value(emitter, bound))
            elif given is not None:
                name = f"b{side}_{local}"
                self.constants[name] = given[side]
                ends.append(name)
            else:
                raise unbounded(action.name, choice.name)
        self.line(f"for {local} in _span({ends[0]}, {ends[1]}):")


def search_source(system: System, properties: Sequence[Property], setting: Setting) -> Writer:
    """Source of `search(order, seen, limit)`.

    `order` holds the states found, the initial one to begin with, and grows; `seen` maps each to
    `parent * codes + code`: a position in `order` and the position of the action, time passing being the last code.
    It returns (outcome, times fired by code, states in which each antecedent held, first position of each witness);
    an outcome is ("done",), ("limit",), or ("violated" or "range", property, clause, parent, code, successor).
    """
    writer = Writer(system, setting)
    codes = len(system.actions) + (system.clock is not None)
    search = _Search(writer, properties, codes)
    writer.line("def search(order, seen, limit):")
    for name in [*search.fired, *search.reached]:
        writer.line(f"{name} = 0")
    for name in search.witness:
        writer.line(f"{name} = -1")
    writer.line("push = order.append")
    writer.line("parent = -1")
    writer.line("for state in order:")
    writer.line("if len(order) > limit:")
    search.finish('("limit",)')
    writer.level -= 1
    writer.line("parent += 1")
    writer.line(f"base = parent * {codes}")
    writer.unpack(writer.old.values(), "state")
    for k in range(len(properties)):
        search.judge(k)
    search.successors()
    writer.level = 1
    search.finish('("done",)')
    return writer


def find_source(system: System, action: Action, setting: Setting) -> Writer:
    """Source of `find(state, target)`: the choices with which the action leads there, or None."""
    writer = Writer(system, setting)
    writer.line("def find(state, target):")
    writer.unpack(writer.old.values(), "state")

    def fire(after: Mapping[str, str], choices: Sequence[str]) -> None:
        writer.line(f"if {_tuple(after.values())} == target:")
        writer.line(f"return {_tuple(choices)}")

    writer.action(action, fire)
    writer.line("return None")
    return writer


class _Search:
    """The parts of the search function."""

    def __init__(self, writer: Writer, properties: Sequence[Property], codes: int) -> None:
        self.writer = writer
        self.properties = properties
        self.fired = [f"f{code}" for code in range(codes)]
        self.reached = [f"r{k}" for k in range(len(properties))]
        self.witness = [f"w{k}" for k in range(len(properties))]

    def finish(self, outcome: str) -> None:
        """End the search with an outcome and the counts."""
        counts = ", ".join(_tuple(names) for names in (self.fired, self.reached, self.witness))
        self.writer.line(f"return ({outcome}, {counts})")

    def judge(self, k: int) -> None:
        """What property k says about one state."""
        writer, asked = self.writer, self.properties[k]
        level = writer.level
        antecedent = [] if asked.antecedent is None else [asked.antecedent]
        exprs = [*antecedent, *(clause.expr for clause in asked.clauses)]
        emitter = writer.emitter(exprs, writer.old)
        if asked.expectation == "never-changes":
            writer.line(f"a{k} = False")
        writer.require(emitter, antecedent)
        writer.line(f"r{k} += 1")
        if asked.expectation == "reachable":
            writer.line(f"if w{k} < 0:")
            writer.require(emitter, [clause.expr for clause in asked.clauses])
            writer.line(f"w{k} = parent")
        elif asked.expectation == "never-changes":
            writer.line(f"a{k} = True")
            for j, clause in enumerate(asked.clauses):
                writer.line(f"o{k}_{j} = {writer.value(emitter, clause.expr)}")
        else:
            for j, clause in enumerate(asked.clauses):
                writer.line(f"if not {writer.value(emitter, clause.expr)}:")
                self.finish(f'("violated", {k}, {j}, parent, -1, state)')
                writer.level -= 1
        writer.level = level

    def successors(self) -> None:
        """Every action, then time passing."""
        writer, system = self.writer, self.writer.system
        urgency = [clause.expr for clause in system.urgency]
        # No event happens at an instant that urgency forbids, exactly as the plain stepper has it.
        writer.require(writer.emitter(urgency, writer.old), urgency)
        level = writer.level
        for code, action in enumerate(system.actions):
            updated = tuple(action.updates)
            writer.action(action, lambda after, _, code=code, updated=updated: self._fire(code, after, updated))
        if system.clock is None:
            return
        old, new = writer.old[system.clock], writer.new[system.clock]
        writer.constants["unit"] = writer.setting.unit_ms
        writer.line(f"{new} = {old} + unit")
        if writer.setting.horizon_ms is not None:
            writer.constants["horizon"] = writer.setting.horizon_ms
            writer.line(f"if {new} <= horizon:")
        after = {**writer.old, system.clock: new}
        writer.require(writer.emitter(urgency, after), urgency)
        self._fire(len(system.actions), after, ())
        writer.level = level

    def _fire(self, code: int, after: Mapping[str, str], updated: Sequence[str]) -> None:
        writer = self.writer
        writer.line(f"f{code} += 1")
        writer.line(f"t = {_tuple(after.values())}")
        self._unchanged(code)
        writer.line("if t not in seen:")
        for i, variable in enumerate(writer.system.variables):
            domain = variable.domain
            if variable.name in updated and isinstance(domain, IntRange):
                writer.line(f"if not {domain.lo} <= t[{i}] <= {domain.hi}:")
                self.finish(f'("range", {i}, -1, parent, {code}, t)')
                writer.level -= 1
        writer.line(f"seen[t] = base + {code}" if code else "seen[t] = base")
        writer.line("push(t)")
        writer.level -= 1

    def _unchanged(self, code: int) -> None:
        """The properties that say what a step may not change."""
        writer = self.writer
        for k, asked in enumerate(self.properties):
            if asked.expectation != "never-changes":
                continue
            level = writer.level
            writer.line(f"if a{k}:")
            writer.unpack(writer.new.values(), "t")
            emitter = writer.emitter((clause.expr for clause in asked.clauses), writer.new)
            for j, clause in enumerate(asked.clauses):
                writer.line(f"if o{k}_{j} != {writer.value(emitter, clause.expr)}:")
                self.finish(f'("violated", {k}, {j}, parent, {code}, t)')
                writer.level -= 1
            writer.level = level


@attrs.frozen
class Span:
    """Every multiple of the unit between two numbers, both ends included."""

    unit_ms: Number

    def __call__(self, lower: Number, upper: Number) -> Iterable[Number]:
        """The multiples in order."""
        unit = self.unit_ms
        first, last = math.ceil(Fraction(lower) / unit), math.floor(Fraction(upper) / unit)
        if unit == 1:
            return range(first, last + 1)
        return [i * unit for i in range(first, last + 1)]


def _tuple(names: Iterable[str]) -> str:
    return "(" + "".join(name + ", " for name in names) + ")"
