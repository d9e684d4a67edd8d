"""The records: flat names, replacing values, and what is in effect."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from latchcheck.model.config import UNLIMITED, Client, Config, Origin, Server, Workload


def test_the_flat_form_is_fit_for_json_and_reads_back() -> None:
    """Whatever a configuration holds survives its flat form, written as JSON and read again."""
    config = Config(
        client=Client(multiplier=Fraction(8, 5), jitter=(Fraction(1, 3), Fraction(2)), error_multiplier=Fraction(3, 2)),
        server=Server(advertised_ttl_ms=UNLIMITED, sweep_period_ms="lazy", contact_includes=("update",)),
        workload=Workload(execution_ms=(1, None), works_on_after_cancel=5_000),
    )
    flat = json.loads(json.dumps(config.flat()))
    assert flat["client.multiplier"] == "1.6"
    assert flat["client.jitter"] == ["1/3", 2]
    assert flat["server.advertised_ttl_ms"] == "none"
    assert flat["server.enforced_ttl_ms"] is None
    assert flat["workload.execution_ms"] == [1, None]
    assert Config().replace(flat) == config


def test_replace_changes_what_it_names_and_nothing_else() -> None:
    """Replacing a value leaves the original and all other values alone, and notes the origin if told."""
    before = Config(server=Server(orphan_window_ms=1, poll_interval_ms=2))
    origin = Origin("set", "a repair")
    after = before.replace({"server.orphan_window_ms": 900_000}, origin)
    assert after.server == Server(orphan_window_ms=900_000, poll_interval_ms=2)
    assert before.server.orphan_window_ms == 1
    assert after.origin("server.orphan_window_ms") == origin
    assert after.origin("server.poll_interval_ms").kind == "default"


@pytest.mark.parametrize("name", ["server.orphan_window", "orphan_window_ms", "serve.orphan_window_ms", "origins"])
def test_replace_knows_its_names(name: str) -> None:
    """A flat name that no record has is a KeyError, never a silent addition."""
    with pytest.raises(KeyError):
        Config().replace({name: 1})


# advertised, enforced, honours, requested -> in effect: advertised, enforced; worked out from rule 16
TTLS = [
    (None, None, False, None, None, None),
    (900, None, False, None, 900, 900),
    (900, 300, False, None, 900, 300),
    (UNLIMITED, None, False, None, None, None),
    (900, UNLIMITED, False, None, 900, None),
    (UNLIMITED, 300, False, None, None, 300),
    (900, None, False, 60, 900, 900),
    (900, None, True, 60, 60, 60),
    (UNLIMITED, None, True, 60, 60, 60),
    (900, None, True, None, 900, 900),
    (900, 300, True, 60, 60, 300),
    (0, None, False, None, 0, 0),
    (900, None, True, 0, 0, 0),
]


@pytest.mark.parametrize(("advertised", "enforced", "honours", "requested", "told", "acts"), TTLS)
def test_the_ttl_in_effect(
    advertised: object, enforced: object, honours: object, requested: int | None, told: int | None, acts: int | None
) -> None:
    """Unset, the enforced ttl is the advertised one; a server that honours a request advertises that."""
    config = Config().replace(
        {
            "server.advertised_ttl_ms": advertised,
            "server.enforced_ttl_ms": enforced,
            "server.honours_requested_ttl": honours,
            "client.requested_ttl_ms": requested,
        }
    )
    assert config.advertised_ttl_ms_effective == told
    assert config.enforced_ttl_ms_effective == acts


def test_the_enforced_anchor_is_the_advertised_one_unless_set() -> None:
    """Unset, the enforced ttl counts from the moment that is advertised."""
    assert Config(server=Server(advertised_anchor="terminal")).enforced_anchor_effective == "terminal"
    config = Config(server=Server(advertised_anchor="terminal", enforced_anchor="activity"))
    assert config.enforced_anchor_effective == "activity"
