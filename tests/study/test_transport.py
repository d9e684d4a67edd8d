"""The poll frontier on a real server: how runs are compared, and one small run against FastMCP over HTTP."""

from __future__ import annotations

import json
from itertools import pairwise, repeat
from pathlib import Path

import attrs
import jsonschema
import pytest

from latchcheck.cli.main import main
from latchcheck.counterexamples.targets import environments
from latchcheck.counterexamples.targets.polling import Asked, Polled, PolledServer
from latchcheck.properties.study.transport import Compared, Observed, Planned, compare, notes, plan
from latchcheck.report.study.transport import Row, as_json, as_markdown, as_text

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
FIVE = Planned("fixed 5000 ms", 60, seed=0, phase=5)
"""A task of 60 s, polled every 5 s: 3 s of work and gaps of 250 ms at a scale of 20."""


def observed(**changes: float) -> Observed:
    """A run of `FIVE` without any network, but for what is said."""
    return attrs.evolve(Observed(12, 0.0, 0.0, 0.0, 0.0, 3.0), **changes)


def test_every_cell_of_the_table_is_planned() -> None:
    """Six policies on three lengths of task, each with as many runs."""
    cells = plan()
    assert 18 == len({(cell[0].policy, cell[0].duration_s) for cell in cells}) == len(cells)
    assert {3} == {len(cell) for cell in cells}


def test_time_is_scaled_down() -> None:
    """60 s at a scale of 20 are 3 s of work, 5 s are 250 ms of gap."""
    assert (3.0, 0.25) == (FIVE.work_s, next(FIVE.gaps_s))


def test_without_a_network_the_model_is_its_own_account() -> None:
    """The twelfth poll comes as the work ends, with and without the measured nothing."""
    cell = compare([FIVE], [observed()])
    assert (12, 0.0) == FIVE.modelled()
    assert (12, 12, 12, 0.0, 0.0) == (
        cell.model_polls, cell.server_polls, cell.explained_polls, cell.off, cell.unexplained
    )  # fmt: skip


@pytest.mark.parametrize(
    ("round_trip_s", "overslept_s", "polls"), [(0.05, 0.0, 11), (0.0, 0.1, 9), (0.1, 0.025, 9), (0.25, 0.0, 7)]
)
def test_a_poll_costs_its_gap_and_a_round_trip(round_trip_s: float, overslept_s: float, polls: int) -> None:
    """Poll k arrives k * (250 ms + round trip + oversleep) after the handle, less half a round trip.

    The handle comes at 0: 3.0 s are reached by poll ceil((3 + r / 2) / (0.25 + r + o)).
    """
    assert polls == FIVE.with_network(0.0, round_trip_s, overslept_s, 3.0)


def test_staleness_is_scaled_back_and_the_round_trip_is_not() -> None:
    """Half a second late at a scale of 20 is ten seconds of the task; 4 ms are 4 ms."""
    cell = compare([FIVE, FIVE], [observed(staleness_s=0.5, round_trip_s=0.004)] * 2)
    assert (10.0, 4.0) == (cell.server_staleness_s, cell.round_trip_ms)


def test_off_is_a_share_of_the_servers_count() -> None:
    """Twelve polls against ten are 20% too many."""
    assert 20.0 == compare([FIVE], [observed(polls=10)]).off


def cell(**changes: float) -> Compared:
    """A cell in which everything agrees, but for what is said."""
    return attrs.evolve(Compared("fixed 5000 ms", 60, 20, 3, 12.0, 12.0, 12.0, 0.0, 0.0, 2.0), **changes)


def test_the_notes_name_the_cell_that_is_off_most() -> None:
    """How many cells agree, the worst of them, and what is left when the network is in the model."""
    told = list(notes([cell(), cell(model_polls=18.0), cell(explained_polls=11.4)]))
    assert "in 2 of 3 cells; it is off by up to +50.0%" in told[0]
    assert "off by at most -5.0%" in told[-1]


ROW = Row("fixed 5000 ms", 60, 20, 3, 12.3, 12.0, 2.5, 12.0, 0.0, 0.2, 0.8, 4.15)


def test_the_json_keeps_to_its_schema() -> None:
    """What --transport prints is what docs/reference/transport.schema.json describes."""
    whole = json.loads(as_json([ROW], {"mcp": "2.3.0"}, ["a note"]))
    jsonschema.validate(whole, json.loads((REFERENCE / "transport.schema.json").read_text(encoding="utf-8")))


def test_text_and_markdown_show_the_same_cells() -> None:
    """Each has the counts, how far they are off, and what it was measured on."""
    for shown in (as_text([ROW], {"mcp": "2.3.0"}, [], 120), as_markdown([ROW], {"mcp": "2.3.0"}, [])):
        assert [part for part in ("12.3", "12.0", "+2.5%", "1/20", "4.15 ms", "mcp 2.3.0") if part not in shown] == []


def test_a_missing_server_is_told_with_the_command_that_installs_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without the environment nothing is measured, and the error says what to run."""
    monkeypatch.setenv("LATCHCHECK_TARGETS", str(tmp_path))
    code = main(["study", "--transport"])
    out, err = capsys.readouterr()
    assert (2, "") == (code, out)
    assert "run `latchcheck targets install fastmcp`" in err


@pytest.mark.slow
def test_polls_are_counted_where_they_arrive() -> None:
    """A real server counts each poll once, in order, no sooner than its gap, and the last one after the work."""
    environments.install("fastmcp")
    work_s, runs = 0.5, list[Polled]()
    with PolledServer() as server:
        # A machine that is busy polls little: it is given more time.
        while not runs or min(len(seen.arrivals_s) for seen in runs) < 2:
            runs = server.poll_all([Asked(work_s, repeat(0.05))] * 2, at_once=2)
            work_s *= 4
    for seen in runs:
        assert 2 <= len(seen.arrivals_s) <= work_s / 4 / 0.05
        assert min(later - earlier for earlier, later in pairwise(seen.arrivals_s)) >= 0.05
        # The last poll may arrive while the work ends, and be answered when it has ended.
        assert seen.ended_s >= 0.5
        assert -seen.round_trip_s * len(seen.arrivals_s) <= seen.staleness_s
        assert 0 <= seen.handle_s <= seen.arrivals_s[0]
        assert seen.round_trip_s > 0
