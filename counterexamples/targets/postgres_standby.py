"""The targets `postgres-standby`: records are written on a PostgreSQL primary and may be read on a standby behind it.

The standby replays what the primary has committed when it is asked to (`replicate`), and holds there until the next
time, so that how far it is behind is the run's to say and never a matter of luck.
`postgres-standby` judges every write on the primary and answers a create when the standby has it.
`postgres-standby-early` answers a create at once; `postgres-standby-naive` judges writes by what the standby has.
Both servers are started here: of a server that is somebody else's there is no standby to hold.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import Any, Final

import attrs

from .errors import TargetCrashed
from .events import Answer, Call
from .postgres import Postgres
from .protocol import Session, Table
from .sql_session import NAIVE_TABLE, TABLE, SqlSession
from .stores.connection import Connection, Lost
from .stores.copied import CopiedStore, NaiveOnCopy
from .stores.opening import Place
from .stores.postgres import PostgresConnection, driver
from .stores.server import NEEDS, PostgresServer, binaries
from .stores.standby import PostgresStandby, catch_up
from .stores.store import CasStore

_LAGS: Final = {"replicate"}


class Awaiting(CopiedStore):
    """Compares and swaps on the primary; `elsewhere` says whether the next read is of the copy."""

    elsewhere = False

    def __init__(self, primary: Connection, copy: Connection) -> None:
        super().__init__(primary, copy, catches_up=False)

    def seen(self, task: str, at_least: int) -> Any:
        """The record as the copy has it, or the primary."""
        return super().seen(task, at_least) if self.elsewhere else self.row(task)


class OnCopy(NaiveOnCopy):
    """Judges writes by the copy; `elsewhere` says whether the next read is of it, too."""

    elsewhere = False

    def seen(self, task: str, at_least: int) -> Any:
        """The record as the copy has it, or the primary."""
        return super().seen(task, at_least) if self.elsewhere else self.row(task)


class OnStandby:
    """A store over a primary and a standby."""

    name = "postgres-standby"
    make: Callable[[Connection, Connection], CasStore] = Awaiting
    table: Table = attrs.evolve(TABLE, events=TABLE.events | _LAGS)
    awaits = True

    def __init__(self) -> None:
        self._servers = ExitStack()
        self._running: tuple[PostgresServer, PostgresStandby] | None = None

    def missing(self) -> tuple[str, ...]:
        """The driver, or the programs of a server, where they are not there."""
        lacks = [line for line in Postgres().missing() if line != NEEDS]
        return tuple(lacks if binaries() is not None else [*lacks, NEEDS])

    def install(self) -> tuple[str, ...]:
        """Make an environment with a server where there is none. Raises TargetMissing."""
        return Postgres().install()

    def open(self) -> Session:
        """A session on a new schema, of which the standby has the tables. Raises TargetError."""
        driver()
        try:
            return StandbySession(*self._started(), self.make, awaits=self.awaits)
        except Lost as lost:
            raise TargetCrashed(str(lost)) from lost

    def _started(self) -> tuple[str, str]:
        if self._running is None:
            primary = PostgresServer()
            self._servers.callback(primary.stop)
            standby = PostgresStandby(primary)
            self._servers.callback(standby.stop)
            self._running = primary, standby
        return self._running[0].dsn, self._running[1].dsn

    def stop(self) -> None:
        """Stop both servers, if they run."""
        self._running = None
        self._servers.close()


class Early(OnStandby):
    """The same, where a create is answered before the standby has it."""

    name = "postgres-standby-early"
    awaits = False


class NaiveOnStandby(OnStandby):
    """A store that reads the standby, and then writes to the primary."""

    name = "postgres-standby-naive"
    make = OnCopy
    table: Table = attrs.evolve(NAIVE_TABLE, events=NAIVE_TABLE.events | _LAGS)


class StandbySession(SqlSession):
    """A session whose reads may be of the standby."""

    def __init__(
        self, primary: str, standby: str, make: Callable[[Connection, Connection], CasStore], *, awaits: bool
    ) -> None:
        place = Place(database="postgres", where=primary, schema=f"latchcheck_{secrets.token_hex(6)}")
        self._awaits = awaits
        self._copy = PostgresConnection(standby)
        self._copy.execute(f"SET search_path TO {place.schema}")

        def finish() -> None:
            with suppress(Lost):
                place.remove()

        super().__init__(lambda: make(place.connect(), self._copy), finish)
        catch_up(self._store.db, self._copy)

    def close(self) -> None:
        """Close both connections and remove what was made."""
        self._copy.close()
        super().close()

    def _create(self, call: Call) -> Answer:
        told = super()._create(call)
        if self._awaits:
            catch_up(self._store.db, self._copy)
        return told

    def _get(self, call: Call) -> Answer:
        store: Any = self._store
        store.elsewhere = bool(call.args.get("replica"))
        return super()._get(call)

    def _replicate(self, _call: Call) -> Answer:
        catch_up(self._store.db, self._copy)
        return Answer()
