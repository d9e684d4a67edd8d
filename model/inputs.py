"""Questions of a running task: the keys that name them, the answers, and who hears them."""

from __future__ import annotations

from typing import Any, Final

from latchcheck.kernel import Bool, Choice, IntRange, Sentence

from . import record
from .access import note_change, owns
from .attempts import runs, taken
from .room import TRUE, Effects, Guard, Pick, Room, both, either, no, when

UNIQUE_KEYS: Final = Sentence(
    "Each request key in inputRequests MUST be unique over the lifetime of a single task.",
    record.EXTENSION,
    "Task Update Requests",
)
DEDUPLICATED: Final = Sentence(
    "Clients SHOULD deduplicate inputRequests keys across consecutive polls to avoid presenting the same request to "
    "the user or model more than once.",
    record.EXTENSION,
    "Task Update Requests",
)


def keys(room: Room) -> range:
    """The keys that a scope has: as many as a task may ask questions."""
    return range(1, room.scope.inputs + 1)


def variables(room: Room) -> None:
    """`asked`, how many questions a task has asked; `question`, the present one; `key`, its key (0: none outstanding).

    `letter` and `letter_key`, the answer on its way: the question that its author read, and the key it carries.
    For each key: `answered`, the client remembers to have answered it; `names`, the question that it named first.
    History: `misheard`, an answer was taken for that of another question; `asked_twice`, a client that does not look
    at keys has put one question to its human again.
    """
    if not room.has("inputs"):
        return
    most = room.scope.inputs
    room.family("asked", room.tasks, IntRange(0, most), 0)
    room.family("question", room.tasks, IntRange(0, most), 0)
    room.family("key", room.tasks, IntRange(0, most), 0)
    room.family("letter", room.tasks, IntRange(0, most), 0)
    if room.policy.input_keys == "reused" or room.has("losses"):
        room.family("letter_key", room.tasks, IntRange(0, most), 0)
    for key in keys(room):
        room.flags(f"answered{key}", room.tasks)
        if room.policy.input_keys == "reused":
            room.family(f"names{key}", room.tasks, IntRange(0, most), 0)
    room.flags("misheard", room.tasks)
    if room.policy.input_dedup == "off":
        room.flags("asked_twice", room.tasks)


def actions(room: Room) -> None:
    """Asking, answering, hearing."""
    if room.has("inputs"):
        _ask(room)
        _update(room)
        _hear(room)


def answered(room: Room, task: Pick | str) -> Any:
    """The client has answered the outstanding key, so it will not do so again."""
    outstanding = room.read("key", task)
    return either(*(both(outstanding == key, room.read(f"answered{key}", task)) for key in keys(room)))


def named(room: Room, task: Pick | str) -> Any:
    """The question that the outstanding key named first."""
    if room.policy.input_keys == "unique":
        return room.read("key", task)
    outstanding, value = room.read("key", task), room.read("question", task)
    for key in keys(room):
        value = when(outstanding == key, room.read(f"names{key}", task), value)
    return value


def _ask(room: Room) -> None:
    worker_choice, worker, task = taken(room)
    number = room.read("asked", task) + 1
    choices, key = [worker_choice], number
    if room.policy.input_keys == "reused":
        key_choice = Choice("key", IntRange(1, room.scope.inputs))
        choices.append(key_choice)
        key = key_choice.term
    found = record.obstacles(room, task, record.STATUS["deleted"], room.read("seen", worker, absent=None))
    effects = Effects(room)
    record.write(room, effects, task, "input_required")
    if room.has("version"):
        effects.put("seen", worker, room.read("version", task) + 1)
    effects.put("asked", task, number)
    effects.put("question", task, number)
    effects.put("key", task, key)
    if room.policy.input_keys == "reused":
        for one in keys(room):
            effects.put(f"names{one}", task, number, both(key == one, room.read(f"names{one}", task) == 0))
    guard: Guard = [
        *room.serving(),
        *runs(room, worker),
        ("the task is working", room.holds("status", task, "working")),
        ("nothing forbids a write", record.unhindered(found)),
        ("it may ask another question", room.read("asked", task) < room.scope.inputs),
        *record.has_room(room, task),
    ]
    room.act("ask", "worker", guard, effects, choices, [UNIQUE_KEYS])


def _update(room: Room) -> None:
    """The client answers a key that it has not answered before; without that check, whatever its next poll shows."""
    choice, task = room.pick("task", "tasks")
    choices, caller = [choice], None
    if room.has("owners"):
        client_choice, caller = room.pick("client", "clients")
        choices = [client_choice, choice]
    key = room.read("key", task)
    effects = Effects(room)
    effects.put("letter", task, room.read("question", task))
    effects.put("letter_key", task, key)
    for one in keys(room):
        effects.put(f"answered{one}", task, TRUE, key == one)
    guard: Guard = [("a question is outstanding", room.holds("status", task, "input_required"))]
    letter = room.read("letter", task)
    if room.policy.input_dedup == "by-key":
        guard += [("its key is new to the client", no(answered(room, task))), ("no answer is under way", letter == 0)]
    else:
        guard += [("no other answer is under way", either(letter == 0, letter == room.read("question", task)))]
        effects.put("asked_twice", task, TRUE, answered(room, task))
    if caller is not None:
        guard += [("the caller owns the task", owns(room, caller, task, "writes"))]
        note_change(room, effects, caller, task, TRUE)
    # In 2025-11-25 the question travels inside the answer to tasks/result, and so does what is said to it.
    if room.policy.result_while_open == "blocks":
        guard += [("a tasks/result call carries the question", room.read("blocked", task, absent=True))]
    name = "update" if room.policy.era == "2026-07-28" else "respond"
    room.act(name, "client", guard, effects, choices, [DEDUPLICATED])


def _hear(room: Room) -> None:
    """An answer arrives: it is consumed if its key is outstanding, and ignored otherwise."""
    task_choice, task = room.pick("task", "tasks")
    letter = room.read("letter", task)
    carried = room.read("letter_key", task) if "letter_key" in room.families else letter
    fits = both(room.holds("status", task, "input_required"), carried == room.read("key", task))
    if room.policy.terminal_guard == "none":
        fits = both(record.exists(room.read("status", task)), carried == room.read("question", task))
    effects, choices = Effects(room), [task_choice]
    record.write(room, effects, task, "working", fits)
    effects.put("key", task, 0, fits)
    effects.put("misheard", task, TRUE, both(fits, letter != room.read("question", task)))
    guard: Guard = [*room.serving(), ("an answer is under way", letter != 0), *record.has_room(room, task)]
    if room.has("losses"):
        again = Choice("again", Bool())
        choices.append(again)
        effects.put("letter", task, 0, no(again.term))
        left = room.read("losses_left")
        effects.put("losses_left", None, left - 1, again.term)
        guard += [("the scope allows another of its losses", either(no(again.term), left > 0))]
    else:
        effects.put("letter", task, 0)
    room.act("hear", "server", guard, effects, choices)
