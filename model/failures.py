"""What a failed attempt is worth: another attempt, the end, or the dead-letter queue.

How evidence is read (a status code, markers in the text) is in `evidence.py`; what follows from it is here, once.
"""

from __future__ import annotations

from typing import Any, Final

from latchcheck.kernel import Choice, Enum, IntRange, Sentence

from . import dispatch, record
from .attempts import fence, is_free, release, runs, taken
from .room import FALSE, NONE, TRUE, Effects, Guard, Pick, Room, both, either, no, when

PAPER: Final = "Stateless Protocol, Stateful Problem"
KIND: Final = Enum("FailureKind", ("transient", "permanent", "unrecognised"))
CLASS: Final = Enum("FailureClass", ("transient", "permanent", "poison"))
KIND_OR_NONE: Final = Enum("FailureKindOrNone", (NONE, *KIND.values))
VERDICT: Final = Enum("FailureVerdict", (NONE, "retried", "failed", "poisoned"))

CLASSES: Final = Sentence(
    "the attempt ceiling overrides everything, so a transient error that exhausts its budget is reclassified poison "
    "and dead-lettered rather than retried forever.",
    PAPER,
    "section 4.1",
)


def variables(room: Room) -> None:
    """`attempt`, how many attempts of a task have begun.

    With the module `failures`, of the last failure of each task: `failure`, what it was; `judged`, what was made of
    it; `spent`, whether the budget was spent by then.
    """
    if room.has("attempts"):
        room.family("attempt", room.tasks, IntRange(0, room.scope.attempts + 1), 0)
    if room.has("failures"):
        room.family("failure", room.tasks, KIND_OR_NONE, NONE)
        room.family("judged", room.tasks, VERDICT, NONE)
        room.flags("spent", room.tasks)


def classify(kind: Any, spent: Any, default_transient: Any, exhausted: str = "poison") -> Any:
    """The class of a failure of some kind: what is unrecognised takes the default, and the ceiling overrides all.

    Poison is transient in origin and retried to exhaustion; a permanent failure stays permanent at the ceiling.
    """
    retryable = either(kind == KIND["transient"], both(kind == KIND["unrecognised"], default_transient))
    return when(retryable, when(spent, CLASS[exhausted], CLASS["transient"]), CLASS["permanent"])


def is_spent(room: Room, task: Pick | str) -> Any:
    """No attempt is left."""
    if not room.has("attempts"):
        return no(TRUE)
    return room.read("attempt", task) >= room.scope.attempts


def actions(room: Room) -> None:
    """A failure is classified when it is reported."""
    if room.has("failures"):
        _fail_attempt(room)
        _dead_letter(room)


def _fail_attempt(room: Room) -> None:
    worker_choice, worker, task = taken(room)
    kind = Choice("kind", KIND)
    spent = is_spent(room, task)
    counted = spent if room.policy.attempt_ceiling == "enforced" else FALSE
    found_class = classify(kind.term, counted, room.policy.failure_default == "transient", room.policy.exhausted)
    again, poison = found_class == CLASS["transient"], found_class == CLASS["poison"]
    found = record.obstacles(room, task, record.STATUS["failed"], room.read("seen", worker, absent=None))
    open_ = both(record.is_open(room.read("status", task)), record.unhindered(found))
    effects = Effects(room)
    record.write(room, effects, task, "failed", both(open_, no(again)))
    # Who is told that its version is old reads again, as after a report.
    # Else the delivery is over, and a retry is a new message.
    over = no(record.only_stale(found))
    effects.put("unacked", task, no(TRUE), over)
    effects.put("holder", task, NONE, over)
    dispatch.requeue(room, effects, task, both(open_, again))
    name = when(kind.term == KIND["transient"], KIND_OR_NONE["transient"], KIND_OR_NONE["permanent"])
    effects.put("failure", task, when(kind.term == KIND["unrecognised"], KIND_OR_NONE["unrecognised"], name), open_)
    judged = when(again, VERDICT["retried"], when(poison, VERDICT["poisoned"], VERDICT["failed"]))
    effects.put("judged", task, judged, open_)
    effects.put("spent", task, spent, open_)
    release(effects, worker, over)
    guard: Guard = [
        *room.serving(),
        *runs(room, worker),
        ("it holds the lease", no(fence(room, worker, task))),
        *record.has_room(room, task),
    ]
    room.act("fail_attempt", "worker", guard, effects, [worker_choice, kind], [CLASSES])


def _dead_letter(room: Room) -> None:
    """A message that has been delivered as often as may be (its workers died) goes to the dead-letter queue."""
    if room.policy.attempt_ceiling == "off":
        return
    choice, task = room.pick("task", "tasks")
    effects = Effects(room)
    record.write(room, effects, task, "failed")
    effects.put("queued", task, no(TRUE))
    effects.put("judged", task, "poisoned")
    effects.put("spent", task, TRUE)
    guard: Guard = [
        *room.serving(),
        ("a message is visible", room.read("queued", task)),
        ("the task is open", record.is_open(room.read("status", task))),
        ("its attempts are spent", is_spent(room, task)),
        ("nobody holds its lease", is_free(room, task)),
        *record.has_room(room, task),
    ]
    room.act("dead_letter", "server", guard, effects, [choice], [CLASSES])
