"""`latchcheck race`: many processes on one record of a real database, judged by the model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from latchcheck.report.layout import printable

from . import wiring
from .errors import complain
from .options import TEXT_OR_JSON, OneOf
from .output import Output
from .output import target as a_file

SCHEMA = "latchcheck/races/1"
WRITERS_MAX = 64


@click.command(
    "race",
    short_help="Race processes on a real database.",
    epilog="Exit code: 0 every round is explained by some order of the model's operations, 1 one is not, "
    "2 bad usage or no database, 4 interrupted, 5 no round was contended, so nothing was tried.",
)
@click.option("--target", metavar="NAME", default="sqlite", show_default=True,
              type=OneOf(wiring.STORES), help="The store: " + ", ".join(wiring.STORES) + ".")  # fmt: skip
@click.option("--level", type=OneOf(wiring.LEVELS), help="Isolation level; autocommit: statements by themselves.")
@click.option("--writers", metavar="N", type=click.IntRange(2, WRITERS_MAX), default=8, show_default=True,
              help="Processes.")  # fmt: skip
@click.option("--rounds", metavar="N", type=click.IntRange(min=1), default=100, show_default=True,
              help="Records raced for.")  # fmt: skip
@click.option("--seed", metavar="N", type=int, default=0, show_default=True, help="Who does what in which round.")
@click.option("--kill-every", metavar="N", type=click.IntRange(min=1), help="Kill a process in every Nth round.")
@click.option("--save", metavar="FILE", type=click.Path(path_type=Path), help="Save a violation as a fixture.")
@TEXT_OR_JSON
@click.pass_context
def command(  # noqa: PLR0913 - one parameter an option
    context: click.Context,
    /,
    *,
    target: str,
    level: str | None,
    writers: int,
    rounds: int,
    seed: int,
    kill_every: int | None,
    save: Path | None,
    form: str,
) -> None:
    """Let processes write, cancel, read and expire one record at once, for many records, and check each history.

    A history is right if some order of the model's own operations explains what every process was told.
    The same seed asks for the same things; how they interleave is up to the machine.
    """
    from latchcheck.kernel.exits import exit_code

    if level == "deferred" and not target.startswith("sqlite"):
        raise click.UsageError("--level deferred is one of SQLite; PostgreSQL has read-uncommitted and above")
    if level not in (None, "autocommit", "deferred") and target.startswith("sqlite"):
        raise click.UsageError(f"--level {level} is one of PostgreSQL; SQLite has autocommit and deferred")
    if save is not None:
        a_file(str(save), option="--save")
    try:
        raced = wiring.race_store(
            target,
            level,
            writers=writers,
            rounds=rounds,
            seed=seed,
            kill_every=kill_every or 0,
        )
    except wiring.NotReady as error:
        complain(str(error))
        context.exit(exit_code([], usage_error=True))
    saved, unsaved = _save(raced, save)
    verdict = "violated" if raced.unexplained else "holds" if raced.contended else "vacuous"
    if raced.interrupted:
        complain("interrupted: what is told was found until then")
        verdict = "violated" if raced.unexplained else "inconclusive"
    code = exit_code([verdict], usage_error=unsaved)
    out = Output(None)
    if form == "json":
        out.write(json.dumps(row(target, raced, saved, code), indent=2, ensure_ascii=False) + "\n")
    else:
        out.write(out.fitted(told(target, raced, saved)))
    context.exit(code)


def _save(raced: Any, path: Path | None) -> tuple[str | None, bool]:
    """Save the smallest violation that the model has a run for; the file, or None, and whether it cannot be written."""
    if path is None or not raced.violations:
        return None, False
    for one in raced.violations:
        fixture = wiring.race_fixture(one.smallest)
        if fixture is not None:
            try:
                wiring.write_fixture(path, fixture)
            except OSError as error:
                complain(f"cannot write to {path}: {error.strerror or error}")
                return None, True
            return str(path), False
    complain("no violation is one of two writers who both looked before they wrote; no fixture is saved")
    return None, False


def row(target: str, raced: Any, saved: str | None, code: int) -> dict[str, Any]:
    """What came of a race, as plain data."""
    counts = ("rounds", "writers", "operations", "contended", "collided", "unexplained", "unknown", "decisions")
    violations = [
        {
            "round": one.round,
            "history": [wiring.operation_row(op) for op in one.history],
            "smallest": [wiring.operation_row(op) for op in one.smallest],
        }
        for one in raced.violations
    ]
    whole = {"schema": SCHEMA, "target": target, **{name: getattr(raced, name) for name in counts}}
    return {**whole, "violations": violations, "fixture": saved, "exit": code}


def told(target: str, raced: Any, saved: str | None) -> str:
    """What came of a race, in words."""
    lines = [
        f"{target}: {raced.rounds} rounds, {raced.writers} processes, {raced.operations} operations",
        f"  {raced.contended} rounds in which at least two tried to store an outcome",
        f"  {raced.collided} in which at least two were told that they had",
        f"  {raced.unexplained} that no order of the model's operations explains",
    ]
    if raced.unknown:
        lines.append(f"  {raced.unknown} operations without an answer; they may have happened or not")
    for one in raced.violations[:1]:
        lines.append(f"round {one.round}, the smallest part that no order explains:")
        start = min(op.called_ns for op in one.smallest)
        for op in sorted(one.smallest, key=lambda op: op.called_ns):
            end = "" if op.returned_ns is None else f"{(op.returned_ns - start) / 1000:.0f}"
            lines.append(f"  {(op.called_ns - start) / 1000:>8.0f} to {end:>6} us  {op}")
    if saved:
        lines.append(f"saved as {printable(saved)}")
    return "\n".join(lines) + "\n"
