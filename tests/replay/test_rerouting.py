"""Other ways to the same harm: found where no change of the run's own events leads to a shorter one."""

from __future__ import annotations

import z3

from latchcheck.counterexamples import Case, Event, FoundBy, made, minimise, minimised
from latchcheck.counterexamples.rerouting import Rerouter
from latchcheck.engines.explicit import explore
from latchcheck.kernel import Action, Clause, IntRange, Property, Real, Sentence, System, Variable, record

SAID = Sentence("It holds.", "a test", "here")
PLACE, LAST = Variable("place", IntRange(0, 20), 0), 20


def road() -> tuple[System, Property]:
    """Twelve single steps lead to the end; so do one step aside and two leaps, which no run of single steps holds."""
    at = PLACE.term
    system = System(
        "road",
        (PLACE,),
        (
            Action("walk", "x", (Clause("on the road", at < 12),), {"place": at + 1}),
            Action("aside", "x", (Clause("near the start", at == 2),), {"place": z3.IntVal(15)}),
            Action("leap", "x", (Clause("aside", at >= 13),), {"place": z3.If(at == 15, 13, 12)}),
        ),
    )
    return system, Property("far", "MUST", SAID, (Clause("not at the end", at != 12),))


def walked(steps: int) -> tuple[Event, ...]:
    """A run of single steps."""
    return tuple(Event(None, "x", "walk", {}) for _ in range(steps))


def test_another_way_replaces_the_rest_of_a_run() -> None:
    """From twelve steps, of which none can be left out, the search comes to the five of a shortest run."""
    system, asked = road()
    found = Rerouter(system).shorter(walked(12), asked)
    shortest = explore(system, [asked]).counterexample
    assert shortest is not None
    assert ["walk", "walk", "aside", "leap", "leap"] == [step.action for step in found.steps]
    assert (len(shortest), True) == (len(found.steps), found.shortest)


def test_nothing_is_said_of_what_was_not_looked_at() -> None:
    """Where the search may expand few states the run stays, and is not called a shortest one."""
    system, asked = road()
    found = Rerouter(system, expanded_max=3).shorter(walked(12), asked)
    assert (walked(12), False) == (found.steps, found.shortest)


def test_a_run_that_is_shortest_stays_as_it_is() -> None:
    """A shortest run comes back unchanged, and is called one."""
    system, asked = road()
    once = Rerouter(system).shorter(walked(12), asked)
    again = Rerouter(system).shorter(once.steps, asked)
    assert once == again


def test_a_fixture_is_minimised_by_another_way() -> None:
    """What taking events away leaves at twelve steps, minimising a fixture brings to five."""
    system, asked = road()
    case = Case(system, asked)
    trace = record(system, [(None, "walk", {})] * 12)
    fixture = made("far/walk", case, trace, "not at the end", found_by=FoundBy("stateful"))

    def replays(steps: tuple[Event, ...]) -> bool:
        return all(step.action == "walk" for step in steps) and len(steps) == 12

    assert 12 == len(minimise(fixture.steps, replays))
    smallest = minimised(fixture, case)
    assert (5, 4) == (len(smallest.steps), smallest.violates.step)


def test_a_step_that_must_not_be_is_the_harm() -> None:
    """What never changes is judged by the step: the way found ends with the step that changes it."""
    system, _ = road()
    asked = Property(
        "near", "MUST", SAID, (Clause("is near", PLACE.term < 12),), PLACE.term < 12, expectation="never-changes"
    )
    found = Rerouter(system).shorter(walked(12), asked)
    # The step aside is one away from nearness already, after two steps.
    assert ["walk", "walk", "aside"] == [step.action for step in found.steps]


def test_a_clock_is_left_alone() -> None:
    """The steps of a system with dense time cannot be listed, so its runs stay as they are."""
    now = Variable("now", Real(), 0)
    system = System("clocked", (now,), (Action("tick", "x", (), {}),), clock="now")
    asked = Property("early", "MUST", SAID, (Clause("early", now.term < 5),))
    steps = (Event(7, "x", "tick", {}),)
    assert (steps, False) == ((found := Rerouter(system).shorter(steps, asked)).steps, found.shortest)
