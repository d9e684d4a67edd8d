"""Where a sampled search has been, and from where it is worth going on: its only memory between rounds.

States are told apart by what matters only: the variables that the properties read, and the actions that can happen.
Such a group of states is a cell. A round of runs may begin at the end of a short run that leads to a rare cell, after
A. Ecoffet and others, "Go-Explore: a New Approach for Hard-Exploration Problems" (2019): first return, then explore.
What is no part of a cell may still decide what can be reached from it (which version a replica holds, say), so a cell
keeps ways to several of its states, and rounds take turns with them.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from .stateful_states import Event, Steps, Values
from .stateful_timed import TimedSteps

Cell = tuple[object, ...]
Prefix = tuple[Event, ...]

PREFIXES_MAX = 48
WAYS_MAX = 12
NAMED_MAX = 200_000


@attrs.define
class Seen:
    """One cell: short runs that lead to some of its states, how often it was met, and how often runs began there."""

    ways: dict[Values, Prefix]
    met: int = 0
    begun: int = 0

    @property
    def least(self) -> int:
        """The length of the shortest run known to lead here."""
        return min(map(len, self.ways.values()))

    def way(self) -> Prefix:
        """The run whose turn it is, the shortest first."""
        ways = sorted(self.ways.values(), key=len)
        return ways[self.begun % len(ways)]

    def note(self, state: Values, events: Sequence[Event]) -> None:
        """Keep a way to a state: the shortest to each, and of the states those that are nearest."""
        known = self.ways.get(state)
        if known is not None:
            if len(events) < len(known):
                self.ways[state] = tuple(events)
            return
        if len(self.ways) >= WAYS_MAX:
            longest = max(self.ways, key=lambda one: len(self.ways[one]))
            if len(events) >= len(self.ways[longest]):
                return
            del self.ways[longest]
        self.ways[state] = tuple(events)


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
            self._cells[here] = seen = Seen({})
        seen.note(last.after, events)
        seen.met += 1

    def prefixes(self) -> tuple[Prefix, ...]:
        """Runs to begin with: none first, then those that lead to the cells least often begun at and met.

        Their order is that of their length, so that what shrinks towards the first becomes shorter.
        """
        rare = sorted(
            (seen for seen in self._cells.values() if seen.least <= self._length_max),
            key=lambda seen: (seen.begun, seen.met, seen.least),
        )[:PREFIXES_MAX]
        ways = [way for seen in rare if len(way := seen.way()) <= self._length_max]
        for seen in rare:
            seen.begun += 1
        return ((), *sorted(ways, key=len))
