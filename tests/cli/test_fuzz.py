"""`latchcheck fuzz`: what it asks, tries first and saves, and what it says when something is in the way."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from jsonschema import Draft202012Validator

from latchcheck.cli import wiring
from latchcheck.counterexamples import load
from latchcheck.engines.stateful import Fuzzed
from latchcheck.kernel.doing import stages
from tests.cli.conftest import Run

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/reference/samples.schema.json").read_text(encoding="utf-8"))
SKEW = str(ROOT / "docs/examples/orphan-condition/skew.toml")
LIFECYCLE = ("--policy", "terminal_guard=none", "--property", "one-terminal-outcome")
TIMED = (SKEW, "--property", "no-live-orphan", "--max-runs", "60")


@pytest.mark.parametrize(
    "arguments",
    [
        LIFECYCLE,
        (*LIFECYCLE, "--no-fixtures", "--seed", "3"),
        ("--property", "tenant-isolation", "--max-runs", "2"),
        ("--scope", "tasks=1", "--property", "tenant-isolation"),
        (SKEW, "--max-runs", "5"),
    ],
)
def test_the_data_fit_their_schema(call: Run, arguments: tuple[str, ...]) -> None:
    """What JSON output holds is what the published schema says, found or not, timed or not."""
    outcome = call("fuzz", *arguments, "--format", "json")
    assert [] == [error.message for error in Draft202012Validator(SCHEMA).iter_errors(outcome.envelope)]
    assert outcome.envelope["exit"] == outcome.code


def test_a_configuration_is_sampled_and_compared(call: Run) -> None:
    """The shortest harm of a configuration is found, told with its instants, and set beside what `verify` says."""
    found = call("fuzz", *TIMED, "--format", "json")
    (row,) = found.envelope["properties"]
    assert (1, "violated", "violated", False) == (found.code, row["verdict"], row["verify"], row["disagreement"])
    # A window of 10 s and clocks 1.5 s apart: 8.5 s of silence are not yet too long, a millisecond more is.
    assert 8_501 == row["witness"]["steps"][-1]["at_ms"]
    assert "verify says: violated" in call("fuzz", *TIMED).out


def test_engines_that_disagree_end_with_their_own_code(call: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that breaks what `verify` proves is an internal error, and both answers are shown."""
    ask = wiring.ask_timed

    def wrong(*arguments: Any) -> Any:
        asked = ask(*arguments)
        proved = {name: attrs.evolve(one, verdict="proved", witness=None) for name, one in asked.verified.items()}
        return attrs.evolve(asked, verified=proved)

    monkeypatch.setattr(wiring, "ask_timed", wrong)
    outcome = call("fuzz", *TIMED)
    assert 3 == outcome.code
    assert "the engines disagree" in outcome.out


def test_saved_runs_are_tried_first(call: Run) -> None:
    """What a saved counterexample breaks is said before anything is drawn, and nothing is drawn for it."""
    outcome = call("fuzz", *LIFECYCLE, "--format", "json")
    (row,) = outcome.envelope["properties"]
    assert row["found_by"]["fixture"].startswith("one-terminal-outcome/")
    assert [] == outcome.envelope["searches"]
    assert any(one["breaks"] for one in outcome.envelope["tried"])
    text = call("fuzz", *LIFECYCLE).out
    assert text.index("tried first") < text.index("violated")


def test_a_saved_run_breaks_nothing_that_is_guarded(call: Run) -> None:
    """On the guarded model every saved counterexample is refused, or does no harm, and the reason is given."""
    tried = call("fuzz", "--property", "tenant-isolation", "--max-runs", "1", "--format", "json").envelope["tried"]
    assert tried
    assert not any(one["breaks"] for one in tried)
    assert all(one["reason"] for one in tried)


