"""The extension that the paper's Table 1 names: many interchangeable instances over one shared store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # each function imports what it needs, so that --help does not pay for the stores
    from latchcheck.counterexamples.targets.restarting import RollingRestart
    from latchcheck.report.study.tables import Section

Step = Callable[[], None]
STORES = ("sqlite", "postgres")
ROLLED = (
    "Handles: tasks that a reply has named to a client. Outcomes: told to a client as stored; changed: told otherwise "
    "later. Back: reads that an earlier one of the same client, through another instance, contradicts. Refused: writes "
    "and cancels that lost a race. Open: tasks that a worker can take up at the end."
)
STARTED = (
    "The paper's triage is a rule for one server. Over a shared store it frees the leases of instances that live: "
    "their work is run a second time, and what they finish is turned down. Leases that run out do what the triage is "
    "for, and touch nothing of the living. Of the dead: a task whose instance was killed, taken up once its lease had "
    "run out."
)
NAMES = {"sqlite": "SQLite file", "postgres": "PostgreSQL"}


def shared_steps() -> int:
    """How often `shared_stores` calls its `step`."""
    return 2 * len(STORES)


def shared_stores(step: Step) -> list[Section]:
    """What is measured past Table 1; a store that is not installed is named with what to install."""
    from latchcheck.counterexamples.targets.errors import TargetError
    from latchcheck.counterexamples.targets.restarting import rolling_restart
    from latchcheck.counterexamples.targets.stores.connection import Lost
    from latchcheck.counterexamples.targets.stores.process import Died
    from latchcheck.counterexamples.targets.triaging import start_beside_the_living

    rolled: list[Any] = []
    started: list[Any] = []
    absent: list[str] = []
    for store in STORES:
        try:
            with _server(store) as server:
                rolled.append(rolling_restart(store, server=server))
                step()
                started += [start_beside_the_living(store, triage=one, server=server) for one in (True, False)]
                step()
        except (TargetError, Lost, Died) as missing:
            absent.append(f"{NAMES[store]}: not measured: {' '.join(str(missing).split())}")
    return [_rolling(rolled, absent), _starting(started)]


@contextmanager
def _server(store: str) -> Iterator[str | None]:
    """The connection string of a PostgreSQL server where one is needed; one for all its experiments."""
    if store != "postgres":
        yield None
        return
    import os

    from latchcheck.counterexamples.targets.stores.postgres import PostgresConnection
    from latchcheck.counterexamples.targets.stores.server import PostgresServer

    named = os.environ.get("LATCHCHECK_POSTGRES")
    if named:
        PostgresConnection(named).close()  # to fail before anything is started
        yield named
        return
    own = PostgresServer()
    try:
        yield own.dsn
    finally:
        own.stop()


def _rolling(found: list[RollingRestart], absent: list[str]) -> Section:
    from latchcheck.report.study.tables import Section

    head = [
        "store",
        "instances",
        "kills",
        "handles",
        "survive",
        "lost",
        "outcomes",
        "changed",
        "back",
        "refused",
        "open",
    ]
    rows = [
        [NAMES[one.store], *map(str, (one.instances, one.restarts, one.accepted, one.survived, one.lost, one.outcomes))]
        + [str(part) for part in (one.changed, one.backwards, one.refused, one.open)]
        for one in found
    ]
    asked = ", ".join(f"{one.unknown} ({one.orphans} of them admitted)" for one in found)
    return Section(
        "Past Table 1: instances over one store, killed and started again one by one under load",
        head,
        rows,
        [
            ROLLED,
            f"Requests that ended with their instance, so that nobody was told: {asked or 'none'}.",
            *absent,
        ],
    )


def _starting(found: list[Any]) -> Section:
    from latchcheck.report.study.tables import Section

    rows = [
        [NAMES[one.store], "all in flight" if one.triage else "none, leases only"]
        + [str(part) for part in (one.in_flight, one.taken, one.refused, one.stored, one.picked_up)]
        for one in found
    ]
    return Section(
        "Past Table 1: an instance starts beside one that works",
        ["store", "triage at the start", "in flight", "run twice", "outcome refused", "outcome stored", "of the dead"],
        rows,
        [STARTED],
    )
