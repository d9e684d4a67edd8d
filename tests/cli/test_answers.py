"""Every verb answers in JSON too, under a name whose schema is published."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from jsonschema import Draft202012Validator

from latchcheck.cli.main import group, main
from latchcheck.counterexamples import SAVED

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
SCHEMA = json.loads((REFERENCE / "answers.schema.json").read_text(encoding="utf-8"))
SHORT = "begins-working/seed-status-any"
OTHER = "begins-working/seed-status-non-terminal"
SMALL = ("--scope", "tasks=1,workers=1")
CONFIG = str(ROOT / "docs" / "examples" / "orphan-condition" / "equality.toml")


def leaves(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    """Every command that does something, with the words that call it."""
    if not isinstance(command, click.Group):
        yield name, command
        return
    context = click.Context(command, info_name=name)
    for below in command.list_commands(context):
        found = command.get_command(context, below)
        assert found is not None
        yield from leaves(found, f"{name} {below}")


LEAVES = dict(leaves(group, "latchcheck"))


@pytest.mark.parametrize("name", LEAVES)
def test_every_verb_takes_a_format(name: str) -> None:
    """`--format text|json` is an option of every verb, and text is what it answers without."""
    (option,) = [one for one in LEAVES[name].params if one.name == "form"]
    assert option.opts == ["--format"]
    assert option.default == "text"
    assert {"text", "json"} <= set(getattr(option.type, "choices", ()))


def test_every_schema_is_published() -> None:
    """Each name that the code puts into an answer is described by a file of docs/reference, and the other way round."""
    folders = [ROOT / name for name in ("latchcheck", "counterexamples", "model", "properties")]
    code = "".join(path.read_text(encoding="utf-8") for folder in folders for path in folder.rglob("*.py"))
    named = set(re.findall(r'"(latchcheck/[a-z-]+/1)"', code))
    named |= {f"latchcheck/{one}/1" for one in re.findall(r'head\("([a-z-]+)"\)', code)}
    published = [*REFERENCE.glob("*.schema.json"), ROOT / "counterexamples" / "schema" / "fixture.schema.json"]
    told = {
        name
        for path in published
        for name in re.findall(r'"(?:const|title)": "(latchcheck/[a-z-]+/1)"', path.read_text(encoding="utf-8"))
    }
    assert named <= told
    assert told <= named


ANSWERS: dict[str, tuple[list[str], int]] = {
    "replay": (["replay", SHORT, OTHER], 1),
    "fixtures check": (["fixtures", "check", str(SAVED / f"{SHORT}.json")], 0),
    "show": (["show", SHORT], 0),
    "show --at": (["show", SHORT, "--at", "0"], 0),
    "show --compare": (["show", SHORT, "--compare", OTHER], 0),
    "fixtures list": (["fixtures", "list"], 0),
    "targets install": (["targets", "install", "sqlite"], 0),
    "export tla": (["export", "tla", *SMALL], 0),
    "export smt2": (["export", "smt2", *SMALL, "--property", "begins-working"], 0),
    "export dot": (["export", "dot", *SMALL, "--property", "begins-working"], 0),
    "export itf": (["export", "itf", "--fixture", SHORT], 0),
    "export mermaid": (["export", "mermaid", "--fixture", SHORT], 0),
    "recheck": (["recheck", "--property", "idempotency-outlives-retries"], 0),
    "explain a key": (["explain", "ttl"], 0),
    "explain a property": (["explain", "no-live-orphan"], 0),
    "explain a lifecycle property": (["explain", "begins-working"], 0),
    "explain a switch": (["explain", "lease"], 0),
    "explain a size": (["explain", "tasks"], 0),
    "explain a word": (["explain", "margin"], 0),
    **{
        f"list {what}": (["list", what], 0)
        for what in ("presets", "keys", "properties", "policies", "scopes", "mutants", "sentences")
    },
}


def answered(capsys: pytest.CaptureFixture[str], arguments: list[str], code: int) -> Any:
    """What a command answers in JSON, which is as published and says the exit code."""
    assert main([*arguments, "--format", "json"]) == code
    said = capsys.readouterr()
    answer = json.loads(said.out)
    Draft202012Validator(SCHEMA).validate(answer)
    assert (answer["exit"], said.err) == (code, "")
    return answer


def test_the_schema_is_one() -> None:
    """The published file is a JSON Schema."""
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_are_as_published(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The JSON of each of the smaller verbs fits the published schema."""
    answered(capsys, *ANSWERS[name])


def test_a_stale_fixture_is_answered_as_published(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is stale has its reason and no run, from `replay`, `fixtures check` and `fixtures minimise`."""
    path = tmp_path / "stale.json"
    document = json.loads((SAVED / f"{SHORT}.json").read_text(encoding="utf-8"))
    path.write_text(json.dumps(document | {"policy": {}}), encoding="utf-8")
    for verb in (["replay"], ["fixtures", "check"], ["fixtures", "minimise"]):
        (one,) = answered(capsys, [*verb, str(path)], 5)["fixtures"]
        assert (one["outcome"], one["id"]) == ("stale", SHORT)
        assert "steps" not in one or verb[-1] == "minimise"


def test_minimising_is_answered_as_published(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run that cannot be made smaller is told with its steps before and after."""
    path = tmp_path / "copy.json"
    shutil.copy(SAVED / f"{SHORT}.json", path)
    (one,) = answered(capsys, ["fixtures", "minimise", str(path)], 0)["fixtures"]
    assert (one["outcome"], one["steps_before"], one["reason"]) == ("as-before", one["steps"], None)


def test_generating_is_answered_as_published(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The files that are made are named, and those of a configuration as well; a second time nothing has changed."""
    make = ["fixtures", "generate", "--property", "begins-working", "-o", str(tmp_path)]
    first = answered(capsys, make, 0)["files"]
    assert sorted(first) == sorted(str(path) for path in tmp_path.rglob("*") if path.is_file())
    assert answered(capsys, make, 0)["files"] == []
    timed = answered(capsys, ["fixtures", "generate", "--config", CONFIG, "-o", str(tmp_path / "timed")], 0)["files"]
    assert sorted(timed) == sorted(map(str, (tmp_path / "timed").rglob("*.json")))


def test_an_export_names_its_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Written into a folder, each file of the module is told by its path, and holds the text that is told without."""
    told = answered(capsys, ["export", "tla", *SMALL], 0)["files"]
    written = answered(capsys, ["export", "tla", *SMALL, "-o", str(tmp_path)], 0)["files"]
    assert [one["name"] for one in told] == [one["name"] for one in written] == ["Latchcheck.tla", "Latchcheck.cfg"]
    assert [one["text"] for one in told] == [Path(one["path"]).read_text(encoding="utf-8") for one in written]
    assert [(one["path"], other["text"]) for one, other in zip(told, written, strict=True)] == [(None, None)] * 2


def test_a_draft_is_answered_as_published(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A property file to begin with is told in an object, and written where -o names a file."""
    schema = json.loads((REFERENCE / "wording.schema.json").read_text(encoding="utf-8"))
    file = tmp_path / "mine.toml"
    assert main(["wording", "new", "--format", "json", "-o", str(file)]) == 0
    answer = json.loads(capsys.readouterr().out)
    Draft202012Validator(schema).validate(answer)
    assert (answer["file"], answer["text"]) == (str(file), file.read_text(encoding="utf-8"))
