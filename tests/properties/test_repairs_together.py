"""Repairs of all that is violated: they mend it, break nothing, and cannot be smaller."""

from __future__ import annotations

from pathlib import Path

import pytest

from latchcheck.model.config import Config
from latchcheck.model.reading import read
from latchcheck.properties.timing import verify
from latchcheck.properties.timing.repairs_together import repair_together

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
HELD = {"proved", "holds", "not-applicable"}
CASES = (
    "ttl-cap/ttl-below-window.toml",
    "orphan-condition/between-two-sweeps.toml",
    "field/strands-documented-defaults.toml",
    "field/mcpjam-ttl-ends-in-the-sleep.toml",
    "strands-py+fastmcp-tasks+[0s,5m]",
    "anda+tower-mcp+[0s,5m]",
)


def example(name: str) -> Config:
    """A file of the examples, or a pair of presets with its execution time."""
    if name.endswith(".toml"):
        return read([str(EXAMPLES / name)])
    client, server, execution = name.split("+")
    return read(client=client, server=server, sets=[f"workload.execution={execution}"])


def verdicts(config: Config) -> dict[str, str]:
    """What verify says of each property."""
    return {one.id: one.verdict for one in verify(config).properties}


@pytest.mark.parametrize("name", CASES)
def test_a_repair_mends_everything_and_is_the_smallest(name: str) -> None:
    """All that was violated is proved, what held still does, and no smaller change does the same."""
    config = example(name)
    before, found = verdicts(config), repair_together(config)
    violated = {one for one, verdict in before.items() if verdict == "violated"}
    assert set(found.violated) == violated != set()
    assert found.repairs
    for repair, told in zip(found.repairs, found.after, strict=True):
        after = verdicts(config.replace(repair.set))
        assert told == after
        assert _mended(before, after)
        for smaller in _smaller(config, dict(repair.set)):
            assert (smaller, _mended(before, verdicts(config.replace(smaller)))) == (smaller, False)


def _mended(before: dict[str, str], after: dict[str, str]) -> bool:
    mended = all(after[name] == "proved" for name, was in before.items() if was == "violated")
    return mended and all(after[name] in HELD for name, was in before.items() if was in HELD)


def _smaller(config: Config, changes: dict[str, object]) -> list[dict[str, object]]:
    found = [{key: value for key, value in changes.items() if key != left_out} for left_out in changes]
    for key, value in changes.items():
        old = config.flat()[key]
        if isinstance(value, int) and isinstance(old, int) and not isinstance(value, bool):
            found.append({**changes, key: value + (-1 if value > old else 1)})
    return found


def test_only_the_keys_that_may_change_do() -> None:
    """With `knobs` no other key is in a repair, and where they do not suffice there is none."""
    config = example("ttl-cap/ttl-below-window.toml")
    both = {"server.orphan_window_ms", "server.advertised_ttl_ms"}
    found = repair_together(config, knobs=both)
    assert [dict(one.set) for one in found.repairs] == [
        {"server.orphan_window_ms": 960_000, "server.advertised_ttl_ms": 960_001}
    ]
    less = repair_together(config, knobs={"server.orphan_window_ms"})
    assert (less.repairs, less.whole, less.tried > 1) == ((), True, True)


def test_two_limits_that_both_stop_the_client_move_together() -> None:
    """Where no number alone helps, two that need each other are moved, and no further than by hand.

    Work of 60 s is read a gap of 5 s later at most, and the client must stop later than that, by either limit.
    """
    config = Config().replace(
        {
            "client.initial_delay_ms": 5_000,
            "client.overall_timeout_ms": 30_000,
            "client.ttl_mode": "give-up",
            "server.advertised_ttl_ms": 20_000,
            "workload.execution_ms": (1_000, 60_000),
        }
    )
    found = repair_together(config, ["patience-covers-execution"])
    assert [dict(one.set) for one in found.repairs][:1] == [
        {"client.overall_timeout_ms": 65_001, "server.advertised_ttl_ms": 65_001}
    ]


def test_one_property_can_be_mended_alone() -> None:
    """What is not asked for need not be mended."""
    config = example("ttl-cap/ttl-below-window.toml")
    found = repair_together(config, only=["no-live-orphan"])
    assert found.violated == ("no-live-orphan",)
    assert {"server.orphan_window_ms"} in [set(one.set) for one in found.repairs]


def test_nothing_violated_is_nothing_to_repair() -> None:
    """A configuration without a violation has no repairs, and nothing is tried."""
    found = repair_together(example("how-to/chosen.toml"))
    assert (found.violated, found.repairs, found.tried) == ((), (), 0)
