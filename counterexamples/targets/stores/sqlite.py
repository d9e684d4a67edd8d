"""SQLite connections: write-ahead log, every commit on disk, several processes on one file."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any

from .connection import Conflict, Hook, Lost, Result, ignore

BUSY_TIMEOUT_MS = 10_000


class SqliteConnection:
    """One connection; `immediate` transactions take the write lock when they begin, others when they first write."""

    def __init__(self, path: Path, *, immediate: bool = True, before: Hook = ignore) -> None:
        self.before = before
        self._begin = "BEGIN IMMEDIATE" if immediate else "BEGIN"
        try:
            self._db = sqlite3.connect(path, isolation_level=None, timeout=BUSY_TIMEOUT_MS / 1000)
            try:
                self._db.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute("PRAGMA synchronous=FULL")
            except BaseException:
                self._db.close()  # from Python 3.13 on one that is left open is a warning
                raise
        except sqlite3.Error as error:
            raise Lost(f"SQLite, {path}: {error}") from error

    def execute(self, statement: str, **args: Any) -> Result:
        """Run one statement. Raises Conflict for a lock that another holds, Lost where the file is no database."""
        self.before(statement)
        try:
            cursor = self._db.execute(statement, args)
            return Result(tuple(cursor.fetchall()), cursor.rowcount)
        except sqlite3.IntegrityError:
            raise
        except sqlite3.OperationalError as error:
            if "locked" in str(error) or "busy" in str(error):
                raise Conflict(str(error)) from error
            raise Lost(f"SQLite: {error}") from error
        except sqlite3.Error as error:
            raise Lost(f"SQLite: {error}") from error

    def begin(self) -> None:
        """Begin a transaction."""
        self.execute(self._begin)

    def commit(self) -> None:
        """Make it durable."""
        self.execute("COMMIT")

    def rollback(self) -> None:
        """Give it up."""
        with suppress(sqlite3.Error):
            self._db.rollback()

    def close(self) -> None:
        """Close the file."""
        self._db.close()
