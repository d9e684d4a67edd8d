"""Attempts under a deadline: a sum by hand, ties, margins, long ramps, and the proof that the condition is exact."""

import random
from fractions import Fraction
from math import floor
from time import perf_counter

import pytest

from latchcheck.model.config import Config, Server, Workload
from latchcheck.model.timing.retry import Shape
from latchcheck.properties.timing.answers import Answer, NotApplicable
from latchcheck.properties.timing.facts import Facts
from latchcheck.properties.timing.proofs.retries import SHAPES, proofs
from latchcheck.properties.timing.retries import retries_inside_deadline
from latchcheck.properties.timing.verifying import shown


def tried(deadline: int, attempts: int, work: int, delays: tuple[int | None, str, int | None], skew: int = 0) -> Config:
    """Attempts at work of up to `work`, with (initial delay, multiplier, ceiling)."""
    initial, multiplier, ceiling = delays
    server = Server(
        execution_deadline_ms=deadline,
        max_attempts=attempts,
        retry_initial_delay_ms=initial,
        retry_multiplier=Fraction(multiplier),
        retry_max_delay_ms=ceiling,
        clock_skew_ms=skew,
    )
    return Config(server=server, workload=Workload(execution_ms=(0, work)))


def answered(config: Config) -> Answer:
    """The answer on a configuration that has all it needs."""
    outcome = retries_inside_deadline(Facts(config))
    assert isinstance(outcome, Answer)
    return outcome


def actions(config: Config) -> list[str]:
    """The actions of the run that shows the harm, executed."""
    found = shown(answered(config))
    assert found is not None
    return [step.action for step in found.steps]


# 3 attempts of 100 and delays 10, 20: 330. The deadline fires when more than it has passed.
@pytest.mark.parametrize(
    ("deadline", "skew", "safe", "margin"),
    [(330, 0, True, 0), (329, 0, False, -1), (340, 10, True, 0), (339, 10, False, -1)],
)
def test_the_deadline_itself_is_still_in_time(deadline: int, skew: int, *, safe: bool, margin: int) -> None:
    """At exactly the deadline it has not fired; a clock that is ahead makes it fire earlier by the skew."""
    outcome = answered(tried(deadline, 3, 100, (10, "2", None), skew))

    assert (safe, margin) == (outcome.safe, outcome.margin_ms)


def test_the_shortest_run_stops_where_the_deadline_can_fire() -> None:
    """Work that alone exceeds the deadline needs one event, a wait that exceeds it two."""
    assert ["deadline_fires"] == actions(tried(99, 3, 100, (10, "2", None)))
    assert ["attempt_fails", "deadline_fires"] == actions(tried(105, 3, 100, (10, "2", None)))
    assert ["attempt_fails", "retry", "deadline_fires"] == actions(tried(110, 3, 100, (10, "2", None)))


def test_many_attempts_are_told_as_one() -> None:
    """A deadline that only the last of a million attempts exceeds is shown in two events."""
    million = 1_000_000
    total = million * 7 + (10 + 20 + 40) + (million - 1 - 3) * 50
    config = tried(total - 1, million, 7, (10, "2", 50))

    assert -1 == answered(config).margin_ms
    assert ["attempts_fail", "deadline_fires"] == actions(config)
    assert answered(tried(total, million, 7, (10, "2", 50))).safe


def test_a_long_ramp_takes_no_time() -> None:
    """Neither a million attempts nor the slowest ramp, nor growth without a ceiling, is walked step by step."""
    begun = perf_counter()
    for delays in ((1, "1.01", 10**9), (1, "1000", None), (3, "1.01", None), (0, "2", None)):
        config = tried(10**12, 1_000_000, 1000, delays)
        outcome = answered(config)
        assert outcome.safe or shown(outcome) is not None

    assert perf_counter() - begun < 2


def test_growth_without_a_ceiling_exceeds_any_deadline() -> None:
    """A delay that doubles a million times is longer than any deadline; there is no margin to state."""
    outcome = answered(tried(10**12, 1_000_000, 0, (1, "2", None)))

    assert (False, None) == (outcome.safe, outcome.margin_ms)
    assert outcome.clause.endswith("longer than any deadline")


def test_without_a_delay_attempts_follow_at_once() -> None:
    """An absent initial delay is 0."""
    assert answered(tried(300, 3, 100, (None, "1", None))).safe
    assert not answered(tried(299, 3, 100, (None, "1", None))).safe


@pytest.mark.parametrize(
    ("key", "value"),
    [("server.execution_deadline_ms", None), ("server.max_attempts", None), ("workload.execution_ms", None)],
)
def test_what_the_property_needs_is_named(key: str, value: object) -> None:
    """Without a deadline, a number of attempts or a declared execution there is nothing to answer."""
    outcome = retries_inside_deadline(Facts(tried(300, 3, 100, (10, "2", None)).replace({key: value})))

    assert isinstance(outcome, NotApplicable)
    assert key.removesuffix("_ms") in outcome.missing


def test_a_sum_by_hand_agrees() -> None:
    """Adding up attempt by attempt gives the same verdict and margin, and every harm is shown."""
    draw = random.Random(3)  # noqa: S311 - a seed, so that every run draws the same
    for _ in range(1500):
        attempts, work, skew = draw.randint(1, 30), draw.randint(0, 6), draw.randint(0, 3)
        delays = (
            draw.choice([None, draw.randint(0, 5)]),
            draw.choice(["1", "1.5", "2", "1.01"]),
            draw.choice([None, draw.randint(0, 9)]),
        )
        total, nominal = Fraction(attempts * work), Fraction(delays[0] or 0)
        for _retry in range(attempts - 1):
            total += nominal if delays[2] is None else min(nominal, delays[2])
            nominal *= Fraction(delays[1])
        deadline = max(0, floor(total) + draw.randint(-6, 6))
        config = tried(deadline, attempts, work, delays, skew)
        outcome = answered(config)

        assert (total <= deadline - skew, floor(deadline - skew - total)) == (outcome.safe, outcome.margin_ms), config
        assert outcome.safe or shown(outcome) is not None, config


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_condition_is_exact(shape: Shape) -> None:
    """For all numbers, any count of attempts included: both implications, and the shorthand for many attempts."""
    assert [] == [str(proof) for proof in proofs(shape) if not proof.proved]
