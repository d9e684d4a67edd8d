"""A report as people read it: a table of verdicts, then a timeline and the repairs of each violation.

This form may change at any time; programs read the envelope, which has every number exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_lowercase
from typing import Any

from latchcheck.kernel.duration import readable
from latchcheck.kernel.telling import PLAIN, Telling
from latchcheck.kernel.verdict import VERDICTS, PropertyVerdict, Repair, Report

from .findings import repair_text, spelled
from .layout import Paint, columns, glue, painted, unpainted, wrap
from .timeline import harm, timeline
from .values import knob, setting

WIDTH = 80
HEAD = ("verdict", "property", "margin", "what limits it")
CLASSES = {
    "proved": "proved: for every run of the model at these numbers.",
    "holds": "holds: for every run within the scope beside it.",
}


def render(
    report: Report,
    *,
    width: int = WIDTH,
    colour: bool = False,
    telling: Telling = PLAIN,
    groups: Mapping[str, str] | None = None,
    reasons: bool = False,
) -> str:
    """The whole report, ending in a line end.

    `telling` has the words for runs, `groups` the group of each assumption.
    `reasons` says why a property does not apply; without it only its name is there.
    """
    paint = painted if colour else unpainted
    lines = [*(paint(line, "title") for line in wrap(report.source, width)), ""]
    lines += _verdicts(report, width, paint, reasons=reasons)
    for one in report.properties:
        if one.verdict == "violated":
            lines += ["", *_violation(one, report.config.flat(), width, paint, telling)]
    lines += _assumptions(report.assumptions, groups or {}, width, paint)
    lines += ["", *wrap(summary(report), width)]
    return "\n".join(lines) + "\n"


def summary(report: Report) -> str:
    """How many properties got which verdict, and the exit code."""
    counts = {verdict: sum(one.verdict == verdict for one in report.properties) for verdict in VERDICTS}
    shown = sorted((verdict for verdict in VERDICTS if counts[verdict]), key=lambda verdict: verdict != "violated")
    total = len(report.properties)
    parts = ", ".join(glue(f"{counts[verdict]} {verdict}") for verdict in shown)
    return f"{total} {'property' if total == 1 else 'properties'}: {parts}. {glue(f'Exit code {report.exit}.')}"


def _verdicts(report: Report, width: int, paint: Paint, *, reasons: bool) -> list[str]:
    """What was decided first, what does not apply below it, each in the order of the catalogue."""
    decided = [one for one in report.properties if one.verdict != "not-applicable"]
    absent = [one for one in report.properties if one.verdict == "not-applicable"]
    lines: list[str] = []
    if decided:
        keys = report.config.flat()
        rows = [HEAD, *((one.verdict, one.id, _margin(one), spelled(_limit(one), keys)) for one in decided)]
        roles = ["", *(one.verdict for one in decided)]
        table = columns(rows, align="<<>w", width=width, roles=roles, paint=paint)
        lines += [paint(table[0], "label"), *table[1:]]
    classes = [text for verdict, text in CLASSES.items() if any(one.verdict == verdict for one in decided)]
    if classes:
        lines += ["", *("  " + paint(text, "label") for text in classes)]
    if decided and absent:
        lines.append("")
    if absent and reasons:
        rows = [(one.verdict, one.id, one.reason or "") for one in absent]
        lines += columns(rows, align="<<w", width=width, roles=[one.verdict for one in absent], paint=paint)
    elif absent:
        names = ", ".join(one.id for one in absent)
        text = f"Not applicable, {len(absent)} (--property ID says what is missing): {names}"
        lines += [paint("  " + line, "not-applicable") for line in wrap(text, width - 2)]
    return lines


def _margin(one: PropertyVerdict) -> str:
    return "" if one.margin_ms is None else readable(one.margin_ms, sign="+")


def _limit(one: PropertyVerdict) -> str:
    """What the margin is about, or what stands in place of one."""
    parts: list[str] = []
    if one.verdict == "holds":
        parts.append(f"within {one.scope}")
    if one.reason:
        parts.append(one.reason)
    if one.bound_ms is not None:
        parts.append(f"bound {readable(one.bound_ms)}")
    if one.binding and one.margin_ms is not None:
        # The margin is how far the first may move; the violation names the others too.
        parts.append(knob(one.binding[0]))
    return "; ".join(parts)


def _violation(
    one: PropertyVerdict, config: Mapping[str, Any], width: int, paint: Paint, telling: Telling
) -> list[str]:
    margin = f", margin {readable(one.margin_ms, sign='+')}" if one.margin_ms is not None else ""
    facts = [
        (one.keyword, one.sentence.text),
        ("source", ", ".join(part for part in (one.sentence.source, one.sentence.where) if part)),
        ("fails", spelled(one.clause or "", config)),
        ("knobs", ", ".join(setting(key, config[key]) if key in config else knob(key) for key in one.binding)),
    ]
    facts = [(label, text) for label, text in facts if text]
    lines = [paint(f"violated: {one.id}{margin}", "violated")]
    lines += columns(facts, align="<w", width=width, roles=["label"] * len(facts), paint=paint)
    if one.witness is not None:
        count = len(one.witness.steps)
        title = f"A run that shows it, {count} {'event' if count == 1 else 'events'}, replayed:"
        lines += ["", "  " + paint(title, "title"), *timeline(one.witness, telling, width, paint=paint)]
        words = harm(one.witness, telling)
        if words is not None:
            lines += ["", *columns([("harm", words)], align="<w", width=width, roles=["violated"], paint=paint)]
    return lines + _repairs(one.repairs, config, width, paint)


def _repairs(repairs: Sequence[Repair], config: Mapping[str, Any], width: int, paint: Paint) -> list[str]:
    if not repairs:
        return []
    title = "This removes it:" if len(repairs) == 1 else "Any one of these removes it:"
    lines = ["", "  " + paint(title, "title")]
    marks = [""] if len(repairs) == 1 else [f"{letter})" for letter in ascii_lowercase]
    for mark, repair in zip(marks, repairs, strict=False):
        row = tuple(part for part in (mark, repair_text(repair, config, glue)) if part)
        lines += columns([row], align="<w"[-len(row) :], width=width, indent=4)
    return lines


def _assumptions(texts: Sequence[str], groups: Mapping[str, str], width: int, paint: Paint) -> list[str]:
    if not texts:
        return []
    gathered: dict[str, list[str]] = {}
    for text in texts:
        gathered.setdefault(groups.get(text, ""), []).append(text)
    rows = [(label, " ".join(found)) for label, found in gathered.items()]
    lines = ["", paint("Assumed, since nothing says otherwise:", "title")]
    return lines + columns(rows, align="<w", width=width, roles=["label"] * len(rows), paint=paint)
