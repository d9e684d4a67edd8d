"""Runs the generated searches stretch by stretch: in Python first, compiled once a system turns out to be large.

Both keep the states in the order in which they were found and, for each, the position of the one it came from.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Protocol

import attrs

from latchcheck.kernel.compiling import define

from . import compiled_cache
from .layout import WORD_BITS, Layout
from .numba_source import DONE, NumbaSearch
from .packed_source import FULL, GOING, Plan, PythonSearch

_WORD = (1 << WORD_BITS) - 1
# What a state costs in a Python list, a set and a list of parents, measured: 8 + 32, 60 on average, 8 + 32.
PYTHON_BYTES = 140
# States after which compiled code is worth its start: with machine code on disk, and without.
WARM_STATES, COLD_STATES = 60_000, 400_000
_STRETCH_PYTHON, _STRETCH_NUMBA = 20_000, 500_000
_AHEAD = 1024
_TABLE_MIN = 1 << 16
# The table grows by half when it is this full; it is then never less than half full once it has grown.
_LOAD = 0.8


@attrs.define
class Tally:
    """What the generated functions count, and where properties broke: lists for Python, arrays for numba."""

    fired: Any
    reached: Any
    found: Any
    broken: Any
    edges: Any

    @classmethod
    def empty(cls, plan: Plan) -> Tally:
        """Nothing counted yet."""
        asked = len(plan.properties)
        return cls([0] * len(plan.system.actions), [0] * asked, [-1] * asked, [-1] * asked, [0] * asked)


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
        self.order, self.seen, self.parents = [start], {start}, [-1]
        self.at = 0
        self.detail: Any = None

    @property
    def count(self) -> int:
        """How many states there are."""
        return len(self.order)

    @property
    def bytes_used(self) -> int:
        """An estimate: the ints, the list, the set and the parents."""
        return PYTHON_BYTES * len(self.order)

    def advance(self) -> int:
        """Search one stretch."""
        stop = min(len(self.order), self.at + _STRETCH_PYTHON)
        tally = self.tally
        how, self.at, self.detail = self._search(
            self.order, self.seen, self.parents, tally.fired, tally.reached, tally.found, tally.broken, tally.edges,
            self.at, stop, self._limit, self._first,
        )  # fmt: skip
        return DONE if how == GOING and self.at == len(self.order) else how

    def state(self, position: int) -> int:
        """A state, packed in one int."""
        return self.order[position]

    def parent(self, position: int) -> int:
        """The position of the state it was found from."""
        return self.parents[position]


class NumbaStore:
    """States in an array; the memory behind it is taken only as it fills."""

    def __init__(self, plan: Plan, search: Callable[..., Any], before: PythonStore, limit: int, *, first: bool) -> None:
        import numpy as np

        self._np, self._search, self._layout = np, search, plan.layout
        self._first, self._limit = first, limit
        self._words = words = plan.layout.words
        self._states = np.empty(self._room(plan) * words, np.int64)
        self._parents = np.empty(self._room(plan), np.uint32 if limit < _WORD >> 32 else np.int64)
        self._fanout = plan.fanout
        rows = _AHEAD + plan.fanout
        self._buffer = np.empty(rows * words, np.int64)
        self._links, self._slots, self._tags = (np.empty(rows, np.int64) for _ in range(3))
        self._scratch = np.empty(2 * _AHEAD, np.int64)
        self._cursor = np.zeros(8, np.int64)
        self._take(before)
        self._table = self._filled(max(_TABLE_MIN, 4 * before.count))

    def _room(self, plan: Plan) -> int:
        return self._limit + _AHEAD + plan.fanout

    def _take(self, before: PythonStore) -> None:
        np, words, count = self._np, self._words, before.count
        for word in range(words):
            shift = word * WORD_BITS
            self._states[word : count * words : words] = [state >> shift & _WORD for state in before.order]
        self._parents[0] = 0
        self._parents[1:count] = before.parents[1:]
        old = before.tally
        edges = [edge >> word * WORD_BITS & _WORD for edge in old.edges for word in range(words)]
        parts = (old.fired, old.reached, old.found, old.broken, edges)
        # numba cannot tell the type of an array without elements by itself, so each is made as int64.
        self.tally = Tally(*(np.array(part, np.int64) for part in parts))
        self._cursor[0], self._cursor[1] = before.at, count

    def _filled(self, size: int) -> Any:
        from .numba_runtime import refill_positions, refill_words

        np, count = self._np, self.count
        self._full = min(int(size * _LOAD) - _AHEAD - self._fanout, 1 << 62)
        if self._words == 1:
            table = np.full(size, -1, np.int64)
            refill_words(self._states, count, table, self._scratch)
        else:
            table = np.zeros(size, np.uint32)
            refill_positions(self._states, count, table, self._scratch, self._words)
        return table

    @property
    def at(self) -> int:
        """The next state to take."""
        return int(self._cursor[0])

    @property
    def count(self) -> int:
        """How many states there are."""
        return int(self._cursor[1])

    @property
    def detail(self) -> Any:
        """The action, the variable and the value of an update out of range."""
        code, position, value = (int(number) for number in self._cursor[3:6])
        return code, list(self._layout.fields)[position], value

    @property
    def bytes_used(self) -> int:
        """The states, their parents and the table as it is now."""
        each = 8 * self._words + self._parents.itemsize
        return each * self.count + self._table.nbytes

    def advance(self) -> int:
        """Search one stretch."""
        self._cursor[2] = self.at + _STRETCH_NUMBA
        tally = self.tally
        how = self._search(
            self._states, self._parents, self._table, tally.fired, tally.reached, tally.found, tally.broken,
            tally.edges, self._buffer, self._links, self._slots, self._tags, self._cursor, self._limit, _AHEAD,
            self._full, self._first,
        )  # fmt: skip
        if how == FULL:
            size = len(self._table) + (len(self._table) >> 1)
            del self._table  # the old one is not needed to fill the new one
            self._table = self._filled(size)
            return GOING
        return how

    def state(self, position: int) -> int:
        """A state, packed in one int."""
        base = position * self._words
        return sum(int(self._states[base + word]) << word * WORD_BITS for word in range(self._words))

    def parent(self, position: int) -> int:
        """The position of the state it was found from."""
        return int(self._parents[position]) if position else -1


def edge_of(store: Store, layout: Layout, k: int) -> int:
    """The state after the step that broke property k."""
    edges = store.tally.edges
    if isinstance(store, PythonStore):
        return edges[k]
    return sum(int(edges[k * layout.words + word]) << word * WORD_BITS for word in range(layout.words))


@attrs.define
class Compiled:
    """The compiled search of a plan: whether it can be had, whether the disk has it, and how to load it."""

    plan: Plan
    text: str = ""
    name: str = ""

    def possible(self) -> bool:
        """Whether numba is installed and machine integers suffice."""
        from importlib.util import find_spec

        if find_spec("numba") is None:
            return False
        source = NumbaSearch(self.plan).source()
        self.text = "\n".join(source.lines) + "\n"
        if source.exact:
            self.name = compiled_cache.name_of(self.text, _numba_version())
        return source.exact

    def is_warm(self) -> bool:
        """Whether machine code is on disk."""
        return compiled_cache.is_warm(self.name)

    def load(self) -> Callable[..., Any]:
        """The function."""
        return compiled_cache.load(self.name, self.text)


def _numba_version() -> str:
    """The installed version, without importing what is slow to import."""
    if "numba" in sys.modules:
        return sys.modules["numba"].__version__
    from importlib.metadata import version

    return version("numba")
