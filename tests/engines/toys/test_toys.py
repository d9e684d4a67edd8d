"""The search on models whose numbers of states are known: published, or small enough to count on paper."""

from fractions import Fraction
from itertools import product
from typing import Any

import attrs
import pytest
import z3

from latchcheck.engines.explicit import ELAPSE, explore
from latchcheck.kernel import (
    Action,
    Bool,
    Choice,
    Clause,
    Enum,
    FrozenMap,
    IntRange,
    ModelError,
    NotAStep,
    Property,
    Real,
    Sentence,
    State,
    Step,
    System,
    Variable,
    execute,
    replay,
)
from tests.engines.toys.binary_clock import binary_clock, shows_a_bit
from tests.engines.toys.two_phase_commit import all_aborted, all_committed, consistent, two_phase_commit

WORDS = Sentence("A toy obeys.", "a toy", "here")


def claim(expr: Any, **other: Any) -> Property:
    """A property of one clause labelled "it holds"."""
    return Property("claim", "MUST", WORDS, (Clause("it holds", expr),), **other)


def test_a_binary_clock_has_two_states() -> None:
    """The clock shows two values, each step leads to the other, and it always shows one of them."""
    found = explore(binary_clock(), [shows_a_bit()])

    assert (found.states, found.transitions, found.depth, found.complete) == (2, 2, 1, True)
    assert (dict(found.fired), found.violated) == ({"tick": 1, "tock": 1}, None)


@pytest.mark.parametrize(("managers", "states"), [(3, 288), (5, 8832)])
def test_two_phase_commit_has_its_published_number_of_states(managers: Any, states: Any) -> None:
    """Two-phase commit has as many reachable states as published, and nobody ever decides differently."""
    system = two_phase_commit(managers)
    found = explore(system, [consistent(system), all_committed(system), all_aborted(system)])

    assert (found.states, found.complete, found.violated) == (states, True, None)


def test_two_phase_commit_commits_after_ten_steps() -> None:
    """Three managers commit after 3 steps each (prepare, be noted, hear) and one commit; they abort after 3."""
    system = two_phase_commit(3)
    found = explore(system, [all_committed(system), all_aborted(system)])

    assert {name: len(trace) for name, trace in found.witnesses.items()} == {"all-committed": 10, "all-aborted": 3}


def test_a_broken_two_phase_commit_is_caught() -> None:
    """A manager that aborts although it has prepared can meet a commit: prepare, noted, commit, heard, abort."""
    system = two_phase_commit(2)
    choose = system.action("RMChooseToAbort")
    broken = attrs.evolve(
        system, actions=(*(a for a in system.actions if a is not choose), attrs.evolve(choose, guard=()))
    )
    found = explore(broken, [consistent(broken)])

    assert (found.violated, found.clause) == ("consistent", "not both committed and aborted")
    assert found.counterexample is not None
    # Both prepare and are noted, the decision, one hears it, the other aborts: 2 + 2 + 1 + 1 + 1.
    assert len(found.counterexample) == 7
    end = replay(broken, found.counterexample)[-1]
    assert {end["rm0"], end["rm1"]} == {"committed", "aborted"}


# A bell: rings once, at any instant from 2 ms on, and not later than at 3 ms.
now, rung = Variable("now", Real(), 0), Variable("rung", Bool(), False)


def bell(earliest: Any = now.term >= 2, **other: Any) -> System:
    """The bell, with another condition on when it may ring or other parts of a System."""
    ring = Action(
        "ring",
        "bell",
        (Clause("not yet", z3.Not(rung.term)), Clause("late enough", earliest)),
        {"rung": z3.BoolVal(True)},
    )
    given: dict[str, Any] = {"urgency": (Clause("rung by 3 ms", z3.Or(rung.term, now.term <= 3)),), **other}
    return System("bell", (now, rung), (ring,), "now", **given)


def test_time_passes_while_urgency_allows_it() -> None:
    """Silent at 0, 1, 2, 3 and rung at 2, 3, 4, 5: 8 states, 3 + 3 ticks and 2 rings between them."""
    found = explore(bell(), horizon_ms=5)

    assert (found.states, found.transitions, found.depth) == (8, 8, 6)
    assert dict(found.fired) == {"ring": 2, ELAPSE: 6}


def test_a_finer_tick_finds_the_instants_between() -> None:
    """With ticks of half a millisecond: silent at 7 instants from 0 to 3, rung at 7 from 2 to 5."""
    found = explore(bell(), horizon_ms=5, unit_ms=Fraction(1, 2))

    assert (found.states, found.fired["ring"]) == (14, 3)


