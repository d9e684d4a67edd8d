"""Writes that come too late: with an old version, after the ttl, after the record is gone."""

from __future__ import annotations

from latchcheck.kernel import Sentence

from ...model import attempts, record
from ...model.room import Room, both, no
from .rules import EXPORT, SEMANTICS, Claim, Rule, every, one_task, some


def _stale(room: Room) -> Claim:
    def outdated(task: str) -> object:
        version = room.read("version", task)
        return some(
            room.workers, lambda one: both(attempts.works_on(room, one, task), room.read("seen", one) != version)
        )

    return Claim(
        (
            (
                "no write with an old version has changed the record",
                every(room.tasks, lambda task: no(room.read("stale_write", task))),
            ),
        ),
        some(room.tasks, outdated),
    )


STALE_WRITER_BLOCKED = Rule(
    "stale-writer-blocked",
    "MUST",
    Sentence(
        "a worker tried to write completed with version 3 while the task record was already version 4. The guard "
        "returned BLOCK_STALE_VERSION.",
        EXPORT,
        "One terminal write gets the latch",
    ),
    ("version", "stale_writes"),
    ("cancels", "inputs", "lag"),
    _stale,
    ("version_check=off", "terminal_guard=check-then-set", "guard_reads=replica"),
    one_task(workers=2, inputs=1, lag=1),
)


def _late(room: Room) -> Claim:
    def late(task: str) -> object:
        return both(room.read("expired", task), some(room.workers, lambda one: attempts.works_on(room, one, task)))

    return Claim(
        (
            (
                "no report after the ttl has changed the record",
                every(room.tasks, lambda task: no(room.read("late_write", task))),
            ),
        ),
        some(room.tasks, late),
    )


NO_WRITE_AFTER_EXPIRY = Rule(
    "no-write-after-expiry",
    "MUST",
    Sentence(
        "A worker that reports after expiresAt should not revive a record merely because it holds an old queue "
        "message.",
        EXPORT,
        "The task ID is a locator, not permission",
    ),
    ("late_writes",),
    (),
    _late,
    ("expiry_check=off", "terminal_guard=check-then-set"),
    one_task(workers=1),
)


def _deleted(room: Room) -> Claim:
    def gone(task: str) -> object:
        return both(
            room.holds("status", task, record.GONE), some(room.workers, lambda one: attempts.works_on(room, one, task))
        )

    return Claim(
        (
            (
                "no record follows a deleted one",
                every(room.tasks, lambda task: no(room.holds("was", task, record.GONE))),
            ),
        ),
        some(room.tasks, gone),
    )


DELETED_STAYS_DELETED = Rule(
    "deleted-stays-deleted",
    "MUST",
    Sentence("No write recreates a deleted task.", SEMANTICS, "section 5"),
    ("was", "deletion"),
    ("workers", "cancels"),
    _deleted,
    ("missing_record=upsert", "task_ids=reused"),
    one_task(workers=1),
)
