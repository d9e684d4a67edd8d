"""Partial-order reduction: fewer states, and every verdict that of the full search."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import attrs
import pytest
import z3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from latchcheck.engines.explicit import Options, Symmetry, explore
from latchcheck.engines.independence import Numbered, Relations
from latchcheck.engines.layout import Layout
from latchcheck.engines.packed_search import PythonStore
from latchcheck.engines.packed_source import Plan
from latchcheck.engines.reduction import bits
from latchcheck.kernel import (
    Action,
    Bool,
    Clause,
    Enum,
    IntRange,
    ModelError,
    Property,
    Real,
    Sentence,
    System,
    Variable,
    replay,
)
from latchcheck.model.policy import SWITCHES, Policy
from latchcheck.model.scope import Scope
from latchcheck.properties.lifecycle.searches import build
from latchcheck.properties.lifecycle.swapping import symmetries
from tests.benchmarks.relay import no_write_after_cancel, relay
from tests.engines.random_systems import Naive, OutOfRange, Terms, condition, properties, value

WORDS = Sentence("A toy obeys.", "a toy", "here")
COLOURS = Enum("ReductionColour", ("red", "green", "blue"))
DOMAINS = (Bool(), Bool(), COLOURS, IntRange(0, 3))
NOTHING_FOUND = SimpleNamespace(stopped=None, counterexamples={})
"""What a search that has not come far enough tells."""
REDUCED = Options(reduction=True, keep_going=True)


@st.composite
def sparse(draw: Any) -> System:
    """A random system whose actions read and write few variables each: there is something to leave out."""
    variables = tuple(
        Variable(f"x{i}", domain, draw(st.sampled_from(list(domain.members()))))
        for i, domain in enumerate(draw(st.lists(st.sampled_from(DOMAINS), min_size=3, max_size=6)))
    )
    actions = []
    # Parties that never meet: each action knows one half of the variables, or any.
    halves = draw(st.sampled_from(((variables,), (variables[:2], variables[2:]))))
    for i in range(draw(st.integers(2, 6))):
        half = draw(st.sampled_from(halves))
        near = draw(st.lists(st.sampled_from(half), min_size=1, max_size=2, unique=True))
        terms = Terms(tuple(near))
        guard = [Clause(f"clause {j}", condition(draw, terms, 1)) for j in range(draw(st.integers(0, 2)))]
        updates = {}
        for variable in draw(st.lists(st.sampled_from(near), min_size=1, max_size=2, unique=True)):
            new = value(draw, terms, variable.domain)
            if isinstance(variable.domain, IntRange):
                new = z3.If(z3.And(new >= 0, new <= 3), new, variable.term)
            updates[variable.name] = new
        actions.append(Action(f"a{i}", "somebody", guard, updates))
    return System("sparse", variables, actions)


@settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
@given(data=st.data())
def test_a_reduced_search_finds_what_a_naive_search_finds(data: st.DataObject) -> None:
    """Broken, reached and untried properties, lengths of shortest runs and actions that happen: all as in every state.

    Nothing is kept that is not there, and the long runs of the reduced search itself show the same.
    """
    system = data.draw(sparse())
    asked = data.draw(properties(system))
    try:
        naive = Naive(system, asked, keep_going=True)
    except OutOfRange:
        return
    found = explore(system, asked, options=REDUCED)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("latchcheck.engines.reduced_runs._Telling._plain", lambda *_: NOTHING_FOUND)
        long = explore(system, asked, options=REDUCED)

    assert (found.complete, found.reduced, found.longer) == (True, True, ())
    assert found.states <= len(naive.order)
    runs = {**found.counterexamples, **found.witnesses}
    assert {name: len(trace) for name, trace in runs.items()} == naive.lengths
    assert {name for name, times in found.fired.items() if times} == {n for n, times in naive.fired.items() if times}
    assert {name for name, times in found.reached.items() if times} == {
        n for n, times in naive.reached.items() if times
    }
    assert set(long.longer) == set(naive.lengths)
    for one in asked:
        if one.id in naive.lengths:
            trace = {**long.counterexamples, **long.witnesses}[one.id]
            assert shows(naive, one, list(replay(system, trace)))


def shows(naive: Naive, one: Property, states: list[Any]) -> bool:
    """Whether a run ends in what its property is about."""
    if one.expectation == "never-changes":
        return naive.applies(one, states[-2]) and naive.failing(one, states[-2]) != naive.failing(one, states[-1])
    return naive.applies(one, states[-1]) and bool(naive.failing(one, states[-1])) is (one.expectation == "always")


def counters(count: int, highest: int) -> System:
    """Counters that never meet."""
    numbers = [Variable(f"n{i}", IntRange(0, highest), 0) for i in range(count)]
    up = [
        Action(f"up{i}", "x", (Clause("room", n.term < highest),), {n.name: n.term + 1}) for i, n in enumerate(numbers)
    ]
    return System("counters", numbers, up)


def below(system: System, name: str, bound: int) -> Property:
    """One counter stays below a bound."""
    return Property(f"{name}-below-{bound}", "MUST", WORDS, (Clause("below", system.variable(name).term < bound),))


def test_steps_that_do_not_meet_are_taken_in_one_order() -> None:
    """Five counters to six: 7 ** 5 states in all orders, 5 * 6 + 1 in one."""
    system = counters(5, 6)

    assert explore(system).states == 7**5
    assert explore(system, options=Options(reduction=True)).states == 5 * 6 + 1


def test_what_a_property_sees_is_kept_in_every_order() -> None:
    """Two of five counters are compared: all their orders are kept, 7 * 7 states, and the others count up once."""
    system = counters(5, 6)
    n0, n1 = system.variable("n0").term, system.variable("n1").term
    asked = Property("apart", "MUST", WORDS, (Clause("not 6 to 0", z3.Not(z3.And(n0 == 6, n1 == 0))),))
    found = explore(system, [asked], options=REDUCED)

    assert found.violated == "apart"
    assert len(found.counterexamples["apart"]) == 6
    assert found.states <= 7 * 7 + 3 * 6


@pytest.mark.parametrize(("early", "late"), [("n0", "n1"), ("n1", "n0")])
def test_what_a_property_sees_is_not_left_to_the_order(early: Any, late: Any) -> None:
    """Whichever of two counters would be let run first, both may be full while the other is empty."""
    system = counters(2, 3)
    first, second = system.variable(early).term, system.variable(late).term
    asked = Property("apart", "MUST", WORDS, (Clause("apart", z3.Not(z3.And(first == 3, second == 0))),))

    assert explore(system, [asked], options=REDUCED).violated == "apart"


def test_what_may_become_possible_is_waited_for() -> None:
    """Closing would come first and alone, but once the key was turned one may still enter: a step not yet possible."""
    names = ("closed", "key", "inside")
    closed, key, inside = (Variable(name, Bool(), False) for name in names)
    still_open = Clause("open", z3.Not(closed.term))
    actions = (
        Action("close", "x", (still_open,), {"closed": z3.BoolVal(True)}),
        Action("turn", "y", (Clause("not turned", z3.Not(key.term)),), {"key": z3.BoolVal(True)}),
        Action("enter", "z", (Clause("turned", key.term), still_open), {"inside": z3.BoolVal(True)}),
    )
    system = System("door", (closed, key, inside), actions)
    asked = Property("outside", "MUST", WORDS, (Clause("nobody is inside", z3.Not(inside.term)),))

    assert explore(system, [asked], options=REDUCED).violated == "outside"


def test_nothing_is_put_off_for_ever() -> None:
    """A light that can blink for ever does not keep the counter beside it from being looked at."""
    light, n = Variable("light", Bool(), False), Variable("n", IntRange(0, 3), 0)
    blink = Action("blink", "x", (), {"light": z3.Not(light.term)})
    up = Action("up", "y", (Clause("room", n.term < 3),), {"n": n.term + 1})
    system = System("blinking", (light, n), (blink, up))
    found = explore(system, [below(system, "n", 3)], options=REDUCED)

    assert (found.violated, len(found.counterexamples["n-below-3"])) == ("n-below-3", 3)


def test_a_long_run_is_named_where_the_full_search_ends_early() -> None:
    """Where a limit keeps the plain search from the violation, the run of the reduced one is told and named as long."""
    system = counters(5, 6)
    found = explore(system, [below(system, "n4", 6)], states_max=100, options=REDUCED)

    assert (found.violated, found.longer, found.complete) == ("n4-below-6", ("n4-below-6",), True)
    assert replay(system, found.counterexamples["n4-below-6"])[-1]["n4"] == 6


@pytest.mark.parametrize("property_asked", [False, True])
def test_symmetry_and_reduction_together_keep_fewer(property_asked: Any) -> None:
    """Each saves something, both together most, and the verdict is the same."""
    system = relay(2, (1, 2))
    asked = [no_write_after_cancel(system)] if property_asked else []
    swaps = tuple(Symmetry(tuple((f"phase{t}_{w}", f"seen{t}_{w}") for w in range(2))) for t in range(2))
    states = [
        explore(system, asked, options=Options(symmetry=symmetry, reduction=reduction)).states
        for symmetry, reduction in (((), False), (swaps, False), ((), True), (swaps, True))
    ]

    assert states[0] > max(states[1:3]) >= min(states[1:3]) > states[3]


@pytest.mark.parametrize("symmetric", [False, True])
def test_no_more_states_than_spin_keeps(symmetric: Any) -> None:
    """With and without symmetry; Spin, each task told as a process of its own variables, keeps 4,113 of 31,613."""
    system = relay(2, (1, 2))
    swaps = tuple(Symmetry(tuple((f"phase{t}_{w}", f"seen{t}_{w}") for w in range(2))) for t in range(2))
    options = Options(symmetry=swaps if symmetric else (), reduction=True)

    assert explore(system, options=options).states <= 4113


def test_parties_that_never_meet_are_told_apart_the_largest_first() -> None:
    """The steps of each task of a relay are one party, and the task whose version runs further comes first."""
    system = relay(2, (1, 2))
    plan = Plan(system, (), Layout.of(system))
    relations = Relations.of(plan)
    numbered = Numbered(plan)
    numbered.source()
    tasks = [{plan.codes[numbered.fired[at].code][-1] for at in bits(party)} for party in relations.parties]

    assert tasks == [{"1"}, {"0"}]
    assert sum(relations.parties) == (1 << relations.count) - 1


SCOPES = (
    "tasks=1,workers=2,crashes=1,redeliveries=1,cancels=1,attempts=2",
    "tasks=2,workers=1,clients=2,tenants=2,cancels=1",
    "tasks=1,workers=1,clients=1,polls=1,notifications=1,cancels=1",
    "tasks=1,workers=1,clients=1,reissues=1,losses=1,restarts=1,client_crashes=1",
    "tasks=1,workers=1,deadlines=1,silences=1,expiries=1,cancels=1",
    "tasks=1,workers=2,instances=2,cancels=1",
)
FLIPS = [f"{name}={value}" for name, switch in SWITCHES.items() for value in switch.values[1:]]


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    scope=st.sampled_from(SCOPES),
    flips=st.lists(st.sampled_from(FLIPS), max_size=2, unique_by=lambda f: f.split("=")[0]),
    swap=st.booleans(),
)
def test_the_lifecycle_has_the_same_verdicts(scope: Any, flips: Any, swap: Any) -> None:
    """Under random policies each property is broken, or not reached, with reduction exactly where it is without."""
    built, asked = build(Scope.parse(scope), Policy.parse(",".join(flips) or "guarded"))
    symmetry = symmetries(built) if swap else ()
    plain = explore(built.system, asked, options=Options(symmetry=symmetry, keep_going=True), states_max=20_000)
    if not plain.complete:
        return
    found = explore(built.system, asked, options=Options(symmetry=symmetry, keep_going=True, reduction=True))

    assert found.complete
    assert {n: len(t) for n, t in found.counterexamples.items()} == {
        n: len(t) for n, t in plain.counterexamples.items()
    }
    assert {n for n, times in found.reached.items() if times} == {n for n, times in plain.reached.items() if times}
    assert {n for n, times in found.fired.items() if times} == {n for n, times in plain.fired.items() if times}
    assert found.states <= plain.states


def test_what_a_reduction_would_not_keep_is_refused() -> None:
    """Leads-to and clocks are errors that say why and what to do."""
    system = counters(2, 2)
    later = Property("later", "MUST", WORDS, (Clause("up", system.variable("n0").term == 2),), expectation="leads-to")
    now = Variable("now", Real(), 0)
    timed = System("timed", (now,), (), clock="now")

    with pytest.raises(ModelError, match=r"'later' is a leads-to: .* search without reduction"):
        explore(system, [later], options=REDUCED)
    with pytest.raises(ModelError, match=r"'timed' has one, and time passing .* search without reduction"):
        explore(timed, horizon_ms=3, options=REDUCED)
    with pytest.raises(ModelError, match="runs in Python"):
        explore(system, options=Options(reduction=True, searcher="compiled"))


def test_limits_end_a_reduced_search() -> None:
    """States, memory and an interrupt end it cleanly, with what was covered."""
    system = relay(2, (1, 2))
    few = explore(system, states_max=100, options=REDUCED)
    small = explore(system, options=Options(reduction=True, memory_max_bytes=300_000))

    assert (few.states, few.stopped, few.complete) == (100, "states", False)
    assert (small.stopped, small.complete) == ("memory", False)


def test_an_interrupt_of_the_search_for_a_shortest_run_ends_it_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run that the reduction found is told, as one that may be long, and nothing is called complete."""
    n = Variable("n", IntRange(0, 5), 0)
    up = Action("up", "x", (Clause("below 5", n.term < 5),), {"n": n.term + 1})
    asked = [Property(f"below {k}", "MUST", WORDS, (Clause("below", n.term < k),)) for k in (2, 4)]
    begun = []

    def interrupted(search: Any) -> int:
        begun.append(search)
        raise KeyboardInterrupt

    monkeypatch.setattr(PythonStore, "advance", interrupted)
    found = explore(System("s", (n,), (up,)), asked, options=attrs.evolve(REDUCED, keep_interrupted=True))

    assert (found.stopped, found.complete, len(begun)) == ("interrupt", False, 1)
    assert found.longer == ("below 2", "below 4")
    assert {name: len(trace) for name, trace in found.counterexamples.items()} == {"below 2": 2, "below 4": 4}


def test_an_update_out_of_range_is_an_error_as_everywhere() -> None:
    """The action, the variable, the value and the range are named."""
    n = Variable("n", IntRange(0, 2), 0)
    system = System("over", (n,), (Action("up", "x", (), {"n": n.term + 1}),))

    with pytest.raises(ModelError, match=r"'up' sets variable 'n' to 3, outside IntRange.* after 2 steps"):
        explore(system, options=REDUCED)
