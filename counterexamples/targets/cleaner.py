"""The process that cleans up after another one: leftovers.py starts it, and tells it on standard input what there is.

A line of input is a JSON object with a `key` and one of
    pid, born, signal, group    a process, when it began, by which signal it ends, and whether its whole group does
    folder                      a folder that is to go
    run, input                  a command that is to be run, and what it reads
    done                        nothing of that key is left any more
The input ends when whoever wrote it has ended, however it did. What is left then is ended, run and removed.

It is run by its path, without the site packages, so that it starts fast: the standard library only.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

END_S: Final = 10.0
RUN_S: Final = 120.0
LOOK_S: Final = 0.02
_STATE, _BORN = 0, 19  # in /proc/PID/stat, counted from behind the name of the program


def born(pid: int) -> str | None:
    """When a process began, in the system's own count; None where that is not told, or it has ended."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return None if told[_STATE] == "Z" else told[_BORN]


def main() -> None:
    """Listen until nobody speaks any more, then clean up."""
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(one, signal.SIG_IGN)
    left: dict[str, dict[str, Any]] = {}
    for line in sys.stdin:
        with suppress(ValueError):  # a line that was not written to its end
            told = json.loads(line)
            if told.get("done"):
                left.pop(told["key"], None)
            else:
                left[told["key"]] = told
    clean(left.values())


def clean(left: Iterable[dict[str, Any]]) -> None:
    """End the processes, run the commands, remove the folders, in this order."""
    processes = [one for one in left if "pid" in one]
    for one in processes:
        _send(one, one["signal"])
    until = time.monotonic() + END_S
    while any(map(_lives, processes)) and time.monotonic() < until:
        time.sleep(LOOK_S)
    for one in processes:
        _send(one, signal.SIGKILL)
    for one in left:
        if "run" in one:
            with suppress(OSError, subprocess.SubprocessError):
                subprocess.run(  # noqa: S603 - our own words
                    one["run"],
                    input=one["input"].encode(),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    timeout=RUN_S,
                    check=False,
                )
    for one in left:
        if "folder" in one:
            shutil.rmtree(one["folder"], ignore_errors=True)


def _lives(one: dict[str, Any]) -> bool:
    """Whether it is still the process that was meant: its number may be another's by now."""
    if one["born"] is not None:
        return born(one["pid"]) == one["born"]
    try:
        os.kill(one["pid"], 0)
    except OSError:
        return False
    return True


def _send(one: dict[str, Any], number: int) -> None:
    with suppress(OSError):
        if one["group"]:
            # The group may outlive its first process, whose number it keeps from others as long as it lives.
            os.killpg(one["pid"], number)
        elif _lives(one):
            os.kill(one["pid"], number)


if __name__ == "__main__":
    main()
