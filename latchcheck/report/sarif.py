"""Answers as SARIF 2.1.0: a rule a property, a run that breaks it as a code flow, the knob's line as its location.

Format: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

from latchcheck import __version__

from .envelope import json_text, measure
from .findings import EXPLAINED, Finding, Findings, Place
from .timeline import Row

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {"MUST": "error", "SHOULD": "warning", "MAY": "note"}
"""How bad it is that a sentence with this keyword is broken."""
KINDS = {
    "proved": "pass",
    "holds": "pass",
    "violated": "fail",
    "vacuous": "review",
    "inconclusive": "open",
    "not-applicable": "notApplicable",
}


def dump(asked: Sequence[Findings]) -> str:
    """One SARIF log with one run of the tool, whatever the number of questions; a text without a line end."""
    return json_text(log(asked), one_line=False)


def log(asked: Sequence[Findings]) -> dict[str, Any]:
    """The log as plain dictionaries and lists."""
    rules = _rules(one for part in asked for one in part.findings)
    places = {name: index for index, name in enumerate(rules)}
    run = {
        "tool": {
            "driver": {"name": "latchcheck", "semanticVersion": __version__, "rules": list(rules.values())},
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {"commandLine": part.command, "exitCode": part.exit, "executionSuccessful": part.exit != 3}  # noqa: PLR2004 - an internal error
            for part in asked
        ],
        "results": [_result(one, part, places[one.id]) for part in asked for one in part.findings],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rules(findings: Iterable[Finding]) -> dict[str, dict[str, Any]]:
    rules: dict[str, dict[str, Any]] = {}
    for one in findings:
        source = ", ".join(part for part in (one.sentence.source, one.sentence.where) if part)
        rules.setdefault(
            one.id,
            {
                "id": one.id,
                "name": "".join(part.capitalize() for part in one.id.replace("/", "-").split("-")),
                "shortDescription": {"text": _sentence(one.sentence.text)},
                "fullDescription": {"text": f"{one.keyword}: {_sentence(one.sentence.text)} Source: {source}."},
                "help": {"text": f"`{EXPLAINED.format(one.id)}` says when it holds and what it reads."},
                "defaultConfiguration": {"level": LEVELS[one.keyword]},
            },
        )
    return rules


def _result(one: Finding, part: Findings, rule: int) -> dict[str, Any]:
    kind = KINDS[one.verdict]
    found: dict[str, Any] = {
        "ruleId": one.id,
        "ruleIndex": rule,
        "kind": kind,
        "level": LEVELS[one.keyword] if kind == "fail" else "none",
        "message": {"text": _sentence("\n".join([one.title, *one.details]))},
        "partialFingerprints": {"latchcheck/1": _fingerprint(one, part)},
        "properties": {"verdict": one.verdict, "engine": one.engine, "margin_ms": measure(one.margin_ms)},
    }
    if one.place is not None:
        found["locations"] = [{"physicalLocation": _physical(one.place)}]
    if one.rows:
        found["codeFlows"] = [_code_flow(one)]
    return found


def _code_flow(one: Finding) -> dict[str, Any]:
    locations = [_step(index, row, one.place) for index, row in enumerate(one.rows)]
    events = len(one.trace or one.rows)
    return {
        "message": {"text": f"A run of {events} events that shows it, executed again before it is told."},
        "threadFlows": [{"locations": locations}],
    }


def _step(index: int, row: Row, place: Place | None) -> dict[str, Any]:
    words = " ".join(part for part in (row.time, row.party, row.event) if part)
    text = f"{words} ({row.changed})" if row.changed else words
    location: dict[str, Any] = {"message": {"text": text}}
    if place is not None:
        location["physicalLocation"] = _physical(place)
    importance = "essential" if row.marked else "important"
    return {"location": location, "executionOrder": index, "importance": importance}


def _physical(place: Place) -> dict[str, Any]:
    path = Path(place.file)
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
    return {"artifactLocation": {"uri": uri}, "region": {"startLine": place.line or 1}}


def _fingerprint(one: Finding, part: Findings) -> str:
    """The same for the same answer to the same question, wherever the file lies and whatever the line."""
    words = [one.id, part.source if one.place is None else Path(one.place.file).name, one.verdict]
    return sha256("\n".join(words).encode()).hexdigest()[:32]


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
