"""`latchcheck sweep`: one configuration with some of its values varied, every combination decided."""

from __future__ import annotations

from functools import partial
from typing import Any

import click
from attrs import evolve

from . import wiring
from .errors import check_timing
from .options import ANY_FORMAT, OUTPUT
from .output import target
from .verify import Once

MOST = 1000
"""So many combinations take some ten seconds."""
MOST_OF_ALL = 1_000_000
NOTHING = """nothing to vary: name a key and its values; for instance
  latchcheck sweep CONFIG.toml --vary server.orphan_window=5m..20m:1m"""


@click.command(
    "sweep",
    short_help="Decide a configuration for many values of its keys.",
    epilog="Exit code: the first of 3, 1, 2, 5, 4, 0 that applies to any combination: 1 violated, 2 bad input, "
    "5 vacuous, 4 inconclusive or interrupted, 0 fine.",
)
@click.argument("file", required=False, metavar="[CONFIG.toml]")
@click.option("--client", metavar="PRESET", help="Lay a published client's defaults over the file; once.", cls=Once)
@click.option("--server", metavar="PRESET", help="Lay a published server's defaults over the file; once.", cls=Once)
@click.option(
    "--set",
    "sets",
    metavar="KEY=VALUE",
    multiple=True,
    help="Set one key, for instance workload.execution=10m; each key once.",
)
@click.option(
    "--vary",
    metavar="KEY=VALUES",
    multiple=True,
    help="Let one key take several values: a range with a step, server.orphan_window=5m..20m:1m, or a list, "
    "client.multiplier=1,1.5,2. May be repeated, each key once: all combinations are decided.",
)
@click.option("--property", "only", metavar="ID", multiple=True, help="Answer this property only; may be repeated.")
@click.option(
    "--max",
    "most",
    type=click.IntRange(1, MOST_OF_ALL),
    default=MOST,
    show_default=True,
    help="How many combinations at most.",
)
@ANY_FORMAT
@OUTPUT
@click.pass_context
def command(
    context: click.Context,
    /,
    *,
    vary: tuple[str, ...],
    only: tuple[str, ...],
    most: int,
    form: str,
    output: str | None,
    **varied: Any,
) -> None:
    """Decide the timing properties for a configuration whose values are varied, and show where a verdict changes.

    A configuration is a TOML file (- reads stdin), a pair of presets, or both; --set and --vary have the last word.
    Only the values that are named are decided, each as `latchcheck verify` does it: nothing is said of those between.
    """
    if not vary:
        raise click.UsageError(NOTHING)
    place = target(output, [varied["file"]])
    from latchcheck.report.sweep import Swept, sweep_data, sweep_text  # with it comes the solver
    from latchcheck.report.values import knob, value_text

    from .answering import Question
    from .many import One, Told, answer_many

    check_timing(only)
    base = Question(task=None, **varied)
    read, combined, _ = wiring.all_read(
        partial(wiring.config_reader, base.file, base.sets),
        partial(wiring.combinations, vary, base.sets, most),
        partial(wiring.check_laid_over, base.client, (), server=base.server),
    )
    rows = tuple({one.given.key.flat: one.plain for one in values} for values in combined)
    asked = [
        One(
            evolve(base, sets=(*base.sets, *(one.assignment for one in values))),
            tuple(value_text(key, value) for key, value in row.items()),
            partial(read, base.client, base.server, values),
        )
        for values, row in zip(combined, rows, strict=True)
    ]
    swept = Swept(base.source, tuple(rows[0]), rows)
    told = Told(tuple(map(knob, swept.keys)), partial(sweep_data, swept), partial(sweep_text, swept))
    context.exit(answer_many(asked, only, form, place, told))
