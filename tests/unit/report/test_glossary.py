"""The words that answers print can be asked for."""

from __future__ import annotations

import re

import pytest

from latchcheck.kernel.verdict import VERDICTS
from latchcheck.report.exploration import HEAD as EXPLORED
from latchcheck.report.glossary import OTHERS, WORDS, explained
from latchcheck.report.text import HEAD, render
from tests.unit.report.sample import EVERY_VERDICT, report


@pytest.mark.parametrize("word", [*VERDICTS, *HEAD, *(word for word in EXPLORED if "," not in word), "MUST", "Bound"])
def test_verdicts_and_columns_are_explained(word: str) -> None:
    """Each verdict and each heading has its meaning, however it is written."""
    assert explained(word) is not None


def test_every_label_of_a_violation_is_explained() -> None:
    """What stands before a line of an answer about a violation is a word of the glossary."""
    text = render(report(*EVERY_VERDICT))
    part = text[text.index("\nviolated: ") :]
    labels = re.findall(r"^  ([a-z]+|MUST|SHOULD|MAY) {2,}\S", part.partition("Assumed")[0], re.MULTILINE)

    assert {"source", "fails", "knobs", "MUST"} <= set(labels)
    assert [label for label in labels if explained(label) is None and label != "time"] == []


def test_other_spellings_lead_to_a_word() -> None:
    """No alias leads nowhere or hides a word, and what is no word is none."""
    assert set(OTHERS.values()) <= WORDS.keys()
    assert not OTHERS.keys() & WORDS.keys()
    assert explained("orphan") is None
