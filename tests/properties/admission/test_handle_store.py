"""The reference store under a real kill at every statement: each life is a run of the model, and breaks nothing."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from latchcheck.kernel import Stepper, compile_expr
from latchcheck.model.handles import REPAIRED, handle_system
from latchcheck.properties.admission.handles import promises

FOLDER = Path(__file__).parents[3] / "docs/how-to"
DRIVER = Path(__file__).with_name("handle_driver.py")
LINES_MAX = 200
KILLED = -9


def life(database: Path, kill_at: int) -> tuple[int, str]:
    """One process: its exit code and what it printed."""
    command = [sys.executable, "-I", str(DRIVER), str(database), str(FOLDER), str(kill_at)]
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


@pytest.mark.slow
def test_a_kill_at_any_statement_loses_nothing(tmp_path: Path) -> None:
    """Killed at each statement in turn and started again, the call ends with its result, the work started once."""
    kills = 0
    for kill_at in range(1, LINES_MAX):
        database = tmp_path / f"{kill_at}.db"
        code, out = life(database, kill_at)
        lives = 1
        if code == KILLED:
            kills += 1
            lives = 2
            code, out = life(database, 0)
        assert (0, "('completed', 42)") == (code, out)
        with sqlite3.connect(database) as db:
            assert 1 == db.execute("SELECT count(*) FROM tasks").fetchone()[0]
        db.close()
        actions = list(told(journal(database), lives))
        assert [] == judged(actions), actions
        if lives == 1:
            break
    assert kills > 40
