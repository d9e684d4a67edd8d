"""A handle store as its article prints it, in outline: the handle is stored after the call, which carries no key."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

TERMINAL = ("completed", "failed", "cancelled", "unknown")


class UnknownTask(Exception):
    """The server knows no such task."""


def life(
    path: str,
    server: Any,
    key: str,
    tool: str,
    args: dict[str, Any],
    *,
    ask: Callable[[str], None],
    wait: Callable[[float], None],
) -> str:
    """Poll every open handle, then make the call and record its handle."""
    del ask  # nobody is told of a question
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        return _life(db, server, key, tool, args, wait)


def _life(
    db: sqlite3.Connection, server: Any, key: str, tool: str, args: dict[str, Any], wait: Callable[[float], None]
) -> str:
    db.execute("CREATE TABLE IF NOT EXISTS handles (key TEXT PRIMARY KEY, task TEXT, status TEXT)")
    for open_key, task in db.execute("SELECT key, task FROM handles WHERE status NOT IN (?, ?, ?, ?)", TERMINAL):
        _poll(db, server, open_key, task, wait)
    known = db.execute("SELECT task FROM handles WHERE key = ?", (key,)).fetchone()
    task = known[0] if known else server.call(tool, args, None)["task"]
    db.execute("INSERT OR IGNORE INTO handles VALUES (?, ?, 'working')", (key, task))
    return _poll(db, server, key, task, wait)


def _poll(db: sqlite3.Connection, server: Any, key: str, task: str, wait: Callable[[float], None]) -> str:
    delay, status = 1.0, "working"
    while status not in TERMINAL:
        try:
            status = server.get(task)["status"]
        except UnknownTask:
            status = "unknown"
        db.execute("UPDATE handles SET status = ? WHERE key = ?", (status, key))
        if status not in TERMINAL:
            wait(delay)
            delay = min(delay * 1.6, 30.0)
    return status


def view(path: str, key: str) -> str:
    """The status that is stored."""
    with closing(sqlite3.connect(path)) as db:
        return db.execute("SELECT status FROM handles WHERE key = ?", (key,)).fetchone()[0]
