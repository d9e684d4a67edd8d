"""Workers: at-least-once delivery, leases, crashes between the side effect and the completion write, late reports.

An attempt *runs* while its worker is alive and believes in it.
A stalled worker runs nothing until it wakes; under a fenced lease it looks at its lease before it goes on.
That the look and what follows it are one step is an assumption of this model.
"""

from __future__ import annotations

from typing import Any, Final

from latchcheck.kernel import Choice, Enum, IntRange, Sentence

from . import record
from .room import FALSE, NONE, TRUE, Effects, Pick, Room, both, either, no, when

Guard = list[tuple[str, Any]]

PHASE: Final = Enum("WorkerPhase", ("idle", "running", "checked", "stalled"))
_ENDS: Final = {"completed": "completed", "failed": "failed", "cancelled": "cancelled"}

LATCH: Final = Sentence(
    "One race, one winner, one stored fact.",
    "MCP Tasks: The Export That Finished Twice",
    "One terminal write gets the latch",
)
REDELIVERED: Final = Sentence(
    "The queue redelivers the message. A second worker sees working and runs the export again.",
    "MCP Tasks: The Export That Finished Twice",
    "The restart exposed the real unit of durability",
)
BLIND_WRITE: Final = "the check is done"


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
    if room.policy.terminal_guard == "check-then-set":
        _check(room)
        _write_after_check(room)
    _finish(room)
    if room.has("version"):
        _reread(room)
    if room.has("crashes"):
        _crash(room)
    if room.has("stalls"):
        _stall(room)
    if room.has("redeliveries"):
        _redeliver(room)
    unrenewed = room.has("crashes") or room.has("stalls") or room.policy.lease_renewal == "never"
    if room.policy.lease != "none" and unrenewed:
        _expire_lease(room)


def works_on(room: Room, worker: str, task: str) -> Any:
    """The worker runs an attempt of the task."""
    phase = room.read("phase", worker)
    running = either(phase == PHASE["running"], phase == PHASE["checked"])
    return both(running, room.read("job", worker) == room.reference("tasks")[task])


def _taken(room: Room) -> tuple[Choice, Pick, Pick]:
    """The choice of a worker, and the task that it has."""
    choice, worker = room.pick("worker", "workers")
    return choice, worker, room.follow("tasks", room.read("job", worker))


def release(effects: Effects, worker: Pick, on: Any = TRUE) -> None:
    """Note that a worker is idle again."""
    effects.put("phase", worker, "idle", on)
    effects.put("job", worker, NONE, on)
    effects.put("seen", worker, 0, on)
    effects.put("acted", worker, FALSE, on)


def acknowledge(room: Room, effects: Effects, worker: Pick, task: Pick, on: Any = TRUE) -> None:
    """Note that a delivery is over, if the worker still holds it."""
    mine = no(_fenced_out(room, worker, task)) if room.policy.lease != "none" else TRUE
    effects.put("unacked", task, FALSE, both(on, mine))
    effects.put("holder", task, NONE, both(on, mine))


def _fenced_out(room: Room, worker: Pick, task: Pick) -> Any:
    """The lease of the task is not this worker's."""
    if room.policy.lease == "none":
        return FALSE
    return room.read("holder", task) != room.name("workers", worker)


def _free(room: Room, task: Pick) -> Any:
    return room.holds("holder", task, NONE, absent=True)


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
        ("nobody holds its lease", _free(room, task)),
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
        ("nobody holds its lease", _free(room, task)),
    ]
    room.act("discard", "worker", guard, effects, [choice])


def _act(room: Room) -> None:
    choice, worker, task = _taken(room)
    effects = Effects(room)
    effects.put("acted", worker, TRUE)
    count = room.read("effects", task)
    counted = when(count < 2, count + 1, count)  # noqa: PLR2004 - two stands for more than once
    # Keyed by the task, a second call of the outside world does nothing.
    once = when(count == 0, 1, count) if room.policy.side_effect == "idempotent" else counted
    effects.put("effects", task, once)
    guard: Guard = [
        *room.serving(),
        ("the worker runs its task", room.holds("phase", worker, "running")),
        ("this attempt has not acted", no(room.read("acted", worker))),
    ]
    room.act("act", "worker", guard, effects, [choice])


def _facts(room: Room) -> tuple[Choice, Any, dict[str, Any]]:
    """The terminal facts that a worker may report."""
    labels = ["completed"]
    if not room.has("failures"):
        labels.append("failed")
    if room.has("cancels") and room.policy.cancel_marker == "with-record":
        labels.append("cancelled")
    domain = Enum(f"Fact{len(labels)}{labels[-1]}", labels)
    choice = Choice("status", domain)
    picked = record.STATUS[labels[-1]]
    for label in labels[-2::-1]:
        picked = when(choice.term == domain[label], record.STATUS[label], picked)
    return choice, picked, {label: choice.term == domain[label] for label in labels}


