"""`latchcheck replay` and `latchcheck fixtures` as a user meets them."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from latchcheck.counterexamples import load
from latchcheck.counterexamples.loading import SAVED
from tests.cli.conftest import Run

GOOD = SAVED / "tenant-isolation" / "tenant-check-off.json"


@pytest.fixture
def run(call: Run) -> Run:
    """Runs the command line in this process, on the model itself."""
    return call


@pytest.fixture
def stale(tmp_path: Path) -> str:
    """A fixture whose policy breaks nothing."""
    path = tmp_path / "stale.json"
    path.write_text(json.dumps({**json.loads(GOOD.read_text()), "policy": {}}))
    return str(path)


@pytest.fixture
def broken(tmp_path: Path) -> str:
    """A file that is no fixture."""
    path = tmp_path / "broken.json"
    path.write_text("{}")
    return str(path)


def test_replay_shows_the_run(run: Run) -> None:
    """A counterexample that reproduces is a violation, told step by step."""
    outcome = run("replay", str(GOOD))

    assert outcome.code == 1
    first, setting, *steps, last = outcome.out.splitlines()
    assert first == "tenant-isolation/tenant-check-off: reproduces"
    assert setting == "  policy tenant_check=off, era 2026-07-28"
    saved = load(GOOD).steps
    told = re.split(r"\n {4}(?=\d)", "\n".join(["", *steps]))[1:]  # a step that wraps goes on further to the right
    assert [one.split()[:2] for one in told] == [[str(at), one.party] for at, one in enumerate(saved)]
    assert "status_t1: none -> working" in " ".join(told[-2].split())
    assert "changed_t1: False -> True" in " ".join(told[-1].split())
    assert last == f"  step {len(saved) - 1} breaks tenant-isolation: nobody else has changed the task"


def test_replay_as_json(run: Run) -> None:
    """As JSON each fixture has its outcome, its steps and what they changed."""
    outcome = run("replay", str(GOOD), "--format", "json")
    (one,) = outcome.envelope["fixtures"]

    assert (outcome.envelope["schema"], outcome.envelope["exit"]) == ("latchcheck/replays/1", 1)
    assert (one["id"], one["outcome"], one["reason"]) == ("tenant-isolation/tenant-check-off", "reproduces", None)
    assert [step["action"] for step in one["steps"]] == [step.action for step in load(GOOD).steps]
    assert one["steps"][-2]["changed"]["status_t1"] == ["none", "working"]


def test_each_end_has_its_exit_code(run: Run, stale: str, broken: str) -> None:
    """Reproduced 1, unreadable 2, stale 5; of several the first of these; one does not keep the next from being run."""
    assert run("replay", stale).code == 5
    assert run("replay", broken).code == 2
    assert run("replay", stale, broken).code == 2
    mixed = run("replay", broken, stale, str(GOOD))
    assert mixed.code == 1
    assert "tenant-isolation/tenant-check-off: stale\n" in mixed.out
    assert f'{broken}: /: no "format"' in mixed.err


def test_replay_needs_a_file(run: Run) -> None:
    """Nothing to replay is a wrong command line."""
    assert run("replay").code == 2
    assert run("replay", "missing.json").code == 2
    assert run("replay", "--target", "moon", str(GOOD)).code == 2


def test_all_saved_fixtures_pass_the_check(run: Run) -> None:
    """Without files the check is about all of this project, and none is stale."""
    outcome = run("fixtures", "check")
    count = len(list(SAVED.glob("*/*.json")))

    assert (outcome.code, outcome.out) == (0, f"{count} fixtures: {count} reproduce, 0 stale.\n")


def test_a_stale_fixture_fails_the_check(run: Run, stale: str, broken: str) -> None:
    """The stale ones are named with the reason; a file that cannot be read is worse."""
    outcome = run("fixtures", "check", stale, str(GOOD))

    assert outcome.code == 5
    assert outcome.out.endswith("2 fixtures: 1 reproduce, 1 stale.\n")
    assert "is false" in outcome.out
    assert run("fixtures", "check", stale, broken).code == 2
    told = run("fixtures", "check", stale, "--format", "json")
    assert [one["outcome"] for one in told.envelope["fixtures"]] == ["stale"]
    assert told.envelope["exit"] == 5


def test_the_list_names_every_fixture(run: Run) -> None:
    """An entry each as text, whose further lines are indented, and an object each as JSON."""
    names = [f"{path.parent.name}/{path.stem}" for path in sorted(SAVED.glob("*/*.json"))]

    lines = run("fixtures", "list").out.splitlines()
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == names
    assert [one["id"] for one in run("fixtures", "list", "--format", "json").envelope["fixtures"]] == names


def test_minimising_writes_the_file(run: Run, tmp_path: Path, stale: str) -> None:
    """A run with a detour loses it in place; a second time nothing changes; a stale one is left as it is."""
    path = tmp_path / "long.json"
    document = json.loads((SAVED / "one-terminal-outcome" / "terminal-guard-none.json").read_text())
    steps = [{key: value for key, value in step.items() if key != "guarded"} for step in document["steps"]]
    detour = [
        {"at_ms": None, "party": "worker", "action": "stall", "args": {"worker": "w1"}},
        {"at_ms": None, "party": "worker", "action": "wake", "args": {"worker": "w1"}},
    ]
    longer = [*steps[:2], *detour, *steps[2:]]
    violates = {**document["violates"], "step": len(longer) - 1}
    minimal = {"steps": len(longer), "shortest": len(steps)}
    path.write_text(json.dumps({**document, "steps": longer, "violates": violates, "minimal": minimal}))

    first, second = run("fixtures", "minimise", str(path)), run("fixtures", "minimise", str(path))
    assert (first.code, first.out) == (0, "one-terminal-outcome/terminal-guard-none: 6 steps, now 4\n")
    assert (second.code, second.out) == (0, "one-terminal-outcome/terminal-guard-none: 4 steps, as before\n")
    assert load(path).minimal.steps == 4
    before = Path(stale).read_bytes()
    assert run("fixtures", "minimise", stale).code == 5
    assert Path(stale).read_bytes() == before


def test_generating_names_the_files_that_changed(run: Run, tmp_path: Path) -> None:
    """Into an empty directory every fixture of a property is written, with the index; again, nothing is."""
    first = run("fixtures", "generate", "--property", "tenant-isolation", "-o", str(tmp_path))
    again = run("fixtures", "generate", "--property", "tenant-isolation", "-o", str(tmp_path))

    made = sorted(path.name for path in tmp_path.rglob("*.json"))
    assert made == sorted(path.name for path in (SAVED / "tenant-isolation").iterdir())
    assert first.out.splitlines()[-1] == str(tmp_path / "README.md")
    assert (again.code, again.out) == (0, "nothing has changed\n")
    assert run("fixtures", "generate", "--property", "nope").code == 2
    assert run("fixtures", "generate", "-o", str(tmp_path / "README.md")).code == 2


def test_a_damaged_saved_fixture_is_said(run: Run, tmp_path: Path) -> None:
    """Generating beside a file that cannot be read stops with its error."""
    folder = tmp_path / "saved"
    (folder / "x").mkdir(parents=True)
    shutil.copy(GOOD, folder / "x" / "y.json")

    outcome = run("fixtures", "generate", "--property", "tenant-isolation", "-o", str(folder))
    assert outcome.code == 2
    assert "does not name this file" in outcome.err


def test_replays_are_written_into_a_file(run: Run, tmp_path: Path) -> None:
    """With `-o` the file holds what standard output would, and no fixture is ever written over."""
    path = tmp_path / "replayed.json"
    written = run("replay", str(GOOD), "--format", "json", "-o", str(path))
    assert (written.code, written.out) == (1, "")
    assert path.read_text() == run("replay", str(GOOD), "--format", "json").out
    before = GOOD.read_bytes()
    assert run("replay", str(GOOD), "-o", str(GOOD)).code == 2
    assert GOOD.read_bytes() == before
