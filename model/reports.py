"""The report of an attempt: a terminal fact that a worker writes, in one transaction or after a check of its own."""

from __future__ import annotations

from typing import Any, Final

from latchcheck.kernel import Choice, Enum, Sentence

from . import record
from .attempts import fence, leave, runs, taken
from .room import FALSE, TRUE, Effects, Guard, Pick, Room, both, choose, either, no, pick_label

LATCH: Final = Sentence(
    "One race, one winner, one stored fact.",
    "MCP Tasks: The Export That Finished Twice",
    "One terminal write gets the latch",
)


def actions(room: Room) -> None:
    """Checking and writing apart, where the policy does so; reporting; reading again what has become of the record."""
    if room.policy.terminal_guard == "check-then-set":
        _check(room)
        _write_after_check(room)
    _finish(room)
    if room.has("version"):
        _reread(room)


def _facts(room: Room) -> tuple[Choice, Any, Pick]:
    """The choice of the terminal fact that a worker reports, the status that it is, and which fact is meant."""
    labels = ["completed"]
    if not room.has("failures"):
        labels.append("failed")
    if room.has("cancels") and room.policy.cancel_marker == "with-record":
        labels.append("cancelled")
    domain = Enum(f"Fact{len(labels)}{labels[-1]}", labels)
    choice, reported = pick_label("status", domain)
    return choice, choose(reported, record.STATUS), reported


def _explained(room: Room, worker: Pick, task: Pick, facts: Pick) -> Guard:
    """A worker completes what it has done, and cancels what somebody asked it to."""
    guard: Guard = []
    if room.has("effects"):
        guard += [("work is done before it is completed", either(no(facts["completed"]), room.read("acted", worker)))]
    if "cancelled" in facts:
        guard += [("a cancel was asked for", either(no(facts["cancelled"]), room.read("intent", task)))]
    return guard


def _check(room: Room) -> None:
    choice, worker, task = taken(room)
    found = record.obstacles(
        room, task, record.STATUS["deleted"], room.read("seen", worker, absent=None), fence(room, worker, task)
    )
    found.pop("IDEMPOTENT_TERMINAL", None)
    effects = Effects(room)
    effects.put("phase", worker, "checked")
    guard: Guard = [
        *room.serving(),
        *runs(room, worker),
        ("nothing forbids a write now", record.unhindered(found)),
    ]
    room.act("check", "worker", guard, effects, [choice])


def _write_after_check(room: Room) -> None:
    choice, worker, task = taken(room)
    fact, status, facts = _facts(room)
    effects = Effects(room)
    there = room.read("status", task) != record.STATUS[record.UNBORN]
    if room.policy.missing_record == "refused":
        there = record.exists(room.read("status", task))
    _apply(room, effects, worker, task, status, there)
    effects.put("reported", None, status)
    effects.put("found", None, room.read("status", task))
    effects.put("decision", None, "APPLY")
    leave(room, effects, worker, task)
    guard: Guard = [
        *room.serving(),
        ("the check is done", room.holds("phase", worker, "checked")),
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


def _finish(room: Room) -> None:
    """The report of an attempt: one transaction that looks and writes, or finds why it may not."""
    choice, worker, task = taken(room)
    fact, status, facts = _facts(room)
    found = record.obstacles(room, task, status, room.read("seen", worker, absent=None), fence(room, worker, task))
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
    leave(room, effects, worker, task, no(record.only_stale(found)))
    guard: Guard = [
        *room.serving(),
        *runs(room, worker),
        *record.has_room(room, task),
        *_explained(room, worker, task, facts),
    ]
    if room.policy.terminal_guard == "check-then-set":
        guard += [("a check would refuse the write", no(record.unhindered(found)))]
    room.act("report", "worker", guard, effects, [choice, fact], [LATCH])


def _reread(room: Room) -> None:
    choice, worker, task = taken(room)
    effects = Effects(room)
    effects.put("seen", worker, room.read("version", task))
    guard: Guard = [
        *room.serving(),
        *runs(room, worker),
        ("its version is old", room.read("seen", worker) != room.read("version", task)),
    ]
    room.act("read_again", "worker", guard, effects, [choice])
