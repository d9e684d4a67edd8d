"""Partial-order reduction: where steps of different parties do not meet, one order of them is searched and not all.

Depth first. Of the steps that are possible in a state only some are taken, if these meet four conditions:

1. There is one, where any step is possible at all.
2. *Nothing outside gets in their way.* With a step that is possible, every step that clashes with it belongs to the
   set; with one that is not, every step that may make true one clause that keeps it back. So whatever the rest does,
   the steps taken stay possible and lead to the same states before and after it.
3. *No property sees them:* none writes a variable that a property reads.
4. *None is put off for ever:* one of them leads to a state that is not on the way from the start to this one; then on
   every loop that nothing leaves some state had all its steps taken.

Where no set does, all steps are taken. Kept are then all that a property can see of any run, each change of what it
reads in its order, and the possibility of every action; lengths of runs and the numbers of states and steps are not.
What is asked of runs that go on for ever would need a stronger fourth condition, so leads-to is refused.

Conditions and their proofs: D. Peled, "Combining partial order reductions with on-the-fly model-checking" (CAV 1994);
A. Valmari, "Stubborn sets for reduced state space generation" (1989), whose sets these are; the fourth as in
G. Holzmann and D. Peled, "An improvement in formal verification" (1994), in its form for safety.
With symmetry the same is done on representatives: E. Emerson, S. Jha, D. Peled, "Combining partial order and symmetry
reductions" (TACAS 1997).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import attrs

from latchcheck.kernel import ModelError, Property, System
from latchcheck.kernel.doing import doing

from .exploration import Progress, Stopped
from .independence import Relations
from .packed_runs import Runs, judgements
from .packed_search import Tally
from .packed_set import PackedSet
from .packed_source import Plan

# What a state costs in a set of ints, measured; so many are kept that way, which is quickest, and more in arrays.
SET_BYTES = 100
SET_MAX = 300_000
# What a state on the way to the present one costs in Python beside its place among the known ones: its int, a list and
# a set that hold it, the list of steps still to be taken; measured.
WAY_BYTES = 230
PROGRESS_SECONDS = 0.5
KNOWN_MAX = 50_000
_LOOK_EVERY = 1 << 10


def check_reduction(system: System, properties: Sequence[Property]) -> None:
    """ModelError where a reduction would not keep what is asked."""
    if system.clock is not None:
        raise ModelError(
            f"a reduction is for systems without a clock; {system.name!r} has one, and time passing gets in the way of "
            "every other step: search without reduction"
        )
    for asked in properties:
        if asked.expectation == "leads-to":
            raise ModelError(
                f"property {asked.id!r} is a leads-to: a reduction may put steps off for ever on a loop that such a "
                "property looks at; search without reduction"
            )


class Ample:
    """Chooses the steps to take, by number as bits of an int; what was worked out for the same clauses is kept."""

    def __init__(self, relations: Relations) -> None:
        self._relations = relations
        self._known: dict[tuple[int, int], tuple[int, ...]] = {}

    def sets(self, possible: int, state: int) -> tuple[int, ...]:
        """Sets of possible steps that meet the first three conditions, in the order to try them; none is the whole."""
        truths = self._relations.truths(state)
        key = possible, truths
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= KNOWN_MAX:
                self._known.clear()
            found = self._known[key] = self._worked_out(possible, truths)
        return found

    def _worked_out(self, possible: int, truths: int) -> tuple[int, ...]:
        found: set[int] = set()
        # A set holds its first step, so one that is seen begins none.
        for seed in bits(possible & ~self._relations.seen):
            taken = self._closed(seed, possible, truths)
            if taken is not None:
                found.add(taken)
        least = [one for one in found if not any(other != one and other & one == other for other in found)]
        least.sort(key=lambda one: one & -one)
        # The same party goes on as long as it can: changing between parties leaves more states than small sets save.
        # Where all its small sets lead back, its steps together may still not.
        sets: dict[int, None] = {}
        for party in self._relations.parties:
            sets.update(dict.fromkeys(one for one in least if not one & ~party))
            whole = possible & party
            if whole and whole != possible and not whole & self._relations.seen:
                sets[whole] = None
        return tuple(sets)

    def _closed(self, seed: int, possible: int, truths: int) -> int | None:
        """The possible steps of a set that has a step and meets the second condition, if it meets the third.

        For each step kept back one of the clauses that do so is chosen.
        """
        relations = self._relations
        seen = possible & relations.seen
        every = waiting = 1 << seed
        while waiting:
            lowest = waiting & -waiting
            step = lowest.bit_length() - 1
            waiting ^= lowest
            more = relations.clashes[step] if possible & lowest else self._enabling(step, every, truths)
            waiting |= more & ~every
            every |= more
            if every & seen or every & possible == possible:
                return None
        return every & possible

    def _enabling(self, step: int, every: int, truths: int) -> int:
        relations = self._relations
        able = [steps for clause, steps in relations.clauses[step] if not truths >> clause & 1]
        if not able:  # only clauses with open choices keep it back
            return relations.unclear[step]
        return min(able, key=lambda steps: (steps & ~every).bit_count())


@attrs.frozen
class Reduced:
    """What a reduced search found: counts, and for each property that showed something the states that lead there."""

    states: int
    depth: int
    tally: Tally
    stopped: Stopped | None
    paths: dict[int, tuple[list[int], int | None]]


class ReducedSearch:
    """The search: states are numbered as they are found, and the way to the present one is a stack."""

    def __init__(self, plan: Plan, runs: Runs, limits: tuple[int, int], *, first: bool) -> None:
        """`limits` are those on states and on bytes."""
        self.plan, self.runs = plan, runs
        self._relations = Relations.of(plan)
        self._ample = Ample(self._relations)
        self._judge = judgements(plan)
        self._limit, self._bytes = limits
        self._first = first
        self.tally = Tally.empty(plan)
        self.paths: dict[int, tuple[list[int], int | None]] = {}
        self.known: set[int] | PackedSet = set()
        self.began = self.told = time.perf_counter()
        self.depth = 0
        # States on the way from the start, with the steps that are still to be taken from each.
        self._way: list[int] = []
        self._on_way: set[int] = set()
        self._rest: list[Iterator[int]] = []

    @property
    def bytes_used(self) -> int:
        """The states, an estimate where they are in a set, and an estimate for the way."""
        known = self.known
        kept = known.bytes_used if isinstance(known, PackedSet) else SET_BYTES * len(known)
        return kept + WAY_BYTES * len(self._way)

    @property
    def waiting(self) -> int:
        """The states whose steps were not all taken yet."""
        return len(self._way)

    def search(self, start: int, tell: Callable[[Progress], None] | None) -> Reduced:
        """Search to the end, or to what ends it before; `tell` is called about twice a second."""
        stopped: Stopped | None = None
        try:
            with doing("searching", unit="states", done=lambda: len(self.known)):
                stopped = self._run(start, tell)
        except KeyboardInterrupt:
            stopped = "interrupt"
        except MemoryError:
            stopped = "no-memory"
        return Reduced(len(self.known), self.depth, self.tally, stopped, self.paths)

    def _run(self, start: int, tell: Callable[[Progress], None] | None) -> Stopped | None:
        if self._enter(start):
            return "violation"
        looks = 0
        while self._way:
            after = next(self._rest[-1], None)
            if after is None:
                self._on_way.discard(self._way.pop())
                self._rest.pop()
                continue
            if after in self.known:
                continue
            if len(self.known) >= self._limit:
                return "states"
            if self._enter(after):
                return "violation"
            looks += 1
            if looks % _LOOK_EVERY == 0:
                if len(self.known) > SET_MAX and isinstance(self.known, set):
                    self.known = PackedSet.of(self.known, self.plan.layout.words)
                if self.bytes_used > self._bytes:
                    return "memory"
                self._tell(tell)
        return None

    def _tell(self, tell: Callable[[Progress], None] | None) -> None:
        now = time.perf_counter()
        if tell is not None and now - self.told >= PROGRESS_SECONDS:
            self.told = now
            tell(Progress(len(self.known), self.waiting, sum(self.tally.fired), now - self.began))

    def _enter(self, state: int) -> bool:
        """Take a new state onto the way, judge it and its steps; whether to stop here."""
        self.known.add(state)
        self._way.append(state)
        self._on_way.add(state)
        self.depth = max(self.depth, len(self._way) - 1)
        judged = self._judge(state)
        hit = self._judge_state(judged)
        steps = list(self._relations.steps(state))
        hit |= self._judge_steps(judged, steps)
        canonical = self.runs.canonical
        taken = [(step, code, canonical(after)) for step, code, after in steps]
        chosen = self._choose(state, taken)
        for _, code, _ in chosen:
            self.tally.fired[code] += 1
        self._rest.append(iter([after for _, _, after in chosen]))
        return hit and self._first

    def _choose(self, state: int, steps: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
        """The steps to take: the smallest set that meets the conditions, or all."""
        possible = 0
        for step, _, _ in steps:
            possible |= 1 << step
        for some in self._ample.sets(possible, state):
            taken = [one for one in steps if some >> one[0] & 1]
            if any(after not in self._on_way for _, _, after in taken):
                return taken
        return steps

    def _judge_state(self, judged: tuple[Any, ...]) -> bool:
        hit = False
        for k, asked in enumerate(self.plan.properties):
            antecedent, clauses = _split(asked, judged[k])
            if not antecedent:
                continue
            self.tally.reached[k] += 1
            if asked.expectation == "always" and not all(clauses):
                hit |= self._found(k, clauses.index(False), None)
            elif asked.expectation == "reachable" and all(clauses):
                self._found(k, -1, None)
        return hit

    def _judge_steps(self, judged: tuple[Any, ...], steps: list[tuple[int, int, int]]) -> bool:
        hit = False
        for k, asked in enumerate(self.plan.properties):
            if asked.expectation != "never-changes" or k in self.paths:
                continue
            antecedent, clauses = _split(asked, judged[k])
            for _, _, after in steps if antecedent else ():
                later = _split(asked, self._judge(after)[k])[1]
                if later != clauses and k not in self.paths:
                    changed = [before != now for before, now in zip(clauses, later, strict=True)]
                    hit |= self._found(k, changed.index(True), after)
        return hit

    def _found(self, k: int, clause: int, edge: int | None) -> bool:
        if k not in self.paths:
            self.tally.broken[k] = clause
            self.paths[k] = (self._way[1:], edge)
        return True


def _split(asked: Property, judged: Sequence[bool]) -> tuple[bool, list[bool]]:
    """Whether the antecedent holds, and the clauses."""
    if asked.antecedent is None:
        return True, list(judged)
    return judged[0], list(judged[1:])


def bits(numbers: int) -> Iterator[int]:
    """The members of a set, lowest first."""
    while numbers:
        lowest = numbers & -numbers
        yield lowest.bit_length() - 1
        numbers ^= lowest
