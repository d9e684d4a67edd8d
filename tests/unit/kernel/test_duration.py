"""Durations are written as people write them, and exactly."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latchcheck.kernel.duration import duration, readable, signed, told

UNIT_MS = {"d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1_000, "ms": 1}


@pytest.mark.parametrize(
    ("ms", "expected"),
    [
        (0, "0"),
        (1, "1ms"),
        (999, "999ms"),
        (1_000, "1s"),
        (1_500, "1.5s"),
        (59_999, "59.999s"),
        (60_000, "1m"),
        (60_001, "1m1ms"),
        (90_500, "1m30.5s"),
        (780_000, "13m"),
        (3_600_000, "1h"),
        (5_400_000, "1h30m"),
        (3_600_001, "1h1ms"),
        (604_800_000, "7d"),
        (90_000_000, "1d1h"),
        (-780_000, "-13m"),
        (Fraction(16384, 10), "1638.4ms"),
        (Fraction(1, 2), "0.5ms"),
        (Fraction(780_000) + Fraction(1, 8), "13m0.125ms"),
        (3_600_000 + Fraction(2912764, 100), "1h29.12764s"),
        (60_000 + Fraction(16384, 10), "1m1.6384s"),
        (Fraction(1000, 3), "1000/3ms"),
        (-Fraction(1000, 3), "-1000/3ms"),
    ],
)
def test_a_duration_reads_as_people_write_it(ms: int | Fraction, expected: str) -> None:
    """The largest units come first, units that are zero are left out, and below a millisecond it stays in ms."""
    assert expected == duration(ms)


@pytest.mark.parametrize(
    ("ms", "expected"),
    [
        (0, "0"),
        (780_000, "13m"),
        (Fraction(16384, 10), "1638.4ms"),
        (60_000 + Fraction(1, 10**6), "1m0.000001ms"),
        (3_629_127 + Fraction(1, 3), "~1h29.127s"),
        (3_629_127 + Fraction(1, 10**7), "~1h29.127s"),
        (-Fraction(1000, 3), "~-333.3ms"),
        (123 * 86_400_000 * 10**10, "~1.23e12d"),
        (-86_400_000 * 10**400, "~-1.00e400d"),
        (86_400_000 * 10**5000 + Fraction(1, 3), "~1.00e5000d"),
    ],
)
def test_a_duration_in_a_sentence_is_short(ms: int | Fraction, expected: str) -> None:
    """It is exact to six decimals; what has more, or is beyond ten million days, is shortened and says so by `~`."""
    assert expected == told(ms)


@given(st.fractions() | st.integers() | st.integers(-3000, 3000).map(lambda power: Fraction(10) ** power / 3))
def test_no_sentence_is_endless(ms: int | Fraction) -> None:
    """Whatever the number, its text fits in a line, and says by `~` when it is not the number itself."""
    assert len(told(ms)) <= 40
    assert told(ms) == readable(ms) if told(ms)[0] == "~" else duration(ms)


@pytest.mark.parametrize(("ms", "expected"), [(720_000, "+12m"), (-780_000, "-13m"), (0, "0")])
def test_a_margin_shows_its_sign(ms: int, expected: str) -> None:
    """A margin that may be spent has a plus, one that is missing a minus, the edge neither."""
    assert expected == signed(ms)


@given(st.fractions(max_denominator=5000) | st.integers())
def test_no_duration_is_rounded(ms: int | Fraction) -> None:
    """Reading the units back gives the number that was written, for every number."""
    text = duration(ms)
    parts = re.findall(r"([\d./]+)(ms|d|h|m|s)", text)
    assert text.lstrip("-") == "".join(number + unit for number, unit in parts) or text == "0"
    total = sum((Fraction(number) * UNIT_MS[unit] for number, unit in parts), Fraction(0))
    assert (-total if text.startswith("-") else total) == ms
