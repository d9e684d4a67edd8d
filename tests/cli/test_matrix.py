"""`latchcheck matrix`: a cell is what `verify` says of its pair, in every format, also where the user ends it."""

from __future__ import annotations

import csv
import json
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from junitparser import JUnitXml

from latchcheck.cli import wiring
from latchcheck.model.presets import names
from tests.cli.conftest import Run
from tests.cli.test_partial import ending

ROOT = Path(__file__).parents[2]
SCHEMA = Draft202012Validator(
    json.loads((ROOT / "docs" / "reference" / "many.schema.json").read_text(encoding="utf-8"))
)
PAIRS = [(client, server) for client in ("fastmcp-tasks", "strands-py") for server in ("sdar", "mcp-py-1")]
NAMED = [*(f"--client={one}" for one in ("fastmcp-tasks", "strands-py")), "--server=sdar", "--server=mcp-py-1"]
WORK = "[workload]\nexecution = '2m'\n"
# What `verify` tells of a property beside its answer.
RUNS = {"sentence", "witness", "repairs", "cost"}


@pytest.fixture
def work(tmp_path: Path) -> str:
    """A file with what the pairs share."""
    file = tmp_path / "work.toml"
    file.write_text(WORK, encoding="utf-8")
    return str(file)


def without_runs(envelope: Any) -> list[dict[str, Any]]:
    """The answers of a report of `verify`, but for runs, repairs and what they took."""
    return [{key: value for key, value in one.items() if key not in RUNS} for one in envelope["properties"]]


def test_a_cell_is_what_verify_says_of_the_pair(call: Run, work: str) -> None:
    """Each pair has the very answers, and the exit code, of `verify --client --server`, and all have the worst code."""
    found = call("matrix", work, *NAMED, "--set", "network.latency=1s", "--format", "json").envelope
    SCHEMA.validate(found)
    assert PAIRS == [(pair["client"], pair["server"]) for pair in found["pairs"]]
    for pair in found["pairs"]:
        told = call(
            "verify", work, "--client", pair["client"], "--server", pair["server"],
            "--set", "network.latency=1s", "--format", "json",
        )  # fmt: skip
        assert (without_runs(told.envelope), told.code) == (pair["properties"], pair["exit"])
    assert 1 == found["exit"] == max(pair["exit"] for pair in found["pairs"])


def test_every_preset_with_every_preset(call: Run) -> None:
    """Without names there is a pair for each client and each server, and the table has a row and a column for each."""
    asked = ("matrix", "--property", "hint-honoured")
    found = call(*asked, "--format", "json").envelope
    clients, servers = names("client"), names("server")
    assert [(one, other) for one in clients for other in servers] == [
        (pair["client"], pair["server"]) for pair in found["pairs"]
    ]
    shown = call(*asked).out
    table = {line.split()[0]: line.split()[1:] for line in shown.splitlines()[3 : 3 + len(clients)]}
    marks = {"violated": "V1", "proved": "P", "not-applicable": "-"}
    expected: dict[str, list[str]] = {}
    for pair in found["pairs"]:
        expected.setdefault(pair["client"], []).append(marks[pair["properties"][0]["verdict"]])
    assert expected == table
    assert max(map(len, shown.splitlines())) <= 80
    for number, server in enumerate(servers, 1):
        assert f"{number} {server}" in " ".join(shown.split())


def test_the_table_tells_the_worst(call: Run, work: str) -> None:
    """In words where there is room: the worst verdict of each pair, and below the worst margin and where it is."""
    shown = call("matrix", work, *NAMED).out
    pairs = call("matrix", work, *NAMED, "--format", "json").envelope["pairs"]
    rows = {line.split()[0]: line.split()[1:] for line in shown.splitlines() if line.strip().startswith("strands-py  ")}
    violated = [sum(one["verdict"] == "violated" for one in pair["properties"]) for pair in pairs[2:]]
    assert ["violated", str(violated[0]), "violated", str(violated[1])] == rows["strands-py"]
    # The client asks for a ttl of 1 min, which mcp-py-1 grants from creation: 1 min short of the work.
    assert any(line.split() == ["ttl-covers-execution", "1", "-1m", "strands-py", "with", "mcp-py-1"]
               for line in shown.splitlines())  # fmt: skip
    assert "latchcheck verify" in shown


