"""Saved counterexamples: loaded, replayed and made smaller on the model."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from .lifecycle import lifecycle_system

if TYPE_CHECKING:  # each function imports what it needs, so that --help does not pay for the solver
    from latchcheck.counterexamples import Case, Fixture, Replayed
    from latchcheck.kernel import System


def load_fixture(file: str) -> Fixture:
    """A fixture from a file, or a saved one of this project by its id.

    Raises FixtureError, for which `is_bad_input` is true.
    """
    from latchcheck.counterexamples import load

    return load(fixture_path(file))


def fixture_path(file: str) -> Path:
    """The file that is meant: the one of that name, or, where there is none, the saved fixture of that id.

    Raises FixtureError where what is neither reads like an id, with the saved ones that are most like it.
    """
    from latchcheck.counterexamples import SAVED, FixtureError
    from latchcheck.naming import instead

    path, by_id = Path(file), SAVED / f"{file}.json"
    if path.exists() or path.suffix == ".json" or not re.fullmatch(r"[a-z0-9-]+/[a-z0-9.-]+", file):
        return path
    if SAVED.resolve() in by_id.resolve().parents and by_id.is_file():
        return by_id
    known = [one.relative_to(SAVED).with_suffix("").as_posix() for one in sorted(SAVED.glob("*/*.json"))]
    of_property = [one for one in known if one.startswith(file[: file.index("/") + 1])]
    meant = instead(file, of_property or known, "latchcheck fixtures list")
    raise FixtureError(file, "", "is no file and no saved counterexample", meant)


def saved_fixtures(folder: Path | None = None) -> list[tuple[Path, Fixture]]:
    """Every saved fixture of a folder (of this project by default) with its file.

    Raises FixtureError for one that cannot be read.
    """
    from latchcheck.counterexamples import SAVED, saved

    return list(saved(folder or SAVED))


def fixture_case(fixture: Fixture) -> Case:
    """The system and property that a fixture is about; Stale where its property, a switch or a key is gone."""
    return _lifecycle_case(fixture) if fixture.config is None else _timed_case(fixture)


def replay_fixture(fixture: Fixture) -> Replayed:
    """What becomes of a fixture on the model: it reproduces, and what it says of a correct implementation is so."""
    import attrs

    from latchcheck.counterexamples import check

    replayed = check(fixture, fixture_case)
    if replayed.stale or fixture.config is not None or all(step.guarded is None for step in fixture.steps):
        return replayed
    reason = _other_answer(fixture)
    return replayed if reason is None else attrs.evolve(replayed, trace=None, reason=reason)


def _other_answer(fixture: Fixture) -> str | None:
    """Where the guarded model answers a step otherwise than the fixture says, with or without the history of reports.

    The runs of mutants are saved with it, those of races without.
    """
    from latchcheck.counterexamples import answered
    from latchcheck.counterexamples.answering import unlike

    broken, scope = fixture_case(fixture).system, ",".join(f"{name}={size}" for name, size in fixture.scope.items())
    reasons = []
    for reports in (True, False):
        model = _guarded(fixture.property, scope or "tasks=1", fixture.era, reports=reports)
        reasons.append(unlike(fixture.steps, answered(model, broken, fixture.steps)))
        if reasons[-1] is None:
            return None
    return reasons[0]


@cache
def _guarded(name: str, scope: str, era: str | None, *, reports: bool) -> System:
    """The guarded model of what one property needs, with the history of reports or without: many fixtures share it."""
    from latchcheck.counterexamples import correct
    from latchcheck.model.policy import Policy
    from latchcheck.model.scope import Scope
    from latchcheck.properties.lifecycle.catalogue import cone, rule

    inside, policy = cone(rule(name), Scope.parse(scope)), Policy() if era is None else Policy(era=era)
    return correct(inside.scope, policy.era, inside.modules) if reports else inside.build(policy).system


def minimise_fixture(file: str) -> tuple[Fixture, bool]:
    """Make the run of a fixture smaller, in its file; the fixture, and whether it changed. Raises Stale."""
    from latchcheck.counterexamples import load, minimised, write

    fixture = load(Path(file))
    smaller = minimised(fixture, fixture_case(fixture))
    return smaller, smaller is not fixture and write(Path(file), smaller)


def _lifecycle_case(fixture: Fixture) -> Case:
    from latchcheck.counterexamples import Case, Stale
    from latchcheck.model.spelling import SpellingError

    if "era" in fixture.policy:
        raise Stale("policy: the era has a field of its own, and stands in the policy besides")
    for name, value in (*fixture.policy.items(), *fixture.scope.items()):
        if set(",=") & set(f"{name}{value}"):
            raise Stale(f"{name!r} cannot be {value!r}")
    switches = {**fixture.policy, **({} if fixture.era is None else {"era": fixture.era})}
    scope, policy = (",".join(f"{name}={value}" for name, value in part.items()) for part in (fixture.scope, switches))
    try:
        system, (asked,) = lifecycle_system(scope or "tasks=1", policy or "guarded", (fixture.property,))
    except SpellingError as error:
        raise Stale(error.what) from None
    return Case(system, asked)


def _timed_case(fixture: Fixture) -> Case:
    """The system in which the harm of a timing property is recorded, for the configuration of the fixture."""
    import attrs

    from latchcheck.counterexamples import Case, Stale
    from latchcheck.model.config import Config
    from latchcheck.properties.timing import CATALOGUE
    from latchcheck.properties.timing.analyses import ANALYSES
    from latchcheck.properties.timing.answers import NotApplicable
    from latchcheck.properties.timing.cases import SYSTEMS, case_of
    from latchcheck.properties.timing.facts import Facts

    if fixture.property not in CATALOGUE:
        raise Stale(f"there is no property {fixture.property!r}")
    if fixture.property not in SYSTEMS:
        raise Stale(f"no run is a counterexample of {fixture.property!r}")
    try:
        config = Config().replace(fixture.config or {})
        outcome = ANALYSES[fixture.property](Facts(config))
    except (ArithmeticError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise Stale(f"config: {error}") from None
    if isinstance(outcome, NotApplicable):
        raise Stale(f"config: {outcome.missing}")
    case = case_of(fixture.property, config)
    clauses = [clause for clause in case.asked.clauses if clause.label == fixture.violates.clause]
    if not clauses:
        known = " or ".join(repr(clause.label) for clause in case.asked.clauses)
        raise Stale(f"the property {fixture.property!r} has no clause {fixture.violates.clause!r}; it has {known}")
    return Case(case.system, attrs.evolve(case.asked, clauses=tuple(clauses)))
