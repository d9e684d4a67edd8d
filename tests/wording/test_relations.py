"""The relation of two readings, against every run of a toy judged by the definitions."""
# ruff: noqa: E501 - two sentences side by side are compared at a glance

from __future__ import annotations

from functools import cache

import pytest

from latchcheck.kernel import replay
from latchcheck.wording.files import Reading
from latchcheck.wording.grammar import parse
from latchcheck.wording.relations import Difference, compare
from latchcheck.wording.separating import Split
from tests.wording.brute import Moment, obeys, relation, runs
from tests.wording.lamp import MEANING, STEPS_MAX, lamp_model, lamp_system

ON, BROKEN, DOOR = "the lamp is on", "the lamp is broken", "the door is open"
PAIRS = (
    (f"globally, it is never the case that {BROKEN}", "globally, it is never the case that the lamp breaks"),
    (f"globally, it is never the case that {BROKEN} and {DOOR}", f"globally, it is never the case that {BROKEN}"),
    (f"globally, it is never the case that {BROKEN} or {DOOR}", f"globally, it is never the case that {BROKEN}"),
    (f"globally, it is always the case that not {ON}", f"globally, it is never the case that {ON}"),
    (f"after {ON}, it is never the case that {DOOR}", f"from {ON}, it is never the case that {DOOR}"),
    (f"after {ON}, it is never the case that the door moves", f"from {ON}, it is never the case that the door moves"),
    (f"after {ON}, it is never the case that {ON}", f"from {ON}, it is never the case that {ON}"),
    (f"before {ON}, it is never the case that {DOOR}", f"globally, if {ON}, then before that {DOOR}"),
    (f"before {BROKEN}, it is never the case that {DOOR}", f"before the lamp breaks, it is never the case that {DOOR}"),
    (f"before {BROKEN}, it is eventually the case that {DOOR}", f"globally, if {BROKEN}, then before that {DOOR}"),
    (f"globally, if {ON}, then before that {DOOR}", f"globally, if {ON}, then at that moment {DOOR}"),
    (f"globally, if {ON}, then eventually {DOOR}", f"globally, if {ON}, then at that moment {DOOR}"),
    (f"globally, if {ON}, then eventually {DOOR}", f"globally, if {ON}, then eventually {DOOR} within 2 steps"),
    (f"globally, if {ON}, then eventually {DOOR} within 1 steps", f"globally, if {ON}, then eventually {DOOR} within 2 steps"),
    (f"globally, if {ON}, then eventually {BROKEN}", f"globally, if the lamp is switched, then eventually {BROKEN}"),
    (f"globally, if {ON}, then eventually {BROKEN}", f"globally, if {ON}, then eventually the lamp breaks"),
    (f"globally, it is eventually the case that {DOOR}", f"globally, it is eventually the case that {DOOR} within 3 steps"),
    (f"globally, it is eventually the case that {DOOR}", "globally, it is eventually the case that the door moves"),
    (f"globally, it is eventually the case that {DOOR}", f"after {ON}, it is eventually the case that {DOOR}"),
    (f"from {ON}, it is eventually the case that {DOOR}", f"after {ON}, it is eventually the case that {DOOR}"),
    (f"from {ON}, it is eventually the case that {DOOR}", f"globally, if {ON}, then eventually {DOOR}"),
    (f"between {ON} and {BROKEN}, it is never the case that {DOOR}", f"from {ON} until {BROKEN}, it is never the case that {DOOR}"),
    (f"between {ON} and {BROKEN}, it is never the case that {DOOR}", f"from {ON}, it is never the case that {DOOR}"),
    (f"between {ON} and {BROKEN}, it is eventually the case that {DOOR}", f"from {ON} until {BROKEN}, it is eventually the case that {DOOR}"),
    (f"between {ON} and {DOOR}, it is always the case that {ON}", f"between {ON} and the door moves, it is always the case that {ON}"),
    (f"from {ON} until the lamp is off, it is never the case that the door moves", f"after {ON} until the lamp is off, it is never the case that the door moves"),
    (f"from {ON} until {DOOR}, if {ON}, then eventually {BROKEN}", f"between {ON} and {DOOR}, if {ON}, then eventually {BROKEN}"),
    (f"after {DOOR} until {BROKEN}, it is eventually the case that {ON}", f"from {DOOR} until {BROKEN}, it is eventually the case that {ON}"),
    (f"between {DOOR} and {BROKEN}, if {ON}, then before that the lamp is switched", f"globally, if {ON}, then before that the lamp is switched"),
    ("globally, it is never the case that the number of openings > 1", "globally, it is never the case that the number of openings >= 1"),
    ("globally, it is never the case that the number of openings > 1", "globally, it is never the case that the number of openings >= 2"),
    ("globally, it is never the case that the number of openings = 2", "globally, it is never the case that the number of openings > 1"),
    ("globally, it is never the case that the number of openings > 2", f"globally, it is always the case that {DOOR} or not {DOOR}"),
    ("globally, it is never the case that the lamp breaks and the lamp was on", "globally, it is never the case that the lamp breaks"),
    ("globally, it is never the case that the lamp is switched and the lamp was on", f"after {ON}, it is never the case that the lamp is switched"),
    (f"globally, if the door moves, then at that moment {ON}", f"globally, if {DOOR}, then at that moment {ON}"),
    (f"globally, if {BROKEN}, then before that {DOOR} and {ON}", f"globally, if {BROKEN}, then before that {DOOR}"),
    (f"globally, if {BROKEN}, then before that not {DOOR}", f"globally, it is never the case that {BROKEN} and not {BROKEN}"),
    (f"globally, if {DOOR}, then eventually not {DOOR}", "globally, if the door moves, then eventually the door moves and not the lamp is on"),
    (f"globally, if {DOOR} and {ON}, then eventually {BROKEN} within 1 steps", f"globally, if {ON} and {DOOR}, then eventually the lamp breaks within 1 steps"),
    (f"after {ON} until {ON}, it is never the case that {DOOR}", f"globally, it is never the case that {DOOR}"),
    (f"from {BROKEN}, it is never the case that {ON}", "globally, it is never the case that the lamp breaks and the lamp breaks and not the lamp is broken"),
)  # fmt: skip
MODEL = lamp_model()


