"""A checked file beside the sentences of other files: what is found among them, and what is told of the rest."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from latchcheck.cli.main import main
from latchcheck.properties.wording.models import model, vocabularies
from latchcheck.wording.checking import Checked, check
from latchcheck.wording.files import Document, read
from latchcheck.wording.neighbours import Meeting, Other
from latchcheck.wording.words import Model, matching

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/reference/wording.schema.json").read_text(encoding="utf-8"))
HEAD = 'sentence = "s"\nsource = "d"\nkeyword = "MUST"\n'
LATCH = "after the task is terminal, it is never the case that a terminal status is written"
OTHERS = {
    # Each says of the latch what its name says, as anybody can see.
    "same": "after the task is terminal, it is always the case that not a terminal status is written",
    "more": f"{LATCH} or the record is removed",
    "less": "after the task is terminal, it is never the case that the stored outcome changes",
    "other": "globally, it is never the case that the ttl passes",
    "freedom": "after the task is terminal, it is possible that a terminal status is written",
}


def document(text: str, keyword: str = "MUST") -> Document:
    """A property file with one reading."""
    return read("f.toml", f'{HEAD.replace("MUST", keyword)}[readings.a]\ntext = "{text}"\n', vocabularies())


@pytest.fixture(scope="module")
def latch() -> tuple[Model, tuple[Checked, ...]]:
    """The latch, checked with nothing beside it."""
    about = model("lifecycle")
    return about, check(about, document(LATCH))


def others() -> list[Other]:
    """The other sentences, each in a file of its own."""
    return [
        Other(f"{name}.toml", name, document(text, "MAY" if name == "freedom" else "MUST").readings[0])
        for name, text in OTHERS.items()
    ]


def test_what_asks_for_a_reading_already_and_what_excludes_it_is_found(
    latch: tuple[Model, tuple[Checked, ...]],
) -> None:
    """What says the same or more asks for the latch, what says less does not; its freedom breaks it."""
    meeting = Meeting(*latch, others())
    meeting.run(lambda: True)
    (told,) = meeting.told()
    assert {"same", "more"} == {*told.implied_by} & OTHERS.keys()
    assert {*told.contradicts} & OTHERS.keys() == {"freedom"}
    assert meeting.unmet == []


def test_two_outcomes_at_once_contradict() -> None:
    """The task cannot end both as completed and as cancelled, though each sentence can be obeyed alone."""
    one, other = (
        document(f"globally, if the task becomes terminal, then at that moment the task is {label}")
        for label in ("completed", "cancelled")
    )
    about = model("lifecycle")
    meeting = Meeting(about, check(about, one), [Other("o.toml", "o", other.readings[0])])
    meeting.run(lambda: True)
    assert [told.contradicts for told in meeting.told()] == [("o",)]


def test_what_the_time_is_too_short_for_is_told(latch: tuple[Model, tuple[Checked, ...]]) -> None:
    """With time for two of them the two that share most words are compared, and the others are not reached."""
    looks = iter((True, True, False))
    meeting = Meeting(*latch, others())
    meeting.run(lambda: next(looks))
    assert len(meeting.met) == 2
    assert len(meeting.unmet) == len(OTHERS) - 2
    assert "other" in {one.name for one in meeting.unmet}


def test_the_files_of_a_folder_are_gathered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a folder the property files of the same model are compared, and what cannot be is named with the reason."""
    never = "globally, it is never the case that a client cancels"
    (tmp_path / "mine.toml").write_text(f'{HEAD}[readings.a]\ntext = "{never}"\n', encoding="utf-8")
    (tmp_path / "other.md").write_text(f'+++\n{HEAD}[readings.b]\ntext = "{never}"\n+++\nprose\n', encoding="utf-8")
    (tmp_path / "timed.toml").write_text(
        f'{HEAD}model = "timing"\n[readings.c]\ntext = "globally, it is never the case that a poll fails"\n',
        encoding="utf-8",
    )
    (tmp_path / "wrong.toml").write_text(f'{HEAD}[readings.d]\ntext = "never"\n', encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    main(["wording", "check", str(tmp_path / "mine.toml"), "--seconds", "600", "--format", "json"])
    envelope = json.loads(capsys.readouterr().out)
    jsonschema.validate(envelope, SCHEMA)
    compared = envelope["files"][0]["compared"]
    assert [one["reading"] for one in compared["with"]] == ["other#b"]
    assert compared["not_reached"] == []
    assert [Path(one["file"]).name for one in compared["left_out"]] == ["wrong.toml", "timed.toml"]


def test_no_time_is_told_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With no time at all everything is not reached, and the text says how to give more."""
    for name in ("mine", "other"):
        text = "globally, it is never the case that a client cancels"
        (tmp_path / f"{name}.toml").write_text(f'{HEAD}[readings.a]\ntext = "{text}"\n', encoding="utf-8")
    main(["wording", "check", str(tmp_path / "mine.toml"), "--seconds", "0"])
    said = " ".join(capsys.readouterr().out.split())
    assert "compared with nothing" in said
    assert "not reached 1 reading of 1 file, in 0 s (--seconds N)" in said


def test_words_are_found_by_what_they_say() -> None:
    """Each text must stand in the phrase or in the meaning, and the kind must fit."""
    known = vocabularies()
    every = {(name, word.phrase): word for name, one in known.items() for word in one.words.values()}
    found = matching(known, ["Orphan", "silent"], ["state", "event"])
    expected = {
        key
        for key, word in every.items()
        if all(part in f"{word.phrase} {word.meaning}".lower() for part in ("orphan", "silent"))
        and word.kind in ("state", "event")
    }
    assert expected == {(name, phrase) for name, one in found.items() for phrase in one.words}
    assert expected
    assert matching(known, ["no such word"]) == {}
