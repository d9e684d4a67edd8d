"""What a verb tells when the user ends it half-way: the one place where an interrupt becomes part of an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from attrs import define

from .errors import complain

if TYPE_CHECKING:
    from latchcheck.kernel.verdict import Verdict


@define
class Cut:
    """Whether the work was cut short."""

    short: bool = False

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """What an interrupt adds to the verdicts: what was not looked at is not known."""
        return ("inconclusive",) if self.short else ()


@contextmanager
def interruptible(told: Callable[[], str]) -> Iterator[Cut]:
    """Let the user end the block: how far it came, which is asked for then, is said on stderr, and the verb goes on."""
    from latchcheck.kernel.interrupts import INTERRUPTS, is_interrupt  # with it comes the solver

    cut = Cut()
    try:
        yield cut
    except INTERRUPTS as error:
        if not is_interrupt(error):
            raise
        cut.short = True
        complain(f"interrupted: {told()}")