def test_a_timed_counterexample_tells_instants_and_no_ticks() -> None:
    """The first ring later than 2 ms is at 2.5 ms; the run to it has one event, executed again at its instant."""
    system = bell(earliest=now.term > 2)
    found = explore(system, [claim(z3.Not(rung.term))], horizon_ms=5, unit_ms=Fraction(1, 2))

    assert found.counterexample is not None
    assert [(step.at_ms, step.action) for step in found.counterexample] == [(Fraction(5, 2), "ring")]
    assert replay(system, found.counterexample)[-1] == {"now": Fraction(5, 2), "rung": True}


def test_no_event_happens_at_an_instant_that_urgency_forbids() -> None:
    """A bell that must have rung by 1 ms and may not ring before 2 is stuck at 1 ms."""
    found = explore(bell(urgency=(Clause("rung by 1 ms", z3.Or(rung.term, now.term <= 1)),)), horizon_ms=5)

    assert (found.states, dict(found.fired)) == (2, {"ring": 0, ELAPSE: 1})


def test_an_event_may_close_its_own_instant() -> None:
    """After an event that makes urgency false, nothing happens any more, just as the plain stepper has it."""
    spent = Variable("spent", Bool(), False)
    spend = Action("spend", "x", (), {"spent": z3.BoolVal(True)})
    system = System("dead end", (now, spent), (spend,), "now", urgency=(Clause("nothing spent", z3.Not(spent.term)),))

    assert dict(explore(system, horizon_ms=1).fired) == {"spend": 2, ELAPSE: 1}


def waiter(lower: Any, upper: Any) -> System:
    """Once, at time 0, picks how long to wait."""
    until_ms = Variable("until_ms", Real(), -1)
    delay_ms = Choice("delay_ms", Real(), lower, upper)
    guard = (Clause("not yet", until_ms.term < 0), Clause("a whole wait", delay_ms.term != 2))
    return System("waiter", (until_ms,), (Action("wait", "x", guard, {"until_ms": delay_ms.term}, (delay_ms,)),))


@pytest.mark.parametrize(
    ("lower", "upper", "unit_ms", "waits"),
    [
        (z3.RealVal("1/2"), z3.RealVal("7/2"), 1, 2),  # 1, 3: the ends are no ticks, and the guard rules out 2
        (0, 3, 1, 3),  # 0, 1, 3
        (1, 2, Fraction(1, 4), 4),  # 1, 5/4, 3/2, 7/4
        (-100, 100, 50, 5),  # -100, -50, 0, 50, 100
        (3, 1, 1, 0),
    ],
)
def test_a_dense_choice_is_read_in_ticks(lower: Any, upper: Any, unit_ms: Any, waits: Any) -> None:
    """A dense choice takes every multiple of the tick within its bounds that the guard allows."""
    found = explore(waiter(lower, upper), unit_ms=unit_ms, states_max=50)

    # From a negative wait it waits again, to every other value.
    again = 3 if lower == -100 else 1
    assert (found.states, found.transitions) == (waits + 1, waits * again)


def test_bounds_of_a_choice_may_come_from_the_caller() -> None:
    """A choice without bounds takes those of the call; without either the search says what is missing."""
    system = waiter(None, None)

    assert explore(system, bounds={"delay_ms": (3, 5)}).states == 4
    with pytest.raises(ModelError, match="action 'wait' picks 'delay_ms' from all numbers; give the Choice lower"):
        explore(system)


def test_the_choices_of_a_counterexample_are_found_again() -> None:
    """The counterexample names the values that were picked, of every kind of choice."""
    colour = Enum("TwoColours", ("red", "green"))
    one, two = Choice("one", colour), Choice("two", IntRange(1, 3))
    three = Choice("three", Bool())
    shown, count = Variable("shown", colour, "red"), Variable("count", IntRange(0, 9), 0)
    guard = (Clause("three", three.term), Clause("not one", two.term > 1))
    show = Action("show", "x", guard, {"shown": one.term, "count": two.term}, (one, two, three))
    system = System("s", (shown, count), (show,))
    found = explore(system, [claim(z3.Not(z3.And(shown.term == colour["green"], count.term == 3)))])

    assert found.counterexample is not None
    assert [dict(step.args) for step in found.counterexample] == [{"one": "green", "two": 3, "three": True}]


COUNT = Variable("n", IntRange(0, 5), 0)
UP = Action("up", "x", (Clause("below 5", COUNT.term < 5),), {"n": COUNT.term + 1})
DOWN = Action("down", "x", (Clause("at 5", COUNT.term == 5),), {"n": z3.IntVal(2)})


def counter() -> System:
    """Counts to 5 and then falls back to 2."""
    return System("counter", (COUNT,), (UP, DOWN))


