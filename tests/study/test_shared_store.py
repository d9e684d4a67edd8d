"""Past Table 1: many instances over one store, what they read from, and what is told of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from latchcheck.cli.main import main
from latchcheck.cli.wiring import shared
from latchcheck.counterexamples.targets import rolling, rolling_load, triaging
from latchcheck.counterexamples.targets.errors import TargetMissing
from latchcheck.counterexamples.targets.restarting import place
from latchcheck.counterexamples.targets.rolling import Reading, RollingRestart, rolling_restart, standby_of
from latchcheck.counterexamples.targets.rolling_load import Load
from latchcheck.counterexamples.targets.stores.opening import Place
from latchcheck.counterexamples.targets.stores.process import Process
from latchcheck.counterexamples.targets.stores.records import Started, Windows, Write
from latchcheck.counterexamples.targets.stores.server import PostgresServer
from latchcheck.counterexamples.targets.stores.store import CasStore
from latchcheck.counterexamples.targets.triaging import BesideTheLiving, Triage, start_beside_the_living
from latchcheck.properties.study.replica import ask
from latchcheck.report.study.tables import Section

pytestmark = pytest.mark.xdist_group("shared-store")  # what they share is made once

Measured = dict[str, RollingRestart]


@pytest.fixture(scope="module")
def measured() -> list[Section]:
    """What `latchcheck study --table 1` shows past the table."""
    return shared.shared_stores(lambda: None)


@pytest.fixture(
    scope="module", params=["read transaction", pytest.param("standby", marks=pytest.mark.needs("postgres"))]
)
def lagging(request: pytest.FixtureRequest) -> Iterator[Measured]:
    """Each way to read, on SQLite with a read transaction held open and on PostgreSQL with a held standby."""
    ways = ("replica", "guard-on-primary", "catches-up")
    if request.param == "read transaction":
        yield {way: rolling_restart("sqlite", 2, 30, reading=way) for way in ways}
        return
    server = PostgresServer()
    try:
        with standby_of(server) as copy:
            yield {way: rolling_restart("postgres", 2, 30, reading=way, copy=copy, server=server.dsn) for way in ways}
    finally:
        server.stop()


@pytest.fixture
def told_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """For what is told of a store alone: experiments that end at once, with a count of one in each place."""

    def rolled(store: str, *_: object, reading: Reading = "primary", copy: str = "", **__: object) -> RollingRestart:
        counts: dict[str, Any] = {one.name: 1 for one in attrs.fields(RollingRestart)}
        counts |= {"store": store, "copy": copy, "reading": reading, "shown": ""}
        return RollingRestart(**counts)

    def started(store: str, *, triage: Triage, server: str | None) -> BesideTheLiving:
        del server
        return BesideTheLiving(store, triage, 8, 0, 0, 8, 1)

    monkeypatch.setattr(rolling, "rolling_restart", rolled)
    monkeypatch.setattr(triaging, "start_beside_the_living", started)


def open_store() -> CasStore:
    """An empty store in this process."""
    store = Place(database="volatile").open()
    store.create_tables()
    return store


@pytest.mark.slow
def test_a_triage_takes_work_from_the_living() -> None:
    """All eight attempts of a living instance are run again, and its outcomes turned down: the lease is another's."""
    expected = BesideTheLiving("sqlite", triage="all in flight", in_flight=8, taken=8, refused=8, stored=0, picked_up=1)
    assert expected == start_beside_the_living("sqlite", triage="all in flight")


@pytest.mark.slow
@pytest.mark.parametrize("way", ["leases run out", "none"])
def test_leases_take_work_from_the_dead_only(way: Triage) -> None:
    """Where only what has run out is freed, or nothing, the living finish, and what the dead left is taken up later."""
    expected = BesideTheLiving("sqlite", triage=way, in_flight=8, taken=0, refused=0, stored=8, picked_up=1)
    assert expected == start_beside_the_living("sqlite", triage=way)


