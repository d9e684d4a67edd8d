"""Refutation by unrolling, on systems small enough to see through."""

import pytest
import z3

from latchcheck.engines.unrolled import refute
from latchcheck.kernel import Action, Choice, Clause, IntRange, ModelError, Property, Real, Sentence, System, Variable

SAID = Sentence("It stays below.", "test", "here")
COUNT = Variable("count", IntRange(0, 9), 0)
BY = Choice("by", IntRange(1, 3))
ADD = Action(
    "add", "counter", (Clause("there is room", COUNT.term + BY.term <= 9),), {"count": COUNT.term + BY.term}, (BY,)
)


def below(limit: int) -> Property:
    """The count stays below a limit."""
    return Property("below", "MUST", SAID, (Clause("below", COUNT.term < limit),))


@pytest.mark.parametrize(("limit", "steps"), [(0, 0), (1, 1), (3, 1), (4, 2), (9, 3)])
def test_the_fewest_steps_are_found(limit: int, steps: int) -> None:
    """Steps of one to three reach a number in a third of it, rounded up."""
    found = refute(System("counter", [COUNT], [ADD]), below(limit))
    assert found.trace is not None
    assert (steps, steps) == (found.steps, len(found.trace))


def test_a_clause_counts_where_the_antecedent_holds() -> None:
    """A state in which the property says nothing breaks nothing: from eight on takes three steps, not one."""
    asked = Property("low", "MUST", SAID, (Clause("low", COUNT.term < 2),), COUNT.term >= 8)
    assert 3 == refute(System("counter", [COUNT], [ADD]), asked).steps


def test_the_cost_is_that_of_the_question() -> None:
    """What was asked before does not add to what an answer took, though the solver counts on."""
    system = System("counter", [COUNT], [ADD])
    assert refute(system, below(9)).rlimit == refute(system, below(9)).rlimit


def test_what_holds_is_not_refuted() -> None:
    """No run of any of the depths asked breaks what no state breaks."""
    found = refute(System("counter", [COUNT], [ADD]), below(10), steps_max=5)
    assert (None, 5, False) == (found.trace, found.steps, found.unknown)


def test_only_whole_numbers_are_unrolled() -> None:
    """A dense variable is refused with its name, and so is a property that speaks about whole runs."""
    dense = Variable("level", Real(), 0)
    system = System("tank", [dense], [Action("fill", "tap", (), {"level": dense.term + 1})])
    with pytest.raises(ModelError, match="'level' is dense"):
        refute(system, Property("low", "MUST", SAID, (Clause("low", dense.term < 3),)))
    later = Property("later", "MUST", SAID, (Clause("full", COUNT.term == 9),), z3.BoolVal(True), "leads-to")
    with pytest.raises(ModelError, match="always holds"):
        refute(System("counter", [COUNT], [ADD]), later)
