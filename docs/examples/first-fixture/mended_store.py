"""Tasks in SQLite: a row a task, and a row goes when its time is over."""

import sqlite3


class Store:
    """A task store. Instants are seconds, given by whoever calls."""

    def __init__(self) -> None:
        self.db = sqlite3.connect(":memory:", isolation_level=None)
        self.db.execute("CREATE TABLE tasks (id TEXT PRIMARY KEY, status TEXT, expires REAL)")

    def create(self, task: str, now: float, ttl: float) -> None:
        """Begin a task that is kept for `ttl` seconds."""
        self.db.execute("INSERT INTO tasks VALUES (?, 'working', ?)", (task, now + ttl))

    def finish(self, task: str, status: str, now: float) -> None:
        """Store the outcome, and keep it for another hour."""
        self.db.execute("UPDATE tasks SET status = ?, expires = ? WHERE id = ?", (status, now + 3600, task))

    def sweep(self, now: float) -> None:
        """Remove what is over."""
        self.db.execute("DELETE FROM tasks WHERE expires <= ?", (now,))

    def status(self, task: str) -> str | None:
        """The status, or None where there is no such task."""
        row = self.db.execute("SELECT status FROM tasks WHERE id = ?", (task,)).fetchone()
        return row and row[0]
