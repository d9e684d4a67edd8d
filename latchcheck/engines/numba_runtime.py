"""What the compiled search calls: a hash, a hint to the memory, and filling a larger table.

Imported only by searches large enough to pay for the import of numba.
"""
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

# An entry of a table of positions: the position of the state plus one, above it some bits of the hash, 0 when empty.
POSITION_BITS = 28
POSITION_MASK = (1 << POSITION_BITS) - 1
_LOW_32 = 0xFFFFFFFF
_AHEAD = 1024


def _prefetch(_: Any, array: Any, index: Any) -> Any:  # noqa: ARG001 - numba reads the names
    """Ask the memory for an element that will be read soon: most of a search's time is waiting for the table."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        byte = ir.IntType(8).as_pointer()
        number = ir.IntType(32)
        function = builder.module.declare_intrinsic(
            "llvm.prefetch", (byte,), ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        )
        place = builder.bitcast(builder.gep(data, [args[1]]), byte)
        # Read, keep in every cache, data and not instructions.
        builder.call(function, [place, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.none(array, types.intp), generate


# As a call and not as a decorator: type checkers do not know that numba hides the first parameter.
prefetch: Any = intrinsic(_prefetch)


@njit(cache=True)
def mix(word: int) -> int:
    """A hash of one 64-bit word; every bit of it depends on every bit of the word."""
    word = (word ^ (word >> 32)) * -7046029254386353131
    word = (word ^ (word >> 29)) * -4658895280553007687
    return word ^ (word >> 32)


@njit(cache=True)
def slot_of(hashed: int, size: int) -> int:
    """The first place to look at in a table of any size below 2**31."""
    return ((hashed & _LOW_32) * size) >> 32


@njit(cache=True)
def tag_of(hashed: int) -> int:
    """The bits of the hash that an entry carries, so that most other states need no second look."""
    return (hashed >> 33) & 15


@njit(cache=True)
def refill_words(states: Any, count: int, table: Any, slots: Any) -> None:
    """Put the first `count` states of one word each into an empty table of states."""
    size, ahead = len(table), len(slots)
    for start in range(0, count, ahead):
        stop = min(start + ahead, count)
        for at in range(start, stop):
            slot = slot_of(mix(states[at]), size)
            slots[at - start] = slot
            prefetch(table, slot)
        for at in range(start, stop):
            slot = slots[at - start]
            while table[slot] != -1:
                slot += 1
                if slot == size:
                    slot = 0
            table[slot] = states[at]


@njit(cache=True)
def refill_positions(states: Any, count: int, table: Any, slots: Any, words: int) -> None:
    """Put the positions of the first `count` states of several words each into an empty table of positions."""
    size, ahead = len(table), len(slots) // 2
    for start in range(0, count, ahead):
        stop = min(start + ahead, count)
        for at in range(start, stop):
            hashed = mix(states[at * words])
            for word in range(1, words):
                hashed = mix(hashed ^ states[at * words + word])
            slot = slot_of(hashed, size)
            slots[at - start] = slot
            slots[ahead + at - start] = tag_of(hashed) << POSITION_BITS | (at + 1)
            prefetch(table, slot)
        for at in range(start, stop):
            slot = slots[at - start]
            while table[slot] != 0:
                slot += 1
                if slot == size:
                    slot = 0
            table[slot] = slots[ahead + at - start]


VERSION = numba.__version__
