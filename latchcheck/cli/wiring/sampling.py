"""What `fuzz` asks: of the lifecycle model or of a configuration; saved runs tried first, then runs drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from .lifecycle import exploration_plan, reducer

if TYPE_CHECKING:  # each function imports what it needs, so that --help does not pay for the solver
    from latchcheck.counterexamples import Fixture
    from latchcheck.engines.questions import Plan, Search
    from latchcheck.engines.stateful import Fuzzed
    from latchcheck.kernel import Property, Trace
    from latchcheck.kernel.verdict import PropertyVerdict
    from latchcheck.model.config import Config
    from latchcheck.properties.timing.answers import Outcome
    from latchcheck.properties.timing.facts import Facts


@attrs.frozen
class Asked:
    """A question of `fuzz`: its searches, and for a configuration what `verify` says of each property.

    `configs` maps each property to the configuration that it is asked of; empty for the lifecycle model.
    """

    plan: Plan
    verified: Mapping[str, PropertyVerdict] = attrs.field(factory=dict)
    configs: Mapping[str, Config] = attrs.field(factory=dict)

    def search_of(self, name: str) -> Search | None:
        """The search that asks a property, or None where nothing is searched for it."""
        return next((one for one in self.plan.searches if name in (asked.id for asked in one.properties)), None)


@attrs.frozen
class Hit:
    """A run that breaks a property with its last step, and the saved counterexample that it came from, if any.

    `shortest`: every shorter run was looked at and breaks nothing.
    """

    search: Search
    asked: Property
    clause: str
    trace: Trace
    fixture: str | None = None
    shortest: bool = False


@attrs.frozen
class Tried:
    """What became of a saved counterexample on the searched system: a hit, or why it is none."""

    file: str
    fixture: str
    property: str
    hit: Hit | None = None
    reason: str | None = None


def ask_lifecycle(scope: str, policy: str, only: Sequence[str]) -> Asked:
    """The question about a scope and a policy; errors as `exploration_plan`."""
    return Asked(exploration_plan(scope, policy, only, symmetry=False))


def ask_timed(config: Config, source: str, only: Sequence[str]) -> Asked:
    """The question about a configuration: what `verify` answers, and the systems in which its harms can be seen.

    Properties that are asked of one system are searched together.
    """
    from latchcheck.engines.questions import Plan, Search
    from latchcheck.properties.timing import CATALOGUE
    from latchcheck.properties.timing.cases import SYSTEMS, TimedCase, case_of
    from latchcheck.properties.timing.facts import Facts

    facts = Facts(config)
    verified = {name: _answer(name, facts) for name in (dict.fromkeys(only) or CATALOGUE)}
    cases: dict[str, TimedCase] = {}
    absent: list[PropertyVerdict] = []
    groups: dict[tuple[object, str], list[str]] = {}
    for name, (verdict, outcome) in verified.items():
        if name not in SYSTEMS or not _has_runs(outcome):
            absent.append(_absent(verdict))
            continue
        asked_of: Config = getattr(outcome, "config", None) or config
        cases[name] = case_of(name, asked_of)
        groups.setdefault((SYSTEMS[name][0], repr(asked_of.flat())), []).append(name)
    searches = [
        Search(cases[names[0]].system, tuple(cases[name].asked for name in names), "runs at the edges of the windows")
        for names in groups.values()
    ]
    plan = Plan(source, {}, {}, tuple(searches), tuple(absent), tuple(verified), symmetry=False)
    return Asked(
        plan,
        {name: verdict for name, (verdict, _) in verified.items()},
        {name: case.config for name, case in cases.items()},
    )


def _answer(name: str, facts: Facts) -> tuple[PropertyVerdict, Outcome | None]:
    from latchcheck.model.timing.schedule import RampTooLong
    from latchcheck.properties.timing.analyses import ANALYSES
    from latchcheck.properties.timing.verifying import answer

    verdict = answer(name, facts)
    try:
        return verdict, ANALYSES[name](facts)
    except RampTooLong:
        return verdict, None


def _has_runs(outcome: Outcome | None) -> bool:
    from latchcheck.properties.timing.answers import Answer

    return isinstance(outcome, Answer)


def _absent(verdict: PropertyVerdict) -> PropertyVerdict:
    """What a sample says of a property that it draws no runs for."""
    if verdict.verdict in ("not-applicable", "vacuous", "inconclusive"):
        return verdict
    reason = f"no run is a counterexample of it; verify answers: {verdict.verdict}"
    return attrs.evolve(verdict, verdict="inconclusive", clause=None, reason=reason, witness=None)


def try_saved(asked: Asked, folder: Path | None) -> list[Tried]:
    """Do what the saved counterexamples of the asked properties do, on the searched systems.

    Raises FixtureError, for which `is_bad_input` is true, for a saved one that cannot be read.
    """
    from latchcheck.kernel.doing import each

    from .fixtures import saved_fixtures

    found = []
    for path, fixture in each("trying", saved_fixtures(folder), named=lambda pair: pair[1].id):
        search = asked.search_of(fixture.property)
        # One with a configuration is about time, one without about the lifecycle.
        if search is not None and (fixture.config is not None) == bool(asked.configs):
            found.append(_tried(str(path), fixture, search))
    return found


def _tried(file: str, fixture: Fixture, search: Search) -> Tried:
    from latchcheck.counterexamples import Stale, run
    from latchcheck.engines.stateful_states import Judge

    asked = next(one for one in search.properties if one.id == fixture.property)
    if asked.expectation == "leads-to" or fixture.repeats_from is not None:
        return Tried(file, fixture.id, fixture.property, reason="it goes on for ever, and a sample has runs that end")
    try:
        trace, states = run(search.system, fixture.steps)
    except Stale as refused:
        return Tried(file, fixture.id, fixture.property, reason=f"it is no run here: {refused}")
    judge = Judge(search.system, [asked])
    values = [tuple(state.values()) for state in states]
    for step in range(1, len(values)):
        broken = judge.broken(values[step - 1], values[step])
        if broken is not None:
            short = attrs.evolve(trace, steps=trace.steps[:step])
            smallest = reducer(search.system)(short, asked)
            clause = _clause(search, asked, smallest.trace) or broken.clause
            hit = Hit(search, asked, clause, smallest.trace, fixture.id, smallest.shortest)
            return Tried(file, fixture.id, fixture.property, hit)
    return Tried(file, fixture.id, fixture.property, reason="it breaks nothing here")


def _clause(search: Search, asked: Property, trace: Trace) -> str | None:
    from latchcheck.engines.stateful_states import Judge
    from latchcheck.kernel import execute

    states = [tuple(state.values()) for state in execute(search.system, trace.steps)]
    broken = Judge(search.system, [asked]).broken(states[-2], states[-1])
    return None if broken is None else broken.clause


def draw(
    asked: Asked, known: Sequence[str], *, seed: int, runs_max: int, steps_max: int
) -> Iterator[tuple[Search, Fuzzed]]:
    """Sample the searches, but for the properties that are `known` to be broken, and yield each as it ends.

    A search ends with the first violation; the next one goes on with the other properties and the runs that are left.
    What the user interrupts is yielded as far as it came, and is the last. Raises NeedsHypothesis.
    """
    from latchcheck.engines.stateful import fuzz
    from latchcheck.kernel.doing import each

    for search in each("fuzzing", asked.plan.searches, named=_topic):
        left = [one for one in search.properties if one.expectation != "leads-to" and one.id not in known]
        runs_left, reduce = runs_max, reducer(search.system)
        while left and runs_left > 0:
            found = fuzz(search.system, left, seed=seed, runs_max=runs_left, steps_max=steps_max, reduce=reduce)
            yield search, found
            if found.interrupted:
                return
            if found.violated is None:
                break
            left = [one for one in left if one.id != found.violated]
            runs_left -= found.runs


def _topic(search: Search) -> str:
    """The one property that a search is about; nothing where it is about several."""
    return search.properties[0].id if len(search.properties) == 1 else ""


def hit_of(search: Search, found: Fuzzed) -> Hit:
    """The run that a sample found."""
    assert found.counterexample is not None
    asked = next(one for one in search.properties if one.id == found.violated)
    return Hit(search, asked, found.clause or "", found.counterexample, shortest=found.shortest)
