"""Idempotency keys: ties, a search by hand, and the proof that the condition is exact."""

import random

import pytest

from latchcheck.model.config import Client, Config, Network, Server
from latchcheck.properties.timing.answers import Answer, NotApplicable
from latchcheck.properties.timing.facts import Facts
from latchcheck.properties.timing.idempotency import idempotency_outlives_retries
from latchcheck.properties.timing.proofs.idempotency import proofs
from latchcheck.properties.timing.verifying import shown


def keyed(retention: int | None, horizon: int | None, latency: tuple[int, int] = (0, 0)) -> Config:
    """A key kept for `retention`, asked for again within `horizon` of the first call."""
    return Config(
        client=Client(retry_horizon_ms=horizon),
        server=Server(idempotency_retention_ms=retention),
        network=Network(latency_ms=latency),
    )


def answered(config: Config) -> Answer:
    """The answer on a configuration that states both numbers."""
    outcome = idempotency_outlives_retries(Facts(config))
    assert isinstance(outcome, Answer)
    return outcome


# Sent 100 after a first call that took 5, so 95 after creation, the last reissue travels for 30 and arrives at 125.
@pytest.mark.parametrize(
    ("retention", "safe", "margin"), [(126, True, 1), (125, False, 0), (124, False, -1), (0, False, -125)]
)
def test_a_slow_reissue_of_a_fast_call_is_the_last(retention: int, *, safe: bool, margin: int) -> None:
    """The key must outlive the arrival at horizon - latency[0] + latency[1]; at that instant it may be gone."""
    outcome = answered(keyed(retention, 100, (5, 30)))

    assert (safe, margin) == (outcome.safe, outcome.margin_ms)


def test_a_second_task_takes_two_events() -> None:
    """A create and the same create again, the second after the key is gone."""
    trace = shown(answered(keyed(60, 100, (5, 30))))

    assert trace is not None
    assert ["create", "create_again"] == [step.action for step in trace.steps]
    assert 60 == trace.steps[-1].at_ms


@pytest.mark.parametrize(
    ("retention", "horizon", "named"), [(None, 5, "idempotency_retention"), (5, None, "retry_horizon")]
)
def test_what_the_property_needs_is_named(retention: int | None, horizon: int | None, named: str) -> None:
    """Without either number there is nothing to answer."""
    outcome = idempotency_outlives_retries(Facts(keyed(retention, horizon)))

    assert isinstance(outcome, NotApplicable)
    assert named in outcome.missing


def test_clock_skew_does_not_apply() -> None:
    """The key is stored and forgotten by one clock."""
    config = keyed(101, 100).replace({"server.clock_skew_ms": 50})

    assert answered(config).safe


def test_a_search_by_hand_agrees() -> None:
    """Over every first latency, moment of the reissue and its latency, in whole milliseconds."""
    draw = random.Random(11)  # noqa: S311 - a seed, so that every run draws the same
    for _ in range(1000):
        low = draw.randint(0, 5)
        high = low + draw.randint(0, 5)
        retention, horizon = draw.randint(0, 25), draw.randint(0, 15)
        arrivals = (
            -first + after + way
            for first in range(low, high + 1)
            for after in range(horizon + 1)
            for way in range(low, high + 1)
        )
        outcome = answered(keyed(retention, horizon, (low, high)))

        assert (max(arrivals) < retention) is outcome.safe
        assert outcome.safe or shown(outcome) is not None


def test_the_condition_is_exact() -> None:
    """For all numbers: no second task where the condition holds, and an allowed run to one where it fails."""
    assert [] == [str(proof) for proof in proofs() if not proof.proved]
