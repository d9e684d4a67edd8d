"""Workers: at-least-once delivery, leases, crashes between the side effect and the completion write.

What an attempt is stands in `attempts.py`, and how one is reported in `reports.py`.
"""

from __future__ import annotations

from typing import Final

from latchcheck.kernel import IntRange, Sentence

from . import record, reports
from .attempts import PHASE, fence, is_free, release, runs, taken, works_on
from .room import FALSE, NONE, TRUE, Effects, Guard, Room, both, either, no, when

REDELIVERED: Final = Sentence(
    "The queue redelivers the message. A second worker sees working and runs the export again.",
    "MCP Tasks: The Export That Finished Twice",
    "The restart exposed the real unit of durability",
)


def variables(room: Room) -> None:
    """What each worker does, and what is known about each task's attempts.

    `phase`, `job`; `seen`, the version it read; `acted`, this attempt has had its side effect.
    `holder` is the worker that holds the lease; `effects`, how often the side effect has happened (2 stands for more).
    History: `stale_write` and `late_write`, an old version, or a report after the ttl, has changed the record;
    `reported`, `found` and `decision`, the last report: the fact, the status before it, and the answer.
    """
    if not room.has("workers"):
        return
    room.family("phase", room.workers, PHASE, "idle")
    room.family("job", room.workers, room.reference("tasks"), NONE)
    if room.has("version"):
        room.family("seen", room.workers, IntRange(0, record.versions_max(room)), 0)
    if room.has("effects"):
        room.flags("acted", room.workers)
        room.family("effects", room.tasks, IntRange(0, 2), 0)
    if room.policy.lease != "none":
        room.family("holder", room.tasks, room.reference("workers"), NONE)
    for name in ("crashes", "stalls", "redeliveries"):
        if room.has(name):
            room.budget(name, getattr(room.scope, name))
    if room.has("stale_writes"):
        room.flags("stale_write", room.tasks)
    if room.has("late_writes"):
        room.flags("late_write", room.tasks)
    if room.has("reports"):
        room.single("reported", record.STATUS, record.UNBORN)
        room.single("found", record.STATUS, record.UNBORN)
        room.single("decision", record.DECISION, "NO_REPORT")


def actions(room: Room) -> None:
    """Everything that a worker and the queue do."""
    if not room.has("workers"):
        return
    _deliver(room)
    _discard(room)
    if room.has("effects"):
        _act(room)
    reports.actions(room)
    if room.has("crashes"):
        _crash(room)
    if room.has("stalls"):
        _stall(room)
    if room.has("redeliveries"):
        _redeliver(room)
    unrenewed = room.has("crashes") or room.has("stalls") or room.policy.lease_renewal == "never"
    if room.policy.lease != "none" and unrenewed:
        _expire_lease(room)


def _deliver(room: Room) -> None:
    worker_choice, worker = room.pick("worker", "workers")
    task_choice, task = room.pick("task", "tasks")
    status = room.read("status", task)
    # Without a guard on terminal writes nothing looks at the record before the work either.
    gate = record.is_open(status) if room.policy.terminal_guard != "none" else record.exists(status)
    if room.has("outbox") and room.policy.dispatch == "before-commit":
        gate = either(gate, status == record.STATUS[record.UNBORN])
    if room.policy.missing_record == "upsert":
        gate = either(gate, status == record.STATUS[record.GONE])
    ceiling = TRUE
    if room.has("attempts"):
        ceiling = room.read("attempt", task) < room.scope.attempts + (room.policy.attempt_ceiling == "off")
    effects = Effects(room)
    effects.put("phase", worker, "running")
    effects.put("job", worker, room.name("tasks", task))
    effects.put("seen", worker, room.read("version", task))
    effects.put("queued", task, FALSE)
    effects.put("unacked", task, room.policy.delivery == "at-least-once")
    effects.put("holder", task, room.name("workers", worker))
    effects.put("attempt", task, lambda count: count + 1)
    guard: Guard = [
        *room.serving(),
        ("the worker is idle", room.holds("phase", worker, "idle")),
        ("a message is visible", room.read("queued", task)),
        ("nobody holds its lease", is_free(room, task)),
        ("the record is worth working on", gate),
        ("its attempts are not spent", ceiling),
    ]
    room.act("deliver", "worker", guard, effects, [worker_choice, task_choice], [REDELIVERED])