@pytest.mark.parametrize("arguments", [(*LIFECYCLE, "--no-fixtures"), TIMED])
def test_what_is_found_is_saved_once(call: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """A found run becomes a fixture with its seed; the same again changes nothing; another search tries it first."""
    folder = tmp_path / "found"
    first = call("fuzz", *arguments, "--seed", "4", "-o", str(folder), "--format", "json")
    (path,) = folder.rglob("*.json")
    assert [str(path)] == first.envelope["saved"]
    assert str(path) == first.envelope["properties"][0]["witness"]["fixture"]
    fixture = load(path)
    assert ("stateful", 4) == (fixture.found_by.engine, fixture.found_by.seed)
    before = path.stat()
    call("fuzz", *arguments, "--seed", "4", "-o", str(folder))
    assert (before.st_mtime_ns, before.st_ino) == (path.stat().st_mtime_ns, path.stat().st_ino)
    assert [path] == [one for one in folder.rglob("*") if one.is_file()]
    assert 1 == call("replay", str(path)).code
    plain = [one for one in arguments if one != "--no-fixtures"]
    again = call("fuzz", *plain, "--fixtures", str(folder), "--format", "json")
    assert fixture.id == again.envelope["properties"][0]["found_by"]["fixture"]


def test_what_cannot_be_saved_is_said(call: Run, tmp_path: Path) -> None:
    """Where a file is in the way of the folder, nothing is left behind, and the code is that of the violation."""
    (tmp_path / "one-terminal-outcome").write_text("in the way")
    outcome = call("fuzz", *LIFECYCLE, "-o", str(tmp_path))
    assert 1 == outcome.code
    assert "nothing is saved" in outcome.err
    assert ["one-terminal-outcome"] == [one.name for one in tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--scope", "ci", SKEW), "give one"),
        (("--fixtures", "missing"), "no such directory"),
        (("--fixtures", ".", "--no-fixtures"), "give one"),
        (("-o", ""), "name one"),
        (("-o", SKEW), "no directory"),
        (("--property", "tenant-isolatoin"), "did you mean 'tenant-isolation'?"),
        (("--property", "no-live-orphan"), "this is about time"),
        ((SKEW, "--property", "tenant-isolation"), "this is about the lifecycle"),
        (("missing.toml",), "no such file"),
        (("--max-runs", "0"), "0"),
        (("--client", "nobody"), "nobody"),
    ],
)
def test_bad_input_is_said(call: Run, arguments: tuple[str, ...], words: str) -> None:
    """Each mistake ends with the code of bad usage, one error, and nothing on standard output."""
    outcome = call("fuzz", *arguments)
    assert (2, "") == (outcome.code, outcome.out)
    assert words in outcome.err


def test_a_damaged_saved_run_is_said(call: Run, tmp_path: Path) -> None:
    """A saved counterexample that cannot be read stops the search before it begins, with its file and place."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.json").write_text("{")
    outcome = call("fuzz", *LIFECYCLE, "--fixtures", str(tmp_path))
    assert 2 == outcome.code
    assert "b.json" in outcome.err


@pytest.mark.parametrize("seed", ["-1", "0", str(10**30)])
def test_any_whole_number_is_a_seed(call: Run, seed: str) -> None:
    """A seed may be negative, or longer than a machine word; the smallest budget is one run of one step."""
    outcome = call("fuzz", "--property", "tenant-isolation", "--seed", seed, "--max-runs", "1", "--steps", "1")
    assert 4 == outcome.code
    assert f"seed {seed}: 1 runs" in outcome.out


def test_an_interrupt_leaves_what_was_found(call: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that the user ends tells what it found until then, and counts as inconclusive."""
    drawn = wiring.draw

    def interrupted(*arguments: Any, **options: Any) -> Iterator[tuple[Any, Fuzzed]]:
        for search, found in drawn(*arguments, **options):
            yield search, found
            raise KeyboardInterrupt

    monkeypatch.setattr(wiring, "draw", interrupted)
    outcome = call("fuzz", "--property", "tenant-isolation", "--max-runs", "3", "--format", "json")
    assert (4, True) == (outcome.code, outcome.envelope["interrupted"])
    assert 3 == outcome.envelope["searches"][0]["runs"]
    assert "interrupted" in outcome.err


def test_an_interrupt_inside_a_run_is_no_failing_run(call: Run) -> None:
    """Ctrl-C while Hypothesis draws ends the search with what was drawn, and accuses nothing."""
    over = threading.Event()

    def interrupt() -> None:
        while not any(one.unit == "runs" and one.count() > 3 for one in stages()):
            if over.wait(0.01):
                return
        os.kill(os.getpid(), signal.SIGALRM)

    signal.signal(signal.SIGALRM, signal.default_int_handler)
    watcher = threading.Thread(target=interrupt)
    watcher.start()
    try:
        outcome = call("fuzz", "--property", "tenant-isolation", "--max-runs", "1000000", "--format", "json")
    finally:
        over.set()
        watcher.join()
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    assert (4, True) == (outcome.code, outcome.envelope["interrupted"])
    assert outcome.envelope["searches"][0]["runs"] > 0
    assert ["inconclusive"] == [one["verdict"] for one in outcome.envelope["properties"]]
