"""What outlives the process: the record, its message, and the work that was under way."""

from __future__ import annotations

from typing import Any

from ...model import admission, dispatch, failures, record, replica, restart
from ...model.room import Room, both, either, no
from .rules import Claim, Obligation, Rule, every, implies, one_task, some


def _resolves(room: Room) -> Claim:
    def is_there(task: str) -> Any:
        return implies(room.read("replied", task), no(room.holds("status", task, record.UNBORN)))

    def is_found(task: str) -> Any:
        return implies(room.read("replied", task), no(replica.hides(room, task)))

    clauses = [("a task that a reply has named is there or was deleted", every(room.tasks, is_there))]
    if room.has("lag"):
        clauses += [("every instance finds a task that a reply has named", every(room.tasks, is_found))]
    return Claim(
        tuple(clauses),
        both(room.holds("server", None, "starting"), some(room.tasks, lambda task: room.read("replied", task))),
    )


DURABLE_BEFORE_REPLY = Rule(
    "durable-before-reply",
    "MUST",
    admission.DURABLE_CREATE,
    ("durability", "restarts"),
    ("lag",),
    _resolves,
    ("create_durability=after-reply", "store=volatile", "create_visibility=one-instance"),
    one_task(workers=1),
)


def _holds_work(room: Room, task: str) -> Any:
    """Some worker has the task."""
    named = room.reference("tasks")[task]
    return some(room.workers, lambda worker: room.read("job", worker) == named)


def _dispatched(room: Room) -> Claim:
    def not_forgotten(task: str) -> Any:
        opened = record.is_open(room.read("status", task))
        ways = (room.read(name, task) for name in ("dispatched", "outbox", "to_publish", "queued"))
        return implies(opened, either(*ways))

    def not_unfounded(task: str) -> Any:
        unborn = room.holds("status", task, record.UNBORN)
        return implies(both(unborn, room.read("queued", task)), room.read("to_commit", task))

    def nothing_else(task: str) -> Any:
        return implies(_holds_work(room, task), no(room.holds("status", task, record.UNBORN)))

    return Claim(
        (
            ("every open record is dispatched, or something will dispatch it", every(room.tasks, not_forgotten)),
            ("no message stays for a record that will never be", every(room.tasks, not_unfounded)),
            ("no work is under way without a record", every(room.tasks, nothing_else)),
        ),
        some(room.tasks, lambda task: record.is_open(room.read("status", task))),
    )


def _gets_dispatched(room: Room) -> Obligation:
    return Obligation(
        some(room.tasks, lambda task: record.is_open(room.read("status", task))),
        every(
            room.tasks,
            lambda task: implies(record.is_open(room.read("status", task)), room.read("dispatched", task)),
        ),
        ("publish", "triage", "open_server"),
        "the safety form asks only that something is left that will dispatch the record",
    )


DISPATCH_WITH_RECORD = Rule(
    "dispatch-with-record",
    "MUST",
    dispatch.OUTBOX,
    ("outbox",),
    ("workers", "restarts"),
    _dispatched,
    ("dispatch=before-commit", "dispatch=after-commit"),
    one_task(workers=1),
    _gets_dispatched,
)


def _triaged(room: Room) -> Claim:
    up, starting = (room.holds("server", None, state) for state in ("up", "starting"))

    def carried_on(task: str) -> Any:
        # Work for an expired record is not carried on: no write of it would be taken.
        opened = both(record.is_open(room.read("status", task)), no(room.read("expired", task)))
        ways = (room.read(name, task) for name in ("queued", "unacked", "outbox", "to_publish"))
        return implies(both(up, opened), either(*ways, _holds_work(room, task)))

    def in_time(task: str) -> Any:
        resumed = both(starting, room.holds("triaged", task, "resumed"))
        return implies(resumed, no(either(room.read("overdue", task), failures.is_spent(room, task))))

    def over(task: str) -> Any:
        ended = either(*(room.holds("triaged", task, label) for label in ("timed_out", "dead_lettered")))
        return implies(both(starting, ended), room.holds("status", task, "failed"))

    return Claim(
        (
            ("no open task is dropped", every(room.tasks, carried_on)),
            ("only a task with time and attempts left is resumed", every(room.tasks, in_time)),
            ("a task that is not resumed is failed", every(room.tasks, over)),
        ),
        both(starting, some(room.tasks, lambda task: record.is_open(room.read("status", task)))),
    )


def _starts(room: Room) -> Obligation:
    return Obligation(
        room.holds("server", None, "starting"),
        both(room.holds("server", None, "up"), *(no(room.holds("triaged", task, "no")) for task in room.tasks)),
        ("triage", "open_server"),
        "the safety form does not ask that a start ends",
    )


RESTART_TRIAGES = Rule(
    "restart-triages",
    "MUST",
    restart.TRIAGE,
    ("triage",),
    ("workers", "deadlines", "attempts", "crashes"),
    _triaged,
    ("restart=resume-all", "restart=drop", "delivery=at-most-once"),
    one_task(workers=1),
    _starts,
)
