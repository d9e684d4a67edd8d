"""PostgreSQL connections, at any isolation level. Needs the extra `postgres`."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache
from typing import Any, Final

from ..errors import TargetMissing
from .connection import Conflict, Hook, Lost, Result, ignore

LEVELS: Final = ("read-uncommitted", "read-committed", "repeatable-read", "serializable")
CONNECT_TIMEOUT_S: Final = 10
STATEMENT_TIMEOUT_MS: Final = 60_000
NEEDS: Final = "psycopg is not installed: pip install 'latchcheck[postgres]'"


def driver() -> Any:
    """The module psycopg. Raises TargetMissing."""
    try:
        import psycopg
    except ImportError as error:
        raise TargetMissing(NEEDS) from error
    return psycopg


@cache
def _spelled(statement: str) -> str:
    """The statement with psycopg's way to name an argument."""
    return re.sub(r":(\w+)", r"%(\1)s", statement)


class PostgresConnection:
    """One connection to a server, by its connection string."""

    def __init__(self, dsn: str, *, level: str = "read-committed", before: Hook = ignore) -> None:
        self.before = before
        self._psycopg = driver()
        try:
            self._db = self._psycopg.connect(
                dsn,
                autocommit=True,
                connect_timeout=CONNECT_TIMEOUT_S,
                options=f"-c statement_timeout={STATEMENT_TIMEOUT_MS}",
            )
        except self._psycopg.Error as error:
            raise Lost(f"PostgreSQL: {str(error).strip()}") from error
        self._begin = f"BEGIN ISOLATION LEVEL {level.replace('-', ' ').upper()}"

    def execute(self, statement: str, **args: Any) -> Result:
        """Run one statement. Raises Conflict for a serialisation failure or deadlock, Lost where nobody answers."""
        self.before(statement)
        try:
            cursor = self._db.execute(_spelled(statement), args)
            rows = tuple(cursor.fetchall()) if cursor.description else ()
            return Result(rows, cursor.rowcount)
        except (self._psycopg.errors.SerializationFailure, self._psycopg.errors.DeadlockDetected) as error:
            raise Conflict(str(error)) from error
        except self._psycopg.OperationalError as error:
            raise Lost(f"PostgreSQL: {str(error).strip()}") from error

    def begin(self) -> None:
        """Begin a transaction at the level of this connection."""
        self.execute(self._begin)

    def commit(self) -> None:
        """Make it durable."""
        self.execute("COMMIT")

    def rollback(self) -> None:
        """Give it up."""
        with suppress(self._psycopg.Error):
            self._db.execute("ROLLBACK")

    def close(self) -> None:
        """Close it."""
        self._db.close()
