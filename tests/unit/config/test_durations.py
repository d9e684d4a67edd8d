"""Durations: every accepted spelling, and what a wrong one is told to become."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latchcheck.model.reading.durations import Malformed, duration_text, milliseconds


@pytest.mark.parametrize(
    ("text", "expected_ms"),
    [
        ("0s", 0),
        ("0ms", 0),
        ("250ms", 250),
        ("1.5s", 1_500),
        ("0.25s", 250),
        ("15m", 900_000),
        ("1h30m", 5_400_000),
        ("2d", 172_800_000),
        ("1d2h3m4s5ms", 93_784_005),
        ("1m30.5s", 90_500),
        ("PT5M", 300_000),
        ("PT1H30M", 5_400_000),
        ("PT0.25S", 250),
        ("PT0,5S", 500),
        ("P2D", 172_800_000),
        ("P1W", 604_800_000),
        ("P1DT12H", 129_600_000),
        ("36525d", 3_155_760_000_000),
    ],
)
def test_a_duration_is_its_milliseconds(text: str, expected_ms: int) -> None:
    """A number with a unit, several of them, or an ISO-8601 duration is read as exact milliseconds."""
    assert milliseconds(text) == expected_ms


@pytest.mark.parametrize(
    ("text", "what", "instead"),
    [
        ("900", "has no unit", '"900s"'),
        ("1.5", "has no unit", '"1.5s"'),
        ("", "is empty", '"15m"'),
        ("  ", "is empty", '"none"'),
        ("-5s", "is negative", '"0s"'),
        ("-PT5M", "is negative", '"0s"'),
        ("PT-5M", "is negative", '"0s"'),
        ("nan", "is no duration", '"none"'),
        ("inf", "is no duration", '"none"'),
        ("unlimited", "is no duration", '"none"'),
        ("0.5ms", "is finer than a millisecond", '"1ms"'),
        ("1.0005s", "is finer than a millisecond", '"1000ms"'),
        ("5us", "is finer than a millisecond", '"1ms"'),
        ("36526d", "is over 100 years", "check the unit"),
        ("99999999999999h", "is over 100 years", "check the unit"),
        ("1h 30m", "is no duration", '"1h30m"'),
        ("15 min", "is no duration", '"15m"'),
        ("2 hours", "is no duration", '"2h"'),
        ("5M", "is no duration", '"5m"'),
        ("pt5m", "is no duration", '"PT5M"'),
        ("30m1h", "out of order", "1h30m"),
        ("1s1s", "twice", "each once"),
        ("P1M", "months or years", '"30d"'),
        ("P1Y", "months or years", '"30d"'),
        ("P", "is no duration", '"PT5M"'),
        ("PT", "is no duration", '"PT5M"'),
        ("soon", "is no duration", '"15m"'),
        ("1e3s", "is no duration", '"15m"'),
        ("٣s", "is no duration", '"15m"'),
        ("9" * 100 + "s", "too long", '"15m"'),
    ],
)
def test_a_wrong_duration_is_told_what_to_become(text: str, what: str, instead: str) -> None:
    """A text that is no duration is refused with what is wrong and what to write."""
    with pytest.raises(Malformed) as refused:
        milliseconds(text)
    assert what in refused.value.what
    assert instead in refused.value.instead


@given(st.integers(0, 3_155_760_000_000))
def test_a_written_duration_reads_back(ms: int) -> None:
    """What is written for a number of milliseconds is read as the same number."""
    assert milliseconds(duration_text(ms)) == ms


@given(st.text(max_size=20))
def test_any_text_is_a_duration_or_refused(text: str) -> None:
    """Whatever the text, it is read as milliseconds within the limits or refused in words."""
    with contextlib.suppress(Malformed):
        assert 0 <= milliseconds(text) <= 3_155_760_000_000
