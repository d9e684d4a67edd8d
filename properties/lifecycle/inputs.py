"""Questions and answers: what a key names, and that a waiter is never stuck."""

from __future__ import annotations

from typing import Any

from latchcheck.kernel import Sentence

from ...model import inputs
from ...model.room import Room, both, no
from .rules import SEMANTICS, Claim, Obligation, Rule, every, implies, one_task, some


def _waits(room: Room, task: str) -> Any:
    return room.holds("status", task, "input_required")


def _one_question(room: Room) -> Claim:
    def named(task: str) -> Any:
        asked = both(_waits(room, task), room.read("key", task) != 0)
        return implies(asked, inputs.named(room, task) == room.read("question", task))

    return Claim(
        (
            ("an outstanding key names the question that it named first", every(room.tasks, named)),
            (
                "no answer is taken for that of another question",
                every(room.tasks, lambda task: no(room.read("misheard", task))),
            ),
            (
                "no question is put to a human twice",
                every(room.tasks, lambda task: no(room.read("asked_twice", task))),
            ),
        ),
        some(room.tasks, lambda task: both(_waits(room, task), room.read("asked", task) >= 1)),
    )


INPUT_KEY_NAMES_ONE_QUESTION = Rule(
    "input-key-names-one-question",
    "MUST",
    inputs.UNIQUE_KEYS,
    ("inputs",),
    ("losses",),
    _one_question,
    ("input_keys=reused", "input_dedup=off"),
    one_task(workers=1, inputs=2),
)


def _way_out(room: Room) -> Claim:
    def answerable(task: str) -> Any:
        carried = "letter_key" if "letter_key" in room.families else "letter"
        coming = both(room.read("letter", task) != 0, room.read(carried, task) == room.read("key", task))
        return implies(both(_waits(room, task), inputs.answered(room, task)), coming)

    def asked(task: str) -> Any:
        return implies(_waits(room, task), room.read("key", task) != 0)

    return Claim(
        (
            ("an answered question has its answer under way", every(room.tasks, answerable)),
            ("a waiter has a question outstanding", every(room.tasks, asked)),
        ),
        some(room.tasks, lambda task: both(_waits(room, task), inputs.answered(room, task))),
    )


def _heard(room: Room) -> Obligation:
    return Obligation(
        some(room.tasks, lambda task: both(_waits(room, task), inputs.answered(room, task))),
        every(room.tasks, lambda task: no(both(_waits(room, task), inputs.answered(room, task)))),
        ("hear",),
        "the safety form asks that the answer is under way, not that it arrives",
    )


ANSWERED_INPUT_IS_CONSUMED = Rule(
    "answered-input-is-consumed",
    "MUST",
    Sentence(
        "An answer to an outstanding key is consumed within a bound; a waiter always has a way out.",
        SEMANTICS,
        "section 5",
    ),
    ("inputs",),
    (),
    _way_out,
    ("input_keys=reused", "seed_status=non-terminal", "seed_status=any"),
    one_task(workers=1, inputs=2),
    _heard,
)
