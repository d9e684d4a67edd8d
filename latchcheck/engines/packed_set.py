"""A set of packed states that Python keeps in arrays of words: a fifth of what a set of ints takes, a little slower."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

from .layout import WORD_BITS

_WORD = (1 << WORD_BITS) - 1
# 2 ** 64 divided by the golden ratio: neighbours are spread over the whole table (Knuth, volume 3, section 6.4).
_SPREAD = 0x9E3779B97F4A7C15
_BITS_MIN = 12
_LOAD = 0.7


class PackedSet:
    """States of so many words, in no order that means anything.

    While it grows the old table and the new one are both there.
    The lowest word is kept with 1 added, so that 0 is an empty place: a word has 63 bits in use.
    """

    __slots__ = ("_bits", "_count", "_down", "_full", "_last", "_lowest", "_rest")

    def __init__(self, words: int) -> None:
        self._count = 0
        self._rest: list[array[int]] = [array("Q")] * (words - 1)
        self._empty(_BITS_MIN)

    @classmethod
    def of(cls, states: Iterable[int], words: int) -> PackedSet:
        """The set of these states."""
        found = cls(words)
        for state in states:
            found.add(state)
        return found

    def _empty(self, bits: int) -> None:
        self._bits, self._full = bits, int((1 << bits) * _LOAD)
        self._down, self._last = WORD_BITS - bits, (1 << bits) - 1
        self._lowest = array("Q", bytes(8 << bits))
        self._rest = [array("Q", bytes(8 << bits)) for _ in self._rest]

    def __len__(self) -> int:
        return self._count

    def __contains__(self, state: int) -> bool:
        return self._lowest[self._slot(state)] != 0

    def __iter__(self) -> Iterator[int]:
        for slot, kept in enumerate(self._lowest):
            if kept:
                yield self._state(slot, kept)

    @property
    def bytes_used(self) -> int:
        """The memory of the table as it is now."""
        return (1 + len(self._rest)) * 8 << self._bits

    def add(self, state: int) -> None:
        """Keep a state."""
        slot = self._slot(state)
        if self._lowest[slot]:
            return
        self._put(slot, state)
        self._count += 1
        if self._count > self._full:
            old = [self._lowest, *self._rest]
            self._empty(self._bits + 1)
            for words in zip(*old, strict=True):
                if words[0]:
                    known = words[0] - 1
                    for place, word in enumerate(words[1:], 1):
                        known |= word << place * WORD_BITS
                    self._put(self._slot(known), known)

    def _slot(self, state: int) -> int:
        """The place of a state, or the empty one where it belongs."""
        lowest, several, last = self._lowest, self._rest, self._last
        key = (state & _WORD) + 1
        # The hash of an int is its rest by a prime number, so every word counts.
        slot = (hash(state) * _SPREAD & _WORD) >> self._down
        while (kept := lowest[slot]) and (kept != key or (several and self._state(slot, kept) != state)):
            slot = slot + 1 & last
        return slot

    def _put(self, slot: int, state: int) -> None:
        self._lowest[slot] = (state & _WORD) + 1
        for place, table in enumerate(self._rest, 1):
            table[slot] = state >> place * WORD_BITS & _WORD

    def _state(self, slot: int, kept: int) -> int:
        state = kept - 1
        for place, table in enumerate(self._rest, 1):
            state |= table[slot] << place * WORD_BITS
        return state
