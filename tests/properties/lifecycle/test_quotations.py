"""The sentences that actions and properties quote are in the documents that they name, word by word."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from latchcheck.kernel import Sentence
from latchcheck.model.lifecycle import lifecycle
from latchcheck.model.policy import Policy
from latchcheck.model.scope import SCOPES
from latchcheck.properties.lifecycle.catalogue import CATALOGUE
from latchcheck.properties.lifecycle.rules import SEMANTICS

ROOT = Path(__file__).parents[3]
PASSAGES = tomllib.loads(Path(__file__).with_name("passages.toml").read_text(encoding="utf-8"))["passage"]


def quoted() -> dict[str, Sentence]:
    """Every sentence that a property formalises or an action implements, by who quotes it."""
    found = {name: rule.sentence for name, rule in CATALOGUE.items()}
    for text in ("guarded", "era=2025-11-25", "era=2025-11-25,result_while_open=answers-wait"):
        for action in lifecycle(SCOPES["ci"], Policy.parse(text)).system.actions:
            found |= {f"{action.name}, {one.where}": one for one in action.sentences}
    return found


@pytest.mark.parametrize("sentence", quoted().values(), ids=quoted())
def test_a_quotation_is_word_by_word(sentence: Sentence) -> None:
    """Each piece of a quotation stands in one paragraph of the section that it names."""
    if sentence.source == SEMANTICS:
        page = (ROOT / SEMANTICS).read_text(encoding="utf-8").partition("\n## 5.")[2].partition("\n## 6.")[0]
        paragraphs = page.splitlines()
    else:
        place = (sentence.source, sentence.where)
        paragraphs = [text for one in PASSAGES if (one["source"], one["where"]) == place for text in one["text"]]
    missing = [piece for piece in sentence.text.split(" ... ") if not any(piece in one for one in paragraphs)]
    assert [] == missing


def test_every_passage_is_quoted() -> None:
    """No paragraph is kept that nothing quotes."""
    pieces = {piece for one in quoted().values() for piece in one.text.split(" ... ")}
    kept = [text for one in PASSAGES for text in one["text"]]
    assert [] == [text for text in kept if not any(piece in text for piece in pieces)]
