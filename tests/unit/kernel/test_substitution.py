"""Terms in place of constants, without the checks that the solver repeats."""

from typing import Any, cast

import pytest
import z3

from latchcheck.kernel.substitution import substitute

x, y = (cast("Any", z3.Int(name)) for name in "xy")


def test_all_pairs_are_put_in_at_once() -> None:
    """Two constants change places: what one pair puts in, no other replaces."""
    assert (y - x * 2).eq(substitute(x - y * 2, [(x, y), (y, x)]))


def test_nothing_to_put_in_changes_nothing() -> None:
    """Without pairs, and with pairs of constants that are not there, the expression stays."""
    assert [True, True] == [(x + 1).eq(substitute(x + 1, pairs)) for pairs in ([], [(y, z3.IntVal(3))])]


def test_a_term_of_another_sort_is_refused() -> None:
    """An integer is not replaced by a real number."""
    with pytest.raises(z3.Z3Exception):
        substitute(x + 1, [(x, z3.RealVal("1/2"))])
