"""Answers the questions of `latchcheck verify`, one after the other, and adds up what became of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field, frozen

from latchcheck.kernel.doing import each
from latchcheck.kernel.exits import Exit, exit_code
from latchcheck.kernel.interrupts import INTERRUPTS, is_interrupt
from latchcheck.kernel.verdict import Report, Verdict

from . import wiring
from .errors import complain, complain_of
from .notes import note, taken_over
from .output import Output, Unwritable

if TYPE_CHECKING:
    from latchcheck.report.findings import Findings

ENDS = (
    (Exit.VIOLATED, "violated"),
    (Exit.VACUOUS, "vacuous"),
    (Exit.INCONCLUSIVE, "inconclusive"),
    (Exit.FINE, "fine"),
)
STREAMED = ("text", "json")
"""The formats whose answers are shown one by one as they come; of the others there is one document of them all."""
CUT_SHORT: tuple[Verdict, ...] = ("inconclusive",)


@frozen
class Question:
    """One configuration to be verified: a file or none, and what is laid over it."""

    file: str | None
    client: str | None
    server: str | None
    task: str | None
    sets: tuple[str, ...]

    def command(self, only: Sequence[str] = ()) -> str:
        """The command line that asks this question again."""
        import shlex

        words = ["latchcheck", "verify", *([] if self.file is None else [self.file])]
        for option, value in (("--client", self.client), ("--server", self.server), ("--task", self.task)):
            words += [] if value is None else [option, value]
        words += [word for assignment in self.sets for word in ("--set", assignment)]
        words += [word for name in only for word in ("--property", name)]
        return shlex.join(words)

    def read(self) -> Any:
        """The configuration that is asked about; raises an error for which `wiring.is_bad_input` is true."""
        return wiring.read_config(self.file, client=self.client, server=self.server, task=self.task, sets=self.sets)

    @property
    def source(self) -> str:
        """The question in the words of the command line, as a heading."""
        parts = [
            "standard input" if self.file == "-" else self.file,
            self.client and f"client {self.client}",
            self.server and f"server {self.server}",
            self.task and f"task {self.task}",
            *self.sets,
        ]
        return ", ".join(part for part in parts if part)


@define
class Tally:
    """What became of each question so far."""

    verdicts: set[Verdict] = field(factory=set)
    ends: list[int] = field(factory=list)
    unread: int = 0
    unsaved: bool = False
    """Whether a run that was found could not be saved, which changes no verdict."""
    said: set[str] = field(factory=set)
    said_max: int | None = None
    """So many errors are told, if there is a limit; the others are counted."""

    @property
    def count(self) -> int:
        """How many questions are dealt with."""
        return len(self.ends) + self.unread

    def add(self, report: Report | None) -> None:
        """Count a report, or a question that could not be read."""
        if report is None:
            self.unread += 1
        else:
            self.verdicts |= {one.verdict for one in report.properties}
            self.ends.append(report.exit)

    def complain(self, error: Exception) -> None:
        """Say what is wrong, once: a wrong option is wrong for every file."""
        if str(error) in self.said:
            return
        self.said.add(str(error))
        if self.said_max is None or len(self.said) <= self.said_max:
            complain_of(error)

    def complain_of_others(self) -> None:
        """Say how many errors were not told, if there are any."""
        others = 0 if self.said_max is None else len(self.said) - self.said_max
        if others > 0:
            complain(f"and {others} more of this kind")

    def exit(self, *, cut_short: bool = False, unwritable: bool = False) -> int:
        """The exit code of the whole run."""
        wrong = unwritable or self.unsaved or self.unread > 0
        return exit_code([*self.verdicts, *(CUT_SHORT if cut_short else ())], usage_error=wrong)

    def line(self, *, cut_short: bool = False) -> str:
        """How many configurations came to which end."""
        ends = [(word, self.ends.count(code)) for code, word in ENDS]
        parts = [f"{count} {word}" for word, count in (*ends, ("unreadable", self.unread)) if count]
        what = "configuration" if self.count == 1 else "configurations"
        return f"{self.count} {what}: {', '.join(parts)}. Exit code {self.exit(cut_short=cut_short)}.\n"


def answer_all(
    questions: Sequence[Question], only: Sequence[str], form: str, out: Output, folder: Path | None = None
) -> int:
    """Answer each question, save what is violated in `folder` if there is one, and return the exit code of them all.

    A question that cannot be read is reported, and the next one is answered.
    Where the run is cut short, by the user or by a reader that goes away, what is left counts as inconclusive; the
    answers there are by then are told all the same.
    """
    tally, several = Tally(), len(questions) > 1
    gathered: list[Findings] = []
    try:
        interrupted = _each_answered(questions, only, form, out, folder, tally, gathered)
        if interrupted:
            complain("interrupted")
            out.cut_short()
        if form not in STREAMED and (gathered or not interrupted):
            out.write(_document(form, gathered))
        if several and tally.ends and form == "text":
            out.write(tally.line(cut_short=interrupted))
        if tally.ends or form not in STREAMED:  # errors alone are no result
            out.finish()
    except BrokenPipeError:
        return tally.exit(cut_short=tally.count < len(questions))
    except Unwritable as error:
        complain(f"cannot write to {error}")
        return tally.exit(unwritable=True)
    return tally.exit(cut_short=interrupted)


def _each_answered(
    questions: Sequence[Question],
    only: Sequence[str],
    form: str,
    out: Output,
    folder: Path | None,
    tally: Tally,
    gathered: list[Findings],
) -> bool:
    """Answer each question, and show it or gather it; whether the user ended it before the last one."""
    several = len(questions) > 1
    try:
        for question in each("", questions, named=lambda one: one.source if several else ""):
            report = answer(question, only, tally)
            tally.add(report)
            if report is None:
                continue
            for line in taken_over(report.config):
                note(line)
            report = _saved(report, folder, tally)
            if form in STREAMED:
                out.write(_shown(report, form, out, several=several, reasons=bool(only)))
            else:
                gathered.append(findings_of(report, question, only))
            if report.interrupted:
                return True
    except INTERRUPTS as error:
        if not is_interrupt(error):
            raise
        return True
    return False


def answer(
    question: Question,
    only: Sequence[str],
    tally: Tally,
    read: Callable[[], Any] | None = None,
    *,
    repairs: bool = True,
) -> Report | None:
    """The report on one question, or None where its input is wrong, which is then said on stderr.

    `read` gives its configuration, where it is not to be read from what the question names.
    """
    try:
        config = (read or question.read)()
    except Exception as error:
        if not wiring.is_bad_input(error):
            raise
        tally.complain(error)
        return None
    return evolve(wiring.verify(config, only or None, repairs=repairs), source=question.source)


def _saved(report: Report, folder: Path | None, tally: Tally) -> Report:
    """The report with the files that its witnesses are saved in; where that cannot be, it is said."""
    if folder is None:
        return report
    try:
        paths, lost = wiring.save_witnesses(report, folder)
    except OSError as error:
        complain(f"cannot write to {folder}: {error.strerror or error}")
        tally.unsaved = True
        return report
    if lost:
        # A run that was executed and does not replay: nobody else's fault.
        raise AssertionError(f"not saved: {'; '.join(lost)}")
    known = {name: str(path) for name, path in paths.items()}
    return evolve(report, properties=tuple(evolve(one, fixture=known.get(one.id)) for one in report.properties))


def findings_of(report: Report, question: Question, only: Sequence[str]) -> Findings:
    """The report as the formats for other programs take it."""
    from latchcheck.report.findings import of_report

    return of_report(report, wiring.telling(report.config), command=question.command(only))


def _document(form: str, gathered: Sequence[Findings]) -> str:
    from latchcheck.report.formats import shown

    return shown(form, gathered)


def _shown(report: Report, form: str, out: Output, *, several: bool, reasons: bool) -> str:
    if form == "json":
        from latchcheck.report.envelope import dump

        return dump(report, one_line=several) + "\n"
    from latchcheck.report.text import render

    text = render(
        report,
        width=out.width,
        colour=out.colour,
        telling=wiring.telling(report.config),
        groups=wiring.assumption_groups(),
        reasons=reasons,
    )
    text += "".join(f"saved: {one.fixture}\n" for one in report.properties if one.fixture is not None)
    return text + ("\n" if several else "")
