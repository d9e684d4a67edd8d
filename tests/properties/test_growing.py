"""A delay that grows without a ceiling, under work without an end: no window and no ttl is long enough."""

from __future__ import annotations

from fractions import Fraction

import pytest

from latchcheck.kernel.verdict import PropertyVerdict
from latchcheck.model.config import Config
from latchcheck.properties.timing import verify

S = 1_000
GROWING: dict[str, object] = {"client.initial_delay_ms": S, "client.multiplier": Fraction(8, 5)}
WINDOW: dict[str, object] = {"server.orphan_window_ms": 5 * S}
KEPT: dict[str, object] = {"server.enforced_ttl_ms": 5 * S, "server.enforced_anchor": "terminal"}


def asked(name: str, values: dict[str, object]) -> PropertyVerdict:
    """The verdict on one property for the growing client."""
    return verify(Config().replace({**GROWING, **values}), [name]).properties[0]


@pytest.mark.parametrize(("name", "limit"), [("no-live-orphan", WINDOW), ("result-reaches-client", KEPT)])
def test_what_grows_for_ever_has_no_margin(name: str, limit: dict[str, object]) -> None:
    """There is no number that the limit could be moved to, and a run shows the harm all the same."""
    found = asked(name, limit)
    assert ("violated", None, ()) == (found.verdict, found.margin_ms, found.repairs)
    assert str(found.clause).endswith("has no bound")
    assert found.witness is not None


@pytest.mark.parametrize(("name", "limit"), [("no-live-orphan", WINDOW), ("result-reaches-client", KEPT)])
def test_what_ends_has_a_margin(name: str, limit: dict[str, object]) -> None:
    """A ceiling of 4 s, or work of a minute at the most, bounds the longest silence."""
    assert "proved" == asked(name, {**limit, "client.max_delay_ms": 4 * S}).verdict
    ended = asked(name, {**limit, "workload.execution_ms": [0, 60 * S]})
    assert ended.verdict == "violated"
    assert ended.margin_ms is not None


def test_a_hint_that_is_a_ceiling_bounds_what_grows() -> None:
    """With polls every 4 s at the latest a window of 5 s has 1 s to spare."""
    hinted = {"client.hint_mode": "ceiling", "server.poll_interval_ms": 4 * S}
    found = asked("no-live-orphan", {**WINDOW, **hinted})
    assert ("proved", S) == (found.verdict, found.margin_ms)
