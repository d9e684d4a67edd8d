"""One client that polls one task of a real MCP server on loopback, its polls counted where they arrive.

The server is FastMCP 4 with its tasks extension, over HTTP, in an environment of its own. The client sleeps the gaps it
is given and stops at the first answer that is not `working`. Client and server read the same monotonic clock of the
system, so that instants of both can be compared.
"""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from statistics import fmean
from types import TracebackType
from typing import Any, Final, Self

import attrs

from .environments import needed
from .errors import TargetError, TargetGarbage, TargetTimeout
from .live import Talk, Wire, begin, task_of
from .loopback import Child

ENVIRONMENT: Final = "fastmcp"
PROGRAM: Final = "polled_server.py"
POLLS_MAX: Final = 100_000
CONTROL_S: Final = 10.0


@attrs.frozen
class Asked:
    """One run: how long the work takes, and the gaps between polls, in seconds of this system's clock."""

    work_s: float
    gaps_s: Iterable[float]


@attrs.frozen
class Polled:
    """What happened, in seconds of this system's clock from the moment at which the call was sent.

    `arrivals_s` are the polls as they reached the server; `handle_s` is when the client had the task's id;
    `ended_s` when the work ended; `round_trip_s` how long the client waited for the answer to a poll (the mean).
    `overslept_s` is by how much the client's sleep outlasted the gap it was asked for (the mean).
    """

    arrivals_s: tuple[float, ...]
    handle_s: float
    ended_s: float
    round_trip_s: float
    overslept_s: float

    @property
    def staleness_s(self) -> float:
        """From the end of the work to the arrival of the poll that told the client.

        A little below zero where the poll arrived as the work was ending, and was answered afterwards.
        """
        return self.arrivals_s[-1] - self.ended_s


class PolledServer:
    """A server for as long as the block lasts. Raises TargetError where it is not installed or does not start."""

    def __init__(self) -> None:
        self._child = Child(needed(ENVIRONMENT).interpreter, PROGRAM, [])
        self._labels = count(1)

    def __enter__(self) -> Self:
        try:
            self._child.start()
        except BaseException:
            self._child.kill()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._child.kill()

    def poll(self, asked: Asked) -> Polled:
        """Create a task and poll it to its end. Raises TargetError."""
        wire = Wire(f"http://127.0.0.1:{self._child.port}/mcp")
        try:
            return self._poll(begin(wire), asked, f"run-{next(self._labels)}")
        finally:
            wire.close()

    def poll_all(self, asked: Iterable[Asked], at_once: int) -> list[Polled]:
        """Several runs, so many at once, in the order in which they were asked for. Raises TargetError."""
        with ThreadPoolExecutor(at_once) as pool:
            try:
                return list(pool.map(self.poll, asked))
            except BaseException:
                # The others end as soon as nobody answers them, also when a user interrupts.
                self._child.kill()
                raise

    def _poll(self, talk: Talk, asked: Asked, label: str) -> Polled:
        sent = time.monotonic()
        reply = talk.call("work", {"label": label, "seconds": asked.work_s})
        task = task_of(reply, talk.offer.era)
        if task is None:
            raise TargetGarbage(f"the call was not answered with a task: {reply.told()}")
        ident, handle = task["taskId"], time.monotonic()
        trips, slept, heard = [], [], handle
        for number, gap in enumerate(asked.gaps_s):
            if number == POLLS_MAX:
                raise TargetTimeout(f"the task is still working after {POLLS_MAX} polls")
            time.sleep(gap)
            asking = time.monotonic()
            slept.append(asking - heard - gap)
            answer = talk.get(ident)
            heard = time.monotonic()
            trips.append(heard - asking)
            status = (answer.result or {}).get("status")
            if status == "completed":
                break
            if status != "working":
                raise TargetGarbage(f"tasks/get: {answer.told()}")
        seen = self._seen(ident, label)
        return Polled(
            arrivals_s=tuple(at - sent for at in seen["polls"]),
            handle_s=handle - sent,
            ended_s=seen["work"][1] - sent,
            round_trip_s=fmean(trips),
            overslept_s=fmean(slept),
        )

    def _seen(self, ident: str, label: str) -> dict[str, Any]:
        """What the server has counted."""
        url, body = f"http://127.0.0.1:{self._child.port}/seen", json.dumps({"task": ident, "label": label})
        request = urllib.request.Request(url, body.encode(), {"Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=CONTROL_S) as answer:
                return json.load(answer)
        except (OSError, ValueError) as error:
            raise TargetGarbage(f"the server does not tell what it has counted: {error}") from None


__all__ = ["Asked", "Polled", "PolledServer", "TargetError"]
