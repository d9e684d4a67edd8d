"""Whatever ends a verb, nothing that it has started or made outlives it: processes, servers, folders, schemas."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from latchcheck.counterexamples import SAVED
from latchcheck.counterexamples.targets import cleaner, leftovers
from latchcheck.counterexamples.targets.stores.postgres import PostgresConnection
from latchcheck.counterexamples.targets.stores.server import PostgresServer

pytestmark = pytest.mark.slow
PATIENCE_S = 120.0
TOLD_S = 1.0
# Whoever runs the tests under nohup has SIGHUP ignored, and so would what they start.
SCRIPT = "import signal; signal.signal(signal.SIGHUP, signal.SIG_DFL); from latchcheck.cli.main import run; run()"
LATCHCHECK = (sys.executable, "-c", SCRIPT)
FIXTURE = str(SAVED / "one-terminal-outcome" / "terminal-guard-check-then-set.json")
STUBBORN = Path(__file__).parent / "stubborn.py"
FUZZ = ("--max-runs", "100000", "--scope", "tasks=1,workers=2,instances=2,cancels=1", "--policy", "guarded")
# A verb that would go on for long, and how many processes besides its own and its helper show that it is under way.
VERBS = {
    "race sqlite": (["race", "--target", "sqlite", "--writers", "3", "--rounds", "1000000"], 3),
    "race postgres": (["race", "--target", "postgres", "--writers", "3", "--rounds", "1000000"], 6),
    "kill": (["kill", "--target", "sqlite"], 2),
    "kill postgres": (["kill", "--target", "postgres"], 5),
    "fuzz sqlite": (["fuzz", "--target", "sqlite", *FUZZ], 0),
    "fuzz postgres": (["fuzz", "--target", "postgres", *FUZZ], 3),
    "check driver": (["targets", "check", f"driver:{sys.executable} {STUBBORN}"], 2),
    "replay driver": (["replay", "--target", f"driver:{sys.executable} {STUBBORN}", FIXTURE], 2),
}
ENDED = [
    ("race sqlite", signal.SIGTERM),
    ("race postgres", signal.SIGKILL),
    ("race postgres", signal.SIGHUP),
    ("kill", signal.SIGKILL),
    ("kill", signal.SIGHUP),
    ("kill postgres", signal.SIGINT),
    ("fuzz sqlite", signal.SIGKILL),
    ("fuzz sqlite", signal.SIGHUP),
    ("fuzz postgres", signal.SIGKILL),
    ("replay driver", signal.SIGHUP),
    ("replay driver", signal.SIGKILL),
    ("check driver", signal.SIGHUP),
    ("fuzz postgres", signal.SIGHUP),
]
CASES = [
    pytest.param(verb, how, marks=[pytest.mark.needs("postgres")] if verb.endswith("postgres") else [])
    for verb, how in ENDED
]


@pytest.fixture
def room() -> Iterator[Path]:
    """A folder for all that is temporary, which every user may enter: PostgreSQL does not run as root."""
    made = Path(tempfile.mkdtemp(prefix="latchcheck-test-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made, ignore_errors=True)


def inhabitants(room: Path) -> list[int]:
    """The living processes that were started with this folder for what is temporary, or that work in it."""
    found = []
    for one in Path("/proc").iterdir():
        if not one.name.isdecimal() or cleaner.born(int(one.name)) is None:
            continue
        try:
            named = f"TMPDIR={room}".encode() in (one / "environ").read_bytes()
            inside = (one / "cwd").readlink().is_relative_to(room)
        except OSError:
            continue
        if named or inside:
            found.append(int(one.name))
    return found


def until(holds: Callable[[], bool]) -> bool:
    """Whether something comes to hold in time."""
    end = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def until_told(holds: Callable[[], bool]) -> bool:
    """Whether something comes to hold in time, and whoever brought it about has had the time to tell its helper."""
    held = until(holds)
    time.sleep(TOLD_S)  # nobody sees when that is, and a SIGKILL before it is the one end that leaves something
    return held


@pytest.mark.needs("linux")
@pytest.mark.parametrize(("verb", "how"), CASES, ids=lambda one: getattr(one, "name", one))
def test_nothing_is_left_behind(verb: str, how: signal.Signals, room: Path) -> None:
    """Killed from outside in the middle of its work, a verb leaves no process or folder; asked to end it ends in 4."""
    arguments, others = VERBS[verb]
    process = subprocess.Popen(
        [*LATCHCHECK, *arguments],
        env={**os.environ, "TMPDIR": str(room), "LATCHCHECK_DRIVER_TIMEOUT": "100"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        # The verb itself, its helper, and what it has started.
        under_way = until_told if how == signal.SIGKILL else until
        assert under_way(lambda: len(inhabitants(room)) >= 2 + others and any(room.iterdir()) != ("driver" in verb))
        process.send_signal(how)
        _, said = process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
        process.communicate()
    assert until(lambda: not inhabitants(room)), said
    assert until(lambda: not any(room.iterdir())), [*room.iterdir()]
    assert process.returncode == (-how if how == signal.SIGKILL else 4), said


@pytest.mark.needs("postgres")
def test_a_schema_in_a_server_of_the_user_goes_too(room: Path) -> None:
    """In a server that is not ours, and lives on, the schema of a verb that was killed is dropped."""
    server = PostgresServer()
    connection = PostgresConnection(server.dsn)
    process = subprocess.Popen(
        [*LATCHCHECK, "race", "--target", "postgres", "--rounds", "1000000"],
        env={**os.environ, "TMPDIR": str(room), "LATCHCHECK_POSTGRES": server.dsn},
        stdout=subprocess.DEVNULL,
    )

    def schemas() -> int:
        asked = "SELECT COUNT(*) FROM pg_namespace WHERE position('latchcheck' IN nspname) = 1"
        return connection.execute(asked).rows[0][0]

    try:
        assert until_told(lambda: schemas() == 1)
        process.kill()
        process.wait()
        assert until(lambda: schemas() == 0)
    finally:
        process.kill()
        process.wait()
        connection.close()
        server.stop()


@pytest.mark.needs("linux")
def test_an_install_that_is_killed_leaves_nothing(tmp_path: Path) -> None:
    """Neither the folder under way nor the installer at work in it outlives a SIGKILL."""
    script = f"""
