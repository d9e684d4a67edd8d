"""The task record: which status may follow which, and the one way in which a record is written.

Everything that changes a status is in this file.
This file does not know who uses it.
"""

from __future__ import annotations

from typing import Any, Final

from latchcheck.kernel import Enum, IntRange, Sentence

from .room import FALSE, TRUE, Effects, Pick, Room, both, either, no, when

# The state diagram.
# What does not fit it is written out below: a record that is not there yet, and one that is gone.
TRANSITIONS: Final[dict[str, tuple[str, ...]]] = {
    "working": ("input_required", "completed", "failed", "cancelled"),
    "input_required": ("working", "completed", "failed", "cancelled"),
    "completed": (),
    "failed": (),
    "cancelled": (),
}
SEED: Final = "working"
UNBORN: Final = "none"
GONE: Final = "deleted"

TERMINAL: Final = tuple(status for status, after in TRANSITIONS.items() if not after)
OPEN: Final = tuple(status for status, after in TRANSITIONS.items() if after)
STATUS: Final = Enum("TaskStatus", (UNBORN, *TRANSITIONS, GONE))
# Every step that a record may take, the two exceptions included: creation, and removal from any status.
STEPS: Final = (
    (UNBORN, SEED),
    *((before, after) for before, afters in TRANSITIONS.items() for after in afters),
    *((before, GONE) for before in TRANSITIONS),
)

EXTENSION: Final = "MCP Tasks extension, draft"
SPEC_2025: Final = "MCP 2025-11-25, Tasks"
# The extension draws the same diagram without a sentence.
DIAGRAM: Final = Sentence(
    "Receivers MUST only transition tasks through the following valid paths: ... From working: may move to "
    "input_required, completed, failed, or cancelled ... From input_required: may move to working, completed, failed, "
    "or cancelled ... Tasks with a completed, failed, or cancelled status are in a terminal state and MUST NOT "
    "transition to any other status",
    SPEC_2025,
    "Task Status Lifecycle",
)


def is_in(status: Any, labels: tuple[str, ...]) -> Any:
    """The status is one of these; plainly so or not where it is a literal."""
    literal = [label for label in STATUS.values if status.eq(STATUS[label])]
    if literal:
        return TRUE if literal[0] in labels else FALSE
    return either(*(status == STATUS[label] for label in labels))


def is_terminal(status: Any) -> Any:
    """The status is one that leads nowhere."""
    return is_in(status, TERMINAL)


def is_open(status: Any) -> Any:
    """The status is one that leads somewhere."""
    return is_in(status, OPEN)


def exists(status: Any) -> Any:
    """There is a record: it is created and not deleted."""
    return is_in(status, tuple(TRANSITIONS))


def may_follow(before: Any, after: Any) -> Any:
    """The diagram has a step from one status to the other."""
    return either(*(both(before == STATUS[one], is_in(after, afters)) for one, afters in TRANSITIONS.items() if afters))


def versions_max(room: Room) -> int:
    """The largest version that a scope has room for.

    One for creation, two for each question, one for each cancel, one for the outcome, and one for the write too many
    that an unguarded model makes.
    """
    return 3 + 2 * room.scope.inputs + room.scope.cancels


def variables(room: Room) -> None:
    """What a record holds.

    `status`; `version` (0 before creation); and for the properties that look back: `was`, the status before the last
    change; `first`, the first terminal status ever stored, and `outcomes`, how many times one was stored (2 stands for
    more).
    """
    room.family("status", room.tasks, STATUS, UNBORN)
    if room.has("version"):
        room.family("version", room.tasks, IntRange(0, versions_max(room)), 0)
    if room.has("was"):
        room.family("was", room.tasks, STATUS, UNBORN)
    if room.has("outcomes"):
        room.family("first", room.tasks, STATUS, UNBORN)
        room.family("outcomes", room.tasks, IntRange(0, 2), 0)
    if room.has("slots"):
        # One concurrency slot for each running task; a server admits no more than it has.
        room.flags("slot", room.tasks)


def is_copied(room: Room, task: Pick | str) -> Any:
    """The replica is near enough to the record to be read from."""
    return room.read("behind", task) <= room.scope.lag if room.has("lag") else FALSE


def copied(room: Room, task: Pick | str, name: str = "status") -> Any:
    """The status or the version that is read from the replica; what is stored where it is too far behind."""
    stored = room.read(name, task, absent=0)
    if not room.has("lag") or name not in room.families:
        return stored
    return when(is_copied(room, task), room.read({"status": "copy", "version": "copy_version"}[name], task), stored)


def judged(room: Room, task: Pick | str, name: str = "status") -> Any:
    """The status or the version that the guard of a write looks at."""
    return room.read(name, task, absent=0) if room.policy.guard_reads == "primary" else copied(room, task, name)


def age(room: Room, effects: Effects, task: Pick | str, on: Any = TRUE) -> None:
    """Note that the replica is one more write behind, or too far to be read from."""
    effects.put("behind", task, lambda count: when(count <= room.scope.lag, count + 1, count), on)


