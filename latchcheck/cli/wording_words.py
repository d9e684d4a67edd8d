"""`latchcheck wording vocabulary`, `new` and `next`: what a reading is written with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

import click

from . import wiring
from .options import TEXT_OR_JSON, OneOf
from .output import Output, target
from .wording_asked import OUTPUT, models, write

if TYPE_CHECKING:
    from latchcheck.wording.words import Kind, Vocabulary

KINDS = ("state", "event", "quantity", "assumption")


@click.command("vocabulary", short_help="List the words that a reading may use.")
@TEXT_OR_JSON
@OUTPUT
@click.option("--kind", "kinds", type=OneOf(KINDS), multiple=True, help="Words of this kind alone; may be repeated.")
@click.option("--model", metavar="MODEL", help="Words of this model alone.")
@click.argument("wanted", metavar="[WORD...]", nargs=-1)
def vocabulary(
    *, wanted: tuple[str, ...], kinds: tuple[Kind, ...], model: str | None, form: str, output: str | None
) -> None:
    """List scopes and patterns with an example each, then the words of each model, with what they mean.

    With WORD, or a kind, only the words that have every WORD in their phrase or meaning; a WORD that names a model has
    the words of that model.
    """
    from latchcheck.report import wording_data, wording_text
    from latchcheck.wording.words import matching

    out = Output(target(output))
    known = models(*([] if model is None else [model]))
    only = {*(one for one in wanted if one in known), *([] if model is None else [model])}
    texts = [one for one in wanted if one not in known]
    every = {name: one for name, one in known.items() if not only or name in only}
    found = matching(every, texts, kinds)
    if not found:
        raise click.UsageError(_nothing(texts, kinds, every))
    examples = {} if texts or kinds else wiring.wording_examples()
    write(
        out,
        form,
        lambda: wording_data.vocabulary(found, examples),
        lambda: wording_text.vocabulary(found, examples, out.width),
    )


def _nothing(texts: Sequence[str], kinds: Sequence[str], known: Mapping[str, Vocabulary]) -> str:
    """What to ask for instead of words that no phrase and no meaning has."""
    from latchcheck.wording.words import matching

    said = {part for one in known.values() for word in one.words.values() for part in word.phrase.split()}
    lost = [text for text in texts if not matching(known, [text])]
    near = [one for text in lost for one in get_close_matches(text.lower(), said, 1)]
    meant = f"did you mean {' '.join(near)!r}? " if near else ""
    of_kind = f" of kind {' or '.join(kinds)}" if kinds else ""
    has = f" has {' and '.join(map(repr, lost or texts))} in its phrase or meaning" if texts else " is there"
    return f"no word{of_kind}{has}\n  {meant}without WORD every word is listed; models are {', '.join(known)}"


@click.command("new", short_help="Write a property file to begin with.")
@TEXT_OR_JSON
@OUTPUT
@click.argument("model", required=False, default="lifecycle", metavar="[MODEL]")
def new(*, model: str, form: str, output: str | None) -> None:
    """Write a property file with two readings about MODEL (lifecycle, timing), to be changed.

    As JSON the text of the file stands in an object, on standard output.
    """
    from latchcheck.report import wording_data
    from latchcheck.wording.drafting import draft

    out = Output(target(output))
    if output is not None and Path(output).exists():
        raise click.UsageError(f"-o {output}: this file is there already; name another")
    models(model)
    first, second = [text for name, text in wiring.wording_examples().values() if name == model][:2]
    text = draft(output or "FILE.toml", model, first, second)
    if form == "text" or output is not None:
        out.write(text)
        out.finish()
    if form == "json":
        write(Output(None), form, lambda: wording_data.drafted(output, model, text), lambda: text)


@click.command("next", short_help="What may stand next in a reading? For editors.")
@TEXT_OR_JSON
@OUTPUT
@click.option("--model", default="lifecycle", show_default=True, metavar="MODEL", help="Whose words they are.")
@click.argument("text")
def following(*, text: str, model: str, form: str, output: str | None) -> None:
    """List everything that may stand after TEXT, the beginning of a reading; half a phrase is completed."""
    from latchcheck.report import wording_data
    from latchcheck.wording.drafting import continuations

    out = Output(target(output))
    found = continuations(text, models(model)[model])
    write(out, form, lambda: wording_data.following(text, model, found), lambda: "".join(f"{one}\n" for one in found))
