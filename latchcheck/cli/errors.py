"""How the command line says that something went wrong: on stderr, in a form that the terminal can show."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress

from latchcheck.report.layout import printable

from .progress import aside

BUG = (
    "this is a bug in latchcheck: please report it with the command line and the configuration; "
    "LATCHCHECK_DEBUG=1 shows the traceback"
)

LINE_LENGTH_MAX = 1000


def complain(text: str) -> None:
    """Write one error; control characters, which a broken file may bring along, are shown and not obeyed."""
    lines = [printable(line) for line in text.split("\n")]
    shown = "\n".join(line if len(line) <= LINE_LENGTH_MAX else line[: LINE_LENGTH_MAX - 3] + "..." for line in lines)
    with aside(), suppress(OSError):  # where nobody reads errors, the exit code still tells
        print(f"latchcheck: error: {shown}", file=sys.stderr, flush=True)  # noqa: T201 - this is where errors go


def refuse_timing(names: Sequence[str]) -> None:
    """Raise UsageError for a `--property` that is about time, where the lifecycle is asked."""
    import click

    from . import wiring

    for name in names:
        base = name.partition("/")[0]
        if base in wiring.property_ids() and base not in wiring.lifecycle_ids():
            raise click.UsageError(
                f"--property {name}: this is about time; `latchcheck verify CONFIG.toml --property {base}` answers it"
            )


def unknown_property(name: str, known: Sequence[str], lifecycle: Sequence[str]) -> str:
    """What to say of a `--property` that `verify` does not know: the one that is meant, if any, or where they are."""
    from difflib import get_close_matches  # only when there is something to mend

    if name.partition("/")[0] in lifecycle:
        return f"--property {name}: this is about the lifecycle; `latchcheck explore --property {name}` answers it"
    near = get_close_matches(name, [*known, *lifecycle], n=1)
    instead = f"is it {near[0]}?" if near else "`latchcheck list properties` names them all"
    return f"--property {printable(name)}: there is no such property; {instead}"
