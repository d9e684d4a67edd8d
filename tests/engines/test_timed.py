"""Time and dense numbers in packed form: a search over fractions, which shares no code with it, counts the same."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import z3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from latchcheck.engines.explicit import ELAPSE, Options, explore
from latchcheck.kernel import (
    Action,
    Bool,
    Choice,
    Clause,
    IntRange,
    ModelError,
    Property,
    Real,
    System,
    Variable,
    replay,
)
from tests.engines.random_systems import WORDS, Draw

NOW = Variable("now", Real(), 0)
COLUMNS = ("states", "transitions", "depth", "fired", "complete", "violated", "clause", "reached")


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests leave nothing on the disk."""
    monkeypatch.setenv("LATCHCHECK_CACHE", "/dev/null/none")


def number(draw: Draw, holders: list[Any], depth: int = 1) -> Any:
    """A random dense number: a variable, a literal, a sum, a difference or a multiple."""
    kind = draw(
        st.sampled_from(["name", "name", "literal", "sum", "less", "times", "if", "whole"] if depth else ["name"])
    )
    if kind == "name":
        return draw(st.sampled_from(holders))
    if kind == "literal":
        return z3.RealVal(draw(st.sampled_from(["0", "1", "2", "-1", "1/2", "7/3"])))
    one, other = number(draw, holders, depth - 1), number(draw, holders, depth - 1)
    factor = z3.RealVal(draw(st.sampled_from(["2", "1/2", "3/2", "-1", "1/3"])))
    build = {"sum": one + other, "less": one - other, "times": one * factor, "if": z3.If(one < other, one, other)}
    return z3.ToReal(z3.ToInt(one)) if kind == "whole" else build[kind]


def condition(draw: Draw, holders: list[Any]) -> Any:
    """A random comparison of dense numbers, or two."""
    one, other = number(draw, holders), number(draw, holders)
    found = draw(st.sampled_from([one <= other, one < other, one == other, z3.IsInt(one), z3.Not(one == other)]))
    return z3.Or(found, number(draw, holders) > 1) if draw(st.booleans()) else found


@st.composite
def timed_systems(draw: Draw) -> System:
    """A random system with a clock, instants that it notes, dense choices and a count."""
    noted = Variable("noted", Real(), draw(st.sampled_from([0, 1, Fraction(1, 2)])))
    delay, count = Variable("delay", Real(), 1), Variable("count", IntRange(0, 10**15), 0)
    holders = [NOW.term, noted.term, delay.term]
    actions = []
    for i in range(draw(st.integers(1, 3))):
        inside = list(holders)
        choices: tuple[Choice, ...] = ()
        if draw(st.booleans()):
            choices = (Choice("wait", Real(), draw(st.sampled_from([0, Fraction(1, 2), delay.term])), 3),)
            inside.append(choices[0].term)
        guard = [Clause("few", count.term < 4), Clause("when", condition(draw, inside))]
        updates: dict[str, Any] = {"count": count.term + 1}
        for variable in draw(st.sampled_from([[], [noted], [delay], [noted, delay]])):
            updates[variable.name] = number(draw, inside, 2)
        actions.append(Action(f"a{i}", "x", guard, updates, choices))
    urgency = [Clause("soon", condition(draw, holders))] if draw(st.booleans()) else []
    return System("timed", (NOW, noted, delay, count), actions, "now", urgency)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(
    data=st.data(), unit_ms=st.sampled_from([1, Fraction(1, 2), 2]), searcher=st.sampled_from(["python", "compiled"])
)
def test_packed_time_is_exact_time(data: st.DataObject, unit_ms: Any, searcher: Any) -> None:
    """Every number is that of the search over fractions, whatever parts and ranges had to be tried."""
    system = data.draw(timed_systems())
    holders = [variable.term for variable in system.variables[:3]]
    kind: Any = data.draw(st.sampled_from(["always", "never-changes", "reachable"]))
    asked = Property("p", "MUST", WORDS, (Clause("c", condition(data.draw, holders)),), expectation=kind)
    given_: dict[str, Any] = {"horizon_ms": 4, "unit_ms": unit_ms, "states_max": 3000}
    exact = explore(system, [asked], **given_, options=Options(searcher="exact"))
    if exact.stopped == "states":
        return
    found = explore(system, [asked], **given_, options=Options(searcher=searcher))

    if kind == "always":
        # The search over exact values ends in the middle of a state, the packed one before it.
        assert (exact.engine, found.engine) == ("exact", searcher)
    for name in COLUMNS if exact.violated is None else ("violated", "clause", "complete"):
        assert getattr(exact, name) == getattr(found, name), name
    one, other = ({**run.counterexamples, **run.witnesses} for run in (exact, found))
    assert {name: len(trace) for name, trace in one.items()} == {name: len(trace) for name, trace in other.items()}
    for trace in other.values():
        replay(system, trace)


