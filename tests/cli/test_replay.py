"""`latchcheck replay` as a CI job and a user meet it: formats, fixtures by id, and selections that try nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from junitparser import JUnitXml

from latchcheck.cli.main import main
from latchcheck.cli.output import FORMATS
from latchcheck.cli.replay_findings import line_of
from latchcheck.cli.wiring.fixtures import fixture_path, load_fixture
from latchcheck.counterexamples import SAVED, load

ROOT = Path(__file__).parents[2]
NAMED = "one-terminal-outcome/terminal-guard-check-then-set"
MARKER = "cancel-marker-outlives-record/read-uncancelled"
LOST = ["replay", "--target", "sqlite-naive", NAMED]


def answer(arguments: list[str], form: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Exit code and output in a format."""
    code = main([*arguments, "--format", form])
    return code, capsys.readouterr().out


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("arguments", [["replay", NAMED, MARKER], LOST], ids=["model", "target"])
def test_every_format_names_what_is_broken(arguments: list[str], form: str, capsys: pytest.CaptureFixture[str]) -> None:
    """In each format the exit code is that of the text, and the fixture is named."""
    code, out = answer(arguments, form, capsys)
    assert (1, True) == (code, NAMED in out)


def test_sarif_points_at_the_step_that_breaks(capsys: pytest.CaptureFixture[str]) -> None:
    """The location is the file of the fixture and the line of the step that the target answers as none may."""
    code, out = answer(LOST, "sarif", capsys)
    (result,) = json.loads(out)["runs"][0]["results"]
    where = result["locations"][0]["physicalLocation"]
    line = (SAVED / f"{NAMED}.json").read_text(encoding="utf-8").splitlines()[where["region"]["startLine"] - 1]
    step = json.loads(line.strip().removesuffix(","))
    assert (1, "fail", "one-terminal-outcome") == (code, result["kind"], result["ruleId"])
    assert where["artifactLocation"]["uri"].endswith(f"{NAMED}.json")
    assert step["action"] in ("cancel_writes", "write_terminal")


def test_github_annotates_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    """The annotation names file and line, and the command that walks through the run."""
    _, out = answer(LOST, "github", capsys)
    assert out.startswith(f"::error file={SAVED / NAMED}.json,line=")
    assert f"latchcheck show {NAMED}" in out


def test_junit_counts_what_became_of_each(capsys: pytest.CaptureFixture[str]) -> None:
    """A counterexample that reproduces is a failure, one that does not apply is skipped, a conforming one passes."""
    _, out = answer(["replay", "--target", "sqlite-naive", NAMED, MARKER], "junit", capsys)
    read = JUnitXml.fromstring(out.encode())
    assert (2, 1, 1) == (read.tests, read.failures, read.skipped)
    code, out = answer(["replay", "--target", "sqlite", NAMED], "junit", capsys)
    assert (0, 0) == (code, JUnitXml.fromstring(out.encode()).failures)


def test_json_lines_follow_their_schema(capsys: pytest.CaptureFixture[str]) -> None:
    """The events of a replay are those of `verify`."""
    schema = json.loads((ROOT / "docs/reference/events.schema.json").read_text(encoding="utf-8"))
    _, out = answer(LOST, "jsonl", capsys)
    found = [
        error.message
        for line in out.splitlines()
        for error in Draft202012Validator(schema).iter_errors(json.loads(line))
    ]
    assert [] == found


def test_a_selection_of_which_nothing_applies_is_vacuous(capsys: pytest.CaptureFixture[str]) -> None:
    """Where no fixture can be told to the target nothing was tried, which is said: exit code 5; beside others 0."""
    assert 5 == main(["replay", "--target", "sqlite", MARKER])
    assert "nothing was tried: none of the fixtures applies to sqlite" in capsys.readouterr().out
    assert 0 == main(["replay", "--target", "sqlite", MARKER, NAMED])


def test_a_saved_fixture_goes_by_its_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An id names the shipped file, wherever one is; a file of that name in the way comes first."""
    monkeypatch.chdir(tmp_path)
    assert load(SAVED / f"{NAMED}.json") == load_fixture(NAMED)
    Path(NAMED).parent.mkdir()
    Path(NAMED).write_text("mine", encoding="utf-8")
    assert Path(NAMED) == fixture_path(NAMED)


@pytest.mark.parametrize("name", ["../schema/fixture.schema", "no such/file", "/etc/passwd"])
def test_an_id_leads_nowhere_else(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What is no id is a file name, and one error where there is none."""
    assert Path(name) == fixture_path(name)
    assert 2 == main(["replay", name])
    assert 1 == capsys.readouterr().err.count("error")


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        (NAMED[:-1], f"did you mean '{NAMED}'"),
        ("one-terminal-outcom/terminal-guard-check-then-set", f"did you mean '{NAMED}'"),
        ("zz/zz", "`latchcheck fixtures list` names them"),
    ],
)
def test_an_id_that_is_not_there_is_answered_with_the_nearest(
    name: str, instead: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A slip in an id is told from a file that is missing."""
    assert 2 == main(["replay", name])
    said = capsys.readouterr().err
    assert f"{name}: is no file and no saved counterexample" in said
    assert instead in said


def test_the_line_of_a_step(tmp_path: Path) -> None:
    """Counted by hand, in a file that is laid out otherwise; none where the step is not there."""
    file = tmp_path / "one.json"
    file.write_text('{"guarded": {"action" : 1},\n"steps": [\n\n{"action": "a"}, {"action":\n"b"}]}', encoding="utf-8")
    assert [4, 4, None] == [line_of(file, step) for step in range(3)]


def test_a_target_of_a_conftest_is_pointed_to(capsys: pytest.CaptureFixture[str]) -> None:
    """A name that only a conftest.py knows ends in an error that says how pytest is asked."""
    assert 2 == main(["replay", "--target", "my-store", NAMED])
    assert "pytest --latchcheck-target my-store" in capsys.readouterr().err
