"""`latchcheck show`: a saved counterexample, walked through step by step."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from . import wiring
from .options import TEXT_OR_JSON
from .output import Output

if TYPE_CHECKING:
    from .explorer.board import Board

SCHEMA = "latchcheck/walk/1"


@click.command(
    "show",
    short_help="Walk through a saved counterexample.",
    epilog="Keys: right and left step, enter goes to a step or takes one that is offered, o what cannot happen, "
    "d the difference of branch and run, r drops the branch, q quits. Exit code: 0, 2 bad input, 5 a stale fixture.",
)
@click.argument("file", metavar="FIXTURE")
@click.option("--at", metavar="N", type=click.IntRange(min=0), help="Begin after the step N; at the end without.")
@click.option("--compare", metavar="FIXTURE", help="Print how this run differs from another's, and end.")
@click.option("--plain", is_flag=True, help="Print what happens at the step, and end; so it is where nobody watches.")
@TEXT_OR_JSON
@click.pass_context
def command(
    context: click.Context, /, *, file: str, at: int | None, compare: str | None, plain: bool, form: str
) -> None:
    """Walk through the run of FIXTURE: the steps, the state after each, what can happen next and what cannot, and why.

    Another step can be tried at any time: it begins a branch, which is executed like the run itself.
    """
    board, title = _board(context, file)
    if compare is not None:
        other, _ = _board(context, compare)
        _print_difference(board, other, file, compare, form)
        return
    if at is not None and at > len(board.steps):
        raise click.UsageError(f"--at {at}: the run has {len(board.steps)} steps")
    board.go(len(board.steps) if at is None else at)
    watched = sys.stdout.isatty() and sys.stdin.isatty()
    if plain or form == "json" or not watched or not _explore(board, title):
        _print(board, title, form)


def _board(context: click.Context, file: str) -> tuple[Board, str]:
    from .explorer.board import Board

    fixture = wiring.load_fixture(file)
    replayed = wiring.replay_fixture(fixture)
    if replayed.trace is None:
        click.echo(f"{fixture.id}: stale\n  {replayed.reason}", err=True)
        context.exit(5)
    system = wiring.fixture_case(fixture).system
    return Board(system, replayed.trace.steps, wiring.fixture_telling(fixture)), (
        f"{fixture.id}: step {fixture.violates.step + 1} breaks {fixture.property}, {fixture.violates.clause}"
    )


def _explore(board: Board, title: str) -> bool:
    """Walk with keys; False where what draws the screen is not installed, which is said."""
    from latchcheck.needs import Needs

    try:
        from .explorer.app import Explorer
    except ModuleNotFoundError:
        click.echo(f"{Needs('the interactive form', 'textual', 'show')}\n", err=True)
        return False
    Explorer(board, title).run()
    return True


def _print(board: Board, title: str, form: str) -> None:
    from latchcheck.report.envelope import json_text, plain, steps
    from latchcheck.report.layout import hung

    from .explorer.board import obstacle_line, offer_line

    out, offers, obstacles = Output(None), board.offers(), board.obstacles()
    if form == "json":
        found: dict[str, Any] = {
            "schema": SCHEMA,
            "at": board.at,
            "steps": steps(board.steps),
            "state": plain(board.walk().state),
            "offers": steps([one.step for one in offers]),
            "obstacles": [
                {"action": one.action, "party": one.party, "clause": one.label, "reads": plain(one.reads)}
                for one in obstacles
            ],
            "exit": 0,
        }
        out.write(json_text(found, one_line=False) + "\n")
        return
    signs = [">" if count == board.at else " " for count in range(1, len(board.steps) + 1)]
    lines = [title, "", *(f"{sign}{line.text}" for sign, line in zip(signs, board.step_lines(), strict=True))]
    lines += ["", f"After step {board.at}:"]
    lines += [f"{'*' if line.changed else ' '} {line.text}" for line in board.state_lines()]
    lines += ["", "Can happen now:", *(f"  {offer_line(one)}" for one in offers)]
    lines += ["", "Cannot, and the first condition in the way:", *(f"  {obstacle_line(one)}" for one in obstacles)]
    out.write("\n".join(hung(lines, out.width)) + "\n")


def _print_difference(board: Board, other: Board, file: str, compare: str, form: str) -> None:
    from latchcheck.report.envelope import json_text
    from latchcheck.report.layout import hung

    from .explorer.board import difference

    lines = difference(board.steps, other.steps)
    if form == "json":
        rows = [{"side": line[0].strip(), "step": line[2:]} for line in lines]
        found = {"schema": SCHEMA, "difference": rows, "exit": 0}
        Output(None).write(json_text(found, one_line=False) + "\n")
    else:
        out = Output(None)
        out.write("\n".join([f"- {file}", f"+ {compare}", "", *hung(lines, out.width)]) + "\n")
