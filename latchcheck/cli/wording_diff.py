"""`latchcheck wording diff`: how two readings differ."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import click

from . import wiring
from .options import TEXT_OR_JSON
from .output import Output, target
from .wording_asked import HELP, OUTPUT, Answer, answered, document, file_of, joined, named, shown, until_interrupted

if TYPE_CHECKING:
    from latchcheck.kernel.verdict import Verdict


@click.command("diff", short_help="How do two readings differ?", epilog=HELP)
@TEXT_OR_JSON
@OUTPUT
@click.argument("a", metavar="FILE[#A]")
@click.argument("b", metavar="[FILE#B]", required=False)
@click.pass_context
def diff(context: click.Context, /, *, a: str, b: str | None, form: str, output: str | None) -> None:
    """Compare two readings: equivalent, one stronger, or incomparable, with the shortest run for each direction.

    One FILE with several readings compares each two of them.
    """
    from latchcheck.kernel.doing import each
    from latchcheck.report import wording_data, wording_text
    from latchcheck.wording.relations import compare

    names = [name for name in (a, b) if name is not None]
    out = Output(target(output, [file_of(name) for name in names]))
    documents = [document(name) for name in names]
    first = documents[0]
    if b is None and len(first.readings) == 1:
        raise click.UsageError(
            f"{a} has one reading, and two are compared\n  write diff {a} OTHER, or a second reading"
        )
    pairs = (
        list(combinations(first.readings, 2))
        if b is None
        else [(x, y) for x in first.readings for y in documents[1].readings]
    )
    if any(one.model != first.model for one in documents):
        raise click.UsageError(f"{a} is about {first.model}, {b} about {documents[1].model}: no run is of both models")
    model = wiring.wording_model(joined(documents))
    found, cut = until_interrupted(
        (named(a, x), named(b or a, y), x, y, compare(model, x, y)) for x, y in each("comparing", pairs)
    )
    open_: list[Verdict] = ["inconclusive" for *_, one in found if one.relation in ("undecided", "not told apart")]
    answer = Answer(
        open_,
        lambda code: wording_data.difference(found, code),
        lambda width: wording_text.difference(found, shown(first), width),
    )
    answered(context, out, form, cut, answer)
