"""`latchcheck verify`: for every timing property a proof, or a timeline of the harm and its repairs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from attrs import define, evolve, field, frozen

from latchcheck.kernel.exits import Exit, exit_code
from latchcheck.kernel.verdict import Report, Verdict

from .errors import complain, silence_stdout
from .output import Output

NOTHING = """nothing to verify: name a configuration file, or presets, or both; for instance
  latchcheck verify --client strands-py --server mcp-py-1 --set workload.execution=2m"""

ENDS = (
    (Exit.VIOLATED, "violated"),
    (Exit.VACUOUS, "vacuous"),
    (Exit.INCONCLUSIVE, "inconclusive"),
    (Exit.FINE, "fine"),
)
CUT_SHORT: tuple[Verdict, ...] = ("inconclusive",)


@frozen
class Question:
    """One configuration to be verified: a file or none, and what is laid over it."""

    file: str | None
    client: str | None
    server: str | None
    task: str | None
    sets: tuple[str, ...]

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

    reports: list[Report] = field(factory=list)
    unread: int = 0

    @property
    def count(self) -> int:
        """How many questions are dealt with."""
        return len(self.reports) + self.unread

    def add(self, report: Report | None) -> None:
        """Count a report, or a question that could not be read."""
        if report is None:
            self.unread += 1
        else:
            self.reports.append(report)

    def exit(self, *, cut_short: bool = False) -> int:
        """The exit code of the whole run."""
        verdicts: list[Verdict] = [one.verdict for report in self.reports for one in report.properties]
        return exit_code([*verdicts, *CUT_SHORT] if cut_short else verdicts, usage_error=self.unread > 0)

    def line(self) -> str:
        """How many configurations came to which end."""
        ends = [(word, sum(report.exit == code for report in self.reports)) for code, word in ENDS]
        parts = [f"{count} {word}" for word, count in (*ends, ("unreadable", self.unread)) if count]
        return f"{self.count} configurations: {', '.join(parts)}. Exit code {self.exit()}.\n"


@click.command(
    "verify",
    short_help="Prove or refute a timeout configuration.",
    epilog="Exit code: the first of 3, 1, 2, 5, 4, 0 that applies to any file: 1 violated, 2 bad input, "
    "5 vacuous, 4 inconclusive, 0 fine. A file that cannot be read does not keep the others from being answered.",
)
@click.argument("files", nargs=-1, metavar="[CONFIG.toml]...")
@click.option("--client", metavar="PRESET", help="Start from a published client's defaults.")
@click.option("--server", metavar="PRESET", help="Start from a published server's defaults.")
@click.option(
    "--task", metavar="FILE", help="Read ttlMs and pollIntervalMs from a task as a server returned it (JSON)."
)
@click.option(
    "--set", "sets", metavar="KEY=VALUE", multiple=True, help="Set one key, for instance server.orphan_window=15m."
)
@click.option("--property", "only", metavar="ID", multiple=True, help="Answer this property only; may be repeated.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Text for people, or JSON: one envelope a line where there are several files.",
)
@click.option("-o", "--output", metavar="FILE", help="Write here instead of to stdout, whole or not at all.")
@click.pass_context
def command(
    context: click.Context,
    /,
    *,
    files: tuple[str, ...],
    only: tuple[str, ...],
    form: str,
    output: str | None,
    **laid_over: Any,
) -> None:
    """Answer every timing property for one configuration, or for each of several.

    A configuration is a TOML file (- reads stdin), a pair of presets, or both; --set has the last word.
    """
    if not (files or any(laid_over.values())):
        raise click.UsageError(NOTHING)
    _check_ids(only)
    questions = [Question(file, **laid_over) for file in files or (None,)]
    context.exit(_answer_all(questions, only, form, Output(_target(output))))


def _answer_all(questions: Sequence[Question], only: Sequence[str], form: str, out: Output) -> int:
    """Answer each question and return the exit code of them all.

    A question that cannot be read is reported, and the next one is answered.
    Where the run is cut short, by the user or by a reader that goes away, what is left counts as inconclusive.
    """
    tally = Tally()
    several = len(questions) > 1
    try:
        for question in questions:
            report = _answer(question, only)
            tally.add(report)
            if report is not None:
                out.write(_shown(report, form, out, several=several))
        if several and form == "text":
            out.write(tally.line())
    except KeyboardInterrupt:
        complain("interrupted")
        return tally.exit(cut_short=True)
    except BrokenPipeError:
        silence_stdout()
        return tally.exit(cut_short=tally.count < len(questions))
    try:
        out.finish()
    except OSError as error:
        complain(f"-o: {error}")
        tally.unread += 1
    return tally.exit()


def _answer(question: Question, only: Sequence[str]) -> Report | None:
    """The report on one question, or None where its input is wrong, which is then said on stderr."""
    from . import wiring

    try:
        config = wiring.read_config(
            question.file, client=question.client, server=question.server, task=question.task, sets=question.sets
        )
    except Exception as error:
        if not wiring.is_bad_input(error):
            raise
        complain(str(error))
        return None
    return evolve(wiring.verify(config, only or None), source=question.source)


def _shown(report: Report, form: str, out: Output, *, several: bool) -> str:
    if form == "json":
        from latchcheck.report.envelope import dump

        return dump(report, one_line=several) + "\n"
    from latchcheck.report.text import render

    return render(report, width=out.width, colour=out.colour) + ("\n" if several else "")


def _check_ids(only: Sequence[str]) -> None:
    if not only:
        return
    from difflib import get_close_matches

    from .wiring import property_ids

    known = property_ids()
    for name in only:
        if name not in known:
            near = get_close_matches(name, known, n=1, cutoff=0)
            raise click.UsageError(f"--property {name}: there is no such property; is it {near[0]}?")


def _target(output: str | None) -> Path | None:
    """The file to write, or None for stdout; what cannot be written is said before the work is done."""
    if output is None or output == "-":
        return None
    path = Path(output)
    if path.is_dir():
        raise click.UsageError(f"-o {output}: this is a directory; name a file")
    if not path.parent.is_dir():
        raise click.UsageError(f"-o {output}: there is no directory {path.parent}")
    return path