def write(room: Room, effects: Effects, task: Pick, status: Any, on: Any = TRUE) -> None:
    """Note the changes of a write that is applied where `on` holds: the status and all that goes with it."""
    status = room.families["status"].literal(status)
    old = room.read("status", task)
    ends = both(on, is_terminal(status))
    effects.put("was", task, old, on)
    effects.put("status", task, status, on)
    effects.put("version", task, lambda version: version + 1, on)
    age(room, effects, task, on)
    if room.has("outcomes"):
        first = room.read("first", task)
        effects.put("first", task, status, both(ends, first == STATUS[UNBORN]))
        effects.put("outcomes", task, lambda count: when(count < 2, count + 1, count), ends)  # noqa: PLR2004
    effects.put("slot", task, FALSE, ends)
    effects.put("key", task, 0, ends)
    effects.put("expired", task, FALSE, ends if room.policy.retention == "from-terminal" else FALSE)
    effects.put("read_cancelled", task, TRUE, both(on, status == STATUS["cancelled"]))


def touch(room: Room, effects: Effects, task: Pick, on: Any = TRUE) -> None:
    """Note the changes of a write that leaves the status as it is."""
    effects.put("version", task, lambda version: version + 1, on)
    age(room, effects, task, on)


def begin(room: Room, effects: Effects, task: Pick, seed: Any) -> None:
    """Note the first status of a record."""
    unique = room.policy.task_ids == "unique"
    # An id that is used again leads from the deleted record to another one, to which no time has happened yet.
    effects.put("was", task, UNBORN if unique else room.read("status", task))
    effects.put("status", task, seed)
    for passed in () if unique else ("overdue", "silent", "orphaned", "just_stored"):
        effects.put(passed, task, FALSE)


def has_room(room: Room, task: Pick) -> list[tuple[str, Any]]:
    """The guard that keeps versions inside the scope; no part of the protocol."""
    if not room.has("version"):
        return []
    return [("the scope has room for another version", room.read("version", task) < versions_max(room))]


# The order in which a refused write is explained: what the reader of the stored record sees first.
DECISION: Final = Enum(
    "Decision",
    (
        "NO_REPORT",
        "BLOCK_MISSING",
        "BLOCK_AUTH",
        "BLOCK_EXPIRED",
        "IDEMPOTENT_TERMINAL",
        "BLOCK_TERMINAL_REWRITE",
        "BLOCK_FENCED",
        "BLOCK_STALE_VERSION",
        "APPLY",
    ),
)


def obstacles(room: Room, task: Pick, status: Any, version: Any = None, fenced: Any = FALSE) -> dict[str, Any]:
    """For each decision but APPLY the condition under which the policy answers a terminal write with it.

    `version` is what the writer read, None for a write that carries none; `fenced` says that its lease is another's.
    """
    policy = room.policy
    now, stored = judged(room, task), judged(room, task, "version")
    missing = now == STATUS[UNBORN]
    if policy.missing_record == "refused":
        missing = either(missing, now == STATUS[GONE])
    found = {"BLOCK_MISSING": missing}
    if policy.expiry_check == "on-write":
        found["BLOCK_EXPIRED"] = room.read("expired", task)
    if policy.terminal_guard != "none":
        if policy.terminal_repeat == "succeeds":
            found["IDEMPOTENT_TERMINAL"] = both(is_terminal(now), now == status)
            found["BLOCK_TERMINAL_REWRITE"] = is_terminal(now)
        elif policy.terminal_repeat == "refused":
            found["BLOCK_TERMINAL_REWRITE"] = is_terminal(now)
        else:
            found["BLOCK_TERMINAL_REWRITE"] = both(is_terminal(now), now != status)
    found["BLOCK_FENCED"] = fenced
    if version is not None and policy.version_check == "on" and room.has("version"):
        found["BLOCK_STALE_VERSION"] = version != stored
    if policy.missing_record == "upsert":
        # An insert-or-update looks at its conditions only where there is a row to look at.
        there = now != STATUS[GONE]
        found = {label: both(there, condition) for label, condition in found.items()}
    return found


def decide(found: dict[str, Any]) -> Any:
    """The first obstacle that is met, or APPLY."""
    answer = DECISION["APPLY"]
    for label in reversed(DECISION.values):
        if label in found:
            answer = when(found[label], DECISION[label], answer)
    return answer


def unhindered(found: dict[str, Any]) -> Any:
    """No obstacle is met."""
    return both(*(no(one) for one in found.values()))


def only_stale(found: dict[str, Any]) -> Any:
    """Nothing but an old version is in the way, so that the writer reads again and goes on."""
    others = {label: condition for label, condition in found.items() if label != "BLOCK_STALE_VERSION"}
    return both(found.get("BLOCK_STALE_VERSION", FALSE), unhindered(others))
