"""What a restart of the server leaves of its tasks, by a real kill of a real process.

`restart_once` is the experiment of "Stateless Protocol, Stateful Problem", Table 1, done anew: handles of which some
are finished and some in flight, SIGKILL, a new process, and every handle asked for again. rolling.py extends it to many
instances.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, Literal

import attrs

from . import leftovers
from .stores.opening import Place
from .stores.process import Process
from .stores.server import PostgresServer

HANDLES: Final = 20
COMPLETED: Final = 12
Store = Literal["volatile", "sqlite", "postgres"]


@attrs.frozen
class AfterRestart:
    """What became of the handles that a client held before the restart.

    Finished ones: `readable`, their outcome is still told; `forgotten`, the id is unknown.
    In flight: `resumed`, a worker can take the task up again; `failed`, the start has failed it as timed out or spent,
    so its client is told; `lost`, the id is unknown, or nothing will ever run it.
    `changed` counts outcomes that are told otherwise than before, which must be none.
    """

    store: str
    handles: int
    completed: int
    readable: int
    forgotten: int
    resumed: int
    failed: int
    lost: int
    changed: int = 0


def restart_once(
    store: Store, handles: int = HANDLES, completed: int = COMPLETED, *, overdue: int = 0, server: str | None = None
) -> AfterRestart:
    """Create handles, complete some, kill the process, start another, and ask for every one.

    `overdue` of those in flight have passed their deadline when the new process starts. `server` is the connection
    string of a PostgreSQL server; without it one is started.
    """
    with place(store, server) as where:
        tasks = [f"task-{number + 1}" for number in range(handles)]
        with Process(where) as first:
            first.ask("create_tables")
            for number, task in enumerate(tasks):
                late = completed <= number < completed + overdue
                first.ask("create", now_ms=0, task=task, auth="p1", windows={"deadline_ms": 500} if late else {})
                first.ask("dispatch", now_ms=1, task=task, worker="w1")
            for task in tasks[:completed]:
                first.ask("write", now_ms=2, task=task, auth="p1", status="completed", worker="w1", expected=1)
            # SIGKILL, with eight attempts under way and nothing said to anybody.
            first.kill()
        with Process(where) as second:
            second.ask("create_tables")
            second.ask("start", now_ms=1000)
            told = {task: second.ask("get", now_ms=1001, task=task, auth="p1") for task in tasks}
            runs = {
                task: second.ask("dispatch", now_ms=1002, task=task, worker="w2")["decision"] == "TAKEN"
                for task in tasks[completed:]
            }
    return _counted(store, tasks[:completed], tasks[completed:], told, runs)


def _counted(
    store: str, done: Sequence[str], flying: Sequence[str], told: dict[str, Any], runs: dict[str, bool]
) -> AfterRestart:
    readable = sum(told[task]["status"] == "completed" for task in done)
    forgotten = sum(told[task]["status"] is None for task in done)
    resumed = sum(runs[task] for task in flying)
    failed = sum(told[task]["status"] == "failed" for task in flying)
    return AfterRestart(
        store=store,
        handles=len(done) + len(flying),
        completed=len(done),
        readable=readable,
        forgotten=forgotten,
        resumed=resumed,
        failed=failed,
        lost=len(flying) - resumed - failed,
        changed=len(done) - readable - forgotten,
    )


@contextmanager
def place(store: Store, server: str | None = None) -> Iterator[Place]:
    """A place for a store of that kind, gone afterwards."""
    if store == "volatile":
        yield Place(database=store)
        return
    if store == "sqlite":
        with leftovers.temporary_folder("latchcheck-store-") as folder:
            yield Place(database=store, where=str(folder / "tasks.db"))
        return
    own = PostgresServer() if server is None else None
    try:
        dsn = server or (own.dsn if own else "")
        where = Place(
            database="postgres", where=dsn, schema=f"latchcheck_{secrets.token_hex(6)}", level="read-committed"
        )
        if own is None:
            where.watch()
        try:
            yield where
        finally:
            where.remove()
    finally:
        if own is not None:
            own.stop()
