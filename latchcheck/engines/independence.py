"""Which steps of a system get in each other's way, read off their guards and updates.

A *step* is an action with its small choices made, as the searches write it out. What it reads are the variables of its
guard and of its new values, what it writes are the variables that it may change.

- Two steps *clash* if they can be possible at once and one writes what the other reads or writes.
- A step *enables* another by a clause of the other's guard if it writes what the clause reads, unless what it writes
  is known and makes the clause false.
- A step is *seen* if it writes a variable that a property reads.
- A *party* are steps that clash with or enable one another, directly or through others: nothing outside ever gets in
  the way of one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from math import prod
from operator import or_
from typing import Any

import attrs
import z3

from latchcheck.kernel import IntRange, Real, System, Variable
from latchcheck.kernel.compiling import define
from latchcheck.kernel.nodes import Nodes
from latchcheck.kernel.substitution import Substitution

from .layout import Coarse, Field
from .packed_actions import Blocks, Fired
from .packed_source import Plan, Steps

# A domain with more values than this is not tried value by value.
VALUES_MAX = 64


class Outside(Exception):
    """An update leaves the range of its variable: the position of the action, the variable, the value."""


class Numbered(Steps):
    """Source of the generator `steps(s0)`: for each step (number of the step, position of the action, state after)."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.fired: list[Fired] = []
        self.blocks.constants |= {"Outside": Outside, "Coarse": Coarse}

    def coarse(self, divisor: int) -> Sequence[str]:
        """Begin again with finer parts."""
        return _too_coarse(divisor)

    def fail(self, code: int, field: Field, source: str) -> None:
        """End the search at a value outside its range."""
        self.blocks.line(f"raise Outside({code}, {field.variable.name!r}, {source})")

    def fire(self, fired: Fired) -> None:
        """Hand over one step."""
        self.blocks.line(f"yield {len(self.fired)}, {fired.code}, {fired.after[0]}")
        self.fired.append(fired)


@attrs.frozen
class Relations:
    """What is known of the steps of a plan, by number; sets of steps are bits of an int.

    `clashes` holds for each step those that it clashes with, itself included; `seen` those that a property sees.
    `clauses` holds for each step the numbers of its guard's clauses in `truths`, with the steps that enable it by each;
    `unclear` the steps that enable it by clauses which read a choice that is not written out.
    `truths` gives for a state which clauses hold, as bits.
    `parties` are sets of steps, those with the most values in their variables first: a party that is let go on to its
    ends is followed, in each of its ends, by all that the next one does, and the small one should be repeated.
    """

    steps: Callable[[int], Any]
    count: int
    clashes: tuple[int, ...]
    seen: int
    clauses: tuple[tuple[tuple[int, int], ...], ...]
    unclear: tuple[int, ...]
    truths: Callable[[int], int]
    parties: tuple[int, ...]

    @classmethod
    def of(cls, plan: Plan) -> Relations:
        """Read the steps of a plan."""
        body = Numbered(plan)
        source = body.source()
        reader = _Reader(plan.system)
        steps = [reader.step(fired) for fired in body.fired]
        asked = {
            name
            for one in plan.properties
            for expr in (*(() if one.antecedent is None else (one.antecedent,)), *(c.expr for c in one.clauses))
            for name in reader.reads(expr)
        }
        clashes = tuple(
            sum(1 << j for j, other in enumerate(steps) if i == j or _clash(one, other)) for i, one in enumerate(steps)
        )
        enabling = [reader.enabling(step, steps) for step in steps]
        near = [
            clashing | unclear | reduce(or_, (able for _, able in clauses), 0)
            for clashing, (clauses, unclear) in zip(clashes, enabling, strict=True)
        ]
        return cls(
            define("steps", source.lines, source.constants),
            len(steps),
            clashes,
            sum(1 << i for i, step in enumerate(steps) if step.writes & asked),
            tuple(clauses for clauses, _ in enabling),
            tuple(unclear for _, unclear in enabling),
            _truths(plan, reader.clauses),
            _parties(plan, steps, near),
        )


@attrs.frozen
class _Step:
    """One step: what it reads and writes, its guard, known new values, and the values each variable may have before."""

    reads: frozenset[str]
    writes: frozenset[str]
    guard: tuple[Any, ...]
    puts: Mapping[str, Any]
    needs: Mapping[str, frozenset[int]]


