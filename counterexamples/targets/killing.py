"""Kills for real: a process dies by SIGKILL at its k-th statement, for every k, and what is left is judged.

A story has a victim (a worker, a server, a client, the reaper, a starting server) that does something to one task.
It is told anew for every k: somebody sets the task up, the victim begins and dies before its k-th statement (BEGIN and
COMMIT are statements; between the last one and its reply there is one more point), and another process takes over.
Twice it is asked what the database holds: right after the death, and after the take-over.
What is found is put into the variables of the model, and the model's properties are asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import attrs

from latchcheck.kernel.doing import doing

from . import leftovers
from .stores import statements as sql
from .stores.child import HANDLES
from .stores.opening import Place
from .stores.process import Died, Process
from .stores.sqlite import SqliteConnection
from .stores.store import CasStore

CONTRASTS: Final = ("worker-plain", "client-after-return")
"""Stories that lack a guard on purpose: a side effect keyed by the attempt, a handle stored after the call."""
POINTS_MAX: Final = 200
LATE_MS: Final = 1_000
Judge = Callable[[str, Mapping[str, Any]], tuple[str, ...]]
"""Maps a property and values of the model's variables to the clauses of it that are false there."""
Requests = tuple[tuple[str, dict[str, Any]], ...]


@attrs.frozen
class Story:
    """What happens before, what the victim does, who takes over, and what is asked afterwards."""

    victim: str
    before: Requests
    does: Requests
    after: Requests
    properties: tuple[str, ...]
    expected: str
    """The status with which the task ends, whenever the victim dies."""


@attrs.frozen
class Point:
    """One death: before which statement, what was found then and after the take-over, and what is wrong with it."""

    statement: int
    left: dict[str, Any]
    recovered: dict[str, Any]
    broken: tuple[str, ...]


@attrs.frozen
class Killed:
    """A story told with a death at every statement."""

    story: str
    victim: str
    points: tuple[Point, ...]

    @property
    def broken(self) -> tuple[Point, ...]:
        """The deaths that leave something wrong."""
        return tuple(point for point in self.points if point.broken)


def _create(**more: Any) -> tuple[str, dict[str, Any]]:
    return ("create", {"now_ms": 0, "auth": "p1", "windows": {"lease_ms": 10, "ttl_ms": 100}, **more})


_TAKE: Final = ("dispatch", {"now_ms": 1, "worker": "w1"})
_WRITE: Final = ("write", {"auth": "p1", "status": "completed"})


def _work(worker: str, now_ms: int, attempt: str | None) -> Requests:
    """An attempt: taken, acted, completed. `attempt` names the side effect; None keys it by the task."""
    return (
        ("dispatch", {"now_ms": now_ms, "worker": worker}),
        ("act", {"attempt": attempt or "the task"}),
        ("write", {"now_ms": now_ms, "auth": "p1", "status": "completed", "worker": worker, "expected": 1}),
    )


STORIES: Final[dict[str, Story]] = {
    # Between the side effect and the completion write.
    "worker": Story(
        "worker",
        (_create(),),
        _work("w1", 1, None),
        _work("w2", 20, None),
        ("side-effect-once", "dispatch-with-record", "restart-triages"),
        "completed",
    ),
    "worker-plain": Story(
        "worker",
        (_create(),),
        _work("w1", 1, "w1"),
        _work("w2", 20, "w2"),
        ("side-effect-once", "dispatch-with-record", "restart-triages"),
        "completed",
    ),
    # Between the commit and the reply: who asked asks again, with the same key.
    "server": Story(
        "server",
        (),
        (_create(key=True, digest="d1"),),
        (("start", {"now_ms": 1}), _create(key=True, digest="d1", again=True), *_work("w1", 20, None)),
        ("dispatch-with-record", "restart-triages"),
        "completed",
    ),
    "cancel": Story(
        "server",
        (_create(), _TAKE),
        (("cancel", {"now_ms": 2, "auth": "p1"}),),
        (
            ("cancel", {"now_ms": 20, "auth": "p1"}),
            ("write", {**_WRITE[1], "now_ms": 21, "worker": "w1", "expected": 1}),
        ),
        ("dispatch-with-record", "restart-triages"),
        "cancelled",
    ),
    "start": Story(
        "server",
        (_create(), _TAKE),
        (("start", {"now_ms": 2}),),
        (("start", {"now_ms": 3}), *_work("w2", 20, None)),
        ("dispatch-with-record", "restart-triages"),
        "completed",
    ),
    "reaper": Story(
        "reaper",
        (_create(), _TAKE, ("write", {**_WRITE[1], "now_ms": 2, "worker": "w1", "expected": 1})),
        (("reap", {"now_ms": LATE_MS}),),
        (("reap", {"now_ms": LATE_MS + 1}),),
        ("cleanup-is-complete", "dispatch-with-record"),
        "deleted",
    ),
    # Between the reply and the handle on disk, with the call and its key on disk before, and without.
    "client": Story(
        "client", (), (("client_call", {"handle_store": "before-return"}),), (), ("handle-never-lost",), ""
    ),
    "client-after-return": Story(
        "client", (), (("client_call", {"handle_store": "after-return"}),), (), ("handle-never-lost",), ""
    ),
}