def test_instants_and_dense_choices_of_a_run_are_exact() -> None:
    """A wait of a third of a millisecond, chosen at one half, ends at five sixths."""
    until, done = Variable("until", Real(), 0), Variable("done", Bool(), False)
    wait = Choice("wait", Real(), 0, 1)
    begin = Action(
        "begin",
        "x",
        (Clause("a third", wait.term == z3.RealVal("1/3")), Clause("at one half", NOW.term == z3.RealVal("1/2"))),
        {"until": NOW.term + wait.term},
        (wait,),
    )
    end = Action(
        "end", "x", (Clause("then", z3.And(until.term > 0, NOW.term == until.term)),), {"done": z3.BoolVal(True)}
    )
    system = System("waiting", (NOW, until, done), (begin, end), "now")
    asked = Property("never", "MUST", WORDS, (Clause("not done", z3.Not(done.term)),))
    found = explore(system, [asked], unit_ms=Fraction(1, 6), horizon_ms=2)

    assert found.engine == "python"
    assert found.counterexample is not None
    assert [(step.at_ms, dict(step.args)) for step in found.counterexample] == [
        (Fraction(1, 2), {"wait": Fraction(1, 3)}),
        (Fraction(5, 6), {}),
    ]


@pytest.mark.parametrize("searcher", ["python", "compiled"])
def test_a_number_that_outgrows_its_range_widens_it(searcher: Any) -> None:
    """Doubling from one, a dense number reaches 2 ** 40, far beyond what was assumed of it."""
    big = Variable("big", Real(), 1)
    double = Action("double", "x", (Clause("not yet", big.term < 2**40),), {"big": big.term * 2})
    found = explore(System("big", (big,), (double,)), options=Options(searcher=searcher))

    assert (found.states, found.depth, found.engine) == (41, 40, searcher)


def test_halves_of_halves_make_the_parts_finer() -> None:
    """Halving from one down to 2 ** -20 needs parts of that size, found by trying."""
    small = Variable("small", Real(), 1)
    halve = Action("halve", "x", (Clause("not yet", small.term > Fraction(1, 2**20)),), {"small": small.term / 2})
    found = explore(System("small", (small,), (halve,)))

    assert (found.states, found.engine) == (21, "python")


def test_numbers_finer_than_any_parts_are_searched_exactly() -> None:
    """Halving without end is given up in packed form and searched over fractions until its limit."""
    small = Variable("small", Real(), 1)
    halve = Action("halve", "x", (), {"small": small.term / 2})
    found = explore(System("small", (small,), (halve,)), states_max=100)

    assert (found.complete, found.stopped, found.engine) == (False, "states", "exact")


def test_what_time_cannot_have_is_refused() -> None:
    """Choices of a searcher need packed form; the reason it has none is told."""
    one, other = Variable("one", Real(), 1), Variable("other", Real(), 2)
    divide = Action("divide", "x", (), {"one": one.term / other.term})

    with pytest.raises(ModelError, match="searched over exact values: a division by what is no constant"):
        explore(System("s", (one, other), (divide,)), states_max=9, options=Options(keep_going=True))


def test_time_alone_passes_to_the_horizon() -> None:
    """A clock and nothing else: one state a tick, and the start."""
    found = explore(System("clock", (NOW,), (), "now"), horizon_ms=10)

    assert (found.states, dict(found.fired)) == (11, {ELAPSE: 10})
