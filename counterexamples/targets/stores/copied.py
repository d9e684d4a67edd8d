"""Stores that read records from a copy that may be behind: what it lacks, a reader is not told.

The copy is a standby that replays with a delay, or a read transaction that somebody holds open: both databases show in
it what was committed when it began, however long ago that was.
"""

from __future__ import annotations

from typing import Any, Final

from .connection import Connection, Result
from .naive import NaiveStore
from .records import Reads, Row, read
from .store import CasStore

READS_MAX: Final = 12
"""A read transaction is held open for so many reads."""


class Snapshot:
    """A read transaction that is begun anew after READS_MAX reads only."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._reads = 0

    def execute(self, statement: str, **args: Any) -> Result:
        """Read what was there when the transaction began."""
        if self._reads % READS_MAX == 0:
            if self._reads:
                self._connection.commit()
            self._connection.begin()
        self._reads += 1
        return self._connection.execute(statement, **args)


class CopiedStore(CasStore):
    """Compares and swaps on the primary, and answers readers from the copy.

    `catches_up`: a reader who was told of a version that the copy lacks is answered from the primary.
    """

    def __init__(self, primary: Connection, copy: Reads, *, catches_up: bool) -> None:
        super().__init__(primary)
        self._copy, self._catches_up = copy, catches_up

    def seen(self, task: str, at_least: int) -> Row | None:
        """The record as the copy has it, unless the reader knows more."""
        row = read(self._copy, task)
        behind = at_least > (0 if row is None else row.version)
        return self.row(task) if behind and self._catches_up else row


class NaiveOnCopy(NaiveStore):
    """Answers readers from the copy, judges writes by it, and writes to the primary."""

    def __init__(self, primary: Connection, copy: Reads) -> None:
        super().__init__(primary)
        self._copy = copy

    def seen(self, task: str, at_least: int) -> Row | None:
        """The record as the copy has it."""
        del at_least
        return read(self._copy, task)

    def judged(self, task: str) -> Row | None:
        """The record as the copy has it."""
        return read(self._copy, task)
