"""A limit of 0 is zero and never unlimited, and a limit may be over before anything begins: the verdicts by hand."""

from __future__ import annotations

import pytest

from latchcheck.model.config import Config
from latchcheck.properties.timing import verify


def verdict(name: str, values: dict[str, object]) -> str:
    """The verdict on one property."""
    return verify(Config().replace(values), [name]).properties[0].verdict


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (("timeouts", "orphans", "expiry"), "violated"),
        # The first access finds the record expired and looks for no orphan.
        (("timeouts", "expiry", "orphans"), "proved"),
    ],
    ids=str,
)
def test_the_first_access_judges_a_ttl_of_0_and_a_silence_at_once(order: tuple[str, ...], expected: str) -> None:
    """Nothing is judged before the first poll, after a silence of 5 ms, longer than the window of 2 ms."""
    values: dict[str, object] = {
        "client.initial_delay_ms": 5,
        "server.orphan_window_ms": 2,
        "server.enforced_ttl_ms": 0,
        "server.sweep_period_ms": "lazy",
        "server.sweep_order": order,
        "workload.execution_ms": [8, 9],
    }
    assert expected == verdict("no-live-orphan", values)


@pytest.mark.parametrize(
    ("limit_ms", "expected"),
    [
        # The call takes 10 to 20 ms: over before the task is there, or perhaps just as it is.
        (9, "vacuous"),
        (10, "violated"),
    ],
)
def test_a_limit_that_is_over_before_the_call_arrives_waits_for_nothing(limit_ms: int, expected: str) -> None:
    """A client that is gone before there is a task has waited for none, and that is no pass."""
    values: dict[str, object] = {
        "client.initial_delay_ms": 5,
        "client.overall_timeout_ms": limit_ms,
        "network.latency_ms": [10, 20],
        "workload.execution_ms": [0, 9],
    }
    assert expected == verdict("patience-covers-execution", values)
