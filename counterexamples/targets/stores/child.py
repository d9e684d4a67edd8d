"""A process that has a store: it does what its standard input asks, a JSON line each, and answers with a line each.

Started as `python -m latchcheck.counterexamples.targets.stores.child DESCRIPTION`; see process.py for the other end.
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
from typing import Any, Final

import attrs

from .connection import Conflict, Lost
from .opening import Place
from .store import CasStore, Windows, Write


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


def _method(name: str) -> Callable[[CasStore, dict[str, Any]], Any]:
    def call(store: CasStore, args: dict[str, Any]) -> Any:
        return getattr(store, name)(**args)

    return call


_REQUESTS: Final[dict[str, Callable[[CasStore, dict[str, Any]], Any]]] = {
    "create": _create,
    "write": _write,
    "steps": _steps,
    **{
        name: _method(name)
        for name in ("create_tables", "publish", "dispatch", "cancel", "get", "act", "reap", "start", "row", "listed")
    },
}


def main() -> None:
    """Serve until the input ends."""
    described = json.loads(sys.argv[1])
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