@pytest.fixture(scope="module")
def every() -> list[list]:
    """Every run of the toy of up to STEPS_MAX steps."""
    return list(runs(lamp_system(), STEPS_MAX))


def reading(text: str, *assuming: str) -> Reading:
    """A reading of the toy's language."""
    return Reading("r", text, parse(text, MODEL.vocabulary), assuming)


@cache
def compared(a: str, b: str) -> Difference:
    """The comparison of two readings, made once."""
    return compare(MODEL, reading(a), reading(b))


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_a_relation_is_that_of_all_runs(a: str, b: str, every: list[list]) -> None:
    """Two readings relate as they do over every run of the toy, by runs that do what is said, none of them longer."""
    one, other = reading(a), reading(b)
    word, weak, strong = relation(one.sentence, other.sentence, every, MEANING)
    found = compared(a, b)
    assert word == found.relation
    lengths = {split.obeys: len(split.trace) for split in found.splits}
    live = any(part in text for text in (a, b) for part in ("eventually",))
    expected = {name: steps for name, steps in (("A", weak), ("B", strong)) if steps is not None}
    assert expected.keys() == lengths.keys()
    if not live:
        assert expected == lengths
    sides = {"A": one.sentence, "B": other.sentence}
    for split in found.splits:
        run = moments(split)
        if split.loop is None:
            assert obeys(sides[split.obeys], run, MEANING)
        assert not obeys(sides[split.breaks], run, MEANING)


def moments(split: Split) -> list[Moment]:
    """A run that is shown, executed again."""
    states = replay(lamp_system(), split.trace)
    steps = zip(split.trace, states, states[1:], strict=False)
    return [Moment(states[0], None, None), *(Moment(after, step.action, before) for step, before, after in steps)]


def test_there_are_forty_pairs(every: list[list]) -> None:
    """At least forty pairs are compared, and every relation occurs among them."""
    assert len(PAIRS) >= 40
    found = {relation(reading(a).sentence, reading(b).sentence, every, MEANING)[0] for a, b in PAIRS[:25]}
    assert found == {"equivalent", "A stronger", "B stronger", "incomparable"}


def test_a_fairness_assumption_is_worth_its_runs() -> None:
    """A reading that assumes more says less, and the run that shows it never does what is assumed."""
    text = f"globally, if {DOOR}, then eventually not {DOOR}"
    found = compare(MODEL, reading(text, "the door is shut"), reading(text))
    assert found.relation == "B stronger"
    assert "shut" not in {step.action for step in found.splits[0].trace}
