"""The one place where the command line meets MCP: the checker imports the model and the properties here only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # each function imports what it needs, so that --help does not pay for the solver
    from latchcheck.counterexamples import Case, Event, Fixture, Replayed
    from latchcheck.engines.questions import Plan, Search
    from latchcheck.engines.stateful import Fuzzed
    from latchcheck.kernel import Property, System, Trace
    from latchcheck.kernel.telling import Telling
    from latchcheck.kernel.verdict import Configuration, Report
    from latchcheck.model.config import Config
    from latchcheck.properties.timing.proofs.registry import Theorem


def read_config(
    file: str | None, *, client: str | None, server: str | None, task: str | None, sets: Sequence[str]
) -> Config:
    """One configuration, put together from a file, presets, a task as a server returned it, and assignments.

    The file `-` is the standard input. Raises ConfigError, for which `is_bad_input` is true.
    """
    from latchcheck.model.reading import read

    return read([] if file is None else [file], client=client, server=server, task=task, sets=sets)


def verify(config: Config, only: Sequence[str] | None) -> Report:
    """The answers to the timing properties, all of them or those named."""
    from latchcheck.properties.timing import verify as answer

    return answer(config, only)


def telling(config: Configuration) -> Telling:
    """The words in which the runs of a configuration are told to people."""
    from latchcheck.model.config import Config
    from latchcheck.model.timing.telling import telling as words

    assert isinstance(config, Config)
    return words(config)


def assumption_groups() -> dict[str, str]:
    """The section of the configuration that each assumption is about."""
    from latchcheck.model.keys import KEYS

    return {key.assumed: key.section for key in KEYS}


def property_ids() -> tuple[str, ...]:
    """The ids of the timing properties, in the order in which they are answered."""
    from latchcheck.properties.timing import CATALOGUE

    return tuple(CATALOGUE)


def theorems() -> Sequence[Theorem]:
    """Every theorem behind the exact conditions: id, property, what it `says`, and `prove`, which yields its proofs."""
    from latchcheck.properties.timing.proofs.registry import theorems as registered

    return registered()


def explain_property(name: str) -> dict[str, object] | None:
    """What a property claims, where that is said, when it holds, and the keys it reads; None where there is none."""
    from latchcheck.model.describe import key_rows
    from latchcheck.properties.timing import CATALOGUE
    from latchcheck.properties.timing.analyses import ANALYSES

    found = CATALOGUE.get(name)
    if found is None:
        from latchcheck.properties.lifecycle.describing import explained as explained_lifecycle

        return explained_lifecycle(name)
    return {
        "sentence": found.sentence.text,
        "keyword": found.keyword,
        "source": f"{found.sentence.source}, {found.sentence.where}",
        "condition": _condition(ANALYSES[name]) if name in ANALYSES else None,
        "reads": [row["key"] for row in key_rows() if name in _listed(row["properties"])],
    }


def property_rows() -> list[dict[str, object]]:
    """Every property as a row of plain data: those of `verify` first, then those of `explore`, each in its order."""
    from latchcheck.properties.lifecycle.describing import property_rows as lifecycle_rows
    from latchcheck.properties.timing import CATALOGUE

    timing: list[dict[str, object]] = [
        {
            "id": one.id,
            "keyword": one.keyword,
            "sentence": one.sentence.text,
            "source": f"{one.sentence.source}, {one.sentence.where}",
        }
        for one in CATALOGUE.values()
    ]
    return [{**row, "verb": "verify"} for row in timing] + [{**row, "verb": "explore"} for row in lifecycle_rows()]


def explain_setting(name: str) -> dict[str, object] | None:
    """A switch of a policy or a size of a scope as a row of plain data; None where there is none."""
    from latchcheck.properties.lifecycle.describing import explained_setting

    return explained_setting(name)


def lifecycle_rows(what: str) -> list[dict[str, object]]:
    """The `policies` (switches), `scopes` (sizes) or `mutants` of the lifecycle model as rows of plain data."""
    from latchcheck.properties.lifecycle import describing

    rows = {"policies": describing.switch_rows, "scopes": describing.scope_rows, "mutants": describing.mutant_rows}
    return rows[what]()


def explain_keys(name: str) -> list[dict[str, object]]:
    """The configuration keys that a name may mean, in any spelling, as rows of plain data."""
    from latchcheck.model.describe import explained

    return explained(name)


def nearest_keys(name: str) -> list[str]:
    """The keys whose names are most like this one, the nearest first."""
    from latchcheck.model.describe import nearest_keys as nearest

    return nearest(name)


def key_rows() -> list[dict[str, object]]:
    """Every configuration key as a row of plain data."""
    from latchcheck.model.describe import key_rows as rows

    return rows()


def preset_rows() -> list[dict[str, object]]:
    """Every preset as a row of plain data, clients first."""
    from latchcheck.model.describe import preset_rows as rows

    return rows()


def is_bad_input(error: BaseException) -> bool:
    """Whether an exception says that the user's input is wrong, rather than the checker."""
    from latchcheck.counterexamples.errors import FixtureError
    from latchcheck.model.reading.errors import ConfigError
    from latchcheck.model.spelling import SpellingError

    return isinstance(error, ConfigError | FixtureError | SpellingError)


