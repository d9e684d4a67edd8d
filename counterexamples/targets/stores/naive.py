"""The store for contrast: it reads, decides, and then writes whatever the record has become meanwhile.

Nothing about it is contrived: a read, an `if`, and an update by id are what a first version of a task store looks like.
`connection` decides whether the two statements share a transaction; by default they do not.
"""

from __future__ import annotations

from . import statements as sql
from .connection import Connection, again, transaction
from .records import TERMINAL, Decided, Row, Windows, Write
from .store import CasStore


class NaiveStore(CasStore):
    """Reads, then writes. In `one_transaction` the isolation level of the connection may save it."""

    def __init__(self, connection: Connection, *, one_transaction: bool = False) -> None:
        super().__init__(connection)
        self._one = one_transaction

    def _create(
        self, now_ms: int, task: str, auth: str, windows: Windows, key: str | None, digest: str | None
    ) -> Decided:
        """The record first, the message after its commit: what dies between the two is never run."""
        if key is not None and (rows := self.db.execute(sql.PRIOR, auth=auth, key=key).rows):
            row = self.row(rows[0][0])
            return Decided("REPLAY_TASK", row and row.status, row and row.version, rows[0][0])
        if not self._insert(now_ms, task, auth, windows, key, digest):
            return Decided("BLOCK_ID_TAKEN")
        self.db.execute(sql.ENQUEUE, task=task)
        return Decided("ACCEPT_TASK", "working", 1, task)

    def write(self, now_ms: int, wanted: Write) -> Decided:
        """Write a status if the record was open when it was read."""
        return self.read_then_write(now_ms, wanted.task, wanted.status)

    def cancel(self, now_ms: int, task: str, auth: str) -> Decided:
        """Cancel if the record was open when it was read."""
        del auth
        decided = self.read_then_write(now_ms, task, "cancelled")
        return Decided("ALREADY_TERMINAL", decided.status) if "TERMINAL" in decided.decision else decided

    def read_then_write(self, now_ms: int, task: str, status: str) -> Decided:
        """The two statements, in a transaction or not."""

        def work() -> Decided:
            row = self.judged(task)
            if row is None:
                return Decided("BLOCK_MISSING")
            if row.status in TERMINAL:
                same = "IDEMPOTENT_TERMINAL" if row.status == status else "BLOCK_TERMINAL_REWRITE"
                return Decided(same, row.status, row.version)
            return self.blind_write(now_ms, task, status)

        def one() -> Decided:
            with transaction(self.db):
                return work()

        return again(one if self._one else work)

    def judged(self, task: str) -> Row | None:
        """The record as the guard of a write looks at it."""
        return self.row(task)

    def blind_write(self, now_ms: int, task: str, status: str) -> Decided:
        """The second statement alone: for a writer that has read the record before."""
        self.db.execute(sql.BLIND, now=now_ms, task=task, next=status)
        if status in TERMINAL:
            self.db.execute(sql.ACKNOWLEDGE, task=task)
        return Decided("APPLY", status)
