"""Counterexamples made: of a run that `verify` shows, and of every mutant."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from .catalogues import lifecycle_ids
from .fixtures import fixture_case, replay_fixture, saved_fixtures

if TYPE_CHECKING:  # each function imports what it needs, so that --help does not pay for the solver
    from latchcheck.counterexamples import Event, Fixture, FoundBy
    from latchcheck.engines.questions import Search
    from latchcheck.kernel import Sentence, System, Trace
    from latchcheck.kernel.verdict import Report
    from latchcheck.model.config import Config
    from latchcheck.model.scope import Scope

    from .sampling import Asked, Hit

ENGINE = "explicit"
"""What finds the runs of mutants; of what it has saved, it takes away what it no longer finds."""


class CutShort(Exception):
    """The user ended it before anything was written; the text says how far it came."""


def timed_fixture(config: Config, name: str, witness: Trace, *, engine: str = "smt") -> Fixture:
    """The fixture of a run that `verify` shows for a timing property; Stale where it does not replay.

    Its clause says "never" and the variable of the model that records the harm.
    """
    from latchcheck.counterexamples import FoundBy, Stale
    from latchcheck.properties.timing.analyses import ANALYSES
    from latchcheck.properties.timing.answers import Answer
    from latchcheck.properties.timing.facts import Facts
    from latchcheck.report.envelope import versions

    answer = ANALYSES[name](Facts(config))
    if not isinstance(answer, Answer) or answer.harm is None:
        raise Stale(f"nothing records the harm of {name!r}")
    return _timed(answer.config or config, name, witness, f"never {answer.harm}", FoundBy(engine, None, versions()))


def _timed(config: Config, name: str, trace: Trace, clause: str, found_by: FoundBy, *, more: str = "") -> Fixture:
    from latchcheck.counterexamples import Stale, events_of, made
    from latchcheck.counterexamples.fixture import Fixture, Minimal, Violation

    if not trace.steps:
        raise Stale("it has no steps")
    flat, events, harm = config.flat(), events_of(trace), clause.removeprefix("never ")
    ident, minimal = f"{name}/{harm.replace('_', '-')}{more}", Minimal(len(events))
    sentence, violation = timing_sentence(name), Violation(len(events) - 1, clause)
    draft = Fixture(ident, name, sentence, None, {}, {}, flat, events, violation, found_by, minimal)
    return made(ident, fixture_case(draft), trace, clause, found_by=found_by, config=flat)


def timing_sentence(name: str) -> Sentence:
    """The sentence that a timing property formalises."""
    from latchcheck.properties.timing import CATALOGUE

    return CATALOGUE[name].sentence


def save_witnesses(report: Report, folder: Path) -> tuple[dict[str, Path], list[str]]:
    """Save the witness of every violated property of a configuration, all of them or none.

    The file of each property, and why those without one have none. Raises OSError.
    """
    from latchcheck.counterexamples import Stale, write_all
    from latchcheck.model.config import Config

    config, fixtures, lost = report.config, {}, []
    assert isinstance(config, Config)
    for one in report.properties:
        if one.witness is None:
            continue
        try:
            fixture = timed_fixture(config, one.id, one.witness, engine=one.engine)
        except Stale as stale:
            lost.append(f"{one.id}: {stale}")
            continue
        fixtures[one.id] = attrs.evolve(fixture, id=f"{fixture.id}.{digest(fixture)}")
    paths = {name: folder / f"{fixture.id}.json" for name, fixture in fixtures.items()}
    write_all({paths[name]: fixture for name, fixture in fixtures.items()})
    return paths, lost


def save_hits(asked: Asked, hits: Sequence[Hit], seed: int, folder: Path) -> tuple[dict[str, Path], list[str]]:
    """Save the runs that a sample found, all of them or none; returns and raises as `save_witnesses`."""
    from latchcheck.counterexamples import Stale, write_all

    fixtures, lost = {}, []
    for hit in hits:
        try:
            fixture = _of_hit(asked, hit, seed)
        except Stale as stale:
            lost.append(f"{hit.asked.id}: {stale}")
            continue
        fixtures[hit.asked.id] = attrs.evolve(fixture, id=f"{fixture.id}.{digest(fixture)}")
    paths = {name: folder / f"{fixture.id}.json" for name, fixture in fixtures.items()}
    write_all({paths[name]: fixture for name, fixture in fixtures.items()})
    return paths, lost


def _of_hit(asked: Asked, hit: Hit, seed: int) -> Fixture:
    from latchcheck.counterexamples import Case, FoundBy, Stale, correct, made, slug
    from latchcheck.model.policy import Policy
    from latchcheck.properties.lifecycle.catalogue import cone, rule
    from latchcheck.report.envelope import versions

    found_by = FoundBy("stateful", seed, versions())
    name, config = hit.asked.id, asked.configs.get(hit.asked.id)
    if config is not None:
        return _timed(config, name, hit.trace, hit.clause, found_by)
    if not hit.trace.steps:
        raise Stale("it is broken before the first step, and a saved run has at least one")
    policy = Policy.parse(",".join(f"{switch}={value}" for switch, value in asked.plan.policy.items()) or "guarded")
    inside = cone(rule(name), scope_of(hit.search))
    built = inside.build(policy)
    fixture = made(
        f"{name}/{slug(str(policy))}",
        Case(built.system, rule(name).over(built.room)),
        hit.trace,
        hit.clause,
        era=policy.era,
        policy={switch: value for switch, value in policy.changed.items() if switch != "era"},
        scope=inside.scope.named,
        found_by=found_by,
        shortest=len(hit.trace) if hit.shortest else None,
    )
    guarded = correct(inside.scope, policy.era, inside.modules)
    return attrs.evolve(fixture, steps=answered(guarded, fixture))


def scope_of(search: Search) -> Scope:
    """The sizes of a search of the lifecycle model."""
    from latchcheck.model.scope import Scope

    return Scope.parse(search.scope)


def answered(correct: System, fixture: Fixture) -> tuple[Event, ...]:
    """The steps of a fixture with what a correct implementation answers to each."""
    from latchcheck.counterexamples import answered

    return answered(correct, fixture_case(fixture).system, fixture.steps)


def digest(fixture: Fixture) -> str:
    """Eight letters that differ where two runs of one name differ, so that neither is written over the other."""
    from hashlib import sha256

    from latchcheck.counterexamples import FoundBy, dump

    meant = attrs.evolve(fixture, found_by=FoundBy("any", None, {}))
    return sha256(dump(meant).encode()).hexdigest()[:8]


def generate_fixtures(only: Sequence[str] = (), *, folder: Path | None = None, scope: str = "ci") -> list[Path]:
    """Save the shortest counterexample of every property under every mutant that breaks it; the files that changed.

    With `only` the fixtures of other properties stay as they are, and always those that something else has saved: a
    sample, a proof, a race. Raises FixtureError for a saved one that is damaged, CutShort where the user ends it before
    anything is written.
    """
    from latchcheck.counterexamples import SAVED, update
    from latchcheck.kernel.doing import each
    from latchcheck.kernel.interrupts import INTERRUPTS, is_interrupt
    from latchcheck.properties.lifecycle.killing import MUTANTS

    from .words import fixture_diagram

    wanted, tried = only or lifecycle_ids(), list["Fixture | None"]()
    kept = [one for _, one in saved_fixtures(folder) if one.property not in wanted or one.found_by.engine != ENGINE]
    pairs = [(name, mutant) for name in wanted for mutant in MUTANTS]
    try:
        tried.extend(_mutant_fixture(*pair, scope) for pair in each("breaking", pairs, named=" by ".join))
        fixtures = {one.id: one for one in (*kept, *tried) if one is not None}
        replays = each("replaying", fixtures.values(), named=lambda one: one.id)
        traces = {one.id: replay_fixture(one).trace for one in replays}
    except INTERRUPTS as error:
        if not is_interrupt(error):
            raise
        raise CutShort(f"{len(tried)} of {len(pairs)} mutants are tried, and nothing is written") from error
    diagrams = {name: fixture_diagram(fixtures[name], trace) for name, trace in traces.items() if trace is not None}
    return update(list(fixtures.values()), diagrams, folder or SAVED)


def _mutant_fixture(name: str, mutant: str, scope: str) -> Fixture | None:
    """The shortest counterexample of a property under one mutant, or None where it holds."""
    from latchcheck.counterexamples import Case, FoundBy, correct, made, slug
    from latchcheck.engines.explicit import explore
    from latchcheck.model.policy import Policy
    from latchcheck.model.scope import Scope
    from latchcheck.properties.lifecycle.catalogue import cone, rule
    from latchcheck.report.envelope import versions

    asked, policy = rule(name), Policy.parse(mutant)
    inside = cone(asked, Scope.parse(scope))
    built, whole = inside.build(policy), inside.build(Policy()).system
    same = (built.system.variables, built.system.actions) == (whole.variables, whole.actions)
    # Such a mutant changes nothing that the property reads; its own may change what the property says.
    if same and mutant not in asked.mutants:
        return None
    case = Case(built.system, asked.over(built.room))
    found = explore(case.system, [case.asked])
    if found.counterexample is None or found.clause is None:
        return None
    fixture = made(
        f"{name}/{slug(mutant)}",
        case,
        found.counterexample,
        found.clause,
        era=policy.era,
        policy={switch: value for switch, value in policy.changed.items() if switch != "era"},
        scope=inside.scope.named,
        found_by=FoundBy(ENGINE, None, versions()),
        shortest=len(found.counterexample),
    )
    guarded = correct(inside.scope, policy.era, inside.modules)
    return attrs.evolve(fixture, steps=answered(guarded, fixture))
