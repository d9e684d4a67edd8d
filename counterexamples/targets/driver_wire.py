"""One process that is a driver, and the lines to and from it.

It is not believed: a reply of another shape, to another message, too late, too long, or none, is an error that says so.
What it writes to standard error is kept for error messages, and never read as an answer.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NoReturn

from . import leftovers
from .driver_messages import VERSION, Nonsense, table_of
from .errors import TargetCrashed, TargetError, TargetGarbage, TargetMissing, TargetTimeout
from .protocol import Table

LINE_BYTES_MAX: Final = 1_000_000
STDERR_BYTES_MAX: Final = 4_000
SHOWN_MAX: Final = 200
END_S: Final = 5.0
"""From the end of a driver's answers to its own: at once, but on a machine that is busy."""


class Wire:
    """One process and the lines to and from it; `timeout_s` is how long one reply may take.

    `environment` are its environment variables, those of this process where nothing is said.
    Raises TargetMissing where it cannot be started.
    """

    def __init__(self, command: Sequence[str], timeout_s: float, environment: Mapping[str, str] | None = None) -> None:
        self._timeout_s, self._count = timeout_s, 0
        # Whoever has not answered, or was interrupted, is not asked to say goodbye.
        self.unanswered = False
        self._out, self._err = b"", b""
        if not command:
            raise TargetMissing("driver: the command is empty")
        try:
            self._process = leftovers.started(
                lambda: subprocess.Popen(  # noqa: S603 - the command is the user's own, or ours
                    list(command),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    start_new_session=True,
                    env=environment,
                ),
                group=True,
            )
        except (OSError, ValueError) as error:
            raise TargetMissing(f"driver: {command[0]!r} cannot be started: {error}") from error
        assert self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)

    def hello(self) -> Table:
        """Ask who it is; its capability table."""
        told = self.ask({"do": "hello", "latchcheck": VERSION})
        if told.get("latchcheck") != VERSION:
            self.garbage(f"it speaks version {told.get('latchcheck')!r} of the protocol, not {VERSION}", told)
        try:
            return table_of(told)
        except Nonsense as nonsense:
            self.garbage(nonsense.why, nonsense.what)

    def ask(self, message: dict[str, Any], more_s: float = 0) -> dict[str, Any]:
        """Send one message and wait for its reply. Raises a TargetError that says what happened instead."""
        self._count += 1
        self.unanswered = True
        deadline = time.monotonic() + self._timeout_s + more_s
        self._send(json.dumps({"id": self._count, **message}).encode() + b"\n", deadline, str(message["do"]))
        line = self._line(deadline, str(message.get("event", message["do"])))
        try:
            told = json.loads(line)
        except (ValueError, RecursionError):
            self.garbage("this is not JSON", line.decode(errors="replace"))
        if not isinstance(told, dict):
            self.garbage("this is no JSON object", told)
        if told.get("id") != self._count:
            self.garbage(f"this answers message {told.get('id')!r}, not {self._count}", told)
        self.unanswered = False
        if "error" in told:
            raise TargetError(f"the driver reports: {_short(told['error'])}")
        return told

    def _send(self, data: bytes, deadline: float, what: str) -> None:
        assert self._process.stdin is not None
        while data:
            try:
                data = data[os.write(self._process.stdin.fileno(), data) :]
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise TargetTimeout(f"it does not read {what!r}{self._said()}") from None
                self._pump(0.01)
            except OSError as error:
                self._pump(0.1)
                raise TargetCrashed(f"it has ended{self._ended()}{self._said()}") from error

    def _line(self, deadline: float, what: str) -> bytes:
        while b"\n" not in self._out:
            if len(self._out) > LINE_BYTES_MAX:
                self.garbage(
                    f"a line of more than {LINE_BYTES_MAX} bytes", self._out[:SHOWN_MAX].decode(errors="replace")
                )
            left = deadline - time.monotonic()
            if left <= 0:
                raise TargetTimeout(f"no answer to {what!r} within {self._timeout_s:g} s{self._said()}")
            if not self._pump(left):
                raise TargetCrashed(f"it ended instead of answering {what!r}{self._ended()}{self._said()}")
        line, _, self._out = self._out.partition(b"\n")
        return line

    def _pump(self, wait_s: float) -> bool:
        """Read what is there of both outputs; whether answers may still come."""
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        with selectors.DefaultSelector() as selector:
            for stream in (self._process.stdout, self._process.stderr):
                if not stream.closed:
                    selector.register(stream, selectors.EVENT_READ)
            for key, _ in selector.select(max(0, wait_s)):
                data = os.read(key.fd, 65536)
                if key.fileobj is self._process.stderr:
                    self._err = (self._err + data)[-STDERR_BYTES_MAX:]
                    if not data:
                        self._process.stderr.close()
                elif data:
                    self._out += data
                else:
                    return False
        return True

    def garbage(self, why: str, what: object) -> NoReturn:
        """Refuse what the driver said."""
        raise TargetGarbage(f"{why}: {_short(what)}{self._said()}")

    def _ended(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            code = self._process.wait(END_S)
            self._hear_out()
            return f" (signal {-code})" if code < 0 else f" (exit code {code})"
        return ""

    def _hear_out(self) -> None:
        """Read what still stands on standard error: the end of the answers may have come before it."""
        stderr = self._process.stderr
        assert stderr is not None
        with selectors.DefaultSelector() as selector:
            if not stderr.closed:
                selector.register(stderr, selectors.EVENT_READ)
            while selector.get_map() and selector.select(0):
                data = os.read(stderr.fileno(), 65536)
                self._err = (self._err + data)[-STDERR_BYTES_MAX:]
                if not data:
                    selector.unregister(stderr)

    def _said(self) -> str:
        lines = self._err.decode(errors="replace").strip().splitlines()
        return f"; on stderr: {_short(lines[-1])}" if lines else ""

    def close(self) -> None:
        """End the process and its children; safe to call twice."""
        with suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            with suppress(OSError):
                if stream is not None:
                    stream.close()
        self._process.wait()
        leftovers.forget(self._process)


def _short(what: object) -> str:
    text = what if isinstance(what, str) else repr(what)
    text = "".join(one if one.isprintable() else " " for one in text[: SHOWN_MAX + 1])
    return text if len(text) <= SHOWN_MAX else text[: SHOWN_MAX - 3] + "..."
