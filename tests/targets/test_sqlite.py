"""Connections to SQLite that do not come about."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from latchcheck.counterexamples.targets.stores.connection import Lost
from latchcheck.counterexamples.targets.stores.sqlite import SqliteConnection


def test_what_is_no_database_is_not_kept_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is no database is an error that names it, and the connection to it is closed."""
    closed: list[sqlite3.Connection] = []

    class Connection(sqlite3.Connection):
        def close(self) -> None:
            closed.append(self)
            super().close()

    opened = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda path, **options: opened(path, factory=Connection, **options))
    file = tmp_path / "tasks.db"
    file.write_text("This is a text, and long enough to be read as the first page of a database.\n" * 20)
    with pytest.raises(Lost, match=r"tasks\.db: file is not a database"):
        SqliteConnection(file)
    assert 1 == len(closed)
