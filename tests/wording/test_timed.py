"""The relation of two readings with a clock, against every run of a toy judged by the definitions."""
# ruff: noqa: E501 - two sentences side by side are compared at a glance

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from latchcheck.kernel import replay
from latchcheck.wording.files import Reading
from latchcheck.wording.grammar import parse
from latchcheck.wording.proving import settled
from latchcheck.wording.relations import Difference, compare
from tests.wording.brute import first_broken, timed_relation
from tests.wording.kettle import HALF, MEANING, every_run, kettle_model, kettle_system

HOT, LID = "it is hot", "the lid is open"
PAIRS = (
    (f"globally, if {HOT}, then eventually {LID} within 1ms", f"globally, if {HOT}, then eventually {LID} within 2ms"),
    ("globally, if it is heated, then eventually it cools within 2ms", f"globally, once {HOT}, it stays so for at most 2ms"),
    ("globally, if it is heated, then eventually it cools within 1ms", f"globally, once {HOT}, it stays so for at most 1ms"),
    (f"globally, once {HOT}, it stays so for at least 1ms", f"globally, once {HOT}, it stays so for at least 2ms"),
    (f"globally, once {HOT}, it stays so for at least 1ms", "globally, it is never the case that it cools and the time since heating < 1ms"),
    ("globally, it is never the case that it cools and the time since heating < 2ms", "globally, it is never the case that it cools and the time since heating <= 2ms"),
    ("globally, it is never the case that it cools and the time since heating > 1ms", "globally, it is never the case that it cools and the time since heating >= 2ms"),
    ("globally, it is never the case that it cools and the time since heating > 1ms", f"globally, once {HOT}, it stays so for at most 1ms"),
    ("globally, it is never the case that the lid opens and the time > 1ms", "globally, it is never the case that the lid opens and the time >= 1ms"),
    ("globally, it is eventually the case that the lid opens within 2ms", f"globally, it is eventually the case that {LID} within 2ms"),
    ("globally, it is eventually the case that the lid opens within 1ms", "globally, it is eventually the case that the lid opens within 2ms"),
    (f"from {HOT}, it is eventually the case that it cools within 1ms", f"after {HOT}, it is eventually the case that it cools within 1ms"),
    (f"from {HOT} until {LID}, it is eventually the case that it cools within 1ms", f"from {HOT}, it is eventually the case that it cools within 1ms"),
    (f"between {HOT} and {LID}, it is eventually the case that it cools within 1ms", f"from {HOT} until {LID}, it is eventually the case that it cools within 1ms"),
    (f"before {LID}, it is eventually the case that it is heated within 1ms", f"before {LID}, it is eventually the case that {HOT}"),
    (f"globally, at least every 1ms, {HOT}", f"globally, at least every 2ms, {HOT}"),
    (f"from {HOT}, at least every 1ms, it is heated", f"from {HOT}, at least every 1ms, {HOT}"),
    ("after the time > 1ms, it is never the case that the lid opens", "globally, it is never the case that the lid opens and the time > 1ms"),
    ("from the time >= 1ms, it is never the case that the lid opens", "globally, it is never the case that the lid opens and the time >= 1ms"),
    ("from the time = 1ms until it is heated, it is never the case that the lid opens", "from the time >= 1ms until it is heated, it is never the case that the lid opens"),
    ("after the time since heating > 1ms, it is never the case that it is heated", "globally, it is never the case that it is heated and the time > 1ms"),
    (f"globally, if {LID}, then at that moment the time >= 1ms", "before the time >= 1ms, it is never the case that the lid opens"),
    (f"globally, if {HOT}, then before that the time >= 1ms", "globally, it is never the case that it is heated and the time < 1ms"),
    ("globally, it is always the case that the time since heating <= 2ms", f"globally, if not {HOT}, then eventually {HOT} within 2ms"),
    (f"globally, if {HOT} and {LID}, then eventually it cools within 2ms", f"globally, if {LID} and {HOT}, then eventually not {HOT} within 2ms"),
    ("from it is heated until it cools, if the lid opens, then eventually it cools within 1ms", "globally, if the lid opens, then eventually it cools within 1ms"),
    ("globally, it is never the case that the time since heating > the time", "globally, it is never the case that the time < the time since heating"),
    ("globally, it is never the case that it is heated and the time = 2ms", "globally, it is never the case that the time = 2ms and it is heated"),
)  # fmt: skip
MODEL = kettle_model()


WHOLE = Fraction(1)
TEXTS = sorted({text for pair in PAIRS for text in pair})


@cache
def compared(a: str, b: str) -> Difference:
    """The comparison of two readings, made once."""
    return compare(MODEL, reading(a), reading(b))


@cache
def broken(text: str, unit: Fraction) -> frozenset[int]:
    """Where runs first break a reading, looked at once."""
    return first_broken(reading(text).sentence, every_run(unit), MEANING)


def reading(text: str) -> Reading:
    """A reading of the toy's language."""
    return Reading("r", text, parse(text, MODEL.vocabulary))


def shared(pairs: Sequence[tuple[str, str]]) -> list[Any]:
    """The pairs as parameters, each of which goes to one process that compares it once."""
    return [pytest.param(*pair, marks=pytest.mark.xdist_group(f"timed {pair[0]}")) for pair in pairs]


@pytest.mark.parametrize(("a", "b"), shared(PAIRS))
def test_a_timed_relation_is_that_of_all_runs(a: str, b: str) -> None:
    """The relation of two timed readings is that of all runs in half milliseconds, whether proved or searched."""
    word, _, _ = timed_relation(broken(a, HALF), broken(b, HALF), every_run(HALF))
    assert word == compared(a, b).relation.replace("not told apart", "equivalent")


@pytest.mark.parametrize(("a", "b"), shared(PAIRS))
def test_a_timed_run_that_is_shown_is_a_shortest_one(a: str, b: str) -> None:
    """Each run shown obeys one reading and breaks the other, and none in whole milliseconds has fewer steps."""
    _, weak, strong = timed_relation(broken(a, WHOLE), broken(b, WHOLE), every_run(WHOLE))
    expected = {"A": weak, "B": strong}
    for split in compared(a, b).splits:
        replay(kettle_system(), split.trace)
        steps = split.trace.steps
        last = split.until_ms if split.until_ms is not None else Fraction(steps[-1].at_ms or 0) if steps else 0
        if expected[split.obeys] is not None:
            assert expected[split.obeys] == len(steps) + last


@pytest.mark.parametrize("text", [pytest.param(one, marks=pytest.mark.xdist_group(f"timed {one}")) for one in TEXTS])
def test_what_is_proved_no_run_breaks(text: str) -> None:
    """A reading is proved or found vacuous only where no run in half milliseconds breaks it, violated where one does."""
    world = MODEL.world(MODEL.base, ())
    assert world is not None
    assert bool(broken(text, HALF)) == (settled(world, reading(text))[0].verdict == "violated")
