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

ANSWER_S: Final = 20.0
"""A product may take some seconds to start."""


class Program:
    """A target that is a program in an environment; `options` are the words behind its name."""

    def __init__(
        self, name: str, environment: str, program: str, options: Callable[[Environment], Sequence[str]] = lambda _: ()
    ) -> None:
        self.name, self._environment, self._program, self._options = name, environment, program, options

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

    def open(self) -> Session:
        """The program, started. Raises TargetError."""
        return DriverSession(Wire(self.command(), ANSWER_S, surroundings()))


@cache
def table_beside(program: str) -> Table:
    """The capability table in the file beside a program."""
    path = (PROGRAMS / program).with_suffix(".table.json")
    return table_of(json.loads(path.read_text(encoding="utf-8")))


def surroundings() -> dict[str, str]:
    """The environment variables of a program: nothing of this Python's, and no warnings of a product's."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    return kept | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore", "NODE_NO_WARNINGS": "1"}
