"""`latchcheck study`: the tables of the source paper, recomputed, beside the published figures."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

import click

from . import wiring
from .output import Output, target

TABLES = range(2, 6)
Result = TypeVar("Result")


@click.command(
    "study",
    short_help="Recompute the published tables.",
    epilog="Exit code: 0 when every figure agrees with the published one to its last printed digit, 1 where one "
    "differs, 2 bad usage.",
)
@click.option(
    "--table",
    "tables",
    metavar="N",
    type=click.IntRange(TABLES[0], TABLES[-1]),
    multiple=True,
    help="Only this table of the paper, 2 to 5; may be repeated.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="Text, a JSON list with an object a figure, or Markdown.",
)
@click.option("-o", "--output", metavar="FILE", help="Write there instead of to stdout.")
@click.pass_context
def command(context: click.Context, /, *, tables: tuple[int, ...], form: str, output: str | None) -> None:
    """Recompute every table of the paper that this project started from, and compare figure by figure."""
    from latchcheck.report.study.tables import as_json, as_markdown, as_text

    asked = sorted(set(tables)) or list(TABLES)
    out = Output(target(output))
    found = with_progress("recomputing", wiring.table_steps(asked), lambda step: wiring.recompute(asked, step))
    if form == "json":
        out.write(as_json(found))
    else:
        out.write(as_markdown(found) if form == "markdown" else as_text(found, out.width))
    out.finish()
    context.exit(0 if all(one.agrees for one in found) else 1)


def with_progress(label: str, steps: int, work: Callable[[Callable[[], None]], Result]) -> Result:
    """Do the work with a bar on stderr, which is not shown where stderr is no terminal."""
    with click.progressbar(length=steps, label=label, file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
        return work(lambda: bar.update(1))
