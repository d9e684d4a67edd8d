"""Leads-to: the goal comes on every fair run, and where it need not, a lasso shows it."""

from __future__ import annotations

from typing import Any

import pytest
import z3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from latchcheck.engines import leads_to as searched_for_loops
from latchcheck.engines.explicit import Options, explore
from latchcheck.kernel import (
    Action,
    Bool,
    Choice,
    Clause,
    IntRange,
    ModelError,
    Property,
    Sentence,
    State,
    System,
    Trace,
    Variable,
    replay,
)
from tests.engines.random_systems import Naive, OutOfRange, properties, systems

WORDS = Sentence("A toy gets there.", "a toy", "here")
N = Variable("n", IntRange(0, 5), 0)
FLAG = Variable("flag", Bool(), False)
UP = Action("up", "x", (Clause("below 5", N.term < 5),), {"n": N.term + 1})
FLIP = Action("flip", "y", (), {"flag": z3.Not(FLAG.term)})


def leads_to(goal: Any, antecedent: Any = None) -> Property:
    """Whenever the antecedent holds, the goal comes."""
    return Property("goal", "MUST", WORDS, (Clause("the goal", goal),), antecedent, "leads-to")


def test_without_fairness_a_system_may_stop() -> None:
    """Nothing forces the first step, so the run that never takes one refutes the goal."""
    found = explore(System("s", (N,), (UP,)), [leads_to(N.term == 5)])

    assert (found.violated, found.clause, found.complete) == ("goal", "the goal", True)
    assert (found.counterexample, found.loops["goal"]) == (Trace("s", ()), 0)


def test_a_fair_action_that_stays_enabled_happens() -> None:
    """Counting is fair and stays enabled up to 5, whatever else flips meanwhile."""
    system = System("s", (N, FLAG), (UP, FLIP))

    assert explore(system, [leads_to(N.term == 5)], options=Options(fairness=["up"])).violated is None
    found = explore(system, [leads_to(N.term == 5)], options=Options(fairness=["flip"]))
    assert found.counterexample is not None
    assert [step.action for step in found.counterexample] == ["flip", "flip"]


def test_weak_fairness_does_not_help_what_is_disabled_again_and_again() -> None:
    """Counting that needs the flag is disabled whenever it is down, so a run may flip for ever and be fair."""
    up = Action("up", "x", (*UP.guard, Clause("the flag is up", FLAG.term)), UP.updates)
    found = explore(
        System("s", (N, FLAG), (up, FLIP)), [leads_to(N.term == 1)], options=Options(fairness=["up", "flip"])
    )

    assert found.counterexample is not None
    assert ([step.action for step in found.counterexample], found.loops["goal"]) == (["flip", "flip"], 0)


def test_the_run_that_is_shown_is_a_shortest_one() -> None:
    """It begins to repeat after the fewest steps, though an earlier antecedent waits longer; then in the fewest."""
    n, ways = (
        N.term,
        ((0, 1, "a"), (1, 2, "b"), (2, 3, "c"), (3, 2, "d"), (1, 4, "e"), (4, 5, "f"), (5, 4, "g"), (4, 4, "h")),
    )
    actions = [Action(name, "x", (Clause("there", n == here),), {"n": z3.IntVal(there)}) for here, there, name in ways]
    system = System("s", (N,), actions)
    # The loops at 2 and at 4 are both two steps away; "h" alone is the shortest, "cd" is no longer than "fg".
    for fair, expected in (("h", "aeh"), ("hf", "abcd"), ("", "")):
        found = explore(system, [leads_to(n == 9, n == 0)], options=Options(fairness=[*"abcde", *fair] if fair else []))
        assert found.counterexample is not None
        assert "".join(step.action for step in found.counterexample) == expected
        assert found.longer == ()


def test_fairness_may_count_each_choice_by_itself() -> None:
    """Serving somebody for ever is fair to serving; it is not fair to each of those who wait."""
    who = Choice("who", IntRange(0, 1))
    served = [Variable(f"served{i}", Bool(), False) for i in range(2)]
    serve = Action("serve", "x", (), {v.name: z3.Or(v.term, who.term == i) for i, v in enumerate(served)}, (who,))
    system = System("s", served, (serve,))
    asked = [leads_to(served[1].term)]

    found = explore(system, asked, options=Options(fairness=["serve"]))
    assert found.counterexample is not None
    assert [dict(step.args) for step in found.counterexample] == [{"who": 0}, {"who": 0}]
    assert found.loops["goal"] == 1
    assert explore(system, asked, options=Options(fairness={"serve": ("who",)})).violated is None


@pytest.mark.parametrize(("steps", "length"), [(5, None), (4, 4), (0, 0)])
def test_a_bound_counts_steps(steps: Any, length: Any) -> None:
    """Five steps lead from 0 to 5: within five the goal comes, within four it has not."""
    options = Options(fairness=["up"], within={"goal": steps})
    found = explore(System("s", (N,), (UP,)), [leads_to(N.term == 5, N.term == 0)], options=options)

    assert (None if found.counterexample is None else len(found.counterexample)) == length
    assert dict(found.loops) == {}


