"""Readings with fairness assumptions, against every lasso of a toy judged by the definitions."""
# ruff: noqa: E501 - two sentences side by side are compared at a glance

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs
import pytest

from latchcheck.wording.files import Reading
from latchcheck.wording.grammar import parse
from latchcheck.wording.relations import compare
from tests.wording.brute import Moment, obeys, runs, truth
from tests.wording.lamp import MEANING, lamp_model, lamp_system

OFF, SHUT = "the lamp is put off", "the door is shut"
ON, DOOR, BROKEN = "the lamp is on", "the door is open", "the lamp is broken"
ACTION = {OFF: "switch_off", SHUT: "shut"}
STEPS_MAX = 6
PAIRS = (
    ((f"globally, if {DOOR}, then eventually not {DOOR}", SHUT), (f"globally, if {DOOR}, then eventually not {DOOR}",)),
    ((f"globally, if {ON}, then eventually not {ON}", OFF), (f"globally, if {ON}, then eventually not {ON}",)),
    ((f"globally, if {ON}, then eventually {BROKEN}", OFF), (f"globally, if {ON}, then eventually not {ON}", OFF)),
    ((f"globally, if {ON}, then eventually {BROKEN}", OFF), (f"globally, if {ON}, then eventually {BROKEN}",)),
    ((f"globally, it is eventually the case that {DOOR}", SHUT), (f"globally, it is eventually the case that {DOOR}",)),
    ((f"globally, if {DOOR}, then eventually not {DOOR}", SHUT), (f"globally, if {DOOR}, then eventually not {DOOR}", SHUT, OFF)),
    ((f"after {ON}, if {DOOR}, then eventually not {DOOR}", OFF), (f"globally, if {DOOR}, then eventually not {DOOR}", OFF)),
    ((f"globally, if {ON}, then eventually {DOOR}", OFF), (f"globally, if {ON}, then eventually {DOOR}", SHUT)),
    ((f"globally, if {ON} and {DOOR}, then eventually not {ON} or not {DOOR}", OFF), (f"globally, if {ON} and {DOOR}, then eventually not {ON} or not {DOOR}", SHUT)),
    ((f"globally, it is never the case that {BROKEN}", OFF), (f"globally, if {ON}, then eventually not {ON}",)),
)  # fmt: skip
MODEL = lamp_model()


@attrs.frozen
class Lasso:
    """A run whose moments from `loop` on repeat for ever; None where it stops."""

    run: Sequence[Moment]
    loop: int | None

    @property
    def rounds(self) -> list[Moment]:
        """The run, and three rounds more."""
        again = () if self.loop is None else tuple(self.run[self.loop + 1 :])
        return [*self.run, *again * 3]

    @property
    def length(self) -> tuple[int, int]:
        """The steps before it stops or begins to repeat, then all of them."""
        steps = len(self.run) - 1
        return (steps if self.loop is None else self.loop), steps

    def fair_to(self, action: str) -> bool:
        """Whether an action that could always happen does."""
        states = [one.state for one in self.run[-1 if self.loop is None else self.loop :]]
        able = [state["lamp"] == "on" if action == "switch_off" else bool(state["door"]) for state in states]
        taken = self.loop is not None and any(one.action == action for one in self.run[self.loop + 1 :])
        return taken or not all(able)


def lassos() -> Iterator[Lasso]:
    """Every run of up to STEPS_MAX steps that may stop at its end, and every one that comes back to a state."""
    for run in runs(lamp_system(), STEPS_MAX):
        yield Lasso(run, None)
        for i in range(len(run) - 1):
            if run[i].state == run[-1].state:
                yield Lasso(run, i)


def broken(one: Reading, lasso: Lasso) -> bool:
    """Whether a lasso that meets what a reading assumes breaks it."""
    if not all(lasso.fair_to(ACTION[name]) for name in one.assuming):
        return False
    sentence, rounds = one.sentence, lasso.rounds
    if sentence.pattern != "response":
        return not obeys(sentence, rounds, MEANING)
    opened = sentence.scope.opens
    begin = (
        0 if opened is None else next((i + 1 for i, at in enumerate(rounds) if truth(opened, at, MEANING)), len(rounds))
    )
    assert sentence.second is not None
    answers = [truth(sentence.second, at, MEANING) for at in rounds]
    # What is asked in the run itself, or in the first round after it, is asked again in each later one.
    asked = range(begin, len(rounds) if lasso.loop is None else min(len(rounds), 2 * len(lasso.run)))
    return any(truth(sentence.first, rounds[i], MEANING) and not any(answers[i:]) for i in asked if i < len(lasso.run))


@pytest.fixture(scope="module")
def every() -> list[Lasso]:
    """Every lasso of the toy."""
    return list(lassos())


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_a_relation_under_fairness_is_that_of_all_lassos(
    a: tuple[str, ...], b: tuple[str, ...], every: list[Lasso]
) -> None:
    """The relation is that of all lassos, and none stops or begins to repeat sooner, or repeats in fewer steps."""
    one, other = (Reading("r", text, parse(text, MODEL.vocabulary), tuple(given)) for text, *given in (a, b))
    judged = [(broken(one, lasso), broken(other, lasso), lasso.length) for lasso in every]
    weak = min((length for first, second, length in judged if second and not first), default=None)
    strong = min((length for first, second, length in judged if first and not second), default=None)
    found = {split.obeys: split for split in compare(MODEL, one, other).splits}
    expected = {side: length for side, length in (("A", weak), ("B", strong)) if length is not None}
    assert expected.keys() == found.keys()
    lengths = {side: split.length for side, split in found.items()}
    assert expected == lengths
