"""What each state was found from comes back out of two bits a state."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latchcheck.engines import ancestry
from latchcheck.engines.ancestry import Ancestry


def ends(parents: list[int], taken: int) -> list[int]:
    """For each of so many states that were looked at, how many states there were after it."""
    return [1 + sum(parent <= at for parent in parents[1:]) for at in range(taken)]


@given(jumps=st.lists(st.integers(0, 6), max_size=120), data=st.data(), block_bytes=st.sampled_from([2, 4, 1 << 13]))
def test_every_state_finds_back(jumps: list[int], data: Any, block_bytes: Any) -> None:
    """Any numbers that never fall, each below its place; some taken over, the rest set bit by bit as machine code does.

    Asked in any order, with directories of any size.
    """
    parents = [-1, *(min(wish, at) for at, wish in enumerate(accumulate(jumps)))]
    given_over = data.draw(st.integers(1, len(parents)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ancestry, "_BLOCK_BYTES", block_bytes)
        found = Ancestry(len(parents))
        found.begin(ends(parents[:given_over], max(0, parents[given_over - 1])), given_over)
        for position in range(given_over, len(parents)):
            place = position + parents[position]
            found.memory.numbers[place >> 5] |= 1 << (place & 31)
        asked = data.draw(st.permutations(range(len(parents))))
        assert {position: found.parent(position) for position in asked} == dict(enumerate(parents))


def test_a_state_that_is_not_there_is_an_error() -> None:
    """Asking beyond the last state ends."""
    found = Ancestry(10)
    found.begin([3], 3)

    assert [found.parent(position) for position in range(3)] == [-1, 0, 0]
    with pytest.raises(IndexError):
        found.parent(3)
