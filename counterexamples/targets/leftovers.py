"""What must not outlive this process, whatever ends it: the processes that it starts, and the folders that it makes.

A process that is killed runs nothing any more, no `finally` and no handler. So the first one to have something to lose
starts a helper (cleaner.py) in a session of its own and tells it through a pipe what there is and what has gone again.
The pipe ends with this process, and the helper ends and removes what is left.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, AnyStr, Final

from latchcheck.signals import uninterrupted

from .cleaner import LOOK_S, born

_HELPER: Final = Path(__file__).with_name("cleaner.py")
_lock: Final = threading.Lock()
_helpers: Final[dict[int, subprocess.Popen[bytes]]] = {}
"""The helper of each process, by its id: a process that was forked off starts its own."""


def started(
    start: Callable[[], subprocess.Popen[AnyStr]], *, end: int = signal.SIGKILL, group: bool = False
) -> subprocess.Popen[AnyStr]:
    """A process, started; it, or the group that it leads, ends if this one ends without having said `forget`.

    An interrupt waits until the helper knows of it; a SIGKILL between the two is the one end that leaves something.
    Raises what `start` raises.
    """
    with uninterrupted():
        with _lock, suppress(OSError):
            _helper()  # it takes longer to start than to be told
        process = start()
        told = {"pid": process.pid, "born": born(process.pid), "signal": int(end), "group": group}
        _tell({"key": _key(process), **told})
    return process


def new_folder(prefix: str, within: Path | None = None) -> Path:
    """A new folder that only this user enters; it goes if this process ends without having said `forget`.

    The helper knows of it before it is there, so that no interrupt comes between the two. Raises OSError.
    """
    folder = Path(within or tempfile.gettempdir()).absolute() / f"{prefix}{secrets.token_hex(8)}"
    _tell({"key": _key(folder), "folder": str(folder)})
    folder.mkdir(mode=0o700)
    return folder


def remove_folder(folder: Path, patience_s: float = 0) -> None:
    """Remove a folder; whoever is being ended may write in it still, and what does not go is left to the helper."""
    until = time.monotonic() + patience_s
    shutil.rmtree(folder, ignore_errors=True)
    while folder.exists() and time.monotonic() < until:
        time.sleep(LOOK_S)
        shutil.rmtree(folder, ignore_errors=True)
    if not folder.exists():
        forget(folder)


@contextmanager
def temporary_folder(prefix: str) -> Iterator[Path]:
    """A new folder, gone afterwards, also where this process is killed meanwhile."""
    folder = new_folder(prefix)
    try:
        yield folder
    finally:
        remove_folder(folder)


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
        helper = _helper()
        assert helper.stdin is not None
        helper.stdin.write(json.dumps(message).encode() + b"\n")
        helper.stdin.flush()


def _helper() -> subprocess.Popen[bytes]:
    import atexit

    helper = _helpers.get(os.getpid())
    if helper is not None:
        return helper
    helper = _helpers[os.getpid()] = subprocess.Popen(  # noqa: S603 - our own program
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