def _discard(room: Room) -> None:
    """A message for a record that is terminal or gone is dropped."""
    choice, task = room.pick("task", "tasks")
    effects = Effects(room)
    effects.put("queued", task, FALSE)
    over = no(record.is_open(room.read("status", task)))
    under_way = room.read("to_commit", task)
    guard: Guard = [
        *room.serving(),
        ("a message is visible", room.read("queued", task)),
        ("the task is over", both(over, no(under_way))),
        ("nobody holds its lease", is_free(room, task)),
    ]
    room.act("discard", "worker", guard, effects, [choice])


def _act(room: Room) -> None:
    choice, worker, task = taken(room)
    effects = Effects(room)
    effects.put("acted", worker, TRUE)
    count = room.read("effects", task)
    counted = when(count < 2, count + 1, count)  # noqa: PLR2004 - two stands for more than once
    # Keyed by the task, a second call of the outside world does nothing.
    once = when(count == 0, 1, count) if room.policy.side_effect == "idempotent" else counted
    effects.put("effects", task, once)
    guard: Guard = [
        *room.serving(),
        *runs(room, worker),
        ("this attempt has not acted", no(room.read("acted", worker))),
    ]
    room.act("act", "worker", guard, effects, [choice])


def _crash(room: Room) -> None:
    choice, worker, _ = taken(room)
    effects = Effects(room)
    release(effects, worker)
    guard: Guard = [("the worker has a task", no(room.holds("phase", worker, "idle")))]
    room.act("crash_worker", "worker", guard + room.spend(effects, "crashes"), effects, [choice])


def _stall(room: Room) -> None:
    choice, worker, task = taken(room)
    effects = Effects(room)
    effects.put("phase", worker, "stalled")
    room.act("stall", "worker", runs(room, worker) + room.spend(effects, "stalls"), effects, [choice])
    effects = Effects(room)
    lost = fence(room, worker, task)
    effects.put("phase", worker, "running")
    release(effects, worker, lost)
    guard = [("the worker is stalled", room.holds("phase", worker, "stalled"))]
    room.act("wake", "worker", guard, effects, [choice])


def _redeliver(room: Room) -> None:
    choice, task = room.pick("task", "tasks")
    effects = Effects(room)
    effects.put("queued", task, TRUE)
    guard: Guard = [
        *room.serving(),
        ("its delivery is not acknowledged", room.read("unacked", task)),
        ("no message is visible", no(room.read("queued", task))),
    ]
    room.act("redeliver", "network", guard + room.spend(effects, "redeliveries"), effects, [choice], [REDELIVERED])


def _expire_lease(room: Room) -> None:
    """A lease runs out when nobody renews it: its holder is dead or stalled, or renews nothing under the policy."""
    choice, task = room.pick("task", "tasks")
    holders = room.reference("workers")
    held = room.read("holder", task)
    renewed = either(
        *(
            both(held == holders[worker], task[label], works_on(room, worker, label))
            for worker in room.workers
            for label in room.tasks
        )
    )
    effects = Effects(room)
    effects.put("holder", task, NONE)
    effects.put("queued", task, TRUE, room.read("unacked", task))
    guard: Guard = [
        *room.serving(),
        ("somebody holds its lease", held != holders[NONE]),
        ("its holder renews nothing", no(renewed) if room.policy.lease_renewal == "while-alive" else TRUE),
    ]
    room.act("expire_lease", "server", guard, effects, [choice])
