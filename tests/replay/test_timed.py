"""Timelines of `verify` as fixtures: written, read and replayed on the model of their configuration."""

from __future__ import annotations

import attrs
import pytest

from latchcheck.cli import wiring
from latchcheck.counterexamples import Fixture, Stale, dump, loads, reproduce

SETS = (
    "workload.execution=10m",
    "client.restart_gap=20m",
    "server.orphan_window=1m",
    "server.lease_timeout=10s",
    "server.lease_renewal=9s",
    "workload.stall=30s",
)
PAIRS = [("strands-py", "mcp-py-1"), ("fastmcp-tasks", "aion"), ("tower-mcp", "sdar")]


def made(client: str, server: str) -> dict[str, Fixture]:
    """A fixture for each violated property of a pair of presets."""
    config = wiring.read_config(None, client=client, server=server, task=None, sets=SETS)
    found = {}
    for one in wiring.verify(config, None).properties:
        if one.witness is not None and one.id != "orphans-found-in-time":
            found[one.id] = wiring.timed_fixture(config, one.id, one.witness)
            assert reproduce(loads(dump(found[one.id])), wiring.fixture_case(found[one.id])) == one.witness
    return found


@pytest.mark.parametrize(("client", "server"), PAIRS)
def test_what_verify_shows_is_replayed_from_its_file(client: str, server: str) -> None:
    """Every timeline survives the file, and the harm comes with its last step."""
    found = made(client, server)

    assert {"no-live-orphan", "lease-outlives-stall"} <= found.keys()
    assert all(one.violates.step == len(one.steps) - 1 for one in found.values())


def test_a_repaired_configuration_makes_the_fixture_stale() -> None:
    """With a longer window the same events do not orphan the task; other words are stale too."""
    fixture = made(*PAIRS[0])["no-live-orphan"]
    assert fixture.config is not None

    def reason(**changes: object) -> str:
        changed = attrs.evolve(fixture, **changes)
        with pytest.raises(Stale) as caught:
            reproduce(changed, wiring.fixture_case(changed))
        return str(caught.value)

    assert "no longer breaks" in reason(config={**fixture.config, "server.orphan_window_ms": 3_600_000})
    assert "config: 'server.orphan_windw_ms'" in reason(config={**fixture.config, "server.orphan_windw_ms": 1})
    assert "there is no property 'no-orphan'" in reason(property="no-orphan")
    clause = attrs.evolve(fixture.violates, clause="never lost")
    assert "no clause 'never lost'" in reason(violates=clause)
    event = attrs.evolve(fixture.steps[0], action="begin")
    assert "there is no action 'begin'" in reason(steps=(event, *fixture.steps[1:]))
