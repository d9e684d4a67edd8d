"""Where a sampled search has been, and from where it is worth going on: its only memory between rounds.

States are told apart by what matters only: the variables that the properties read, and the actions that can happen.
Such a group of states is a cell. A round of runs may begin at the end of a short run that leads to a rare cell, after
A. Ecoffet and others, "Go-Explore: a New Approach for Hard-Exploration Problems" (2019): first return, then explore.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from .stateful_states import Event, Steps, Values
from .stateful_timed import TimedSteps

Cell = tuple[object, ...]
Prefix = tuple[Event, ...]

PREFIXES_MAX = 48
NAMED_MAX = 200_000


@attrs.define
class Seen:
    """One cell: the shortest run known to lead to it, how often it was met and how often runs began there."""

    prefix: Prefix
    met: int = 0
    begun: int = 0


class Coverage:
    """Counts cells and (action, cell) pairs, and keeps a shortest known run to each cell.

    `length_max` bounds the runs that are kept, so that a run which begins at their end can still be short enough.
    """

    def __init__(self, steps: Steps | TimedSteps, reads: Sequence[int], length_max: int) -> None:
        self._steps = steps
        self._reads = tuple(reads)
        self._length_max = length_max
        self._cells: dict[Cell, Seen] = {}
        self._pairs: set[tuple[str, Cell]] = set()
        self._named: dict[Values, Cell] = {}

    @property
    def cells(self) -> int:
        """How many cells were met."""
        return len(self._cells)

    @property
    def pairs(self) -> int:
        """How many (action, cell) pairs were tried."""
        return len(self._pairs)

    def cell(self, state: Values) -> Cell:
        """The cell of a state."""
        found = self._named.get(state)
        if found is None:
            found = self._steps.cell(state, self._reads)
            if len(self._named) >= NAMED_MAX:
                self._named.clear()
            self._named[state] = found
        return found

    def add(self, before: Values, events: Sequence[Event]) -> None:
        """Note the last of the events of a run, which was done in the state `before`."""
        last = events[-1]
        self._pairs.add((last.action, self.cell(before)))
        here = self.cell(last.after)
        seen = self._cells.get(here)
        if seen is None:
            self._cells[here] = seen = Seen(tuple(events))
        elif len(events) < len(seen.prefix):
            seen.prefix = tuple(events)
        seen.met += 1

    def prefixes(self) -> tuple[Prefix, ...]:
        """Runs to begin with: none first, then those that lead to the cells least often begun at and met.

        Their order is that of their length, so that what shrinks towards the first becomes shorter.
        """
        rare = sorted(
            (seen for seen in self._cells.values() if len(seen.prefix) <= self._length_max),
            key=lambda seen: (seen.begun, seen.met, len(seen.prefix)),
        )[:PREFIXES_MAX]
        for seen in rare:
            seen.begun += 1
        return ((), *sorted((seen.prefix for seen in rare), key=len))
