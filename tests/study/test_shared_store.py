"""Past Table 1: many instances over one store, and what is told of them."""

from __future__ import annotations

import pytest

from latchcheck.cli.main import main
from latchcheck.cli.wiring import shared
from latchcheck.counterexamples.targets.errors import TargetMissing
from latchcheck.counterexamples.targets.triaging import BesideTheLiving, start_beside_the_living


@pytest.mark.slow
def test_a_triage_takes_work_from_the_living() -> None:
    """All eight attempts of a living instance are run again, and its outcomes turned down: the lease is another's."""
    expected = BesideTheLiving("sqlite", triage=True, in_flight=8, taken=8, refused=8, stored=0, picked_up=1)
    assert expected == start_beside_the_living("sqlite", triage=True)


@pytest.mark.slow
def test_leases_alone_take_work_from_the_dead_only() -> None:
    """Without the triage the living finish what they have, and what a dead instance left is taken up later."""
    expected = BesideTheLiving("sqlite", triage=False, in_flight=8, taken=0, refused=0, stored=8, picked_up=1)
    assert expected == start_beside_the_living("sqlite", triage=False)


@pytest.mark.slow
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
def test_nothing_is_lost_or_changed_by_rolling_restarts() -> None:
    """Whatever the load, every handle that was named survives, no outcome changes, and no view goes back."""
    rolled, _ = shared.shared_stores(lambda: None)
    columns = {name: number for number, name in enumerate(rolled.head)}
    assert ["SQLite file", "PostgreSQL"] == [row[0] for row in rolled.rows]
    for row in rolled.rows:
        assert row[columns["handles"]] == row[columns["survive"]]
        assert ("0", "0", "0") == (row[columns["lost"]], row[columns["changed"]], row[columns["back"]])


@pytest.mark.slow
def test_a_server_that_does_not_answer_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """LATCHCHECK_POSTGRES may name a server that is gone: its rows are left out, with what the driver says."""
    monkeypatch.setenv("LATCHCHECK_POSTGRES", "host=/nowhere dbname=none")
    rolled, started = shared.shared_stores(lambda: None)
    assert ["SQLite file"] == [row[0] for row in rolled.rows]
    assert {"SQLite file"} == {row[0] for row in started.rows}
    assert rolled.notes[-1].startswith("PostgreSQL: not measured: PostgreSQL: ")
    assert "\n" not in rolled.notes[-1]
