"""Whether an error is the user's interrupt: it does not always come as one."""

from __future__ import annotations

from ctypes import ArgumentError

INTERRUPTS = (KeyboardInterrupt, ArgumentError)
"""What an interrupt may come as; of an ArgumentError `is_interrupt` tells."""


def is_interrupt(error: BaseException) -> bool:
    """Whether the user ended the work.

    Inside a call into the solver, while its arguments are made ready, an interrupt comes out as an ArgumentError.
    """
    return isinstance(error, KeyboardInterrupt) or (
        isinstance(error, ArgumentError) and "KeyboardInterrupt" in str(error)
    )
