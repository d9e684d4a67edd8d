"""The set that a reduced search keeps its states in is a set."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latchcheck.engines import packed_set, reduction
from latchcheck.engines.explicit import Options, explore
from latchcheck.engines.packed_set import PackedSet
from tests.benchmarks.relay import relay

WORD = st.integers(0, (1 << 63) - 1) | st.integers(0, 3)


@pytest.mark.parametrize("words", [1, 2, 3])
@given(data=st.data(), alike=st.booleans())
def test_it_holds_what_was_added(words: int, data: Any, alike: Any) -> None:
    """Membership, number and members are those of Python's set, through growth and where every hash is the same."""
    rows = st.tuples(*[WORD] * words).map(lambda row: sum(word << 64 * at for at, word in enumerate(row)))
    states, others = data.draw(st.lists(rows, max_size=60)), data.draw(st.lists(rows, max_size=10))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed_set, "_BITS_MIN", 3)
        if alike:
            patch.setattr(packed_set, "_SPREAD", 0)
        found = PackedSet.of(states, words)

        assert (len(found), sorted(found)) == (len(set(states)), sorted(set(states)))
        assert [one in found for one in (*states, *others)] == [one in set(states) for one in (*states, *others)]


def test_a_reduced_search_moves_into_it_without_a_seam(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every number is that of a search that keeps a set to its end, and a state takes less than a third."""
    system, options = relay(2, (1, 2)), Options(reduction=True)
    plain = explore(system, options=options)
    monkeypatch.setattr(reduction, "SET_MAX", 100)
    found = explore(system, options=options)

    for name in ("states", "transitions", "depth", "fired", "complete"):
        assert getattr(found, name) == getattr(plain, name)
    assert 3 * found.bytes_used < plain.bytes_used
