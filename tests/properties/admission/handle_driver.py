"""One life of a client of the handle store: `handle_driver.py DATABASE STORE_FOLDER KILL_AT`, killed at that line.

Lines of the store are counted from its constructor on; with a fourth word, `prune`, those of `prune` alone.
The server is in the same database and notes its events in one journal with the triggers of the store, each in the
transaction of what it tells: a kill leaves no event without its effect, and no effect without its event.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
import time
from types import FrameType
from typing import Any

database, folder, kill_at = sys.argv[1], sys.argv[2], int(sys.argv[3])
pruning = sys.argv[4:] == ["prune"]
sys.path.insert(0, folder)

import handle_store  # noqa: E402  # type: ignore[import-not-found]

JOURNAL = """
CREATE TABLE IF NOT EXISTS journal (n INTEGER PRIMARY KEY, event TEXT);
CREATE TABLE IF NOT EXISTS tasks (id TEXT PRIMARY KEY, key TEXT UNIQUE, polls INTEGER);
"""
TRIGGERS = """
CREATE TRIGGER IF NOT EXISTS made AFTER INSERT ON handles BEGIN
  INSERT INTO journal (event) VALUES ('call'); END;
CREATE TRIGGER IF NOT EXISTS named AFTER UPDATE OF task ON handles BEGIN
  INSERT INTO journal (event) VALUES ('record'); END;
CREATE TRIGGER IF NOT EXISTS marked AFTER UPDATE OF status ON handles BEGIN
  INSERT INTO journal (event) VALUES ('mark'); END;
"""


class Server:
    """A server that keeps its tasks and its keys; a task completes when it is asked for the second time."""

    def __init__(self) -> None:
        self.db = sqlite3.connect(database, isolation_level=None, timeout=30)
        self.db.executescript(JOURNAL)

    def call(self, tool: str, args: dict[str, Any], key: str) -> dict[str, Any]:
        """The task of the key."""
        assert (tool, args) == ("export", {"month": 3})
        with self.db:
            self.db.execute("BEGIN IMMEDIATE")
            self.db.execute("INSERT INTO tasks VALUES ('t1', ?, 0) ON CONFLICT (key) DO NOTHING", (key,))
            self.db.execute("INSERT INTO journal (event) VALUES ('accept')")
        return {"task": "t1"}

    def get(self, task: str) -> dict[str, Any]:
        """Working at first, then completed."""
        with self.db:
            self.db.execute("BEGIN IMMEDIATE")
            self.db.execute("UPDATE tasks SET polls = polls + 1 WHERE id = ?", (task,))
            (polls,) = self.db.execute("SELECT polls FROM tasks WHERE id = ?", (task,)).fetchone()
            if polls == 2:
                self.db.execute("INSERT INTO journal (event) VALUES ('t1_finishes')")
            self.db.execute("INSERT INTO journal (event) VALUES ('get')")
        return {"status": "completed", "result": 42} if polls > 1 else {"status": "working"}


def killing() -> Any:
    """A trace function that kills the process at a line of the store, counted over its life."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        if frame.f_code.co_filename != handle_store.__file__:
            return None
        if event == "line":
            count += 1
            if count == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    return trace


server = Server()
server.db.execute("INSERT INTO journal (event) VALUES ('start')")
if not pruning:
    sys.settrace(killing())
store = handle_store.HandleStore(database)
store.db.executescript(TRIGGERS)
asked: list[str] = []
handle_store.reconcile(store, lambda _: server, ask=asked.append, wait=lambda _: None)
server.db.execute("INSERT INTO journal (event) VALUES ('reconciled')")
found = handle_store.run(store, server, "k", "s", "export", {"month": 3}, ask=asked.append, wait=lambda _: None)
sys.settrace(None)
server.db.execute("INSERT INTO journal (event) VALUES ('returned')")
if pruning:
    sys.settrace(killing())
    store.prune(before=time.time() + 1)
    sys.settrace(None)
print(found)  # noqa: T201 - the test reads it
