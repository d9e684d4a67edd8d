"""A toy world with nothing of the project in it: a lamp, a door, and how often the door was opened."""

from __future__ import annotations

from typing import Any

import z3

from latchcheck.kernel import Action, Bool, Clause, Enum, IntRange, System, Variable
from latchcheck.wording.words import Model, Occurrence, Vocabulary, Word, World
from tests.wording.brute import Meaning

LAMP = Enum("Lamp", ("off", "on", "broken"))
STEPS_MAX = 6


def lamp_system() -> System:
    """The lamp is switched on and off, and breaks once; the door opens at most twice."""
    lamp, door, count = (
        Variable("lamp", LAMP, "off"),
        Variable("door", Bool(), False),
        Variable("count", IntRange(0, 2), 0),
    )
    off, on = lamp.term == LAMP["off"], lamp.term == LAMP["on"]
    more: Any = count.term + 1
    return System(
        "lamp",
        (lamp, door, count),
        (
            Action("switch_on", "hand", (Clause("it is off", off),), {"lamp": LAMP["on"]}),
            Action("switch_off", "hand", (Clause("it is on", on),), {"lamp": LAMP["off"]}),
            Action("break", "chance", (Clause("it is on", on),), {"lamp": LAMP["broken"]}),
            Action("open", "hand", (Clause("it is shut", z3.Not(door.term)), Clause("not too often", count.term < 2)),
                   {"door": z3.BoolVal(True), "count": more}),
            Action("shut", "hand", (Clause("it is open", door.term),), {"door": z3.BoolVal(False)}),
        ),
    )  # fmt: skip


def lamp_model() -> Model:
    """The lamp as a model without faults."""
    system = lamp_system()
    lamp, door, count = (system.variable(name).term for name in ("lamp", "door", "count"))
    words = [
        *(
            Word(f"the lamp is {label}", "state", "", lambda _, label=label: lamp == LAMP[label])
            for label in LAMP.values
        ),
        Word("the door is open", "state", "", lambda _: door),
        Word("the lamp is switched", "event", "", lambda _: Occurrence(("switch_on", "switch_off"))),
        Word("the lamp breaks", "event", "", lambda _: Occurrence(("break",))),
        Word("the door moves", "event", "", lambda _: Occurrence(changes=(door,))),
        Word("the lamp was on", "event", "", lambda _: Occurrence(before=lamp == LAMP["on"])),
        Word("the number of openings", "quantity", "", lambda _: count, "count"),
        Word("the lamp is put off", "assumption", "", lambda _: ("switch_off",)),
        Word("the door is shut", "assumption", "", lambda _: ("shut",)),
    ]
    vocabulary = Vocabulary.of("lamp", words)
    world = World("plain", system, None, vocabulary, "one lamp")
    return Model(vocabulary, "plain", lambda *_: world, ())


MEANING: Meaning = {
    **{f"the lamp is {label}": lambda at, label=label: at.state["lamp"] == label for label in LAMP.values},
    "the door is open": lambda at: at.state["door"],
    "the lamp is switched": lambda at: at.action in ("switch_on", "switch_off"),
    "the lamp breaks": lambda at: at.action == "break",
    "the door moves": lambda at: at.before is not None and at.before["door"] != at.state["door"],
    "the lamp was on": lambda at: at.before is not None and at.before["lamp"] == "on",
    "the number of openings": lambda at: at.state["count"],
}
