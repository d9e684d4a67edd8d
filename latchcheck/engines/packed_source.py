"""Writes the functions that search packed states: one for Python, one for the machine, one that lists single steps.

All three come from the same blocks, so that they count alike: states are taken in the order in which they were found,
properties are judged when a state is taken, and then every action happens in the order of the system.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from math import floor
from typing import Any

import attrs

from latchcheck.kernel import Property, System

from .layout import Field, Layout
from .packed_actions import Actions, Blocks, Fired
from .packed_scope import Scope

ELAPSE = "elapse"
# How a stretch of the search ended.
GOING, VIOLATED, LIMIT, RANGE, FULL, DONE, COARSE = range(7)


@attrs.frozen
class Plan:
    """What is searched: a system, the properties, where each variable sits, and the symmetries to divide by.

    `canonical` writes a function that turns a state into the representative of those that look like it.
    """

    system: System
    properties: tuple[Property, ...]
    layout: Layout
    canonical: Callable[[Blocks], None] | None = None

    @property
    def codes(self) -> tuple[str, ...]:
        """What can happen, by position: the actions, and time passing."""
        names = tuple(action.name for action in self.system.actions)
        return names if self.system.clock is None else (*names, ELAPSE)


@attrs.frozen
class Source:
    """A generated function: its lines, what it reads from outside, and whether machine integers suffice for it."""

    lines: tuple[str, ...]
    constants: Mapping[str, Any]
    exact: bool


class Body(ABC):
    """Judging one state and writing its successors; the subclasses say what becomes of them."""

    split = False

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.blocks = Blocks(plan.system, plan.layout, split=self.split)
        self.blocks.coarse = self.coarse
        self.actions = Actions(self.blocks, self.fire, self.fail)

    def source(self) -> Source:
        """The function."""
        if self.plan.canonical is not None:
            self.plan.canonical(self.blocks)
        self.write()
        return Source(tuple(self.blocks.lines), self.blocks.constants, self.blocks.terms.exact)

    @abstractmethod
    def write(self) -> None:
        """The lines of the function."""

    @abstractmethod
    def fire(self, fired: Fired) -> None:
        """What happens with a successor."""

    @abstractmethod
    def fail(self, code: int, field: Field, source: str) -> None:
        """What happens where an update leaves its range."""

    @abstractmethod
    def coarse(self, divisor: int) -> Sequence[str]:
        """The lines that end the search where parts turn out to be too coarse."""

    def successors(self, scope: Scope) -> None:
        """Every action with all its choices, then time passing."""
        blocks, system = self.blocks, self.plan.system
        level = blocks.level
        # No event happens at an instant that urgency forbids, exactly as the plain stepper has it.
        urgency = [clause.expr for clause in system.urgency]
        if blocks.require(scope, urgency):
            for code, action in enumerate(system.actions):
                self.actions.write(code, action, scope)
            if system.clock is not None:
                self._elapse(system.clock, urgency)
        blocks.level = level

    def _elapse(self, clock: str, urgency: Sequence[Any]) -> None:
        blocks, grid = self.blocks, self.plan.layout.grid
        code, field, now = len(self.plan.system.actions), self.plan.layout.fields[clock], blocks.terms.local()
        blocks.line(f"{now} = {blocks.sources[clock]} + {grid.scaled(grid.unit_ms)}")
        if grid.horizon_ms is not None:
            blocks.line(f"if {now} <= {floor(grid.horizon_ms * grid.parts)}:")
        # Nothing may be left to write where urgency never lets time pass.
        blocks.line("pass")
        if blocks.require(blocks.known({**blocks.sources, clock: now}), urgency):
            kept = self.actions.checked(code, field, now)
            self.fire(Fired(code, (), blocks.after({clock: f"({kept} - {field.lo})"}), frozenset((clock,))))

    def count(self, what: str, index: int) -> str:
        """The source of a counter."""
        return f"{what}[{index}]"

    def unpack(self, *, judging: bool = True) -> Scope:
        """Put what guards, updates and properties read into locals."""
        wanted = self.blocks.read_by_actions()
        for asked in self.plan.properties if judging else ():
            antecedent = () if asked.antecedent is None else (asked.antecedent,)
            for expr in (*antecedent, *(clause.expr for clause in asked.clauses)):
                wanted |= self.blocks.reads(expr)
        return self.blocks.unpack(wanted)

    def judge(self, k: int, scope: Scope) -> None:
        """What property k says about the state at hand."""
        blocks, asked = self.blocks, self.plan.properties[k]
        level, scope = blocks.level, scope.inner()
        changing = asked.expectation == "never-changes"
        if changing:
            blocks.line(f"a{k} = False")
            for j in range(len(asked.clauses)):
                blocks.line(f"o{k}_{j} = False")
        if blocks.require(scope, () if asked.antecedent is None else (asked.antecedent,)):
            blocks.line(f"{self.count('reached', k)} += 1")
            if changing:
                blocks.line(f"a{k} = True")
                for j, clause in enumerate(asked.clauses):
                    blocks.line(f"o{k}_{j} = {blocks.values(scope, [clause.expr])[0]}")
            elif asked.expectation == "reachable":
                blocks.line(f"if found[{k}] < 0:")
                if blocks.require(scope, [clause.expr for clause in asked.clauses]):
                    blocks.line(f"found[{k}] = at")
                else:
                    blocks.line("pass")
            elif asked.expectation == "always":
                for j, clause in enumerate(asked.clauses):
                    self._broken(k, j, f"not {blocks.values(scope, [clause.expr])[0]}", ())
        blocks.level = level

    def changed(self, fired: Fired) -> None:
        """What the properties say that a step may not change; the state after it is in t0, t1, ..."""
        blocks = self.blocks
        for k, asked in enumerate(self.plan.properties):
            if asked.expectation != "never-changes":
                continue
            level = blocks.level
            touched = [
                (j, clause.expr) for j, clause in enumerate(asked.clauses) if blocks.reads(clause.expr) & fired.changed
            ]
            if touched:
                blocks.line(f"if a{k}:")
            for j, expr in touched:
                after = blocks.known({name: blocks.field(name, "t") for name in blocks.reads(expr)})
                words = [f"t{word}" for word in range(blocks.words)]
                self._broken(k, j, f"o{k}_{j} != {blocks.values(after, [expr])[0]}", words)
            blocks.level = level

    def _broken(self, k: int, j: int, when: str, words: Sequence[str]) -> None:
        blocks, level = self.blocks, self.blocks.level
        blocks.line(f"if {when}:")
        blocks.line(f"if found[{k}] < 0:")
        blocks.line(f"found[{k}] = at")
        blocks.line(f"broken[{k}] = {j}")
        for word, source in enumerate(words):
            blocks.line(f"edges[{k * blocks.words + word}] = {source}")
        blocks.line("hit = True")
        blocks.level = level

    def after(self, fired: Fired) -> None:
        """Put the successor into t0, t1, ...; judge the step; make it canonical."""
        blocks = self.blocks
        for word, source in enumerate(fired.after):
            blocks.line(f"t{word} = {source}")
        self.changed(fired)
        if self.plan.canonical is not None:
            names = ", ".join(f"t{word}" for word in range(blocks.words))
            blocks.line(f"{names} = canonical({names})")


class PythonSearch(Body):
    """Source of `search(order, seen, ends, fired, reached, found, broken, edges, start, stop, limit, first)`.

    It takes the states from `start` up to `stop` and returns (how it ended, the next state to take, detail).
    `ends` holds for each state that was taken how many there were after it, which tells what each was found from.
    """

    def write(self) -> None:
        """The lines of the function."""
        blocks, codes = self.blocks, len(self.plan.codes)
        asked = range(len(self.plan.properties))
        names = "order, seen, ends, fired, reached, found, broken, edges, start, stop, limit, first"
        blocks.line(f"def search({names}):")
        counters = [*(f"fired_{c}" for c in range(codes)), *(f"reached_{k}" for k in asked)]
        if codes:
            blocks.line(f"({''.join(f'fired_{c}, ' for c in range(codes))}) = fired")
        if asked:
            blocks.line(f"({''.join(f'reached_{k}, ' for k in asked)}) = reached")
        self._ending = f"fired[:] = ({''.join(f'{n}, ' for n in counters[:codes])})"
        self._counts = f"reached[:] = ({''.join(f'{n}, ' for n in counters[codes:])})"
        blocks.line("push, know, end = order.append, seen.add, ends.append")
        blocks.line("hit = False")
        blocks.line("for at in range(start, stop):")
        blocks.line("s0 = order[at]")
        scope = self.unpack()
        for k in asked:
            self.judge(k, scope)
        blocks.line("if hit and first:")
        self.finish(VIOLATED, "at", "None")
        blocks.level -= 1
        self.successors(scope)
        blocks.line("if hit and first:")
        self.finish(VIOLATED, "at + 1", "None")
        blocks.level -= 1
        blocks.line("end(len(order))")
        blocks.level = 1
        self.finish(GOING, "stop", "None")

    def count(self, what: str, index: int) -> str:
        """Counters live in locals, which Python reads fastest."""
        return f"{what}_{index}"

    def finish(self, how: int, at: str, detail: str) -> None:
        """Return after the counters are written back."""
        self.blocks.line(self._ending)
        self.blocks.line(self._counts)
        self.blocks.line(f"return ({how}, {at}, {detail})")

    def coarse(self, divisor: int) -> Sequence[str]:
        """End the search: it will begin again with finer parts."""
        return (f"return ({COARSE}, at, {divisor})",)

    def fail(self, code: int, field: Field, source: str) -> None:
        """End the search at a value outside its range."""
        self.finish(RANGE, "at", f"({code}, {field.variable.name!r}, {source})")

    def fire(self, fired: Fired) -> None:
        """Count the step and keep a state not seen before."""
        blocks, level = self.blocks, self.blocks.level
        blocks.line(f"fired_{fired.code} += 1")
        self.after(fired)
        blocks.line("if t0 not in seen:")
        blocks.line("if len(order) >= limit:")
        self.finish(LIMIT, "at", "None")
        blocks.level -= 1
        blocks.line("know(t0)")
        blocks.line("push(t0)")
        blocks.level = level


class Steps(Body):
    """Source of the generator `steps(s0)`: for each step (position of the action, choices, state after it).

    The choices are numbers, an Enum's value its position; the state is the real one, never a representative.
    """

    def write(self) -> None:
        """The lines of the function."""
        self.blocks.line("def steps(s0):")
        scope = self.unpack(judging=False)
        self.successors(scope)
        self.blocks.line("return")
        self.blocks.line("yield")

    def fire(self, fired: Fired) -> None:
        """Hand over one step."""
        picked = "".join(f"{source}, " for source in fired.picked)
        self.blocks.line(f"yield {fired.code}, ({picked}), {fired.after[0]}")

    def coarse(self, divisor: int) -> Sequence[str]:
        """Parts that are too coarse are the search's to find."""
        return (f"raise ValueError('a number is no multiple of a part, nor of one {divisor} times as fine')",)

    def fail(self, code: int, field: Field, source: str) -> None:
        """A value outside its range is the search's to report."""
        self.blocks.line(f"raise ValueError('code {code} takes {field.variable.name} out of its range', {source})")
