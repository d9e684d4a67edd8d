"""`latchcheck admission` as a user meets it: decisions, both formats, exit codes, and errors that say what to write."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from latchcheck.cli.main import main
from latchcheck.model.packets.reading import SOURCE

REFERENCE = Path(__file__).parents[2] / "docs/reference"
ANSWERS = json.loads((REFERENCE / "admission.schema.json").read_text(encoding="utf-8"))
PACKETS = json.loads((REFERENCE / "packets.schema.json").read_text(encoding="utf-8"))


def one(**changes: Any) -> dict[str, Any]:
    """A document of one packet, with some keys changed; a key set to `...` is left out."""
    packet: dict[str, Any] = {
        "id": "p",
        "operation": "get",
        "now_ms": 10,
        "caller": {"auth_key": "a", "capabilities": ["tasks.requests.tools.call"]},
        "record": {"auth_key": "a", "status": "working", "version": 1, "expires_at_ms": 20},
    }
    packet |= changes
    kept = {name: value for name, value in packet.items() if value is not ...}
    return {"format": "latchcheck/packets/1", "packets": [kept]}


def written(folder: Path, document: Any) -> str:
    """A file with a document, a line a key."""
    path = folder / "packets.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document, indent=1), encoding="utf-8")
    return str(path)


def test_the_packets_of_the_source(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a file the thirty-two are decided, all as expected, in a document that fits its schema."""
    assert 0 == main(["admission", "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, ANSWERS)
    expected = {
        "packets": 32,
        "as_expected": 32,
        "not_as_expected": 0,
        "refused": 12,
        "let_through_unguarded": 12,
    }
    assert expected == found["summary"]


def test_the_fixture_fits_its_schema() -> None:
    """The packets of the source are what the published schema asks for."""
    jsonschema.validate(json.loads(SOURCE.read_text(encoding="utf-8")), PACKETS)


def test_without_guards_nothing_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Under `unguarded` no packet is refused, and the exit code says that properties are broken."""
    assert 1 == main(["admission", "--policy", "unguarded", "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, ANSWERS)
    assert 0 == found["summary"]["refused"]
    assert all(row["breaks"] for row in found["packets"] if row["unguarded"]["lets_through"])


def test_another_decision_than_expected_is_code_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A packet that expects what is not decided is named with both."""
    assert 1 == main(["admission", written(tmp_path, one(expected="BLOCK_AUTH"))])
    assert "RETURN_STATUS\n      expected BLOCK_AUTH" in capsys.readouterr().out


def test_a_file_may_hold_no_packet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty list is no error, and nothing is decided."""
    assert 0 == main(["admission", written(tmp_path, {"format": "latchcheck/packets/1", "packets": []})])
    assert "no packets" in capsys.readouterr().out


RECORD = one()["packets"][0]["record"]
WRONG: dict[str, tuple[Any, str, str]] = {
    "no json": ("{", ":1: no JSON", "one JSON object"),
    "no object": ("[]", ":1: /: [] is not an object", "write an object"),
    "another format": ({"format": "x", "packets": []}, ':2: /format: "x"', "latchcheck/packets/1"),
    "a key twice": ('{"format": 1, "format": 2}', "occurs twice", "keep one"),
    "a misspelled key": (one(operaton="get"), "/packets/0/operaton: there is no such key", "did you mean 'operation'"),
    "an operation": (one(operation="delete"), ':6: /packets/0/operation: "delete"', "call, transition"),
    "a missing key": (one(now_ms=...), '/packets/0: no "now_ms"', "add it"),
    "a float": (one(now_ms=1.5), "/packets/0/now_ms: 1.5 is not a whole number", "write a whole number"),
    "a flag": (one(now_ms=True), "/packets/0/now_ms: true is not a whole number", "write a whole number"),
    "a negative": (one(now_ms=-1), "/packets/0/now_ms: -1 is not a whole number", "write a whole number"),
    "a huge number": (one(now_ms=10**400), "/packets/0/now_ms: 1000", "write a whole number"),
    "NaN": ('{"format": NaN}', "NaN is no JSON", "write an integer"),
    "an empty id": (one(id=""), '/packets/0/id: "" is not a text', "write a text"),
    "no record to change": (one(record=[]), "/packets/0/record: [] is not an object", "write an object"),
    "version zero": (one(record={**RECORD, "version": 0}), "/packets/0/record/version: 0", "from 1"),
    "a status": (one(record={**RECORD, "status": "done"}), '/packets/0/record/status: "done"', "working"),
    "a capability": (
        one(caller={"auth_key": "a", "capabilities": ["tasks"]}),
        '/packets/0/caller/capabilities/0: "tasks"',
        "tasks.list",
    ),
    "a request where none belongs": (
        one(request={"status": "x"}),
        "/packets/0/request/status: there is no such key",
        "leave it out",
    ),
    "a transition without version": (
        one(operation="transition", request={"status": "completed"}),
        '/packets/0/request: no "expected_version"',
        "add it",
    ),
    "a call without request": (one(operation="call"), "/packets/0/request: null is not an object", "write an object"),
    "a decision": (one(expected="BLOCK"), '/packets/0/expected: "BLOCK"', "BLOCK_"),
    "half a character": ('{"format": "\\ud800"}', "half of a surrogate pair", "whole character"),
    "too deep": ("[" * 100_000, "nested too deeply", "schema"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_malformed_packet_is_one_clear_error(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, nothing on stdout, and the file, the place, what is wrong and what to write on stderr."""
    document, what, instead = WRONG[case]
    file = written(tmp_path, document)
    assert 2 == main(["admission", file])
    shown = capsys.readouterr()
    assert "" == shown.out
    assert shown.err.startswith(f"latchcheck: error: {file}")
    assert what in shown.err
    assert instead in shown.err
    assert 1 == shown.err.count("latchcheck: error")


def test_two_packets_of_one_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The second of two packets with one id is named."""
    document = one()
    document["packets"] *= 2
    assert 2 == main(["admission", written(tmp_path, document)])
    assert '/packets/1/id: there are two packets named "p"' in capsys.readouterr().err


def test_a_file_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A missing file, a folder and a file that is no text end with 2 and say why."""
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    for name, why in ((tmp_path / "none", "No such file"), (tmp_path, "Is a directory"), (binary, "no UTF-8")):
        assert 2 == main(["admission", str(name)])
        assert why in capsys.readouterr().err


def test_a_closed_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing to read is the caller's mistake, not the checker's."""
    monkeypatch.setattr(sys, "stdin", None)
    assert 2 == main(["admission", "-"])
    assert "the standard input is closed" in capsys.readouterr().err


def test_a_mistake_far_down_is_found_at_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The last of two thousand packets is as well placed as the first, and in one pass over the text."""
    document = one()
    document["packets"] = [{**document["packets"][0], "id": f"p{number}"} for number in range(2_000)]
    document["packets"][-1]["operation"] = "gett"
    file = written(tmp_path, document)
    line = 1 + next(n for n, text in enumerate(Path(file).read_text(encoding="utf-8").split("\n")) if "gett" in text)
    assert 2 == main(["admission", file])
    assert f'{file}:{line}: /packets/1999/operation: "gett"' in capsys.readouterr().err


def test_the_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`-` reads the packets from the standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(one()).encode())))
    assert 0 == main(["admission", "-"])
    assert "RETURN_STATUS" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["nothing", "tenant_check=maybe", "tenant_check", "", "era=2026-07-28"])
def test_a_policy_that_is_none(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A misspelled policy is code 2, with what to write instead."""
    assert 2 == main(["admission", "--policy", text])
    assert "" == capsys.readouterr().out


def test_control_characters_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An id that would move the cursor is printed as what it is."""
    assert 0 == main(["admission", written(tmp_path, one(id="a\x1b[2Jb"))])
    assert "\x1b" not in capsys.readouterr().out
