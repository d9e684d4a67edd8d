"""A session on a task store: the abstract events as calls of its methods, at an instant that is a parameter."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Final

import attrs

from .errors import CannotDo, TargetCrashed, TargetTimeout
from .events import EVENTS, GONE, Answer, Call
from .protocol import Clock, Table
from .stores.connection import Conflict, Lost
from .stores.naive import NaiveStore
from .stores.store import TERMINAL, CasStore, Decided, Windows, Write

TABLE: Final = Table(
    events=frozenset(EVENTS),
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
    cannot_observe=("what a client keeps of what it was told", "how often a worker's side effect happened"),
)
NAIVE_TABLE: Final = attrs.evolve(TABLE, inputs=False, fails=False)
_NEEDS: Final = {"cancel": {"2025-11-25": ("cancel",), "2026-07-28": ("tasks",)}, "list": {"2025-11-25": ("list",)}}


class SqlSession:
    """One store with its tasks. `connect` makes the store anew, which is what a restart of the server does."""

    def __init__(self, connect: Callable[[], CasStore], finish: Callable[[], None]) -> None:
        self._connect, self._finish = connect, finish
        self._now_ms = 0
        self._ids: dict[str, str] = {}
        # What each worker and instance has read last of each task: the naive store writes by it.
        self._read: dict[tuple[str, str], str] = {}
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
        return _told(done)

    def _worker_write(self, call: Call) -> Answer:
        args, task = call.args, self._id(call)
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
        return _told(done)

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
        self._store = self._connect()
        self._store.start(self._now_ms)
        return Answer()

    def _crash_worker(self, call: Call) -> Answer:
        """A worker keeps nothing in the store but its lease, which runs out by itself."""
        self._read = {key: value for key, value in self._read.items() if key[0] != call.by}
        return Answer()

    def _reap(self, _call: Call) -> Answer:
        self._store.reap(self._now_ms)
        return Answer()


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
