"""The client's schedule, gap by gap."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice

import pytest

from latchcheck.model.config import Config
from latchcheck.model.timing.schedule import Schedule, Span

BACKS_OFF = {"client.error_initial_delay_ms": 100, "client.error_multiplier": Fraction(3)}
POLLS = {"client.initial_delay_ms": 1000, "client.max_delay_ms": 5000}


def schedule(**changes: object) -> Schedule:
    """The schedule of a client that polls every second, with some keys changed."""
    found = Schedule.of(
        Config().replace({**POLLS, **{name.replace("__", "."): value for name, value in changes.items()}})
    )
    assert found is not None
    return found


@pytest.mark.parametrize(("ceiling_ms", "gaps_ms"), [(None, [100, 300, 900, 2700]), (500, [100, 300, 500, 500])])
def test_the_backoff_after_failures_has_a_ceiling(ceiling_ms: int | None, gaps_ms: list[int]) -> None:
    """Each failure in a row triples the delay, up to error_max_delay."""
    backs_off = Schedule.of(Config().replace({**POLLS, **BACKS_OFF, "client.error_max_delay_ms": ceiling_ms}))
    assert backs_off is not None
    assert [Span(gap, gap) for gap in gaps_ms] == [backs_off.error_gap(n, Span(0, 0)) for n in range(1, 5)]


def test_without_a_backoff_a_failure_changes_no_gap() -> None:
    """Where no delay after errors is stated the ordinary gap follows."""
    assert Span(3, 7) == schedule().error_gap(2, Span(3, 7))


def test_the_delay_grows_up_to_its_ceiling() -> None:
    """1 s, doubled: 2, 4, and then the 5 s that max_delay allows."""
    assert [1000, 2000, 4000, 5000, 5000] == list(islice(schedule(client__multiplier=Fraction(2)).nominal(), 5))


@pytest.mark.parametrize(
    ("mode", "hint_ms", "gap_ms"),
    [
        ("ignore", 3000, 1000),
        ("floor", 3000, 3000),
        ("floor", 200, 1000),
        ("replace", 200, 200),
        ("ceiling", 200, 200),
        ("ceiling", 3000, 1000),
        ("clamp", 9000, 5000),
    ],
)
def test_the_hint_bounds_the_gap_as_its_mode_says(mode: str, hint_ms: int, gap_ms: int) -> None:
    """A delay of one second beside hints that are longer and shorter; clamp keeps them below max_delay."""
    assert gap_ms == schedule(client__hint_mode=mode, server__poll_interval_ms=hint_ms).bound(1000)
