"""`latchcheck probe` as a user meets it: a correct server, a broken one, and everything that is no server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from latchcheck.cli.main import main
from latchcheck.counterexamples.targets.live import UNSEEN, Visit
from latchcheck.properties.lifecycle.catalogue import CATALOGUE as LIFECYCLE
from latchcheck.properties.timing import CATALOGUE as TIMING
from tests.targets.fake_server import Clock, Fake, served

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/reference/probe.schema.json").read_text(encoding="utf-8"))
OPTIONS = ("--tool", "quick", "--wait", "2")


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A visit waits in no time."""
    monkeypatch.setattr("latchcheck.counterexamples.targets.live.visit.time", Clock())


def probed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """The exit code of a probe, and what it wrote."""
    code = main(["probe", *arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_the_envelope_is_as_published(capsys: pytest.CaptureFixture[str]) -> None:
    """The JSON of a probe is valid by its schema, and its exit code is that of the process."""
    with served(Fake()) as url:
        code, out, _ = probed(capsys, url, *OPTIONS, "--format", "json")
    found = json.loads(out)
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    assert code == found["exit"]
    assert {"holds", "not-applicable"} == {one["verdict"] for one in found["checks"]}


def test_its_timeouts_are_verified(capsys: pytest.CaptureFixture[str]) -> None:
    """The ttl and the hint that the task tells are the advertised ones of the configuration that is verified."""
    fake = Fake()
    task = fake.task
    fake.task = lambda status, **more: {**task(status, **more), "ttlMs": 60_000, "pollIntervalMs": 250}
    with served(fake) as url:
        _, out, _ = probed(capsys, url, *OPTIONS, "--format", "json")
    config = json.loads(out)["timing"]["config"]
    told = [config[f"server.{name}"]["value"] for name in ("advertised_ttl_ms", "poll_interval_ms")]
    assert [60_000, 250] == told


def test_a_broken_sentence_is_told_with_its_words(capsys: pytest.CaptureFixture[str]) -> None:
    """A violation exits 1 and quotes the sentence."""
    fake = Fake()
    fake.answers["tasks/cancel"] = lambda _: {"error": {"code": -32602, "message": "finished"}}
    with served(fake) as url:
        code, out, _ = probed(capsys, url, *OPTIONS)
    assert 1 == code
    assert "the server MUST acknowledge the request with an empty result" in " ".join(out.split())


def test_an_interrupt_tells_what_was_seen(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A visit that the user ends while it polls tells what it saw by then; exit code 4, and the JSON keeps its form."""

    def ended(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Visit, "_follow", ended)
    with served(Fake()) as url:
        code, out, err = probed(capsys, url, *OPTIONS, "--format", "json")
    found = json.loads(out)
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    assert (4, 4) == (code, found["exit"])
    assert "interrupted: what is told was seen until then" in err
    assert "holds" in {one["verdict"] for one in found["checks"]}


def without_tasks(fake: Fake) -> None:
    """A server that has no tasks."""
    answer = {"supportedVersions": ["2026-07-28"], "capabilities": {}}
    fake.answers["server/discover"] = lambda _: {"result": answer}


def with_other_tools(fake: Fake) -> None:
    """A server that lacks the tool."""
    fake.answers["tools/list"] = lambda _: {"result": {"tools": [{"name": "slow"}]}}


def with_an_older_version(fake: Fake) -> None:
    """A server of another time."""
    del fake.answers["server/discover"]
    fake.answers["initialize"] = lambda _: {"result": {"protocolVersion": "2024-11-05"}}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (without_tasks, "does not say that it has tasks"),
        (with_other_tools, "the server has no tool 'quick'; it has slow"),
        (with_an_older_version, "'2024-11-05', not '2025-11-25'"),
    ],
)
def test_a_server_that_cannot_be_probed(capsys: pytest.CaptureFixture[str], change: Any, says: str) -> None:
    """Where there is nothing to look at, that is said, and exits 2."""
    fake = Fake()
    change(fake)
    with served(fake) as url:
        code, out, err = probed(capsys, url, *OPTIONS)
    assert 2 == code
    assert says in out + err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nonsense"], "write https://host/mcp"),
        (["ftp://host/mcp"], "write https://host/mcp"),
        (["http://user:secret@host/mcp"], "--header"),
        (["http://host:99999/mcp"], "write https://host/mcp"),
        (["http://127.0.0.1:9/mcp", "--args", "{"], "--args is no JSON"),
        (["http://127.0.0.1:9/mcp", "--args", "[]"], "--args is no object"),
        (["http://127.0.0.1:9/mcp", "--header", "secret"], "NAME: VALUE"),
        (["http://127.0.0.1:9/mcp", "--header", "X: a\nb"], "header"),
        (["http://127.0.0.1:9/mcp", "--wait", "nan"], "--wait"),
        (["http://127.0.0.1:9/mcp"], "no connection"),
    ],
)
def test_bad_input_is_one_clear_error(capsys: pytest.CaptureFixture[str], arguments: list[str], says: str) -> None:
    """Whatever is wrong is one error that says what to write instead, exits 2, and shows no secret."""
    code, out, err = probed(capsys, *arguments, *(() if "--wait" in arguments else ("--wait", "2")), "--tool", "quick")
    assert (2, "") == (code, out)
    assert says in err
    assert "secret" not in err


def test_what_is_unseen_is_covered() -> None:
    """Each sentence that is not seen from outside names properties that the model has."""
    known = {*LIFECYCLE, *TIMING}
    missing: Mapping[str, set[str]] = {one.sentence.text: set(one.properties) - known for one in UNSEEN}
    assert {} == {text: names for text, names in missing.items() if names}
