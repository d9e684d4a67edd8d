"""The other end of child.py: a process with a store, asked by lines, killed by a signal."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import tempfile
from typing import Any, Final, Self

from .. import leftovers
from .opening import Place, as_plain

TIMEOUT_S: Final = 60
_READ_BYTES: Final = 1 << 16


class Died(Exception):
    """The process has ended without an answer: whether it did what was asked is not known."""


class Process:
    """One process on one store; `ask` waits for its answer."""

    def __init__(self, place: Place, kill_at: int | None = None) -> None:
        self.statements = 0
        self._heard = b""
        described = json.dumps({"place": as_plain(place), "kill_at": kill_at})
        self._process = leftovers.started(
            lambda: subprocess.Popen(
                [sys.executable, "-m", "latchcheck.counterexamples.targets.stores.child"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                cwd=tempfile.gettempdir(),
            )
        )
        # By its input, since a connection string may hold a password, and everybody sees a command line.
        self._write(described)

    def ask(self, do: str, **args: Any) -> Any:
        """Ask for one thing, and wait. Raises Died where the process ends first, or does not answer."""
        self.send(do, **args)
        return self.receive()

    def send(self, do: str, **args: Any) -> None:
        """Ask for one thing without waiting. Raises Died."""
        self._write(json.dumps({"do": do, **args}))

    def _write(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as error:  # ValueError: closed by us
            raise Died(f"it has ended: {error}") from error

    def receive(self) -> Any:
        """The next answer. Raises Died."""
        assert self._process.stdout is not None
        if self._process.stdout.closed:
            raise Died("it was killed")
        line = self._line(self._process.stdout.fileno())
        told = json.loads(line)
        self.statements = told["statements"]
        if "error" in told:
            raise Died(told["error"])
        return told["answer"]

    def _line(self, output: int) -> bytes:
        """The next line; several may have come at once, of which the others are kept. Raises Died."""
        while b"\n" not in self._heard:
            with selectors.DefaultSelector() as selector:
                selector.register(output, selectors.EVENT_READ)
                if not selector.select(TIMEOUT_S):
                    raise Died(f"it has not answered for {TIMEOUT_S} s")
            part = os.read(output, _READ_BYTES)
            if not part:
                raise Died("it has ended")
            self._heard += part
        line, _, self._heard = self._heard.partition(b"\n")
        return line

    @property
    def ended(self) -> bool:
        """Whether it runs no more."""
        return self._process.poll() is not None

    def kill(self) -> None:
        """Kill it, as nothing can be done about; safe to call twice."""
        self._process.kill()
        self.close()

    def close(self) -> None:
        """Let it end by itself, and collect it."""
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None and not stream.closed:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue
        try:
            self._process.wait(TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        leftovers.forget(self._process)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
