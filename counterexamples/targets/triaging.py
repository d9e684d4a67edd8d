"""The restart triage of one server, done by an instance that starts beside others that live.

"Stateless Protocol, Stateful Problem" triages all work in flight when a server starts (section 5.2). Over a shared
store much of it is in the hands of other instances. Here one instance has attempts under way, a second one starts
and triages what was in flight, or only that whose lease has run out, or nothing, and both go on.
"""

from __future__ import annotations

from typing import Final, Literal

import attrs

from .restarting import place
from .stores.process import Process

IN_FLIGHT = 8
HOUR_MS = 3_600_000
Triage = Literal["all in flight", "leases run out", "none"]
TRIAGES: Final[tuple[Triage, ...]] = ("all in flight", "leases run out", "none")


@attrs.frozen
class BesideTheLiving:
    """What became of attempts that a living instance had under way when another one started.

    `taken`: a worker of the new instance got the task too, so that it is run twice at a time; `refused`: the living
    worker's outcome was then turned down; `stored`: its outcome was stored. `picked_up`: tasks of an instance that died
    later, taken over once their lease had run out.
    """

    store: str
    triage: Triage
    in_flight: int
    taken: int
    refused: int
    stored: int
    picked_up: int


def start_beside_the_living(
    store: Literal["sqlite", "postgres"], *, triage: Triage, server: str | None = None
) -> BesideTheLiving:
    """Start an instance beside one that works on eight tasks under leases of an hour."""
    tasks = [f"task-{number + 1}" for number in range(IN_FLIGHT)]
    with place(store, server) as where, Process(where) as living:
        living.ask("create_tables")
        for task in tasks:
            living.ask("create", now_ms=0, task=task, auth="p1", windows={"lease_ms": HOUR_MS})
            living.ask("dispatch", now_ms=1, task=task, worker="living")
        with Process(where) as started:
            if triage != "none":
                started.ask("start", now_ms=2, alone=triage == "all in flight")
            takes = [started.ask("dispatch", now_ms=3, task=task, worker="started") for task in tasks]
            told = [
                living.ask("write", now_ms=4, task=task, auth="p1", status="completed", worker="living", expected=1)
                for task in tasks
            ]
            living.ask("create", now_ms=5, task="left", auth="p1", windows={"lease_ms": 10})
            living.ask("dispatch", now_ms=5, task="left", worker="living")
            living.kill()
            left = started.ask("dispatch", now_ms=5 + HOUR_MS, task="left", worker="started")
    return BesideTheLiving(
        store=store,
        triage=triage,
        in_flight=len(tasks),
        taken=sum(one["decision"] == "TAKEN" for one in takes),
        refused=sum(one["decision"].startswith("BLOCK") for one in told),
        stored=sum(one["decision"] == "APPLY" for one in told),
        picked_up=int(left["decision"] == "TAKEN"),
    )
