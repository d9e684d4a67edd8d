"""Minimising: what is left cannot be made smaller by one change, and still shows the same."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import attrs
import pytest

from latchcheck.counterexamples import Case, Event, FoundBy, made, minimise, minimised
from latchcheck.kernel import Step, record
from latchcheck.kernel.stepping import NotAStep, Stepper
from tests.engines.toys.two_phase_commit import consistent
from tests.replay.sample import CLAUSE, COUNT, broken_commit, claim, counter, sample


def event(action: str, at_ms: Any = None, **args: Any) -> Event:
    """One event of a party that does not matter."""
    return Event(at_ms, "x", action, args)


def actions(steps: tuple[Event, ...]) -> str:
    """The actions as one word."""
    return "".join(step.action for step in steps)


def test_events_that_do_not_matter_are_dropped() -> None:
    """Of twenty events the three that are needed, in their order, are left."""
    steps = tuple(event(letter) for letter in "abcdefghijklmnopqrst")

    def replays(tried: tuple[Event, ...]) -> bool:
        word = actions(tried)
        return all(letter in word for letter in "cjs")

    assert actions(minimise(steps, replays)) == "cjs"


def test_two_events_that_need_one_another_are_dropped_together() -> None:
    """An opening and a closing event far apart go only as a pair."""
    steps = tuple(event(letter) for letter in "a(b)")

    def replays(tried: tuple[Event, ...]) -> bool:
        word = actions(tried)
        return "b" in word and ("(" in word) == (")" in word)

    assert actions(minimise(steps, replays)) == "b"


def test_events_alike_are_merged() -> None:
    """Three waits that are together long enough become one wait of the least length."""
    steps = tuple(event("wait", ms=ms) for ms in (5, 6, 7))

    def replays(tried: tuple[Event, ...]) -> bool:
        return sum(Fraction(str(step.args["ms"])) for step in tried) >= 13

    assert minimise(steps, replays) == (event("wait", ms=13),)


def test_times_are_lowered() -> None:
    """What happens after 7 ms happens at 8, and the rest as soon after it as it may."""
    steps = (event("a", 100), event("b", 5000), event("c", Fraction(12001, 2)))

    def replays(tried: tuple[Event, ...]) -> bool:
        instants = [Fraction(step.at_ms or 0) for step in tried]
        return actions(tried) == "abc" and instants == sorted(instants) and instants[1] > 7

    assert [step.at_ms for step in minimise(steps, replays)] == [0, 8, 8]


def test_a_fraction_becomes_the_whole_number_below_it() -> None:
    """Where two will do, two and a half is told as two."""
    steps = (event("tick", Fraction(5, 2)),)
    assert (event("tick", 2),) == minimise(steps, lambda tried: (tried[0].at_ms or 0) >= 2)


def test_a_fraction_stays_where_no_whole_number_does() -> None:
    """An instant strictly between two whole ones is kept."""
    steps = (event("a", Fraction(5, 2)),)

    assert (
        minimise(steps, lambda tried: len(tried) == 1 and tried[0].at_ms is not None and 2 < tried[0].at_ms < 3)
        == steps
    )


def test_nothing_is_minimised_that_does_not_replay() -> None:
    """A run that shows nothing is an error, not a result."""
    with pytest.raises(ValueError, match="does not replay to begin with"):
        minimise((event("a"),), lambda _: False)


def test_the_number_of_tries_is_bounded() -> None:
    """The predicate is asked no more often than allowed, and the best run so far is the result."""
    asked: list[int] = []
    steps = tuple(event("a", k=k) for k in range(64))

    def replays(tried: tuple[Event, ...]) -> bool:
        asked.append(len(tried))
        return True

    assert len(minimise(steps, replays, tries_max=3)) == 16
    assert asked == [64, 32, 16]


def test_no_run_is_tried_twice() -> None:
    """A run that failed once is not executed again."""
    seen: list[tuple[Event, ...]] = []
    steps = tuple(event(letter) for letter in "abcab")

    def replays(tried: tuple[Event, ...]) -> bool:
        seen.append(tried)
        return actions(tried).count("a") == 2

    assert actions(minimise(steps, replays)) == "aa"
    assert len([tried for tried in seen if actions(tried).count("a") != 2]) == len(
        {tried for tried in seen if actions(tried).count("a") != 2}
    )


def wander(seed: int) -> list[Step]:
    """The first random run of the broken two-phase commit that comes to an inconsistent state, up to there."""
    draw, system = random.Random(seed), broken_commit(3)  # noqa: S311 - a seed that anybody can repeat
    # A manager that aborts everything early would end most runs without a result.
    drawn = [action for action in system.actions if action.name != "TMAbort"]
    while True:
        stepper, steps = Stepper(system), list[Step]()
        for _ in range(60):
            action = draw.choice(drawn)
            args = {choice.name: draw.randint(0, 2) for choice in action.choices}
            try:
                state = stepper.do(None, action.name, args)
            except NotAStep:
                continue
            steps.append(Step(None, action.party, action.name, args))
            if {"committed", "aborted"} <= {state[f"rm{i}"] for i in range(3)}:
                return steps


@pytest.mark.parametrize("seed", range(4))
def test_a_random_run_becomes_as_short_as_the_shortest(seed: int) -> None:
    """Random runs of three managers become nine steps: 3 prepare, 3 are noted, one decides, hears, another aborts."""
    system = broken_commit(3)
    case = Case(system, consistent(system))
    trace = record(system, [(None, step.action, step.args) for step in wander(seed)])
    found = made("consistent/late-abort", case, trace, CLAUSE, found_by=FoundBy("stateful", seed))

    smallest = minimised(found, case)
    assert (len(smallest.steps), smallest.minimal.steps, smallest.violates.step) == (9, 9, 8)


def test_what_is_smallest_already_stays_as_it_is() -> None:
    """A fixture that cannot be made smaller keeps every field, the answers of the guarded model included."""
    told = tuple(attrs.evolve(step, guarded={"decision": "ALLOW", "seen": ["a", {"b": 1}]}) for step in sample().steps)
    system = broken_commit()
    # The lowest manager that will do is picked already, except where two differ.
    case = Case(system, consistent(system))
    smallest = minimised(attrs.evolve(sample(), steps=told), case)

    again = minimised(attrs.evolve(smallest, steps=[attrs.evolve(s, guarded={"x": [1]}) for s in smallest.steps]), case)
    assert [step.guarded for step in again.steps] == [{"x": [1]}] * 7


def test_numbers_are_lowered_on_a_system() -> None:
    """Adding up to more than 4 takes one step of 5."""
    system = counter()
    case = Case(system, claim(COUNT.term <= 4))
    trace = record(
        system, [(None, "add", {"by": 2}), (None, "reset", {}), (None, "add", {"by": 1}), (None, "add", {"by": 8})]
    )
    found = made("claim/x", case, trace, "it holds", found_by=FoundBy("stateful"))

    assert minimised(found, case).steps == (Event(None, "x", "add", {"by": 5}),)


def test_a_run_that_goes_on_for_ever_is_left_alone() -> None:
    """A circle is not cut."""
    system, asked = counter(), claim(COUNT.term == 9, antecedent=COUNT.term == 1, expectation="leads-to")
    trace = record(system, [(None, "add", {"by": 1}), (None, "reset", {}), (None, "add", {"by": 1})])
    found = made("claim/x", Case(system, asked), trace, "it holds", found_by=FoundBy("explicit"), repeats_from=1)

    assert minimised(found, Case(system, asked)) is found
