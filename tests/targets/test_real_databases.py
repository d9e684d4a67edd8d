"""Races, kills and restarts of real processes on real databases; long campaigns are for the command line."""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import pytest

from latchcheck.cli.wiring.races import _Judge, race_fixture
from latchcheck.cli.wiring.targets import open_target, replay_on_target
from latchcheck.counterexamples.targets.killing import CONTRASTS, STORIES, kill_everywhere
from latchcheck.counterexamples.targets.racing import race
from latchcheck.counterexamples.targets.restarting import AfterRestart, place, restart_once
from latchcheck.counterexamples.targets.rolling import rolling_restart
from latchcheck.counterexamples.targets.stores.opening import Place
from latchcheck.counterexamples.targets.stores.postgres import LEVELS
from latchcheck.counterexamples.targets.stores.server import PostgresServer

pytestmark = pytest.mark.slow
JUDGE = _Judge()


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """One PostgreSQL server for the tests of this file."""
    made = PostgresServer()
    yield made
    made.stop()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.needs("postgres"))])
def where(request: pytest.FixtureRequest) -> Iterator[Place]:
    """An empty store in each database."""
    dsn = request.getfixturevalue("server").dsn if request.param == "postgres" else None
    with place(request.param, dsn) as made:
        yield made


def test_compare_and_swap_lets_no_second_outcome_through(where: Place) -> None:
    """Every history of the guarded store is explained by an order of the model's operations, and was contended."""
    raced = race(where, writers=6, rounds=40)
    assert (0, 0, 0) == (raced.unexplained, raced.collided, raced.unknown)
    assert raced.contended > 20


@pytest.mark.needs("postgres")
@pytest.mark.parametrize("level", LEVELS)
def test_compare_and_swap_needs_no_isolation_level(server: PostgresServer, level: str) -> None:
    """At every level of PostgreSQL, from the weakest to the strongest, no second outcome is let through."""
    with place("postgres", server.dsn) as made:
        raced = race(attrs.evolve(made, level=level), writers=3, rounds=8)
    assert (0, 0, 0) == (raced.unexplained, raced.collided, raced.unknown)
    assert raced.contended > 2


def test_the_smallest_violation_comes_first() -> None:
    """Of several rounds that no order explains the one with the fewest operations left is told first."""
    with place("sqlite") as made:
        raced = race(attrs.evolve(made, naive=True, level="autocommit"), writers=6, rounds=30, keep=10)
    sizes = [len(one.smallest) for one in raced.violations]
    assert sizes == sorted(sizes)
    assert 1 < len(sizes) <= 10


def test_operations_without_an_answer_are_explained_too() -> None:
    """Where racers are killed in the middle, what they did may or may not have happened, and the rest still fits."""
    with place("sqlite") as made:
        raced = race(made, writers=5, rounds=30, kill_every=2)
    assert raced.unknown > 0
    assert 0 == raced.unexplained


def test_read_then_write_lets_a_second_outcome_through(where: Place) -> None:
    """The naive store loses races, the smallest part is two stored outcomes, and the model has a run of it."""
    naive = attrs.evolve(where, naive=True, level="autocommit")
    raced = race(naive, writers=6, rounds=60)
    assert raced.unexplained >= raced.collided > 0
    part = raced.violations[0].smallest
    assert 2 == sum(one.decision == "APPLY" for one in part)
    fixture = race_fixture(part)
    if fixture is not None:
        assert replay_on_target(fixture, open_target("sqlite-naive")).outcome == "reproduced"
        assert replay_on_target(fixture, open_target("sqlite")).outcome == "conforms"


@pytest.mark.parametrize("story", [name for name in STORIES if name not in CONTRASTS])
def test_a_death_at_any_statement_leaves_nothing_wrong(story: str) -> None:
    """Whichever statement a victim dies before, the model's properties hold of what SQLite then has."""
    with place("sqlite") as made:
        killed = kill_everywhere(made, story, JUDGE)
    assert len(killed.points) >= 5
    assert [] == list(killed.broken)


@pytest.mark.needs("postgres")
@pytest.mark.parametrize("story", ["server", "cancel"])
def test_a_death_at_any_statement_leaves_nothing_wrong_on_postgres(server: PostgresServer, story: str) -> None:
    """The same on PostgreSQL, for the shortest stories; `latchcheck kill` tells all."""
    with place("postgres", server.dsn) as made:
        killed = kill_everywhere(made, story, JUDGE)
    assert len(killed.points) >= 5
    assert [] == list(killed.broken)


def test_a_handle_that_is_stored_after_the_call_can_be_lost() -> None:
    """With the store as printed there is exactly one point, between reply and handle, that loses the task."""
    with place("sqlite") as made:
        killed = kill_everywhere(made, "client-after-return", JUDGE)
    assert 1 == len(killed.broken)


def test_a_message_sent_after_the_commit_can_be_lost() -> None:
    """The naive store commits the record before its message: who dies between the two leaves a task nobody runs."""
    with place("sqlite") as made:
        killed = kill_everywhere(attrs.evolve(made, naive=True), "server", JUDGE)
    assert any("dispatch-with-record" in what for point in killed.broken for what in point.broken)


def test_a_restart_keeps_what_is_on_disk_and_nothing_else() -> None:
    """20 handles, 12 completed: a volatile store forgets all, SQLite tells 12 and resumes 8, or fails the late ones."""
    kept = AfterRestart("sqlite", 20, 12, readable=12, forgotten=0, resumed=8, failed=0, lost=0)
    assert AfterRestart("volatile", 20, 12, readable=0, forgotten=12, resumed=0, failed=0, lost=8) == restart_once(
        "volatile"
    )
    assert kept == restart_once("sqlite")
    assert attrs.evolve(kept, resumed=5, failed=3) == restart_once("sqlite", overdue=3)


def test_instances_that_restart_one_by_one_lose_no_task_that_was_named() -> None:
    """Over one shared store no accepted task is lost, and no outcome that was told changes."""
    rolled = rolling_restart("sqlite", instances=2, tasks=12)
    assert (12, 0, 0, 0) == (rolled.survived, rolled.lost, rolled.changed, rolled.backwards)
    assert rolled.restarts == 2
