"""Sampled search of a finite system by Hypothesis: many random runs, steered to where few have been.

Limits of soundness: a run that breaks a property is one, executed again by the plain stepper; that none was found says
nothing about the runs that were not drawn. Such an answer is never "holds".

A search is rounds of runs. Within a round Hypothesis draws; between rounds the coverage of (action, cell) pairs decides
where the next runs may begin, see `stateful_coverage`. `hypothesis.target` would steer as well and, by its own
documentation, needs thousands of runs for each measure.
Everything depends on the seed alone: no clock, no database, no order of a set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import attrs

from latchcheck.kernel import FrozenMap, ModelError, Property, System, Trace, execute

from .stateful_coverage import Coverage
from .stateful_states import Judge, Steps
from .stateful_timed import TimedSteps, is_dense

RUNS_MAX = 2000
STEPS_MAX = 24
RUNS_OF_A_ROUND = 50
STEPS_OF_A_ROUND = 12
# A fault that needs more steps hides in more runs.
RUNS_FOR_A_SHORTER_STEP = 150
# The rounds of one seed are drawn with seeds of their own, which no other small seed shares.
ROUNDS_APART = 1_000_003

INSTALL = "a sampled search needs Hypothesis: pip install 'latchcheck[fuzz]'"


class NeedsHypothesis(Exception):
    """Hypothesis, which this engine alone needs, is not installed; the text says what to install."""


@contextmanager
def hypothesis_needed() -> Iterator[None]:
    """For a block that imports Hypothesis; raises NeedsHypothesis where it is not installed."""
    try:
        yield
    except ModuleNotFoundError as missing:
        if missing.name != "hypothesis":
            raise
        raise NeedsHypothesis(INSTALL) from None


@attrs.frozen
class Fuzzed:
    """What a sampled search did and found.

    `runs` and `steps` count what was drawn until a run failed, `fired` how often each action happened in them, and
    `reached` the states in which the antecedent of each property held: zero means that the sample tried nothing.
    `cells` are the groups of states met, `pairs` the (action, cell) pairs tried.
    `violated` and `clause` name what `counterexample` breaks.
    `found_steps` is the length of the failing run as it was drawn, `shrunk_steps` its length when Hypothesis was done.
    `shortest` says that every shorter run was looked at and none breaks it.
    `interrupted` says that the user ended it: what is told was found until then, and a run may be longer than need be.
    """

    seed: int
    runs: int
    steps: int
    fired: FrozenMap[int] = attrs.field(converter=FrozenMap)
    reached: FrozenMap[int] = attrs.field(converter=FrozenMap)
    cells: int
    pairs: int
    counterexample: Trace | None = None
    violated: str | None = None
    clause: str | None = None
    found_steps: int | None = None
    shrunk_steps: int | None = None
    interrupted: bool = False
    shortest: bool = False


@attrs.frozen
class Reduced:
    """A run made smaller; `shortest` says that every shorter run was looked at and breaks nothing."""

    trace: Trace
    shortest: bool = False


Reduce = Callable[[Trace, Property], Reduced]
"""Makes a run that breaks a property smaller, in any way that leaves a run which breaks it with its last step."""


def fuzz(
    system: System,
    properties: Sequence[Property],
    *,
    seed: int = 0,
    runs_max: int = RUNS_MAX,
    steps_max: int = STEPS_MAX,
    reduce: Reduce | None = None,
    shrink: bool = True,
) -> Fuzzed:
    """Draw runs of a system until one breaks a property, or until `runs_max` runs of up to `steps_max` steps passed.

    The failing run is made smaller by Hypothesis, then by `reduce`; while that helps, shorter ones are looked for.
    Without `shrink` it stays as it was drawn, where it matters only whether there is one.
    It is executed by the stepper, and unless `shortest` says so it need not be a shortest one.
    Raises NeedsHypothesis, and ModelError for what cannot be sampled: a leads-to.
    """
    found = _sampled(system, properties, seed, runs_max, steps_max, shrink=shrink)
    if found.counterexample is None or found.interrupted or reduce is None:
        return found
    broken = next(one for one in properties if one.id == found.violated)
    smallest, interrupted = Reduced(found.counterexample), False
    try:
        smallest = reduce(smallest.trace, broken)
        while len(smallest.trace) > 1 and not smallest.shortest:
            length = len(smallest.trace) - 1
            shorter = _sampled(system, [broken], seed, RUNS_FOR_A_SHORTER_STEP * length, length)
            if shorter.interrupted or shorter.counterexample is None:
                interrupted = shorter.interrupted
                break
            smallest = reduce(shorter.counterexample, broken)
    except KeyboardInterrupt:
        interrupted = True
    clause = _clause(system, broken, smallest.trace)
    return attrs.evolve(
        found,
        counterexample=smallest.trace,
        clause=clause,
        interrupted=interrupted,
        shortest=smallest.shortest and not interrupted,
    )


def _sampled(
    system: System, properties: Sequence[Property], seed: int, runs_max: int, steps_max: int, *, shrink: bool = True
) -> Fuzzed:
    with hypothesis_needed():
        from .stateful_machine import Search, Spent, machine, sample

    steps = TimedSteps(system) if is_dense(system) else Steps(system)
    judge = Judge(system, properties)
    told = judge.told(steps.start)
    onward = min(STEPS_OF_A_ROUND, steps_max)
    search = Search(
        steps,
        judge,
        Coverage(steps, judge.reads(), steps_max - 1),
        {action.name: 0 for action in system.actions},
        {one.id: int(applies) for one, applies in zip(properties, told.applies, strict=True)},
        runs_max,
        steps_max,
    )
    broken, events = judge.broken(None, steps.start), ()
    made = machine(system, search)
    number, interrupted = 0, False
    try:
        while broken is None and steps.of(steps.start):
            failed = sample(
                made, seed_of_round=seed * ROUNDS_APART + number, runs=RUNS_OF_A_ROUND, steps=onward, shrink=shrink
            )
            if failed is not None:
                broken, events, interrupted = failed.broken, failed.events, failed.interrupted
            search.prefixes = search.coverage.prefixes()
            number += 1
    except Spent:
        pass
    except KeyboardInterrupt:
        interrupted = True
    coverage = search.coverage
    found = Fuzzed(seed, search.runs, search.events, search.fired, search.reached, coverage.cells, coverage.pairs)
    found = attrs.evolve(found, interrupted=interrupted)
    if broken is None:
        return found
    return attrs.evolve(
        found,
        counterexample=steps.trace(events),
        violated=broken.property,
        clause=broken.clause,
        found_steps=search.found_steps or 0,
        shrunk_steps=len(events),
    )


def _clause(system: System, asked: Property, trace: Trace) -> str:
    """The clause that the last step of a run breaks; ModelError where it breaks none: whoever reduced it was wrong."""
    states = [tuple(state.values()) for state in execute(system, trace.steps)]
    broken = Judge(system, [asked]).broken(states[-2] if len(states) > 1 else None, states[-1])
    if broken is None:
        raise ModelError(f"the reduced run does not break {asked.id!r} with its last step")
    return broken.clause
