"""How the command line says that something went wrong: on stderr, in a form that the terminal can show."""

from __future__ import annotations

import sys
from contextlib import suppress

BUG = (
    "this is a bug in latchcheck: please report it with the command line and the configuration; "
    "LATCHCHECK_DEBUG=1 shows the traceback"
)


def complain(text: str) -> None:
    """Write one error; control characters, which a broken file may bring along, are shown and not obeyed."""
    shown = "".join(one if one.isprintable() or one == "\n" else repr(one)[1:-1] for one in text)
    with suppress(OSError):  # where nobody reads errors, the exit code still tells
        print(f"latchcheck: error: {shown}", file=sys.stderr, flush=True)  # noqa: T201 - this is where errors go
