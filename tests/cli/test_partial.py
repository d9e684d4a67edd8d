"""What a verb has found when the user ends it is told, and what it writes is whole or not there.

Tested in process: the interrupt comes where the work is, at a step of it that the test chooses.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from latchcheck import placing
from latchcheck.cli import export, wiring
from latchcheck.cli.main import main
from latchcheck.cli.wiring import admission, saving
from latchcheck.counterexamples import SAVED
from latchcheck.counterexamples.audit import judging as auditing
from latchcheck.counterexamples.targets import conformance, registry
from latchcheck.counterexamples.targets.model import ModelTarget
from latchcheck.engines import judging as engine


def ending(
    work: Callable[..., Any], after: int, by: BaseException | type[BaseException] = KeyboardInterrupt
) -> Callable[..., Any]:
    """The work, until it was done so often: then the user ends it, or it fails."""
    done = count(1)

    def call(*arguments: Any, **named: Any) -> Any:
        if next(done) > after:
            raise by
        return work(*arguments, **named)

    return call


@pytest.mark.parametrize("form", ["text", "json"])
def test_targets_check_tells_the_rules_that_were_tried(
    form: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Three rules are tried, and told in either form; what the target has started is stopped."""
    stopped: list[str] = []

    class Slow(ModelTarget):
        name = "slow"
        open = ending(ModelTarget.open, 2)  # the first rule needs no session, and every other one at least

        def stop(self) -> None:
            stopped.append(self.name)

    monkeypatch.setitem(registry._registered, "slow", Slow)  # noqa: SLF001 - there is no other way to take it back
    assert 4 == main(["targets", "check", "slow", "--format", form])
    captured = capfd.readouterr()
    rules = conformance.rules()
    assert f"latchcheck: error: interrupted: 3 of {len(rules)} rules were tried\n" == captured.err
    found = [line[16:] for line in captured.out.splitlines() if line.startswith("passed")]
    if form == "json":
        whole = json.loads(captured.out)
        assert 4 == whole["exit"]
        found = [one["rule"] for one in whole["checks"]]
    assert rules[:3] == found
    assert ["slow"] == stopped


