"""`latchcheck wording check`: whether the readings of a file hold, say anything, and what they add to others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from . import wiring
from .interrupting import Cut
from .options import TEXT_OR_JSON
from .output import Output, target
from .wording_asked import HELP, MARK, OUTPUT, Answer, answered, document, shown, until_interrupted
from .wording_beside import SECONDS, Against, beside, gathered

if TYPE_CHECKING:
    from latchcheck.kernel.verdict import Verdict
    from latchcheck.wording.checking import Checked
    from latchcheck.wording.files import Document
    from latchcheck.wording.neighbours import Beside


@click.command("check", short_help="Does it hold, does it say anything, what does it catch?", epilog=HELP)
@TEXT_OR_JSON
@OUTPUT
@click.option(
    "--against",
    "paths",
    metavar="PATH",
    multiple=True,
    help="Compare with the property files of this folder, or this file, instead of those beside FILE; may be repeated.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, max=86_400),
    metavar="N",
    help=f"For how long the readings of a FILE are compared with other files. [default: {SECONDS:g}]",
)
@click.option("--alone", is_flag=True, help="Compare with no other file than those that are checked.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.pass_context
def check(
    context: click.Context,
    /,
    *,
    files: tuple[str, ...],
    paths: tuple[str, ...],
    seconds: float | None,
    alone: bool,
    form: str,
    output: str | None,
) -> None:
    """Judge every reading of each FILE, and say what it adds to the others.

    The others are the readings of FILE and, for a while, those of the property files beside it: which of them ask for
    it already, and which contradict it. They are judged in the model of FILE.

    MUST is judged as it stands; of a SHOULD also what breaks if it is ignored; of a MAY whether it can be used, and
    what breaks then.
    """
    from latchcheck.report import wording_data, wording_text

    out = Output(target(output, files))
    documents = [document(name) for name in files]
    against = gathered([one.file for one in documents], paths, seconds, alone=alone)
    found, cut = list[Any](), Cut()
    for one in documents:
        many, how_far, cut = _checked(one, documents, against)
        found.append((one, many, how_far))
        if cut.short:
            break
    verdicts: list[Verdict] = [one.judged.verdict for _, many, _ in found for one in many]
    for _, many, _ in found:
        verdicts.extend("vacuous" for one in many if one.trivial)
    telling = [shown(one) for one, *_ in found]
    answer = Answer(
        verdicts,
        lambda code: wording_data.checked(found, code),
        lambda width: wording_text.checked(found, telling, width),
    )
    answered(context, out, form, cut, answer)


def _checked(
    one: Document, documents: Sequence[Document], against: Against | None
) -> tuple[Sequence[Checked], Beside | None, Cut]:
    """The answers about one file, how far it was compared with other files, and whether the user ended it."""
    from latchcheck.wording.checking import each_checked

    others = [
        (f"{other.id}{MARK}{each.name}", each)
        for other in documents
        if other is not one and other.model == one.model
        for each in other.readings
    ]
    many, cut = until_interrupted(each_checked(wiring.wording_model(one), one, others))
    if cut.short or against is None:
        return many, None, cut
    return beside(one, many, against)
