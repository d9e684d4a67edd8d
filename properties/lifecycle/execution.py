"""How often work runs: attempts at a time, side effects, retries."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from latchcheck.kernel import Sentence

from ...model import attempts, failures
from ...model.room import Room, both, either, no
from .rules import EXPORT, SEMANTICS, Claim, Rule, every, implies, one_task, some


def _single(room: Room) -> Claim:
    def alone(task: str) -> Any:
        pairs = combinations(room.workers, 2)
        return both(*(no(both(*(attempts.works_on(room, one, task) for one in pair))) for pair in pairs))

    return Claim(
        (("at most one attempt runs", every(room.tasks, alone)),),
        some(
            room.tasks,
            lambda task: both(
                some(room.workers, lambda one: attempts.works_on(room, one, task)), room.read("queued", task)
            ),
        ),
    )


SINGLE_EXECUTION = Rule(
    "single-execution",
    "MUST",
    Sentence("At most one attempt of a task runs at a time.", SEMANTICS, "section 5"),
    ("workers",),
    ("crashes", "stalls", "redeliveries"),
    _single,
    ("lease=unfenced", "lease=none", "lease_renewal=never"),
    one_task(workers=2),
)


def _once(room: Room) -> Claim:
    def second_chance(task: str) -> Any:
        again = some(room.workers, lambda one: both(attempts.works_on(room, one, task), no(room.read("acted", one))))
        return both(room.read("effects", task) >= 1, again)

    return Claim(
        (("the side effect happens at most once", every(room.tasks, lambda task: room.read("effects", task) <= 1)),),
        some(room.tasks, second_chance),
    )


SIDE_EFFECT_ONCE = Rule(
    "side-effect-once",
    "SHOULD",
    Sentence(
        "check expiry before transition and make worker side effects independently idempotent. Task expiry does not "
        "magically undo an external operation.",
        EXPORT,
        "Troubleshooting starts with the first stored contradiction",
    ),
    ("effects",),
    ("crashes", "stalls", "redeliveries"),
    _once,
    ("side_effect=plain",),
    one_task(workers=2),
)


def _classified(room: Room) -> Claim:
    def retried(task: str) -> Any:
        ok = both(room.holds("failure", task, "transient"), no(room.read("spent", task)))
        return implies(room.holds("judged", task, "retried"), ok)

    def poison(task: str) -> Any:
        exhausted = both(room.holds("failure", task, "transient"), room.read("spent", task))
        return implies(exhausted, room.holds("judged", task, "poisoned"))

    return Claim(
        (
            ("an attempt is retried only after a transient failure with budget left", every(room.tasks, retried)),
            (
                "no attempt is beyond the ceiling",
                every(room.tasks, lambda task: room.read("attempt", task) <= room.scope.attempts),
            ),
            ("a transient failure with no budget left is poison", every(room.tasks, poison)),
        ),
        some(
            room.tasks,
            lambda task: either(*(room.holds("judged", task, label) for label in ("retried", "poisoned"))),
        ),
    )


FAILURES_ARE_CLASSIFIED = Rule(
    "failures-are-classified",
    "MUST",
    failures.CLASSES,
    ("failures",),
    ("crashes",),
    _classified,
    ("failure_default=transient", "attempt_ceiling=off", "exhausted=permanent"),
    one_task(workers=1),
)
