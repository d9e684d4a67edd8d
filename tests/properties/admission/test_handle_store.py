"""The reference store under a real kill at every statement: each life is a run of the model, and breaks nothing."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from latchcheck.kernel import Stepper, compile_expr
from latchcheck.model.handles import REPAIRED, handle_system
from latchcheck.properties.admission.handles import promises
from tests.scripts import script

FOLDER = Path(__file__).parents[3] / "docs/how-to"
DRIVER = Path(__file__).with_name("handle_driver.py")
LINES_MAX = 200
KILLED = -9


def life(database: Path, kill_at: int, *words: str) -> tuple[int, str]:
    """One process: its exit code and what it printed."""
    command = [sys.executable, "-I", str(DRIVER), str(database), str(FOLDER), str(kill_at), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (0, KILLED), done.stderr
    return done.returncode, done.stdout.strip()


def journal(database: Path) -> list[str]:
    """The events of all lives, in the order in which they took effect."""
    with sqlite3.connect(database) as db:
        found = [event for (event,) in db.execute("SELECT event FROM journal ORDER BY n")]
    db.close()
    return found


def told(events: list[str], lives: int) -> Iterator[str]:
    """The same run in the actions of the model; a life that does not return ends in a crash."""
    started, recorded, completes, over = 0, False, False, False
    watched = returns = False
    for event in events:
        if event == "start":
            started += 1
            if started > 1:
                yield from ("crash", "recover")
                # A row that is open is watched by the poll that `reconcile` starts; a call that is sent again is not.
                watched, returns = recorded and not over, False
        elif event in ("reconciled", "returned"):
            if returns:
                yield "return_result"
            elif event == "returned":
                yield "call_finds_result"
            watched = returns = False
        elif event == "accept":
            yield from ("accept", "reply")
        elif event in ("get", "mark"):
            yield f"reconciled_{event}" if watched else event
        else:
            yield event
        recorded |= event == "record"
        completes |= event == "t1_finishes"
        if event == "mark" and completes:
            over, returns = True, not watched
    assert started == lives


def judged(actions: list[str]) -> list[str]:
    """The properties that the run breaks on the model of the repaired store; NotAStep where it is no run of it."""
    system = handle_system(REPAIRED)
    asked = {name: compile_expr(expr) for name, (_, expr) in promises(REPAIRED).items()}
    stepper, broken = Stepper(system), []
    for action in actions:
        state = stepper.do(None, action, {})
        broken += [name for name, holds in asked.items() if not holds(**{one: state[one] for one in holds.names})]
    assert stepper.state["delivered"]
    return broken


def store_module() -> Any:
    """The file that the how-to offers for copying."""
    return script(FOLDER / "handle_store.py")


class Scripted:
    """A server that answers `get` from a list; an exception in it is raised."""

    def __init__(self, answers: list[Any], first: dict[str, Any] | None = None) -> None:
        self.answers = answers
        self.first = first or {"task": "t1"}
        self.calls = 0

    def call(self, _tool: str, _args: dict[str, Any], _key: str) -> dict[str, Any]:
        """The task, or a direct result."""
        self.calls += 1
        return self.first

    def get(self, _task: str) -> dict[str, Any]:
        """The next answer."""
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def outcome(module: Any, folder: Path, server: Scripted) -> tuple[Any, list[str]]:
    """How a call ends, and whom it has asked for input."""
    asked: list[str] = []
    store = module.HandleStore(str(folder / "handles.db"))
    found = module.run(store, server, "k", "s", "export", {}, ask=asked.append, wait=lambda _: None)
    store.db.close()
    return found, asked


def test_what_polls_may_bring(tmp_path: Path) -> None:
    """Failures are tried again, an unknown status is not the end, a question is told once, and a result is kept."""
    working, waiting, end = {"status": "working"}, {"status": "input_required"}, {"status": "completed", "result": [1]}
    server, module = Scripted([OSError(), {"status": "archived"}, waiting, waiting, working, end]), store_module()
    assert (("completed", [1]), ["t1"]) == outcome(module, tmp_path, server)
    # A second call of the key is answered from the store, and no server is asked.
    assert (("completed", [1]), []) == outcome(module, tmp_path, Scripted([]))
    assert 1 == server.calls


def test_an_unknown_task_is_the_end(tmp_path: Path) -> None:
    """An id that the server has aged out ends the call."""
    module = store_module()
    assert (("unknown", None), []) == outcome(module, tmp_path, Scripted([module.UnknownTask()]))


def test_a_direct_result_is_kept(tmp_path: Path) -> None:
    """A call that is answered directly is over, and is not sent again."""
    server, module = Scripted([], {"result": 7}), store_module()
    assert [(("completed", 7), [])] * 2 == [outcome(module, tmp_path, server) for _ in range(2)]
    assert 1 == server.calls


def test_a_key_names_one_call(tmp_path: Path) -> None:
    """Other arguments under a known key are refused; the order of arguments does not matter."""
    module = store_module()
    store = module.HandleStore(str(tmp_path / "handles.db"))
    store.intend("k", "s", "export", {"a": 1, "b": 2})
    store.intend("k", "s", "export", {"b": 2, "a": 1})
    for other in (("s", "export", {"a": 1}), ("s", "import", {"a": 1, "b": 2}), ("r", "export", {"a": 1, "b": 2})):
        with pytest.raises(module.KeyReused, match="used for another call"):
            store.intend("k", *other)
    store.db.close()


def test_an_end_is_never_overwritten(tmp_path: Path) -> None:
    """A late poll, or one that finds the task aged out, leaves the stored outcome as it is."""
    module = store_module()
    store = module.HandleStore(str(tmp_path / "handles.db"))
    store.intend("k", "s", "export", {})
    store.accepted("k", "t1")
    store.accepted("k", "t2")
    for status, result in (("completed", 1), ("unknown", None), ("working", None), ("failed", 2)):
        store.saw("k", status, result)
    assert ("t1", "completed", 1) == store.row("k")
    store.db.close()


def stored(database: Path, table: str) -> list[tuple[Any, ...]]:
    """The rows of a table, or none where there is no such table."""
    db = sqlite3.connect(database)
    there = db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    rows = db.execute(f"SELECT * FROM {table}").fetchall() if there else []  # noqa: S608 - ours
    db.close()
    return rows


@pytest.mark.slow
def test_a_kill_at_any_statement_loses_nothing(tmp_path: Path) -> None:
    """Killed at each statement, the constructor's too, and started again, the call ends and was started once."""
    kills = before_the_table = 0
    for kill_at in range(1, LINES_MAX):
        database = tmp_path / f"{kill_at}.db"
        code, out = life(database, kill_at)
        lives = 1
        if code == KILLED:
            kills += 1
            lives = 2
            before_the_table += not stored(database, "handles") and not stored(database, "tasks")
            code, out = life(database, 0)
        assert (0, "('completed', 42)") == (code, out)
        assert 1 == len(stored(database, "tasks"))
        actions = list(told(journal(database), lives))
        assert [] == judged(actions), actions
        if lives == 1:
            break
    assert kills > 45
    assert before_the_table > 5


