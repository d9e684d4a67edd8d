"""The reaper: three passes over the records, in the order of the policy, and what makes each of them act.

That a deadline, a silence or a ttl is over is an event; numbers belong to the timed half of the model.
All passes of one sweep judge the same instant, so no such event happens inside a sweep.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from latchcheck.kernel import Enum, Sentence

from . import record
from .failures import PAPER
from .policy import PASSES
from .room import FALSE, NONE, TRUE, Effects, Guard, Pick, Room, both, either, no

SWEEP: Final = Enum("Sweep", ("idle", "after-one", "after-two"))
THREE_SWEEPS: Final = Sentence(
    "Timeouts first, so a task past its execution deadline becomes terminal and earns a retention window. Orphans "
    "next, over what is still live ... Expiry last, the only sweep that deletes rows.",
    PAPER,
    "section 5.1",
)


def variables(room: Room) -> None:
    """`overdue`, `silent`, `expired`: the deadline, the orphan window, the ttl is over. `sweep`: passes done.

    `candidate`: a sweep that checks first has seen the task open. `orphaned`: the orphan pass has cancelled the task.
    History: `just_stored`, the sweep under way has stored the outcome of the task, or has also deleted it.
    """
    for name, module in (("overdue", "deadlines"), ("silent", "silences"), ("expired", "expiries")):
        if room.has(module):
            room.flags(name, room.tasks)
    if room.has("sweeps"):
        room.single("sweep", SWEEP, "idle")
        if room.policy.terminal_guard == "check-then-set":
            room.flags("candidate", room.tasks)
        if room.has("silences"):
            room.flags("orphaned", room.tasks)
        if room.has("was"):
            room.flags("just_stored", room.tasks)
    if room.policy.cleanup == "piecewise" and room.has("deletion"):
        room.flags("uncleaned", room.tasks)


def actions(room: Room) -> None:
    """Time passing, the passes, and deletion without sweeps where only deletion is asked for."""
    _time(room)
    if room.has("sweeps"):
        order = room.policy.sweep_order.split("-")
        for place, name in enumerate(order):
            _pass(room, name, place)
    elif room.has("deletion"):
        choice, task = room.pick("task", "tasks")
        effects = Effects(room)
        there = both(record.exists(room.read("status", task)), room.read("expired", task, absent=True))
        delete(room, effects, task, TRUE)
        room.act("delete_expired", "reaper", [*room.serving(), ("its ttl is over", there)], effects, [choice])
    if room.policy.cleanup == "piecewise" and room.has("deletion"):
        _clean(room)


def delete(room: Room, effects: Effects, task: Pick | str, on: Any) -> None:
    """Note that a record goes, and with it, under an atomic cleanup, all that belongs to it."""
    effects.put("was", task, room.read("status", task), on)
    effects.put("status", task, record.STATUS[record.GONE], on)
    record.age(room, effects, task, on)
    effects.put("expired", task, FALSE, on)
    if room.policy.cleanup == "atomic":
        clear(room, effects, task, on)
    else:
        effects.put("uncleaned", task, TRUE, on)


def clear(room: Room, effects: Effects, task: Pick | str, on: Any) -> None:
    """Note that all beside the record goes: slot, message, lease, idempotency entry, side tables."""
    for name in ("slot", "queued", "unacked", "outbox", "to_publish", "intent", "marker"):
        effects.put(name, task, FALSE, on)
    effects.put("holder", task, NONE, on)
    effects.put("key", task, 0, on)
    if "entry" in room.families:
        domain = room.reference("tasks")
        index = {task: TRUE} if isinstance(task, str) else task
        for client in room.clients:
            named = either(*(both(hit, room.read("entry", client) == domain[label]) for label, hit in index.items()))
            effects.put("entry", client, NONE, both(on, named))


# What time brings about: the module, the action, the flag it raises, of which tasks, and that it has not happened yet.
_PASSING: Final[tuple[tuple[str, str, str, tuple[str, Callable[[Any], Any]], str], ...]] = (
    ("deadlines", "deadline_passes", "overdue", ("the task is open", record.is_open), "its deadline has not passed"),
    ("silences", "silence_lasts", "silent", ("the task is open", record.is_open), "its client is not yet silent"),
    ("expiries", "ttl_passes", "expired", ("there is a record", record.exists), "its ttl has not passed"),
)


def _time(room: Room) -> None:
    up = room.serving() if room.has("restarts") else []
    for module, name, flag, (label, concerns), before in _PASSING:
        if not room.has(module):
            continue
        choice, task = room.pick("task", "tasks")
        effects = Effects(room)
        effects.put(flag, task, TRUE)
        guard: Guard = [
            *up,
            ("no sweep is under way", room.holds("sweep", None, "idle", absent=True)),
            (label, concerns(room.read("status", task))),
            (before, no(room.read(flag, task))),
        ]
        if module == "expiries" and room.policy.ttl_span == "outlasts-limits" and room.has("sweeps"):
            over = record.is_terminal(room.read("status", task))
            limits = either(over, room.read("overdue", task), room.read("silent", task))
            guard += [("a ttl outlasts the deadline or the orphan window", limits)]
        room.act(name, "time", guard, effects, [choice])


def _pass(room: Room, name: str, place: int) -> None:
    effects = Effects(room)
    effects.put("sweep", None, SWEEP.values[(place + 1) % len(PASSES)])
    check_first = room.policy.terminal_guard == "check-then-set"
    for task in room.tasks:
        now = room.read("status", task)
        opened = record.is_open(now)
        if check_first and place == 0:
            effects.put("candidate", task, opened)
        elif check_first:
            # What the first pass saw open is taken to be open still, if there is a record at all.
            opened = both(room.read("candidate", task), record.exists(now))
        last = place == len(PASSES) - 1
        if name == "timeouts":
            overdue = both(opened, room.read("overdue", task))
            record.write(room, effects, {task: TRUE}, "failed", overdue)
            effects.put("just_stored", task, not last, overdue)
        elif name == "orphans":
            silent = both(opened, room.read("silent", task))
            record.write(room, effects, {task: TRUE}, "cancelled", silent)
            effects.put("orphaned", task, TRUE, silent)
            effects.put("just_stored", task, not last, silent)
        else:
            delete(room, effects, task, both(record.exists(now), room.read("expired", task)))
        if last:
            kept = no(both(name == "expiry", room.read("expired", task)))
            effects.put("just_stored", task, FALSE, both(kept, no(now == record.STATUS[record.GONE])))
    guard: Guard = [
        *room.serving(),
        (f"the sweep is at pass {place + 1}", room.holds("sweep", None, SWEEP.values[place])),
    ]
    for task in room.tasks:
        guard += record.has_room(room, {task: TRUE})
    room.act(f"sweep_{name}", "reaper", guard, effects, (), [THREE_SWEEPS])


def _clean(room: Room) -> None:
    choice, task = room.pick("task", "tasks")
    effects = Effects(room)
    clear(room, effects, task, TRUE)
    effects.put("uncleaned", task, FALSE)
    guard: Guard = [*room.serving(), ("its record is gone, its rest is not", room.read("uncleaned", task))]
    room.act("clean_up", "reaper", guard, effects, [choice])
