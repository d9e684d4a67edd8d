"""Targets that are a program of ours in a product's environment. Each is a driver, and can be run as one by hand.

What a program can do is in a file beside it, `NAME.table.json`, which it tells when it is asked, and which is read
here: so the table is known before the product is installed, and there is one copy of it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

from .driver import DriverSession
from .driver_messages import table_of
from .driver_wire import Wire
from .environments import PROGRAMS, Environment, found, installed, needed
from .protocol import Session, Table

ANSWER_S: Final = 60.0
"""A product takes some seconds to start, and many on a machine that is busy."""


class Program:
    """A target that is a program in an environment; `options` are the words behind its name."""

    def __init__(
        self, name: str, environment: str, program: str, options: Callable[[Environment], Sequence[str]] = lambda _: ()
    ) -> None:
        self.name, self._environment, self._program, self._options = name, environment, program, options
        self._keeps = False
        self._kept: Wire | None = None

    @property
    def table(self) -> Table:
        """What the program can do."""
        return table_beside(self._program)

    def missing(self) -> tuple[str, ...]:
        """The environment, with the command that makes it."""
        lacks = found(self._environment) is None
        return (f"{self._environment}: run `latchcheck targets install {self.name}`",) if lacks else ()

    def install(self) -> tuple[str, ...]:
        """Make the environment; what was done, a line each. Raises TargetMissing."""
        return installed(self._environment)

    def command(self) -> list[str]:
        """The command line of the driver. Raises TargetMissing where its environment is not there."""
        environment = needed(self._environment)
        return [*environment.command, str(PROGRAMS / self._program), *self._options(environment)]

    def keep(self, keeps: bool) -> None:  # noqa: FBT001 - one of two ways to go on
        """Whether the sessions from here on share one process, one after the other: a product may take long to start.

        A driver of somebody else need not be able to begin anew; the programs here are.
        """
        self._keeps = keeps
        self.stop()

    def stop(self) -> None:
        """End the process that was kept, if any."""
        kept, self._kept = self._kept, None
        if kept is not None:
            kept.close()

    def open(self) -> Session:
        """The program, started, or kept from the session before. Raises TargetError."""
        wire, self._kept = self._kept, None
        if wire is None:
            wire = Wire(self.command(), ANSWER_S, surroundings())
        return DriverSession(wire, self._keep if self._keeps else None)

    def _keep(self, wire: Wire) -> None:
        self.stop()
        self._kept = wire


@cache
def table_beside(program: str) -> Table:
    """The capability table in the file beside a program."""
    path = (PROGRAMS / program).with_suffix(".table.json")
    return table_of(json.loads(path.read_text(encoding="utf-8")))


def surroundings() -> dict[str, str]:
    """The environment variables of a program: nothing of this Python's, and no warnings of a product's."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    return kept | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore", "NODE_NO_WARNINGS": "1"}
