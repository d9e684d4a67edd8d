"""The load of a rolling restart: clients and workers that speak to interchangeable instances, and what they were told.

Only the clock is the load's own, told with each request; the dice are seeded, the races are the processes' own.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Final, Self

import attrs

from .rolling_told import Told
from .stores.opening import SNAPSHOT, Place
from .stores.postgres import PostgresConnection
from .stores.process import Died, Process
from .stores.records import TERMINAL
from .stores.standby import catch_up
from .stores.store import CasStore

LEASE_MS: Final = 10
DEADLINE_MS: Final = 15
LATE_EVERY, SPENT_EVERY = 6, 4
"""Every so many tasks have a deadline that passes under the load, or one attempt only."""
SPARED: Final = 2 / 3
"""How often a worker finishes what it took, and a client cancels it."""
HELD_ROUNDS: Final = 6
"""A standby replays what the primary has after so many rounds of the load, and is held in between."""


@attrs.frozen
class Stored:
    """What is stored at the end: the statuses of the tasks that are there, and how many of them can be taken up."""

    statuses: Mapping[str, str]
    open: int


@attrs.frozen
class _Request:
    """Something that a client or worker asks, and what it makes of the answer."""

    do: str
    args: Mapping[str, Any]
    heard: Callable[[dict[str, Any], str], None]
    """Takes the answer and the name of the instance that gave it."""


class Load:
    """Clients and workers that speak to interchangeable instances, and what they were told."""

    def __init__(self, where: Place, instances: int, seed: int) -> None:
        self._where, self._count = where, instances
        self._dice = random.Random(seed)  # noqa: S311 - a load, no secret
        self._running: list[Process] = []
        self._standby: PostgresConnection | None = None
        self._open = ExitStack()
        self._asked: dict[str, None] = {}
        self.told = Told()
        self._now_ms = 0

    def __enter__(self) -> Self:
        """Make the tables, and only then start the instances: what they read from must be there."""
        with ExitStack() as stack:
            self._truth = _primary(self._where)
            stack.callback(self._truth.db.close)
            self._truth.create_tables()
            if self._where.copy not in ("", SNAPSHOT):
                self._standby = PostgresConnection(self._where.copy)
                stack.callback(self._standby.close)
                catch_up(self._truth.db, self._standby)
            stack.callback(self._end)
            for _ in range(self._count):
                self._running.append(Process(self._where))
            self._open = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def _end(self) -> None:
        for one in self._running:
            one.kill()

    # -- the load -----------------------------------------------------------------------------------------------------

    def work(self, number: int) -> None:
        """One task is created, one is finished and cancelled at once, some are read; all through other instances."""
        self._now_ms += 1
        if self._standby is not None and number % HELD_ROUNDS == 0:
            catch_up(self._truth.db, self._standby)
        task = f"task-{number}"
        self._together([self._create(task, number), *self._race(), *self._too_late(), *self._reads(3)])
        # Who was told of a task asks for it at once.
        self._together(self._reads(1, [task] if task in self.told.accepted else ()))

    def _together(self, requests: Sequence[_Request]) -> None:
        """Send all requests before any is answered, each to another instance as far as there are enough."""
        order = self._dice.sample(self._running, len(self._running))
        sent: list[tuple[Process, _Request]] = []
        for number, request in enumerate(requests):
            instance = order[number % len(order)]
            try:
                instance.send(request.do, now_ms=self._now_ms, **request.args)
            except Died:
                self.told.counts["unknown"] += 1
                continue
            sent.append((instance, request))
        for instance, request in sent:
            try:
                told = instance.receive()
            except Died:
                self.told.counts["unknown"] += 1
                continue
            request.heard(told, f"instance {self._running.index(instance) + 1}")

    def _create(self, task: str, number: int) -> _Request:
        windows = {"lease_ms": LEASE_MS}
        if number % LATE_EVERY == LATE_EVERY - 1:
            windows["deadline_ms"] = DEADLINE_MS
        elif number % SPENT_EVERY == SPENT_EVERY - 1:
            windows["attempts_max"] = 1
        self._asked[task] = None

        def heard(told: dict[str, Any], who: str) -> None:
            self.told.accepted[task] = None
            self.told.hear(task, told, who)

        return _Request("create", {"task": task, "auth": "p1", "windows": windows}, heard)

    def _race(self) -> list[_Request]:
        """A worker's completion and a client's cancel through two instances, without waiting for either."""
        if not self.told.accepted:
            return []
        task, taken = self._dice.choice(list(self.told.accepted)), {}
        self._together([_Request("dispatch", {"task": task, "worker": "w1"}, lambda told, _: taken.update(told))])
        if not taken or taken["decision"] == "BLOCK_MISSING":
            return []
        finish = {"task": task, "auth": "p1", "status": "completed", "worker": "w1", "expected": taken["version"]}
        outcome = self.told.outcomes.get(task)
        both = (("write", finish), ("cancel", {"task": task, "auth": "p1"}))
        return [
            _Request(do, args, lambda told, who: self.told.wrote(task, told, who, outcome))
            for do, args in both
            if self._dice.random() < SPARED
        ]

    def _too_late(self) -> list[_Request]:
        """A cancel of the task of which an outcome was told last, if another: it is too late, and races none."""
        task, outcome = next(reversed(self.told.outcomes.items()), ("", "cancelled"))
        if outcome == "cancelled":
            return []
        cancel = {"task": task, "auth": "p1"}
        return [_Request("cancel", cancel, lambda told, who: self.told.wrote(task, told, who, outcome))]

    def _reads(self, some: int, tasks: Sequence[str] = ()) -> list[_Request]:
        """Reads of these tasks and of some others that a reply has named."""
        known = list(self.told.accepted)
        return [self._read(task) for task in (*tasks, *self._dice.choices(known, k=some if known else 0))]

    def _read(self, task: str) -> _Request:
        row, sent = self._truth.row(task), self.told.before(task)
        stored = 0 if row is None else row.version
        return _Request(
            "get",
            {"task": task, "auth": "p1", "at_least": sent.newest},
            lambda told, who: self.told.read(task, told, who, sent, stored),
        )

    # -- the restarts -------------------------------------------------------------------------------------------------

    def restart(self, number: int) -> None:
        """Kill an instance with requests under way, at it and at the others, and start another in its place."""
        self._now_ms += 1
        task = f"under-way-{self.told.counts['restarts']}"
        self._asked[task] = None
        old = self._running[number]
        old.send("create", now_ms=self._now_ms, task=task, auth="p1")
        time.sleep(self._dice.random() / 200)
        old.kill()
        self.told.counts["unknown"] += 1
        self._running[number] = new = Process(self._where)
        # While it starts the others go on.
        self._together(self._reads(len(self._running)))
        started = new.ask("start", now_ms=self._now_ms, alone=False)
        self.told.counts["resumed"] += started["freed"] - started["spent"]
        self.told.counts["late"] += started["late"]
        self.told.counts["spent"] += started["spent"]
        self.told.counts["restarts"] += 1

    # -- the end ------------------------------------------------------------------------------------------------------

    def ended(self) -> Stored:
        """What is stored at the end of every task that was asked for."""
        rows = {task: self._truth.row(task) for task in self._asked}
        there = {task: row.status for task, row in rows.items() if row is not None}
        self._now_ms += 100
        takes = [
            self._truth.dispatch(self._now_ms, task, "w9") for task, status in there.items() if status not in TERMINAL
        ]
        return Stored(there, sum(one.decision == "TAKEN" for one in takes))


def _primary(where: Place) -> CasStore:
    """The store as nobody's copy shows it."""
    return attrs.evolve(where, copy="", guard_reads="primary").open()
