"""The key table names every property that a key can matter to: keys of drawn configurations are moved."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random

import pytest

from latchcheck.model.config import Config
from latchcheck.model.keys import BY_SPELLING, KEYS, Key
from latchcheck.model.timing.schedule import RampTooLong
from latchcheck.properties.timing.analyses import ANALYSES
from latchcheck.properties.timing.answers import Answer
from latchcheck.properties.timing.facts import Facts
from latchcheck.properties.timing.regions import is_valid
from tests.agreement.draws import draw

SEEDS, LONG_SEEDS = 16, 600
SHAKEN = (0, 4, 12)
VALUES: dict[str, tuple[object, ...]] = {
    "duration": (None, 0, 1, 2, 3, 5, 8, 13, 30, 100, 1_000),
    "ttl": (None, "none", 0, 1, 3, 8, 20, 100),
    "period": (None, "lazy", 0, 1, 3, 8, 40),
    "range": ((0, 0), (0, 4), (1, 2), (2, 22)),
    "open-range": (None, (0, 3), (1, 21), (5, 5), (5, None)),
    "ratios": ((0, 1), (1, 1), (Fraction(1, 2), Fraction(3, 2)), (1, 3)),
    "factor": (1, 2, 3, Fraction(3, 2)),
    "count": (1, 2, 3, 5),
    "flag": (True, False),
    "flag-or-duration": (True, False, 1, 3, 10),
    "set": ((), ("update",), ("cancel",), ("update", "subscription")),
}
"""What keys of each kind are moved to; choices and orders take theirs from the key."""


def another(rng: Random, key: Key) -> object:
    """A value of the key, which may be the one that it has."""
    if key.kind == "choice":
        return rng.choice(key.choices)
    if key.kind == "order":
        return tuple(rng.sample(key.choices, len(key.choices)))
    value = rng.choice(VALUES[key.kind])
    return key.default if value is None else value


def moved(rng: Random, config: Config, key: Key) -> Config:
    """The configuration with another value of the key, or as it was where that contradicts something."""
    other = config.replace({key.flat: another(rng, key)})
    return other if is_valid(other) else config


def drawn(seed: int) -> Config:
    """A small random configuration with some of its keys moved."""
    rng = Random(seed)  # noqa: S311 -- a repeatable draw, no secret
    given = {
        BY_SPELLING[section, name].flat: value for section, keys in draw(seed).items() for name, value in keys.items()
    }
    config = Config().replace(given)
    for key in rng.sample(KEYS, rng.choice(SHAKEN)):
        config = moved(rng, config, key)
    return config


def outcome(name: str, config: Config) -> str:
    """What the condition of a property comes to."""
    try:
        found = ANALYSES[name](Facts(config))
    except RampTooLong:
        return "undecided"
    return ("safe" if found.safe else "unsafe") if isinstance(found, Answer) else type(found).__name__


def missing(seed: int) -> Iterator[tuple[str, str]]:
    """Pairs of a key and a property that it changes the outcome of, though the table does not say so."""
    rng, config = Random(seed), drawn(seed)  # noqa: S311
    if not is_valid(config):
        return
    before = {name: outcome(name, config) for name in ANALYSES}
    for key in KEYS:
        other = moved(rng, config, key)
        for name in ANALYSES:
            if name not in key.properties and outcome(name, other) != before[name]:
                yield key.path, name


def test_a_key_that_changes_a_verdict_names_the_property(request: pytest.FixtureRequest) -> None:
    """Whatever key of a drawn configuration is moved, only verdicts of properties that it names change."""
    seeds = range(LONG_SEEDS if request.config.getoption("--long") else SEEDS)
    assert sorted({pair for seed in seeds for pair in missing(seed)}) == []


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("server.execution_deadline", "no-live-orphan"),
        ("client.overall_timeout", "ttl-cap-suffices"),
        ("network.latency", "idempotency-outlives-retries"),
        ("server.clock_skew", "retries-inside-deadline"),
        ("client.restart_gap", "patience-covers-execution"),
        ("server.expired_terminal", "every-window-can-fire"),
        ("client.requested_ttl", "timeout-is-seen"),
    ],
)
def test_pairs_that_were_found_by_moving_keys_stay_in_the_table(path: str, name: str) -> None:
    """A deadline ends a silence, a limit of the client ends its polls, a skew shortens a deadline, and the like."""
    (key,) = (key for key in KEYS if key.path == path)
    assert name in key.properties
