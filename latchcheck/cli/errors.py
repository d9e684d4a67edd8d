"""How the command line says that something went wrong: on stderr, in a form that the terminal can show."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress

import click

from latchcheck.gathering import every
from latchcheck.report.layout import printable

from .progress import aside

BUG = (
    "this is a bug in latchcheck: please report it with the command line and the configuration; "
    "LATCHCHECK_DEBUG=1 shows the traceback"
)

LINE_LENGTH_MAX = 1000
ERRORS_SHOWN_MAX = 20
LISTS_PROPERTIES = "latchcheck list properties"


def complain(text: str) -> None:
    """Write one error; control characters, which a broken file may bring along, are shown and not obeyed."""
    lines = [printable(line) for line in text.split("\n")]
    shown = "\n".join(line if len(line) <= LINE_LENGTH_MAX else line[: LINE_LENGTH_MAX - 3] + "..." for line in lines)
    with aside(), suppress(OSError):  # where nobody reads errors, the exit code still tells
        print(f"latchcheck: error: {shown}", file=sys.stderr, flush=True)  # noqa: T201 - this is where errors go


def complain_of(error: BaseException) -> None:
    """Write what is wrong with an input: each error of it by itself, the first ones of very many."""
    found = every(error)
    for one in found[:ERRORS_SHOWN_MAX]:
        complain(str(one))
    if len(found) > ERRORS_SHOWN_MAX:
        complain(f"and {len(found) - ERRORS_SHOWN_MAX} more of this kind")


class NoSuchName(click.UsageError):
    """Something was named that does not exist; the second line says what to write instead."""


def no_such(where: str, kind: str, name: str, known: Iterable[str], lists: str | None = None) -> NoSuchName:
    """The error for a name that is not known: where it is given, what it should name, and the one that is meant.

    `lists` is the command that names all there are.
    """
    from latchcheck.naming import instead  # only when there is something to mend

    return NoSuchName(f"{where} {name}: there is no such {kind}\n  {instead(name, known, lists)}")


def check_timing(names: Sequence[str], *, other: str = "latchcheck explore") -> None:
    """Raise UsageError for a `--property` that is none about time; `other` is what asks the lifecycle."""
    from . import wiring

    known = wiring.property_ids() if names else ()
    for name in names:
        if name in known:
            continue
        lifecycle = wiring.lifecycle_ids()  # only when there is something to mend: it costs time to import
        if name.partition("/")[0] in lifecycle:
            what = f"--property {name}: this is about the lifecycle"
            raise click.UsageError(f"{what}; `{other} --property {name}` answers it")
        raise no_such("--property", "property", name, (*known, *lifecycle), LISTS_PROPERTIES)


def check_lifecycle(names: Sequence[str], *, other: str = "latchcheck verify CONFIG.toml", forms: bool = True) -> None:
    """Raise UsageError for a `--property` that is none of the lifecycle; `other` is what asks about time.

    With `forms` an id may be followed by a stroke and a form; whether there is it is told where it is built.
    """
    from . import wiring

    known = wiring.lifecycle_ids() if names else ()
    for name in names:
        base = name.partition("/")[0] if forms else name
        if base in known:
            continue
        timing = wiring.property_ids()
        if base in timing:
            raise click.UsageError(f"--property {name}: this is about time; `{other} --property {base}` answers it")
        raise no_such("--property", "property", base, (*known, *timing), LISTS_PROPERTIES)