@pytest.mark.parametrize("form", ["text", "json"])
def test_admission_tells_the_packets_that_are_decided(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Two packets are decided, and told in either form; with -o on stdout too, and an older file stays."""
    file = tmp_path / "old"
    file.write_text("old", encoding="utf-8")
    for output in ([], ["-o", str(file)]):
        monkeypatch.setattr(admission, "_row", ending(admission._row, 2))  # noqa: SLF001 - a packet is decided there
        assert 4 == main(["admission", "--format", form, *output])
        monkeypatch.undo()
        captured = capfd.readouterr()
        told = f"latchcheck: note: {file} is not written, as the answer is not whole: "
        assert captured.err.startswith("latchcheck: error: interrupted: 2 of 32 packets are decided\n")
        assert bool(output) == (told in captured.err)
        assert "old" == file.read_text(encoding="utf-8")
        if form == "json":
            whole = json.loads(captured.out)
            assert (2, 2, 4) == (len(whole["packets"]), whole["summary"]["packets"], whole["exit"])
        else:
            assert "2 packets, " in captured.out


@pytest.mark.parametrize("failing", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_export_writes_all_its_files_or_none(
    failing: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Where the second of two files fails, or the user ends it there, neither is there, nor the folder."""
    monkeypatch.setattr(placing, "_beside", ending(placing._beside, 1, failing))  # noqa: SLF001 - before each file
    asked = ["export", "tla", "--scope", "tasks=1", "--property", "one-terminal-outcome", "-o", str(tmp_path / "made")]
    assert (4 if isinstance(failing, KeyboardInterrupt) else 2) == main([*asked, "--format", "json"])
    assert "" == capfd.readouterr().out
    assert [] == list(tmp_path.iterdir())


LINE = '{"at_ms": %d, "task": "t%d", "event": "create", "status": "working"}\n'
FIXTURES = [str(SAVED / f"one-terminal-outcome/terminal-guard-{how}.json") for how in ("none", "check-then-set")]
TASK = ["--scope", "tasks=1", "--property", "one-terminal-outcome"]


@pytest.mark.parametrize(
    ("asked", "work", "told"),
    [
        (["replay", *FIXTURES], (wiring, "replay_fixture", 1), (1, "fixtures")),
        (["explore", *TASK], (engine, "explore", 0), (4, "properties")),
        (["audit", "log.jsonl"], (auditing._Judge, "take", 1), (4, "events")),  # noqa: SLF001 - where an event is read
    ],
    ids=lambda one: one[0] if isinstance(one, list) else None,
)
def test_a_file_is_never_half_an_answer(
    asked: list[str],
    work: tuple[Any, str, int],
    told: tuple[int, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Ended half-way, a verb shows one thing that it found on stdout, a whole document, and the file of -o stays."""
    file = tmp_path / "old"
    file.write_text("old", encoding="utf-8")
    (tmp_path / "log.jsonl").write_text("".join(LINE % (at, at) for at in range(3)), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (owner, name, after), (code, answers) = work, told
    monkeypatch.setattr(owner, name, ending(getattr(owner, name), after))
    assert code == main([*asked, "--format", "json", "-o", "old"])
    captured = capfd.readouterr()
    assert "latchcheck: error: interrupted" in captured.err
    assert "latchcheck: note: old is not written" in captured.err
    assert "old" == file.read_text(encoding="utf-8")
    whole = json.loads(captured.out)
    found = whole[answers]
    assert (code, 1) == (whole["exit"], found if isinstance(found, int) else len(found))


def test_export_that_is_ended_while_it_searches_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Neither to the file, which stays as it was, nor to stdout."""
    file = tmp_path / "run.json"
    file.write_text("old", encoding="utf-8")
    monkeypatch.setattr(export, "_broken", ending(export._broken, 0))  # noqa: SLF001 - where it searches
    asked = ["export", "itf", "--property", "one-terminal-outcome", "--policy", "terminal_guard=none"]
    for output in ([], ["-o", str(file)]):
        assert 4 == main([*asked, *output])
        assert ("", "latchcheck: error: interrupted: nothing is written\n") == tuple(capfd.readouterr())
    assert "old" == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("form", ["text", "json"])
def test_generating_that_is_ended_changes_nothing(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """How many mutants were tried is told, and no fixture is written or taken away."""
    monkeypatch.setattr(saving, "_mutant_fixture", ending(lambda *_: None, 7))
    asked = ["fixtures", "generate", "--property", "one-terminal-outcome", "-o", str(tmp_path), "--format", form]
    assert 4 == main(asked)
    captured = capfd.readouterr()
    assert captured.err.startswith("latchcheck: error: interrupted: 7 of ")
    assert captured.err.endswith(" mutants are tried, and nothing is written\n")
    assert [] == list(tmp_path.iterdir())
    if form == "json":
        assert ([], 4) == ((whole := json.loads(captured.out))["files"], whole["exit"])
    else:
        assert "" == captured.out


def test_what_others_have_saved_is_not_taken_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the fixtures in a folder only those go that generating has made, and makes no longer."""
    monkeypatch.setattr(saving, "_mutant_fixture", lambda *_: None)
    name = "one-terminal-outcome/terminal-guard-check-then-set"
    assert 0 == main(["fixtures", "copy", str(tmp_path), name])
    made = tmp_path / f"{name}.json"
    other = made.with_name("drawn.json")
    drawn = json.loads(made.read_text(encoding="utf-8"))
    drawn |= {"id": "one-terminal-outcome/drawn", "found_by": {"engine": "stateful", "seed": 1, "versions": {}}}
    other.write_text(json.dumps(drawn), encoding="utf-8")
    assert 0 == main(["fixtures", "generate", "--property", "one-terminal-outcome", "-o", str(tmp_path)])
    assert (False, True) == (made.exists(), other.exists())
