"""The SMT-LIB script, read back by z3's parser and compared with what the plain stepper does."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest
import z3

from latchcheck.kernel import (
    Action,
    Bool,
    Choice,
    Clause,
    IntRange,
    ModelError,
    Property,
    Real,
    Sentence,
    System,
    Variable,
)
from latchcheck.report.interchange import to_smt2
from latchcheck.report.interchange.dot import graph
from tests.engines.toys.two_phase_commit import consistent, two_phase_commit

WORDS = Sentence("A toy obeys.", "a toy", "here")


def answers(script: str) -> list[str]:
    """The answers to the questions of a script, each part asserted in a solver of its own."""
    declared, *questions = script.split("(push 1)")
    declared = declared[: declared.rindex("(echo")] if questions else declared
    given = []
    for question in questions:
        solver = z3.Solver()
        solver.from_string(declared + question.split("(check-sat)")[0])
        given.append(str(solver.check()))
    return given


def test_the_relation_is_the_one_of_the_stepper() -> None:
    """For each reachable state of two-phase commit, the relation has exactly the successors that stepping finds."""
    system = two_phase_commit(2)
    drawn = graph(system)
    script = to_smt2(system)
    after = [f"{v.name}'" for v in system.variables]
    expected = {k: {edge.after for edge in drawn.edges if edge.before == k} for k in range(len(drawn.states))}
    position = {tuple(map(str, state.values())): k for k, state in enumerate(drawn.states)}

    found = {}
    for k, state in enumerate(drawn.states[:40]):
        solver = z3.Solver()
        fixed = " ".join(f"(= |{name}| {literal(value)})" for name, value in state.items())
        solver.from_string(f"{script}(assert transition)(assert (and {fixed}))")
        found[k] = {position[values] for values in models(solver, after)}
    assert found == {k: expected[k] for k in found}


def literal(value: Any) -> str:
    """A value as the script writes it."""
    return f"|label {value}|" if isinstance(value, str) else str(value).lower()


def models(solver: z3.Solver, names: list[str]) -> set[tuple[str, ...]]:
    """Every assignment to these constants that satisfies the solver, as the words of the stepper."""
    found = set[tuple[str, ...]]()
    while solver.check() == z3.sat:
        model = solver.model()
        terms: dict[str, Any] = {str(d.name()): d() for d in model.decls()}
        values = {name: model.eval(terms[name]) for name in names if name in terms}
        assert len(values) == len(names)
        found.add(tuple(str(values[name]).removeprefix("label ") for name in names))
        solver.add(z3.Or([terms[name] != value for name, value in values.items()]))
    return found


def counter(upper: Any) -> System:
    """Counts in steps of one or two while it is below a limit."""
    count, by = Variable("n", IntRange(0, 100), 0), Choice("by", IntRange(1, 2))
    return System(
        "counter",
        (count,),
        (Action("up", "x", (Clause("below", count.term < upper),), {"n": count.term + by.term}, (by,)),),
    )


@pytest.mark.parametrize(
    ("bound", "expected"), [(10, ["unsat", "sat"]), (11, ["unsat", "unsat"]), (-1, ["sat", "sat"])]
)
def test_induction_is_asked(bound: int, expected: list[str]) -> None:
    """From below 10 in steps of up to two: at most 11 is inductive, at most 10 is not, at most -1 fails at once."""
    stated = Property("low", "MUST", WORDS, (Clause("low", z3.Int("n") <= bound),))
    script = to_smt2(counter(10), stated)

    # A step from n <= -1 is ruled out by the range of n, so the second answer for -1 is unsat as well.
    assert answers(script) == (expected if bound > 0 else ["sat", "unsat"])


def test_a_property_that_is_not_inductive_is_sat() -> None:
    """Consistency of two-phase commit holds, and is not inductive by itself."""
    system = two_phase_commit(2)

    assert answers(to_smt2(system, consistent(system))) == ["unsat", "sat"]


def test_time_advances_within_urgency() -> None:
    """A bell that rings from 5/2 ms on and must have rung by 3 ms rings within [5/2, 3], and never outside."""
    now, rung = Variable("now", Real(), 0), Variable("rung", Bool(), False)
    at = Variable("property", Real(), -1)
    ring = Action(
        "ring",
        "bell",
        (Clause("late enough", now.term >= Fraction(5, 2)),),
        {"rung": z3.BoolVal(True), "property": now.term},
    )
    urgency = (Clause("rung by 3 ms", z3.Or(rung.term, now.term <= 3)),)
    system = System("bell", (now, rung, at), (ring,), "now", urgency=urgency)
    outside = z3.And(rung.term, z3.Or(at.term < Fraction(5, 2), at.term > 3))
    stated = Property("in-time", "MUST", WORDS, (Clause("rings in time", z3.Not(outside)),), antecedent=rung.term)
    script = to_smt2(system, stated)

    # Once it has rung, it may ring again at any later instant: not inductive; without that it is.
    assert answers(script) == ["unsat", "sat"]
    assert answers(script.replace("(assert transition)", "(assert transition)(assert (not |rung|))")) == [
        "unsat",
        "unsat",
    ]


def test_real_numbers_are_written_as_such() -> None:
    """A whole number in a dense expression has its point, as strict solvers ask, and one in an integer has none."""
    now = Variable("now", Real(), 0)
    ring = Action("ring", "x", (Clause("late", now.term >= 2),))
    script = to_smt2(System("bell", (now,), (ring,), "now"))

    assert re.search(r"\(>= \|now'\| 2\.0\)", script)
    assert "(= |now| 0.0)" in script
    assert "(< |n| 10)" in to_smt2(counter(10))


def test_only_always_is_proved_by_induction() -> None:
    """Any other expectation is refused by name."""
    stated = Property("there", "MUST", WORDS, (Clause("there", z3.Int("n") == 1),), expectation="reachable")

    with pytest.raises(ModelError, match="property 'there' is 'reachable'"):
        to_smt2(counter(1), stated)
