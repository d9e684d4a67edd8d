"""Counterexamples made: of a run that `verify` shows, and of every mutant."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .catalogues import lifecycle_ids
from .fixtures import fixture_case, replay_fixture, saved_fixtures

if TYPE_CHECKING:  # each function imports what it needs, so that --help does not pay for the solver
    from latchcheck.counterexamples import Fixture
    from latchcheck.kernel import Trace
    from latchcheck.model.config import Config


def timed_fixture(config: Config, name: str, witness: Trace) -> Fixture:
    """The fixture of a run that `verify` shows for a timing property; Stale where it does not replay.

    Its clause says "never" and the variable of the model that records the harm.
    """
    from latchcheck.counterexamples import FoundBy, Stale, Violation, events_of, made
    from latchcheck.counterexamples.fixture import Fixture, Minimal
    from latchcheck.properties.timing import CATALOGUE
    from latchcheck.properties.timing.analyses import ANALYSES
    from latchcheck.properties.timing.answers import Answer
    from latchcheck.properties.timing.facts import Facts
    from latchcheck.report.envelope import versions

    answer = ANALYSES[name](Facts(config))
    if not isinstance(answer, Answer) or answer.harm is None:
        raise Stale(f"nothing records the harm of {name!r}")
    flat = (answer.config or config).flat()
    ident, events, clause = f"{name}/{answer.harm.replace('_', '-')}", events_of(witness), f"never {answer.harm}"
    found, violation = FoundBy("smt", None, versions()), Violation(len(events) - 1, clause)
    sentence, minimal = CATALOGUE[name].sentence, Minimal(len(events))
    draft = Fixture(ident, name, sentence, None, {}, {}, flat, events, violation, found, minimal)
    return made(ident, fixture_case(draft), witness, clause, found_by=found, config=flat)


def generate_fixtures(only: Sequence[str] = (), *, folder: Path | None = None, scope: str = "ci") -> list[Path]:
    """Save the shortest counterexample of every property under every mutant that breaks it; the files that changed.

    With `only` the fixtures of other properties stay as they are. Raises FixtureError for a saved one that is damaged.
    """
    from latchcheck.counterexamples import SAVED, update
    from latchcheck.properties.lifecycle.killing import MUTANTS
    from latchcheck.report.interchange import to_mermaid

    wanted = only or lifecycle_ids()
    kept = [fixture for _, fixture in saved_fixtures(folder) if fixture.property not in wanted]
    found = [one for name in wanted for mutant in MUTANTS if (one := _mutant_fixture(name, mutant, scope)) is not None]
    fixtures = [*kept, *found]
    traces = {one.id: replay_fixture(one).trace for one in fixtures}
    diagrams = {ident: to_mermaid(trace) for ident, trace in traces.items() if trace is not None}
    return update(fixtures, diagrams, folder or SAVED)


def _mutant_fixture(name: str, mutant: str, scope: str) -> Fixture | None:
    """The shortest counterexample of a property under one mutant, or None where it holds."""
    import attrs

    from latchcheck.counterexamples import Case, FoundBy, guarded, made, slug
    from latchcheck.engines.explicit import explore
    from latchcheck.model.policy import Policy
    from latchcheck.model.scope import Scope
    from latchcheck.properties.lifecycle.catalogue import cone, rule
    from latchcheck.report.envelope import versions

    asked, policy = rule(name), Policy.parse(mutant)
    inside = cone(asked, Scope.parse(scope))
    built, correct = inside.build(policy), inside.build(Policy()).system
    same = (built.system.variables, built.system.actions) == (correct.variables, correct.actions)
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
        found_by=FoundBy("explicit", None, versions()),
        shortest=len(found.counterexample),
    )
    answers = guarded(correct, fixture.steps, {"write_terminal": "report"})
    return attrs.evolve(fixture, steps=answers)
