"""What a cancel does, and what its acknowledgement does not do."""

from __future__ import annotations

from typing import Any

from ...model import cancelling, record
from ...model.record import STATUS, is_terminal
from ...model.room import Room, both, either
from .rules import Claim, Rule, every, implies, one_task, some


def _intent(room: Room) -> Claim:
    def untouched(task: str) -> Any:
        first, now = room.read("first", task), room.read("status", task)
        over = both(room.read("acked", task), is_terminal(first), record.exists(now))
        return implies(over, now == first)

    def explained(task: str) -> Any:
        reasons = either(room.read("intent", task), room.read("orphaned", task))
        return implies(room.holds("status", task, "cancelled"), reasons)

    def stays_read(task: str) -> Any:
        shown = cancelling.shown(room, task)
        same = either(shown == STATUS["cancelled"], room.holds("status", task, record.GONE))
        return implies(room.read("read_cancelled", task), same)

    return Claim(
        (
            ("an acknowledged cancel leaves a stored outcome as it is", every(room.tasks, untouched)),
            ("a cancelled task was asked to be, or was orphaned", every(room.tasks, explained)),
            ("a task that has read cancelled reads cancelled until it is gone", every(room.tasks, stays_read)),
        ),
        some(room.tasks, lambda task: room.read("acked", task)),
    )


CANCEL_IS_INTENT = Rule(
    "cancel-is-intent",
    "MUST",
    cancelling.COOPERATIVE,
    ("acks", "outcomes"),
    ("workers", "instances", "silences", "sweeps"),
    _intent,
    ("terminal_guard=check-then-set", "terminal_guard=none", "cancel_marker=own-life"),
    one_task(workers=1),
)
