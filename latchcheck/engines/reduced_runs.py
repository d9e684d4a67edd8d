"""Tells what a reduced search found as runs that the plain stepper has executed, shortest ones where they can be had.

A reduced search goes deep first and leaves out shorter ways, so its runs may be long. For every property that it found
broken, or reached, the plain breadth-first search is asked again, within the same limits; where that one is ended by a
limit the long run is told, and named in `longer`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice

import attrs
import z3

from latchcheck.kernel import Clause, ModelError, Property, Trace
from latchcheck.kernel.stepping import Stepper

from .exploration import Exploration, Options
from .independence import Outside
from .layout import Narrow
from .packed_runs import SAMPLE, Runs
from .packed_source import Plan
from .reduction import Reduced, ReducedSearch
from .symmetry import Image, neighbours

Again = Callable[[Property, Options], Exploration]


def explore_reduced(
    plan: Plan, states_max: int | None, options: Options, swaps: Sequence[Image], again: Again
) -> Exploration:
    """Search a plan with partial-order reduction; `again` searches for one property without."""
    if options.searcher == "compiled":
        raise ModelError("a search with reduction runs in Python; leave searcher at 'auto'")
    runs = Runs(plan)
    start = plan.layout.pack(tuple(Stepper(plan.system).state.values()))
    limit = options.memory_max_bytes if states_max is None else states_max
    search = ReducedSearch(plan, runs, (limit, options.memory_max_bytes), first=not options.keep_going)
    try:
        found = search.search(runs.canonical(start), options.progress)
    except Outside as reason:
        raise _outside(plan, search, reason) from None
    if swaps:
        # No more than are looked at, one for each of these, and not all as ints.
        states = list(islice(search.known, 0, None, max(1, len(search.known) // SAMPLE)))
        runs.check_symmetry(neighbours(options.symmetry), states.__getitem__, len(states))
    return _Telling(plan, runs, start, options, again).told(found, search.bytes_used)


def _outside(plan: Plan, search: ReducedSearch, reason: Outside) -> Exception:
    code, name, value = reason.args
    if plan.layout.fields[name].assumed:
        return Narrow()
    return ModelError(
        f"action {plan.codes[code]!r} sets variable {name!r} to {value}, "
        f"outside {plan.system.variable(name).domain}, after {search.waiting - 1} steps"
    )


@attrs.frozen
class _Telling:
    """Puts the runs of a reduced search together."""

    plan: Plan
    runs: Runs
    start: int
    options: Options
    again: Again

    def told(self, found: Reduced, size: int) -> Exploration:
        """The answer; `size` are the bytes that the states took."""
        plan, tally = self.plan, found.tally
        traces: dict[str, Trace] = {}
        clauses: dict[str, str] = {}
        longer: list[str] = []
        stopped = found.stopped
        for k, (path, edge) in found.paths.items():
            asked = plan.properties[k]
            plain = self._plain(asked) if stopped != "interrupt" else None
            if plain is not None and plain.stopped == "interrupt":
                stopped = "interrupt"
            if plain is None or asked.id not in plain.counterexamples:
                longer.append(asked.id)
                traces[asked.id] = self._long(path, edge)
                clauses[asked.id] = "" if tally.broken[k] < 0 else asked.clauses[tally.broken[k]].label
            else:
                traces[asked.id], clauses[asked.id] = plain.counterexamples[asked.id], plain.clauses[asked.id]
        reachable = {one.id for one in plan.properties if one.expectation == "reachable"}
        broken = {name: trace for name, trace in traces.items() if name not in reachable}
        worst = min(broken, key=lambda name: len(broken[name]), default=None)
        return Exploration(
            states=found.states,
            transitions=sum(tally.fired),
            depth=found.depth,
            fired=dict(zip(plan.codes, tally.fired, strict=True)),
            complete=stopped is None,
            counterexample=None if worst is None else broken[worst],
            violated=worst,
            clause=None if worst is None else clauses[worst],
            reached=dict(zip((asked.id for asked in plan.properties), tally.reached, strict=True)),
            witnesses={name: trace for name, trace in traces.items() if name in reachable},
            counterexamples=broken,
            clauses={name: clauses[name] for name in broken},
            stopped=stopped,
            engine="python",
            bytes_used=size,
            reduced=True,
            longer=tuple(longer),
        )

    def _plain(self, asked: Property) -> Exploration:
        """The search without reduction, whose run is a shortest one, where it comes that far."""
        options = attrs.evolve(self.options, reduction=False, keep_going=False, searcher="auto")
        if asked.expectation == "reachable":
            exprs = [*(() if asked.antecedent is None else (asked.antecedent,)), *(c.expr for c in asked.clauses)]
            never = Clause("not reached", z3.Not(z3.And(*exprs)))
            asked = Property(asked.id, asked.keyword, asked.sentence, (never,))
        return self.again(asked, options)

    def _long(self, path: list[int], edge: int | None) -> Trace:
        moves = self.runs.along(self.start, path)
        if edge is not None:
            state, kept = moves[-1][2] if moves else self.start, self.runs.canonical(edge)
            moves.append(next(move for move in self.runs.steps(state) if self.runs.canonical(move[2]) == kept))
        return self.runs.trace(self.start, moves)
