"""The exported TLA+ under TLC, which shares no code with this checker: same states, verdicts and lengths."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import attrs
import pytest
import z3

from latchcheck.engines.explicit import explore
from latchcheck.kernel import Action, Bool, Choice, Clause, Enum, IntRange, Property, Sentence, System, Variable
from latchcheck.report.interchange import to_tla
from latchcheck.report.interchange.dot import graph
from tests.engines.tlc import Run, tlc
from tests.engines.toys.binary_clock import binary_clock, shows_a_bit
from tests.engines.toys.two_phase_commit import all_committed, consistent, two_phase_commit

pytestmark = [pytest.mark.slow, pytest.mark.needs("java")]

WORDS = Sentence("A toy\n obeys é.", "a toy", "here")
COLOUR = Enum("Colour", ("red", 'light "green"', "\\blue"))


def claim(expr: Any, **other: Any) -> Property:
    """A property of one clause."""
    return Property("the-claim", "MUST", WORDS, (Clause("it holds\n(really)", expr),), **other)


def agreed(system: System, properties: list[Property], folder: Path) -> Run:
    """Both checkers on one system, compared in the number of states, the first broken property and its distance."""
    found = tlc(to_tla(system, properties), folder, go_on=True)
    judged = explore(system, properties)
    trace = judged.counterexample

    assert found.states == explore(system).states
    assert found.broken == (judged.violated and judged.violated.replace("-", "_"))
    assert found.steps == (None if trace is None else len(trace))
    return found


def test_the_toys_have_their_published_numbers_of_states(tmp_path: Path) -> None:
    """TLC finds two states of a binary clock and 288 of two-phase commit, and all properties hold."""
    system = two_phase_commit(3)

    assert agreed(binary_clock(), [shows_a_bit()], tmp_path) == Run(2, None, None)
    assert agreed(system, [consistent(system), all_committed(system)], tmp_path) == Run(288, None, None)


def test_more_workers_find_as_many_states(tmp_path: Path) -> None:
    """Two workers of TLC find the 8,832 states of two-phase commit with five managers."""
    assert tlc(to_tla(two_phase_commit(5)), tmp_path, workers=2) == Run(8832, None, None)


def test_a_broken_two_phase_commit_is_caught(tmp_path: Path) -> None:
    """The shortest run on which two managers decide differently has seven steps for TLC too."""
    system = two_phase_commit(2)
    choose = system.action("RMChooseToAbort")
    others = tuple(action for action in system.actions if action is not choose)
    broken = attrs.evolve(system, actions=(*others, attrs.evolve(choose, guard=())))

    found = agreed(broken, [consistent(broken)], tmp_path)
    assert (found.broken, found.steps) == ("consistent", 7)


def operators() -> System:
    """From a start, each action writes what one operator gives, for every pair of operands and a marker of its own."""
    a, b = Choice("a", IntRange(-3, 3)), Choice("b", IntRange(-3, 3))
    p, q, colour = Choice("p", Bool()), Choice("q", Bool()), Choice("colour", COLOUR)
    done = Variable("VARIABLE", IntRange(0, 40), 0)  # a word that TLA+ reserves
    number, truth = Variable("x'y", IntRange(-40, 40), 0), Variable("1st", Bool(), False)
    seen = Variable("Init", COLOUR, "red")
    x, y, s, t, c = a.term, b.term, p.term, q.term, colour.term
    real_x: Any = z3.ToReal(x)
    positive = Clause("no division by zero", y != 0)
    real: Any = real_x * 2 - z3.ToReal(y)
    numbers: list[Any] = [
        x + y,
        x - y - 1,
        x * y,
        -x,
        z3.If(s, x, y),
        z3.ToInt(real),
        z3.Sum([x, y, x, z3.IntVal(-2)]),
        (x + y) * (x + y) - z3.If(x + y > 0, x + y, -(x + y)),
    ]
    truths: list[Any] = [
        z3.And(s, t),
        z3.Or(s, t, x == 1),
        z3.Not(s),
        z3.Implies(s, t),
        z3.Xor(s, t),
        s == t,
        z3.Distinct(x, y, z3.IntVal(1)),
        x != y,
        x <= y,
        x < y,
        x >= y,
        x > y,
        real > real_x,
        z3.IsInt(real),
        c == COLOUR["\\blue"],
        COLOUR.sort.recognizer(1)(c),
        z3.And(),
        z3.Or(),
    ]
    divisions: list[Any] = [x / y, x % y, x / 2, x / -2, x % 3, x % -3, (x - y) / (y * y)]
    written = [(number, e, ()) for e in numbers] + [(truth, e, ()) for e in truths]
    written += [(number, e, (positive,)) for e in divisions]
    idle = Clause("at the start", done.term == 0)
    return System(
        "operators",
        (done, number, truth, seen),
        tuple(
            Action(
                f"write {variable.name} {k}",
                "x",
                (idle, *guard),
                {"VARIABLE": z3.IntVal(k), variable.name: expr, "Init": colour.term},
                (a, b, p, q, colour),
            )
            for k, (variable, expr, guard) in enumerate(written, 1)
        ),
    )


def test_every_operator_means_the_same(tmp_path: Path) -> None:
    """Each operator on every pair of small operands, negative divisors included, leads TLC to as many states."""
    system = operators()

    assert tlc(to_tla(system), tmp_path) == Run(explore(system).states, None, None)


COUNT = Variable("n", IntRange(0, 5), 0)
UP = Action("up", "x", (Clause("below 5", COUNT.term < 5),), {"n": COUNT.term + 1})
DOWN = Action("down", "x", (Clause("at 5", COUNT.term == 5),), {"n": z3.IntVal(2)})


@pytest.mark.parametrize(
    ("actions", "stated", "steps"),
    [
        ((UP, DOWN), claim(COUNT.term < 3), 3),
        ((UP, DOWN), claim(COUNT.term >= 4, antecedent=COUNT.term >= 4, expectation="never-changes"), 6),
        ((UP, DOWN), claim(COUNT.term >= 2, antecedent=COUNT.term >= 2, expectation="never-changes"), None),
        ((UP,), claim(COUNT.term != 0), 0),
        ((UP,), claim(COUNT.term < 3, antecedent=COUNT.term < 3), None),
    ],
    ids=["always", "never-changes", "unchanged", "at once", "dead end"],
)
def test_verdicts_agree(actions: Any, stated: Property, steps: int | None, tmp_path: Path) -> None:
    """A counter up to 5 that falls to 2: the same claims hold, the others break after as many steps."""
    assert agreed(System("counter", (COUNT,), actions), [stated], tmp_path).steps == steps


def test_leads_to_needs_fairness(tmp_path: Path) -> None:
    """The counter comes to 5 where it may not rest for ever; where it may, the claim is not made."""
    system, arrives = System("counter", (COUNT,), (UP,)), claim(COUNT.term == 5, expectation="leads-to")
    module = to_tla(system, [arrives], fair=("up",))

    assert "PROPERTY the_claim\n" in module.cfg
    assert tlc(module, tmp_path) == Run(6, None, None)
    assert "\n\\* PROPERTY the_claim needs a Spec with fairness\n" in to_tla(system, [arrives]).cfg
    never = claim(COUNT.term == 4, antecedent=COUNT.term == 5, expectation="leads-to")
    assert tlc(to_tla(system, [never], fair=("up",)), tmp_path).broken == "Temporal"


def test_a_reachable_claim_is_written_as_the_invariant_that_its_witness_breaks(tmp_path: Path) -> None:
    """Asked for, the invariant of a reachable claim is broken by a run as long as the witness."""
    system = two_phase_commit(2)
    module = to_tla(system, [all_committed(system)])
    asked = attrs.evolve(module, cfg="SPECIFICATION Spec\nINVARIANT Never_all_committed\n")

    # Both prepare, are noted and hear, and the manager commits: 3 + 3 + 1.
    assert tlc(asked, tmp_path).steps == 7


def random_system(seed: int) -> System:
    """Three to five variables and four actions with guards and updates drawn from all the operators that nest."""
    draw = random.Random(seed)  # noqa: S311 - a seed that anybody can repeat
    colour = Enum("Hue", ("red", "green", "blue"))
    numbers = [Variable(f"n{i}", IntRange(0, 4), draw.randint(0, 4)) for i in range(draw.randint(1, 3))]
    truths = [Variable("b", Bool(), draw.random() < 0.5)]
    hues = [Variable("e", colour, "red")]

    def number(depth: int, terms: list[Any]) -> Any:
        if depth == 0:
            return draw.choice([*terms, z3.IntVal(draw.randint(-2, 4))])
        a, b = number(depth - 1, terms), number(depth - 1, terms)
        made = draw.randint(0, 5)
        choices = [a + b, a - b, a * 2, -a, a / draw.choice([2, -3]), z3.If(truth(depth - 1, terms), a, b)]
        return choices[made]

    def truth(depth: int, terms: list[Any]) -> Any:
        if depth == 0:
            return draw.choice([truths[0].term, hues[0].term == colour[draw.choice(colour.values)], terms[0] > 1])
        a, b = truth(depth - 1, terms), truth(depth - 1, terms)
        n, m = number(depth - 1, terms), number(depth - 1, terms)
        made = [z3.And(a, b), z3.Or(a, b), z3.Not(a), z3.Implies(a, b), z3.Xor(a, b), a == b, n < m, n == m, n <= m]
        return draw.choice(made)

    actions = []
    for i in range(4):
        pick = Choice("pick", IntRange(-1, 2))
        terms = [*(variable.term for variable in numbers), pick.term]
        updates: dict[str, Any] = {draw.choice(numbers).name: number(2, terms) % 5, "b": truth(2, terms)}
        if draw.random() < 0.5:
            updates["e"] = z3.If(truth(1, terms), colour["green"], z3.If(truth(1, terms), colour["blue"], hues[0].term))
        actions.append(
            Action(f"act{i}", "x", (Clause("may", z3.Or(truth(1, terms), pick.term == i - 1)),), updates, (pick,))
        )
    return System(f"random {seed}", (*numbers, *truths, *hues), tuple(actions))


@pytest.mark.parametrize("seed", range(6))
def test_random_systems_agree(seed: int, tmp_path: Path) -> None:
    """Systems drawn at random have as many states for TLC, and the farthest of them is as far away."""
    system = random_system(seed)
    last = graph(system).states[-1]
    there = z3.And([v.term == v.domain.literal(last[v.name]) for v in system.variables])

    found = agreed(system, [claim(z3.Not(there))], tmp_path)
    assert found.steps is not None
    assert found.states >= 15
