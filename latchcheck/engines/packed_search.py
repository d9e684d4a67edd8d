"""Runs the generated searches stretch by stretch: in Python first, compiled once a system turns out to be large.

Both keep the states in the order in which they were found and, for each, which one it came from.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_right
from typing import Any, Protocol

import attrs

from latchcheck.kernel.compiling import define

from . import ancestry, machine_code
from .ancestry import Ancestry
from .layout import WORD_BITS, Layout
from .machine_code import Code, Memory
from .machine_source import AHEAD, MachineSearch
from .packed_source import COARSE, DONE, FULL, GOING, Plan, PythonSearch

_WORD = (1 << WORD_BITS) - 1
# What a state costs in a Python list and a set, with what leads back, measured: 8 + 32, 60 on average, 8.
PYTHON_BYTES = 108
# Seconds in Python after which compiled code is worth its start: with machine code on disk, and without, where each
# line of source adds to it. Which search goes on changes nothing but the time.
WARM_SECONDS, COLD_SECONDS, LINE_SECONDS = 0.2, 0.3, 0.0005
_STRETCH_PYTHON, _STRETCH_MACHINE = 4_000, 500_000
_TABLE_MIN = 1 << 16
FANOUT_MAX = 1 << 18
# The table grows by half when it is this full; it is then never less than half full once it has grown.
_LOAD = 0.8


@attrs.define
class Tally:
    """What the generated functions count, and where properties broke: lists for Python, memory for the machine."""

    fired: Any
    reached: Any
    found: Any
    broken: Any
    edges: Any

    @classmethod
    def empty(cls, plan: Plan) -> Tally:
        """Nothing counted yet."""
        asked = len(plan.properties)
        return cls([0] * len(plan.codes), [0] * asked, [-1] * asked, [-1] * asked, [0] * asked)


class Store(Protocol):
    """States found so far."""

    tally: Tally

    @property
    def at(self) -> int:
        """The next state to look at."""
        ...

    @property
    def detail(self) -> Any:
        """The action, the variable and the value of an update out of range."""
        ...

    @property
    def count(self) -> int:
        """How many states there are."""
        ...

    @property
    def bytes_used(self) -> int:
        """The memory that they take, with what finds them again and what leads back to the start."""
        ...

    def advance(self) -> int:
        """Search one stretch; the answer is one of the endings of `packed_source`, or DONE."""
        ...

    def state(self, position: int) -> int:
        """A state, packed in one int."""
        ...

    def parent(self, position: int) -> int:
        """The position of the state it was found from, -1 for the first."""
        ...


class PythonStore:
    """States as ints in a list, found again through a set."""

    def __init__(self, plan: Plan, start: int, limit: int, *, first: bool) -> None:
        source = PythonSearch(plan).source()
        self.exact = source.exact
        self._search = define("search", source.lines, source.constants)
        self._limit, self._first = limit, first
        self.tally = Tally.empty(plan)
        self.order, self.seen, self.ends = [start], {start}, array("Q")
        self.at = 0
        self.detail: Any = None

    @property
    def count(self) -> int:
        """How many states there are."""
        return len(self.order)

    @property
    def bytes_used(self) -> int:
        """An estimate: the ints, the list, the set and what leads back."""
        return PYTHON_BYTES * len(self.order)

    def advance(self) -> int:
        """Search one stretch."""
        stop = min(len(self.order), self.at + _STRETCH_PYTHON)
        tally = self.tally
        how, self.at, self.detail = self._search(
            self.order, self.seen, self.ends, tally.fired, tally.reached, tally.found, tally.broken, tally.edges,
            self.at, stop, self._limit, self._first,
        )  # fmt: skip
        return DONE if how == GOING and self.at == len(self.order) else how

    def state(self, position: int) -> int:
        """A state, packed in one int."""
        return self.order[position]

    def parent(self, position: int) -> int:
        """The position of the state it was found from."""
        return bisect_right(self.ends, position) if position else -1


class MachineStore:
    """States in memory that is taken only as it fills, searched by compiled code."""

    def __init__(self, plan: Plan, compiled: Compiled, before: PythonStore, limit: int, *, first: bool) -> None:
        self._code, self._layout = compiled.load(), plan.layout
        self._first, self._limit, self._coarse = first, limit, False
        self._words = words = plan.layout.words
        self._fanout = compiled.fanout
        rows = AHEAD + self._fanout
        self._row = sum(plan.layout.sizes)
        # A word that is written takes eight bytes, even where fewer are its own.
        self._states = Memory(limit + rows) if words == 1 else Memory((limit + rows) * self._row + 8, "B")
        self._ancestry = Ancestry(limit + rows)
        self._buffer = Memory(rows * words)
        self._links, self._slots, self._tags = (Memory(rows) for _ in range(3))
        self._cursor = Memory(8)
        self._take(before)
        self._size = max(_TABLE_MIN, 4 * before.count)
        self._table = self._filled()

    def _take(self, before: PythonStore) -> None:
        words, count = self._words, before.count
        if words == 1:
            self._states.numbers[:count] = array("q", before.order)
        else:
            content = b"".join([state.to_bytes(8 * words, "little") for state in before.order])
            column = 0
            for word, size in enumerate(self._layout.sizes):
                for byte in range(8 * word, 8 * word + size):
                    self._states.numbers[column : count * self._row : self._row] = content[byte :: 8 * words]
                    column += 1
        self._ancestry.begin(before.ends, count)
        old = before.tally
        edges = [edge >> word * WORD_BITS & _WORD for edge in old.edges for word in range(words)]
        parts = (old.fired, old.reached, old.found, old.broken, edges)
        self._kept = [Memory.of(part) for part in parts]
        self.tally = Tally(*(kept.numbers[: len(part)] for kept, part in zip(self._kept, parts, strict=True)))
        self._cursor.numbers[0], self._cursor.numbers[1] = before.at, count

    @staticmethod
    def bytes_each_max(layout: Layout) -> int:
        """What a state takes at most: just after its table has grown, with what leads back from it."""
        row, place = (8, 8) if layout.words == 1 else (sum(layout.sizes), 4)
        return row + 1 + math.ceil(place * 1.5 / _LOAD)

    def _filled(self) -> Memory:
        """A table of the present size with every state in it."""
        self._full = int(self._size * _LOAD) - AHEAD - self._fanout
        table = Memory(self._size, "q" if self._words == 1 else "I")
        if self._words == 1:
            table.fill(0xFF)
        self._code.refill(self._states, self.count, table, self._slots, self._size, AHEAD)
        return table

    @property
    def at(self) -> int:
        """The next state to take."""
        return self._cursor.numbers[0]

    @property
    def count(self) -> int:
        """How many states there are."""
        return self._cursor.numbers[1]

    @property
    def detail(self) -> Any:
        """The action, the variable and the value of an update out of range; the divisor where parts are coarse."""
        code, position, value = self._cursor.numbers[3:6]
        if self._coarse:
            return code
        return code, list(self._layout.fields)[position], value

    @property
    def bytes_used(self) -> int:
        """The states, what leads back from them, and the table as it is now."""
        row, place = (8, 8) if self._words == 1 else (self._row, 4)
        return row * self.count + ancestry.bytes_used(self.count, self.at) + self._size * place

    def advance(self) -> int:
        """Search one stretch."""
        self._cursor.numbers[2] = self.at + _STRETCH_MACHINE
        how = self._code.search(
            self._states, self._ancestry.memory, self._table, *self._kept, self._buffer, self._links, self._slots,
            self._tags, self._cursor, self._size, self._limit, AHEAD, self._full, self._first,
        )  # fmt: skip
        self._coarse = how == COARSE
        if how == FULL:
            self._size += self._size >> 1
            del self._table  # the old one is not needed to fill the new one
            self._table = self._filled()
            return GOING
        return how

    def state(self, position: int) -> int:
        """A state, packed in one int."""
        if self._words == 1:
            return self._states.numbers[position]
        start, found = position * self._row, 0
        for word, size in enumerate(self._layout.sizes):
            found |= int.from_bytes(self._states.numbers[start : start + size], "little") << word * WORD_BITS
            start += size
        return found

    def parent(self, position: int) -> int:
        """The position of the state it was found from."""
        return self._ancestry.parent(position)


def edge_of(store: Store, layout: Layout, k: int) -> int:
    """The state after the step that broke property k."""
    edges = store.tally.edges
    if isinstance(store, PythonStore):
        return edges[k]
    return sum(int(edges[k * layout.words + word]) << word * WORD_BITS for word in range(layout.words))


class Compiled:
    """The compiled search of a plan: whether it can be had, whether the disk has it, and how to load it."""

    def __init__(self, plan: Plan) -> None:
        search = MachineSearch(plan)
        source = search.source()
        self.fanout = search.fanout() or 0
        # Where a number might not fit the machine, or successors the buffer, only Python counts right.
        self.exact = source.exact and 0 < self.fanout <= FANOUT_MAX
        self.text = "\n".join(source.lines) + "\n"
        self._compiler = machine_code.Compiler()
        self._code: Code | None = None

    @property
    def seconds(self) -> float:
        """How long a search in Python should have taken before this one takes over."""
        if self._compiler.is_kept(self.text):
            return WARM_SECONDS
        return COLD_SECONDS + LINE_SECONDS * self.text.count("\n")

    def load(self) -> Code:
        """The functions."""
        if self._code is None:
            self._code = self._compiler.load(self.text)
        return self._code
