"""What a target is: a name, what it can do, how its clock moves, what it cannot observe, and sessions.

How to write one: give a `Target` a `Table` and an `open` that returns a `Session` with no tasks in it.
A session does one call at a time. It raises `CannotDo` for what the target has no way to do, and a `TargetError` where
the target does not answer, ends, or answers nonsense; it never guesses an answer.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, Literal, Protocol, runtime_checkable

import attrs

from latchcheck.kernel import ModelError

from .events import EVENTS, Answer, Call, Kind

WINDOWS = ("ttl", "deadline", "silence", "lease", "marker")
"""The limits that `create` can be given, in ms: life of the record, of the execution, orphan window, lease, and how
long a cancel marker beside the record lives."""


@attrs.frozen
class Clock:
    """How the time of a target moves.

    `injected`: `advance_clock` sets it, at once and exactly.
    `real`: `advance_clock` waits; `granularity_ms` is the shortest time by which two instants can be told apart.
    `none`: time cannot be moved, and nothing that needs it can be replayed.
    """

    kind: Literal["injected", "real", "none"]
    granularity_ms: int = 1

    @property
    def unit_ms(self) -> int:
        """The unit in which the times of a fixture without numbers are told to this target."""
        return 1000 if self.kind == "injected" else 2 * self.granularity_ms


def _known(_: object, attribute: Any, value: frozenset[str]) -> None:
    for one in sorted(value.difference(EVENTS)):
        raise ModelError(f"{attribute.name}: {one!r} is no abstract event; write some of {', '.join(EVENTS)}")


@attrs.frozen
class Table:
    """The capability table of a target.

    `events` it can do; ModelError for one that is none.
    `fuses`: dispatch happens inside create, so a dispatch of a first worker is nothing to do.
    `workers` and `tenants`: how many there can be at a time. `versions`: it tells the version of a record, and a
    worker's write may carry one. `statuses` a worker can write.
    `keys`: a create may carry an idempotency key. `negotiates`: requests carry capabilities. `inputs`: questions.
    `fails`: a failed attempt can say its kind. `windows` that create can set; `fixed`, those it has whatever is asked,
    in ms. `reaps_itself`: an expired record goes by itself, when its ttl ends or it is looked at, before any `reap`.
    `marker_is_life`: the cancel marker lives as long as the record, by one setting. `shows`: what it tells of a task
    beside its status, some of facets.SHOWN. `eras` it speaks. `cannot_observe`: what stays hidden, a sentence each.
    """

    events: frozenset[Kind] = attrs.field(converter=frozenset, validator=_known)
    clock: Clock = attrs.field(factory=lambda: Clock("none"))
    fuses: bool = False
    workers: int = 1
    tenants: int = 1
    versions: bool = False
    statuses: frozenset[str] = attrs.field(default=frozenset({"completed", "failed"}), converter=frozenset)
    keys: bool = False
    negotiates: bool = False
    inputs: bool = False
    fails: bool = False
    windows: frozenset[str] = attrs.field(default=frozenset(), converter=frozenset)
    fixed: tuple[tuple[str, int], ...] = ()
    reaps_itself: bool = False
    marker_is_life: bool = False
    shows: frozenset[str] = attrs.field(default=frozenset(), converter=frozenset)
    eras: tuple[str, ...] = ("2026-07-28", "2025-11-25")
    cannot_observe: tuple[str, ...] = ()

    @property
    def lags(self) -> bool:
        """Some of its instances read from a copy, which is behind until it is told to catch up."""
        return "replicate" in self.events


@runtime_checkable
class Session(Protocol):
    """One life of a target, from no tasks to `close`; what it starts, `close` stops."""

    def perform(self, call: Call) -> Answer:
        """Do a call and tell what was answered. Raises CannotDo or TargetError."""
        ...

    def close(self) -> None:
        """End whatever was started; safe to call twice, and after an error."""
        ...


@runtime_checkable
class Target(Protocol):
    """Something that fixtures can be replayed against."""

    @property
    def name(self) -> str:
        """The name by which the command line knows it."""
        ...

    @property
    def table(self) -> Table:
        """What it can do; reading it starts nothing."""
        ...

    def missing(self) -> tuple[str, ...]:
        """What is not there that it needs, and the command that gets it, a sentence each; none where it is ready."""
        ...

    def open(self) -> Session:
        """A session without tasks. Raises TargetMissing or another TargetError."""
        ...


class Opened:
    """A session as a context: closed at the end, whatever happens."""

    def __init__(self, target: Target) -> None:
        self.session = target.open()

    def __enter__(self) -> Session:
        return self.session

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.session.close()


def table_row(table: Table) -> dict[str, Any]:
    """A capability table as plain data, in a fixed order."""
    row = attrs.asdict(table)
    return {name: sorted(value) if isinstance(value, frozenset) else value for name, value in row.items()}
