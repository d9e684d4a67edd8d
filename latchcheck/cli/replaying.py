"""Fixtures replayed in turn: one that cannot be read is told of, and an interrupt keeps what was done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from attrs import define

from . import wiring
from .errors import complain, complain_of

if TYPE_CHECKING:
    from latchcheck.kernel.verdict import Verdict

# What the wiring hands over: the checker does not import counterexamples, so it does not name their types.
Fixture = Any
Replayed = Any


@define
class Faults:
    """What came in the way of replaying: a file that could not be read, the user who ended it."""

    unreadable: bool = False
    interrupted: bool = False

    @property
    def cut_short(self) -> tuple[Verdict, ...]:
        """What an interrupt adds to the verdicts."""
        return ("inconclusive",) if self.interrupted else ()


def replayed(files: Sequence[str]) -> tuple[list[tuple[str, Replayed]], Faults]:
    """What becomes of each file, and what came in the way, which is then said on stderr."""
    return each_fixture(files, wiring.replay_fixture)


def each_fixture(files: Sequence[str], replay: Callable[[Fixture], Any]) -> tuple[list[tuple[str, Any]], Faults]:
    """What `replay` makes of the fixture in each file, and what came in the way, which is then said on stderr."""
    from latchcheck.kernel.doing import each
    from latchcheck.kernel.interrupts import INTERRUPTS, is_interrupt

    found, faults = [], Faults()
    try:
        for file in each("replaying", files, named=str):
            try:
                fixture = wiring.load_fixture(file)
            except Exception as error:
                if not wiring.is_bad_input(error):
                    raise
                complain_of(error)
                faults.unreadable = True
                continue
            found.append((file, replay(fixture)))
    except INTERRUPTS as error:
        if not is_interrupt(error):
            raise
        complain(f"interrupted: {len(found)} of {len(files)} were replayed")
        faults.interrupted = True
    return found, faults
