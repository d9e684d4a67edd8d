"""The verb `wording`: whether a sentence holds and says anything, what it catches, and how two of them differ."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from . import wiring
from .errors import complain
from .options import TEXT_OR_JSON, OneOf
from .output import Output, target
from .wording_beside import SECONDS, Against, beside, gathered

if TYPE_CHECKING:
    from latchcheck.kernel.verdict import Verdict
    from latchcheck.wording.checking import Checked
    from latchcheck.wording.files import Document, Reading
    from latchcheck.wording.killing import Row
    from latchcheck.wording.neighbours import Beside
    from latchcheck.wording.why import Why
    from latchcheck.wording.words import Kind, Model, Shown, Vocabulary

KINDS = ("state", "event", "quantity", "assumption")
OUTPUT = click.option("-o", "--output", metavar="FILE", help="Write there instead of to standard output.")
MARK = "#"
HELP = "FILE is a property file (docs/reference/wording.md); FILE#NAME is one reading of it."


@click.group("wording", short_help="Try the wording of a sentence: check, diff, kill, why.")
def command() -> None:
    """Try the wording of a normative sentence on the model.

    A property file holds the sentence, its source and one or more readings in controlled English.
    `vocabulary` lists the forms of a sentence and the words that it may use; `new` writes a file to begin with.
    """


@command.command("vocabulary", short_help="List the words that a reading may use.")
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
    known = wiring.wording_vocabularies()
    models = {*(one for one in wanted if one in known), *([] if model is None else [model])}
    if not models <= known.keys():
        raise click.UsageError(f"there is no model {model!r}; there is {', '.join(known)}")
    texts = [one for one in wanted if one not in known]
    every = {name: one for name, one in known.items() if not models or name in models}
    found = matching(every, texts, kinds)
    if not found:
        raise click.UsageError(_nothing(texts, kinds, every))
    examples = {} if texts or kinds else wiring.wording_examples()
    _write(
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


@command.command("new", short_help="Write a property file to begin with.")
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
    known = [text for name, text in wiring.wording_examples().values() if name == model]
    if not known:
        raise click.UsageError(f"there is no model {model!r}; there is {', '.join(wiring.wording_vocabularies())}")
    text = draft(output or "FILE.toml", model, known[0], known[1])
    if form == "text" or output is not None:
        out.write(text)
        out.finish()
    if form == "json":
        _write(Output(None), form, lambda: wording_data.drafted(output, model, text), lambda: text)


@command.command("next", short_help="What may stand next in a reading? For editors.")
@TEXT_OR_JSON
@OUTPUT
@click.option("--model", default="lifecycle", show_default=True, metavar="MODEL", help="Whose words they are.")
@click.argument("text")
def following(*, text: str, model: str, form: str, output: str | None) -> None:
    """List everything that may stand after TEXT, the beginning of a reading; half a phrase is completed."""
    from latchcheck.report import wording_data
    from latchcheck.wording.drafting import continuations

    out = Output(target(output))
    known = wiring.wording_vocabularies()
    if model not in known:
        raise click.UsageError(f"there is no model {model!r}; there is {', '.join(known)}")
    found = continuations(text, known[model])
    _write(out, form, lambda: wording_data.following(text, model, found), lambda: "".join(f"{one}\n" for one in found))


@command.command("check", short_help="Does it hold, does it say anything, what does it catch?", epilog=HELP)
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
    from latchcheck.kernel.exits import exit_code
    from latchcheck.report import wording_data, wording_text

    out = Output(target(output, files))
    documents = [_document(name) for name in files]
    against = gathered([one.file for one in documents], paths, seconds, alone=alone)
    found, interrupted = list[Any](), False
    for one in documents:
        many, how_far, interrupted = _checked(one, documents, against)
        found.append((one, many, how_far))
        if interrupted:
            break
    verdicts: list[Verdict] = [one.judged.verdict for _, many, _ in found for one in many]
    verdicts += _cut_short(interrupted)
    for _, many, _ in found:
        verdicts.extend("vacuous" for one in many if one.trivial)
    code = exit_code(verdicts)
    shown = [_shown(one) for one, *_ in found]
    if interrupted:
        out.cut_short()
    _write(out, form, lambda: wording_data.checked(found, code), lambda: wording_text.checked(found, shown, out.width))
    context.exit(code)


def _checked(
    one: Document, documents: Sequence[Document], against: Against | None
) -> tuple[Sequence[Checked], Beside | None, bool]:
    """The answers about one file, how far it was compared with other files, and whether the user ended it."""
    from latchcheck.wording.checking import each_checked

    others = [
        (f"{other.id}{MARK}{each.name}", each)
        for other in documents
        if other is not one and other.model == one.model
        for each in other.readings
    ]
    many, interrupted = _until_interrupted(each_checked(wiring.wording_model(one), one, others))
    if interrupted or against is None:
        return many, None, interrupted
    told, how_far, interrupted = beside(one, many, against)
    if interrupted:
        complain("interrupted: what is told was found until then")
    return told, how_far, interrupted


@command.command("diff", short_help="How do two readings differ?", epilog=HELP)
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
    from latchcheck.kernel.exits import exit_code
    from latchcheck.report import wording_data, wording_text
    from latchcheck.wording.relations import compare

    names = [name for name in (a, b) if name is not None]
    out = Output(target(output, [name.partition(MARK)[0] for name in names]))
    documents = [_document(name) for name in names]
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
    model = wiring.wording_model(_joined(documents))
    found, interrupted = _until_interrupted(
        (_named(a, x), _named(b or a, y), x, y, compare(model, x, y)) for x, y in each("comparing", pairs)
    )
    open_: list[Verdict] = ["inconclusive" for *_, one in found if one.relation in ("undecided", "not told apart")]
    code = exit_code([*open_, *_cut_short(interrupted)])
    shown = _shown(first)
    if interrupted:
        out.cut_short()
    _write(
        out,
        form,
        lambda: wording_data.difference(found, code),
        lambda: wording_text.difference(found, shown, out.width),
    )
    context.exit(code)


@command.command("kill", short_help="Which slips in the sentence does anything notice?", epilog=HELP)
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


@command.command("why", short_help="What does the proof of a sentence need?", epilog=HELP)
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
    from latchcheck.kernel.exits import exit_code

    out = Output(target(output, [file.partition(MARK)[0]]))
    document = _document(file)
    model = wiring.wording_model(document)
    readings = each("trying", document.readings, named=lambda one: one.name)
    found, interrupted = _until_interrupted(answer(model, one) for one in readings)
    code = exit_code([*report.verdicts(found), *_cut_short(interrupted)])
    if interrupted:
        out.cut_short()
    _write(out, form, lambda: report.data(document, found, code), lambda: report.text(document, found, out.width))
    context.exit(code)


def _until_interrupted(answers: Iterable[Any]) -> tuple[list[Any], bool]:
    """The answers until their end or until the user ends it, and whether the user did, which is then said."""
    from latchcheck.kernel.interrupts import INTERRUPTS, is_interrupt

    found: list[Any] = []
    try:
        for one in answers:
            found.append(one)  # noqa: PERF402 - what came before an interrupt is kept
    except INTERRUPTS as error:
        if not is_interrupt(error):
            raise
        complain("interrupted: what is told was found until then")
        return found, True
    return found, False


def _cut_short(interrupted: bool) -> list[Verdict]:  # noqa: FBT001 - private
    return ["inconclusive"] if interrupted else []


def _document(name: str) -> Document:
    """A property file, with one reading left where the name asks for it."""
    from attrs import evolve

    file, mark, only = name.partition(MARK)
    found = wiring.wording_document(file)
    return evolve(found, readings=(found.reading(only),)) if mark else found


def _joined(documents: list[Document]) -> Document:
    """One set of model, scope and policy for all; where two files say different things they cannot be compared."""
    from attrs import evolve

    joined = documents[0]
    for one in documents[1:]:
        for name in ("scope", "sets", "policy", "also"):
            mine, other = getattr(joined, name), getattr(one, name)
            if mine and other and mine != other:
                raise click.UsageError(
                    f"{joined.file} says {name} {mine}, {one.file} says {other}: write the same in both"
                )
            joined = evolve(joined, **{name: mine or other})
    return joined


def _named(name: str, one: Reading) -> str:
    return f"{name.partition(MARK)[0]}{MARK}{one.name}"


def _shown(document: Document) -> Shown:
    from latchcheck.wording.relations import words_of
    from latchcheck.wording.words import Shown

    model = wiring.wording_model(document)
    world = model.world(model.base, words_of(document.readings))
    return Shown() if world is None else world.shown


def _write(out: Output, form: str, data: Callable[[], Any], text: Callable[[], str]) -> None:
    out.write(json.dumps(data(), indent=2, ensure_ascii=False) + "\n" if form == "json" else text())
    out.finish()
