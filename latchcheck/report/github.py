"""Answers as annotations of GitHub Actions.

Format: GitHub Docs, "Workflow commands for GitHub Actions": `::error file=F,line=N,title=T::MESSAGE`.
"""

from __future__ import annotations

from collections.abc import Sequence

from .findings import Finding, Findings
from .junit import told
from .layout import printable

COMMANDS = {"MUST": "error", "SHOULD": "warning", "MAY": "notice"}


def dump(asked: Sequence[Findings]) -> str:
    """One line for each answer that somebody has to look at, and one that counts; a text without a line end."""
    lines = [_annotation(one) for part in asked for one in part.findings if one.failed or one.unsettled]
    found = [one for part in asked for one in part.findings]
    failed, unsettled = sum(one.failed for one in found), sum(one.unsettled for one in found)
    lines.append(f"latchcheck: {len(found)} answers, {failed} violated, {unsettled} vacuous or inconclusive")
    return "\n".join(lines)


def _annotation(one: Finding) -> str:
    command = COMMANDS[one.keyword] if one.failed else "warning"
    settings = {"title": f"latchcheck: {one.title}"}
    if one.place is not None:
        settings = {"file": one.place.file, "line": str(one.place.line or 1), **settings}
    named = ",".join(f"{name}={_setting(value)}" for name, value in settings.items())
    body = "\n".join([one.sentence.text, *one.details, *map(told, one.rows)])
    return f"::{command} {named}::{_data(body)}"


def _data(text: str) -> str:
    """As the runner wants what follows the colons: one line, percent signs escaped first."""
    lines = [printable(line) for line in text.replace("%", "%25").split("\n")]
    return "%0A".join(lines)


def _setting(text: str) -> str:
    """As the runner wants a setting: what separates settings is escaped as well."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
