"""The status of a record: where it begins, which steps it takes, and that it ends once."""

from __future__ import annotations

from latchcheck.kernel import Sentence

from ...model import record
from ...model.record import DECISION, STATUS, is_in, is_terminal
from ...model.room import Room, both, either, no
from .rules import EXPORT, Claim, Rule, every, implies, one_task, some


def _one_outcome(room: Room) -> Claim:
    def stays(task: str) -> object:
        first, now = room.read("first", task), room.read("status", task)
        return implies(both(is_terminal(first), record.exists(now)), now == first)

    return Claim(
        (
            ("one terminal outcome is stored", every(room.tasks, lambda task: room.read("outcomes", task) <= 1)),
            ("the stored outcome is the first one", every(room.tasks, stays)),
        ),
        some(room.tasks, lambda task: room.read("outcomes", task) >= 1),
    )


ONE_TERMINAL_OUTCOME = Rule(
    "one-terminal-outcome",
    "MUST",
    Sentence("One race, one winner, one stored fact.", EXPORT, "One terminal write gets the latch"),
    ("outcomes",),
    ("workers", "cancels", "instances", "stalls", "inputs", "lag"),
    _one_outcome,
    ("terminal_guard=check-then-set", "terminal_guard=none", "guard_reads=replica"),
    one_task(workers=2, inputs=1, instances=1, lag=2),
)


def _legal(room: Room) -> Claim:
    def drawn(task: str) -> object:
        now, was = room.read("status", task), room.read("was", task)
        steps = (both(was == STATUS[before], now == STATUS[after]) for before, after in record.STEPS)
        return either(now == STATUS[record.UNBORN], *steps)

    return Claim(
        (("the last step is in the diagram", every(room.tasks, drawn)),),
        some(room.tasks, lambda task: record.exists(room.read("was", task))),
    )


LEGAL_TRANSITIONS_ONLY = Rule(
    "legal-transitions-only",
    "MUST",
    record.DIAGRAM,
    ("was",),
    ("workers", "cancels", "instances", "inputs", "expiries", "deletion"),
    _legal,
    ("terminal_guard=check-then-set", "terminal_guard=none", "seed_status=any", "missing_record=upsert"),
    one_task(workers=1, inputs=1),
)


def _begins(room: Room) -> Claim:
    def seeded(task: str) -> object:
        first = no(room.holds("status", task, record.UNBORN))
        begun = both(first, room.holds("was", task, record.UNBORN))
        return implies(begun, room.holds("status", task, record.SEED))

    return Claim(
        (("the first status is working", every(room.tasks, seeded)),),
        some(room.tasks, lambda task: no(room.holds("status", task, record.UNBORN))),
    )


BEGINS_WORKING = Rule(
    "begins-working",
    "MUST",
    Sentence("Tasks MUST begin in the working status when created.", record.SPEC_2025, "Task Status Lifecycle"),
    ("was",),
    ("workers",),
    _begins,
    ("seed_status=non-terminal", "seed_status=any"),
    one_task(workers=1),
)


def _repeat(room: Room) -> Claim:
    found, reported, decision = room.read("found"), room.read("reported"), room.read("decision")
    same = both(is_terminal(found), found == reported)
    other = both(is_terminal(found), found != reported)
    # A report after the ttl is refused as such, whatever it says.
    late = decision == DECISION["BLOCK_EXPIRED"]
    succeeds = either(late, decision == DECISION["IDEMPOTENT_TERMINAL"])
    refused = either(late, decision == DECISION["BLOCK_TERMINAL_REWRITE"])
    return Claim(
        (
            ("repeating the stored fact succeeds", implies(same, succeeds)),
            ("another fact is refused", implies(other, refused)),
            ("neither is stored", every(room.tasks, lambda task: room.read("outcomes", task) <= 1)),
        ),
        is_in(found, record.TERMINAL),
    )


REPEAT_IS_NOT_REWRITE = Rule(
    "repeat-is-not-rewrite",
    "MUST",
    Sentence(
        "Repeating the same terminal fact is safe. Replacing one terminal fact with another is not.",
        EXPORT,
        "One terminal write gets the latch",
    ),
    ("reports", "outcomes"),
    ("cancels",),
    _repeat,
    (
        "terminal_repeat=refused",
        "terminal_repeat=rewritten",
        "terminal_guard=check-then-set",
        "terminal_guard=none",
    ),
    one_task(workers=1),
)
