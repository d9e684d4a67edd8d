"""Opens a store by a plain description, so that another process can open the same one."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import attrs

from .. import leftovers
from .connection import Connection, Hook, ignore
from .copied import CopiedStore, NaiveOnCopy, Snapshot
from .naive import NaiveStore
from .postgres import PostgresConnection, driver
from .records import Reads
from .sqlite import SqliteConnection
from .store import CasStore

MEMORY = ":memory:"
SNAPSHOT = "snapshot"


@attrs.frozen(kw_only=True)
class Place:
    """Where a store is and how it writes.

    `database` is `volatile` (in the process), `sqlite` (`where` is the file) or `postgres` (`where` is a connection
    string, `schema` the schema); `level` is an isolation level of PostgreSQL, or `autocommit`, where the naive store
    has each of its two statements in a transaction of its own.
    `copy` is where records are read from: nowhere else than they are written (empty), in a read transaction that is
    held open (`snapshot`), or on a standby (its connection string). `guard_reads` says which of the two a write is
    judged by, and `catches_up` whether a reader who knows more than the copy is answered from the primary.
    """

    database: Literal["volatile", "sqlite", "postgres"]
    where: str = MEMORY
    schema: str = "latchcheck"
    naive: bool = False
    level: str = "autocommit"
    copy: str = ""
    guard_reads: Literal["primary", "replica"] = "primary"
    catches_up: bool = False

    def connect(self, before: Hook = ignore) -> Connection:
        """A new connection. Raises Lost."""
        together = self.level != "autocommit"
        if self.database != "postgres":
            return SqliteConnection(Path(self.where), immediate=not (self.naive and together), before=before)
        connection = PostgresConnection(self.where, level=self.level if together else "read-committed")
        # Two processes that begin at once may both find no schema.
        with suppress(driver().errors.UniqueViolation):
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {self.schema}")
        connection.execute(f"SET search_path TO {self.schema}")
        connection.before = before
        return connection

    def open(self, before: Hook = ignore) -> CasStore:
        """The store on a new connection."""
        connection = self.connect(before)
        if self.copy:
            copy = self._copied()
            return (
                CopiedStore(connection, copy, catches_up=self.catches_up)
                if self.guard_reads == "primary"
                else (NaiveOnCopy(connection, copy))
            )
        if self.naive:
            return NaiveStore(connection, one_transaction=self.level != "autocommit")
        return CasStore(connection)

    def _copied(self) -> Reads:
        """What records are read from. Raises Lost."""
        if self.database != "postgres":
            return Snapshot(SqliteConnection(Path(self.where), immediate=False))
        held = self.copy == SNAPSHOT
        connection = PostgresConnection(self.where if held else self.copy, level="repeatable-read")
        connection.execute(f"SET search_path TO {self.schema}")
        return Snapshot(connection) if held else connection

    def watch(self) -> None:
        """Have the schema removed, too, where this process is killed: the server is not ours and lives on."""
        text = json.dumps({"where": self.where, "schema": self.schema})
        leftovers.watch_command(self.schema, [sys.executable, "-m", __name__], text)

    def remove(self) -> None:
        """Remove what this store has in a PostgreSQL server; files are removed with their folder. Raises Lost."""
        if self.database == "postgres":
            connection = PostgresConnection(self.where)
            connection.execute(f"DROP SCHEMA IF EXISTS {self.schema} CASCADE")
            connection.close()
            leftovers.forget(self.schema)


def as_plain(place: Place) -> dict[str, Any]:
    """The description as JSON has it."""
    return attrs.asdict(place)


if __name__ == "__main__":  # what `watch` has asked for
    Place(database="postgres", **json.loads(sys.stdin.read())).remove()
