"""A session on a task store: the abstract events as calls of its methods, at an instant that is a parameter."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import attrs

from .errors import CannotDo, TargetCrashed, TargetTimeout
from .events import EVENTS, GONE, Answer, Call
from .facets import SHOWN
from .protocol import Clock, Table
from .stores.connection import Conflict, Lost
from .stores.naive import NaiveStore
from .stores.records import TERMINAL, Decided, Row, Windows, Write
from .stores.statements import COUNTS
from .stores.store import CasStore

TABLE: Final = Table(
    events=frozenset(EVENTS) - {"replicate"},
    clock=Clock("injected"),
    workers=9,
    tenants=9,
    versions=True,
    statuses=frozenset(TERMINAL),
    keys=True,
    negotiates=True,
    inputs=True,
    fails=True,
    windows=frozenset({"ttl", "deadline", "silence", "lease"}),
    shows=frozenset(SHOWN),
    cannot_observe=("what a client keeps of what it was told",),
)
NAIVE_TABLE: Final = attrs.evolve(TABLE, inputs=False, fails=False, shows=TABLE.shows - {"asks", "verdict", "holds"})
_SEEN: Final = ("outbox", "queued", "asked", "effects")
_FAILURE: Final = "SELECT failure, lease_until FROM tasks WHERE task_id = :task"
_NEEDS: Final = {"cancel": {"2025-11-25": ("cancel",), "2026-07-28": ("tasks",)}, "list": {"2025-11-25": ("list",)}}


class SqlSession:
    """One store with its tasks. `connect` makes the store anew, which is what a restart of the server does."""

    def __init__(self, connect: Callable[[], CasStore], finish: Callable[[], None]) -> None:
        self._connect, self._finish = connect, finish
        self._now_ms = 0
        self._ids: dict[str, str] = {}
        # What each worker and instance has read last of each task: the naive store writes by it.
        self._read: dict[tuple[str, str], str] = {}
        # Which workers were given which tasks, and have neither died nor reported since.
        self._given: set[tuple[str, str]] = set()
        self._store = connect()
        self._store.create_tables()

    def perform(self, call: Call) -> Answer:
        """Do a call. Raises TargetCrashed where the database has gone, TargetTimeout where a lock is never free."""
        if _refused(call):
            return Answer(refused=True, why="BLOCK_CAPABILITY")
        try:
            return getattr(self, f"_{call.kind}")(call)
        except Lost as lost:
            raise TargetCrashed(str(lost)) from lost
        except Conflict as conflict:
            raise TargetTimeout(f"the database refuses the transaction again and again: {conflict}") from conflict

    def close(self) -> None:
        """Close the connection and remove what was made."""
        with suppress(Lost, Conflict):
            self._store.db.close()
        self._finish()

    def _id(self, call: Call) -> str:
        return self._ids.get(str(call.task), str(call.task))

    def _label(self, task: str | None) -> str | None:
        return next((label for label, one in self._ids.items() if one == task), task)

    def _create(self, call: Call) -> Answer:
        args = call.args
        if args.get("capabilities") is not None and (
            args["capabilities"] not in _with("tasks") or args.get("tool") == "forbidden"
        ):
            # A tool that may do without a task is answered directly; one that needs a task is refused.
            return Answer(refused=args.get("tool") == "required", why="BLOCK_CAPABILITY")
        names = ("ttl_ms", "deadline_ms", "silence_ms", "lease_ms", "attempts_max")
        windows = Windows(**{name: args[name] for name in names if name in args})
        task = f"task-{len(self._ids) + 1}"
        done = self._store.create(self._now_ms, task, _auth(call), windows, args.get("key"), args.get("digest"))
        if done.decision == "ACCEPT_TASK":
            self._ids[str(call.task)] = task
            return _told(done)
        return Answer(
            refused=not done.done,
            why=done.decision,
            status=done.status,
            version=done.version,
            same_as=self._label(done.task) if done.done else None,
        )

    def _dispatch(self, call: Call) -> Answer:
        done = self._store.dispatch(self._now_ms, self._id(call), call.by)
        self._remember(call, done)
        if done.done:
            self._given.add((call.by, self._id(call)))
        return _told(done)

    def _worker_write(self, call: Call) -> Answer:
        args, task = call.args, self._id(call)
        if args["status"] != "input_required":
            self._given.discard((call.by, task))
        read = self._read.pop((call.by, task), None)
        if isinstance(self._store, NaiveStore) and read is not None and read not in (*TERMINAL, GONE):
            return _told(self._store.blind_write(self._now_ms, task, args["status"]))
        wanted = Write(
            task=task,
            auth=self._owner(call, task),
            status=args["status"],
            worker=call.by if call.by.startswith("w") else "",
            expected=args.get("expected_version"),
            key=args.get("key"),
            kind=args.get("kind"),
        )
        return _told(self._store.write(self._now_ms, wanted))

    def _owner(self, call: Call, task: str) -> str:
        """A worker acts for the owner of its task; a principal for itself."""
        row = None if "tenant" in call.args else self._store.row(task)
        return _auth(call) if row is None else row.auth

    def _cancel(self, call: Call) -> Answer:
        task = self._id(call)
        read = self._read.pop((call.by, task), None)
        if isinstance(self._store, NaiveStore) and read is not None and read not in (*TERMINAL, GONE):
            return _told(self._store.blind_write(self._now_ms, task, "cancelled"))
        return _told(self._store.cancel(self._now_ms, task, self._owner(call, task)))

    def _get(self, call: Call) -> Answer:
        task = self._id(call)
        done = self._store.get(self._now_ms, task, self._owner(call, task), contact=call.by.startswith("c"))
        self._remember(call, done)
        return attrs.evolve(_told(done), **self._beside(call, task))

    def _beside(self, call: Call, task: str) -> dict[str, Any]:
        """What the store holds of a task beside its record, as an observer with its own eyes on the tables sees it."""
        count = {name: self._store.db.execute(COUNTS[name], task=task).rows[0][0] for name in _SEEN}
        row = self._store.row(task)
        left = bool(count["outbox"] or count["queued"])
        if row is None:
            return {"work": left, "effects": count["effects"], "left": left or bool(count["asked"])}
        failure, lease_until = self._store.db.execute(_FAILURE, task=task).rows[0]
        found: dict[str, Any] = {"work": left or row.holder is not None, "effects": count["effects"]}
        found["holds"] = row.holder == call.by and (lease_until or 0) > self._now_ms
        if row.status == "failed" and failure is not None:
            found["verdict"] = "poisoned" if failure == "poison" else "failed"
        return found | {"asks": _outstanding(row)}

    def _act(self, call: Call) -> Answer:
        """The side effect of an attempt: keyed by its task it happens once, and by the attempt once an attempt."""
        task = self._id(call)
        if (call.by, task) not in self._given:
            return Answer(refused=True, why="the worker was given no such task")
        row = self._store.row(task) if isinstance(self._store, NaiveStore) else None
        self._store.act(task, task if row is None else f"{task}-{row.attempt}")
        return Answer()

    def _remember(self, call: Call, done: Decided) -> None:
        if not call.by.startswith("c") and call.kind == "get":
            self._read[call.by, self._id(call)] = done.status or GONE

    def _update(self, call: Call) -> Answer:
        task = self._id(call)
        return _told(self._store.answer(self._now_ms, task, self._owner(call, task), call.args["key"]))

    def _list(self, call: Call) -> Answer:
        there = self._store.listed(_auth(call))
        return Answer(tasks=tuple(label for label, task in self._ids.items() if task in there))

    def _advance_clock(self, call: Call) -> Answer:
        if call.args["to_ms"] < self._now_ms:
            raise CannotDo("time does not run backwards")
        self._now_ms = call.args["to_ms"]
        return Answer()

    def _restart_server(self, _call: Call) -> Answer:
        self._store.db.close()
        self._read.clear()
        self._given.clear()
        self._store = self._connect()
        self._store.start(self._now_ms)
        return Answer()

    def _crash_worker(self, call: Call) -> Answer:
        """A worker keeps nothing in the store but its lease, which runs out by itself."""
        self._read = {key: value for key, value in self._read.items() if key[0] != call.by}
        self._given = {key for key in self._given if key[0] != call.by}
        return Answer()

    def _reap(self, _call: Call) -> Answer:
        self._store.reap(self._now_ms)
        return Answer()


def _outstanding(row: Row) -> tuple[str, ...]:
    return () if row.input_key is None else (row.input_key,)


def _auth(call: Call) -> str:
    return f"p{call.args.get('tenant', 1)}"


def _told(done: Decided) -> Answer:
    status = GONE if done.decision == "BLOCK_MISSING" else done.status
    return Answer(refused=not done.done, why=done.decision, status=status, version=done.version)


def _with(word: str) -> tuple[str, ...]:
    """The declared capabilities that include one."""
    return tuple(one for one in ("tasks", "tasks+cancel", "tasks+cancel+list") if word in one)


def _refused(call: Call) -> bool:
    """Whether a request that carries its capabilities lacks the one that it needs."""
    declared = call.args.get("capabilities")
    if declared is None or call.kind == "create":
        return False
    needs = _NEEDS.get(call.kind, {}).get(call.args.get("era", "2026-07-28"), ("tasks",))
    return not all(declared in _with(one) for one in needs)
