"""The normative sentences: each is somewhere in the model, or out of it with a reason."""

from __future__ import annotations

import json

import pytest

from latchcheck.cli.main import main
from latchcheck.cli.wiring import key_rows, lifecycle_ids, property_ids
from latchcheck.model.policy import SWITCHES
from latchcheck.properties.sentences import Normative, chosen, sentences

IDS = [one.id for one in sentences()]


def known() -> set[str]:
    """Everything that a sentence may be linked to."""
    keys = {f"key:{row['key']}" for row in key_rows()}
    return {*lifecycle_ids(), *property_ids(), *keys, *(f"switch:{name}" for name in SWITCHES), "admission"}


@pytest.mark.parametrize("one", sentences(), ids=IDS)
def test_a_sentence_is_in_the_model_or_out_with_a_reason(one: Normative) -> None:
    """What is in the model names where, by names that exist; what is not says why."""
    assert set(one.links) <= known()
    assert (one.role == "out") == (one.reason is not None)
    assert (one.role == "out") == (one.links == ())


def test_every_sentence_has_its_own_id() -> None:
    """No id stands for two sentences, and the documents are in the order of their lines."""
    assert len(IDS) == len(set(IDS))
    for era in ("2026-07-28", "2025-11-25"):
        lines = [one.line for one in chosen(era=era)]
        assert sorted(lines) == lines


def test_what_the_conformance_suite_excludes_is_marked() -> None:
    """The suite's list for the extension has twelve entries; the polling hint stands twice in the text."""
    marked = {one.line for one in chosen(excluded=True)}
    assert {91, 143, 308, 310, 346, 348, 377, 801, 902, 903, 905} == marked


@pytest.mark.parametrize("name", ["one-terminal-outcome", "tenant-isolation", "hint-honoured", "no-live-orphan"])
def test_a_property_finds_its_sentences(name: str) -> None:
    """Filtered by a property, each sentence links to it; the paper's own property has none in the specification."""
    found = chosen(link=name)
    assert all(name in one.links for one in found)
    assert (name == "no-live-orphan") == (found == ())


def test_filters_are_joined(capsys: pytest.CaptureFixture[str]) -> None:
    """The command shows what passes every filter, here the freedoms of the extension about the ttl."""
    assert (
        main(
            [
                "list",
                "sentences",
                "--era",
                "2026-07-28",
                "--keyword",
                "MAY",
                "--link",
                "key:client.ttl_mode",
                "--format",
                "json",
            ]
        )
        == 0
    )
    rows = json.loads(capsys.readouterr().out)["sentences"]
    assert ["ext-340a"] == [row["id"] for row in rows]


def test_filters_are_for_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    """A filter with another list is bad usage, and the error says where it belongs."""
    assert main(["list", "keys", "--role", "out"]) == 2
    assert "list sentences --role" in capsys.readouterr().err


def test_the_text_form_shows_where_each_is(capsys: pytest.CaptureFixture[str]) -> None:
    """The line of a sentence has its id, its keyword and what it is in the model."""
    main(["list", "sentences", "--link", "begins-working"])
    out = capsys.readouterr().out
    assert "core-403" in out
    assert "property: begins-working" in out
