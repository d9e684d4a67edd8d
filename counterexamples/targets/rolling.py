"""Many interchangeable instances over one store, killed and started again one by one under load.

The extension of Table 1 that "Stateless Protocol, Stateful Problem" leaves open (sections 7 and 8), for the failures
that it expects there: concurrent writes, and a record that not every instance sees as it is.
The instances are processes and the kills are SIGKILL; only the clock is the load's own, told with each request.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Final, Literal, Self

import attrs

from .restarting import place
from .stores.opening import SNAPSHOT, Place
from .stores.postgres import PostgresConnection
from .stores.process import Died, Process
from .stores.server import PostgresServer
from .stores.standby import PostgresStandby, catch_up
from .stores.store import TERMINAL, CasStore

LEASE_MS: Final = 10
DEADLINE_MS: Final = 15
LATE_EVERY, SPENT_EVERY = 6, 4
"""Every so many tasks have a deadline that passes under the load, or one attempt only."""
SPARED: Final = 2 / 3
"""How often a worker finishes what it took, and a client cancels it."""
HELD_ROUNDS: Final = 6
"""A standby replays what the primary has after so many rounds of the load, and is held in between."""

Reading = Literal["primary", "replica", "guard-on-primary", "catches-up"]
READINGS: Final[Mapping[Reading, Mapping[str, Any]]] = {
    "primary": {},
    "replica": {"guard_reads": "replica"},
    "guard-on-primary": {"guard_reads": "primary"},
    "catches-up": {"guard_reads": "primary", "catches_up": True},
}
"""Who reads what: everybody the primary; everybody the copy, guards of writes too; readers the copy and guards the
primary; and the same, but a reader who was told of a newer version than the copy has is answered from the primary."""


@attrs.frozen(kw_only=True)
class RollingRestart:
    """What many instances over one store made of their tasks while each was killed and started again under load.

    `accepted` were named to a client by a reply; of these `survived` are stored at the end, `lost` are not.
    `unknown` requests ended with their instance, so whether they were accepted nobody was told; `orphans` of them were,
    and expire by themselves. `outcomes` were told to somebody as stored; `changed` are stored otherwise at the end, or
    were told otherwise before; `overwritten` are those that a write replaced which was sent after they had been told,
    so that no race explains it. `refused` writes and cancels lost a race.
    What instances that started found under way: `resumed` could be taken up, `late` and `spent` were failed.
    `open` tasks can be taken up at the end.

    Of `reads` by the client `stale` showed less than was stored when they were sent. Of these `missing` said that there
    is no such task, of one that a reply had named; `backwards` showed an older version than one that the client had
    been told of, or an open task whose outcome it had been told, which `reopened` counts by itself.
    `shown` is the first such read with what was told of that task before, in words, empty where there is none.
    """

    store: str
    copy: str
    reading: Reading
    instances: int
    restarts: int
    accepted: int
    survived: int
    lost: int
    unknown: int
    orphans: int
    outcomes: int
    changed: int
    overwritten: int
    refused: int
    resumed: int
    late: int
    spent: int
    open: int
    reads: int
    stale: int
    missing: int
    backwards: int
    reopened: int
    shown: str


def rolling_restart(
    store: Literal["sqlite", "postgres"],
    instances: int = 4,
    tasks: int = 60,
    *,
    reading: Reading = "primary",
    copy: str = SNAPSHOT,
    seed: int = 0,
    server: str | None = None,
) -> RollingRestart:
    """Instances over one store, killed and started again one by one, while clients create, finish, cancel and read.

    `copy` is what instances read from that do not read the primary: a read transaction that is held open, or the
    connection string of a standby. Raises Died or Lost where the store goes away, TargetError.
    """
    with place(store, server) as where:
        read = "" if reading == "primary" else copy
        with Load(attrs.evolve(where, copy=read, **READINGS[reading]), instances, seed) as load:
            every = max(1, tasks // instances)
            for number in range(tasks):
                load.work(number)
                if number % every == every - 1:
                    load.restart(number // every % instances)
            return load.counted(store, reading)


@contextmanager
def standby_of(primary: PostgresServer) -> Iterator[str]:
    """The connection string of a standby of a server that has no connections yet, gone afterwards."""
    made = PostgresStandby(primary)
    try:
        yield made.dsn
    finally:
        made.stop()


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
        self._accepted: dict[str, None] = {}
        self._asked: dict[str, None] = {}
        self._outcomes: dict[str, str] = {}
        self._newest: dict[str, int] = {}
        self._told_otherwise: set[str] = set()
        self._overwritten: set[str] = set()
        self._story: dict[str, list[str]] = {}
        self._shown = ""
        self._counts: dict[str, int] = dict.fromkeys(_COUNTED, 0)
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
        self._together(self._reads(1, [task] if task in self._accepted else ()))

    def _together(self, requests: Sequence[_Request]) -> None:
        """Send all requests before any is answered, each to another instance as far as there are enough."""
        order = self._dice.sample(self._running, len(self._running))
        sent: list[tuple[Process, _Request]] = []
        for number, request in enumerate(requests):
            instance = order[number % len(order)]
            try:
                instance.send(request.do, now_ms=self._now_ms, **request.args)
            except Died:
                self._counts["unknown"] += 1
                continue
            sent.append((instance, request))
        for instance, request in sent:
            try:
                told = instance.receive()
            except Died:
                self._counts["unknown"] += 1
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
            self._accepted[task] = None
            self._heard_of(task, told, who)

        return _Request("create", {"task": task, "auth": "p1", "windows": windows}, heard)

    def _race(self) -> list[_Request]:
        """A worker's completion and a client's cancel through two instances, without waiting for either."""
        if not self._accepted:
            return []
        task, taken = self._dice.choice(list(self._accepted)), {}
        self._together([_Request("dispatch", {"task": task, "worker": "w1"}, lambda told, _: taken.update(told))])
        if not taken or taken["decision"] == "BLOCK_MISSING":
            return []
        finish = {"task": task, "auth": "p1", "status": "completed", "worker": "w1", "expected": taken["version"]}
        outcome = self._outcomes.get(task)
        both = (("write", finish), ("cancel", {"task": task, "auth": "p1"}))
        return [
            _Request(do, args, lambda told, who: self._wrote(task, told, who, outcome))
            for do, args in both
            if self._dice.random() < SPARED
        ]

    def _too_late(self) -> list[_Request]:
        """A cancel of the task of which an outcome was told last, if another: it is too late, and races none."""
        task, outcome = next(reversed(self._outcomes.items()), ("", "cancelled"))
        if outcome == "cancelled":
            return []
        cancel = {"task": task, "auth": "p1"}
        return [_Request("cancel", cancel, lambda told, who: self._wrote(task, told, who, outcome))]

    def _wrote(self, task: str, told: dict[str, Any], who: str, outcome: str | None) -> None:
        if told["decision"] in ("APPLY", "CANCELLED") and outcome not in (None, told["status"]):
            self._overwritten.add(task)
        if told["decision"].startswith("BLOCK"):
            self._counts["refused"] += 1
        self._heard_of(task, told, who)

    def _heard_of(self, task: str, told: dict[str, Any], who: str) -> None:
        """Remember what somebody was told of a task, and whether somebody was told another outcome before."""
        if told["status"] in TERMINAL and self._outcomes.setdefault(task, told["status"]) != told["status"]:
            self._told_otherwise.add(task)
        self._newest[task] = max(told["version"] or 0, self._newest.get(task, 0))
        version = "" if told["version"] is None else f", version {told['version']}"
        told_now, story = (
            f"{told['decision']}, {told['status'] or 'not found'}{version}",
            self._story.setdefault(task, []),
        )
        # What says no more than what was told before it is left out.
        if not story or story[-1].split(", ")[1:] != told_now.split(", ")[1:]:
            story.append(f"{who}: {told_now}")

    def _reads(self, some: int, tasks: Sequence[str] = ()) -> list[_Request]:
        """Reads of these tasks and of some others that a reply has named."""
        known = list(self._accepted)
        return [self._read(task) for task in (*tasks, *self._dice.choices(known, k=some if known else 0))]

    def _read(self, task: str) -> _Request:
        row, newest, outcome = self._truth.row(task), self._newest.get(task, 0), self._outcomes.get(task)
        stored = 0 if row is None else row.version

        def heard(told: dict[str, Any], who: str) -> None:
            version = told["version"] or 0
            reopened = outcome is not None and told["status"] not in (None, *TERMINAL)
            self._counts["reads"] += 1
            self._counts["stale"] += version < stored
            self._counts["missing"] += told["decision"] == "BLOCK_MISSING"
            self._counts["backwards"] += reopened or 0 < version < newest
            self._counts["reopened"] += reopened
            self._heard_of(task, told, who)
            if (reopened or 0 < version < newest) and not self._shown:
                self._shown = f"{task}: {'; '.join(self._story[task])}"

        return _Request("get", {"task": task, "auth": "p1", "at_least": newest}, heard)

    # -- the restarts -------------------------------------------------------------------------------------------------

    def restart(self, number: int) -> None:
        """Kill an instance with requests under way, at it and at the others, and start another in its place."""
        self._now_ms += 1
        task = f"under-way-{self._counts['restarts']}"
        self._asked[task] = None
        old = self._running[number]
        old.send("create", now_ms=self._now_ms, task=task, auth="p1")
        time.sleep(self._dice.random() / 200)
        old.kill()
        self._counts["unknown"] += 1
        self._running[number] = new = Process(self._where)
        # While it starts the others go on.
        self._together(self._reads(len(self._running)))
        started = new.ask("start", now_ms=self._now_ms, alone=False)
        self._counts["resumed"] += started["freed"] - started["spent"]
        self._counts["late"] += started["late"]
        self._counts["spent"] += started["spent"]
        self._counts["restarts"] += 1

    # -- the end ------------------------------------------------------------------------------------------------------

    def counted(self, store: str, reading: Reading) -> RollingRestart:
        """What is stored at the end, beside what was told."""
        rows = {task: self._truth.row(task) for task in self._asked}
        there = {task: row.status for task, row in rows.items() if row is not None}
        changed = {task for task, told in self._outcomes.items() if there.get(task, told) != told}
        self._now_ms += 100
        takes = [
            self._truth.dispatch(self._now_ms, task, "w9") for task, status in there.items() if status not in TERMINAL
        ]
        return RollingRestart(
            store=store,
            copy=self._where.copy,
            reading=reading,
            instances=self._count,
            accepted=len(self._accepted),
            survived=len(there.keys() & self._accepted.keys()),
            lost=len(self._accepted.keys() - there.keys()),
            orphans=len(there.keys() - self._accepted.keys()),
            outcomes=len(self._outcomes),
            changed=len(changed | self._told_otherwise),
            overwritten=len(self._overwritten),
            open=sum(one.decision == "TAKEN" for one in takes),
            shown=self._shown,
            **self._counts,
        )


_COUNTED: Final = (
    *("restarts", "unknown", "refused", "resumed", "late", "spent"),
    *("reads", "stale", "missing", "backwards", "reopened"),
)


def _primary(where: Place) -> CasStore:
    """The store as nobody's copy shows it."""
    return attrs.evolve(where, copy="", guard_reads="primary").open()
