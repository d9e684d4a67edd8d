"""What the events of a server's log mean in the lifecycle model, one task at a time."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import attrs

from latchcheck.engines.explaining import Explainer, Meaning
from latchcheck.kernel import FrozenMap, Value

from ...model.cancelling import shown
from ...model.lifecycle import Lifecycle, lifecycle
from ...model.policy import Policy
from ...model.record import GONE, TRANSITIONS, UNBORN
from ...model.scope import Scope
from ..targets.outside import RESTART, SWEEPS

KINDS: Final = (
    *("create", "dispatch", "worker_write", "cancel", "get", "update"),
    *("reap", "restart_server", "crash_worker"),
)
"""The events of a log: abstract events, of which `get` only looks."""
STATUSES: Final = (*TRANSITIONS, "gone")
SCOPE: Final = (
    "tasks=1,workers=2,cancels=1,crashes=1,stalls=1,redeliveries=1,inputs=1,"
    "deadlines=1,silences=1,expiries=1,restarts=1"
)
MODULES: Final = (
    *("workers", "crashes", "stalls", "redeliveries", "cancels", "inputs"),
    *("deadlines", "silences", "expiries", "deletion", "sweeps", "restarts", "triage"),
)
# Each kind with the actions that it stands for; a status, where there is one, says which.
ACTIONS: Final = {
    "create": ("create",),
    "dispatch": ("deliver",),
    "worker_write": ("report", "ask"),
    "cancel": ("cancel",),
    "get": (),
    "update": ("hear",),
    "reap": (*SWEEPS, "delete_expired"),
    "restart_server": RESTART,
    "crash_worker": ("crash_worker",),
}
AGAIN: Final = ("reap", "restart_server")
# What a log may leave out: nobody outside the server sees it, and what follows from it is seen.
UNSAID: Final = ("dispatch", "crash_worker")


@attrs.frozen
class Occurrence:
    """One event of a log, of one task: its kind, the status it tells, and whether the server refused it."""

    kind: str
    status: str | None = None
    refused: bool = False

    def __str__(self) -> str:
        told = self.kind if self.status is None else f"{self.kind} {self.status}"
        return f"{told}, refused" if self.refused else told


class Reading:
    """The model of one task under a policy, and how events are read on it.

    `unsaid` are the kinds of event that the log does not tell, or not always: they may happen at any time.
    """

    def __init__(self, policy: str = "guarded", unsaid: Collection[str] = UNSAID) -> None:
        self.built: Lifecycle = lifecycle(Scope.parse(SCOPE), Policy.parse(policy), MODULES)
        self.system = self.built.system
        names = {action.name for action in self.system.actions}
        self._actions = {kind: tuple(one for one in found if one in names) for kind, found in ACTIONS.items()}
        said = {name for kind, found in self._actions.items() if kind not in unsaid for name in found}
        self.explainer = Explainer(
            self.system,
            silent=[name for name in (action.name for action in self.system.actions) if name not in said],
            refilled=[variable.name for variable in self.system.variables if variable.name.endswith("_left")],
            view=shown(self.built.room, "t1"),
        )

    @property
    def start(self) -> int:
        """Where every task begins: not yet created."""
        return self.explainer.start

    def advance(self, number: int, one: Occurrence) -> int | None:
        """Where a task is after an event; None where no run explains it. Raises TooMany."""
        return self.explainer.advance(number, one, lambda: self.meaning(one), self.views(one))

    def either(self, numbers: Collection[int]) -> int:
        """Where a task is that is at one of these; nobody knows at which."""
        return next(iter(numbers)) if len(numbers) == 1 else self.explainer.either(numbers)

    def meaning(self, one: Occurrence) -> Meaning:
        """The actions that an event stands for; a refused one, and a look, change nothing."""
        if one.kind == "get":
            return Meaning((), none=True)
        found: list[tuple[str, FrozenMap[Value]]] = []
        for name in self._actions[one.kind]:
            asks = name == "ask"
            if one.kind == "worker_write" and one.status is not None and asks != (one.status == "input_required"):
                continue
            told = {"status": one.status} if one.kind == "worker_write" and one.status and not asks else {}
            found.append((name, FrozenMap[Value](told)))
        return Meaning(tuple(found), again=one.kind in AGAIN, none=one.kind == "reap", refused=one.refused)

    def views(self, one: Occurrence) -> frozenset[Value] | None:
        """What a reader may be shown after an event that tells a status."""
        if one.status is None or (one.refused and one.kind == "worker_write"):
            return None  # what a worker tried to write is nothing that is shown
        return frozenset((UNBORN, GONE)) if one.status == "gone" else frozenset((one.status,))

    def possible(self, number: int) -> list[str]:
        """The events that would have been explained instead."""
        events = [Occurrence(kind, one) for kind in KINDS for one in ((None,) if kind in UNSAID else STATUSES)]
        return [str(one) for one in events if self.advance(number, one) is not None]
