"""What helps to write a property file: a draft, what may stand next, and a schema for editors."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import jsonschema
import pytest

from latchcheck.cli.main import main
from latchcheck.properties.wording.models import vocabularies
from latchcheck.wording.drafting import continuations
from latchcheck.wording.faults import SentenceError
from latchcheck.wording.files import KEYS, READING_KEYS, load
from latchcheck.wording.grammar import parse

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs/reference/property-file.schema.json").read_text(encoding="utf-8"))
LIFECYCLE = vocabularies()["lifecycle"]


@pytest.mark.parametrize("model", vocabularies())
def test_a_draft_is_a_property_file(model: str, tmp_path: Path) -> None:
    """What `new` writes is read as it stands and fits the schema, and is not written over another file."""
    file = tmp_path / "mine.toml"
    assert main(["wording", "new", model, "-o", str(file)]) == 0
    assert load(str(file), vocabularies()).model == model
    jsonschema.validate(tomllib.loads(file.read_text(encoding="utf-8")), SCHEMA)
    assert main(["wording", "new", model, "-o", str(file)]) == 2


def test_the_schema_knows_the_keys_that_are_read() -> None:
    """The schema for editors has the keys of a file and of a reading, no more and no fewer."""
    assert sorted(KEYS) == sorted(SCHEMA["properties"])
    assert sorted(READING_KEYS) == sorted(SCHEMA["properties"]["readings"]["additionalProperties"]["properties"])


def test_every_case_fits_the_schema() -> None:
    """Each property file of the documentation fits the schema for editors; a misspelt key does not."""
    files = [*(ROOT / "docs/cases").glob("*.toml"), *(ROOT / "docs/examples/wording").glob("*.toml")]
    for file in files:
        jsonschema.validate(tomllib.loads(file.read_text(encoding="utf-8")), SCHEMA)
    with pytest.raises(jsonschema.ValidationError, match="sorce"):
        jsonschema.validate(
            {"sentence": "s", "sorce": "d", "keyword": "MUST", "readings": {"a": {"text": "t"}}}, SCHEMA
        )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "globally"),
        ("globally, it is never the case that the task is", "working"),
        ("globally, if a client cancels, then", "eventually"),
        ("globally, it is never the case that the version is", "at least"),
        ("globally, if the task is open, then eventually the task is terminal ", "within"),
    ],
)
def test_what_may_stand_next_is_listed(text: str, expected: str) -> None:
    """After the beginning of a reading, or half a phrase, what may follow is listed."""
    assert expected in continuations(text, LIFECYCLE)


def test_what_is_listed_is_taken() -> None:
    """Each phrase that is listed after a beginning makes a reading of it."""
    head = "globally, it is never the case that "
    for phrase in LIFECYCLE.of_kind("state", "event"):
        assert phrase in continuations(head, LIFECYCLE)
        assert parse(head + phrase, LIFECYCLE).first is not None


def test_a_wrong_beginning_is_an_error() -> None:
    """What is wrong already is told as such."""
    with pytest.raises(SentenceError, match="'never' cannot stand here"):
        continuations("globally, never", LIFECYCLE)
