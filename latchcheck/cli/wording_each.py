"""`latchcheck wording kill` and `why`: one question about each reading of a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from . import wiring
from .options import TEXT_OR_JSON
from .output import Output, target
from .wording_asked import HELP, OUTPUT, Answer, answered, document, file_of, until_interrupted

if TYPE_CHECKING:
    from latchcheck.kernel.verdict import Verdict
    from latchcheck.wording.files import Document, Reading
    from latchcheck.wording.killing import Row
    from latchcheck.wording.why import Why
    from latchcheck.wording.words import Model


@click.command("kill", short_help="Which slips in the sentence does anything notice?", epilog=HELP)
@TEXT_OR_JSON
@OUTPUT
@click.argument("file", metavar="FILE")
@click.pass_context
def kill(context: click.Context, /, *, file: str, form: str, output: str | None) -> None:
    """Change each reading of FILE in the ways in which authors slip, and tell which changes a run can show."""
    from latchcheck.report import wording_data, wording_text
    from latchcheck.wording.killing import kill as killed

    def verdicts(rows: Sequence[tuple[Reading, Sequence[Row]]]) -> list[Verdict]:
        return ["inconclusive" for _, many in rows for row in many if row.fate == "undecided"]

    report = _Report(verdicts, wording_data.killed, wording_text.killed)
    _each(context, file, form, output, lambda model, one: (one, killed(model, one)), report)


@click.command("why", short_help="What does the proof of a sentence need?", epilog=HELP)
@TEXT_OR_JSON
@OUTPUT
@click.argument("file", metavar="FILE")
@click.pass_context
def why(context: click.Context, /, *, file: str, form: str, output: str | None) -> None:
    """Prove each reading of FILE and tell which guards, sentences and assumptions the proof needs, and which not."""
    from latchcheck.report import wording_data, wording_text
    from latchcheck.wording.relations import words_of
    from latchcheck.wording.why import why as explained

    def answer(model: Model, one: Reading) -> Why:
        world = model.world(model.base, words_of([one]))
        assert world is not None
        return explained(world, one)

    report = _Report(lambda found: [one.verdict for one in found], wording_data.explained, wording_text.explained)
    _each(context, file, form, output, answer, report)


class _Report(NamedTuple):
    """What becomes of the answers about the readings of one file: verdicts, JSON, text."""

    verdicts: Callable[[Any], list[Verdict]]
    data: Callable[[Document, Any, int], Any]
    text: Callable[[Document, Any, int], str]


def _each(
    context: click.Context, file: str, form: str, output: str | None,
    answer: Callable[[Model, Reading], Any], report: _Report,
) -> None:  # fmt: skip
    """Ask about each reading of one file and write the answers."""
    from latchcheck.kernel.doing import each

    out = Output(target(output, [file_of(file)]))
    asked = document(file)
    model = wiring.wording_model(asked)
    readings = each("trying", asked.readings, named=lambda one: one.name)
    found, cut = until_interrupted(answer(model, one) for one in readings)
    made = Answer(
        report.verdicts(found),
        lambda code: report.data(asked, found, code),
        lambda width: report.text(asked, found, width),
    )
    answered(context, out, form, cut, made)