@pytest.mark.slow
@pytest.mark.usefixtures("told_only")
def test_a_store_that_is_not_there_is_named_and_the_figures_still_count(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without PostgreSQL its rows are left out with the reason, and the exit code is about the published figures."""

    def missing() -> None:
        raise TargetMissing("no PostgreSQL was found: install it")

    monkeypatch.delenv("LATCHCHECK_POSTGRES", raising=False)
    monkeypatch.setattr("latchcheck.counterexamples.targets.stores.server.PostgresServer", missing)
    code = main(["study", "--table", "1"])
    out, err = capsys.readouterr()
    assert (0, "") == (code, err)
    assert "PostgreSQL: not measured: no PostgreSQL was found: install it" in out
    assert "8 of 8 published figures" in out


@pytest.mark.slow
@pytest.mark.needs("postgres")
def test_nothing_is_lost_or_changed_by_rolling_restarts(measured: list[Section]) -> None:
    """Whatever the load, every handle that was named survives, no outcome changes, and no view goes back."""
    rolled = measured[0]
    columns = {name: number for number, name in enumerate(rolled.head)}
    assert ["SQLite file", "PostgreSQL"] == [row[0] for row in rolled.rows]
    for row in rolled.rows:
        assert row[columns["handles"]] == row[columns["survive"]]
        assert ("0", "0", "0") == (row[columns["lost"]], row[columns["changed"]], row[columns["back"]])
        # Some of what was under way is resumed, and what was late by then is failed.
        assert 0 not in [int(part) for part in row[columns["triaged"]].split(", ")[:2]]


@pytest.mark.slow
@pytest.mark.needs("postgres")
def test_the_model_stands_beside_the_stores(measured: list[Section]) -> None:
    """What the model calls violated was seen on each store with that fault, and what it says holds on none."""
    assert 6 == len(measured[3].rows)
    for _, policy, told, _, *counts in measured[3].rows:
        assert ("violated" in told) == (policy != "guarded")
        assert 2 == len(counts)
        assert {policy != "guarded"} == {count != "0" for count in counts}


@pytest.mark.usefixtures("told_only")
def test_a_server_that_does_not_answer_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """LATCHCHECK_POSTGRES may name a server that is gone: its rows are left out, with what the driver says."""
    monkeypatch.setenv("LATCHCHECK_POSTGRES", "host=/nowhere dbname=none")
    rolled, started, copied, compared = shared.shared_stores(lambda: None)
    assert {"SQLite, open read transaction"} == {row[0] for row in copied.rows}
    assert "SQLite, open read transaction" == compared.head[-1]
    assert ["SQLite file"] == [row[0] for row in rolled.rows]
    assert {"SQLite file"} == {row[0] for row in started.rows}
    assert rolled.notes[-1].startswith("PostgreSQL: not measured: PostgreSQL: ")
    assert "\n" not in rolled.notes[-1]


# -- copies that lag --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_who_reads_a_copy_that_lags_is_told_old_things(lagging: Measured) -> None:
    """Reads are stale, tasks that were named are not found, and an open task is told after its outcome."""
    for way in ("replica", "guard-on-primary"):
        one = lagging[way]
        assert 0 < one.missing <= one.stale
        assert 0 < one.reopened <= one.backwards <= one.stale


@pytest.mark.slow
def test_a_read_that_went_back_is_shown_with_what_was_told_before(lagging: Measured) -> None:
    """The first of them ends with an open task, after an outcome of that task; where none goes back none is shown."""
    for way in ("replica", "guard-on-primary"):
        *before, last = lagging[way].shown.split("; ")
        assert "RETURN_STATUS, working, version 1" in last
        assert any(", completed" in one or ", cancelled" in one or ", failed" in one for one in before)
    assert "" == lagging["catches-up"].shown


@pytest.mark.slow
def test_a_guard_that_reads_the_copy_overwrites_outcomes(lagging: Measured) -> None:
    """Only where the guard of a write looks at the copy is an outcome changed, also by a write that raced nobody."""
    assert 0 < lagging["replica"].overwritten <= lagging["replica"].changed
    assert (0, 0) == (lagging["guard-on-primary"].changed, lagging["catches-up"].changed)
    assert {0} == {one.lost for one in lagging.values()}


@pytest.mark.slow
def test_who_says_what_it_knows_is_never_told_less(lagging: Measured) -> None:
    """With the primary behind a copy that lacks what its reader knows, no read goes back and none misses a task."""
    one = lagging["catches-up"]
    assert (0, 0, 0) == (one.missing, one.backwards, one.reopened)


@pytest.mark.slow
def test_a_held_read_transaction_shows_what_was_there_when_it_began() -> None:
    """What is stored after its first read is not seen before it is begun anew, after twelve reads."""
    with place("sqlite") as where:
        writer = where.open()
        writer.create_tables()
        writer.create(0, "t1", "p1")
        reader = attrs.evolve(where, copy="snapshot").open()
        told = [reader.get(1, "t1", "p1", contact=False).status]
        writer.write(2, Write(task="t1", auth="p1", status="completed"))
        told += [reader.get(3, "t1", "p1", contact=False).status for _ in range(12)]
        writer.db.close()
        reader.db.close()
    assert ["working"] * 12 + ["completed"] == told


@pytest.mark.parametrize(
    ("name", "policy", "steps"),
    [
        ("one-terminal-outcome", "guard_reads=replica", 5),
        ("durable-before-reply", "create_visibility=one-instance", 2),
        # Asked while the record is open, and told of it twice, from the record and then from the copy.
        ("view-never-goes-back", "view=last-arrival-wins", 8),
    ],
)
def test_the_model_has_the_same_faults(name: str, policy: str, steps: int) -> None:
    """A copy that lags breaks the property under its switch, in as many steps as counted by hand, and not guarded."""
    broken, kept = ask(name, policy), ask(name, "guarded")
    assert broken.run is not None
    assert (steps, None) == (len(broken.run), kept.run)


# -- starts -----------------------------------------------------------------------------------------------------------


def test_a_start_says_what_it_found_under_way() -> None:
    """Alone it frees every lease; of four tasks one is past its deadline, one out of attempts, one was free."""
    store = open_store()
    for task, windows in (("late", Windows(deadline_ms=5)), ("spent", Windows(attempts_max=1)), ("held", Windows())):
        store.create(0, task, "p1", windows)
        store.dispatch(1, task, "w1")
    store.create(0, "free", "p1")
    started = store.start(10)
    assert Started(freed=2, late=1, spent=1) == started
    assert 1 == started.resumed
    assert ["failed", "failed", "working", "working"] == [
        store.get(11, task, "p1").status for task in ("late", "spent", "held", "free")
    ]


def test_beside_the_living_a_start_frees_what_has_run_out() -> None:
    """A lease of 100 ms that began at 0 is freed at 100 and not at 99."""
    store = open_store()
    store.create(0, "t1", "p1", Windows(lease_ms=100))
    store.dispatch(0, "t1", "w1")
    assert [Started(0, 0, 0), Started(1, 0, 0)] == [store.start(now_ms, alone=False) for now_ms in (99, 100)]


@pytest.mark.slow
def test_a_load_that_cannot_begin_leaves_no_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where the third instance does not start, the two before it are ended."""
    running: list[Process] = []

    def started(where: Place) -> Process:
        if len(running) == 2:
            raise OSError("no more processes")
        running.append(Process(where))
        return running[-1]

    monkeypatch.setattr(rolling_load, "Process", started)
    with (
        pytest.raises(OSError, match="no more processes"),
        Load(Place(database="sqlite", where=str(tmp_path / "tasks.db")), 3, 0),
    ):
        raise AssertionError("the load must not begin")
    assert 2 == len(running)
    assert all(one.ended for one in running)
