"""Symmetry keeps one state of those that differ in which member is which, and refuses what is no symmetry."""

from __future__ import annotations

from typing import Any

import pytest
import z3

from latchcheck.engines.explicit import Options, Symmetry, explore
from latchcheck.kernel import (
    Action,
    Bool,
    Choice,
    Clause,
    Enum,
    IntRange,
    ModelError,
    Property,
    Sentence,
    System,
    Variable,
    replay,
)
from tests.engines.random_systems import Naive
from tests.engines.toys.two_phase_commit import all_committed, consistent, two_phase_commit

WORDS = Sentence("A toy obeys.", "a toy", "here")
SEARCHERS: tuple[Any, ...] = ("python", "compiled")


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests leave nothing on the disk."""
    monkeypatch.setenv("LATCHCHECK_CACHE", "/dev/null/none")


def managers(count: int) -> Symmetry:
    """The resource managers of two-phase commit."""
    return Symmetry(tuple((f"rm{i}", f"noted{i}", f"sent{i}") for i in range(count)))


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_symmetry_keeps_one_state_of_each_kind(searcher: Any) -> None:
    """Four managers: as many states as there are, among all states, multisets of what the managers are doing."""
    system = two_phase_commit(4)
    rows = managers(4).members
    kinds = {
        (state["tm"], state["sent_commit"], state["sent_abort"], *sorted(tuple(state[n] for n in row) for row in rows))
        for state in Naive(system, [], keep_going=True).order
    }
    found = explore(system, [consistent(system)], options=Options(symmetry=(managers(4),), searcher=searcher))

    assert (found.states, found.violated, found.complete) == (len(kinds), None, True)


def test_a_run_found_by_symmetry_is_a_run() -> None:
    """The shortest commit of three managers has ten steps with symmetry as without, and the stepper executes it."""
    system = two_phase_commit(3)
    found = explore(system, [all_committed(system)], options=Options(symmetry=(managers(3),)))

    assert len(found.witnesses["all-committed"]) == 10
    assert replay(system, found.witnesses["all-committed"])[-1]["rm2"] == "committed"


NAMES = ("a", "b", "c")
HOLDER = Enum("Holder", ("nobody", *NAMES))
HAND = Enum("Hand", ("idle", "waiting"))


def lock(favoured: Any = None) -> System:
    """Three clients that wait for one lock, take it and give it back; one may be favoured."""
    holder = Variable("holder", HOLDER, "nobody")
    hands = {name: Variable(f"hand_{name}", HAND, "idle") for name in NAMES}
    actions = []
    for name, hand in hands.items():
        free = [Clause("it is free", holder.term == HOLDER["nobody"])] if name != favoured else []
        actions += [
            Action(
                f"ask_{name}",
                name,
                (Clause("idle", hand.term == HAND["idle"]), Clause("not holding", holder.term != HOLDER[name])),
                {hand.name: HAND["waiting"]},
            ),
            Action(
                f"take_{name}",
                name,
                (Clause("waiting", hand.term == HAND["waiting"]), *free),
                {hand.name: HAND["idle"], "holder": HOLDER[name]},
            ),
            Action(
                f"give_{name}",
                name,
                (Clause("holding", holder.term == HOLDER[name]),),
                {"holder": HOLDER["nobody"]},
            ),
        ]
    return System("lock", (*hands.values(), holder), actions)


CLIENTS = Symmetry(tuple((f"hand_{name}",) for name in NAMES), {"holder": NAMES})


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_values_that_name_a_member_are_swapped_with_it(searcher: Any) -> None:
    """Free: 2 ** 3 states, 4 by symmetry (how many wait); held: 3 * 2 ** 2, 3 by symmetry."""
    plain = explore(lock(), options=Options(searcher=searcher))
    found = explore(lock(), options=Options(symmetry=(CLIENTS,), searcher=searcher))

    assert (plain.states, found.states) == (8 + 12, 4 + 3)


def test_a_forgotten_reference_is_refused() -> None:
    """Members whose names stand in a variable that the symmetry does not mention do not act alike."""
    with pytest.raises(ModelError, match="'lock' is not symmetric"):
        explore(lock(), options=Options(symmetry=(Symmetry(CLIENTS.members),)))


def test_a_favoured_member_is_refused() -> None:
    """A system that lets one member do more is not symmetric."""
    with pytest.raises(ModelError, match="'lock' is not symmetric"):
        explore(lock(favoured="a"), options=Options(symmetry=(CLIENTS,)))


def test_a_property_of_one_member_is_refused() -> None:
    """A property that speaks of one member alone could hold for the representative and fail for the others."""
    asked = Property("a", "MUST", WORDS, (Clause("a", HOLDER.const("holder") != HOLDER["a"]),))

    with pytest.raises(ModelError, match="'a' does not treat members that swap"):
        explore(lock(), [asked], options=Options(symmetry=(CLIENTS,), keep_going=True))


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_a_variable_of_two_members_moves_with_both(searcher: Any) -> None:
    """Two rows and two columns of bits: 16 states, 7 up to the order of rows and columns."""
    bits = {(r, c): Variable(f"bit{r}{c}", Bool(), False) for r in range(2) for c in range(2)}
    row, column = Choice("row", IntRange(0, 1)), Choice("column", IntRange(0, 1))
    here = {name: z3.And(row.term == name[0], column.term == name[1]) for name in bits}
    flip = Action("flip", "x", (), {v.name: z3.Xor(v.term, here[name]) for name, v in bits.items()}, (row, column))
    rows = Symmetry((("bit00", "bit01"), ("bit10", "bit11")))
    columns = Symmetry((("bit00", "bit10"), ("bit01", "bit11")))
    system = System("bits", tuple(bits.values()), (flip,))

    assert explore(system, options=Options(searcher=searcher)).states == 16
    assert explore(system, options=Options(searcher=searcher, symmetry=(rows, columns))).states == 7


def test_leads_to_is_refused_with_symmetry() -> None:
    """A loop among representatives need not be a loop of the system."""
    asked = Property("a", "MUST", WORDS, (Clause("a", z3.BoolVal(True)),), expectation="leads-to")

    with pytest.raises(ModelError, match="'a' is a leads-to: a loop among representatives"):
        explore(lock(), [asked], options=Options(symmetry=(CLIENTS,)))


@pytest.mark.parametrize(
    ("members", "references", "message"),
    [
        ((("hand_a",), ()), {}, "as many variables each"),
        ((("hand_a",), ("hand_a",)), {}, "none twice"),
        ((("hand_a",), ("holder",)), {}, "'holder' and 'hand_a' hold different things"),
        ((("hand_a",), ("hand_b",)), {"holder": ("a",)}, "needs one value for each of 2 members"),
        ((("hand_a",), ("hand_b",)), {"holder": ("a", "x")}, "'holder' cannot hold all of"),
        ((("hand_a",), ("hand_x",)), {}, "has no variable 'hand_x'"),
    ],
)
def test_what_cannot_be_a_symmetry_is_refused(members: Any, references: Any, message: Any) -> None:
    """Members have the same variables in the same order, references a value for each."""
    with pytest.raises(ModelError, match=message):
        explore(lock(), options=Options(symmetry=(Symmetry(members, references),)))
