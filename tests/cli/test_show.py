"""The explorer: what it prints where nobody watches, and what a real terminal of 80 columns shows."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pexpect
import pyte
import pytest
from attrs import define

from latchcheck.cli import wiring
from latchcheck.cli.explorer.board import Board, difference
from latchcheck.cli.main import main
from latchcheck.counterexamples import SAVED

FIXTURE = SAVED / "one-terminal-outcome" / "terminal-guard-check-then-set.json"
OTHER = SAVED / "one-terminal-outcome" / "terminal-guard-none.json"
SECONDS_MAX = 120


@pytest.fixture
def board() -> Board:
    """The double finish: check, then write, with a cancel between."""
    fixture = wiring.load_fixture(str(FIXTURE))
    trace = wiring.replay_fixture(fixture).trace
    assert trace is not None
    return Board(wiring.fixture_case(fixture).system, trace.steps)


def test_a_branch_begins_where_another_step_is_taken(board: Board) -> None:
    """Taking a step in the middle keeps the steps before it, and dropping the branch brings the run back."""
    board.go(3)
    offer = next(one for one in board.offers() if one.step.action == "write_terminal")
    board.take(offer)
    assert (*board.steps[:3], offer.step) == board.walked
    assert 4 == board.at
    board.drop_branch()
    assert (3, board.steps) == (board.at, board.all_steps)


def test_a_branch_can_be_cut_and_lengthened(board: Board) -> None:
    """Back in a branch another step replaces what came after; before the branch it begins anew."""
    board.go(3)
    board.take(board.offers()[0])
    board.take(board.offers()[0])
    assert 5 == board.at
    board.go(4)
    board.take(board.offers()[-1])
    assert 5 == len(board.all_steps)
    board.go(1)
    board.take(board.offers()[0])
    assert 2 == len(board.all_steps)
    assert board.steps[0] == board.all_steps[0]


def test_every_branch_is_a_run_of_the_model(board: Board) -> None:
    """Whatever is offered can be taken, and the stepper executes the whole of it."""
    for _ in range(5):
        board.go(len(board.all_steps) - 2)
        offers = board.offers()
        board.take(offers[0])
        board.go(board.at - 1)
        board.take(offers[-1])
        assert board.walked == tuple(board.walk().steps)


def test_the_difference_keeps_the_order_of_both_runs() -> None:
    """What has no sign or a minus is the first run, what has no sign or a plus the second."""
    runs = [wiring.replay_fixture(wiring.load_fixture(str(file))).trace for file in (FIXTURE, OTHER)]
    assert runs[0] is not None
    assert runs[1] is not None
    lines = difference(runs[0].steps, runs[1].steps)
    assert [step.action for step in runs[0]] == [action(line) for line in lines if line[0] != "+"]
    assert [step.action for step in runs[1]] == [action(line) for line in lines if line[0] != "-"]


def action(line: str) -> str:
    """The action that a line of a difference names."""
    return line[2:].partition("  ")[2].partition("(")[0]


def test_where_nobody_watches_the_step_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """After step 3 the worker has checked: it can report no more, since it runs its task no more."""
    assert main(["show", str(FIXTURE), "--at", "3"]) == 0
    out = capsys.readouterr().out
    assert ">  3 worker  w1 looks at the record" in out
    assert "* phase_w1: running -> checked" in out
    assert "worker  report: not (the worker runs its task), phase_w1 = checked" in out


def test_without_the_package_for_the_screen_the_step_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a terminal too, and how to get the keys is said."""
    monkeypatch.setitem(sys.modules, "latchcheck.cli.explorer.app", None)
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    assert main(["show", str(FIXTURE), "--at", "3"]) == 0
    said = capsys.readouterr()
    assert ">  3 worker  w1 looks at the record" in said.out
    assert "pip install 'latchcheck[show]'" in said.err


def test_json_has_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    """The JSON form names each action as offered or as obstructed, never as both."""
    main(["show", str(FIXTURE), "--at", "3", "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    offered, obstructed = ({one["action"] for one in found[part]} for part in ("offers", "obstacles"))
    system = wiring.fixture_case(wiring.load_fixture(str(FIXTURE))).system
    assert {one.name for one in system.actions} == offered | obstructed
    assert set() == offered & obstructed


def test_a_step_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """A run of six steps has no step 7."""
    assert main(["show", str(FIXTURE), "--at", "7"]) == 2
    assert "--at 7: the run has 6 steps" in capsys.readouterr().err


def test_a_stale_fixture_is_said_to_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A fixture whose action is gone cannot be walked: exit code 5."""
    text = FIXTURE.read_text(encoding="utf-8").replace('"check"', '"chequer"')
    (tmp_path / "stale.json").write_text(text, encoding="utf-8")
    assert main(["show", str(tmp_path / "stale.json")]) == 5
    assert "there is no action 'chequer'" in capsys.readouterr().err


@define
class Terminal:
    """A process on a terminal of 80 columns and 24 lines, without colour."""

    process: pexpect.spawn
    screen: pyte.Screen
    stream: pyte.ByteStream

    def press(self, keys: str) -> None:
        """Press keys."""
        self.process.send(keys)

    def until(self, text: str) -> list[str]:
        """The screen, as soon as it shows the text."""
        end = time.monotonic() + SECONDS_MAX
        while time.monotonic() < end:
            with suppress(pexpect.TIMEOUT, pexpect.EOF):
                self.stream.feed(self.process.read_nonblocking(65536, 0.1))
            if any(text in line for line in self.screen.display):
                return list(self.screen.display)
        raise AssertionError(f"{text!r} is not on the screen:\n" + "\n".join(self.screen.display))


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    """The explorer on the double finish."""
    environment = {**os.environ, "TERM": "xterm-256color", "NO_COLOR": "1"}
    program = str(Path(sys.executable).parent / "latchcheck")
    process = pexpect.spawn(program, ["show", str(FIXTURE)], dimensions=(24, 80), env=environment)
    screen = pyte.Screen(80, 24)
    yield Terminal(process, screen, pyte.ByteStream(screen))
    process.close(force=True)


@pytest.mark.slow
def test_a_terminal_shows_step_state_and_offers(terminal: Terminal) -> None:
    """Walking back, looking at what cannot happen, branching, comparing and quitting all work by keys alone."""
    terminal.until(">  6 server  i1 writes cancelled")
    terminal.press("p")
    terminal.until(">  5 worker  w1 writes completed")
    terminal.until("* status_t1: working -> completed")
    terminal.press("o")
    terminal.until("cannot happen now")
    terminal.press("o")
    terminal.until("can happen now")
    terminal.press("pp")
    terminal.until(">  3 worker  w1 looks at the record")
    terminal.press("\t\t\x1b[B\r")
    terminal.until(">  4+")
    terminal.press("d")
    terminal.until("the run (-) and the branch (+)")
    terminal.until("- server  cancel_reads")
    terminal.press("r")
    terminal.until(">  3 worker  w1 looks at the record")
    terminal.press("q")
    terminal.process.expect(pexpect.EOF, timeout=SECONDS_MAX)
