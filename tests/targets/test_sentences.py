"""The sentences that a live server is held to are quoted word by word."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from latchcheck.counterexamples.targets.live import RULES, UNSEEN
from latchcheck.kernel import Sentence

PASSAGES = tomllib.loads(Path(__file__).with_name("passages.toml").read_text(encoding="utf-8"))["passage"]
QUOTED = {f"{one.era} {one.id}": one.sentence for one in RULES} | {
    one.sentence.text[:40]: one.sentence for one in UNSEEN
}


@pytest.mark.parametrize("sentence", QUOTED.values(), ids=QUOTED)
def test_a_quotation_is_word_by_word(sentence: Sentence) -> None:
    """Each sentence stands in a paragraph of the document and section that it names."""
    place = (sentence.source, sentence.where)
    paragraphs = [text for one in PASSAGES if (one["source"], one["where"]) == place for text in one["text"]]
    assert any(sentence.text in one for one in paragraphs), sentence.text
