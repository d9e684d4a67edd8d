"""Saved counterexamples about instances that lag, on a PostgreSQL primary with a standby whose replay is held."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from latchcheck.cli import wiring
from latchcheck.counterexamples import SAVED, load
from latchcheck.counterexamples.targets import Answer, Call, Opened
from latchcheck.counterexamples.targets.postgres_standby import Early, NaiveOnStandby, OnStandby

EARLY = ("durable-before-reply/create-visibility-one-instance", "client-converges/create-visibility-one-instance")
ON_COPY = ("one-terminal-outcome/guard-reads-replica", "stale-writer-blocked/guard-reads-replica")
LAGGING = "tasks=2,workers=1,cancels=1,lag=1,polls=1"


@pytest.fixture(scope="module")
def standby() -> Iterator[OnStandby]:
    """The two servers for the tests of this file."""
    target = OnStandby()
    yield target
    target.stop()


def beside(standby: OnStandby, kind: type[OnStandby]) -> OnStandby:
    """Another store on the same two servers."""
    made = kind()
    made._started = standby._started  # type: ignore[method-assign]  # noqa: SLF001 - they take long to start
    return made


def test_a_store_without_a_copy_is_not_asked_to_lag() -> None:
    """Where the table has no `replicate`, a read of a copy cannot be asked for, and catching up is no event."""
    fixture = load(SAVED / f"{EARLY[1]}.json")
    assert "lags behind" in wiring.replay_on_target(fixture, wiring.open_target("sqlite")).reason
    assert (
        wiring.replay_on_target(load(SAVED / f"{ON_COPY[0]}.json"), wiring.open_target("sqlite")).outcome == "conforms"
    )


@pytest.mark.needs("postgres")
@pytest.mark.xdist_group("standby")
def test_the_copy_is_behind_until_it_is_told_to_catch_up(standby: OnStandby) -> None:
    """What was written since is not read on the standby, however long one waits, and is read after `replicate`."""
    with Opened(standby) as session:
        session.perform(Call("create", "t1", "c1"))
        session.perform(Call("cancel", "t1", "c1"))

        def read() -> tuple[str | None, str | None]:
            primary: Answer = session.perform(Call("get", "t1", "c1"))
            return primary.status, session.perform(Call("get", "t1", "c1", {"replica": True})).status

        assert ("cancelled", "working") == read() == read()
        session.perform(Call("replicate", "t1"))
        assert read() == ("cancelled", "cancelled")


@pytest.mark.needs("postgres")
@pytest.mark.xdist_group("standby")
@pytest.mark.parametrize(("kind", "reproduces"), [(OnStandby, ()), (Early, EARLY), (NaiveOnStandby, ON_COPY)])
def test_a_store_over_a_standby_shows_what_it_does_wrong(
    standby: OnStandby, kind: type[OnStandby], reproduces: tuple[str, ...]
) -> None:
    """One that awaits the standby and guards on the primary conforms; without the one or the other it does not."""
    target = beside(standby, kind)
    found = {name: wiring.replay_on_target(load(SAVED / f"{name}.json"), target).outcome for name in (*EARLY, *ON_COPY)}
    assert {name for name, outcome in found.items() if outcome == "reproduced"} == set(reproduces)
    # What is answered too early is seen at the create of every run.
    assert {outcome for name, outcome in found.items() if name not in reproduces} <= (
        {"differs"} if kind is Early else {"conforms"}
    )


@pytest.mark.needs("postgres")
@pytest.mark.xdist_group("standby")
def test_drawn_runs_are_compared_on_a_standby(standby: OnStandby) -> None:
    """Runs with lagging reads, drawn and done to the store: a guarded one does not diverge."""
    drawn = wiring.run_lockstep(standby, LAGGING, "guard_reads=replica", seed=1, runs_max=8, steps_max=12)
    found = [one for _, one in drawn]
    assert found[-1].ended == "nothing-found"
    assert found[0].kinds["replicate"] > 0
