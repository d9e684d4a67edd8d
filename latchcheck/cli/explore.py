"""`latchcheck explore`: every run of the lifecycle model within a scope, and the shortest that breaks a property."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from . import wiring
from .errors import check_lifecycle, complain
from .options import OneOf
from .output import FORMATS, FORMATS_HELP, Output, target

if TYPE_CHECKING:
    from latchcheck.engines.judging import Explored
    from latchcheck.engines.questions import Plan

MEGABYTE = 1 << 20
MEMORY_MAX_MB = 2048


@click.command(
    "explore",
    short_help="Search the lifecycle model exhaustively.",
    epilog="Exit code: the first of 3, 1, 2, 5, 4, 0 that applies: 1 violated, 2 bad input, 5 vacuous, "
    "4 inconclusive (a limit, an interrupt), 0 fine.",
)
@click.option(
    "--scope", metavar="SCOPE", default="ci", show_default=True, help="ci, deep, wide, or tasks=2,workers=2,..."
)
@click.option(
    "--policy", metavar="POLICY", default="guarded", show_default=True, help="guarded, or SWITCH=VALUE,SWITCH=VALUE."
)
@click.option(
    "--property",
    "only",
    metavar="ID",
    multiple=True,
    help="Search only what this property needs; may be repeated. ID/leads-to asks whether what should come comes.",
)
@click.option("--symmetry/--no-symmetry", default=True, help="Keep states that differ in names only as one (default).")
@click.option(
    "--reduction/--no-reduction",
    default=False,
    help="Leave out orders of steps that do not meet (partial-order reduction): fewer states, the same verdicts.",
)
@click.option("--max-states", metavar="N", type=click.IntRange(min=1), help="Stop a search after so many states.")
@click.option(
    "--max-memory",
    metavar="MB",
    type=click.IntRange(min=1),
    default=MEMORY_MAX_MB,
    show_default=True,
    help="Stop a search when its states take more.",
)
@click.option("--format", "form", type=OneOf(FORMATS), default="text", show_default=True, help=FORMATS_HELP)
@click.option("-o", "--output", metavar="FILE", help="Write here instead of to stdout, whole or not at all.")
@click.pass_context
def command(  # noqa: PLR0913 - one parameter an option
    context: click.Context,
    /,
    *,
    scope: str,
    policy: str,
    only: tuple[str, ...],
    symmetry: bool,
    reduction: bool,
    max_states: int | None,
    max_memory: int,
    form: str,
    output: str | None,
) -> None:
    """Search every interleaving of records, workers, clients, sweeps, crashes and restarts within a scope.

    A scope that is spelled out is one system with all that it names.
    A named scope is searched property by property, each in the part of the model that it needs.
    """
    out = Output(target(output))
    check_lifecycle(only)
    plan = wiring.exploration_plan(scope, policy, only, symmetry=symmetry)
    if reduction:
        _refuse_later(plan)
    from latchcheck.engines.judging import answer

    explored = answer(plan, states_max=max_states, memory_max_bytes=max_memory * MEGABYTE, reduction=reduction)
    explored = wiring.with_hints(explored)
    if explored.interrupted:
        complain("interrupted")
    text = _shown(explored, form, out, _again(scope, policy, only))
    context.exit(out.deliver(text, explored.exit, cut_short=explored.interrupted))


def _refuse_later(plan: Plan) -> None:
    """A usage error where a reduction would not keep what is asked."""
    for search in plan.searches:
        for asked in search.properties:
            if asked.expectation == "leads-to":
                raise click.UsageError(
                    f"--reduction does not keep what the leads-to {asked.id!r} asks: on a run that goes on for ever it "
                    "may put steps off. Leave it out."
                )


def _shown(explored: Explored, form: str, out: Output, again: str) -> str:
    from latchcheck.report import exploration

    if form == "json":
        return exploration.dump(explored) + "\n"
    if form != "text":
        from latchcheck.report.findings import of_explored
        from latchcheck.report.formats import shown

        from .wiring.kills import kill_rows

        kills = kill_rows([one.id for one in explored.properties]) if form == "html" else ()
        return shown(form, [of_explored(explored, wiring.lifecycle_telling(), command=again, kills=kills)])
    return exploration.render(explored, width=out.width, colour=out.colour, telling=wiring.lifecycle_telling())


def _again(scope: str, policy: str, only: Sequence[str]) -> str:
    """The command line that asks this question again."""
    import shlex

    named = [word for name in only for word in ("--property", name)]
    return shlex.join(["latchcheck", "explore", "--scope", scope, "--policy", policy, *named])
