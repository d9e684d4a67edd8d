"""Progress: what is shown of the work in hand, where, and what an interrupt leaves."""

from __future__ import annotations

import io
import os
import pty
import sys
import time

import pytest
from rich.console import Console

from latchcheck.cli import progress
from latchcheck.cli.progress import Told, Watch, drawn, duration, part_done
from latchcheck.kernel.doing import doing, stages

SOON = "from latchcheck.cli import main, progress; progress.QUIET_SECONDS = 0.01; main.run()"
"""A fast machine is done within the second before which nothing is shown."""


def looked(watch: Watch, now: float) -> Told:
    """What the watch tells, where there is something to tell."""
    told = watch.look(now)
    assert told is not None
    return told


def test_nothing_in_hand_is_nothing_to_show() -> None:
    """Without work there is no line."""
    assert Watch(0.0).look(5.0) is None


def test_the_rate_is_what_was_counted_since_the_work_was_seen() -> None:
    """300 states found between second 1 and second 4 are 100 a second, whatever was found before."""
    watch, found = Watch(0.0), 0
    with doing("first"):
        looked(watch, 1.0)
    with doing("searching", unit="states", done=lambda: found):
        found = 1000
        looked(watch, 1.0)
        found = 1300
        assert "1,300 states, 100 a second" == looked(watch, 4.0).counts


def test_the_time_left_is_in_proportion_to_the_share_that_is_done() -> None:
    """A quarter done after 10 s leaves 30 s."""
    with doing("proving", 8) as whole:
        whole.done = 2
        told = looked(Watch(0.0), 10.0)
    assert (0.25, 30.0) == (told.share, told.left_s)
    assert "proving 3 of 8" == told.what


def test_a_part_counts_in_proportion_to_the_whole() -> None:
    """Half of the second of four parts is three eighths of the whole."""
    with doing("whole", 4, done=1), doing("part", 10, "runs", done=5):
        assert 0.375 == part_done(stages())


def test_nobody_knows_how_long_one_search_takes() -> None:
    """A single piece of work without a total has no share, so no bar and no time left."""
    with doing("exploring", 1), doing("searching", unit="states", done=5):
        told = looked(Watch(0.0), 10.0)
    assert (None, None) == (told.share, told.left_s)
    assert "exploring" == told.what


def test_work_without_a_name_is_told_by_its_parts() -> None:
    """One configuration needs no name beside its properties."""
    with doing("", 1), doing("verifying", 20, done=4):
        told = looked(Watch(0.0), 10.0)
    assert ("verifying 5 of 20", 0.2) == (told.what, told.share)


def test_work_in_rounds_goes_on_counting() -> None:
    """A round that begins where the last one ended keeps the time since which it is counted."""
    watch, counts = Watch(0.0), []
    for now, runs in ((1.0, 50), (2.0, 100), (3.0, 150)):
        with doing("drawing", 1000, "runs", done=runs):
            counts.append(looked(watch, now).counts)
    assert counts[-1] == "150 of 1,000 runs, 50 a second"


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0:00"), (61, "1:01"), (3661, "1:01:01")])
def test_durations_read_as_on_a_clock(seconds: float, text: str) -> None:
    """Minutes and seconds, and hours where there are any."""
    assert text == duration(seconds)


@pytest.mark.parametrize("width", [24, 40, 80])
def test_two_lines_at_most_however_narrow(width: int) -> None:
    """The work and the counts are cut off, never folded, so that the lines can be taken back."""
    told = Told("exploring " + "a-property-with-a-long-name" * 3, 0.3, "12,345 states, " * 9, 70.0, 100.0)
    console = Console(file=io.StringIO(), width=width)
    console.print(drawn(told, width))
    shown = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert 2 == len(shown)
    assert width >= max(map(len, shown))
    assert width < 40 or shown[0].rstrip().endswith("30% 1:10, about 1:40 left")


def test_nothing_is_shown_where_nobody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe, a file, and a terminal that cannot take a line back have no progress."""
    monkeypatch.setattr("sys.stderr", io.StringIO())
    assert not progress.watched()
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "dumb")
    assert not progress.watched()


def test_a_name_cannot_draw_on_the_terminal() -> None:
    """Control characters and line ends in the name of a file are shown and not obeyed."""
    with doing("replaying a\x1b[2J\nb"):
        assert r"replaying a\x1b[2J\nb" == looked(Watch(0.0), 5.0).what


def test_a_terminal_that_goes_away_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing can be drawn any more, the work goes on and ends as it would."""

    def gone(_self: object, _now: float) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.01)
    monkeypatch.setattr(progress, "watched", lambda: True)
    monkeypatch.setattr(Watch, "look", gone)
    with progress.shown():
        time.sleep(0.1)
        with progress.aside():
            pass


def test_the_bar_is_shown_on_a_terminal_alone() -> None:
    """On a terminal stderr shows how far the work is, and takes it back; elsewhere it is empty."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(  # noqa: S606 - no shell
            sys.executable,
            [
                sys.executable,
                "-c",
                SOON,
                "explore",
                "--scope",
                "deep",
                "-o",
                os.devnull,
            ],
        )
    shown = b""
    try:
        while part := os.read(terminal, 4096):
            shown += part
    except OSError:  # the other end is closed
        pass
    assert 0 == os.waitpid(child, 0)[1]
    assert b"exploring " in shown
    assert b"\x1b[2K" in shown.rpartition(b"exploring ")[2]
