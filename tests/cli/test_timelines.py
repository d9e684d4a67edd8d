"""Two configurations as people read them: the timeline and the harm, word for word."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from latchcheck.cli.main import main

GROWING = """
[client]
initial_delay = "250ms"
multiplier = 1.6
max_delay = "15m"
jitter = [0.5, 1]

[server]
orphan_window = "2m"
sweep_period = "30s"

[workload]
execution = "1h"
"""


def shown(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What stands from the title of the run to the harm, both included."""
    assert main(["verify", *arguments]) == 1
    out = capfd.readouterr().out
    assert max(len(line) for line in out.splitlines()) <= 80
    found = re.search(r"^  A run that shows it.*?(?=\n\n  (?:This removes|Any one))", out, re.MULTILINE | re.DOTALL)
    assert found is not None, out
    return found[0]


def test_a_ttl_that_is_too_short_reads_well(capfd: pytest.CaptureFixture[str]) -> None:
    """Two products: steady polls are one row, the last events are told one by one, the row of the harm is marked.

    The ttl is 1m and polls come every 500ms, so the 119th poll is sent at 59.5s and the 120th at 1m.
    """
    pair = ["--client", "strands-py", "--server", "mcp-py-1", "--set", "workload.execution=2m"]
    assert (
        shown(capfd, *pair, "--property", "ttl-covers-execution")
        == """\
  A run that shows it, 9 events, replayed:
     time  party   event                                     what changed
        0  client  the task is created, its handle arrives
        0  client  118 polls, one every 500ms, all answered working
    59.5s  client  tasks/get sent after a pause of 500ms
    59.5s  server  tasks/get arrives: working
    59.5s  client  the reply arrives: working
       1m  client  tasks/get sent after a pause of 500ms
  >    1m  server  tasks/get finds the ttl over: unknown id  gone

  harm  the ttl ends a task whose work is still running inside its declared
        time."""
    )


def test_a_growing_delay_reads_well(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ramp of polls is folded, shortened numbers say so, and the silence that kills has a row of its own.

    The pauses are half the nominal delays, 250ms times 1.6 to the power of 0, 1, 2, ...: 125ms, 200ms, 320ms and on;
    they add up to 149911.65...ms after the fourteenth.
    """
    (tmp_path / "growing.toml").write_text(GROWING, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert (
        shown(capfd, "growing.toml", "--property", "no-live-orphan")
        == """\
  A run that shows it, 45 events, replayed:
          time  party   event                           what changed
             0  client  the task is created, its handle arrives
         125ms  client  polls after a pause of 125ms: working
         325ms  client  polls after a pause of 200ms: working
           ...  client  10 more polls, pauses 320ms to ~21.99s, all working
    ~1m33.617s  client  polls after a pause of ~35.184s: working
    ~2m29.912s  client  tasks/get sent after a pause of ~56.295s
    ~2m29.912s  server  tasks/get arrives: working
    ~2m29.912s  client  the reply arrives: working
           ...          silent for just over the orphan window of 2m
  >  4m29.912s  reaper  sweep finds an orphan           working -> cancelled

  harm  the server reclaims a task whose client still follows its polling
        schedule."""
    )
