"""The exit code for every combination of what can happen in a run."""

from __future__ import annotations

from itertools import chain, combinations, product

import pytest

from latchcheck.kernel.exits import exit_code, worst
from latchcheck.kernel.verdict import VERDICTS, Verdict

# 0 proved, held or not applicable; 1 a violation; 2 usage; 3 internal; 4 inconclusive; 5 vacuous or stale.
CODES = {
    "proved": 0,
    "holds": 0,
    "not-applicable": 0,
    "violated": 1,
    "usage_error": 2,
    "internal_error": 3,
    "inconclusive": 4,
    "vacuous": 5,
    "stale": 5,
}
PRECEDENCE = [3, 1, 2, 5, 4, 0]
MISHAPS = ("usage_error", "internal_error", "stale")


def test_every_combination_gives_the_code_that_comes_first() -> None:
    """When several codes apply, the first of 3, 1, 2, 5, 4, 0 is given: all 512 combinations."""
    combined = list(chain.from_iterable(combinations(CODES, size) for size in range(len(CODES) + 1)))
    assert len(combined) == 512
    for happened in combined:
        apply = {CODES[one] for one in happened} | {0}
        expected = next(code for code in PRECEDENCE if code in apply)
        verdicts: list[Verdict] = [one for one in VERDICTS if one in happened]
        mishaps = {one: one in happened for one in MISHAPS}
        assert expected == exit_code(verdicts, **mishaps), happened


def test_every_verdict_has_a_code() -> None:
    """The table above speaks about every verdict, so a new one cannot be forgotten."""
    assert set(CODES) == {*VERDICTS, *MISHAPS}


def test_the_order_of_verdicts_does_not_matter() -> None:
    """The code depends on which verdicts there are, not on their order or number."""
    assert exit_code(["inconclusive", "proved", "violated"]) == 1
    assert exit_code(["violated", "violated", "inconclusive", "proved"]) == 1


def test_a_word_that_is_no_verdict_is_refused() -> None:
    """A misspelt verdict is an error and never counts as fine."""
    with pytest.raises(ValueError, match="'voilated' is no verdict; write one of proved, holds"):
        exit_code(["voilated"])  # pyright: ignore[reportArgumentType]


def test_the_worst_of_two_codes() -> None:
    """Of codes that are there already the first of 3, 1, 2, 5, 4, 0 is given, in whichever order they come."""
    for first, second in product(PRECEDENCE, repeat=2):
        expected = next(code for code in PRECEDENCE if code in (first, second))
        assert expected == worst(first, second)