def test_other_programs_read_every_pair(call: Run, tmp_path: Path) -> None:
    """SARIF and JUnit have what each pair violates, CSV a row for each property of each pair."""
    asked = ("matrix", *NAMED, "--property", "advertised-ttl-is-enforced", "--property", "hint-honoured")
    pairs = call(*asked, "--format", "json").envelope["pairs"]
    violated = [one["id"] for pair in pairs for one in pair["properties"] if one["verdict"] == "violated"]
    assert violated
    sarif = call(*asked, "--format", "sarif").envelope["runs"][0]["results"]
    assert violated == [one["ruleId"] for one in sarif if one.get("kind", "fail") == "fail"]
    file = tmp_path / "junit.xml"
    call(*asked, "--format", "junit", "-o", str(file))
    xml = JUnitXml.fromfile(str(file))
    assert (4, len(violated)) == (len(list(xml)), xml.failures)
    rows = list(csv.DictReader(StringIO(call(*asked, "--format", "csv").out)))
    expected = [(pair["client"], pair["server"], one["id"], one["verdict"], one["margin_ms"])
                for pair in pairs for one in pair["properties"]]  # fmt: skip
    assert expected == [
        (*(row[name] for name in ("client", "server", "property", "verdict")), json.loads(row["margin_ms"] or "null"))
        for row in rows
    ]


@pytest.mark.parametrize("form", ["text", "json"])
def test_an_interrupt_tells_the_pairs_that_are_decided(
    form: str, call: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three pairs are decided and told, the fourth is left blank; with -o on stdout too, and an older file stays."""
    file = tmp_path / "old"
    file.write_text("old", encoding="utf-8")
    asked = ("matrix", *NAMED, "--property", "hint-honoured", "--format", form)
    for output in ((), ("-o", str(file))):
        monkeypatch.setattr(wiring, "verify", ending(wiring.verify, 3))
        outcome = call(*asked, *output)
        monkeypatch.undo()
        assert outcome.err.startswith("latchcheck: error: interrupted: 3 of 4 configurations are decided\n")
        assert "old" == file.read_text(encoding="utf-8")
        if form == "json":
            assert PAIRS[:3] == [(one["client"], one["server"]) for one in outcome.envelope["pairs"]]
            assert outcome.code == outcome.envelope["exit"]
        else:
            rows = [line.split()[1:] for line in outcome.out.splitlines()[3:5]]
            assert [2, 1] == [sum(not word.isdigit() for word in row) for row in rows]


def test_what_contradicts_itself_is_a_pair_of_its_own(call: Run) -> None:
    """A pair that cannot be read is told with its error, once for all that are alike; the others are decided."""
    asked = ("matrix", "--client", "mcp-py-1", "--client", "strands-py", "--server", "sdar", "--server", "mcp-py-1")
    asked += ("--set", "network.max_consecutive_failures=1", "--property", "hint-honoured")
    outcome = call(*asked, "--format", "json")
    SCHEMA.validate(outcome.envelope)
    unread = [pair["client"] for pair in outcome.envelope["pairs"] if pair["properties"] is None]
    assert ["mcp-py-1", "mcp-py-1"] == unread
    assert 1 == outcome.err.count("latchcheck: error: ")
    assert "mcp-py-1    unreadable" in call(*asked).out


def test_a_value_that_presets_win_over_is_noted_once(call: Run, tmp_path: Path) -> None:
    """A key of the file is named once, however many pairs take another value from a preset."""
    file = tmp_path / "mine.toml"
    file.write_text("[client]\nrequested_ttl = '7s'\n", encoding="utf-8")
    outcome = call("matrix", str(file), *NAMED, "--property", "hint-honoured")
    (note,) = outcome.err.splitlines()
    assert note.startswith(f"latchcheck: note: client.requested_ttl: presets say otherwise than {file}:2 in ")


def test_standard_input_is_read_once(call: Run, work: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the pairs share may come from a pipe, and is the same for the last pair as for the first."""
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(Path(work).read_bytes())))
    asked = (*NAMED, "--property", "ttl-covers-execution", "--format", "json")
    found = call("matrix", "-", *asked).envelope["pairs"]
    assert [pair["properties"] for pair in call("matrix", work, *asked).envelope["pairs"]] == [
        pair["properties"] for pair in found
    ]


def test_everything_that_is_wrong_is_told_at_once(call: Run) -> None:
    """A preset, the file and an assignment are each told with what to write instead, and nothing is decided."""
    outcome = call("matrix", "missing.toml", "--client", "strands-pi", "--set", "server.orphan_windw=1m")
    assert (2, "") == (outcome.code, outcome.out)
    assert 3 == outcome.err.count("latchcheck: error: ")
    for said in ("did you mean 'strands-py'", "missing.toml: there is no such file", "did you mean 'orphan_window'?"):
        assert said in outcome.err
