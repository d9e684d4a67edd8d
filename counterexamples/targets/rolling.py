"""Many interchangeable instances over one store, killed and started again one by one under load.

The extension of Table 1 that "Stateless Protocol, Stateful Problem" leaves open (sections 7 and 8), for the failures
that it expects there: concurrent writes, and a record that not every instance sees as it is.
The instances are processes and the kills are SIGKILL.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, Literal

import attrs

from .restarting import place
from .rolling_load import Load, Stored
from .rolling_told import Told
from .stores.opening import SNAPSHOT
from .stores.server import PostgresServer
from .stores.standby import PostgresStandby

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
            ended, told = load.ended(), load.told
    figures = _compared(told, ended) | told.counts
    return RollingRestart(store=store, copy=read, reading=reading, instances=instances, shown=told.shown, **figures)


def _compared(told: Told, ended: Stored) -> dict[str, int]:
    """What is stored at the end, beside what was told."""
    there = ended.statuses
    changed = {task for task, outcome in told.outcomes.items() if there.get(task, outcome) != outcome}
    return {
        "accepted": len(told.accepted),
        "survived": len(there.keys() & told.accepted.keys()),
        "lost": len(told.accepted.keys() - there.keys()),
        "orphans": len(there.keys() - told.accepted.keys()),
        "outcomes": len(told.outcomes),
        "changed": len(changed | told.otherwise),
        "overwritten": len(told.overwritten),
        "open": ended.open,
    }


@contextmanager
def standby_of(primary: PostgresServer) -> Iterator[str]:
    """The connection string of a standby of a server that has no connections yet, gone afterwards."""
    made = PostgresStandby(primary)
    try:
        yield made.dsn
    finally:
        made.stop()