def test_a_search_that_ends_early_leaves_it_open() -> None:
    """Without the whole graph nothing is said for or against."""
    found = explore(System("s", (N,), (UP,)), [leads_to(N.term == 5)], states_max=3)

    assert (found.complete, found.violated, found.stopped) == (False, None, "states")


def test_a_limit_on_memory_counts_what_is_looked_at() -> None:
    """The graph is found in the memory there is; to look for loops in it takes more, which is told and not taken."""
    system, asked = System("s", (N, FLAG), (UP, FLIP)), [leads_to(N.term == 5)]
    enough, least = (Options(fairness=["up"], memory_max_bytes=size) for size in (1_000_000, 5_000))

    assert explore(system, asked, options=enough).complete
    found = explore(system, asked, options=least)
    assert (found.complete, found.violated, found.stopped, found.states) == (False, None, "memory", 12)


@pytest.mark.parametrize(("error", "stopped"), [(KeyboardInterrupt, "interrupt"), (MemoryError, "no-memory")])
def test_what_ends_the_look_for_loops_leaves_it_open(
    monkeypatch: pytest.MonkeyPatch, error: type[BaseException], stopped: str
) -> None:
    """What was covered is told, and the question stays open, where the user or the machine ends it."""

    def ended(*_: Any) -> None:
        raise error

    monkeypatch.setattr(searched_for_loops, "judge", ended)
    system, asked = System("s", (N,), (UP,)), [leads_to(N.term == 5)]
    found = explore(system, asked, options=Options(fairness=["up"], keep_interrupted=True))

    assert (found.complete, found.violated, found.stopped, found.states) == (False, None, stopped, 6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (Options(fairness=["down"]), "no action 'down'"),
        (Options(fairness={"up": ("who",)}), "names a choice 'who'"),
        (Options(within={"other": 3}), "within bounds 'other'"),
    ],
)
def test_options_that_name_nothing_are_refused(options: Any, message: Any) -> None:
    """Fairness names actions and their choices, bounds name leads-to properties."""
    with pytest.raises(ModelError, match=message):
        explore(System("s", (N,), (UP,)), [leads_to(N.term == 5)], options=options)


class Fixpoint:
    """The greatest set of states from which a fair run can avoid the goal, by taking away what cannot."""

    def __init__(self, naive: Naive, asked: Property, fair: set[str]) -> None:
        self.steps = {state: naive.steps(state) for state in naive.order}
        inside = {state for state in naive.order if naive.failing(asked, state)}
        while True:
            before = len(inside)
            for action in fair:
                inside = self._back(inside, {state for state in inside if self._meets(state, action, inside)})
            if len(inside) == before:
                break
        self.broken = any(state in inside and naive.applies(asked, state) for state in naive.order)

    def _meets(self, state: State, action: str, inside: set[State]) -> bool:
        taken = [after for name, after in self.steps[state] if name == action]
        return not taken or any(after in inside for after in taken)

    def _back(self, inside: set[State], goal: set[State]) -> set[State]:
        while True:
            more = {s for s in inside - goal if any(after in goal for _, after in self.steps[s])}
            if not more:
                return goal
            goal = goal | more


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_the_verdict_is_that_of_a_fixpoint(data: st.DataObject) -> None:
    """On random systems under random fairness a lasso exists exactly where the fixpoint leaves a state, and is one."""
    system = data.draw(systems())
    fair = data.draw(st.sets(st.sampled_from([action.name for action in system.actions])))
    asked = data.draw(properties(system, ("leads-to",)))
    try:
        naive = Naive(system, asked, keep_going=True)
    except OutOfRange:
        return
    found = explore(system, asked, options=Options(fairness=sorted(fair)))

    assert {one.id for one in asked if Fixpoint(naive, one, fair).broken} == set(found.counterexamples)
    for one in asked:
        if one.id in found.counterexamples:
            is_a_lasso(naive, one, fair, found.counterexamples[one.id], found.loops[one.id])


def is_a_lasso(naive: Naive, asked: Property, fair: set[str], trace: Trace, begins: int) -> None:
    """The run waits for the goal to its end, comes back to where its loop begins, and is fair."""
    states = replay(naive.system, trace)
    waiting = [bool(naive.failing(asked, state)) for state in states]
    since = max(i for i, state in enumerate(states) if naive.applies(asked, state) and all(waiting[i:]))
    assert since <= len(states)
    assert states[begins] == states[-1]
    for action in fair:
        taken = action in {step.action for step in trace.steps[begins:]}
        disabled = any(action not in {name for name, _ in naive.steps(state)} for state in states[begins:])
        assert taken or disabled
