"""How records go: with an outcome, and with all that belongs to them."""

from __future__ import annotations

from typing import Any

from latchcheck.kernel import Sentence

from ...model import reaper, record
from ...model.policy import ORDERS
from ...model.room import NONE, Room, both, either, no
from .rules import SEMANTICS, Claim, Rule, every, implies, one_task, some


def _gone(room: Room, task: str) -> Any:
    return room.holds("status", task, record.GONE)


def _complete(room: Room) -> Claim:
    def without(*names: str) -> Any:
        def nothing(task: str) -> Any:
            left = (room.read(name, task) for name in names)
            return implies(_gone(room, task), no(either(*left)))

        return every(room.tasks, nothing)

    def no_entry(task: str) -> Any:
        named = room.reference("tasks")[task]
        return implies(
            _gone(room, task), every(room.clients, lambda one: room.read("entry", one, absent=None) != named)
        )

    clauses: list[tuple[str, Any]] = [
        ("its slot goes", without("slot")),
        ("its messages go", without("queued", "unacked", "outbox", "to_publish")),
        ("its marks go", without("intent", "marker")),
    ]
    if "holder" in room.families:
        clauses.append(
            (
                "its lease goes",
                every(room.tasks, lambda task: implies(_gone(room, task), room.holds("holder", task, NONE))),
            )
        )
    if "entry" in room.families:
        clauses.append(("its idempotency entry goes", every(room.tasks, no_entry)))
    if "key" in room.families:
        clauses.append(
            (
                "its questions go",
                every(room.tasks, lambda task: implies(_gone(room, task), room.read("key", task) == 0)),
            )
        )
    return Claim(tuple(clauses), some(room.tasks, lambda task: _gone(room, task)))


CLEANUP_IS_COMPLETE = Rule(
    "cleanup-is-complete",
    "SHOULD",
    Sentence(
        "When a record goes, its slot, queue, lease, idempotency entry and side tables go with it, all at the same "
        "instant.",
        SEMANTICS,
        "section 5",
    ),
    ("slots", "deletion"),
    ("workers", "keys", "inputs", "cancels", "outbox"),
    _complete,
    ("cleanup=piecewise",),
    one_task(workers=1, clients=1, inputs=1, reissues=0),
)


def _with_outcome(room: Room) -> Claim:
    return Claim(
        (
            (
                "a deleted record had an outcome",
                every(
                    room.tasks,
                    lambda task: implies(_gone(room, task), record.is_terminal(room.read("was", task))),
                ),
            ),
            (
                "a task past its deadline is failed, not orphaned",
                every(room.tasks, lambda task: no(both(room.read("orphaned", task), room.read("overdue", task)))),
            ),
            (
                "no outcome goes in the sweep that stored it",
                every(room.tasks, lambda task: no(both(_gone(room, task), room.read("just_stored", task)))),
            ),
        ),
        some(room.tasks, lambda task: _gone(room, task)),
    )


SWEEP_ORDER_MATTERS = Rule(
    "sweep-order-matters",
    "MUST",
    reaper.THREE_SWEEPS,
    ("was", "deletion", "sweeps"),
    ("deadlines", "silences"),
    _with_outcome,
    (*(f"sweep_order={order}" for order in ORDERS[1:]), "ttl_span=any", "retention=from-creation"),
    one_task(workers=0),
)
