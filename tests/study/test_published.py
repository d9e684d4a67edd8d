"""Each published figure comes out of the command: a test a figure, compared with the paper, not with our output."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.study.printed import TABLES, figures, number

pytestmark = pytest.mark.xdist_group("published")  # what they share is made once

CELLS = [(table, *labels, printed) for table in TABLES for labels, printed in figures(table).items()]
COUNTS = {1: 8, 2: 36, 3: 12, 4: 50, 5: 8}
"""Cells of each table, counted in the paper."""


@pytest.fixture(scope="module")
def recomputed() -> dict[tuple[int, str, str], dict[str, object]]:
    """What `latchcheck study --format json` prints, by table, row and column."""
    command = [sys.executable, "-c", "from latchcheck.cli.main import run; run()", "study", "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ("", 0) == (done.stderr, done.returncode)
    rows = json.loads(done.stdout)
    return {(row["table"], row["row"], row["column"]): row for row in rows}


@pytest.mark.parametrize(("table", "row", "column", "printed"), CELLS)
def test_a_published_figure_comes_out(
    recomputed: dict[tuple[int, str, str], dict[str, object]], table: int, row: str, column: str, printed: str
) -> None:
    """Ours is the figure of the paper, to the last digit that it prints."""
    assert number(printed) == recomputed[table, row, column]["ours"]


@pytest.mark.parametrize(("table", "row", "column", "printed"), CELLS)
def test_a_published_figure_is_quoted_as_printed(
    recomputed: dict[tuple[int, str, str], dict[str, object]], table: int, row: str, column: str, printed: str
) -> None:
    """What stands beside ours as published is what the paper prints."""
    assert number(printed) == recomputed[table, row, column]["published"]


def test_every_figure_is_there_once(recomputed: dict[tuple[int, str, str], dict[str, object]]) -> None:
    """Each table has as many figures as the paper prints, and each object has the five keys and no other."""
    assert {(table, row, column) for table, row, column, _ in CELLS} == set(recomputed)
    assert COUNTS == {table: sum(key[0] == table for key in recomputed) for table in COUNTS}
    assert {("table", "row", "column", "published", "ours")} == {tuple(row) for row in recomputed.values()}
