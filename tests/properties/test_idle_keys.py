"""Keys that are called idle change no answer, so leaving their assumptions out hides nothing."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from latchcheck.model.config import Config
from latchcheck.model.idle import idle
from latchcheck.model.keys import KEYS
from latchcheck.properties.timing import verify

OTHER: Mapping[str, object] = {
    "duration": 1700,
    "period": 4000,
    "factor": 3,
    "ratios": [0, 1],
    "count": 1,
    "set": ["update", "cancel"],
}
"""Another value for a key of each kind; flags and choices take theirs from the key."""

CONFIGS: Mapping[str, Mapping[str, object]] = {
    "nothing": {},
    "poller": {"client.initial_delay_ms": 500, "client.max_delay_ms": 9000, "client.multiplier": 2},
    "hinted": {"server.poll_interval_ms": 1000, "server.enforced_ttl_ms": 60_000, "workload.execution_ms": [0, 90_000]},
    "replacing": {
        "client.hint_mode": "replace",
        "client.initial_delay_ms": 3000,
        "server.poll_interval_ms": 1000,
        "server.orphan_window_ms": 2000,
    },
    "ttl": {
        "client.initial_delay_ms": 1000,
        "client.overall_timeout_ms": 30_000,
        "server.advertised_ttl_ms": 20_000,
        "server.enforced_anchor": "terminal",
        "server.expiry_action": "fail",
        "workload.execution_ms": [1000, 25_000],
    },
    "everything": {
        "client.initial_delay_ms": 1000,
        "client.requested_ttl_ms": 40_000,
        "server.advertised_ttl_ms": 20_000,
        "server.orphan_window_ms": 1500,
        "server.execution_deadline_ms": 10_000,
        "server.sweep_period_ms": 2000,
        "workload.execution_ms": [1000, 5000],
    },
}


def another(key: str, config: Config) -> object:
    """A value of the key that it does not have."""
    (found,) = (one for one in KEYS if one.flat == key)
    now = config.flat()[key]
    if found.kind == "flag":
        return not now
    if found.kind == "order":
        return list(reversed(found.choices))
    if found.kind == "choice":
        return next(choice for choice in found.choices if choice != now)
    return OTHER[found.kind]


def answers(config: Config) -> list[tuple[object, ...]]:
    """What is answered, without the words."""
    return [(one.id, one.verdict, one.margin_ms, one.bound_ms) for one in verify(config).properties]


@pytest.mark.parametrize("name", CONFIGS)
def test_another_value_of_an_idle_key_changes_no_answer(name: str) -> None:
    """Verdict, margin and bound of every property stay the same whatever an idle key is set to."""
    config = Config().replace(CONFIGS[name])
    keys = sorted(idle(config))
    assert keys != []
    plain = answers(config)
    changed = {key: answers(config.replace({key: another(key, config)})) for key in keys}
    assert [key for key, found in changed.items() if found != plain] == []


def test_what_acts_is_not_idle() -> None:
    """Where everything is there only the keys of failures, of a retry and of a human are idle."""
    config = Config().replace(CONFIGS["everything"]).replace({"server.honours_requested_ttl": True})
    found = idle(config)
    assert "server.sweep_order" not in found
    assert "server.orphan_comparison" not in found
    assert "client.requested_ttl_ms" not in found
    assert "client.error_multiplier" in found
