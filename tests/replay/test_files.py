"""Fixtures as files: written and read without loss, stable, and with errors that say what to write."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs
import pytest
from jsonschema import Draft202012Validator

from latchcheck.counterexamples import (
    Event,
    FixtureError,
    FoundBy,
    Minimal,
    Violation,
    dump,
    load,
    loads,
    means_the_same,
    saved,
    write,
)
from latchcheck.counterexamples.loading import SAVED
from latchcheck.gathering import every
from tests.replay.sample import sample

SCHEMA = json.loads((SAVED.parent / "schema" / "fixture.schema.json").read_text(encoding="utf-8"))
VALID = Draft202012Validator(SCHEMA)

TEXT = """\
{
  "format": "latchcheck/fixture/1",
  "id": "consistent/late-abort",
  "property": "consistent",
  "sentence": {"text": "One RM cannot have aborted while another has committed.", "source": "Gray and Lamport, \
Consensus on Transaction Commit", "where": "section 3"},
  "era": "2006",
  "policy": {"abort": "always"},
  "scope": {"managers": 2},
  "config": null,
  "steps": [
    {"at_ms": null, "party": "rm", "action": "RMPrepare", "args": {"rm": 0}},
    {"at_ms": null, "party": "tm", "action": "TMRcvPrepared", "args": {"rm": 0}},
    {"at_ms": null, "party": "rm", "action": "RMPrepare", "args": {"rm": 1}},
    {"at_ms": null, "party": "tm", "action": "TMRcvPrepared", "args": {"rm": 1}},
    {"at_ms": null, "party": "tm", "action": "TMCommit", "args": {}},
    {"at_ms": null, "party": "rm", "action": "RMChooseToAbort", "args": {"rm": 0}},
    {"at_ms": null, "party": "rm", "action": "RMRcvCommitMsg", "args": {"rm": 1}}
  ],
  "violates": {"step": 6, "clause": "not both committed and aborted"},
  "found_by": {"engine": "explicit", "seed": null, "versions": {"latchcheck": "0.1"}},
  "minimal": {"steps": 7, "shortest": 7}
}
"""


def document(**changes: Any) -> dict[str, Any]:
    """The fixture above as plain data, with other fields."""
    return {**json.loads(TEXT), **changes}


def test_the_text_of_a_fixture() -> None:
    """A line a field and a line a step, in a fixed order."""
    plain = attrs.evolve(sample(), steps=loads(TEXT).steps)

    assert dump(plain) == TEXT


def test_what_is_written_is_read_again() -> None:
    """Every part of a fixture survives, exact instants and answers of a guarded implementation included."""
    first, *others = sample().steps
    rich = attrs.evolve(
        sample(),
        config={"client.jitter": ["0.9", 1], "server.orphan_window_ms": 5, "network.latency_ms": None},
        steps=[
            attrs.evolve(first, at_ms=Fraction(5, 2), guarded={"decision": "BLOCK", "version": 4}),
            attrs.evolve(others[0], at_ms=Fraction(1, 3), args={"rm": 0, "late": True, "who": "é\\n"}),
            *others[1:],
        ],
        repeats_from=7,
        found_by=FoundBy("stateful", 12, {"z3": "5", "hypothesis": None}),
    )

    assert loads(dump(rich)) == rich
    assert '"at_ms": "2.5"' in dump(rich)
    assert '"at_ms": "1/3"' in dump(rich)
    assert VALID.is_valid(json.loads(dump(rich)))


def test_the_order_of_keys_is_no_part_of_a_fixture() -> None:
    """Mappings in another order give the same bytes."""
    one = attrs.evolve(sample(), policy={"a": "1", "b": "2"})
    other = attrs.evolve(sample(), policy={"b": "2", "a": "1"})

    assert dump(one) == dump(other)


def test_writing_again_changes_nothing(tmp_path: Path) -> None:
    """A file that means the same keeps who found it; one that means something else is replaced."""
    path, found = tmp_path / "consistent" / "late-abort.json", sample()
    later = attrs.evolve(found, found_by=FoundBy("stateful", 7, {"latchcheck": "0.2"}))
    other = attrs.evolve(later, era="2007")

    assert [write(path, found), write(path, found), write(path, later)] == [True, False, False]
    assert load(path) == found
    assert means_the_same(found, later)
    assert write(path, other)
    assert load(path) == other


def test_a_damaged_file_is_written_anew(tmp_path: Path) -> None:
    """What cannot be read is no fixture to keep."""
    path = tmp_path / "late-abort.json"
    path.write_text("{", encoding="utf-8")

    assert write(path, sample())
    assert load(path) == sample()


def test_saved_fixtures_are_named_after_their_ids(tmp_path: Path) -> None:
    """A folder is read in order; a file under another name is an error that says where it belongs."""
    for name in ("b", "a"):
        write(tmp_path / "consistent" / f"{name}.json", attrs.evolve(sample(), id=f"consistent/{name}"))

    assert [fixture.id for _, fixture in saved(tmp_path)] == ["consistent/a", "consistent/b"]
    (tmp_path / "consistent" / "a.json").rename(tmp_path / "consistent" / "c.json")
    with pytest.raises(FixtureError, match=r"/id: 'consistent/a' does not name this file\n  move it to .*a\.json"):
        list(saved(tmp_path))


def put(path: str, value: Any) -> dict[str, Any]:
    """The document with another value at a place; the value `...` takes the place away."""
    whole = copy.deepcopy(document())
    place: Any = whole
    *parents, last = [int(part) if part.isdigit() else part for part in path.split("/")[1:]]
    for part in parents:
        place = place[part]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return whole


WRONG = [
    (
        "/format",
        "latchcheck/fixture/2",
        "/format: 'latchcheck/fixture/2' is not a format",
        'write "latchcheck/fixture/1"',
    ),
    ("/id", "Late Abort", "/id: 'Late Abort' is no id", 'write "property/what-happens"'),
    ("/id", 7, "/id: 7 is not a text", "write a text"),
    ("/property", "", '/property: "" is not a text', "write a text"),
    ("/property", ..., '/: no "property"', "the fields are format, id, property"),
    ("/propety", "x", "/propety: there is no such field", "did you mean 'property'?"),
    ("/sentence/where", None, "/sentence/where: null is not a text", "write a text"),
    ("/era", 2006, "/era: 2006 is not a text", "write a text"),
    ("/policy", [], "/policy: [] is not an object", "write an object"),
    ("/policy/abort", None, "/policy/abort: null is not an integer, a flag or a text", "write"),
    ("/scope/managers", 2.5, "/scope/managers: 2.5 is not an integer, a flag or a text", "write"),
    ("/config", "none", '/config: "none" is not an object or null', "write"),
    ("/steps", [], "/steps: [] is not a list of steps, at least one", "write"),
    ("/steps/1/at_ms", 0.5, "/steps/1/at_ms: 0.5 is not an integer, or an exact number", '"2.5" or "1/3"'),
    ("/steps/1/at_ms", "5ms", '/steps/1/at_ms: "5ms" is not an integer', '"2.5" or "1/3"'),
    ("/steps/1/at_ms", True, "/steps/1/at_ms: true is not an integer", "write an integer"),
    ("/steps/1/at_ms", "1/0", '/steps/1/at_ms: "1/0" is not an integer', "write"),
    ("/steps/0/arg", {}, "/steps/0/arg: there is no such field", "did you mean 'args'?"),
    ("/steps/0/args/rm", [0], "/steps/0/args/rm: [0] is not an integer, a flag or a text", "write"),
    ("/steps/0/guarded", "BLOCK", '/steps/0/guarded: "BLOCK" is not an object or null', "write"),
    ("/repeats_from", None, "/repeats_from: null is not an integer from 0 on", "write"),
    ("/violates/step", -1, "/violates/step: -1 is not an integer from 0 on", "write"),
    ("/violates", "last", '/violates: "last" is not an object', "write an object"),
    ("/found_by/seed", "1", '/found_by/seed: "1" is not an integer', "write"),
    ("/found_by/versions/z3", 5, "/found_by/versions/z3: 5 is not a text", "write"),
    ("/minimal/shortest", -1, "/minimal/shortest: -1 is not an integer from 0 on", "write"),
]


@pytest.mark.parametrize(("path", "value", "what", "instead"), WRONG, ids=[f"{row[0]}={row[1]}" for row in WRONG])
def test_an_error_names_the_place_and_what_to_write(path: str, value: Any, what: str, instead: str) -> None:
    """Each broken document is refused by the schema and by the loader, which says where and what to write."""
    broken = put(path, value)

    assert not VALID.is_valid(broken)
    with pytest.raises(FixtureError) as caught:
        loads(json.dumps(broken), "a.json")
    first, second = str(caught.value).split("\n")
    assert first.startswith(f"a.json: {what}")
    assert instead in second


BEYOND = [
    ("/violates/step", 7, "there is no step 7", "count from 0 to 6"),
    ("/minimal/steps", 6, "6 is not the number of steps", "write 7"),
    ("/minimal/shortest", 8, "a shortest run has no more steps than this one", "write a number up to 7, or null"),
    ("/repeats_from", 8, "there is no step 8", "7 rests after the last step"),
]


@pytest.mark.parametrize(("path", "value", "what", "instead"), BEYOND, ids=[row[0] for row in BEYOND])
def test_what_no_schema_can_say_is_checked_too(path: str, value: Any, what: str, instead: str) -> None:
    """Numbers that contradict the list of steps are errors although the schema allows them."""
    broken = put(path, value)

    assert VALID.is_valid(broken)
    with pytest.raises(FixtureError) as caught:
        loads(json.dumps(broken))
    assert what in str(caught.value)
    assert instead in str(caught.value)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("{", "no JSON: Expecting property name enclosed in double quotes at line 1, column 2"),
        ("[]", "/: [] is not an object"),
        ('{"id": 1, "id": 2}', 'the key "id" occurs twice in one object'),
        ('{"id": NaN}', "NaN is no JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("1" * 5_000, "a number has thousands of digits"),
    ],
)
def test_what_is_no_document_is_said(text: str, what: str) -> None:
    """Broken JSON, JSON of another kind, keys given twice and numbers that JSON has not."""
    with pytest.raises(FixtureError) as caught:
        loads(text)
    assert what in str(caught.value)


def test_what_cannot_be_opened_is_said(tmp_path: Path) -> None:
    """A missing file and one in another encoding are errors of the fixture, not of the program."""
    latin = tmp_path / "latin.json"
    latin.write_bytes(b'{"id": "\xe9"}')

    with pytest.raises(FixtureError, match="No such file"):
        load(tmp_path / "missing.json")
    with pytest.raises(FixtureError, match="byte 8 is no UTF-8"):
        load(latin)


def test_the_schema_is_one() -> None:
    """The published schema is itself valid, and the fixture above is valid by it."""
    Draft202012Validator.check_schema(SCHEMA)
    assert VALID.is_valid(document())


def test_whole_instants_are_integers() -> None:
    """A fraction that is whole is kept and written as an integer."""
    assert Event(Fraction(4, 2), "x", "y").at_ms == 2
    assert isinstance(Event(Fraction(4, 2), "x", "y").at_ms, int)
    assert (Violation(1, "c").step, Minimal(2).shortest) == (1, None)


def test_all_that_is_wrong_is_told_at_once() -> None:
    """Each thing that is wrong is an error by itself, wherever in the file it stands."""
    broken = put("/era", 5)
    broken["steps"][0]["party"] = ""
    broken["steps"][1]["at_ms"] = 0.5
    broken["extra"] = 1
    del broken["property"]
    with pytest.raises(FixtureError) as caught:
        loads(json.dumps(broken))
    places = [one.pointer for one in every(caught.value) if isinstance(one, FixtureError)]
    assert {"/extra", "/", "/era", "/steps/0/party", "/steps/1/at_ms"} == set(places)
    assert 5 == len(places)
