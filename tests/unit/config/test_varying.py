"""`--vary`: the values that a range or a list stands for, of every kind of key."""

from __future__ import annotations

import pytest

from latchcheck.model.reading.varying import combinations


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("server.orphan_window=1m..5m:2m", ["1m", "3m", "5m"]),
        ("server.orphan_window=1m..6m:2m", ["1m", "3m", "5m"]),
        ("server.orphan_window=1.5s..2.5s:500ms", ["1.5s", "2s", "2.5s"]),
        ("server.orphan_window=PT1M..PT3M:PT2M", ["1m", "3m"]),
        ("server.orphan_window=5m..5m:1m", ["5m"]),
        ("server.orphan_window=none, 15m", ["none", "15m"]),
        ("server.orphan_window_ms=9999..10001:1", ["9999", "10000", "10001"]),
        ("client.multiplier=1..2:0.5", ["1", "1.5", "2"]),
        ("client.jitter=0.8..1:0.1", ["0.8", "0.9", "1"]),
        ("client.jitter=[0.5,1],1", ["[0.5,1]", "1"]),
        ("network.latency=0s..2s:1s", ["0s", "1s", "2s"]),
        ('network.latency=["0s", "1s"],[0s,2s]', ['["0s", "1s"]', "[0s,2s]"]),
        ("network.max_consecutive_failures=0..2:1", ["0", "1", "2"]),
        ("client.hint_mode=floor,ignore", ["floor", "ignore"]),
    ],
)
def test_the_values_of_one_option(text: str, expected: list[str]) -> None:
    """A range goes up to its end in exact steps, a list has its values as `--set` takes them."""
    key = text.partition("=")[0]
    assert [f"{key}={value}" for value in expected] == [one.assignment for (one,) in combinations([text], (), 9)]


def test_the_last_key_changes_first() -> None:
    """Combinations stand in the order of a counter whose last digit is the last option; the plain values are in ms."""
    found = combinations(["server.orphan_window=1s,2s", "client.multiplier=1,1.5"], (), 4)
    assert [(1000, 1), (1000, "1.5"), (2000, 1), (2000, "1.5")] == [(one.plain, other.plain) for one, other in found]
