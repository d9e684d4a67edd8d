"""The policy layer: prices against the paper's table, backoff by proof and by run, and choices made otherwise."""

from __future__ import annotations

from fractions import Fraction

import pytest

from latchcheck.properties.admission.policy_layer import (
    HARMS,
    OTHERWISE,
    backoff_proof,
    backoff_run,
    herd,
    otherwise,
    price,
)

# Retryable of the 60 unrecognised, default, attempts, recovered, lost work, dead letters: the paper, Table 4.
TABLE_4 = [
    (0, "permanent", 120, 20, 0, 0),
    (0, "transient", 240, 20, 0, 60),
    (15, "permanent", 120, 20, 15, 0),
    (15, "transient", 225, 35, 0, 45),
    (30, "permanent", 120, 20, 30, 0),
    (30, "transient", 210, 50, 0, 30),
    (45, "permanent", 120, 20, 45, 0),
    (45, "transient", 195, 65, 0, 15),
    (60, "permanent", 120, 20, 60, 0),
    (60, "transient", 180, 80, 0, 0),
]


@pytest.mark.parametrize(("retryable", "default", "attempts", "recovered", "lost", "dead"), TABLE_4)
def test_a_default_costs_what_the_paper_prints(
    retryable: int, default: str, attempts: int, recovered: int, lost: int, dead: int
) -> None:
    """Every row of Table 4 comes from the model's classifier."""
    found = price(default, retryable)
    assert (attempts, recovered, lost, dead) == (found.attempts, found.recovered, found.lost, found.dead_letters)


def test_backoff_is_bounded() -> None:
    """For all delays and ceilings no delay, no attempt and no wait is beyond its bound."""
    assert backoff_proof().proved


@pytest.mark.parametrize("part", HARMS)
def test_a_part_of_backoff_is_needed(part: str) -> None:
    """With one part left out the proof fails, and a run that is executed ends in its harm."""
    assert not backoff_proof(**{part: False}).proved
    assert HARMS[part] in backoff_run(part).steps[-1].changed


def test_full_jitter_spreads_a_herd() -> None:
    """A hundred clients in 10 ms of a second: one is expected with full jitter; a window beyond the delay holds all."""
    assert (100, Fraction(1)) == herd(100, 10, 1_000)
    assert (100, Fraction(100)) == herd(100, 2_000, 1_000)


@pytest.mark.parametrize(("name", "policy"), OTHERWISE)
def test_another_choice_has_a_counterexample(name: str, policy: str) -> None:
    """Each choice made otherwise breaks its property, in a run that was executed."""
    assert otherwise(name, policy).clause
