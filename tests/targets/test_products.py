"""Saved counterexamples on published products: what each was observed to do, in the versions that are pinned."""

from __future__ import annotations

import pytest

from latchcheck.cli import wiring
from latchcheck.counterexamples.targets.outcomes import Ran

FIXTURES = {one.id: one for _, one in wiring.saved_fixtures()}
MARKER = "cancel-marker-outlives-record/read-uncancelled"
LATE = "no-write-after-expiry/expiry-check-off"
LATCH = "one-terminal-outcome/terminal-guard-none"
KEYS = "input-key-names-one-question/input-keys-reused"
REFUSED = "refused-before-started/dispatch-before-commit"
LOST = "dispatch-with-record/store-volatile"

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("products")]

# A target, what it needs, a fixture, and what came of it.
OBSERVED = [
    ("mcp-python", "mcp-python", LATE, "reproduced"),
    ("mcp-python", "mcp-python", LATCH, "conforms"),
    ("mcp-typescript", "mcp-typescript", LATE, "not-applicable"),
    ("mcp-typescript", "mcp-typescript", LATCH, "conforms"),
    ("mcp-python-http", "mcp-python", LATCH, "conforms"),
    ("fastmcp", "fastmcp", MARKER, "reproduced"),
    ("fastmcp", "fastmcp", KEYS, "conforms"),
    ("fastmcp-http", "fastmcp", MARKER, "reproduced"),
    ("fastmcp-http", "fastmcp", KEYS, "conforms"),
    ("fastmcp-http", "fastmcp", REFUSED, "conforms"),
    ("fastmcp-http", "fastmcp", LOST, "reproduced"),
    ("fastmcp-redis", "fastmcp", "redis-server", LOST, "conforms"),
    ("fastmcp3", "fastmcp3", LOST, "reproduced"),
]


CASES = [
    pytest.param(name, fixture, outcome, marks=pytest.mark.needs(*needed))
    for name, *needed, fixture, outcome in OBSERVED
]


# On a product the time is real: a busy machine comes too late for what lasts a moment, and what it shows, it does.
ATTEMPTS = 4


def shown(name: str, fixture: str) -> Ran:
    """What comes of a fixture on a product that goes wrong: the first run in which it does."""
    runs = (wiring.replay_on_target(FIXTURES[fixture], wiring.open_target(name)) for _ in range(ATTEMPTS))
    last = next(runs)
    while last.outcome != "reproduced" and (again := next(runs, None)) is not None:
        last = again
    return last


@pytest.mark.parametrize(("name", "fixture", "outcome"), CASES)
def test_what_a_product_was_observed_to_do(name: str, fixture: str, outcome: str) -> None:
    """A fixture comes out on a product as the page of findings says."""
    wrong = outcome == "reproduced"
    ran = shown(name, fixture) if wrong else wiring.replay_on_target(FIXTURES[fixture], wiring.open_target(name))
    assert (outcome, fixture) == (ran.outcome, ran.fixture.id), ran.reason


@pytest.mark.needs("fastmcp")
def test_the_known_finding_shows_to_one_reader() -> None:
    """On FastMCP 4 one reader reads cancelled, then completed."""
    ran = shown("fastmcp-http", MARKER)
    assert "one reader reads cancelled, then completed" == ran.reason