class _Reader:
    """Reads expressions over the variables of one system."""

    def __init__(self, system: System) -> None:
        self._variables: Mapping[str, Variable] = {variable.name: variable for variable in system.variables}
        self._nodes = Nodes()
        self._allowed: dict[int, frozenset[int] | None] = {}
        self._numbers: dict[int, int] = {}
        self.clauses: list[Any] = []

    def reads(self, expr: Any) -> frozenset[str]:
        """The variables in an expression."""
        return self._nodes.names(self._nodes.read(expr)) & self._variables.keys()

    def step(self, fired: Fired) -> _Step:
        """What one step reads, writes and needs."""
        reads = [self.reads(expr) for expr in (*fired.guard, *fired.updates.values())]
        needs: dict[str, frozenset[int]] = {}
        for expr in fired.guard:
            allowed = self._values(expr)
            if allowed is not None:
                (name,) = self.reads(expr)
                needs[name] = needs.get(name, allowed) & allowed
        return _Step(frozenset().union(*reads), fired.changed, fired.guard, fired.updates, needs)

    def _values(self, expr: Any) -> frozenset[int] | None:
        """The positions of the values for which a clause about one variable with few values holds; else None."""
        key = self._nodes.read(expr)
        if key not in self._allowed:
            names = self._nodes.names(key)
            self._allowed[key] = None
            if len(names) == 1 and names <= self._variables.keys():
                (name,) = names
                members = _members(self._variables[name])
                if members is not None:
                    term = self._variables[name].term
                    self._allowed[key] = frozenset(
                        at for at, value in enumerate(members) if z3.is_true(Substitution({term: value})(expr))
                    )
        return self._allowed[key]

    def enabling(self, step: _Step, steps: Sequence[_Step]) -> tuple[tuple[tuple[int, int], ...], int]:
        """The clauses of a guard with the steps that may make each true, and those for clauses with open choices."""
        found, unclear = [], 0
        for expr in step.guard:
            read = self.reads(expr)
            able = sum(1 << j for j, other in enumerate(steps) if other.writes & read and self._may(other, expr))
            if self._nodes.names(self._nodes.read(expr)) <= self._variables.keys():
                found.append((self._number(expr), able))
            else:
                unclear |= able
        return tuple(found), unclear

    def _may(self, step: _Step, expr: Any) -> bool:
        """Whether a step may make a clause true."""
        allowed = self._values(expr)
        if allowed is None:
            return True
        (name,) = self.reads(expr)
        members = _members(self._variables[name])
        put = step.puts[name]
        if members is None or self._nodes.names(self._nodes.read(put)):
            return True
        literals = [self._variables[name].domain.literal(value) for value in members]
        known = [at for at, literal in enumerate(literals) if z3.is_true(z3.simplify(literal == put))]
        return not known or known[0] in allowed

    def _number(self, expr: Any) -> int:
        key = self._nodes.read(expr)
        if key not in self._numbers:
            self._numbers[key] = len(self.clauses)
            self.clauses.append(expr)
        return self._numbers[key]


def _members(variable: Variable) -> tuple[Any, ...] | None:
    """The values of a variable, if they are few."""
    domain = variable.domain
    if isinstance(domain, Real) or (isinstance(domain, IntRange) and domain.hi - domain.lo >= VALUES_MAX):
        return None
    members = tuple(domain.members())
    return members if len(members) <= VALUES_MAX else None


def _clash(one: _Step, other: _Step) -> bool:
    if not (one.writes & (other.reads | other.writes) or other.writes & one.reads):
        return False
    return all(one.needs[name] & other.needs[name] for name in one.needs.keys() & other.needs.keys())


def _parties(plan: Plan, steps: Sequence[_Step], near: Sequence[int]) -> tuple[int, ...]:
    """The steps by what they meet, where `near` holds for each step those that it clashes with or is enabled by."""
    found: list[int] = []
    for at, met in enumerate(near):
        joined = [one for one in found if one & (met | 1 << at)]
        found = [one for one in found if one not in joined]
        found.append(reduce(or_, joined, met | 1 << at))

    def room(party: int) -> int:
        names = {name for at, step in enumerate(steps) if party >> at & 1 for name in step.writes}
        return prod(plan.layout.fields[name].hi - plan.layout.fields[name].lo + 1 for name in names)

    return tuple(sorted(found, key=room, reverse=True))


def _too_coarse(divisor: int) -> Sequence[str]:
    return (f"raise Coarse({divisor})",)


def _truths(plan: Plan, clauses: Sequence[Any]) -> Callable[[int], int]:
    """A function from a state to the clauses that hold in it, as bits."""
    blocks = Blocks(plan.system, plan.layout, split=False)
    blocks.constants["Coarse"] = Coarse
    blocks.coarse = _too_coarse
    blocks.line("def truths(s0):")
    scope = blocks.unpack({name for expr in clauses for name in blocks.reads(expr)})
    blocks.line("found = 0")
    for at, source in enumerate(blocks.values(scope, clauses)):
        blocks.line(f"if {source}:")
        blocks.line(f"found |= {1 << at}")
        blocks.level -= 1
    blocks.line("return found")
    return define("truths", blocks.lines, blocks.constants)
