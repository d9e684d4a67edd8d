"""Decides many configurations one by one, for `matrix` and `sweep`, and tells what came out of all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field, frozen

from latchcheck.kernel.doing import each
from latchcheck.kernel.exits import Exit
from latchcheck.report.many import Case, csv_text

from .answering import Question, Tally, answer, findings_of
from .errors import ERRORS_SHOWN_MAX
from .interrupting import interruptible
from .notes import note, taken_over_of_many
from .output import Output

if TYPE_CHECKING:
    from pathlib import Path

    from latchcheck.kernel.verdict import Configuration, Report
    from latchcheck.report.findings import Findings
    from latchcheck.report.layout import Paint

WITHOUT_RUNS = ("text", "json", "csv")
"""The formats that tell verdicts only, for which no repair is looked for and no run is kept."""


@frozen
class One:
    """One configuration to be decided: the question, what tells it from the others, and what reads it."""

    question: Question
    names: tuple[str, ...]
    read: Callable[[], Any]


@frozen
class Told:
    """How a verb tells its cases: the heads of their names, as plain data with the exit code, and as text."""

    heads: Sequence[str]
    data: Callable[[Sequence[Case], int], Any]
    text: Callable[[Sequence[Case], int, Paint], str]


@define
class _Found:
    """What came out so far; findings only where a format wants them, since they have all the runs."""

    cases: list[Case] = field(factory=list)
    configs: list[Configuration] = field(factory=list)
    findings: list[Findings] = field(factory=list)
    tally: Tally = field(factory=lambda: Tally(said_max=ERRORS_SHOWN_MAX))


def answer_many(asked: Sequence[One], only: Sequence[str], form: str, place: Path | None, told: Told) -> int:
    """Decide each, tell what came out in a format, and return the exit code of them all.

    Where the user ends it, what was decided by then is shown, and not written to a file; the rest is inconclusive.
    """
    found, out = _Found(), Output(place)
    runs = form not in WITHOUT_RUNS
    with interruptible(lambda: f"{len(found.cases)} of {len(asked)} configurations are decided") as cut:
        for one in each("", asked, named=lambda one: one.question.source):
            _decide(one, only, found, runs=runs)
    found.tally.complain_of_others()
    for line in taken_over_of_many(found.configs):
        note(line)
    code = found.tally.exit(cut_short=cut.short)
    return out.deliver(_shown(found, form, told, out, code, cut_short=cut.short), code, cut_short=cut.short)


def _decide(one: One, only: Sequence[str], found: _Found, *, runs: bool) -> None:
    report = answer(one.question, only, found.tally, one.read, repairs=runs)
    if report is not None and report.interrupted:
        raise KeyboardInterrupt  # a configuration that is answered in part is not decided
    found.tally.add(report)
    command = one.question.command(only)
    if report is None:
        found.cases.append(Case(one.names, command, int(Exit.USAGE)))
        return
    found.configs.append(report.config)
    if runs:
        found.findings.append(findings_of(report, one.question, only))
    found.cases.append(Case(one.names, command, report.exit, _without_runs(report)))


def _without_runs(report: Report) -> tuple[Any, ...]:
    return tuple(evolve(one, witness=None) for one in report.properties)


def _shown(found: _Found, form: str, told: Told, out: Output, code: int, *, cut_short: bool) -> str:
    if found.tally.unread and not found.tally.ends and form in WITHOUT_RUNS:  # errors alone are no result
        return ""
    if form == "json":
        from latchcheck.report.envelope import json_text

        return json_text(told.data(found.cases, code), one_line=False) + "\n"
    if form == "csv":
        return csv_text(told.heads, found.cases)
    if form != "text":
        from latchcheck.report.formats import shown

        return shown(form, found.findings)
    from latchcheck.report.layout import painted, unpainted

    paint = painted if out.colour else unpainted
    return told.text(found.cases, out.width, paint) + found.tally.line(cut_short=cut_short)
