"""The target `driver:CMD`: a program in any language that speaks JSON lines over its standard input and output.

The protocol, version 1, is written down in docs/reference/driver-protocol.md, its messages in driver.schema.json.
One process is one session. What it writes to standard error is kept for error messages, and never read as an answer.
A driver is not believed: an answer of another shape, to another question, too late, too long, or none, is an error.
"""

from __future__ import annotations

import json
import os
import selectors
import shlex
import signal
import subprocess
import time
from contextlib import suppress
from typing import Any, Final, NoReturn

from ...model.spelling import SpellingError
from .errors import CannotDo, TargetCrashed, TargetError, TargetGarbage, TargetMissing, TargetTimeout
from .events import EVENTS, Answer, Call
from .protocol import WINDOWS, Clock, Session, Table

VERSION: Final = 1
TIMEOUT_S: Final = 10.0
LINE_BYTES_MAX: Final = 1_000_000
STDERR_BYTES_MAX: Final = 4_000
SHOWN_MAX: Final = 200
_STATUSES: Final = ("working", "input_required", "completed", "failed", "cancelled", "gone")


class Driver:
    """A target that a command line is; `timeout_s` is how long one answer may take. Raises SpellingError."""

    def __init__(self, command: str, timeout_s: float | None = None) -> None:
        self.name = f"driver:{command}"
        try:
            self._command = shlex.split(command)
        except ValueError as error:
            raise SpellingError(
                f"target: {self.name!r} is no command line: {error}", "quote it as a shell does"
            ) from None
        given = os.environ.get("LATCHCHECK_DRIVER_TIMEOUT", "")
        self.timeout_s = timeout_s or (float(given) if _is_number(given) else TIMEOUT_S)
        self._table: Table | None = None

    @property
    def table(self) -> Table:
        """What the driver says of itself; unlike other targets it is started to be asked. Raises TargetError."""
        if self._table is None:
            wire = Wire(self._command, self.timeout_s)
            try:
                self._table = wire.hello()
            finally:
                wire.close()
        return self._table

    def missing(self) -> tuple[str, ...]:
        """Why it cannot be started, if so."""
        try:
            self.table  # noqa: B018 - asks the driver
        except TargetMissing as error:
            return (str(error),)
        except TargetError:
            return ()
        return ()

    def open(self) -> Session:
        """A session in a process of its own."""
        return DriverSession(Wire(self._command, self.timeout_s))


class DriverSession:
    """A session with one process."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        try:
            wire.hello()
            wire.ask({"do": "open"})
        except BaseException:
            wire.close()
            raise

    def perform(self, call: Call) -> Answer:
        """Do a call."""
        asked = {"do": "event", "event": call.kind, "task": call.task, "by": call.by, "args": dict(call.args)}
        # A driver with a real clock waits, so it may take that much longer.
        told = self._wire.ask(asked, more_s=call.args.get("to_ms", 0) / 1000)
        if "cannot" in told:
            raise CannotDo(str(told["cannot"]))
        if "answer" not in told:
            self._wire.garbage("the reply holds neither answer nor cannot", told)
        return answer_of(told["answer"], self._wire)

    def close(self) -> None:
        """Say goodbye, then end the process and all that it has started."""
        with suppress(TargetError):
            self._wire.ask({"do": "close"})
        self._wire.close()


class Wire:
    """One process and the lines to and from it."""

    def __init__(self, command: list[str], timeout_s: float) -> None:
        self._timeout_s, self._count = timeout_s, 0
        self._out, self._err = b"", b""
        if not command:
            raise TargetMissing("driver: the command is empty")
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the command is the user's own
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
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
        return table_of(told, self)

    def ask(self, message: dict[str, Any], more_s: float = 0) -> dict[str, Any]:
        """Send one message and wait for its reply. Raises a TargetError that says what happened instead."""
        self._count += 1
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
            code = self._process.wait(0.5)
            return f" (signal {-code})" if code < 0 else f" (exit code {code})"
        return ""

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


def table_of(told: dict[str, Any], wire: Wire) -> Table:
    """The capability table in a reply to hello; a wrong entry is garbage, an unknown one too."""
    kinds: dict[str, type] = dict.fromkeys(("fuses", "versions", "keys", "negotiates", "inputs", "fails"), bool)
    kinds |= {"workers": int, "tenants": int}
    lists = {"events": EVENTS, "statuses": _STATUSES, "windows": WINDOWS, "eras": ("2026-07-28", "2025-11-25")}
    given: dict[str, Any] = {}
    for name, value in told.items():
        if name in ("id", "latchcheck", "name"):
            continue
        if name in kinds:
            fits = isinstance(value, kinds[name]) and (kinds[name] is bool or not isinstance(value, bool))
        elif name in lists:
            fits = isinstance(value, list) and all(one in lists[name] for one in value)
        elif name == "clock":
            fits = _is_clock(value)
        elif name == "fixed":
            fits = isinstance(value, dict) and all(key in WINDOWS and _is_count(ms) for key, ms in value.items())
        else:
            fits = name == "cannot_observe" and isinstance(value, list) and all(isinstance(one, str) for one in value)
        if not fits:
            wire.garbage(f"the table cannot say {name}", {name: value})
        given[name] = value
    if "events" not in given:
        wire.garbage("the table does not say which events it can do", told)
    clock = given.pop("clock", {"kind": "none"})
    given |= {"fixed": tuple(given.get("fixed", {}).items()), "eras": tuple(given.get("eras", lists["eras"]))}
    given["cannot_observe"] = tuple(given.get("cannot_observe", ()))
    return Table(clock=Clock(clock["kind"], clock.get("granularity_ms", 1)), **given)


def answer_of(told: Any, wire: Wire) -> Answer:
    """The answer in a reply; one of another shape is garbage."""
    if not isinstance(told, dict):
        wire.garbage("the answer is no object", told)
    shapes: dict[str, Any] = {
        "refused": lambda value: isinstance(value, bool),
        "why": _is_text,
        "status": lambda value: value is None or value in _STATUSES,
        "version": lambda value: value is None or _is_count(value),
        "same_as": _is_text,
        "tasks": lambda value: (
            value is None or (isinstance(value, list) and all(isinstance(one, str) for one in value))
        ),
        "raw": lambda value: isinstance(value, dict),
    }
    for name, value in told.items():
        if name not in shapes or not shapes[name](value):
            wire.garbage(f"an answer cannot say {name}", {name: value})
    tasks = told.get("tasks")
    return Answer(**{**told, "tasks": None if tasks is None else tuple(tasks)})


def _is_clock(value: Any) -> bool:
    if not isinstance(value, dict) or not value.keys() <= {"kind", "granularity_ms"}:
        return False
    return value.get("kind") in ("injected", "real", "none") and _is_count(value.get("granularity_ms", 1))


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_text(value: object) -> bool:
    return value is None or isinstance(value, str)


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isascii() and text.replace(".", "", 1).isdigit() and float(text) > 0


def _short(what: object) -> str:
    text = what if isinstance(what, str) else repr(what)
    text = "".join(one if one.isprintable() else " " for one in text[: SHOWN_MAX + 1])
    return text if len(text) <= SHOWN_MAX else text[: SHOWN_MAX - 3] + "..."


def command_of(target: object) -> str | None:
    """The command line of a driver target, None for another target."""
    return target.name.removeprefix("driver:") if isinstance(target, Driver) else None


__all__ = ["VERSION", "Driver", "DriverSession", "Wire", "answer_of", "command_of", "table_of"]
