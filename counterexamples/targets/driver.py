"""The target `driver:CMD`: a program in any language that speaks JSON lines over its standard input and output.

The protocol, version 1, is written down in docs/reference/driver-protocol.md. One process is one session.
The programs that drive products (program.py) are drivers too: there is one way to speak to a program.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from ...model.spelling import SpellingError
from .driver_messages import Nonsense, answer_of
from .driver_wire import Wire
from .errors import CannotDo, TargetError, TargetMissing
from .events import Answer, Call
from .protocol import Session, Table

TIMEOUT_S: Final = 10.0


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
    """A session with one process, which ends with it unless it is to be kept: `keep` then takes it."""

    def __init__(self, wire: Wire, keep: Callable[[Wire], None] | None = None) -> None:
        self._wire, self._keep = wire, keep
        try:
            self._waits = wire.hello().clock.kind == "real"
            wire.ask({"do": "open"})
        except BaseException:
            wire.close()
            raise

    def perform(self, call: Call) -> Answer:
        """Do a call."""
        try:
            return self._perform(call)
        except TargetError:
            self._keep = None  # who knows what state it is in
            raise

    def _perform(self, call: Call) -> Answer:
        asked = {"do": "event", "event": call.kind, "task": call.task, "by": call.by, "args": dict(call.args)}
        # A driver with a real clock waits, so it may take that much longer.
        told = self._wire.ask(asked, more_s=call.args.get("to_ms", 0) / 1000 if self._waits else 0)
        if "cannot" in told:
            raise CannotDo(str(told["cannot"]))
        if "answer" not in told:
            self._wire.garbage("the reply holds neither answer nor cannot", told)
        try:
            return answer_of(told["answer"])
        except Nonsense as nonsense:
            self._wire.garbage(nonsense.why, nonsense.what)

    def close(self) -> None:
        """Say goodbye, then end the process and all that it has started; where it is kept, its next `open` will do."""
        keep, self._keep = self._keep, None
        if not self._wire.unanswered:
            if keep is not None:
                keep(self._wire)
                return
            with suppress(TargetError):
                self._wire.ask({"do": "close"})
        self._wire.close()


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isascii() and text.replace(".", "", 1).isdigit() and float(text) > 0
