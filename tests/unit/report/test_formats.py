"""The formats for other programs: each answer is there, under the rules of the format, and nothing breaks out of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from attrs import evolve

from latchcheck.kernel.records import Sentence
from latchcheck.report import findings, formats, github, jsonl, junit, markdown, sarif
from tests.unit.report import sample

ALL = findings.of_report(
    sample.report(sample.PROVED, sample.VIOLATED, sample.VACUOUS, sample.INCONCLUSIVE, sample.ABSENT),
    command="latchcheck verify op.toml",
)
HOSTILE = "a | b, c: `d` <e> & 100% \x00\x1b[31m\n::error::f ]]>"


def hostile() -> findings.Findings:
    """A violation whose every text tries to end the place that it stands in."""
    one = next(one for one in ALL.findings if one.failed)
    sentence = Sentence(HOSTILE, HOSTILE, HOSTILE)
    found = evolve(one, title=HOSTILE, details=(HOSTILE,), sentence=sentence, place=findings.Place(HOSTILE, 3))
    return evolve(ALL, source=HOSTILE, command=HOSTILE, findings=(found,))


def test_the_location_is_the_line_of_the_binding_knob() -> None:
    """A violation points at the line of the file that gave its knob, here op.toml line 7."""
    violated = next(one for one in ALL.findings if one.failed)
    assert findings.Place("op.toml", 7) == violated.place


def test_a_sarif_result_has_the_kind_of_its_verdict() -> None:
    """Only a violation fails, and only what fails has a level (SARIF 2.1.0, 3.27.9 and 3.27.10)."""
    results = sarif.log([ALL])["runs"][0]["results"]
    kinds = [(one["properties"]["verdict"], one["kind"], one["level"]) for one in results]
    expected = [
        ("proved", "pass", "none"),
        ("violated", "fail", "error"),
        ("vacuous", "review", "none"),
        ("inconclusive", "open", "none"),
        ("not-applicable", "notApplicable", "none"),
    ]
    assert expected == kinds


def test_a_sarif_code_flow_tells_every_row_of_the_run_in_order() -> None:
    """The steps of the thread flow are the rows of the timeline, numbered from 0."""
    run = sarif.log([ALL])["runs"][0]
    flows = [one["codeFlows"][0]["threadFlows"][0]["locations"] for one in run["results"] if "codeFlows" in one]
    rows = next(one for one in ALL.findings if one.failed).rows
    assert [list(range(len(rows)))] == [[step["executionOrder"] for step in flow] for flow in flows]
    assert [row.event in step["location"]["message"]["text"] for row, step in zip(rows, flows[0], strict=True)] == [
        True
    ] * len(rows)


def test_one_sarif_rule_serves_all_results_of_a_property() -> None:
    """Two questions with the same property share its rule, and each result points at it."""
    run = sarif.log([ALL, ALL])["runs"][0]
    rules = [one["id"] for one in run["tool"]["driver"]["rules"]]
    assert len(ALL.findings) == len(rules)
    assert [one["ruleId"] for one in run["results"]] == [rules[one["ruleIndex"]] for one in run["results"]]


def test_junit_counts_what_it_holds() -> None:
    """The counts of a suite are the numbers of its failures, errors and skipped cases."""
    suite = ET.fromstring(junit.dump([ALL])).find("testsuite")  # noqa: S314 - written by ourselves
    assert suite is not None
    counted = {name: str(len(suite.findall(f"testcase/{name[:-1]}"))) for name in ("failures", "errors")}
    counted["skipped"] = str(len(suite.findall("testcase/skipped")))
    assert {"failures": "1", "errors": "2", "skipped": "1"} == counted
    assert counted == {name: suite.get(name) for name in counted}
    assert str(len(ALL.findings)) == suite.get("tests")


def test_a_github_annotation_is_one_line_whatever_it_holds() -> None:
    """Line ends, percent signs, and in settings colons and commas are escaped, so that no command can be smuggled."""
    lines = github.dump([hostile()]).splitlines()
    assert len(lines) == 2  # the annotation, and the count
    found = re.fullmatch(r"::error file=([^,:]*),line=3,title=([^,:]*)::(.*)", lines[0])
    assert found is not None
    raw = found[1].replace("%2C", ",").replace("%3A", ":").replace("%0A", "\n").replace("%25", "%")
    assert HOSTILE.replace("\x00", r"\x00").replace("\x1b", r"\x1b") == raw


def test_markdown_keeps_a_hostile_text_in_its_place() -> None:
    """A text with pipes, backticks and angle brackets makes no cell, no code and no tag."""
    text = markdown.dump([hostile()])
    tables = [line for line in text.splitlines() if line.startswith("| ✗")]
    assert [4] == [len(re.findall(r"(?<!\\)\|", line)) for line in tables]
    assert "<e>" not in re.sub(r"```.*?```", "", text, flags=re.DOTALL)


@pytest.mark.parametrize("form", sorted(formats.FORMATS))
def test_every_format_holds_a_hostile_text(form: str) -> None:
    """No control character of a text reaches a terminal or an XML parser as itself."""
    shown = formats.shown(form, [hostile()])
    assert "\x00" not in shown
    assert "\x1b" not in shown
    if form == "junit":
        ET.fromstring(shown)  # noqa: S314 - written by ourselves
    if form in ("sarif", "jsonl"):
        [json.loads(line) for line in ([shown] if form == "sarif" else shown.splitlines())]


def test_json_lines_begin_and_end() -> None:
    """The first event asks, the last finishes with the exit code, one between them for each property."""
    events = [json.loads(line) for line in jsonl.dump([ALL]).splitlines()]
    assert ["asked", *["answered"] * len(ALL.findings), "finished"] == [one["event"] for one in events]
    assert ALL.exit == events[-1]["exit"]


def test_the_summary_of_a_job_gets_the_markdown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With GITHUB_STEP_SUMMARY set, the github format appends the Markdown form to that file."""
    summary = tmp_path / "summary.md"
    summary.write_text("before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    formats.shown("github", [ALL])
    assert "before\n" + markdown.dump([ALL]) + "\n" == summary.read_text(encoding="utf-8")


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_what_is_assumed_is_told(form: str) -> None:
    """A picture that is shown to others says what its verdicts rest on."""
    report = sample.report(sample.VIOLATED, assumptions=("The client waits for ever.",))
    assert "The client waits for ever." in formats.shown(form, [findings.of_report(report)])
