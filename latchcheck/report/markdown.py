"""Answers in Markdown: a table of verdicts, then each violation with its run, fit for an issue or a job's summary."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .findings import Finding, Findings
from .layout import printable

MARKS = {"violated": "✗", "proved": "✓", "holds": "✓", "vacuous": "?", "inconclusive": "?", "not-applicable": ""}
SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#])")


def dump(asked: Sequence[Findings]) -> str:
    """The answers as one document, a section a question; a text without a line end."""
    return "\n\n".join("\n".join(_section(part)) for part in asked)


def _section(part: Findings) -> list[str]:
    lines = [f"## latchcheck {part.verb}: {_text(part.source)}", "", "| | property | verdict |", "|---|---|---|"]
    decided = [one for one in part.findings if one.verdict != "not-applicable"]
    absent = [one for one in part.findings if one.verdict == "not-applicable"]
    lines += [f"| {MARKS[one.verdict]} | `{one.id}` | {_text(_verdict(one))} |" for one in decided]
    if absent:
        names = ", ".join(f"`{one.id}`" for one in absent)
        lines += ["", f"Not applicable, {len(absent)}: {names}."]
    for one in part.findings:
        if one.failed:
            lines += ["", *_violation(one)]
    if part.assumptions:
        lines += ["", "Assumed, since nothing says otherwise:", "", *(f"- {_text(one)}" for one in part.assumptions)]
    return [*lines, "", f"Exit code {part.exit}.", "Ask again:", "", *_fenced([part.command])]


def _verdict(one: Finding) -> str:
    return one.title.removeprefix(f"{one.id}: ")


def _violation(one: Finding) -> list[str]:
    lines = [f"### {one.id}: {_text(_verdict(one))}", "", f"> {one.keyword}: {_text(one.sentence.text)}", ">"]
    lines += [f"> {_text(', '.join(part for part in (one.sentence.source, one.sentence.where) if part))}", ""]
    lines += [f"- {_text(text)}" for text in one.details]
    if one.place is not None:
        line = "" if one.place.line is None else f":{one.place.line}"
        lines.append(f"- at {_text(one.place.file + line)}")
    if one.rows:
        lines += ["", "| time | party | event | what changed |", "|---:|---|---|---|"]
        for row in one.rows:
            cells = (row.time, row.party, row.event, row.changed.replace("\N{NO-BREAK SPACE}", " "))
            bold = "**" if row.marked else ""
            lines.append("| " + " | ".join(f"{bold}{_text(cell)}{bold}" if cell else "" for cell in cells) + " |")
    return lines


def _fenced(texts: Sequence[str]) -> list[str]:
    """A block of code whose fence is longer than any in it."""
    longest = max((len(run) for text in texts for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}sh", *map(printable, texts), fence]


def _text(text: str) -> str:
    """The text as itself: nothing in it is Markdown, and it stays in its line."""
    return SPECIAL.sub(r"\\\1", printable(" ".join(text.split())))
