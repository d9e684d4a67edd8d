"""Sentences made at random, against an outside judge: verdict, vacuity, relation, and the shortest run."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from random import Random
from typing import Any

import pytest

from latchcheck.wording.files import Reading
from latchcheck.wording.grammar import parse
from latchcheck.wording.judging import judge
from latchcheck.wording.relations import compare
from latchcheck.wording.separating import separate_all, watch
from latchcheck.wording.words import Model
from tests.wording import outside
from tests.wording.kettle import kettle_model
from tests.wording.lamp import lamp_model
from tests.wording.outside import Maker, Meaning, Run, Said, kept, tried

LAMP_RUNS = outside.runs(("off", False, 0, 0), outside.lamp, 7)
KETTLE_RUNS = outside.runs((False, False, Fraction(0), 0, Fraction(0)), outside.kettle, 9)
LAMP_QUANTITIES = {"the number of openings": ("0", "1", "2")}
KETTLE_QUANTITIES = {"the time": ("1ms", "2ms", "3ms"), "the time since heating": ("1ms", "2ms"),
                     "the number of heatings": ("0", "1", "2")}  # fmt: skip
LAMP = (lamp_model(), outside.LAMP, LAMP_QUANTITIES, LAMP_RUNS)
KETTLE = (kettle_model(), outside.KETTLE, KETTLE_QUANTITIES, KETTLE_RUNS)
Toy = tuple[Model, Meaning, dict[str, tuple[str, ...]], list[Run]]


def maker(toy: Toy, seed: int) -> Maker:
    """What makes the sentences of a toy."""
    model, meaning, quantities, _ = toy
    phrases = tuple(one for one in meaning if one not in quantities)
    return Maker(Random(seed), phrases, quantities, model.vocabulary.timed)  # noqa: S311 - the same each time


def reading(toy: Toy, said: Said) -> Reading:
    """A sentence as the checker reads it."""
    return Reading("r", str(said), parse(str(said), toy[0].vocabulary))


def steps(split: Any) -> int | None:
    """How many moments follow the start of a run, each millisecond that passes counting as one."""
    if split is None or not split.trace.steps:
        return None if split is None else int(split.until_ms or 0)
    last = split.until_ms if split.until_ms is not None else split.trace.steps[-1].at_ms or 0
    return len(split.trace) + int(last)


@pytest.mark.parametrize(("toy", "seed"), [(LAMP, 1), (LAMP, 2), (LAMP, 3), (KETTLE, 1), (KETTLE, 2)])
def test_random_sentences_differ_as_the_outside_judge_says(toy: Toy, seed: int) -> None:
    """Of some sentences each two are told apart by a run of the length of the shortest, or by none."""
    made = maker(toy, seed)
    many = [made.sentence(ends=True) for _ in range(5)]
    world = toy[0].world("plain", ())
    assert world is not None
    pairs = list(permutations(range(len(many)), 2))
    found = separate_all(watch(world, [reading(toy, said) for said in many]), pairs)
    for a, b in pairs:
        split, complete = found[a, b]
        apart = (run for run in toy[3] if not kept(many[b], run, toy[1]) and kept(many[a], run, toy[1]))
        shortest = next(apart, None)
        assert complete
        assert (None if shortest is None else len(shortest) - 1) == steps(split), (str(many[a]), str(many[b]))


@pytest.mark.parametrize(("toy", "seed"), [(LAMP, 11), (LAMP, 12), (KETTLE, 11), (KETTLE, 12)])
def test_random_sentences_have_the_verdict_of_the_outside_judge(toy: Toy, seed: int) -> None:
    """A sentence is violated where a run breaks it, vacuous where none puts it to the test, and else it holds."""
    made = maker(toy, seed)
    world = toy[0].world("plain", ())
    assert world is not None
    for _ in range(4):
        said = made.sentence(ends=False)
        seen = judge(world, reading(toy, said))
        broken = next((run for run in toy[3] if not kept(said, run, toy[1])), None)
        asked = any(tried(said, run, toy[1]) for run in toy[3])
        assert seen.verdict == ("violated" if broken else "holds" if asked else "vacuous"), str(said)
        if broken is not None and seen.loop is None:
            assert len(broken) - 1 == steps(seen), str(said)


@pytest.mark.parametrize("seed", range(21, 24))
def test_random_duties_without_end_relate_as_the_outside_judge_says(seed: int) -> None:
    """Sentences that owe something without saying by when relate as they do over every run that may stop."""
    made = maker(LAMP, seed)
    a, b = (made.sentence(ends=False) for _ in range(2))
    found = compare(LAMP[0], reading(LAMP, a), reading(LAMP, b))
    judged = [(kept(a, run, LAMP[1]), kept(b, run, LAMP[1])) for run in LAMP_RUNS]
    weak, strong = (True, False) in judged, (False, True) in judged
    names = {(False, False): "equivalent", (True, False): "B stronger", (False, True): "A stronger",
             (True, True): "incomparable"}  # fmt: skip
    assert names[weak, strong] == found.relation, (str(a), str(b))


def test_before_what_holds_at_the_start_nothing_is_owed() -> None:
    """A scope without a moment asks nothing: nothing is owed, and nothing put to the test, before the start."""
    world = LAMP[0].world("plain", ())
    assert world is not None
    text = "before the lamp is off, it is eventually the case that the door is open"
    assert judge(world, Reading("r", text, parse(text, LAMP[0].vocabulary))).verdict == "vacuous"


def test_what_time_alone_ends_is_not_longer_than_it_was() -> None:
    """A condition that holds up to its second millisecond, and then no more, has held for two, not for three."""
    world = KETTLE[0].world("plain", ())
    assert world is not None
    text = "globally, once the time <= 2ms, it stays so for at most {}ms"
    verdicts = [judge(world, Reading("r", one, parse(one, KETTLE[0].vocabulary))).verdict
                for one in (text.format(2), text.format(1))]  # fmt: skip
    assert verdicts == ["holds", "violated"]
