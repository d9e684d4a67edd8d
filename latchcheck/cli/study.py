"""`latchcheck study`: the tables of the source paper, recomputed, beside the published figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from latchcheck.placing import put
from latchcheck.report.layout import printable

from . import wiring
from .errors import complain
from .options import OneOf
from .output import Output, Unwritable, target
from .output import folder as a_folder
from .wiring import shared

if TYPE_CHECKING:
    from latchcheck.kernel.figures import Recomputed
    from latchcheck.kernel.verdict import Verdict
    from latchcheck.report.study.tables import Section

TABLES = range(1, 6)
CUT_SHORT: tuple[Verdict, ...] = ("inconclusive",)
Result = TypeVar("Result")


@click.command(
    "study",
    short_help="Recompute the published tables.",
    epilog="Exit code: 0 when every figure agrees with the published one to its last printed digit, 1 where one "
    "differs, 2 bad usage, 4 interrupted.",
)
@click.option(
    "--table",
    "tables",
    metavar="N",
    type=click.IntRange(TABLES[0], TABLES[-1]),
    multiple=True,
    help="Only this table of the paper, 1 to 5; may be repeated.",
)
@click.option(
    "--format",
    "form",
    type=OneOf(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="Text, a JSON list with an object a figure, or Markdown.",
)
@click.option(
    "--figures",
    "figures",
    metavar="FOLDER",
    help="Draw the figures into this folder too, each as SVG and PNG; it is made if it is not there.",
)
@click.option(
    "--transport",
    is_flag=True,
    help="Measure the poll frontier on a real server instead, beside the model's; takes some minutes.",
)
@click.option("-o", "--output", metavar="FILE", help="Write there instead of to stdout.")
@click.pass_context
def command(
    context: click.Context,
    /,
    *,
    tables: tuple[int, ...],
    form: str,
    figures: str | None,
    transport: bool,
    output: str | None,
) -> None:
    """Recompute every table of the paper that this project started from, and compare figure by figure."""
    from latchcheck.kernel.exits import exit_code
    from latchcheck.report.study.tables import as_json, as_markdown, as_text

    asked = sorted(set(tables)) or list(TABLES)
    out, place = Output(target(output)), a_folder("--figures", figures)
    if transport and (tables or figures):
        raise click.UsageError("--transport: it is a study of its own; leave out --table and --figures")
    if transport:
        out.write(_on_a_real_server(form, out.width))
        out.finish()
        return
    if place is not None:
        draw(context, place)
    found, past, interrupted = _recomputed(asked, beside=form != "json")
    if interrupted:
        complain(f"interrupted: {len(found)} of {len(asked)} tables are told")
        out.cut_short()
    if form == "json":
        out.write(as_json(found))
    else:
        out.write(as_markdown(found, past) if form == "markdown" else as_text(found, out.width, past))
    out.finish()
    verdicts: list[Verdict] = ["proved" if one.agrees else "violated" for one in found]
    context.exit(exit_code([*verdicts, *(CUT_SHORT if interrupted else ())]))


def _recomputed(asked: Sequence[int], *, beside: bool) -> tuple[list[Recomputed], list[Section], bool]:
    """The tables, what is measured past the first (if it is to be told), and whether the user ended it before."""
    from latchcheck.kernel.interrupts import INTERRUPTS, is_interrupt

    found: list[Recomputed] = []
    try:
        with_progress(
            "recomputing", wiring.table_steps(asked), lambda step: found.extend(wiring.recompute(asked, step))
        )
        if beside and 1 in asked:
            return found, with_progress("restarting", shared.shared_steps(), shared.shared_stores), False
    except INTERRUPTS as error:
        if not is_interrupt(error):
            raise
        return found, [], True
    return found, [], False


def _on_a_real_server(form: str, width: int) -> str:
    from latchcheck.report.study import transport

    found = with_progress("polling", wiring.transport_steps(), wiring.measure_transport)
    if form == "json":
        return transport.as_json(*found)
    return transport.as_markdown(*found) if form == "markdown" else transport.as_text(*found, width)


def draw(context: click.Context, folder: Path) -> None:
    """Draw all figures and write them, all or none; ends with the code for bad usage where matplotlib is missing."""
    from latchcheck.report.study.drawing import NeedsMatplotlib

    try:
        drawn = with_progress("drawing", wiring.picture_steps(), wiring.pictures)
    except NeedsMatplotlib as missing:
        complain(str(missing))
        context.exit(2)
    files = {f"{name}.{kind}": getattr(picture, kind) for name, picture in drawn.items() for kind in ("svg", "png")}
    try:
        put({folder / name: content for name, content in files.items()})
    except IsADirectoryError as error:
        raise Unwritable(f"{printable(str(error.filename))}: it is a directory") from error
    except OSError as error:
        raise Unwritable(f"{printable(str(folder))}: {error.strerror}") from error


def with_progress(label: str, steps: int, work: Callable[[Callable[[], None]], Result]) -> Result:
    """Do the work, which calls what it is given for each step that is done, and say how far it is."""
    from latchcheck.kernel.doing import doing

    with doing(label, steps) as stage:
        return work(stage.step)
