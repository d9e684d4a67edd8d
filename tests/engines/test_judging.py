"""What a plan of searches answers as a whole."""

from __future__ import annotations

from typing import Any

import pytest
import z3

from latchcheck.engines import judging
from latchcheck.engines.judging import Explored
from latchcheck.engines.questions import Plan, Search
from latchcheck.kernel import Action, Bool, Clause, Property, Sentence, System, Variable
from latchcheck.kernel.verdict import PropertyVerdict, Verdict

LAMP = Variable("on", Bool(), initial=False)
SYSTEM = System("lamp", [LAMP], [Action("switch", "hand", (), {"on": z3.Not(LAMP.term)})])
SAID = Sentence("It is lit.", "test", "here")


def explored(*words: Verdict, interrupted: bool = False) -> Explored:
    """A plan that was answered with these words."""
    answers = tuple(PropertyVerdict(f"p{n}", "MUST", word, "explicit", SAID) for n, word in enumerate(words))
    plan = Plan("one lamp", {}, {}, (Search(SYSTEM, (), "one lamp"),), (), ())
    return Explored(plan, (), answers, interrupted)


@pytest.mark.parametrize(
    ("words", "interrupted", "code"),
    [
        (["holds"], False, 0),
        (["holds"], True, 4),
        (["holds", "violated"], True, 1),
        (["vacuous"], True, 5),
    ],
)
def test_who_ends_a_search_gets_no_pass(words: list[Verdict], interrupted: bool, code: int) -> None:  # noqa: FBT001
    """An interrupt is inconclusive beside whatever was answered by then; a violation that was found still counts."""
    assert code == explored(*words, interrupted=interrupted).exit


def test_an_action_that_no_search_fired_is_named() -> None:
    """Without any search nothing has fired and nothing is complete."""
    found = explored("holds")
    assert (("switch",), False, 0) == (found.never_fired, found.complete, found.depth)


def test_an_interrupt_while_a_search_is_told_is_no_search_that_never_began(monkeypatch: pytest.MonkeyPatch) -> None:
    """The property under way and those after it have reasons of their own."""

    def ended(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(judging, "_made", ended)
    lit = [Property(name, "MUST", SAID, (Clause("lit", LAMP.term),)) for name in ("first", "second")]
    plan = Plan("one lamp", {}, {}, tuple(Search(SYSTEM, (one,), "one lamp") for one in lit), (), ("first", "second"))
    found = judging.answer(plan)

    assert [judging.NOT_ENDED, judging.NOT_BEGUN] == [one.reason for one in found.properties]
    assert (4, True) == (found.exit, found.interrupted)
