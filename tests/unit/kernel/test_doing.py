"""What is being done is said while it is done, and no longer."""

from __future__ import annotations

import pytest

from latchcheck.kernel.doing import doing, each, stages


def test_work_is_in_hand_while_its_block_runs() -> None:
    """The whole comes before its parts, and each is gone when its block ends."""
    with doing("the whole", 3) as whole:
        with doing("a part", unit="states", done=lambda: 7):
            assert ["the whole", "a part"] == [one.what for one in stages()]
            assert 7 == stages()[-1].count()
        assert (whole,) == stages()
    assert () == stages()


def test_work_ends_with_an_error_too() -> None:
    """An interrupt leaves nothing in hand."""
    with pytest.raises(KeyboardInterrupt), doing("something"):
        raise KeyboardInterrupt
    assert () == stages()


def test_items_are_counted_as_they_are_done() -> None:
    """While the n-th item is worked on, n - 1 are done, and the work is named after it."""
    seen = [(*((one.count(), one.total, one.what) for one in stages()),) for _ in each("try", ["a", "b"], named=str)]
    assert [((0, 2, "try a"),), ((1, 2, "try b"),)] == seen
    assert () == stages()


def test_a_loop_that_is_left_leaves_nothing_in_hand() -> None:
    """Breaking out, or an error in the loop, ends the work of `each`."""
    for _ in each("try", range(3)):
        break
    assert () == stages()
    with pytest.raises(ZeroDivisionError):
        assert [1 // item for item in each("try", [0])]
    assert () == stages()
