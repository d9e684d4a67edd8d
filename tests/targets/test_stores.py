"""Saved counterexamples on the stores: the guarded ones conform, the naive one shows what it does wrong."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from latchcheck.cli.wiring.targets import open_target, replay_on_target
from latchcheck.counterexamples import SAVED, load, saved
from latchcheck.counterexamples.targets import Answer, Call, Opened, TargetCrashed
from latchcheck.counterexamples.targets.mapping import known_actions
from latchcheck.counterexamples.targets.postgres import NaivePostgres, Postgres
from latchcheck.counterexamples.targets.sqlite import Sqlite
from latchcheck.counterexamples.targets.stores import statements
from latchcheck.counterexamples.targets.stores.postgres import LEVELS
from latchcheck.model.lifecycle import lifecycle_system
from latchcheck.model.policy import SWITCHES, Policy
from latchcheck.model.scope import Scope

# What a store that reads and then writes, checks no owner and no ttl must show, whatever else is saved.
NAIVE = (
    "one-terminal-outcome/terminal-guard-check-then-set",
    "legal-transitions-only/terminal-guard-check-then-set",
    "stale-writer-blocked/terminal-guard-check-then-set",
    "no-write-after-expiry/expiry-check-off",
    "tenant-isolation/tenant-check-reads-only",
)


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    """One server for the tests of this file."""
    target = Postgres()
    yield target
    target.stop()


@cache
def outcomes(name: str) -> dict[str, str]:
    """What became of every saved fixture of the lifecycle on a target."""
    target = open_target(name)
    return {one.id: replay_on_target(one, target).outcome for _, one in saved() if one.config is None}


@pytest.mark.parametrize("name", ["model", "sqlite"])
def test_a_guarded_implementation_conforms_or_does_not_apply(name: str) -> None:
    """On the guarded model and on the compare-and-swap store nothing is reproduced, and most fixtures are tried."""
    found = outcomes(name)
    assert set(found.values()) == {"conforms", "not-applicable"}
    assert list(found.values()).count("conforms") >= len(found) // 3


def test_the_naive_store_reproduces() -> None:
    """The store that reads and then writes answers as the broken model does, and never better than the guarded one."""
    found, guarded = outcomes("sqlite-naive"), outcomes("sqlite")
    assert dict.fromkeys(NAIVE, "reproduced") == {name: found[name] for name in NAIVE}
    assert all(guarded[name] == "conforms" for name, outcome in found.items() if outcome == "reproduced")


@pytest.mark.needs("postgres")
@pytest.mark.parametrize("level", LEVELS)
def test_postgres_conforms_at_every_isolation_level(postgres: Postgres, level: str) -> None:
    """The compare-and-swap store conforms whatever the isolation level."""
    target = Postgres(level)
    target.dsn = postgres.dsn  # type: ignore[method-assign]
    for name in NAIVE:
        assert replay_on_target(load(SAVED / f"{name}.json"), target).outcome == "conforms"


@pytest.mark.needs("postgres")
def test_the_naive_store_reproduces_on_postgres(postgres: Postgres) -> None:
    """The same store on PostgreSQL shows the same."""
    target = NaivePostgres()
    target.dsn = postgres.dsn  # type: ignore[method-assign]
    for name in NAIVE:
        assert replay_on_target(load(SAVED / f"{name}.json"), target).outcome == "reproduced"


@pytest.mark.needs("postgres")
def test_a_database_that_goes_away_is_a_crash(postgres: Postgres) -> None:
    """When the server dies under a session, its next call is a crash, and no answer."""
    with Opened(postgres) as session:
        session.perform(Call("create", "t1", "c1"))
        server = postgres._server  # noqa: SLF001 - there is no other way to kill it
        assert server is not None
        server.kill()
        with pytest.raises(TargetCrashed):
            session.perform(Call("get", "t1", "c1"))
        server.start()


def test_every_action_of_the_model_has_a_meaning_outside() -> None:
    """Under every value of every switch, no action is one that the mapping does not know."""
    policies = [Policy(**{name: value}) for name, switch in SWITCHES.items() for value in switch.values]
    small = Scope.parse("ci").at_most(tasks=1, workers=1, inputs=1, attempts=1, cancels=1)
    found = {action.name for one in policies for action in lifecycle_system(small, one).actions}
    assert found - known_actions() == set()


def test_each_step_is_judged_by_one_observer() -> None:
    """The evidence holds, after each event, what one and the same observer read of every task."""
    ran = replay_on_target(load(SAVED / f"{NAIVE[0]}.json"), open_target("sqlite-naive"))
    assert "cancelled" == ran.steps[-1].observed["t1"]
    assert [step.call.kind for step in ran.steps][:2] == ["create", "dispatch"]
    assert Answer(why="APPLY", status="cancelled") == ran.steps[-1].answer


def test_what_is_not_in_the_table_is_not_applicable() -> None:
    """A target without a second worker, or without a clock, makes the fixtures that need one not applicable."""
    import attrs

    class Small(Sqlite):
        """A store that says less of itself."""

        @property
        def table(self) -> object:  # type: ignore[override]
            """Create, get and nothing of what a worker does."""
            return attrs.evolve(super().table, events=frozenset({"create", "get", "cancel"}))

    ran = replay_on_target(load(SAVED / f"{NAIVE[0]}.json"), Small())  # type: ignore[arg-type]
    assert ("not-applicable", "it cannot do 'dispatch'") == (ran.outcome, ran.reason)


BROKEN = {
    "a write without version and open status": (
        "SWAP",
        (" AND version = :expected", " AND status IN ('working', 'input_required')"),
        "cancel-is-intent/terminal-guard-check-then-set",
    ),
    "a write without ttl": ("SWAP", (" AND expires_at > :now",), "no-write-after-expiry/expiry-check-off"),
    "a cancel of anything": (
        "CANCEL",
        ("AND status IN ('working', 'input_required')",),
        "one-terminal-outcome/terminal-guard-none",
    ),
    "a cancel by anybody": ("CANCEL", (" AND auth_key = :auth",), "tenant-isolation/tenant-check-reads-only"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_store_without_a_part_of_its_predicate_is_found_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a condition is taken out of the statement, the fixture about it no longer conforms."""
    statement, parts, fixture = BROKEN[name]
    text = getattr(statements, statement)
    for part in parts:
        assert part in text
        text = text.replace(part, "")
    monkeypatch.setattr(statements, statement, text)
    ran = replay_on_target(load(SAVED / f"{fixture}.json"), open_target("sqlite"))
    assert ran.outcome in ("reproduced", "differs"), ran.reason
