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
from .naive import NaiveStore
from .postgres import PostgresConnection, driver
from .sqlite import SqliteConnection
from .store import CasStore

MEMORY = ":memory:"


@attrs.frozen(kw_only=True)
class Place:
    """Where a store is and how it writes.

    `database` is `volatile` (in the process), `sqlite` (`where` is the file) or `postgres` (`where` is a connection
    string, `schema` the schema); `level` is an isolation level of PostgreSQL, or `autocommit`, where the naive store
    has each of its two statements in a transaction of its own.
    """

    database: Literal["volatile", "sqlite", "postgres"]
    where: str = MEMORY
    schema: str = "latchcheck"
    naive: bool = False
    level: str = "autocommit"

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
        if self.naive:
            return NaiveStore(connection, one_transaction=self.level != "autocommit")
        return CasStore(connection)

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
