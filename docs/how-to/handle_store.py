"""A store of MCP task handles that survives a kill at any statement: copy this file, it needs Python and SQLite only.

The call and its key are on disk before the call goes out, the result before anybody is told of it, and what is
stored as over stays as it is. A start sends calls again whose answer was not recorded, with the key that they had,
so the server must answer a key that it knows with what it answered first; without such a server no client can tell
a call that was lost from one that was accepted.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol

OPEN = ("working", "input_required")
TERMINAL = ("completed", "failed", "cancelled", "unknown")


class UnknownTask(Exception):
    """The server knows no such task: it never did, or it has aged it out. Nothing is gained by asking again."""


class KeyReused(ValueError):
    """The key was used for another tool, server or arguments."""


class Server(Protocol):
    """What the store needs of a server: both may raise OSError, and then they are called again."""

    def call(self, tool: str, args: dict[str, Any], key: str) -> dict[str, Any]:
        """Answer `{"task": id}` or `{"result": value}`; the same for the same key."""
        ...

    def get(self, task: str) -> dict[str, Any]:
        """Answer `{"status": ..., "result": ...}`; raise UnknownTask for an id that is not known."""
        ...


class HandleStore:
    """One row a call: its key, what was asked, the task that answers it once that is known, and how it ended."""

    def __init__(self, path: str) -> None:
        self.db = sqlite3.connect(path, isolation_level=None, timeout=30)
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute("PRAGMA synchronous = FULL")  # a commit is on the disk when it returns
        self.db.execute(
            "CREATE TABLE IF NOT EXISTS handles (key TEXT PRIMARY KEY, server TEXT NOT NULL, tool TEXT NOT NULL,"
            " args TEXT NOT NULL, digest TEXT NOT NULL, task TEXT, status TEXT NOT NULL, result TEXT, created REAL)"
        )

    def intend(self, key: str, server: str, tool: str, args: dict[str, Any]) -> None:
        """Write down the call before it goes out; KeyReused if the key belongs to another one."""
        text = json.dumps(args, sort_keys=True)
        digest = hashlib.sha256(json.dumps([server, tool, text]).encode()).hexdigest()
        self.db.execute(
            "INSERT INTO handles VALUES (?, ?, ?, ?, ?, NULL, 'working', NULL, ?) ON CONFLICT (key) DO NOTHING",
            (key, server, tool, text, digest, time.time()),
        )
        (stored,) = self.db.execute("SELECT digest FROM handles WHERE key = ?", (key,)).fetchone()
        if stored != digest:
            raise KeyReused(f"the key {key!r} was used for another call; take a new one for each")

    def accepted(self, key: str, task: str) -> None:
        """Write down the task that answers the call, before anything else is done with it."""
        self.db.execute("UPDATE handles SET task = ? WHERE key = ? AND task IS NULL", (task, key))

    def saw(self, key: str, status: str, result: Any = None) -> None:
        """Write down what a poll has read, with the result in one transaction; an outcome that is stored stays."""
        self.db.execute(
            "UPDATE handles SET status = ?, result = ? WHERE key = ? AND status IN (?, ?)",
            (status, json.dumps(result), key, *OPEN),
        )

    def row(self, key: str) -> tuple[str | None, str, Any]:
        """The task, the status and the result of a call."""
        task, status, result = self.db.execute(
            "SELECT task, status, result FROM handles WHERE key = ?", (key,)
        ).fetchone()
        return task, status, None if result is None else json.loads(result)

    def unfinished(self) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
        """Key, server, tool and arguments of every call that is not over; a start goes through them."""
        rows = self.db.execute("SELECT key, server, tool, args FROM handles WHERE status IN (?, ?)", OPEN).fetchall()
        yield from ((key, server, tool, json.loads(args)) for key, server, tool, args in rows)

    def prune(self, before: float) -> None:
        """Forget calls that are over and older than an instant; their keys may then be used again."""
        marks = ", ".join("?" for _ in TERMINAL)
        self.db.execute(f"DELETE FROM handles WHERE status IN ({marks}) AND created < ?", (*TERMINAL, before))  # noqa: S608


def run(  # noqa: PLR0913 - a call is its parts
    store: HandleStore,
    server: Server,
    key: str,
    name: str,
    tool: str,
    args: dict[str, Any],
    *,
    ask: Callable[[str], None],
    wait: Callable[[float], None] = time.sleep,
) -> tuple[str, Any]:
    """Make a call, or carry on with it, until it is over: its status and its result.

    `name` is the server's, `ask` is told the task that waits for input, `wait` sleeps so many seconds.
    """
    store.intend(key, name, tool, args)
    task, status, result = store.row(key)
    delay = 1.0
    told = False
    while status in OPEN:
        try:
            if task is None:
                answer = server.call(tool, args, key)
                if "task" not in answer:
                    store.saw(key, "completed", answer["result"])
                else:
                    store.accepted(key, answer["task"])
            else:
                seen = _look(server, task)
                # A status that this file does not know is not the end: a later revision may have made it.
                known = seen["status"] in (*OPEN, *TERMINAL)
                store.saw(key, seen["status"] if known else "working", seen.get("result"))
        except OSError:
            pass  # the network: the next round tries again
        task, status, result = store.row(key)
        if status == "input_required" and not told and task is not None:
            ask(task)
        told = status == "input_required"
        if status in OPEN:
            wait(delay)
            delay = min(delay * 1.6, 30.0)
    return status, result


def _look(server: Server, task: str) -> dict[str, Any]:
    try:
        return server.get(task)
    except UnknownTask:
        return {"status": "unknown"}


def reconcile(
    store: HandleStore, server_of: Callable[[str], Server], *, ask: Callable[[str], None], **more: Any
) -> None:
    """At a start: carry on with every call that is not over. Run it before new calls are made, in one process."""
    for key, name, tool, args in list(store.unfinished()):
        run(store, server_of(name), key, name, tool, args, ask=ask, **more)
