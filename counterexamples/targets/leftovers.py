"""What must not outlive this process, whatever ends it: the processes that it starts, and the folders that it makes.

A process that is killed runs nothing any more, no `finally` and no handler. So the first one to have something to lose
starts a helper (cleaner.py) in a session of its own and tells it through a pipe what there is and what has gone again.
The pipe ends with this process, and the helper ends and removes what is left.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from .cleaner import born

_HELPER: Final = Path(__file__).with_name("cleaner.py")
_lock: Final = threading.Lock()
_helpers: Final[dict[int, subprocess.Popen[bytes]]] = {}
"""The helper of each process, by its id: a process that was forked off starts its own."""


def watch(process: subprocess.Popen[Any], *, end: int = signal.SIGKILL, group: bool = False) -> None:
    """End a process, or the group that it leads, if this one ends without having said `forget`."""
    told = {"pid": process.pid, "born": born(process.pid), "signal": int(end), "group": group}
    _tell({"key": _key(process), **told})


def watch_folder(folder: Path) -> None:
    """Remove a folder, if this process ends without having said `forget`."""
    _tell({"key": _key(folder), "folder": str(folder.absolute())})


@contextmanager
def temporary_folder(prefix: str) -> Iterator[Path]:
    """A new folder, gone afterwards, also where this process is killed meanwhile."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    watch_folder(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        forget(folder)


def watch_command(key: str, command: Sequence[str], text: str) -> None:
    """Run a command, which is given a text to read, if this process ends without having said `forget`."""
    _tell({"key": key, "run": list(command), "input": text})


def forget(one: subprocess.Popen[Any] | Path | str) -> None:
    """It is gone, or is not ours to remove any more; to say it twice does no harm."""
    if os.getpid() in _helpers:
        _tell({"key": _key(one), "done": True})


def end(process: subprocess.Popen[Any]) -> None:
    """End the group that a process leads, and see to its outputs; nothing of it is left."""
    if process.returncode is None:  # else its number may be another's by now
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    forget(process)


def _key(one: subprocess.Popen[Any] | Path | str) -> str:
    return f"process {one.pid}" if isinstance(one, subprocess.Popen) else str(one)


def _tell(message: dict[str, Any]) -> None:
    with _lock, suppress(OSError):  # where there can be no helper, what `finally` does must do
        helper = _helpers.get(os.getpid())
        if helper is None:
            helper = _helpers[os.getpid()] = _started()
        assert helper.stdin is not None
        helper.stdin.write(json.dumps(message).encode() + b"\n")
        helper.stdin.flush()


def _started() -> subprocess.Popen[bytes]:
    import atexit

    helper = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-I", "-S", str(_HELPER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
    )
    atexit.register(_collect, os.getpid())
    return helper


def _collect(pid: int) -> None:
    """Say goodbye to the helper, so that an orderly end leaves no process that nobody has waited for."""
    helper = _helpers.pop(pid, None) if pid == os.getpid() else None
    if helper is not None:
        with suppress(OSError, subprocess.TimeoutExpired):
            helper.communicate(timeout=1)
