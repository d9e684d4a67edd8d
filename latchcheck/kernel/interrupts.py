"""Whether an error is the user's interrupt: it does not always come as one."""

from __future__ import annotations

from ctypes import ArgumentError

INTERRUPTS = (KeyboardInterrupt, ArgumentError)
"""What an interrupt may come as; of an ArgumentError `is_interrupt` tells."""


def is_interrupt(error: BaseException) -> bool:
    """Whether the user ended the work.

    Inside a call into the solver, while its arguments are made ready, an interrupt comes out as an ArgumentError.
    Elsewhere a library that is interrupted half-way fails in its own way, with the interrupt as the context of the
    error.
    """
    found: BaseException | None = error
    while found is not None:
        if isinstance(found, KeyboardInterrupt):
            return True
        if isinstance(found, ArgumentError) and "KeyboardInterrupt" in str(found):
            return True
        found = found.__context__
    return False
