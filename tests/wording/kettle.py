"""A toy with a clock: a kettle that is heated at most twice, stays hot for 1 to 2 ms, and whose lid opens once.

`every_run` walks through it by hand, without the kernel: every run in steps of half a millisecond, say.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

import z3

from latchcheck.kernel import Action, Bool, Clause, IntRange, Real, System, Variable
from latchcheck.wording.words import Model, Occurrence, Vocabulary, Word, World
from tests.wording.brute import Meaning, Moment, Tree

HORIZON_MS = 3
HALF = Fraction(1, 2)


def kettle_system() -> System:
    """The kettle: it cools 1 to 2 ms after it was heated."""
    now, hot, lid = Variable("now", Real(), 0), Variable("hot", Bool(), False), Variable("lid", Bool(), False)
    heated_at, heats = Variable("heated_at", Real(), 0), Variable("heats", IntRange(0, 2), 0)
    age: Any = now.term - heated_at.term
    more: Any = heats.term + 1
    yes, no = z3.BoolVal(True), z3.BoolVal(False)
    return System(
        "kettle",
        (now, hot, lid, heated_at, heats),
        (
            Action("heat", "hand", (Clause("cold", z3.Not(hot.term)), Clause("not too often", heats.term < 2)),
                   {"hot": yes, "heated_at": now.term, "heats": more}),
            Action("cool", "chance", (Clause("hot", hot.term), Clause("hot for a while", age >= 1)), {"hot": no}),
            Action("open", "hand", (Clause("shut", z3.Not(lid.term)),), {"lid": yes}),
        ),
        "now",
        (Clause("it cools in time", z3.Or(z3.Not(hot.term), age <= 2)),),
    )  # fmt: skip


def kettle_model() -> Model:
    """The kettle as a model without faults."""
    system = kettle_system()
    now, hot, lid, heated_at, heats = (
        system.variable(name).term for name in ("now", "hot", "lid", "heated_at", "heats")
    )
    words = [
        Word("it is hot", "state", "", lambda _: hot),
        Word("the lid is open", "state", "", lambda _: lid),
        Word("it is heated", "event", "", lambda _: Occurrence(("heat",))),
        Word("it cools", "event", "", lambda _: Occurrence(("cool",))),
        Word("the lid opens", "event", "", lambda _: Occurrence(before=z3.Not(lid), after=lid)),
        Word("the time", "quantity", "", lambda _: now, "ms"),
        Word("the time since heating", "quantity", "", lambda _: now - heated_at, "ms"),
        Word("the number of heatings", "quantity", "", lambda _: heats, "count"),
    ]
    vocabulary = Vocabulary.of("kettle", words, timed=True)
    world = World("plain", system, None, vocabulary, "one kettle", horizon_ms=HORIZON_MS)
    return Model(vocabulary, "plain", lambda *_: world, ())


def _since_heating(at: Moment) -> Any:
    state: Any = at.state
    return state["now"] - state["heated_at"]


MEANING: Meaning = {
    "it is hot": lambda at: at.state["hot"],
    "the lid is open": lambda at: at.state["lid"],
    "it is heated": lambda at: at.action == "heat",
    "it cools": lambda at: at.action == "cool",
    "the lid opens": lambda at: at.action == "open",
    "the time": lambda at: at.state["now"],
    "the time since heating": _since_heating,
    "the number of heatings": lambda at: at.state["heats"],
}


@lru_cache(maxsize=2)
def every_run(unit: Fraction) -> Tree:
    """Every run up to the horizon in which time passes by a unit."""
    start: dict[str, Any] = {"now": Fraction(0), "hot": False, "lid": False, "heated_at": Fraction(0), "heats": 0}
    return _tree(Moment(start, None, None), unit)


def _tree(moment: Moment, unit: Fraction) -> Tree:
    here: dict[str, Any] = dict(moment.state)
    later = here["now"] + unit
    moves: list[tuple[str | None, dict[str, Any]]] = []
    if later <= HORIZON_MS and (not here["hot"] or later - here["heated_at"] <= 2):
        moves.append((None, {"now": later}))
    if not here["hot"] and here["heats"] < 2:
        moves.append(("heat", {"hot": True, "heated_at": here["now"], "heats": here["heats"] + 1}))
    if here["hot"] and here["now"] - here["heated_at"] >= 1:
        moves.append(("cool", {"hot": False}))
    if not here["lid"]:
        moves.append(("open", {"lid": True}))
    return Tree(moment, tuple(_tree(Moment({**here, **changed}, name, here), unit) for name, changed in moves))
