"""Which state each state was found from, in two bits a state.

A breadth-first search takes states in the order in which it found them, so with the states the states that they were
found from never fall. State p, found from state q, is therefore told by one bit at place p + q: it is the p-th that is
set, and no other state has its place. (P. Elias, "Efficient storage and retrieval by content and address of static
files", 1974.)
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from .machine_code import Memory

_BLOCK_BYTES = 1 << 13


class Ancestry:
    """The bits, filled by compiled code, with a directory of them that grows as it is asked."""

    __slots__ = ("_before", "memory")

    def __init__(self, states_max: int) -> None:
        self.memory = Memory(bytes_used(states_max, states_max) // 4 + 1, "I")
        # The set bits before each block, as far as anybody asked.
        self._before = [0]

    def begin(self, ends: Sequence[int], count: int) -> None:
        """Take over `count` states; `ends` tells for each state that was looked at how many there were after it."""
        children = [after - before for before, after in pairwise((0, *ends, count))]
        longest = ["1" * times + "0" for times in range(max(children) + 1)]
        text = "".join(longest[times] for times in children)
        content = int(text[::-1], 2).to_bytes(len(text) // 8 + 1, "little")
        memoryview(self.memory.numbers).cast("B")[: len(content)] = content

    def parent(self, position: int) -> int:
        """The position of the state that a state was found from, -1 for the first; IndexError where there is none."""
        if position == 0:
            return -1
        block = bisect_right(self._before, position) - 1
        bits = self._block(block)
        # A block that is passed is complete: what is found later stands behind it.
        while self._before[block] + bits.bit_count() <= position:
            self._before.append(self._before[block] + bits.bit_count())
            block += 1
            bits = self._block(block)
        place = block * _BLOCK_BYTES * 8 + _nth(bits, position - self._before[block])
        return place - position

    def _block(self, block: int) -> int:
        content = memoryview(self.memory.numbers).cast("B")
        if block * _BLOCK_BYTES >= len(content):
            raise IndexError("there are not so many states")
        return int.from_bytes(content[block * _BLOCK_BYTES : (block + 1) * _BLOCK_BYTES], "little")


def bytes_used(count: int, taken: int) -> int:
    """The bytes of so many states, of which so many were looked at."""
    return (count + taken) // 8 + 1


def _nth(bits: int, n: int) -> int:
    """The place of the n-th bit that is set, counted from 0."""
    place, width = 0, _BLOCK_BYTES * 8
    while width > 1:
        width //= 2
        low = bits & ((1 << width) - 1)
        ones = low.bit_count()
        if n < ones:
            bits = low
        else:
            bits, n, place = bits >> width, n - ones, place + width
    return place
