"""`latchcheck verify`: for every timing property a proof, or a timeline of the harm and its repairs."""

from __future__ import annotations

from typing import Any

import click

from .errors import check_timing
from .options import OneOf
from .output import FORMATS, FORMATS_HELP, Output, folder, target

NOTHING = """nothing to verify: name a configuration file, or presets, or both; for instance
  latchcheck verify --client strands-py --server mcp-py-1 --set workload.execution=2m"""


class Once(click.Option):
    """An option that may be given once: the last one would win silently, over what the user meant as well."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Let the parser gather every value, as for an option that may be repeated."""
        self.multiple = True
        super().add_to_parser(parser, ctx)
        self.multiple = False

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """The one value; a UsageError where there are several."""
        if isinstance(value, (list, tuple)):
            if len(value) > 1:
                raise click.UsageError(f"{self.opts[0]} is given {len(value)} times; give it once", ctx)
            value = next(iter(value), None)
        return super().type_cast_value(ctx, value)


@click.command(
    "verify",
    short_help="Prove or refute a timeout configuration.",
    epilog="Exit code: the first of 3, 1, 2, 5, 4, 0 that applies to any file: 1 violated, 2 bad input, "
    "5 vacuous, 4 inconclusive, 0 fine. A file that cannot be read does not keep the others from being answered.",
)
@click.argument("files", nargs=-1, metavar="[CONFIG.toml]...")
@click.option("--client", metavar="PRESET", help="Lay a published client's defaults over the file; once.", cls=Once)
@click.option("--server", metavar="PRESET", help="Lay a published server's defaults over the file; once.", cls=Once)
@click.option(
    "--task",
    metavar="FILE",
    help="Read ttlMs and pollIntervalMs from a task as a server returned it (JSON); once.",
    cls=Once,
)
@click.option(
    "--set",
    "sets",
    metavar="KEY=VALUE",
    multiple=True,
    help="Set one key, for instance server.orphan_window=15m; each key once.",
)
@click.option("--property", "only", metavar="ID", multiple=True, help="Answer this property only; may be repeated.")
@click.option(
    "--format",
    "form",
    type=OneOf(FORMATS),
    default="text",
    show_default=True,
    help=FORMATS_HELP,
)
@click.option("-o", "--output", metavar="FILE", help="Write here instead of to stdout, whole or not at all.")
@click.option("--save", metavar="FOLDER", help="Save the timeline of each violation as a fixture below FOLDER.")
@click.pass_context
def command(
    context: click.Context,
    /,
    *,
    files: tuple[str, ...],
    only: tuple[str, ...],
    form: str,
    output: str | None,
    save: str | None,
    **laid_over: Any,
) -> None:
    """Answer every timing property for one configuration, or for each of several.

    A configuration is a TOML file (- reads stdin), a pair of presets, or both; --set has the last word.
    """
    if not files and all(given in (None, ()) for given in laid_over.values()):
        raise click.UsageError(NOTHING)
    out = Output(target(output, (*files, laid_over["task"])))
    from .answering import Question, answer_all  # with it comes the solver, which --help does not need

    check_timing(only)
    questions = [Question(file, **laid_over) for file in files or (None,)]
    context.exit(answer_all(questions, only, form, out, folder("--save", save)))
