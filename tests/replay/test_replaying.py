"""Replaying on the model: a fixture reproduces, or it is stale and says why."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import attrs
import pytest
import z3

from latchcheck.counterexamples import (
    Case,
    Event,
    Fixture,
    FoundBy,
    Stale,
    Violation,
    check,
    check_all,
    made,
    reproduce,
)
from latchcheck.engines.explicit import explore
from latchcheck.engines.exploration import Options
from latchcheck.kernel import Action, Bool, Choice, Clause, Property, Real, System, Variable, record
from tests.engines.toys.two_phase_commit import consistent
from tests.replay.sample import ADD, COUNT, RESET, WORDS, broken_commit, claim, counter, provider, sample


def test_a_fixture_reproduces() -> None:
    """The run is executed again, and its end breaks the clause for the first time."""
    found = check(sample(), provider)

    assert not found.stale
    assert found.trace is not None
    assert len(found.trace) == 7
    assert set(found.trace.steps[-1].changed) <= {"rm0", "rm1"}


def changed(**changes: Any) -> Fixture:
    """The sample with other fields."""
    return attrs.evolve(sample(), **changes)


def with_event(index: int, **changes: Any) -> Fixture:
    """The sample with one event changed."""
    steps = list(sample().steps)
    steps[index] = attrs.evolve(steps[index], **changes)
    return changed(steps=steps)


STALE = [
    (changed(property="consistency"), "there is no property 'consistency'"),
    (changed(policy={"abort": "sometimes"}), "policy: abort cannot be 'sometimes'"),
    (changed(policy={}), "'the resource manager is working' is false"),
    (changed(violates=Violation(6, "agreement")), "has no clause 'agreement'; it has 'not both committed and aborted'"),
    (changed(violates=Violation(5, "not both committed and aborted")), "is broken by step 6, not by step 5"),
    (changed(steps=sample().steps[:6]), "the run no longer breaks 'not both committed and aborted'"),
    (changed(repeats_from=0), "the last step does not lead back to where step 0 begins"),
    (with_event(0, action="RMPrepared"), "step 0: there is no action 'RMPrepared'"),
    (with_event(0, party="tm"), "step 0: 'RMPrepare' is done by 'rm', not by 'tm'"),
    (with_event(0, args={"manager": 0}), "no value for choice 'rm'"),
    (with_event(0, args={"rm": 0, "late": True}), "the action makes no choice 'late'"),
    (with_event(0, args={"rm": 2}), "outside IntRange(lo=0, hi=1)"),
]


@pytest.mark.parametrize(("fixture", "reason"), STALE, ids=[reason for _, reason in STALE])
def test_a_stale_fixture_says_why(fixture: Fixture, reason: str) -> None:
    """A property, switch, clause, action, argument or violation that is gone makes a fixture stale."""
    found = check(fixture, provider)

    assert found.stale
    assert reason in str(found.reason)


def test_many_fixtures_are_judged_one_by_one() -> None:
    """A stale fixture does not keep the next from being replayed."""
    assert [one.stale for one in check_all([sample(), changed(policy={}), sample()], provider)] == [False, True, False]


def test_a_fixture_is_replayed_on_its_own_property() -> None:
    """A case of another property is refused."""
    with pytest.raises(Stale, match="about the property 'consistent', not 'claim'"):
        reproduce(sample(), Case(broken_commit(), claim(z3.BoolVal(True))))


def test_what_is_false_at_once_is_broken_by_no_step() -> None:
    """A clause that is false in the initial state has no run that breaks it."""
    trace = record(counter(), [(None, "add", {"by": 1})])

    with pytest.raises(Stale, match="'it holds' is false before the first step"):
        made("claim/x", Case(counter(), claim(COUNT.term > 0)), trace, "it holds", found_by=FoundBy("explicit"))


def test_the_first_time_counts() -> None:
    """A run that breaks a clause twice is a counterexample by the first step that does."""
    trace = record(counter(), [(None, "add", {"by": 5}), (None, "reset", {}), (None, "add", {"by": 5})])
    found = made("claim/x", Case(counter(), claim(COUNT.term != 5)), trace, "it holds", found_by=FoundBy("explicit"))

    assert found.violates.step == 0


def test_the_antecedent_counts() -> None:
    """Where the antecedent is false, a clause is not broken."""
    case = Case(counter(), claim(COUNT.term != 5, antecedent=COUNT.term < 5))
    trace = record(counter(), [(None, "add", {"by": 5})])

    with pytest.raises(Stale, match="no longer breaks"):
        made("claim/x", case, trace, "it holds", found_by=FoundBy("explicit"))


def test_what_changes_is_found_at_its_step() -> None:
    """From 4 on n stays at least 4: broken by the third step, which starts again, and not by the first."""
    stays = claim(COUNT.term >= 4, antecedent=COUNT.term >= 4, expectation="never-changes")
    trace = record(counter(), [(None, "add", {"by": 4}), (None, "add", {"by": 1}), (None, "reset", {})])
    found = made("claim/x", Case(counter(), stays), trace, "it holds", found_by=FoundBy("explicit"))

    assert found.violates == Violation(2, "it holds")


def test_a_waiting_that_never_ends_is_replayed() -> None:
    """A counter that can start again for ever need not reach 9: it waits from the first step of the circle on."""
    asked = claim(COUNT.term == 9, antecedent=COUNT.term == 1, expectation="leads-to")
    case = Case(counter(), asked)
    trace = record(counter(), [(None, "add", {"by": 1}), (None, "add", {"by": 1}), (None, "reset", {})])
    found = made("claim/x", case, trace, "it holds", found_by=FoundBy("explicit"), repeats_from=0)

    assert found.violates.step == 0
    assert len(reproduce(found, case)) == 3
    with pytest.raises(Stale, match="does not lead back to where step 1 begins"):
        reproduce(attrs.evolve(found, repeats_from=1), case)
    with pytest.raises(Stale, match="needs repeats_from"):
        reproduce(attrs.evolve(found, repeats_from=None), case)
    reached = attrs.evolve(
        found, steps=[*found.steps[:2], attrs.evolve(found.steps[1], args={"by": 7}), found.steps[2]]
    )
    with pytest.raises(Stale, match="what is waited for comes in time"):
        reproduce(reached, case)


def test_a_promise_with_a_bound_is_broken_by_a_run_that_ends() -> None:
    """Two steps after it is 1 the counter is not 9: too late for a bound of two steps, in time for one of three."""
    asked = claim(COUNT.term == 9, antecedent=COUNT.term == 1, expectation="leads-to")
    trace = record(counter(), [(None, "add", {"by": 1}), (None, "add", {"by": 1}), (None, "reset", {})])
    found = made("claim/x", Case(counter(), asked, within=2), trace, "it holds", found_by=FoundBy("explicit"))

    assert found.violates.step == 0
    with pytest.raises(Stale, match="in time"):
        reproduce(found, Case(counter(), asked, within=3))


def test_a_loop_of_the_search_is_a_fixture() -> None:
    """What the exhaustive search finds against a leads-to is replayed as it comes."""
    asked = claim(COUNT.term == 9, antecedent=COUNT.term == 1, expectation="leads-to")
    system = counter(ADD, RESET)
    found = explore(system, [asked], options=Options(fairness=("reset",)))
    assert found.counterexample is not None
    fixture = made(
        "claim/x",
        Case(system, asked),
        found.counterexample,
        str(found.clause),
        found_by=FoundBy("explicit"),
        repeats_from=found.loops["claim"],
    )

    assert len(reproduce(fixture, Case(system, asked))) == len(found.counterexample)


def bell() -> Case:
    """A bell that rings at any instant, after a delay that it picks; it should not ring after 2 ms."""
    now, rung = Variable("now", Real(), 0), Variable("rung", Bool(), False)
    delay = Choice("delay_ms", Real(), 0, 9)
    ring = Action(
        "ring", "bell", (Clause("after the delay", now.term >= delay.term),), {"rung": now.term > 2}, (delay,)
    )
    return Case(
        System("bell", (now, rung), (ring,), "now"),
        Property("quiet", "MUST", WORDS, (Clause("quiet", z3.Not(rung.term)),)),
    )


def test_instants_and_dense_numbers_are_exact() -> None:
    """A run at 7/3 ms with a delay of 5/2 is written and read without loss, and judged as it was."""
    trace = record(
        bell().system, [(1, "ring", {"delay_ms": Fraction(1, 3)}), (Fraction(7, 3), "ring", {"delay_ms": 2})]
    )
    found = made("quiet/late", bell(), trace, "quiet", found_by=FoundBy("smt"), config={})

    from latchcheck.counterexamples import dump, loads

    again = loads(dump(found))
    assert '"args": {"delay_ms": "1/3"}' in dump(found)
    assert reproduce(again, bell()) == trace
    early = attrs.evolve(again, steps=[again.steps[0], attrs.evolve(again.steps[1], at_ms=2)])
    with pytest.raises(Stale, match="no longer breaks"):
        reproduce(early, bell())
    odd = attrs.evolve(again, steps=[attrs.evolve(again.steps[0], args={"delay_ms": "soon"}), again.steps[1]])
    with pytest.raises(Stale, match="choice 'delay_ms' is soon"):
        reproduce(odd, bell())


def test_instants_without_a_clock_are_for_targets() -> None:
    """A system without clock replays a fixture that tells instants."""
    timed = changed(steps=[attrs.evolve(step, at_ms=index) for index, step in enumerate(sample().steps)])

    assert not check(timed, provider).stale


def test_a_step_outside_a_range_is_stale() -> None:
    """A run that the model can no longer execute is stale, whatever stops it."""
    unguarded = attrs.evolve(ADD, guard=())
    system = counter(unguarded)
    case = Case(system, claim(COUNT.term < 9))
    steps = (Event(None, "x", "add", {"by": 9}),)
    found = made("claim/x", case, record(system, [(None, "add", {"by": 9})]), "it holds", found_by=FoundBy("explicit"))

    assert len(reproduce(found, case)) == 1
    with pytest.raises(Stale, match=r"step 1: .* outside"):
        reproduce(attrs.evolve(found, steps=steps * 2), case)


def test_a_reachable_property_is_broken_by_no_run() -> None:
    """What can be reached is not refuted by a run."""
    asked = attrs.evolve(consistent(broken_commit()), expectation="reachable")

    with pytest.raises(Stale, match="no run breaks a property that is 'reachable'"):
        reproduce(sample(), Case(broken_commit(), asked))
