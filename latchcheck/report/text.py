"""A report as people read it: a table of verdicts, then a timeline and the repairs of each violation.

This form may change at any time; programs read the envelope.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from latchcheck.kernel.duration import duration, signed
from latchcheck.kernel.numbers import exact_text
from latchcheck.kernel.verdict import VERDICTS, PropertyVerdict, Repair, Report

from .layout import Paint, columns, glue, painted, unpainted, wrap

if TYPE_CHECKING:
    from latchcheck.kernel.trace import Step, Trace

WIDTH = 80
EVENTS_MAX = 60
EVENTS_HEAD = 20
HEAD = ("verdict", "margin", "property", "evidence; what limits the margin")


def render(report: Report, *, width: int = WIDTH, colour: bool = False) -> str:
    """The whole report, ending in a line end."""
    paint = painted if colour else unpainted
    lines = [*(paint(line, "title") for line in wrap(report.source, width)), ""]
    lines += _verdicts(report, width, paint)
    for one in report.properties:
        if one.verdict == "violated":
            lines += ["", *_violation(one, report.config.flat(), width, paint)]
    if report.assumptions:
        lines += ["", paint("Assumed, since nothing says otherwise:", "title")]
        lines += columns([("-", text) for text in report.assumptions], align="<w", width=width)
    lines += ["", *wrap(summary(report), width)]
    return "\n".join(lines) + "\n"


def summary(report: Report) -> str:
    """How many properties got which verdict, and the exit code."""
    counts = {verdict: sum(one.verdict == verdict for one in report.properties) for verdict in VERDICTS}
    shown = sorted((verdict for verdict in VERDICTS if counts[verdict]), key=lambda verdict: verdict != "violated")
    total = len(report.properties)
    parts = ", ".join(glue(f"{counts[verdict]} {verdict}") for verdict in shown)
    return f"{total} {'property' if total == 1 else 'properties'}: {parts}. {glue(f'Exit code {report.exit}.')}"


def setting(key: str, value: Any) -> str:
    """A key and its value as one writes them in a file: `server.orphan_window = 15m`."""
    return f"{knob(key)} = {_value(key, value)}"


def knob(key: str) -> str:
    """A key as the configuration file spells it: the unit belongs to the value there."""
    return key.removesuffix("_ms")


def _verdicts(report: Report, width: int, paint: Paint) -> list[str]:
    """What was decided first, what does not apply below it, each in the order of the catalogue."""
    decided = [one for one in report.properties if one.verdict != "not-applicable"]
    absent = [one for one in report.properties if one.verdict == "not-applicable"]
    lines: list[str] = []
    if decided:
        rows = [HEAD, *((one.verdict, _margin(one), one.id, _evidence(one)) for one in decided)]
        roles = ["", *(one.verdict for one in decided)]
        table = columns(rows, align="<><w", width=width, roles=roles, paint=paint)
        lines += [paint(table[0], "label"), *table[1:]]
    if decided and absent:
        lines.append("")
    if absent:
        rows = [(one.verdict, one.id, one.reason or "") for one in absent]
        lines += columns(rows, align="<<w", width=width, roles=[one.verdict for one in absent], paint=paint)
    return lines


def _margin(one: PropertyVerdict) -> str:
    return "" if one.margin_ms is None else signed(one.margin_ms)


def _evidence(one: PropertyVerdict) -> str:
    """The class of the evidence and its limits, beside the verdict, so that none is taken for more than it is."""
    parts: list[str] = []
    if one.verdict == "proved":
        parts.append("all runs")
    elif one.verdict == "holds":
        parts.append(f"all runs within {one.scope}")
    elif one.witness is not None:
        parts.append(f"a run of {len(one.witness.steps)}")
    if one.reason:
        parts.append(one.reason)
    if one.bound_ms is not None:
        parts.append(f"bound {duration(one.bound_ms)}")
    if one.binding and one.margin_ms is not None:
        parts.append(", ".join(knob(key) for key in one.binding))
    return "; ".join(parts)


def _violation(one: PropertyVerdict, config: Mapping[str, Any], width: int, paint: Paint) -> list[str]:
    margin = f", margin {signed(one.margin_ms)}" if one.margin_ms is not None else ""
    facts = [
        ("sentence", f"{one.keyword}: {one.sentence.text}"),
        ("source", ", ".join(part for part in (one.sentence.source, one.sentence.where) if part)),
        ("fails", one.clause or ""),
        ("limit", ", ".join(knob(key) for key in one.binding)),
    ]
    facts = [(label, text) for label, text in facts if text]
    lines = [paint(f"violated: {one.id}{margin}", "violated")]
    lines += columns(facts, align="<w", width=width, roles=["label"] * len(facts), paint=paint)
    if one.witness is not None:
        count = len(one.witness.steps)
        title = f"A run that shows it, {count} {'event' if count == 1 else 'events'}, replayed:"
        lines += ["", "  " + paint(title, "title"), *_timeline(one.witness, width, paint)]
    if one.repairs:
        lines += ["", "  " + paint("Any one of these removes it:", "title")]
        for repair in one.repairs:
            lines += columns([(_repair(repair, config),)], align="w", width=width, indent=4)
    return lines


def _timeline(trace: Trace, width: int, paint: Paint) -> list[str]:
    steps = trace.steps
    cut = len(steps) - EVENTS_MAX
    shown = steps if cut <= 0 else (*steps[:EVENTS_HEAD], *steps[EVENTS_HEAD + cut :])
    rows = [("time", "party", "event", "what changed"), *(_event(step) for step in shown)]
    align = "><ww"
    if all(step.at_ms is None for step in shown):
        rows, align = [row[1:] for row in rows], align[1:]
    if cut <= 0:
        lines = columns(rows, align=align, width=width, indent=4)
    else:
        # Laid out together, then cut, so that the columns above and below the gap are the same.
        gap = [""] * len(align)
        lines = columns([*rows[: EVENTS_HEAD + 1], gap, *rows[EVENTS_HEAD + 1 :]], align=align, width=width, indent=4)
        lines[lines.index("")] = f"    ... {cut} more events; all of them are in the JSON form"
    lines[0] = paint(lines[0], "label")
    return lines


def _event(step: Step) -> tuple[str, str, str, str]:
    args = [f"{knob(name)}={_value(name, value)}" for name, value in step.args.items()]
    changed = [
        glue(f"{knob(name)}: {_value(name, old)} -> {_value(name, new)}") for name, (old, new) in step.changed.items()
    ]
    time = "" if step.at_ms is None else duration(step.at_ms)
    return time, step.party, " ".join([step.action, *args]), ", ".join(changed)


def _repair(repair: Repair, config: Mapping[str, Any]) -> str:
    parts: list[str] = []
    for key, value in repair.set.items():
        parts.append(glue(f"{'and' if parts else 'set'} {setting(key, value)}"))
        if key in config:
            parts.append(glue(f"(now {_value(key, config[key])})"))
    return " ".join(parts) + ("" if repair.verified else glue(", not verified"))


def _value(key: str, value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(key, one) for one in value) + "]"
    if isinstance(value, (int, Fraction)):
        # A bare 0 is no duration in a file, so zero keeps its unit.
        return (duration(value) if value else "0ms") if key.endswith("_ms") else exact_text(Fraction(value))
    return str(value)
