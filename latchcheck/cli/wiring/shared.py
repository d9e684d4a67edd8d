"""The extension that the paper's Table 1 names: many interchangeable instances over one shared store."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:  # each function imports what it needs, so that --help does not pay for the stores
    from latchcheck.counterexamples.targets.rolling import Reading, RollingRestart
    from latchcheck.counterexamples.targets.triaging import BesideTheLiving
    from latchcheck.properties.study.replica import Said
    from latchcheck.report.study.tables import Section

Step = Callable[[], None]
Store = Literal["sqlite", "postgres"]
STORES: Final[tuple[Store, ...]] = ("sqlite", "postgres")
NAMES: Final = {"sqlite": "SQLite file", "postgres": "PostgreSQL"}
HELD, HELD_BY_POSTGRES, STANDBY = "SQLite, open read transaction", "PostgreSQL, open transaction", "PostgreSQL, standby"
"""What instances read from that may be behind; a server that somebody named has no standby of ours."""
COPIED_READINGS: Final[Mapping[Reading, str]] = {
    "replica": "reads and guards from the copy",
    "guard-on-primary": "guards from the primary",
    "catches-up": "and none behind its reader",
}
COPIED_INSTANCES, COPIED_TASKS = 3, 30
SNAPSHOT: Final = "snapshot"
ROLLED = (
    "Handles: tasks that a reply has named to a client. Triaged: under way when an instance started; resumed, failed "
    "as late, failed as out of attempts. Outcomes: told to somebody as stored; changed: stored or told otherwise "
    "later. Back: reads that an earlier one of the same client, through another instance, contradicts. Refused: writes "
    "and cancels that lost a race. Open: tasks that a worker can take up at the end."
)
STARTED = (
    "The paper's triage is a rule for one server: whatever was in flight is triaged. Over a shared store it frees the "
    "leases of instances that live: their work is run a second time, and what they finish is turned down. Leases that "
    "have run out are all that a start may free beside the living; a worker that asks for a task finds them anyway. Of "
    "the dead: a task whose instance was killed, taken up once its lease had run out."
)
COPIED = (
    "Instances read from a copy: each from a read transaction of its own that is begun anew after twelve reads, or all "
    "from a standby that streams, and whose replay is held for six rounds of the load at a time. Stale: reads that "
    "showed less than was stored when they were sent. Not found: of these, reads of a task that a reply had named. "
    "Back: reads that showed an older state than the client had been told; reopened: of these, an open task whose "
    "outcome it had been told. Changed: of the outcomes; later: of these, replaced by a write that was sent after they "
    "had been told, so that no race explains it."
)
GUARDED = (
    "A read asks for the newest version that its client was told of, and an instance whose copy lacks it asks the "
    "primary. What is stale then, nobody could tell. A client that sends nothing can keep the newer of two answers "
    "instead (lastUpdatedAt says which), but not know a task that is not found from one that is gone."
)
SAID = (
    "The model has the same faults as switches, and a copy that lacks a write or two. It says that a fault can happen, "
    "and the stores how soon: each count is of the experiment above that has that fault, or has it mended. The model "
    "mends them otherwise than the stores: its reply waits for the copies, and its client keeps the newest answer."
)


def shared_steps() -> int:
    """How often `shared_stores` calls its `step`."""
    return (2 + len(COPIED_READINGS)) * len(STORES) + 1


def shared_stores(step: Step) -> list[Section]:
    """What is measured past Table 1; a store that is not installed is named with what to install."""
    from latchcheck.counterexamples.targets.errors import TargetError
    from latchcheck.counterexamples.targets.stores.connection import Lost
    from latchcheck.counterexamples.targets.stores.process import Died

    measured = _Measured(step)
    for store in STORES:
        try:
            measured.measure(store)
        except (TargetError, Lost, Died) as missing:
            measured.absent.append(f"{NAMES[store]}: not measured: {' '.join(str(missing).split())}")
    said = _said()
    step()
    return [
        _rolling(measured.rolled, measured.absent),
        _starting(measured.started),
        _copied(measured.copied, measured.absent),
        _compared(said, measured.copied),
    ]


class _Measured:
    """What was measured until now, and why some of it was not."""

    def __init__(self, step: Step) -> None:
        self._step = step
        self.rolled: list[RollingRestart] = []
        self.started: list[BesideTheLiving] = []
        self.copied: dict[tuple[str, Reading], RollingRestart] = {}
        self.absent: list[str] = []

    def measure(self, store: Store) -> None:
        """Every experiment on one store. Raises TargetError, Lost or Died."""
        from latchcheck.counterexamples.targets.rolling import rolling_restart
        from latchcheck.counterexamples.targets.triaging import TRIAGES, start_beside_the_living

        with _server(store) as (server, standby):
            self.rolled.append(rolling_restart(store, server=server))
            self._step()
            self.started += [start_beside_the_living(store, triage=one, server=server) for one in TRIAGES]
            self._step()
            name = HELD if store == "sqlite" else HELD_BY_POSTGRES if standby is None else STANDBY
            if name == HELD_BY_POSTGRES:
                self.absent.append(
                    f"{STANDBY}: not measured: it is made of a server of ours; unset LATCHCHECK_POSTGRES"
                )
            for reading in COPIED_READINGS:
                self.copied[name, reading] = rolling_restart(
                    store, COPIED_INSTANCES, COPIED_TASKS, reading=reading, copy=standby or SNAPSHOT, server=server
                )
                self._step()


@contextmanager
def _server(store: str) -> Iterator[tuple[str | None, str | None]]:
    """The connection strings of a PostgreSQL server and of its standby, where they are needed and can be had.

    One pair is for all experiments. A server that somebody named has no standby here.
    """
    if store != "postgres":
        yield None, None
        return
    from latchcheck.counterexamples.targets.rolling import standby_of
    from latchcheck.counterexamples.targets.stores.postgres import PostgresConnection
    from latchcheck.counterexamples.targets.stores.server import PostgresServer

    named = os.environ.get("LATCHCHECK_POSTGRES")
    if named:
        PostgresConnection(named).close()  # to fail before anything is started
        yield named, None
        return
    own = PostgresServer()
    try:
        with standby_of(own) as standby:
            yield own.dsn, standby
    finally:
        own.stop()


def _said() -> list[Said]:
    from latchcheck.properties.study.replica import QUESTIONS, ask

    return [ask(name, policy) for name, fault in QUESTIONS.items() for policy in (fault, "guarded")]


def _rolling(found: Sequence[RollingRestart], absent: Sequence[str]) -> Section:
    from latchcheck.report.study.tables import Section

    head = ["store", "kills", "handles", "survive", "lost", "triaged", "outcomes", "changed", "back", "refused", "open"]
    rows = [
        [NAMES[one.store], *map(str, (one.restarts, one.accepted, one.survived, one.lost))]
        + [f"{one.resumed}, {one.late}, {one.spent}"]
        + [str(part) for part in (one.outcomes, one.changed, one.backwards, one.refused, one.open)]
        for one in found
    ]
    asked = ", ".join(f"{one.unknown} ({one.orphans} of them admitted)" for one in found)
    title = "Past Table 1: instances over one store, killed and started again one by one under load"
    unknown = f"Requests that ended with their instance, so that nobody was told: {asked or 'none'}."
    return Section(title, head, rows, [ROLLED, unknown, *(one for one in absent if not one.startswith(STANDBY))])


def _starting(found: Sequence[BesideTheLiving]) -> Section:
    from latchcheck.report.study.tables import Section

    rows = [
        [NAMES[one.store], one.triage]
        + [str(part) for part in (one.in_flight, one.taken, one.refused, one.stored, one.picked_up)]
        for one in found
    ]
    return Section(
        "Past Table 1: an instance starts beside one that works",
        ["store", "triage at the start", "in flight", "run twice", "outcome refused", "outcome stored", "of the dead"],
        rows,
        [STARTED],
    )


def _copied(found: Mapping[tuple[str, Reading], RollingRestart], absent: Sequence[str]) -> Section:
    from latchcheck.report.study.tables import Section

    rows = [
        [copy, COPIED_READINGS[reading], *map(str, (one.reads, one.stale, one.missing, one.backwards, one.reopened))]
        + [str(part) for part in (one.outcomes, one.changed, one.overwritten, one.lost)]
        for (copy, reading), one in found.items()
    ]
    seen = [
        f"{copy}, as one client saw it: {one.shown}."
        for (copy, way), one in found.items()
        if way == "guard-on-primary" and one.shown
    ]
    return Section(
        "Past Table 1: the same with instances that read from a copy which lags",
        [
            "copy",
            "who reads it",
            "reads",
            "stale",
            "not found",
            "back",
            "reopened",
            "outcomes",
            "changed",
            "later",
            "lost",
        ],
        rows,
        [COPIED, *seen, GUARDED, *absent],
    )


SEEN: Final[Mapping[str, tuple[str, Callable[[RollingRestart], int], Reading]]] = {
    "one-terminal-outcome": ("outcomes replaced later", lambda one: one.overwritten, "replica"),
    "durable-before-reply": ("not found", lambda one: one.missing, "guard-on-primary"),
    "view-never-goes-back": ("reads back", lambda one: one.backwards, "guard-on-primary"),
}
"""By property what of a real store shows that it is broken, and in which experiment the fault is."""


def _compared(said: Sequence[Said], found: Mapping[tuple[str, Reading], RollingRestart]) -> Section:
    from latchcheck.report.study.tables import Section

    copies, rows = list(dict.fromkeys(copy for copy, _ in found)), []
    for one in said:
        words, count, faulty = SEEN[one.name]
        reading: Reading = "catches-up" if one.policy == "guarded" else faulty
        counts = [str(count(found[copy, reading])) if (copy, reading) in found else "" for copy in copies]
        rows.append([one.name, one.policy, one.told, words, *counts])
    return Section(
        "Past Table 1: what the model says of a copy that lags, and what is seen on the stores",
        ["property", "policy", "the model", "on the stores", *copies],
        rows,
        [SAID],
    )
