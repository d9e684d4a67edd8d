"""The formats for other programs, read by those programs' own tools."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from junitparser import JUnitXml

from latchcheck.cli.main import main
from latchcheck.cli.output import FORMATS
from latchcheck.report import formats
from tests.needing import npm_install

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLES = DOCS / "examples" / "paper-e4"
ORPHANED, SURVIVED = EXAMPLES / "ceiling-900s-window-120s.toml", EXAMPLES / "ceiling-900s-window-900s.toml"
QUESTIONS = {
    "verify": ["verify", str(ORPHANED), str(SURVIVED)],
    "presets": ["verify", "--client", "strands-py", "--server", "mcp-py-1"],
    "explore": ["explore", "--policy", "terminal_guard=none"],
}
# The tool's home page is not public yet, which this rule asks for.
ACCEPTED = "SARIF2005"
MULTITOOL = f"@microsoft/sarif-multitool-{sys.platform}"  # linux, darwin, win32


def written(name: str, form: str, folder: Path) -> Path:
    """The file in which one question is answered in one format."""
    file = folder / f"{name}.{form}"
    main([*QUESTIONS[name], "--format", form, "-o", str(file)])
    return file


def test_the_choices_are_the_formats_there_are() -> None:
    """Beside text and JSON a verb offers exactly the formats that have a module."""
    assert ("text", "json", *sorted(formats.FORMATS)) == (*FORMATS[:2], *sorted(FORMATS[2:]))


@pytest.mark.parametrize("name", QUESTIONS)
def test_json_lines_follow_their_schema(name: str, tmp_path: Path) -> None:
    """Every event of every question is valid under the published schema, and unlike one that lacks a field."""
    schema = json.loads((DOCS / "reference" / "events.schema.json").read_text(encoding="utf-8"))
    validator = Draft202012Validator(schema)
    events = [json.loads(line) for line in written(name, "jsonl", tmp_path).read_text(encoding="utf-8").splitlines()]
    assert [] == [error.message for event in events for error in validator.iter_errors(event)]
    assert not validator.is_valid({key: value for key, value in events[1].items() if key != "verdict"})


@pytest.mark.slow
@pytest.mark.needs("npm")
def test_sarif_is_valid(tmp_path: Path) -> None:
    """The SARIF SDK's own validator finds nothing to say about any log."""
    program = npm_install(tmp_path, MULTITOOL) / MULTITOOL / "Sarif.Multitool"
    program.chmod(0o755)
    logs = [written(name, "sarif", tmp_path) for name in QUESTIONS]
    done = subprocess.run(
        [program, "validate", *logs],
        env={"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    said = [line for line in done.stdout.splitlines() if ": error" in line or ": warning" in line]
    assert [] == [line for line in said if ACCEPTED not in line]
    assert "Analysis completed successfully" in done.stdout


def test_junit_is_read_by_others(tmp_path: Path) -> None:
    """A reader of JUnit files finds the suites, the cases and the one failure, with the file and line of its knob."""
    xml = JUnitXml.fromfile(str(written("verify", "junit", tmp_path)))
    suites = list(xml)
    assert [str(ORPHANED), str(SURVIVED)] == [suite.name for suite in suites]
    failed = [
        (case.name, suite.name) for suite in suites for case in suite if any(r.type == "MUST" for r in case.result)
    ]
    assert [("no-live-orphan", str(ORPHANED))] == failed
    assert (1, 0) == (xml.failures, xml.errors)


def test_a_document_of_no_answer_is_valid(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where no file can be read, what is written is a log without results, and the exit code is that of bad input."""
    broken = tmp_path / "broken.toml"
    broken.write_text("[client\n", encoding="utf-8")
    assert main(["verify", str(broken), "--format", "sarif"]) == 2
    assert json.loads(capsys.readouterr().out)["runs"][0]["results"] == []
