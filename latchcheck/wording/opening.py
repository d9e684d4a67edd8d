"""A proof at the numbers of one configuration, made again with the numbers left open.

The lemmas of the proof are taken as patterns: each number in one is spelled as a sum of the numbers of a configuration
that comes to the same there.
What of the order of these numbers the proof then needs is the condition; what it does not need is dropped, one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from itertools import product as combined
from typing import Any

import attrs
import z3

from latchcheck.engines.obligations import decided, prove
from latchcheck.kernel import ModelError, System

from .files import Reading
from .language import Number, Prop, Sentence
from .lemmas import RLIMIT, after, domains, picked, proof, start_of
from .moments import dense
from .proving import Induction
from .separating import Watched, watch
from .words import Opened, World

SPELLINGS_MAX = 12
"""How many sums are tried for a number of a lemma: the simplest ones."""
PARTS_MAX = 3
POOL_MAX = 400


@attrs.frozen(eq=False)
class Side:
    """A sum of numbers: its words, the expression, what it comes to as configured, and which numbers are in it."""

    text: str
    term: Any
    value: Fraction
    names: frozenset[str] = frozenset()

    def plus(self, other: Side, count: int = 1) -> Side:
        """Both together, the other so many times."""
        text = f"{self.text} + {f'{count} * ' if count > 1 else ''}{other.text}"
        return Side(text, self.term + count * other.term, self.value + count * other.value, self.names | other.names)


@attrs.frozen(eq=False)
class Condition:
    """What is asked of the numbers: one sum is less than another, or at most as much."""

    left: Side
    right: Side
    strict: bool

    @classmethod
    def of(cls, left: Side, right: Side) -> Condition:
        """How two sums compare as configured, the first being the smaller."""
        return cls(left, right, left.value < right.value)

    @property
    def expr(self) -> Any:
        """The condition over the parameters."""
        return self.left.term < self.right.term if self.strict else self.left.term <= self.right.term

    def __str__(self) -> str:
        return f"{self.left.text} {'<' if self.strict else '<='} {self.right.text}"


@attrs.frozen(eq=False)
class General:
    """A proof for every configuration of the same modes in which the conditions hold.

    `fixed` are the numbers that are as configured in all of them, in words.
    """

    opened: Opened
    conditions: tuple[Condition, ...]
    fixed: tuple[str, ...]
    lemmas: tuple[Any, ...]


def general(
    world: World, readings: Sequence[Reading], harm: Callable[[Watched], Any], found: Induction
) -> General | None:
    """What a proof at the numbers of a world shows of other numbers; None where nothing more is shown."""
    for opened in world.opened() if world.opened is not None else ():
        try:
            watched = watch(opened.world, readings, dense(opened.world))
        except ModelError:
            continue  # what a sentence says of the first moment depends on the numbers
        goal = z3.simplify(z3.Not(harm(watched)))
        literals = sorted({value for one in readings for value in _written(one.sentence)})
        made = _Opening(watched.system, opened, goal, found, literals).run()
        if made is not None:
            return made
    return None


def _written(sentence: Sentence) -> Iterator[int]:
    """The milliseconds that are written out in a sentence."""
    if sentence.bound is not None and sentence.bound.timed:
        yield sentence.bound.value
    for _, prop in sentence.props:
        yield from _numbers(prop)


def _numbers(prop: Prop) -> Iterator[int]:
    for field in attrs.fields(type(prop)):
        value = getattr(prop, field.name)
        for part in value if isinstance(value, tuple) else (value,):
            inner = part[1] if isinstance(part, tuple) else part
            if isinstance(inner, Number):
                if inner.timed:
                    yield inner.value
            elif attrs.has(type(inner)):
                yield from _numbers(inner)


@attrs.define(eq=False)
class _Opening:
    """One attempt, over one way to leave the numbers open."""

    system: System
    opened: Opened
    goal: Any
    found: Induction
    literals: Sequence[int]

    def run(self) -> General | None:
        """The proof with as few conditions as one by one can be dropped; None where none is found."""
        for conditions in ((), self._orders(0), self._orders(1)):
            given = [*self.opened.assumed, *(one.expr for one in conditions)]
            pool = [one for one in self._pool() if self._true_at_start(one, given)]
            if not self._true_at_start(self.goal, given):
                return None
            lemmas = proof(self.system, self.goal, pool, given)
            if lemmas is not None:
                kept = self._needed(lemmas, conditions)
                return General(self.opened, kept, self.opened.fixed, tuple(lemmas))
        return None

    def _true_at_start(self, expr: Any, given: Sequence[Any]) -> bool:
        start = start_of(self.system, expr)
        return z3.is_true(start) or (not z3.is_false(start) and prove("at the start", given, start).proved)

    # -- lemmas -----------------------------------------------------------------------------------------------

    def _pool(self) -> list[Any]:
        """The lemmas of the proof at hand, each number in them spelled in several ways."""
        found: dict[int, Any] = {}
        for lemma in self.found.lemmas[1:]:
            for one in self._spelled(lemma):
                found.setdefault(one.get_id(), one)
        return list(found.values())[:POOL_MAX]

    def _spelled(self, lemma: Any) -> Iterator[Any]:
        numbers = {one.get_id(): one for one in _rationals(lemma)}
        ways = [
            [(number, term) for term in self._terms(number.as_fraction())] or [(number, number)]
            for number in numbers.values()
        ]
        for pairs in combined(*ways):
            yield z3.substitute(lemma, *pairs) if pairs else lemma

    def _terms(self, value: Fraction) -> list[Any]:
        """The simplest sums that come to a value at these numbers, the number itself where nothing does."""
        sums = sorted(self._sums().get(value, ()), key=lambda one: one[0])
        return [term for _, term in sums[:SPELLINGS_MAX]]

    def _sums(self) -> Mapping[Fraction, list[tuple[int, Any]]]:
        if "sums" not in self.opened.world.cache:
            values = self.opened.values
            found: dict[Fraction, list[tuple[int, Any]]] = {Fraction(0): [(0, z3.RealVal(0))]}
            for number in self.literals:
                found.setdefault(Fraction(number), []).append((1, z3.RealVal(number)))
            for size in range(1, PARTS_MAX + 1):
                for names in combinations(values, size):
                    for factors in combined((1, 2, -1, -2), repeat=size):
                        if size == PARTS_MAX and any(abs(one) > 1 for one in factors[1:]):
                            continue
                        total = sum((f * values[name] for f, name in zip(factors, names, strict=True)), Fraction(0))
                        weight = sum(map(abs, factors)) + size + sum(factor < 0 for factor in factors)
                        term = z3.Sum([f * self.system.parameters[n] for f, n in zip(factors, names, strict=True)])
                        found.setdefault(total, []).append((weight, term))
            self.opened.world.cache["sums"] = found
        return self.opened.world.cache["sums"]

    # -- conditions -------------------------------------------------------------------------------------------

    def _orders(self, more: int) -> tuple[Condition, ...]:
        """How numbers compare at this configuration; with `more` also sums of two, and twice one."""
        single = [self._side(name) for name in self.opened.values]
        factors = self._factors()
        single += [self._side(name, factor) for name in self.opened.values for factor in factors]
        single += [Side(f"{number}ms", z3.RealVal(number), Fraction(number)) for number in self.literals]
        zero = Side("0ms", z3.RealVal(0), Fraction(0))
        sums = self._two() if more else []
        pairs = [*combined(single, [*single, zero]), *combined(sums, single), *combined(single, sums)]
        return tuple(
            Condition.of(one, other) for one, other in pairs if not one.names & other.names and one.value <= other.value
        )

    def _side(self, name: str, factor: Fraction | None = None) -> Side:
        value, term, text = self.opened.values[name], self.system.parameters[name], self.opened.names[name]
        if factor is None:
            return Side(text, term, value, frozenset((name,)))
        return Side(f"{factor} * {text}", _real(factor) * term, factor * value, frozenset((name,)))

    def _two(self) -> list[Side]:
        """Two numbers together, or one and twice what comes on top of it."""
        small = [self._side(name) for name in self.opened.values if name in self.opened.small]
        big = [self._side(name) for name in self.opened.values if name not in self.opened.small]
        found = [one.plus(other, count) for one in [*big, *small] for other in small for count in (1, 2)]
        found += [one.plus(other) for one, other in combinations(big, 2)]
        return found

    def _factors(self) -> list[Fraction]:
        """What the model multiplies a delay by: jitter, and how delays grow."""
        if "factors" not in self.opened.world.cache:
            actions = self.system.actions
            exprs = [expr for action in actions for expr in (*action.updates.values(), *(c.expr for c in action.guard))]
            found = set(_multipliers(exprs))
            self.opened.world.cache["factors"] = sorted(found - {Fraction(0), Fraction(1), Fraction(-1)})
        return self.opened.world.cache["factors"]

    def _needed(self, lemmas: Sequence[Any], conditions: Sequence[Condition]) -> tuple[Condition, ...]:
        """The conditions that are left once each was tried to be dropped, and then to be weakened."""
        used = {str(one): one for core in self._cores(lemmas, conditions) for one in core}
        kept = self._fewer(lemmas, sorted(used.values(), key=lambda one: -len(str(one))))
        for at in range(len(kept)):
            for weaker in self._weaker(kept[at]):
                others = [*kept[:at], *kept[at + 1 :]]
                changed = [*kept[:at], weaker, *kept[at + 1 :]]
                if not self._says_same(kept[at], weaker, others) and self._all_kept(lemmas, changed):
                    kept = changed
                    break
        return tuple(sorted(self._fewer(lemmas, kept), key=str))

    def _says_same(self, one: Condition, weaker: Condition, others: Sequence[Condition]) -> bool:
        """Whether nothing is gained by the weaker condition beside the others."""
        given = [*self.opened.assumed, *(other.expr for other in others), weaker.expr]
        return prove("no weaker", given, one.expr).proved

    def _fewer(self, lemmas: Sequence[Any], conditions: list[Condition]) -> list[Condition]:
        for one in list(conditions):
            fewer = [other for other in conditions if other is not one]
            if self._all_kept(lemmas, fewer):
                conditions = fewer
        return conditions

    def _weaker(self, one: Condition) -> Iterator[Condition]:
        """Conditions that ask for less, the weakest first."""
        for name in self.opened.small:
            if name not in one.left.names | one.right.names and not name.endswith("_lo"):
                for count in (2, 1):
                    right = one.right.plus(self._side(name), count)
                    yield from (Condition(one.left, right, strict) for strict in (False, True))
        if one.strict:
            yield Condition(one.left, one.right, strict=False)

    def _obligations(self, lemmas: Sequence[Any]) -> Iterator[tuple[list[Any], Any]]:
        """What must follow from what: each lemma at the start, and after each step from what all lemmas allow."""
        for lemma in lemmas:
            yield [], start_of(self.system, lemma)
            for action in self.system.actions:
                later = after(self.system, action, lemma)
                if not later.eq(lemma):
                    guard = [clause.expr for clause in action.guard]
                    yield [*lemmas, *domains(self.system), *guard, *picked(action)], later

    def _cores(self, lemmas: Sequence[Any], conditions: Sequence[Condition]) -> Iterator[list[Condition]]:
        for premises, wanted in self._obligations(lemmas):
            solver = z3.Solver()
            solver.set("rlimit", RLIMIT)
            solver.add(*self.opened.assumed, *premises, z3.Not(wanted))
            for at, one in enumerate(conditions):
                solver.assert_and_track(one.expr, f"condition {at}")
            if decided(solver) == z3.unsat:
                core = {str(one) for one in solver.unsat_core()}
                yield [one for at, one in enumerate(conditions) if f"condition {at}" in core]
            else:
                yield list(conditions)

    def _all_kept(self, lemmas: Sequence[Any], conditions: Sequence[Condition]) -> bool:
        given = [*self.opened.assumed, *(one.expr for one in conditions)]
        return all(
            prove("kept", [*given, *premises], wanted, rlimit=RLIMIT).proved
            for premises, wanted in self._obligations(lemmas)
        )


def _real(value: Fraction) -> Any:
    return z3.RealVal(str(value))


def _multipliers(exprs: Sequence[Any]) -> Iterator[Fraction]:
    """The numbers that something is multiplied by, in some expressions."""
    seen: set[int] = set()
    waiting = [*exprs]
    while waiting:
        one = waiting.pop()
        if one.get_id() in seen:
            continue
        seen.add(one.get_id())
        if z3.is_mul(one):
            yield from (part.as_fraction() for part in one.children() if z3.is_rational_value(part))
        waiting += one.children()


def _rationals(expr: Any) -> Iterator[Any]:
    if z3.is_rational_value(expr):
        yield expr
    for child in expr.children():
        yield from _rationals(child)