def _explained(room: Room, worker: Pick, task: Pick, facts: dict[str, Any]) -> Guard:
    """A worker completes what it has done, and cancels what somebody asked it to."""
    guard: Guard = []
    if room.has("effects"):
        guard += [("work is done before it is completed", either(no(facts["completed"]), room.read("acted", worker)))]
    if "cancelled" in facts:
        guard += [("a cancel was asked for", either(no(facts["cancelled"]), room.read("intent", task)))]
    return guard


def _check(room: Room) -> None:
    choice, worker, task = _taken(room)
    found = record.obstacles(
        room, task, record.STATUS["deleted"], room.read("seen", worker, absent=None), _fence(room, worker, task)
    )
    found.pop("IDEMPOTENT_TERMINAL", None)
    effects = Effects(room)
    effects.put("phase", worker, "checked")
    guard: Guard = [
        *room.serving(),
        ("the worker runs its task", room.holds("phase", worker, "running")),
        ("nothing forbids a write now", record.unhindered(found)),
    ]
    room.act("check", "worker", guard, effects, [choice])


def _fence(room: Room, worker: Pick, task: Pick) -> Any:
    return _fenced_out(room, worker, task) if room.policy.lease == "fenced" else FALSE


def _write_after_check(room: Room) -> None:
    choice, worker, task = _taken(room)
    fact, status, facts = _facts(room)
    effects = Effects(room)
    there = room.read("status", task) != record.STATUS[record.UNBORN]
    if room.policy.missing_record == "refused":
        there = record.exists(room.read("status", task))
    _apply(room, effects, worker, task, status, there)
    effects.put("reported", None, status)
    effects.put("found", None, room.read("status", task))
    effects.put("decision", None, "APPLY")
    _leave(room, effects, worker, task)
    guard: Guard = [
        *room.serving(),
        (BLIND_WRITE, room.holds("phase", worker, "checked")),
        *record.has_room(room, task),
        *_explained(room, worker, task, facts),
    ]
    room.act("write_terminal", "worker", guard, effects, [choice, fact])


def _apply(room: Room, effects: Effects, worker: Pick, task: Pick, status: Any, on: Any) -> None:
    """Note a worker's terminal write, and for the properties that look back what was wrong with it."""
    record.write(room, effects, task, status, on)
    if room.has("version"):
        stale = room.read("seen", worker) != room.read("version", task)
        effects.put("stale_write", task, TRUE, both(on, stale))
    effects.put("late_write", task, TRUE, both(on, room.read("expired", task)))


def _leave(room: Room, effects: Effects, worker: Pick, task: Pick, on: Any = TRUE) -> None:
    acknowledge(room, effects, worker, task, on)
    release(effects, worker, on)


def _finish(room: Room) -> None:
    """The report of an attempt: one transaction that looks and writes, or finds why it may not."""
    choice, worker, task = _taken(room)
    fact, status, facts = _facts(room)
    found = record.obstacles(room, task, status, room.read("seen", worker, absent=None), _fence(room, worker, task))
    decision = record.decide(found)
    applied = record.unhindered(found)
    if room.policy.terminal_guard == "check-then-set":
        applied = FALSE
    effects = Effects(room)
    _apply(room, effects, worker, task, status, applied)
    effects.put("reported", None, status)
    effects.put("found", None, room.read("status", task))
    effects.put("decision", None, decision)
    # Who is told that its version is old reads again and classifies the race; every other answer ends the attempt.
    others = {label: condition for label, condition in found.items() if label != "BLOCK_STALE_VERSION"}
    again = both(found.get("BLOCK_STALE_VERSION", FALSE), record.unhindered(others))
    _leave(room, effects, worker, task, no(again))
    guard: Guard = [
        *room.serving(),
        ("the worker runs its task", room.holds("phase", worker, "running")),
        *record.has_room(room, task),
        *_explained(room, worker, task, facts),
    ]
    if room.policy.terminal_guard == "check-then-set":
        guard += [("a check would refuse the write", no(record.unhindered(found)))]
    room.act("report", "worker", guard, effects, [choice, fact], [LATCH])


def _reread(room: Room) -> None:
    choice, worker, task = _taken(room)
    effects = Effects(room)
    effects.put("seen", worker, room.read("version", task))
    guard: Guard = [
        *room.serving(),
        ("the worker runs its task", room.holds("phase", worker, "running")),
        ("its version is old", room.read("seen", worker) != room.read("version", task)),
    ]
    room.act("read_again", "worker", guard, effects, [choice])


def _crash(room: Room) -> None:
    choice, worker, _ = _taken(room)
    effects = Effects(room)
    release(effects, worker)
    guard: Guard = [("the worker has a task", no(room.holds("phase", worker, "idle")))]
    room.act("crash_worker", "worker", guard + room.spend(effects, "crashes"), effects, [choice])


def _stall(room: Room) -> None:
    choice, worker, task = _taken(room)
    effects = Effects(room)
    effects.put("phase", worker, "stalled")
    guard: Guard = [("the worker runs its task", room.holds("phase", worker, "running"))]
    room.act("stall", "worker", guard + room.spend(effects, "stalls"), effects, [choice])
    effects = Effects(room)
    lost = _fence(room, worker, task)
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
