"""A PostgreSQL standby that streams from a primary and replays each commit some time later, for a while.

Both run here, in throw-away folders. The standby begins as a copy of the files of the primary, which is shut down for
that moment, so that no program beside `postgres` is needed to make it.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from ..errors import TargetError
from .server import PostgresServer


class PostgresStandby(PostgresServer):
    """A standby of a primary that has no connections yet; it answers reads, `behind_ms` after their commit or more.

    Raises TargetError where it does not start.
    """

    def __init__(self, primary: PostgresServer, behind_ms: int) -> None:
        self._primary = primary
        followed = f"host={primary.folder} user=latchcheck"
        self.settings = ("-c", f"primary_conninfo={followed}", "-c", f"recovery_min_apply_delay={behind_ms}ms")
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
