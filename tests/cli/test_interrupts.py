"""A verb that takes a while says on a terminal what it does, and an interrupt there tells what was found by then."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LAUNCH = "from latchcheck.cli.main import run; run()"
SECONDS_MAX = 300
EVENTS = 400_000
pytestmark = pytest.mark.slow


def interrupted_when(seen: str, arguments: list[str]) -> tuple[int, str]:
    """Run a verb on a terminal of its own until it shows something, interrupt it; its code and all it showed."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ |= {"TERM": "xterm", "COLUMNS": "100"}
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell that starts the tests in the background ignores it
        os.execv(sys.executable, [sys.executable, "-c", LAUNCH, *arguments])  # noqa: S606 - no shell
    shown, sent, until = "", False, time.monotonic() + SECONDS_MAX
    while True:
        wait_s = max(0.0, until - time.monotonic())
        if not wait_s or not select.select([terminal], [], [], wait_s)[0]:
            os.kill(child, signal.SIGKILL)
            break
        try:
            part = os.read(terminal, 4096)
        except OSError:  # how Linux says that the other side of a terminal has gone
            break
        if not part:
            break
        shown += part.decode(errors="replace")
        if not sent and seen in plain(shown):
            os.write(terminal, b"\x03")
            sent = True
    status = os.waitpid(child, 0)[1]
    os.close(terminal)
    assert sent, f"{seen!r} was never shown:\n{plain(shown)}"
    return os.waitstatus_to_exitcode(status), plain(shown)


def plain(shown: str) -> str:
    """What is shown without colours and movements of the cursor."""
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown)


@pytest.mark.parametrize(
    ("arguments", "doing", "left", "codes"),
    [
        (["explore", "--scope", "wide"], "exploring ", "interrupted before its search began", {4}),
        (["fuzz", "--max-runs", "100000"], "of 100,000 runs", "is told was found until then", {4}),
        (["recheck"], "proving ", "theorems proved", {4}),
        (["race", "--rounds", "100000", "--writers", "2"], "of 100,000 rounds", "rounds, 2 processes", {4}),
        (["kill"], "killing ", "interrupted: what is told was found until then", {4}),
        (["study", "--format", "json"], "recomputing ", "of 5 tables are told", {4}),
        (["wording", "check", str(ROOT / "docs" / "cases" / "ttl.toml")], "checking ", "ttl (", {1, 4}),
    ],
    ids=lambda one: one[0] if isinstance(one, list) else None,
)
def test_an_interrupt_tells_what_was_found(arguments: list[str], doing: str, left: str, codes: set[int]) -> None:
    """The work is named while it goes on; Ctrl-C ends it, tells what there is, and exits with 4 if nothing is worse."""
    code, shown = interrupted_when(doing, arguments)
    assert code in codes, shown
    assert "latchcheck: error: interrupted" in shown
    assert re.sub(r"\s+", " ", left) in re.sub(r"\s+", " ", shown)
    assert "Traceback" not in shown


def test_a_log_that_is_read_in_part_is_told_in_part(tmp_path: Path) -> None:
    """An audit that is interrupted says how many events it has read, and that they are explained."""
    log = tmp_path / "log.jsonl"
    events = [{"at_ms": 2 * task, "task": f"t{task}", "event": "create", "status": "working"} for task in range(EVENTS)]
    log.write_text("\n".join(map(json.dumps, events)) + "\n", encoding="utf-8")
    code, shown = interrupted_when("reading the log", ["audit", str(log)])
    assert 4 == code, shown
    told = re.search(r"([\d,]+) events of [\d,]+ tasks", re.sub(r"\s+", " ", shown.rpartition("interrupted")[2]))
    assert told is not None
    assert 0 < int(told[1].replace(",", "")) < EVENTS
