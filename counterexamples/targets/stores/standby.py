"""A PostgreSQL standby that streams from a primary, for a while, and whose replay is held where one asks for it.

Both run here, in throw-away folders. The standby begins as a copy of the files of the primary, which is shut down for
that moment, so that no program beside `postgres` is needed to make it.
"""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from typing import Final

from ..errors import TargetError, TargetTimeout
from .connection import Connection
from .server import PostgresServer

FOLLOWS_S: Final = 30


class PostgresStandby(PostgresServer):
    """A standby, which answers reads, of a primary that has no connections yet. Raises TargetError."""

    def __init__(self, primary: PostgresServer) -> None:
        self._primary = primary
        follows = f"primary_conninfo=host={primary.host} user=latchcheck"
        # Replay is held here for longer than the delay after which it would end the reads that are in its way.
        self.settings = ("-c", follows, "-c", "max_standby_streaming_delay=-1")
        super().__init__()

    def _initialise(self) -> None:
        self._primary.shut_down()
        data = self.folder / "data"
        try:
            shutil.copytree(self._primary.folder / "data", data)
            (data / "standby.signal").touch()
            if self._user is not None:
                for path in (data, *_below(data)):
                    shutil.chown(path, self._user.pw_uid, self._user.pw_gid)
        except OSError as error:
            raise TargetError(f"PostgreSQL: no standby: {error}") from error
        finally:
            self._primary.start()


def _below(folder: Path) -> list[Path]:
    return [Path(where) / name for where, folders, files in os.walk(folder) for name in (*folders, *files)]


def catch_up(primary: Connection, standby: Connection) -> None:
    """Let a standby replay all that the primary has committed, and hold it there until the next call.

    It goes on to stream; what it holds back is shown to nobody. Raises TargetTimeout, Lost.
    """
    ((written,),) = primary.execute("SELECT CAST(pg_current_wal_lsn() AS text)").rows
    standby.execute("SELECT pg_wal_replay_resume()")
    _wait(standby, "SELECT pg_last_wal_replay_lsn() >= CAST(:written AS pg_lsn)", written=written)
    standby.execute("SELECT pg_wal_replay_pause()")
    _wait(standby, "SELECT pg_get_wal_replay_pause_state() = 'paused'")


def _wait(standby: Connection, question: str, **args: str) -> None:
    deadline = time.monotonic() + FOLLOWS_S
    while not standby.execute(question, **args).rows[0][0]:
        if time.monotonic() > deadline:
            raise TargetTimeout(f"the standby has not followed its primary for {FOLLOWS_S} s")
        time.sleep(0.005)
