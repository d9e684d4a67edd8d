"""The figures in the paper's sentences, which are made from its tables: each again from ours.

Source: Ajin Baby, *Stateless Protocol, Stateful Problem*, 2026, abstract and sections 6.2 to 6.4.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

import pytest

from latchcheck.cli import wiring
from latchcheck.properties.study import orphans

Ours = dict[tuple[str, str], Decimal]


@pytest.fixture(scope="module")
def ours() -> Ours:
    """Our figures of Tables 2 to 4 by row and column, to the digits that are printed."""
    tables = wiring.recompute([2, 3, 4], lambda: None)
    return {
        (one.row, one.column): Decimal(one.ours.removesuffix(" s").removesuffix("%"))
        for table in tables
        for one in table.figures
    }


def rounded(number: Decimal, places: int = 0) -> Decimal:
    """As people round."""
    return number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def test_backing_off_saves_under_5_percent_on_a_one_minute_task(ours: Ours) -> None:
    """11.9 polls of a ceiling of 30 s against 12.5 of every 5 s."""
    saved = 1 - ours["adaptive, max 30 s", "~60 s task polls"] / ours["fixed 5000 ms", "~60 s task polls"]
    assert 0 < saved < Decimal("0.05")


def test_it_costs_5_4_times_the_staleness_there(ours: Ours) -> None:
    """12.98 s against 2.40 s, 21.6% of the task spent not knowing."""
    times = ours["adaptive, max 30 s", "~60 s task stale p50"] / ours["fixed 5000 ms", "~60 s task stale p50"]
    assert Decimal("5.4") == rounded(times, 1)
    assert Decimal("21.6") == ours["adaptive, max 30 s", "~60 s"]


def test_it_saves_86_percent_on_a_thirty_minute_task(ours: Ours) -> None:
    """50.4 polls against 360.5: 86% fewer, a 7.1-fold reduction (7.15, cut off), for 1.3% of the duration."""
    polls = ours["adaptive, max 60 s", "~1800 s task polls"], ours["fixed 5000 ms", "~1800 s task polls"]
    assert Decimal(86) == rounded(100 * (1 - polls[0] / polls[1]))
    assert Decimal("7.1") <= polls[1] / polls[0] < Decimal("7.2")
    assert Decimal("1.3") == ours["adaptive, max 60 s", "~1800 s"]


def test_one_policy_is_28_times_worse_in_the_other_regime(ours: Ours) -> None:
    """36.1% of a one-minute task against 1.3% of a thirty-minute one."""
    assert Decimal(28) == rounded(ours["adaptive, max 60 s", "~60 s"] / ours["adaptive, max 60 s", "~1800 s"])


def test_defaulting_to_transient_doubles_attempts_for_nothing(ours: Ours) -> None:
    """Where no unknown is retryable: 240 attempts against 120, 60 dead letters, and not one call more recovered."""
    more = {name: ours["0% transient", name] - ours["0% permanent", name] for name in ("recovered", "dead-letters")}
    assert Decimal(2) == ours["0% transient", "attempts"] / ours["0% permanent", "attempts"]
    assert {"recovered": 0, "dead-letters": 60} == more


def test_defaulting_to_permanent_has_a_flat_cost(ours: Ours) -> None:
    """120 attempts and no dead letter whatever the unknowns are, and 15 lost tasks per 25 percentage points."""
    shares = (0, 25, 50, 75, 100)
    assert {(120, 0)} == {
        (ours[f"{share}% permanent", "attempts"], ours[f"{share}% permanent", "dead-letters"]) for share in shares
    }
    assert [0, 15, 30, 45, 60] == [ours[f"{share}% permanent", "lost work"] for share in shares]


def test_only_at_100_percent_an_attempt_buys_a_recovered_call(ours: Ours) -> None:
    """60 additional recovered tasks for 60 additional attempts; below that, fewer than one each."""
    for share in (25, 50, 75, 100):
        rows = f"{share}% transient", f"{share}% permanent"
        attempts, recovered = (ours[rows[0], name] - ours[rows[1], name] for name in ("attempts", "recovered"))
        assert (share == 100) == (attempts == recovered)
        assert attempts >= recovered


def test_the_shipped_defaults_clear_the_window_by_90_times() -> None:
    """A ceiling of 10 s and an orphan window of 900 s."""
    config = orphans.configuration(10, 900, stepped=False)
    assert config.client.max_delay_ms is not None
    assert config.server.orphan_window_ms is not None
    assert 90 == config.server.orphan_window_ms / config.client.max_delay_ms
