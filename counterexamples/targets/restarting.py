"""What a restart of the server leaves of its tasks, by a real kill of a real process.

`restart_once` is the experiment of "Stateless Protocol, Stateful Problem", Table 1, done anew: handles of which some
are finished and some in flight, SIGKILL, a new process, and every handle asked for again.
`rolling_restart` is its extension: many interchangeable instances over one store, restarted one by one under load.
"""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, Literal, Self

import attrs

from . import leftovers
from .stores.opening import Place
from .stores.process import Died, Process
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


@attrs.frozen
class RollingRestart:
    """What many instances over one store made of their tasks while each was killed and started again under load.

    `accepted` were named to a client by a reply; of these `survived` are told at the end, `lost` are not.
    `unknown` requests ended with their instance, so whether they were accepted nobody was told; `orphans` of them were,
    and expire by themselves. `outcomes` were reported as stored; `changed` are told otherwise at the end.
    `backwards` counts reads that an older one of the same client contradicts. `triaged` were in flight when an
    instance started. `open` tasks can be taken up at the end.
    """

    store: str
    instances: int
    restarts: int
    accepted: int
    survived: int
    lost: int
    unknown: int
    orphans: int
    outcomes: int
    changed: int
    backwards: int
    triaged: int
    open: int
    refused: int


def rolling_restart(
    store: Literal["sqlite", "postgres"],
    instances: int = 4,
    tasks: int = 60,
    *,
    seed: int = 0,
    server: str | None = None,
) -> RollingRestart:
    """Instances over one store, killed and started again one by one, while clients create, finish, cancel and read."""
    with place(store, server) as where, _Load(where, instances, seed) as load:
        every = max(1, tasks // instances)
        for number in range(tasks):
            load.work(number)
            if number % every == every - 1:
                load.restart(number // every % instances)
        return load.counted(store)


class _Load:
    """Clients that speak to interchangeable instances, and what they were told."""

    def __init__(self, where: Place, instances: int, seed: int) -> None:
        self._where = where
        self._dice = random.Random(seed)  # noqa: S311 - a load, no secret
        self._running = [Process(where) for _ in range(instances)]
        self._running[0].ask("create_tables")
        self._accepted: dict[str, None] = {}
        self._asked: dict[str, None] = {}
        self._outcomes: dict[str, str] = {}
        self._newest: dict[str, int] = {}
        self._flights: set[str] = set()
        self._counts = dict.fromkeys(("restarts", "unknown", "changed", "backwards", "triaged", "refused"), 0)
        self._now_ms = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for one in self._running:
            one.kill()

    def work(self, number: int) -> None:
        """One task is created, one is worked on by two instances at once, and some are read."""
        self._now_ms += 1
        task = f"task-{number}"
        self._asked[task] = None
        told = self._ask("create", task=task, auth="p1", windows={"lease_ms": 10})
        if told is not None:
            self._accepted[task] = None
        if self._accepted:
            self._race(self._dice.choice(list(self._accepted)))
            self._read(self._dice.choice(list(self._accepted)))

    def _race(self, task: str) -> None:
        """A worker's completion and a client's cancel through two instances, without waiting for either."""
        taken = self._ask("dispatch", task=task, worker="w1")
        if taken is None:
            return
        one, other = self._dice.sample(self._running, 2) if len(self._running) > 1 else self._running * 2
        finish = {"task": task, "auth": "p1", "status": "completed", "worker": "w1", "expected": taken["version"]}
        both = ((one, "write", finish), (other, "cancel", {"task": task, "auth": "p1"}))
        sent = [(instance, do, args) for instance, do, args in both if self._dice.random() < 2 / 3]
        for instance, do, args in sent:
            instance.send(do, now_ms=self._now_ms, **args)
        for instance, _, _ in sent:
            try:
                self._answered(task, instance.receive())
            except Died:
                self._counts["unknown"] += 1

    def _answered(self, task: str, told: dict[str, Any]) -> None:
        if told["status"] in ("completed", "failed", "cancelled") and told["decision"] != "BLOCK_MISSING":
            before = self._outcomes.setdefault(task, told["status"])
            self._counts["changed"] += before != told["status"]
        if told["decision"].startswith("BLOCK"):
            self._counts["refused"] += 1

    def _read(self, task: str) -> None:
        told = self._ask("get", task=task, auth="p1")
        if told is None or told["version"] is None:
            return
        self._counts["backwards"] += told["version"] < self._newest.get(task, 0)
        self._newest[task] = max(told["version"], self._newest.get(task, 0))
        self._answered(task, told)

    def _ask(self, do: str, **args: Any) -> dict[str, Any] | None:
        """Ask any instance; None where it dies of it."""
        try:
            return self._dice.choice(self._running).ask(do, now_ms=self._now_ms, **args)
        except Died:
            self._counts["unknown"] += 1
            return None

    def restart(self, number: int) -> None:
        """Kill an instance with a request under way, and start another in its place."""
        self._now_ms += 1
        task = f"under-way-{self._counts['restarts']}"
        self._asked[task] = None
        old = self._running[number]
        old.send("create", now_ms=self._now_ms, task=task, auth="p1")
        time.sleep(self._dice.random() / 200)
        old.kill()
        self._counts["unknown"] += 1
        self._running[number] = new = Process(self._where)
        flying = [one for one in self._accepted if one not in self._outcomes]
        new.ask("start", now_ms=self._now_ms)
        self._counts["triaged"] += len(flying)
        self._counts["restarts"] += 1

    def counted(self, store: str) -> RollingRestart:
        """Ask for everything once more, through the first instance."""
        first = self._running[0]
        told = {task: first.ask("get", now_ms=self._now_ms, task=task, auth="p1") for task in self._asked}
        there = {task for task, one in told.items() if one["status"] is not None}
        changed = sum(told[task]["status"] != outcome for task, outcome in self._outcomes.items() if task in there)
        unfinished = [task for task in there if told[task]["status"] in ("working", "input_required")]
        self._now_ms += 100
        takes = [first.ask("dispatch", now_ms=self._now_ms, task=task, worker="w9") for task in unfinished]
        return RollingRestart(
            store=store,
            instances=len(self._running),
            restarts=self._counts["restarts"],
            accepted=len(self._accepted),
            survived=len(there & self._accepted.keys()),
            lost=len(self._accepted.keys() - there),
            unknown=self._counts["unknown"],
            orphans=len(there - self._accepted.keys()),
            outcomes=len(self._outcomes),
            changed=changed + self._counts["changed"],
            backwards=self._counts["backwards"],
            triaged=self._counts["triaged"],
            open=sum(one["decision"] == "TAKEN" for one in takes),
            refused=self._counts["refused"],
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
