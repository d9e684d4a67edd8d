"""What the commands of `wording` share: the files that they are asked about, and how an answer goes out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from . import wiring
from .interrupting import Cut, interruptible
from .output import Output

if TYPE_CHECKING:
    from latchcheck.kernel.verdict import Verdict
    from latchcheck.wording.files import Document, Reading
    from latchcheck.wording.words import Shown, Vocabulary

OUTPUT = click.option("-o", "--output", metavar="FILE", help="Write there instead of to standard output.")
MARK = "#"
TOLD = "what is told was found until then"
HELP = "FILE is a property file (docs/reference/wording.md); FILE#NAME is one reading of it."


# -- what is asked about --------------------------------------------------------------------------------------------


def models(*wanted: str) -> Mapping[str, Vocabulary]:
    """The vocabulary of each model by its name; UsageError where one of those that are wanted is none of them."""
    known = wiring.wording_vocabularies()
    for one in wanted:
        if one not in known:
            raise click.UsageError(f"there is no model {one!r}; there is {', '.join(known)}")
    return known


def document(name: str) -> Document:
    """A property file, with one reading left where the name asks for it."""
    from attrs import evolve

    file, mark, only = name.partition(MARK)
    found = wiring.wording_document(file)
    return evolve(found, readings=(found.reading(only),)) if mark else found


def joined(documents: list[Document]) -> Document:
    """One set of model, scope and policy for all; where two files say different things they cannot be compared."""
    from attrs import evolve

    found = documents[0]
    for one in documents[1:]:
        for name in ("scope", "sets", "policy", "also"):
            mine, other = getattr(found, name), getattr(one, name)
            if mine and other and mine != other:
                raise click.UsageError(
                    f"{found.file} says {name} {mine}, {one.file} says {other}: write the same in both"
                )
            found = evolve(found, **{name: mine or other})
    return found


def file_of(name: str) -> str:
    """The file that is named, whether or not with a reading of it."""
    return name.partition(MARK)[0]


def named(name: str, one: Reading) -> str:
    """What a reading of a file that was named is called."""
    return f"{file_of(name)}{MARK}{one.name}"


def shown(asked: Document) -> Shown:
    """How the runs of a file are told."""
    from latchcheck.wording.relations import words_of
    from latchcheck.wording.words import Shown

    model = wiring.wording_model(asked)
    world = model.world(model.base, words_of(asked.readings))
    return Shown() if world is None else world.shown


# -- how an answer goes out -----------------------------------------------------------------------------------------


class Answer(NamedTuple):
    """What was found: its verdicts, its JSON and its text; the two are made of the exit code, and of the width."""

    verdicts: Sequence[Verdict]
    data: Callable[[int], Any]
    text: Callable[[int], str]


def until_interrupted(answers: Iterable[Any]) -> tuple[list[Any], Cut]:
    """The answers until their end, or until the user ends it, which is then said."""
    found: list[Any] = []
    with interruptible(lambda: TOLD) as cut:
        for one in answers:
            found.append(one)  # noqa: PERF402 - what came before an interrupt is kept
    return found, cut


def answered(context: click.Context, out: Output, form: str, cut: Cut, answer: Answer) -> None:
    """Write an answer, whole or cut short, and exit with its code."""
    from latchcheck.kernel.exits import exit_code

    code = exit_code([*answer.verdicts, *cut.verdicts])
    if cut.short:
        out.cut_short()
    write(out, form, lambda: answer.data(code), lambda: answer.text(out.width))
    context.exit(code)


def write(out: Output, form: str, data: Callable[[], Any], text: Callable[[], str]) -> None:
    """Write what was asked for in the form that was asked for."""
    out.write(json.dumps(data(), indent=2, ensure_ascii=False) + "\n" if form == "json" else out.fitted(text()))
    out.finish()
