"""What the verbs about targets answer in JSON is what the published schemas say, and so is what drivers are told."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from latchcheck.cli.main import main
from latchcheck.counterexamples import SAVED
from latchcheck.counterexamples.targets import EVENTS

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
FIXTURE = str(SAVED / "one-terminal-outcome" / "terminal-guard-check-then-set.json")
WORKED = ROOT / "docs" / "examples" / "driver" / "store.py"
ANSWERS = {
    "target-replays": (["replay", "--target", "sqlite-naive", FIXTURE], 1),
    "targets": (["targets", "list"], 0),
    "target-check": (["targets", "check", f"driver:{sys.executable} {WORKED}"], 0),
    "races": (["race", "--target", "sqlite", "--writers", "2", "--rounds", "4"], 0),
    "kills": (["kill", "--target", "sqlite", "--story", "client-after-return"], 1),
}


def validator(name: str) -> Draft202012Validator:
    """The validator of a published schema, which is itself a schema."""
    schema = json.loads((REFERENCE / f"{name}.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_are_as_published(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The JSON of each verb fits its schema, says its name and its exit code."""
    arguments, code = ANSWERS[name]
    assert code == main([*arguments, "--format", "json"])
    answer = json.loads(capsys.readouterr().out)
    assert [] == [error.message for error in validator(name).iter_errors(answer)]
    assert (f"latchcheck/{name}/1", code) == (answer["schema"], answer["exit"])


def test_the_driver_protocol_is_as_published() -> None:
    """What is written to the worked driver, and what it replies, fits the schema of the protocol."""
    schema = json.loads((REFERENCE / "driver.schema.json").read_text(encoding="utf-8"))
    asked: list[dict[str, Any]] = [{"id": 1, "do": "hello", "latchcheck": 1}, {"id": 2, "do": "open"}]
    asked += [
        {"id": 3 + place, "do": "event", "event": event, "task": "t1", "by": "w1", "args": {"status": "completed"}}
        for place, event in enumerate(EVENTS)
    ]
    lines = "".join(json.dumps(one) + "\n" for one in asked)
    done = subprocess.run([sys.executable, WORKED], input=lines, capture_output=True, text=True, check=True)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(asked) == len(told)
    for kind, messages in (("request", asked), ("reply", told)):
        fits = Draft202012Validator({**schema, "anyOf": [{"$ref": f"#/$defs/{kind}"}]})
        assert [] == [error.message for one in messages for error in fits.iter_errors(one)]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["replay", "--target", "sqllite", FIXTURE], "did you mean 'sqlite'"),
        (["replay", "--target", "driver:", FIXTURE], "write what it is after the colon"),
        (["targets", "check", "driver:'"], "quote it as a shell does"),
        (["targets", "install", "nonsense"], "`latchcheck targets list` names them all"),
        (["race", "--target", "sqlite", "--level", "serializable"], "SQLite has autocommit and deferred"),
        (["race", "--save", "/dev/null/x.json"], "/dev/null is no directory"),
        (["race", "--save", "/"], "this is a directory; name a file"),
        (["kill", "--story", "everybody"], "there is no such story"),
        (["replay", "--target", "driver:/no/such", FIXTURE], "cannot be started"),
    ],
)
def test_bad_input_is_one_error(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong name or option ends in 2 and says what to write instead."""
    assert 2 == main(arguments)
    assert said in capsys.readouterr().err