def kill_everywhere(place: Place, name: str, judge: Judge) -> Killed:
    """Tell a story with a death before its first statement, its second, and so on until nobody dies any more."""
    story, points = STORIES[name], list[Point]()
    with (
        leftovers.temporary_folder("latchcheck-kill-") as folder,
        Process(place) as helper,
        doing("", unit="deaths", done=lambda: len(points)),
    ):
        helper.ask("create_tables")
        store = place.open()
        handles = SqliteConnection(folder / "handles.db")
        handles.execute(HANDLES)
        for k in range(1, POINTS_MAX):
            task = f"{name}-{k}"
            one = _Telling(place, store, helper, task, folder / "handles.db")
            one.do(story.before)
            if not one.dies(story.does, k):
                break
            left = one.found(handles)
            one.do(story.after)
            recovered = one.recovered(story, handles)
            points.append(Point(k, left, recovered, _judged(story, (left, recovered), judge)))
        handles.close()
        store.db.close()
    return Killed(name, story.victim, tuple(points))


def _judged(story: Story, found: tuple[dict[str, Any], ...], judge: Judge) -> tuple[str, ...]:
    broken = [
        f"{moment}: {name}: {clause}"
        for moment, values in zip(("at the death", "after the take-over"), found, strict=True)
        for name in story.properties
        for clause in judge(name, values)
    ]
    ended = found[-1]["status_t1"]
    if story.expected and ended != story.expected:
        broken.append(f"after the take-over: the task is {ended}, not {story.expected}")
    if found[-1]["tasks_of_key"] > 1:
        broken.append("after the take-over: idempotent-create: the key names more than one task")
    return tuple(broken)


class _Telling:
    """One telling of a story, about one task."""

    def __init__(self, place: Place, store: CasStore, helper: Process, task: str, handles: Path) -> None:
        self._place, self._store, self._helper, self._task, self._handles = place, store, helper, task, handles
        self._last: dict[str, Any] = {}

    def _request(self, do: str, args: Mapping[str, Any]) -> dict[str, Any]:
        request = dict(args) if do in ("start", "reap") else {"task": self._task, **args}
        if request.get("key") is True:
            request["key"] = self._task
        if request.pop("again", False):
            # Who asks again does not know the id that the server gave before.
            request["task"] = f"{self._task}-again"
        if do == "client_call":
            request["handles"] = str(self._handles)
        return request

    def do(self, requests: Requests) -> None:
        """Let somebody who lives do something."""
        for do, args in requests:
            request = self._request(do, args)
            if request.get("task") == self._task and do not in ("create", "client_call"):
                request["task"] = self._named()
            self._helper.ask(do, **request)

    def _named(self) -> str:
        """The task that the key names, where the first create was never committed."""
        return (
            self._task
            if self._store.row(self._task) or not self._store.row(f"{self._task}-again")
            else (f"{self._task}-again")
        )

    def dies(self, requests: Requests, k: int) -> bool:
        """Let the victim do something and die before its k-th statement; whether it came to that."""
        with Process(self._place, kill_at=k) as victim:
            try:
                for do, args in requests:
                    self._last = victim.ask(do, count=True, **self._request(do, args)) or {}
            except Died:
                return True
        return False

    def found(self, handles: SqliteConnection) -> dict[str, Any]:
        """What the database holds, in the words of the model."""
        task = self._named()
        row = self._store.row(task)
        counts = {name: self._store.db.execute(text, task=task).rows[0][0] for name, text in sql.COUNTS.items()}
        known = handles.execute("SELECT task FROM handles WHERE call = :call", call=self._task).rows
        keyed = self._store.db.execute(sql.COUNTS["named"], task=self._task).rows[0][0]
        handle = "t1" if known and known[0][0] is not None else "none"
        return {
            "status_t1": "none" if row is None else row.status,
            "version_t1": 0 if row is None else row.version,
            "outbox_t1": counts["outbox"] > 0,
            "queued_t1": counts["queued"] > 0,
            "effects_t1": min(counts["effects"], 2),
            "slot_t1": row is not None and row.status in ("working", "input_required"),
            "durable_t1": row is not None,
            "entry_c1": "t1" if keyed else "none",
            "keyed_t1": "c1" if keyed else "none",
            "accepted_t1": "none" if row is None else "c1",
            "knows_c1": "none",
            "stored_c1": handle,
            "alive_c1": False,
            "wants_c1": bool(known),
            "intent_stored_c1": bool(known),
            "called_c1": True,
            "tasks_of_key": keyed,
        }

    def recovered(self, story: Story, handles: SqliteConnection) -> dict[str, Any]:
        """What it holds after the take-over; a record that the reaper has removed is deleted, not unborn."""
        found = self.found(handles)
        gone = story.victim == "reaper" and found["status_t1"] == "none"
        return {**found, "status_t1": "deleted"} if gone else found
