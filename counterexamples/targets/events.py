"""The abstract events that every target understands, and what a target answers to one.

A `Call` is what a fixture's step means outside the model; an `Answer` is what was observed.
Neither knows the words of any product: a session turns one into the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, get_args

import attrs

from latchcheck.kernel import FrozenMap, ModelError

Kind = Literal[
    "create",
    "dispatch",
    "worker_write",
    "cancel",
    "get",
    "update",
    "list",
    "advance_clock",
    "restart_server",
    "crash_worker",
    "reap",
    "act",
    "replicate",
]
EVENTS: Final[tuple[Kind, ...]] = get_args(Kind)
GONE: Final = "gone"
"""The status of a task that a target does not know, or says is no longer there."""


def _kind(_: object, attribute: Any, value: object) -> None:
    if value not in EVENTS:
        raise ModelError(f"{attribute.name}: {value!r} is no abstract event; write one of {', '.join(EVENTS)}")


@attrs.frozen
class Call:
    """One abstract event.

    `task` is the fixture's label of a task ("t1"); a session keeps the target's own id for it.
    `by` is who does it ("c1", "w2", "i1", "server", "reaper", "time"); answers are kept apart by it.
    `args`, by event (durations in ms; what is absent is not said):

    create        key, digest, tool, capabilities, era, tenant, attempts_max,
                  ttl_ms, deadline_ms, silence_ms, lease_ms, marker_ms
    dispatch      tenant
    worker_write  status, expected_version, key (of a question), kind (of a failure), tenant
    cancel        capabilities, era, tenant
    get           capabilities, era, tenant, lease (the worker looks whether it still has its task),
                  replica (an instance answers that reads from a copy)
    update        key, question (the how manieth of the task its author has read), tenant
    list          capabilities, era, tenant
    advance_clock to_ms (instant counted from the first event)
    replicate     (the copy then has all that is stored, and stays as it is until the next one)
    """

    kind: Kind = attrs.field(validator=_kind)
    task: str | None = None
    by: str = "server"
    args: FrozenMap[Any] = attrs.field(factory=FrozenMap, converter=FrozenMap)

    def __str__(self) -> str:
        told = ", ".join(f"{name}={value}" for name, value in self.args.items())
        return f"{self.by}: {self.kind}({', '.join(filter(None, (self.task, told)))})"


def _raw(value: Mapping[str, Any] | None) -> FrozenMap[Any]:
    return FrozenMap(value or {})


@attrs.frozen
class Answer:
    """What a target answered to a call.

    `refused` says that it did not do what was asked; `why` is its own word for the reason ("BLOCK_STALE_VERSION",
    "-32602").
    `status` is the status it told (GONE where it does not know the task), None where the answer tells none.
    `version` is the version it told.
    `same_as` is the label of an older task with which it answered a create; `tasks` the labels that a list told.
    The others are of a read, and of what the table says under `shows` (facets.py): `asks`, the keys of the questions
    that are outstanding; `work`, whether a worker has the task, or a message will bring it to one; `effects`, how often
    its side effect has happened; `left`, whether anything is left of a record that is gone; `verdict`, whether a failed
    task was `poisoned` or `failed`; `holds`, whether the worker that looks has its task still.
    `raw` is the evidence: what came over the wire.
    """

    refused: bool = False
    why: str | None = None
    status: str | None = None
    version: int | None = None
    same_as: str | None = None
    tasks: tuple[str, ...] | None = None
    asks: tuple[str, ...] | None = None
    work: bool | None = None
    effects: int | None = None
    left: bool | None = None
    verdict: str | None = None
    holds: bool | None = None
    raw: FrozenMap[Any] = attrs.field(factory=FrozenMap, converter=_raw, repr=False)

    def __str__(self) -> str:
        parts = ["refused" if self.refused else "done", self.why, self.status]
        parts += [None if self.version is None else f"version {self.version}"]
        parts += [None if self.same_as is None else f"the same task as {self.same_as}"]
        parts += [None if self.tasks is None else f"tasks {', '.join(self.tasks) or 'none'}"]
        return ", ".join(part for part in parts if part)
