"""A process that has a store: it does what its standard input asks, a JSON line each, and answers with a line each.

Started as `python -m latchcheck.counterexamples.targets.stores.child`; see process.py for the other end.
The first line says which store, and when to die.
With `kill_at` it kills itself, as the system would, before its k-th statement: BEGIN and COMMIT are statements too.
The count begins with the first request that says `count`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import attrs

from .connection import Conflict, Lost
from .opening import Place
from .records import Windows, Write
from .sqlite import SqliteConnection
from .store import CasStore


class Killer:
    """Counts statements, and kills this process before the k-th; `None` only counts."""

    def __init__(self, kill_at: int | None) -> None:
        self.counting = False
        self.count = 0
        self._kill_at = kill_at

    def __call__(self, _statement: str) -> None:
        """Before a statement."""
        self.point()

    def point(self) -> None:
        """One point at which the process may be killed."""
        if not self.counting:
            return
        self.count += 1
        if self.count == self._kill_at:
            os.kill(os.getpid(), signal.SIGKILL)


def perform(store: CasStore, request: dict[str, Any]) -> Any:
    """Do one request; the answer is plain data."""
    done = _REQUESTS[request.pop("do")](store, request)
    return attrs.asdict(done) if attrs.has(type(done)) else done  # pyright: ignore[reportArgumentType]


def _create(store: CasStore, args: dict[str, Any]) -> Any:
    return store.create(windows=Windows(**args.pop("windows", {})), **args)


def _write(store: CasStore, args: dict[str, Any]) -> Any:
    return store.write(args.pop("now_ms"), Write(**args))


def _steps(store: CasStore, args: dict[str, Any]) -> Any:
    """Several requests at once, each with the instants between which it happened; an answer may be missing.

    A write that says `expected: "read"` carries the version that the request before it has read.
    """
    told: list[dict[str, Any]] = []
    for step in args["steps"]:
        request = dict(step)
        if request.get("expected") == "read":
            request["expected"] = (told[-1]["answer"] or {}).get("version") or 0
        asked, called_ns = dict(request), time.monotonic_ns()
        try:
            answer, returned_ns = perform(store, request), time.monotonic_ns()
        except (Lost, Conflict):
            answer = returned_ns = None
        told.append({"asked": asked, "called_ns": called_ns, "returned_ns": returned_ns, "answer": answer})
    return told


def _client_call(store: CasStore, args: dict[str, Any]) -> Any:
    """A client's call and its handle store: what is on its own disk before the call goes out, and after the reply.

    `before-return`: the call with its key first, the handle as soon as the reply is there.
    `after-return`: nothing until the call has returned, and no key, as the store is printed in its source.
    """
    early = args["handle_store"] == "before-return"
    handles = SqliteConnection(Path(args["handles"]), before=store.db.before)
    if early:
        handles.execute(INTEND, call=args["task"])
    done = store.create(now_ms=0, task=args["task"], auth="p1", key=args["task"] if early else None, digest="d1")
    handles.execute(REMEMBER, call=args["task"], task=done.task)
    handles.close()
    return done


def _method(name: str) -> Callable[[CasStore, dict[str, Any]], Any]:
    def call(store: CasStore, args: dict[str, Any]) -> Any:
        return getattr(store, name)(**args)

    return call


HANDLES: Final = "CREATE TABLE IF NOT EXISTS handles (call TEXT PRIMARY KEY, task TEXT)"
INTEND: Final = "INSERT INTO handles (call) VALUES (:call)"
REMEMBER: Final = """INSERT INTO handles (call, task) VALUES (:call, :task)
    ON CONFLICT (call) DO UPDATE SET task = excluded.task"""
_REQUESTS: Final[dict[str, Callable[[CasStore, dict[str, Any]], Any]]] = {
    "create": _create,
    "write": _write,
    "steps": _steps,
    "client_call": _client_call,
    **{
        name: _method(name)
        for name in ("create_tables", "publish", "dispatch", "cancel", "get", "act", "reap", "start", "row", "listed")
    },
}


def main() -> None:
    """Serve until the input ends."""
    described = json.loads(sys.stdin.readline())
    killer = Killer(described["kill_at"])
    store = Place(**described["place"]).open(killer)
    for line in sys.stdin:
        request = json.loads(line)
        killer.counting = request.pop("count", killer.counting)
        try:
            answer: dict[str, Any] = {"answer": perform(store, request)}
        except (Lost, Conflict) as error:
            answer = {"error": str(error)}
        # Between the commit and the reply there is one more moment to die in.
        killer.point()
        sys.stdout.write(json.dumps({**answer, "statements": killer.count}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
