"""Answers as JUnit XML, for the many tools that show test results: a suite a question, a test case a property.

A violation is a failure, an answer that nothing was shown by an error, what does not apply is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring  # written, never parsed

from .findings import Finding, Findings
from .timeline import Row

UNFIT = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold, by whatever escape."""


def dump(asked: Sequence[Findings]) -> str:
    """The answers as one XML document, a text without a line end."""
    root = Element("testsuites", {"name": "latchcheck"} | _counts([one for part in asked for one in part.findings]))
    for part in asked:
        suite = SubElement(root, "testsuite", {"name": _fit(part.source or part.verb)} | _counts(part.findings))
        properties = SubElement(suite, "properties")
        SubElement(properties, "property", name="command", value=_fit(part.command))
        SubElement(properties, "property", name="exit", value=str(part.exit))
        for one in part.findings:
            _case(suite, one, part)
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode")


def _counts(findings: Sequence[Finding]) -> dict[str, str]:
    return {
        "tests": str(len(findings)),
        "failures": str(sum(one.failed for one in findings)),
        "errors": str(sum(one.unsettled for one in findings)),
        "skipped": str(sum(one.verdict == "not-applicable" for one in findings)),
        "time": f"{sum(one.seconds for one in findings):.6f}",
    }


def _case(suite: Element, one: Finding, part: Findings) -> None:
    case = SubElement(suite, "testcase", name=one.id, classname=f"latchcheck.{part.verb}", time=f"{one.seconds:.6f}")
    if one.place is not None:
        case.set("file", _fit(one.place.file))
        if one.place.line is not None:
            case.set("line", str(one.place.line))
    if one.failed:
        failure = SubElement(case, "failure", message=_fit(one.title), type=one.keyword)
        failure.text = _fit("\n".join([f"{one.keyword}: {one.sentence.text}", *one.details, *map(told, one.rows)]))
    elif one.unsettled:
        SubElement(case, "error", message=_fit(one.title), type=one.verdict)
    elif one.verdict == "not-applicable":
        SubElement(case, "skipped", message=_fit(one.title))
    else:
        out = SubElement(case, "system-out")
        out.text = _fit("\n".join([one.title, *one.details]))


def told(row: Row) -> str:
    """One event of a run in one line."""
    words = "  ".join(part for part in (row.time, row.party, row.event, row.changed) if part)
    return f"{'>' if row.marked else ' '} {words}"


def _fit(text: str) -> str:
    return UNFIT.sub("\N{REPLACEMENT CHARACTER}", text)
