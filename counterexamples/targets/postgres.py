"""The targets `postgres` and `postgres-naive`: a store in a schema of its own, removed at the end.

The server is the one that LATCHCHECK_POSTGRES names (a connection string), or one started for the purpose.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from typing import Final

from .environments import folder, installed
from .errors import TargetCrashed, TargetMissing
from .protocol import Session, Table
from .sql_session import NAIVE_TABLE, TABLE, SqlSession
from .stores.connection import Lost
from .stores.naive import NaiveStore
from .stores.opening import Place
from .stores.postgres import PostgresConnection, driver
from .stores.server import CLOSED, ENVIRONMENT, NEEDS, PostgresServer, binaries, closed_to, version
from .stores.store import CasStore

SERVER: Final = "LATCHCHECK_POSTGRES"


class Postgres:
    """A compare-and-swap store in PostgreSQL, at an isolation level."""

    name = "postgres"
    make = CasStore

    def __init__(self, level: str = "read-committed") -> None:
        self._level = level
        self._server: PostgresServer | None = None

    @property
    def table(self) -> Table:
        """Everything can be done, with an injected clock."""
        return TABLE

    def missing(self) -> tuple[str, ...]:
        """The driver, or a server, where they are not there."""
        lacks = []
        try:
            driver()
        except TargetMissing as error:
            lacks.append(str(error))
        if not os.environ.get(SERVER) and binaries() is None:
            lacks.append(NEEDS)
        return tuple(lacks)

    def install(self) -> tuple[str, ...]:
        """Say which server there is, or make an environment with one; a line each.

        Raises TargetMissing, with what is left to do.
        """
        lines = [f"{self.name}: the server that {SERVER} names is used"] if os.environ.get(SERVER) else self._found()
        try:
            driver()
        except TargetMissing as error:
            raise TargetMissing("\n  ".join([*lines, str(error)])) from None
        return tuple(lines)

    def _found(self) -> list[str]:
        """Which programs there are, after an environment was made where there were none. Raises TargetMissing."""
        programs = binaries()
        if programs is not None:
            lines = [f"{self.name}: {version(programs)}, found in {programs}"]
        elif (closed := closed_to(folder())) is not None:
            raise TargetMissing(CLOSED.format(closed))
        else:
            lines = [*installed(ENVIRONMENT)]
            programs = binaries()
        if programs is not None and (closed := closed_to(programs)) is not None:
            raise TargetMissing("\n  ".join([*lines, CLOSED.format(closed)]))
        return lines

    def dsn(self) -> str:
        """The connection string of the server, which is started at the first need."""
        named = os.environ.get(SERVER)
        if named:
            return named
        if self._server is None:
            self._server = PostgresServer()
        return self._server.dsn

    def open(self) -> Session:
        """A session on a new schema."""
        driver()
        dsn, schema = self.dsn(), f"latchcheck_{secrets.token_hex(6)}"
        place = Place(database="postgres", where=dsn, schema=schema)
        if self._server is None:
            place.watch()

        def connect() -> CasStore:
            connection = PostgresConnection(dsn, level=self._level)
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
            connection.execute(f"SET search_path TO {schema}")
            return self.make(connection)

        def finish() -> None:
            with suppress(Lost):
                place.remove()

        try:
            return SqlSession(connect, finish)
        except Lost as lost:
            raise TargetCrashed(str(lost)) from lost

    def stop(self) -> None:
        """Stop the server that was started here, if any."""
        if self._server is not None:
            self._server.stop()
            self._server = None


class NaivePostgres(Postgres):
    """A store in PostgreSQL that reads and then writes."""

    name = "postgres-naive"
    make = NaiveStore

    @property
    def table(self) -> Table:
        """It asks no questions and retries nothing."""
        return NAIVE_TABLE