def test_the_shortest_counterexample_is_found() -> None:
    """The first state in which n is not below 3 is three steps away."""
    found = explore(counter(), [claim(COUNT.term < 3)])

    assert found.counterexample is not None
    assert (len(found.counterexample), found.violated, found.clause, found.complete) == (3, "claim", "it holds", False)


def test_a_property_that_never_applied_shows_it() -> None:
    """An antecedent that no state meets was reached zero times."""
    found = explore(counter(), [claim(z3.BoolVal(False), antecedent=COUNT.term > 7)])

    assert (found.violated, dict(found.reached)) == (None, {"claim": 0})


def test_what_never_changes_is_judged_on_every_step() -> None:
    """From 4 on, n stays at least 4: broken only by the fall from 5 to 2, a step back to a known state."""
    found = explore(counter(), [claim(COUNT.term >= 4, antecedent=COUNT.term >= 4, expectation="never-changes")])

    assert found.counterexample is not None
    assert [step.action for step in found.counterexample] == ["up"] * 5 + ["down"]
    assert replay(counter(), found.counterexample)[-1] == {"n": 2}


def test_what_may_change_before_never_changes_after() -> None:
    """Whether n is at least 2 changes on the way up and never again."""
    found = explore(counter(), [claim(COUNT.term >= 2, antecedent=COUNT.term >= 2, expectation="never-changes")])

    assert (found.violated, found.reached["claim"], found.complete) == (None, 4, True)


def test_what_is_not_reachable_has_no_witness() -> None:
    """After a complete search a reachable property without witness is unreachable, one with witness has its run."""
    found = explore(counter(), [claim(COUNT.term == 4, expectation="reachable")])
    none = explore(counter(), [claim(COUNT.term == 4, antecedent=COUNT.term < 4, expectation="reachable")])

    assert (len(found.witnesses["claim"]), dict(none.witnesses), none.complete) == (4, {}, True)


def test_leads_to_is_refused_with_a_clock() -> None:
    """A search in ticks ends at a horizon, so it says that it cannot judge what happens for ever."""
    with pytest.raises(ModelError, match="'claim' is a leads-to, and 'bell' has a clock"):
        explore(bell(), [claim(rung.term, expectation="leads-to")], horizon_ms=5)


def test_a_range_left_is_an_error_of_the_model() -> None:
    """An update beyond its range stops the search with the action, the variable and the distance."""
    up = attrs.evolve(UP, guard=())

    with pytest.raises(ModelError, match=r"'up' sets variable 'n' to 6, outside IntRange\(lo=0, hi=5\), after 5 steps"):
        explore(System("counter", (COUNT,), (up,)))


@pytest.mark.parametrize(("states_max", "complete"), [(6, True), (5, False)])
def test_a_limit_on_states_is_told(states_max: Any, complete: Any) -> None:
    """A search that reaches its limit is not complete; one that needs just so many states is."""
    assert explore(counter(), states_max=states_max).complete is complete


def test_open_parameters_are_refused() -> None:
    """A system with an open parameter is not searched."""
    limit = z3.Int("limit")
    up = attrs.evolve(UP, guard=(Clause("below", COUNT.term < limit),))
    system = System("counter", (COUNT,), (up,), parameters={"limit": limit})

    with pytest.raises(ModelError, match="no number for limit"):
        explore(system)
    assert explore(system.at({"limit": 2})).states == 3


def test_an_action_may_not_be_called_elapse() -> None:
    """The name of passing time is taken in a system with a clock."""
    with pytest.raises(ModelError, match="has an action named 'elapse'"):
        explore(System("s", (now,), (Action("elapse", "x"),), "now"), horizon_ms=1)


@pytest.mark.parametrize("system", [two_phase_commit(2), counter(), binary_clock()], ids=lambda system: system.name)
def test_the_search_and_the_plain_stepper_agree(system: System) -> None:
    """Trying every action with every choice by the plain stepper, from every state, finds as many states and steps."""
    runs: dict[State, list[Step]] = {execute(system, [])[-1]: []}
    waiting, taken = list(runs), 0
    while waiting:
        run = runs[waiting.pop()]
        for action in system.actions:
            for values in product(*(choice.domain.members() for choice in action.choices)):
                args = FrozenMap(dict(zip((choice.name for choice in action.choices), values, strict=True)))
                step = Step(None, action.party, action.name, args)
                try:
                    state = execute(system, [*run, step])[-1]
                except NotAStep:
                    continue
                taken += 1
                if state not in runs:
                    runs[state] = [*run, step]
                    waiting.append(state)

    found = explore(system)
    assert (found.states, found.transitions) == (len(runs), taken)
