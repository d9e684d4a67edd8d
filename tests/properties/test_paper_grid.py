"""The paper's experiment E4: eight configurations, the outcomes of its Table 5, and one command for all of them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from latchcheck.model.reading import read
from latchcheck.properties.timing import verify

FOLDER = Path(__file__).parents[2] / "docs" / "examples" / "paper-e4"
SECOND = 1_000

# Ceiling, window, published outcome, margin. The longest silence is the ceiling itself: no latency, no failures, and
# jitter up to 1; the ramp reaches 900 s (250 ms * 1.6^18 > 900 s) after at least 984 s, well inside the hour.
TABLE_5 = [
    (10, 900, "survived", (900 - 10) * SECOND),
    (60, 900, "survived", (900 - 60) * SECOND),
    (300, 900, "survived", (900 - 300) * SECOND),
    (900, 900, "survived", 0),
    (10, 120, "survived", (120 - 10) * SECOND),
    (60, 120, "survived", (120 - 60) * SECOND),
    (300, 120, "orphaned", (120 - 300) * SECOND),
    (900, 120, "orphaned", (120 - 900) * SECOND),
]
APPLICABLE = {
    "no-live-orphan",
    "result-reaches-client",
    "orphans-found-in-time",
    "abandoned-work-is-bounded",
    "every-window-can-fire",
}


def cell(ceiling: int, window: int) -> str:
    """The file of one cell."""
    return str(FOLDER / f"ceiling-{ceiling}s-window-{window}s.toml")


@pytest.mark.parametrize(("ceiling", "window", "outcome", "margin"), TABLE_5)
def test_a_task_can_be_orphaned_exactly_where_the_paper_says_so(
    ceiling: int, window: int, outcome: str, margin: int
) -> None:
    """The margin is the window less the ceiling; a silence of exactly the window is not longer than it."""
    report = verify(read([cell(ceiling, window)]))
    verdicts = {one.id: one for one in report.properties}
    orphan = verdicts["no-live-orphan"]

    assert ("violated" if outcome == "orphaned" else "proved", margin) == (orphan.verdict, orphan.margin_ms)
    assert (1 if outcome == "orphaned" else 0) == report.exit


@pytest.mark.parametrize(("ceiling", "window"), [row[:2] for row in TABLE_5])
def test_nothing_else_is_wrong_with_the_grid(ceiling: int, window: int) -> None:
    """What the paper configures is proved, what it leaves out is not applicable, and found orphans have their bound."""
    others = [one for one in verify(read([cell(ceiling, window)])).properties if one.id != "no-live-orphan"]
    bounds = {one.id: one.bound_ms for one in others if one.bound_ms is not None}

    assert {"proved"} == {one.verdict for one in others if one.id in APPLICABLE}
    assert {"not-applicable"} == {one.verdict for one in others if one.id not in APPLICABLE}
    assert (window + 30) * SECOND == bounds["orphans-found-in-time"]


def test_the_run_that_orphans_is_as_short_as_the_ramp_allows() -> None:
    """No gap exceeds 120 s before poll 15 (250 ms * 1.6^14 = 180 s, 1.6^13 gives 112 s), so 14 polls come first."""
    report = verify(read([cell(300, 120)]), ["no-live-orphan"])
    witness = report.properties[0].witness

    assert witness is not None
    assert 14 == sum(step.action == "tasks/get" for step in witness.steps)
    assert "sweep" == witness.steps[-1].action
    assert (False, True) == witness.steps[-1].changed["orphaned_live"]


def test_one_command_verifies_the_grid() -> None:
    """`latchcheck verify docs/examples/paper-e4/*.toml` gives a line each, and fails for the two orphaned cells."""
    files = sorted(str(file) for file in FOLDER.glob("*.toml"))
    command = [sys.executable, "-c", "from latchcheck.cli.main import run; run()", "verify", *files, "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    exits = {line["source"]: line["exit"] for line in map(json.loads, done.stdout.splitlines())}

    assert (8, 1) == (len(exits), done.returncode)
    assert {cell(300, 120), cell(900, 120)} == {file for file, code in exits.items() if code == 1}