def lifecycle_ids() -> tuple[str, ...]:
    """The ids of the lifecycle properties, in their order."""
    from latchcheck.properties.lifecycle.catalogue import CATALOGUE

    return tuple(CATALOGUE)


def lifecycle_system(scope: str, policy: str, only: Sequence[str] = ()) -> tuple[System, tuple[Property, ...]]:
    """The lifecycle model of a scope and a policy, and what it is asked.

    Without `only` it is the whole model with every property that it can tell about; with one property it is what that
    property needs; with several it is what they need together.
    Raises SpellingError, for which `is_bad_input` is true, also for a property that the scope cannot tell about.
    """
    from latchcheck.model.policy import Policy
    from latchcheck.model.scope import Scope
    from latchcheck.model.spelling import SpellingError
    from latchcheck.properties.lifecycle.searches import build, known, missing

    size, switches = Scope.parse(scope), Policy.parse(policy)
    rules = [known(name) for name in only]
    for one in rules:
        if lack := missing(one, size):
            raise SpellingError(f"scope {scope}: nothing to tell {one.id!r} by", f"it needs {lack}")
    built, asked = build(size, switches, rules)
    return built.system, asked


def exploration_plan(scope: str, policy: str, only: Sequence[str] = (), *, symmetry: bool = True) -> Plan:
    """The searches that answer some lifecycle properties, or all, within a scope and under a policy.

    Raises SpellingError, for which `is_bad_input` is true.
    """
    from latchcheck.properties.lifecycle.searches import plan

    return plan(scope, policy, only, symmetry=symmetry)


def is_named_scope(scope: str) -> bool:
    """Whether a scope is given by name, so that `explore` searches it property by property."""
    from latchcheck.properties.lifecycle.searches import is_named

    return is_named(scope)


def fuzz_lifecycle(
    scope: str, policy: str, only: Sequence[str], *, seed: int, runs_max: int, steps_max: int
) -> tuple[Plan, list[tuple[Search, Fuzzed]]]:
    """Sample runs of the lifecycle model: what is asked, and each search with what it found.

    A search ends with the first violation; the next one goes on with the other properties and the runs that are left.
    Raises NeedsHypothesis, and errors as `exploration_plan`.
    """
    from latchcheck.engines.stateful import fuzz

    plan, done = exploration_plan(scope, policy, only, symmetry=False), []
    for search in plan.searches:
        left, runs_left = [one for one in search.properties if one.expectation != "leads-to"], runs_max
        reduce = _reduce(search.system)
        while left and runs_left > 0:
            found = fuzz(search.system, left, seed=seed, runs_max=runs_left, steps_max=steps_max, reduce=reduce)
            done.append((search, found))
            if found.violated is None:
                break
            left = [one for one in left if one.id != found.violated]
            runs_left -= found.runs
    return plan, done


def _reduce(system: System) -> Callable[[Trace, Property], Trace]:
    """The delta debugger of the saved counterexamples, on the runs of a system."""
    from latchcheck.counterexamples import Case, Stale, broken_at, events_of, minimise, run

    def reduce(trace: Trace, asked: Property) -> Trace:
        case = Case(system, asked)

        def breaks(steps: tuple[Event, ...]) -> bool:
            """Whether the last step is the first that breaks a clause."""
            try:
                _, states = run(system, steps)
            except Stale:
                return False
            for clause in asked.clauses:
                try:
                    if broken_at(case, clause.label, states) == len(steps) - 1:
                        return True
                except Stale:
                    continue
            return False

        return run(system, minimise(events_of(trace), breaks))[0] if trace.steps else trace

    return reduce


