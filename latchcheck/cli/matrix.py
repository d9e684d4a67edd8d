"""`latchcheck matrix`: published clients with published servers, every pair decided."""

from __future__ import annotations

from functools import partial
from typing import Any

import click
from attrs import evolve

from . import wiring
from .errors import check_timing
from .options import ANY_FORMAT, OUTPUT
from .output import target


@click.command(
    "matrix",
    short_help="Decide every published client with every published server.",
    epilog="Exit code: the first of 3, 1, 2, 5, 4, 0 that applies to any pair: 1 violated, 2 bad input, "
    "5 vacuous, 4 inconclusive or interrupted, 0 fine.",
)
@click.argument("file", required=False, metavar="[CONFIG.toml]")
@click.option(
    "--client", "clients", metavar="PRESET", multiple=True, help="This client; may be repeated.  [default: all]"
)
@click.option(
    "--server", "servers", metavar="PRESET", multiple=True, help="This server; may be repeated.  [default: all]"
)
@click.option(
    "--set",
    "sets",
    metavar="KEY=VALUE",
    multiple=True,
    help="Set one key in every pair, for instance workload.execution=10m; each key once.",
)
@click.option("--property", "only", metavar="ID", multiple=True, help="Answer this property only; may be repeated.")
@ANY_FORMAT
@OUTPUT
@click.pass_context
def command(
    context: click.Context,
    /,
    *,
    clients: tuple[str, ...],
    servers: tuple[str, ...],
    only: tuple[str, ...],
    form: str,
    output: str | None,
    **shared: Any,
) -> None:
    """Decide the timing properties for pairs of presets: every client that is named, with every server.

    CONFIG.toml has what they share, such as the network and the work (- reads stdin); presets win over it, --set over
    both. Each pair is decided as `latchcheck verify --client C --server S` does it.
    """
    place = target(output, [shared["file"]])
    from latchcheck.report.matrix import HEADS, matrix_data, matrix_text  # with it comes the solver

    from .answering import Question
    from .many import One, Told, answer_many

    check_timing(only)
    (of_client, of_server), read = wiring.all_read(
        partial(wiring.preset_ids, clients, servers), partial(wiring.config_reader, **shared)
    )
    base = Question(client=None, server=None, task=None, **shared)
    asked = [
        One(evolve(base, client=client, server=server), (client, server), partial(read, client, server))
        for client in of_client
        for server in of_server
    ]
    told = Told(
        HEADS,
        partial(matrix_data, base.source, of_client, of_server),
        partial(matrix_text, base.source, of_client, of_server),
    )
    context.exit(answer_many(asked, only, form, place, told))
