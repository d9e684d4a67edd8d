"""Walking by hand: what is offered and what is in the way, against systems worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest
import z3

from latchcheck.engines.explicit import explore
from latchcheck.engines.walking import Walk
from latchcheck.kernel import (
    Action,
    Bool,
    Choice,
    Clause,
    Enum,
    IntRange,
    NotAStep,
    Property,
    Real,
    Sentence,
    Stepper,
    System,
    Variable,
)

LAMP = Variable("lamp", Enum("Lamp", ("off", "on", "broken")), "off")
LEFT = Variable("left", IntRange(0, 2), 2)
NOW = Variable("now", Real(), 0)
RUNG = Variable("rung", Bool(), False)
PAUSE = Choice("pause", Real())


def lamp() -> System:
    """A lamp that can be switched twice, and then breaks."""
    lit = LAMP.domain["on"]  # type: ignore[index]
    off, broken = LAMP.domain["off"], LAMP.domain["broken"]  # type: ignore[index]
    switch = Action(
        "switch",
        "hand",
        (Clause("a switch is left", LEFT.term > 0), Clause("it is whole", LAMP.term != broken)),
        {"lamp": z3.If(LAMP.term == off, lit, off), "left": LEFT.term - 1},
    )
    burn = Action("burn", "lamp", (Clause("it is lit", LAMP.term == lit),), {"lamp": broken})
    return System("lamp", (LAMP, LEFT), (switch, burn), clock=None)


def bell() -> System:
    """A bell that rings once, no sooner than 5 ms and no later than 9 ms, after a pause that it picks below 3 ms."""
    ring = Action(
        "ring",
        "bell",
        (
            Clause("it is time", NOW.term >= 5),
            Clause("the pause is short", z3.And(PAUSE.term > 0, PAUSE.term < 3)),
            Clause("it is silent", z3.Not(RUNG.term)),
        ),
        {"rung": z3.BoolVal(True)},
        choices=(PAUSE,),
    )
    return System("bell", (NOW, RUNG), (ring,), clock="now", urgency=(Clause("by 9", z3.Or(RUNG.term, NOW.term <= 9)),))


def test_what_can_happen_is_offered_with_what_it_changes() -> None:
    """At the start the lamp can be switched on and cannot burn out, since it is not lit."""
    walk = Walk(lamp())
    (offer,) = walk.offers()
    assert ("switch", {"lamp": ("off", "on"), "left": (2, 1)}) == (offer.step.action, dict(offer.step.changed))
    (obstacle,) = walk.obstacles()
    assert ("burn", "it is lit", {"lamp": "off"}) == (obstacle.action, obstacle.label, dict(obstacle.reads))


def test_the_first_condition_in_the_way_is_named() -> None:
    """After two switches and no more left, switching fails for the switches, although the lamp is whole."""
    walk = Walk(lamp())
    for _ in range(2):
        walk.do(None, "switch", {})
    assert {"switch": "a switch is left", "burn": "it is lit"} == {one.action: one.label for one in walk.obstacles()}
    assert () == walk.offers()


def test_a_step_is_taken_back() -> None:
    """Back from on, the lamp is off again, and offers what it offered at the start."""
    walk = Walk(lamp())
    first = walk.offers()
    walk.do(None, "switch", {})
    walk.back()
    assert first == walk.offers()
    walk.back(5)
    assert [] == walk.steps


def test_a_step_that_is_none_changes_nothing() -> None:
    """What is refused leaves the walk where it was."""
    walk = Walk(lamp())
    with pytest.raises(NotAStep):
        walk.do(None, "burn", {})
    assert (1, []) == (len(walk.states), walk.steps)


def test_with_a_clock_the_earliest_instant_is_offered() -> None:
    """The bell is offered at 5 ms, with a pause that it may pick; once it has rung nothing is."""
    walk = Walk(bell())
    (offer,) = walk.offers()
    assert Fraction(5) == offer.step.at_ms
    assert 0 < Fraction(str(offer.step.args["pause"])) < 3
    walk.do(7, "ring", {"pause": 1})
    assert () == walk.offers()
    assert ["it is silent"] == [one.label for one in walk.obstacles()]


def test_offers_are_the_steps_of_the_exhaustive_search() -> None:
    """Walking everywhere that offers lead finds as many states and steps as the explicit engine."""
    system = lamp()
    seen, todo, steps = {Walk(system).state}, [Walk(system)], 0
    while todo:
        walk = todo.pop()
        for offer in walk.offers():
            steps += 1
            further = Walk(system, [*walk.steps, offer.step])
            if further.state not in seen:
                seen.add(further.state)
                todo.append(further)
    always = Property("any", "MUST", Sentence("", "", ""), (Clause("true", z3.BoolVal(True)),))
    found = explore(system, [always])
    assert (found.states, found.transitions) == (len(seen), steps)


def test_everything_is_offered_or_obstructed() -> None:
    """In each state of a walk each action is offered or has an obstacle, and never both."""
    system = lamp()
    walk = Walk(system)
    for _ in range(3):
        offered, obstructed = {one.step.action for one in walk.offers()}, {one.action for one in walk.obstacles()}
        assert {"switch", "burn"} == offered | obstructed
        assert set() == offered & obstructed
        if walk.offers():
            walk.do(None, walk.offers()[0].step.action, {})
    assert Stepper(system).state == walk.states[0]


def test_a_wide_range_is_not_listed() -> None:
    """An action that picks one of 2^40 numbers is offered with one that its guard allows, at once."""
    count = Choice("count", IntRange(0, 1 << 40))
    draw = Action("draw", "hand", (Clause("it is large", count.term > 1 << 39),), {"left": LEFT.term}, choices=(count,))
    (offer,) = Walk(System("wide", (LEFT,), (draw,), clock=None)).offers()
    picked = offer.step.args["count"]
    assert isinstance(picked, int)
    assert 1 << 39 < picked <= 1 << 40
