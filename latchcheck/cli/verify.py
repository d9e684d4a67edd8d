"""`latchcheck verify`: for every timing property a proof, or a timeline of the harm and its repairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from .output import Output, target

NOTHING = """nothing to verify: name a configuration file, or presets, or both; for instance
  latchcheck verify --client strands-py --server mcp-py-1 --set workload.execution=2m"""


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
    from .answering import Question, answer_all  # with it comes the solver, which --help does not need

    _check_ids(only)
    questions = [Question(file, **laid_over) for file in files or (None,)]
    context.exit(answer_all(questions, only, form, Output(target(output))))


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