@pytest.mark.slow
def test_a_kill_at_the_next_start_loses_nothing(tmp_path: Path) -> None:
    """Killed between answer and handle, and again at each statement of the constructor, the third start ends the call.

    Killed at its line 1 and so on, the second start has come no further than the constructor while nothing is polled.
    """

    def unrecorded(database: Path, kill_at: int) -> bool:
        assert KILLED == life(database, kill_at)[0]
        return [row[5] for row in stored(database, "handles")] == [None] and len(stored(database, "tasks")) == 1

    window = next(at for at in range(1, LINES_MAX) if unrecorded(tmp_path / f"window-{at}.db", at))
    constructor = 0
    for kill_at in range(1, 8):
        database = tmp_path / f"{kill_at}.db"
        assert unrecorded(database, window)
        assert KILLED == life(database, kill_at)[0]
        constructor += journal(database)[-1] == "start"
        assert (0, "('completed', 42)") == life(database, 0)
        assert 1 == len(stored(database, "tasks"))
    assert constructor > 5


@pytest.mark.slow
def test_a_kill_while_it_forgets_leaves_a_row_whole_or_none(tmp_path: Path) -> None:
    """Killed at each statement of `prune`, an ended call is there with its result, or is forgotten, and ends again."""
    left: list[int] = []
    for kill_at in range(1, LINES_MAX):
        database = tmp_path / f"{kill_at}.db"
        code, _ = life(database, kill_at, "prune")
        rows = stored(database, "handles")
        left.append(len(rows))
        assert [] == [row for row in rows if row[5:8] != ("t1", "completed", "42")]
        assert (0, "('completed', 42)") == life(database, 0)
        assert 1 == len(stored(database, "tasks"))
        if code == 0:
            break
    assert [1, 0] == sorted(set(left), reverse=True)
