"""Servers as child processes on ports of loopback: programs of ours in a product's environment, and Redis."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from . import leftovers
from .environments import PROGRAMS
from .errors import TargetCrashed, TargetTimeout

START_S: Final = 90.0
"""Long for a machine that is busy with other things; none that is idle takes three seconds."""


class Child:
    """A server as a child process on a port of loopback."""

    def __init__(self, interpreter: str, program: str, options: Sequence[str]) -> None:
        self._command = [interpreter, str(PROGRAMS / program)]
        self._options = list(options)
        self._process: subprocess.Popen[str] | None = None
        self.port = 0

    def start(self) -> None:
        """Start it, on the port that it had before. Raises TargetError where it does not come up."""
        command = [*self._command, "--port", str(self.port), *self._options]
        environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
        environment |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore"}
        try:
            self._process = leftovers.started(
                lambda: subprocess.Popen(  # noqa: S603 - our own program, no shell
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                    env=environment,
                )
            )
        except OSError as error:
            raise TargetCrashed(f"{command[0]}: {error.strerror or error}") from None
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], START_S)
        line = self._process.stdout.readline() if ready else ""
        try:
            self.port = int(json.loads(line)["port"])
        except (ValueError, KeyError, TypeError):
            words = self._ended()
            silence = words or f"it does not come up in {START_S:g} s"
            what = f"it says {line.strip()!r}" if line else silence
            raise TargetCrashed(f"the server did not start: {what}") from None

    def kill(self) -> None:
        """Kill it at once, as a crash does."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        with suppress(OSError, subprocess.TimeoutExpired):
            process.wait(5)
        leftovers.forget(process)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()

    def _ended(self) -> str:
        """The last words of a process that has ended; it is killed where it has not."""
        process = self._process
        assert process is not None
        process.kill()
        _, errors = process.communicate()
        self._process = None
        return (errors.strip().splitlines() or [""])[-1]


class Redis:
    """A Redis server of its own on a port of loopback, without files."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self.url = ""

    def start(self) -> None:
        """Start it. Raises TargetError where there is none, or it does not come up."""
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
        command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        try:
            self._process = leftovers.started(
                lambda: subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
            )
        except OSError as error:
            raise TargetCrashed(f"redis-server: {error.strerror or error}") from None
        until = time.monotonic() + START_S
        while time.monotonic() < until:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                self.url = f"redis://127.0.0.1:{port}/0"
                return
            time.sleep(0.05)
        self.stop()
        raise TargetTimeout(f"redis-server does not answer in {START_S:g} s")

    def stop(self) -> None:
        """End it."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with suppress(subprocess.TimeoutExpired):
                process.wait(5)
            leftovers.forget(process)
