"""Saved counterexamples: loaded, replayed and made smaller on the model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from .lifecycle import lifecycle_system

if TYPE_CHECKING:  # each function imports what it needs, so that --help does not pay for the solver
    from latchcheck.counterexamples import Case, Fixture, Replayed
    from latchcheck.kernel import System
    from latchcheck.model.config import Config


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
