"""Instants for a fixture that has none: when each "its ttl passes" happens, and the windows that make it so.

The k-th passing of time goes to 3^k units, the unit being the target's own. A window that ends there is half of that:
longer than anything before it, whether it began with the task or with the passing before, and over when it must be.
Every other window of the task is far longer than the whole run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import attrs

from ..fixture import Event
from .protocol import WINDOWS, Clock, Table

RATIO: Final = 3
FAR: Final = 1000
"""A window that must not end is this many times as long as the run."""


@attrs.frozen
class Timeline:
    """Which step lets which window of which task end, and as the how manieth passing of time."""

    passings: tuple[tuple[int, str, str], ...]
    ends: frozenset[int]
    clock: Clock = attrs.field(factory=lambda: Clock("injected"))

    @classmethod
    def of(
        cls, steps: Sequence[Event], ends: Mapping[str, str], sweeps: Sequence[str], restarts: Sequence[str]
    ) -> Timeline:
        """Read the passings of time, the last step of each sweep, and the first of each restart, from the steps."""
        passings = [
            (index, str(step.args["task"]), ends[step.action])
            for index, step in enumerate(steps)
            if step.action in ends
        ]
        passes = [index for index, step in enumerate(steps) if step.action in sweeps]
        last = {one for place, one in enumerate(passes) if (place + 1) % len(sweeps) == 0} | set(passes[-1:])
        # A restart is asked for with its first step: what comes to the server before its last one waits for it.
        last |= {index for index, step in enumerate(steps) if step.action == restarts[0]}
        return cls(tuple(passings), frozenset(last))

    def with_clock(self, clock: Clock) -> Timeline:
        """The same timeline in the unit of a clock."""
        return attrs.evolve(self, clock=clock)

    def instant_ms(self, index: int) -> int:
        """The instant to which the step lets time pass."""
        place = [at for at, _, _ in self.passings].index(index)
        return self.clock.unit_ms * RATIO ** (place + 1)

    def is_over(self, index: int) -> bool:
        """Whether the step is the one by which its sweep, or its restart, is asked for."""
        return index in self.ends

    def windows(self, task: str, table: Table) -> dict[str, int]:
        """The windows for a task that is created in the run, in ms, as far as the target can set them."""
        whole = self.clock.unit_ms * RATIO ** (len(self.passings) + 1) * FAR
        found = {}
        for window in WINDOWS:
            ends = [at for at, of, name in self.passings if (of, name) == (task, window)]
            if window in table.windows:
                found[f"{window}_ms"] = self.instant_ms(ends[0]) // 2 if ends else whole
        return found