import sys
from pathlib import Path
from latchcheck.counterexamples.targets import environments
def slow(recipe, work):
    print(work, flush=True)
    return environments.run([sys.executable, "-c", "import time; time.sleep(60)"], work)
environments._python = slow
environments.install("mcp-python", Path({str(tmp_path)!r}))
"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        work = Path(process.stdout.readline().strip())
        assert until_told(lambda: _inside(work) != [])
    finally:
        process.kill()
        process.communicate()
    assert until(lambda: _inside(work) == [])
    assert until(lambda: list(tmp_path.iterdir()) == [])


def _inside(folder: Path) -> list[str]:
    """The processes that work in a folder."""
    found = []
    for one in Path("/proc").iterdir():
        with suppress(OSError):
            if one.name.isdecimal() and str((one / "cwd").readlink()).removesuffix(" (deleted)") == str(folder):
                found.append(one.name)
    return found


@pytest.mark.needs("linux")
def test_what_was_forgotten_is_left_alone(tmp_path: Path) -> None:
    """A folder and a process of which was said that they are done with survive the end of who had them."""
    script = f"""
import pathlib, subprocess, sys
from latchcheck.counterexamples.targets import leftovers
kept, gone = (leftovers.new_folder(name, pathlib.Path({str(tmp_path)!r})) for name in ("kept-", "gone-"))
sleeper = leftovers.started(
    lambda: subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], stdout=subprocess.DEVNULL)
)
leftovers.forget(sleeper)
leftovers.forget(kept)
print(sleeper.pid, flush=True)
import os
os._exit(0)
"""
    done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, check=True)
    sleeper = int(done.stdout)
    try:
        assert until(lambda: list(tmp_path.glob("gone-*")) == [])
        assert len(list(tmp_path.glob("kept-*"))) == 1
        assert cleaner.born(sleeper) is not None
    finally:
        os.kill(sleeper, signal.SIGKILL)


# Makes a folder and starts a process, again and again, each time interrupted before a later line of what makes them.
INTERRUPTED = """
import os, pathlib, signal, subprocess, sys
from latchcheck.counterexamples.targets import leftovers
def of_ours(frame, event, _):
    global lines
    if frame.f_code.co_filename != leftovers.__file__:
        return None
    if event == "line":
        lines += 1
        if lines == at:
            signal.raise_signal(signal.SIGINT)
    return of_ours
def sleeper():
    asleep = [sys.executable, "-S", "-c", "import time; time.sleep(100)"]
    return subprocess.Popen(asleep, cwd=sys.argv[1], stdout=subprocess.DEVNULL)
signal.signal(signal.SIGINT, signal.default_int_handler)
for at in range(1, 1000):
    child = os.fork()
    if child == 0:
        lines = 0
        sys.settrace(of_ours)
        try:
            with leftovers.temporary_folder(f"interrupted-{at}-"):
                leftovers.started(sleeper)
        except KeyboardInterrupt:
            sys.exit(4)
        sys.exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code != 4:
        print(code, at)
        break
"""


@pytest.mark.needs("linux")
def test_an_interrupt_between_any_two_lines_leaves_nothing(room: Path) -> None:
    """Wherever it comes while a folder is made and a process is started, both are gone afterwards."""
    script = [sys.executable, "-c", INTERRUPTED, str(room)]
    environment = {**os.environ, "TMPDIR": str(room)}
    done = subprocess.run(script, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    code, lines = map(int, done.stdout.split())
    assert code == 0
    assert lines > 30
    assert until(lambda: not inhabitants(room) and not any(room.iterdir())), [*room.iterdir()]


def test_another_process_of_the_same_number_is_spared() -> None:
    """The system gives numbers again: a process that began at another time is not the one that was meant."""
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    meant = {"key": "process", "pid": sleeper.pid, "born": "1", "signal": int(signal.SIGKILL), "group": False}
    cleaner.clean([meant])
    assert None is sleeper.poll()
    cleaner.clean([{**meant, "born": cleaner.born(sleeper.pid)}])
    assert -signal.SIGKILL == sleeper.wait(PATIENCE_S)


def test_a_temporary_folder_goes_with_its_block() -> None:
    """It is there inside of the block, and gone after it, also where the block fails."""
    seen: list[Path] = []

    def fails() -> None:
        with leftovers.temporary_folder("latchcheck-test-") as folder:
            seen.append(folder)
            assert folder.is_dir()
            raise KeyError

    with pytest.raises(KeyError):
        fails()
    assert not seen[0].exists()
