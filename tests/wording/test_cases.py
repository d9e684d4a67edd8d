"""The cases: each listed question has a file, and each file comes out as it should, run by run."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from latchcheck.kernel import record, replay
from latchcheck.model import presets
from latchcheck.properties.wording.models import model, vocabularies
from latchcheck.wording.files import Document, load
from latchcheck.wording.judging import judge
from latchcheck.wording.relations import words_of
from latchcheck.wording.separating import Split
from latchcheck.wording.words import Model, World
from tests.scripts import script
from tests.wording.by_hand import HANDS, Hand
from tests.wording.case_table import RELATIONS, VERDICTS
from tests.wording.meaning import is_obeyed, run_of
from tests.wording.pairs import Apart, told_apart

CASES = Path(__file__).parents[2] / "docs" / "cases"
NUMBERS = (1, 2, 3, 4, 6, 7, 8, 9, 11, 13, 14, 16, 18, 19, 20, 22, 24, 25, 27, 29, 30, 31, 32, 35)
"""The ambiguous sentences that were found in the extension, its threads and 2025-11-25; other numbers are unused."""
FIELD_CASES = (
    "a working task is deleted at its ttl although it reports progress",
    "overdue tasks fail, terminal tasks get one more window",
    "the first terminal status wins must be atomic",
)
OUTSIDE_MAX = 4


def grouped(value: Any, name: str) -> Any:
    """A parameter whose tests are all for one process, which searches the models of a case once."""
    return pytest.param(value, marks=pytest.mark.xdist_group(name))


def document(name: str) -> Document:
    """A property file of docs/cases."""
    return load(str(CASES / f"{name}.toml"), vocabularies())


@cache
def made(name: str) -> tuple[Document, Model]:
    """A property file and the model that it is about."""
    found = document(name)
    return found, built(found.model, found.scope, found.policy, found.sets, found.also)


@cache
def built(name: str, scope: str | None, policy: str | None, sets: tuple[str, ...], also: tuple[str, ...]) -> Model:
    """A model, built once for all the cases that are about it."""
    return model(name, scope=scope, policy=policy, sets=sets, also=also)


@cache
def apart(name: str) -> dict[tuple[str, str], Apart]:
    """Each two readings of a file, told apart."""
    found, about = made(name)
    return told_apart(about, found)


def world(name: str, called: str) -> World:
    """One model of a file, with the words of all its readings."""
    found, about = made(name)
    built = about.world(about.base if called == "guarded" else called, words_of(found.readings))
    assert built is not None
    return built


def test_every_listed_question_has_a_file() -> None:
    """Each number of the list and each field case is named by a file, and no file names another."""
    named = {case for name in VERDICTS for case in document(name).cases}
    fields = {case for case in named if case.startswith("field: ")}
    assert {f"W{number:02}" for number in NUMBERS} == named - fields - {"tutorial"}
    assert len(fields) == len(FIELD_CASES)
    assert all(any(one in case for case in fields) for one in FIELD_CASES)


def test_every_case_is_expected() -> None:
    """Each file of docs/cases has its verdicts and relations in the table, and asks a question."""
    files = sorted(path.stem for path in CASES.glob("*.toml"))
    assert files == sorted(VERDICTS)
    assert files == sorted(RELATIONS)
    assert [name for name in files if not document(name).question] == []


def test_few_questions_are_outside() -> None:
    """What no model can say is written down, for a few questions, and says what and why."""
    outside = {name: document(name).outside for name in VERDICTS if document(name).outside}
    assert len(outside) <= OUTSIDE_MAX
    assert all(len(text.split()) > 20 for text in outside.values())


@pytest.mark.parametrize("name", [grouped(name, name) for name in VERDICTS])
def test_a_case_has_its_verdicts(name: str) -> None:
    """Each reading of a case has the verdict that was worked out for it, and its run replays on the bare model."""
    found, about = made(name)
    base = about.world(about.base, words_of(found.readings))
    assert base is not None
    seen = {one.name: judge(base, one) for one in found.readings}
    assert VERDICTS[name] == {key: one.verdict for key, one in seen.items()}
    for one in seen.values():
        if one.trace is not None:
            replay(base.system, one.trace)


@pytest.mark.parametrize("name", [grouped(name, name) for name in RELATIONS])
def test_a_case_tells_its_readings_apart(name: str) -> None:
    """Each two readings of a case relate as they should, by shortest runs of the expected models and lengths."""
    found = {" / ".join(pair): (one.relation, _run(one.first), _run(one.second)) for pair, one in apart(name).items()}
    assert RELATIONS[name] == found


def _run(split: Split | None) -> tuple[str, int] | None:
    return None if split is None else (split.world, len(split.trace))


@pytest.mark.parametrize("name", [grouped(name, name) for name in RELATIONS])
def test_a_run_does_what_is_said_of_it(name: str) -> None:
    """By the definition of the sentences alone a run obeys (or uses) the one reading and breaks the other."""
    found, _ = made(name)
    for (a, b), pair in apart(name).items():
        for split, kept, lost in ((pair.first, a, b), (pair.second, b, a)):
            if split is None:
                continue
            at = world(name, split.world)
            obeyed, broken = found.reading(kept), found.reading(lost)
            run = run_of(at, split.trace, split.until_ms)
            assert not is_obeyed(at, broken, run), (kept, lost)
            if split.loop is None and not obeyed.assumptions:
                assert is_obeyed(at, obeyed, run), (kept, lost)


def test_what_no_run_tells_apart_is_said() -> None:
    """Where no run tells two readings apart, the note of one of them names the other."""
    silent = []
    for name in RELATIONS:
        for pair, row in RELATIONS[name].items():
            if row[1:] == (None, None):
                a, b = (document(name).reading(one) for one in pair.split(" / "))
                if f"`{a.name}`" not in b.note and f"`{b.name}`" not in a.note:
                    silent.append((name, pair))
    assert silent == []


@pytest.mark.parametrize(
    "hand",
    [grouped(one, one.file) for one in HANDS],
    ids=lambda one: f"{one.file}/{one.broken}" if isinstance(one, Hand) else one,
)
def test_a_run_by_hand_is_as_short_as_the_one_that_is_found(hand: Hand) -> None:
    """A run that was worked out by hand can happen, does what it should, and no shorter one is found."""
    found, _ = made(hand.file)
    pairs = apart(hand.file)
    split = pairs[hand.obeyed, hand.broken].first if (hand.obeyed, hand.broken) in pairs else None
    split = split or pairs[hand.broken, hand.obeyed].second
    assert _run(split) == (hand.model, len(hand.steps))
    at = world(hand.file, hand.model)
    trace = record(at.system, [_step(at, step) for step in hand.steps])
    run = run_of(at, trace)
    assert is_obeyed(at, found.reading(hand.obeyed), run)
    assert not is_obeyed(at, found.reading(hand.broken), run)


def _step(at: World, step: tuple[Any, ...]) -> tuple[Any, str, dict[str, Any]]:
    """A step with the choices that its action has; a scope of one leaves some of them out."""
    instant, name, picked = step if len(step) == 3 else (None, *step)
    there = {choice.name for choice in at.system.action(name).choices}
    return instant, name, {key: value for key, value in picked.items() if key in there}


def test_a_product_is_what_its_preset_says() -> None:
    """Each product of a reading is a preset, and what is said of it stands there: a value, a note, or a fact."""
    for name in VERDICTS:
        for one in document(name).readings:
            for product in one.products:
                known = re.fullmatch(r"(\S+) (client|server): (.+)", product)
                assert known is not None, product
                assert known[3] in _said(presets.load(known[2], known[1])), product  # type: ignore[arg-type]


def _said(preset: presets.Preset) -> set[str]:
    values = {
        f"{key} = {str(one.value).lower() if isinstance(one.value, bool) else one.value}"
        for key, one in preset.values.items()
    }
    notes = {one.note for one in preset.values.values()}
    return values | notes | {*preset.none.values(), *preset.facts.values()}


def test_the_index_is_up_to_date() -> None:
    """The table of the cases is the one that the script writes from the files."""
    index = script(CASES / "generate.py").page()
    assert index == (CASES / "README.md").read_text(encoding="utf-8")
