"""Repairs by two numbers, against a look at every pair of a small grid."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import product
from typing import Any

import pytest

from latchcheck.model.config import Config
from latchcheck.properties.timing.analyses import ANALYSES
from latchcheck.properties.timing.answers import Answer, NotApplicable
from latchcheck.properties.timing.facts import Facts
from latchcheck.properties.timing.repairs_together import repair_together
from latchcheck.properties.timing.verifying import verify

GRID = range(1, 15)
CASES: Mapping[str, tuple[tuple[str, str], Mapping[str, object]]] = {
    "both must move": (
        ("server.orphan_window_ms", "server.advertised_ttl_ms"),
        {
            "client.initial_delay_ms": 8,
            "server.orphan_window_ms": 3,
            "server.advertised_ttl_ms": 4,
            "server.enforced_anchor": "terminal",
            "server.sweep_period_ms": 1,
            "workload.execution_ms": (0, 20),
        },
    ),
    "either may move": (
        ("client.max_delay_ms", "server.orphan_window_ms"),
        {
            "client.initial_delay_ms": 2,
            "client.multiplier": 2,
            "client.max_delay_ms": 12,
            "server.orphan_window_ms": 5,
            "server.sweep_period_ms": 2,
            "workload.execution_ms": (0, 40),
        },
    ),
    "neither helps": (
        ("client.retry_horizon_ms", "server.lease_timeout_ms"),
        {
            "client.initial_delay_ms": 8,
            "client.retry_horizon_ms": 3,
            "server.orphan_window_ms": 3,
            "server.lease_timeout_ms": 60,
            "server.idempotency_retention_ms": 9,
            "server.sweep_period_ms": 1,
            "workload.execution_ms": (0, 20),
        },
    ),
    "told and kept must be alike": (
        ("server.advertised_ttl_ms", "server.enforced_ttl_ms"),
        {
            "client.initial_delay_ms": 3,
            "server.advertised_ttl_ms": 2,
            "server.enforced_ttl_ms": 3,
            "server.advertised_anchor": "terminal",
            "server.sweep_period_ms": 1,
            "workload.execution_ms": (1, 9),
        },
    ),
    "a limit between two others": (
        ("client.overall_timeout_ms", "server.execution_deadline_ms"),
        {
            "client.initial_delay_ms": 2,
            "client.overall_timeout_ms": 4,
            "server.execution_deadline_ms": 3,
            "server.max_attempts": 1,
            "server.sweep_period_ms": 1,
            "workload.execution_ms": (1, 6),
        },
    ),
}


@cache
def labels(config: Config) -> tuple[str, ...]:
    """What the condition of each property says, by itself."""
    return tuple(
        ("safe" if found.safe else "unsafe") if isinstance(found, Answer) else type(found).__name__
        for found in (analysis(Facts(config)) for analysis in ANALYSES.values())
    )


def mended(config: Config, changes: Mapping[str, object]) -> bool:
    """Whether all that was unsafe is safe after the changes, and all that held, or said nothing, still does."""
    kept = ("safe", NotApplicable.__name__)
    return all(
        after == "safe" if was == "unsafe" else after in kept or was not in kept
        for was, after in zip(labels(config), labels(config.replace(changes)), strict=True)
    )


@pytest.mark.parametrize("case", CASES)
def test_a_repair_is_found_where_the_grid_has_one_and_is_a_nearest_one(case: str) -> None:
    """A repair exists for the search where it does in the grid, and none of the grid lies between it and now."""
    keys, values = CASES[case]
    config = Config().replace(values)
    now: list[Any] = [config.flat()[key] for key in keys]
    grid = [pair for pair in product(GRID, GRID) if mended(config, dict(zip(keys, pair, strict=True)))]
    found = repair_together(config, knobs=keys)
    assert "unsafe" in labels(config)
    assert bool(found.repairs) == bool(grid)
    for repair in found.repairs:
        ends: list[Any] = [repair.set.get(key, old) for key, old in zip(keys, now, strict=True)]
        spans = [sorted((end, old)) for end, old in zip(ends, now, strict=True)]
        between = [
            pair for pair in grid if all(low <= one <= high for one, (low, high) in zip(pair, spans, strict=True))
        ]
        assert between == [tuple(ends)]


def test_what_is_known_to_be_no_repair_says_why() -> None:
    """Keys that the unmet condition does not read are told as such; a fixed number that forces the harm is named."""
    keys, values = CASES["neither helps"]
    none = repair_together(Config().replace(values), knobs=keys).obstacle
    assert none is not None
    assert (none.evidence, none.properties) == ("unread", ("no-live-orphan",))
    skewed = Config().replace({**CASES["told and kept must be alike"][1], "server.clock_skew_ms": 1})
    found = repair_together(skewed, ["advertised-ttl-is-enforced"])
    assert (found.repairs, found.obstacle is None) == ((), False)
    assert found.obstacle is not None
    assert (found.obstacle.evidence, found.obstacle.properties, dict(found.obstacle.fixed)) == (
        "tried",
        ("advertised-ttl-is-enforced",),
        {"server.clock_skew_ms": 0},
    )


def test_one_number_that_is_unmet_at_both_ends_is_no_repair() -> None:
    """Where the outcome changes in one direction only, both ends decide: of stalls that outlast any renewal, say."""
    config = Config().replace(
        {"server.lease_timeout_ms": 5, "server.lease_renewal_ms": 3, "workload.stall_ms": 9, "workload.execution_ms": 9}
    )
    config = config.replace({"workload.execution_ms": (1, 9)})
    found = repair_together(config, ["lease-outlives-stall"], knobs={"server.lease_renewal_ms"})
    assert found.violated == ("lease-outlives-stall",)
    assert (found.repairs, found.obstacle and found.obstacle.evidence) == ((), "monotone")


def test_opposite_needs_are_found_from_the_safe_side() -> None:
    """Told and kept ttl, a window and a poll move together, where no chain of single repairs leads."""
    config = Config().replace(
        {
            "client.initial_delay_ms": 6,
            "server.poll_interval_ms": 5,
            "server.advertised_ttl_ms": 3,
            "server.advertised_anchor": "activity",
            "server.enforced_ttl_ms": 4,
            "server.enforced_anchor": "creation",
            "server.orphan_window_ms": 2,
            "server.orphan_bound_ms": 1,
            "server.sweep_period_ms": "lazy",
            "workload.execution_ms": (1, 9),
        }
    )
    found = repair_together(config)
    before = {one.id: one.verdict for one in verify(config, repairs=False).properties}
    assert {name for name, was in before.items() if was == "violated"} == set(found.violated) != set()
    assert found.repairs
    for repair in found.repairs:
        after = {one.id: one.verdict for one in verify(config.replace(repair.set), repairs=False).properties}
        assert [after[name] for name in found.violated] == ["proved"] * len(found.violated)
        for left_out in repair.set:
            assert not mended(config, {key: value for key, value in repair.set.items() if key != left_out})
