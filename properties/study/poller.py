"""The paper's poller: the schedule of this model, with jitter drawn from a seed.

The paper does not print the parameters; these reproduce every figure of its Tables 2 and 3 to the last printed digit.
Delays grow and are bound in `latchcheck.model.timing.schedule` alone; here a point is drawn in the jitter of each.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Final, Literal, cast

from latchcheck.model.config import Client, Config
from latchcheck.model.timing.schedule import Schedule

Arithmetic = Literal["binary", "exact"]
"""How instants are added up: in the floating point of the paper's simulated clock, or exactly."""

INITIAL_MS: Final = 250
MULTIPLIER: Final = Fraction(8, 5)
JITTER: Final = (Fraction(1, 2), Fraction(1))
SECOND_MS: Final = 1000


def adaptive(ceiling_ms: int) -> Client:
    """The client that backs off, up to a ceiling in milliseconds."""
    return Client(initial_delay_ms=INITIAL_MS, multiplier=MULTIPLIER, max_delay_ms=ceiling_ms, jitter=JITTER)


def fixed(interval_ms: int) -> Client:
    """The client that polls at a fixed interval, in milliseconds."""
    return Client(initial_delay_ms=interval_ms, max_delay_ms=interval_ms)


def gaps(client: Client, seed: int, arithmetic: Arithmetic) -> Iterator[float | Fraction]:
    """Seconds before poll 1, 2, ...: one draw from the generator of that seed a poll, no hint, no poll at 0."""
    schedule = Schedule.of(Config(client=client))
    assert schedule is not None
    draws = random.Random(seed)  # noqa: S311 - the paper's generator; it keeps no secret
    low, high = map(float, schedule.jitter)
    for delay in schedule.nominal():
        factor = draws.uniform(low, high)
        if arithmetic == "exact":
            yield Fraction(schedule.bound(delay * Fraction(factor)), SECOND_MS)
        else:
            # The bounds only compare and choose, so that they do the same with numbers in floating point.
            yield schedule.bound(cast("Fraction", float(delay) * factor)) / SECOND_MS


def instants(client: Client, seed: int, arithmetic: Arithmetic) -> Iterator[float | Fraction]:
    """Seconds at which poll 1, 2, ... are sent by a client that hears its replies at once."""
    at: float | Fraction = 0
    for gap in gaps(client, seed, arithmetic):
        at += gap
        yield at