def load_fixture(file: str) -> Fixture:
    """A fixture from a file; raises FixtureError, for which `is_bad_input` is true."""
    from latchcheck.counterexamples import load

    return load(Path(file))


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
    """What becomes of a fixture on the model."""
    from latchcheck.counterexamples import check

    return check(fixture, fixture_case)


def minimise_fixture(file: str) -> tuple[Fixture, bool]:
    """Make the run of a fixture smaller, in its file; the fixture, and whether it changed. Raises Stale."""
    from latchcheck.counterexamples import load, minimised, write

    fixture = load(Path(file))
    smaller = minimised(fixture, fixture_case(fixture))
    return smaller, smaller is not fixture and write(Path(file), smaller)


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


def _lifecycle_case(fixture: Fixture) -> Case:
    from latchcheck.counterexamples import Case, Stale
    from latchcheck.model.spelling import SpellingError

    switches = {**fixture.policy, **({} if fixture.era is None else {"era": fixture.era})}
    scope, policy = (",".join(f"{name}={value}" for name, value in part.items()) for part in (fixture.scope, switches))
    try:
        system, (asked,) = lifecycle_system(scope or "tasks=1", policy or "guarded", (fixture.property,))
    except SpellingError as error:
        raise Stale(error.what) from None
    return Case(system, asked)


def _timed_case(fixture: Fixture) -> Case:
    """The first system of the timed model that has every action of the fixture and records its harm."""
    import z3

    from latchcheck.counterexamples import Case, Stale
    from latchcheck.kernel import Bool, Clause, Property
    from latchcheck.model.config import Config
    from latchcheck.properties.timing import CATALOGUE

    catalogued = CATALOGUE.get(fixture.property)
    if catalogued is None:
        raise Stale(f"there is no property {fixture.property!r}")
    try:
        config = Config().replace(fixture.config or {})
    except (KeyError, TypeError, ValueError) as error:
        raise Stale(f"config: {error}") from None
    harm = fixture.violates.clause.removeprefix("never ")
    try:
        system = _timed_system(fixture.property)(config)
    except KeyError as missing:
        raise Stale(f"config: the model of {fixture.property!r} needs {missing}") from None
    if not any(variable.name == harm and isinstance(variable.domain, Bool) for variable in system.variables):
        raise Stale(f"the model of {fixture.property!r} records no {harm!r}")
    clause = Clause(fixture.violates.clause, z3.Not(z3.Bool(harm)))
    return Case(system, Property(catalogued.id, catalogued.keyword, catalogued.sentence, (clause,)))


def _timed_system(name: str) -> Callable[[Config], System]:
    """What builds the system in which the runs of a timing property are executed."""
    from latchcheck.model.timing.abandonment import abandoned_system
    from latchcheck.model.timing.believed import believed_system
    from latchcheck.model.timing.hinted import obeying_system, polling_system
    from latchcheck.model.timing.human import human_system
    from latchcheck.model.timing.idempotency import idempotency_system
    from latchcheck.model.timing.lease import lease_system, recovery_system
    from latchcheck.model.timing.marker import marker_system
    from latchcheck.model.timing.retry import retry_system
    from latchcheck.model.timing.system import timed_system

    small: dict[str, Callable[[Config], System]] = {
        "advertised-ttl-is-enforced": believed_system,
        "hint-inside-ttl": obeying_system,
        "hint-honoured": polling_system,
        "orphans-found-in-time": abandoned_system,
        "retries-inside-deadline": retry_system,
        "lease-outlives-stall": lease_system,
        "recovery-inside-patience": recovery_system,
        "idempotency-outlives-retries": idempotency_system,
        "input-window-covers-human": human_system,
        "cancel-marker-outlives-record": marker_system,
        "abandoned-work-is-bounded": abandoned_system,
    }
    return small.get(name, timed_system)


def _condition(analysis: Callable[..., object]) -> str | None:
    """The condition in words: what stands below the first paragraph of the analysis, else of its module."""
    import inspect
    import sys

    for documented in (analysis, sys.modules[analysis.__module__]):
        _, _, body = (inspect.getdoc(documented) or "").partition("\n\n")
        if body:
            return " ".join(body.replace("`", "").split())
    return None


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []
