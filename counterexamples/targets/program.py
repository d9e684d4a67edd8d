"""Targets that are a program of ours in a product's environment: a call is a line of JSON, an answer is another."""

from __future__ import annotations

import json
import os
import select
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

import attrs

from .environments import PROGRAMS, Environment, found, installed, needed
from .errors import CannotDo, TargetCrashed, TargetGarbage, TargetTimeout
from .events import Answer, Call
from .protocol import Session, Table

ANSWER_S: Final = 20.0


class Program:
    """A target that is a program in an environment; `options` are the words behind its name."""

    def __init__(self, name: str, program: str, table: Table, options: Callable[[Environment], Sequence[str]]) -> None:
        self.name, self._program, self._table, self._options = name, program, table, options

    @property
    def table(self) -> Table:
        """What the program can do."""
        return self._table

    def missing(self) -> tuple[str, ...]:
        """The environment, with the command that makes it."""
        return () if found(self.name) else (f"{self.name}: run `latchcheck targets install {self.name}`",)

    def install(self) -> tuple[str, ...]:
        """Make the environment; what was done, a line each. Raises TargetMissing."""
        return installed(self.name)

    def open(self) -> Session:
        """The program, started. Raises TargetMissing or TargetCrashed."""
        environment = needed(self.name)
        return ProgramSession([environment.interpreter, str(PROGRAMS / self._program), *self._options(environment)])


class ProgramSession:
    """One run of a program."""

    def __init__(self, command: Sequence[str]) -> None:
        environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
        environment |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore", "NODE_NO_WARNINGS": "1"}
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own program, no shell
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
            )
        except OSError as error:
            raise TargetCrashed(f"{command[0]}: {error.strerror or error}") from None

    def perform(self, call: Call) -> Answer:
        """Send a call and read its answer. Raises CannotDo, TargetCrashed, TargetTimeout or TargetGarbage."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        asked = {"kind": call.kind, "task": call.task, "by": call.by, "args": dict(call.args)}
        try:
            process.stdin.write(json.dumps(asked).encode() + b"\n")
            process.stdin.flush()
        except OSError:
            raise TargetCrashed(f"the program has ended: {self._last_words()}") from None
        ready, _, _ = select.select([process.stdout], [], [], ANSWER_S)
        if not ready:
            raise TargetTimeout(f"no answer to {call} in {ANSWER_S:g} s")
        line = process.stdout.readline()
        if not line:
            raise TargetCrashed(f"the program ended at {call}: {self._last_words()}")
        return _answer(line, call)

    def close(self) -> None:
        """End the program."""
        with suppress(OSError):
            self._process.kill()
        with suppress(OSError, subprocess.TimeoutExpired):
            self._process.wait(5)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    def _last_words(self) -> str:
        self._process.kill()
        _, errors = self._process.communicate()
        return (errors.decode("utf-8", "replace").strip().splitlines() or ["it said nothing"])[-1]


def _answer(line: bytes, call: Call) -> Answer:
    try:
        told: Any = json.loads(line)
    except ValueError:
        raise TargetGarbage(f"{call} was answered with {line[:80]!r}") from None
    known = {one.name for one in attrs.fields(Answer)} | {"cannot"}
    if not isinstance(told, dict) or not told.keys() <= known:
        raise TargetGarbage(f"{call} was answered with {line[:80]!r}")
    if "cannot" in told:
        raise CannotDo(str(told["cannot"]))
    if told.get("tasks") is not None:
        told["tasks"] = tuple(told["tasks"])
    return Answer(**told)
