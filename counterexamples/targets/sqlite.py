"""The targets `sqlite` and `sqlite-naive`: a store in a file of its own, removed at the end."""

from __future__ import annotations

from . import leftovers
from .protocol import Session, Table
from .sql_session import NAIVE_TABLE, TABLE, SqlSession
from .stores.naive import NaiveStore
from .stores.sqlite import SqliteConnection
from .stores.store import CasStore


class Sqlite:
    """A compare-and-swap store in SQLite."""

    name = "sqlite"
    make = CasStore

    @property
    def table(self) -> Table:
        """Everything can be done, with an injected clock."""
        return TABLE

    def missing(self) -> tuple[str, ...]:
        """Nothing: SQLite comes with Python."""
        return ()

    def open(self) -> Session:
        """A session on a new file."""
        folder = leftovers.new_folder("latchcheck-sqlite-")

        def open_store() -> CasStore | NaiveStore:
            return self.make(SqliteConnection(folder / "tasks.db"))

        return SqlSession(open_store, lambda: leftovers.remove_folder(folder))


class NaiveSqlite(Sqlite):
    """A store in SQLite that reads and then writes."""

    name = "sqlite-naive"
    make = NaiveStore

    @property
    def table(self) -> Table:
        """It asks no questions and retries nothing."""
        return NAIVE_TABLE
