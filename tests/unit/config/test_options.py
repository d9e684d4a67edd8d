"""`--set section.key=value`: the same keys and values as in a file."""

from __future__ import annotations

from fractions import Fraction

import pytest

from latchcheck.model.reading import ConfigError, read


@pytest.mark.parametrize(
    ("assignment", "name", "expected"),
    [
        ("workload.execution=2m", "workload.execution_ms", (120_000, 120_000)),
        ('workload.execution="2m"', "workload.execution_ms", (120_000, 120_000)),
        ('workload.execution=["1s", "2m"]', "workload.execution_ms", (1_000, 120_000)),
        ("workload.execution=[1s,2m]", "workload.execution_ms", (1_000, 120_000)),
        ("workload.execution=[1s, none]", "workload.execution_ms", (1_000, None)),
        ("server.orphan_window_ms=900000", "server.orphan_window_ms", 900_000),
        ("server.pollIntervalMs=5000", "server.poll_interval_ms", 5_000),
        (" server.orphan_window = 15m ", "server.orphan_window_ms", 900_000),
        ("server.orphan_comparison=>=", "server.orphan_comparison", ">="),
        ("server.sweep_period=lazy", "server.sweep_period_ms", "lazy"),
        ("server.expiry_stops_work=true", "server.expiry_stops_work", True),
        ("server.contact_includes=[update, cancel]", "server.contact_includes", ("update", "cancel")),
        ("server.contact_includes=[]", "server.contact_includes", ()),
        ("client.error_multiplier=1", "client.error_multiplier", Fraction(1)),
        ("workload.works_on_after_cancel=false", "workload.works_on_after_cancel", False),
    ],
)
def test_an_option_is_read_like_a_file(assignment: str, name: str, expected: object) -> None:
    """A value is TOML or a bare text, and becomes what a file would make of it."""
    config = read(sets=[assignment])
    section, _, field = name.partition(".")
    assert getattr(getattr(config, section), field) == expected
    assert config.origin(name).kind == "set"


@pytest.mark.parametrize(
    ("assignment", "wrong", "instead"),
    [
        ("verbose", "assigns nothing", "section.key=value"),
        ("=5", "assigns nothing", "section.key=value"),
        ("server.orphan_window", "assigns nothing", "section.key=value"),
        ("server.orphan_window=", "has no value", "server.orphan_window=none"),
        ("server.contact_includes=", "has no value", "'server.contact_includes=[]' for none"),
        ("client.hint_mode=", "has no value", "write client.hint_mode=floor or replace"),
        ("server.max_attempts=", "has no value", "write server.max_attempts=1, or"),
        ("server.expire_running=", "has no value", "server.expire_running=true or false"),
        ("server.orphan_windw=", "no such key", "'orphan_window'"),
        ("server." + "k" * 100_000 + "=", "no such key", "latchcheck list keys"),
        ("server.max_attempts=0x" + "f" * 5000, "is over 1e+18", "no key takes it"),
        ("orphan_window=15m", "names no section", "server.orphan_window=..."),
        ("serve.orphan_window=15m", 'no section "serve"', "server.orphan_window=..."),
        ("foo.bar=1", 'no section "foo"', "client, server, network, workload"),
        ("server.orphan_windw=15m", "no such key", "'orphan_window'"),
        ("client.orphan_window=15m", "no such key", "belongs in [server]"),
        ("server.orphan_window=900", "900 has no unit", '"900s"'),
        ("server.orphan_window=-5s", "is negative", '"none"'),
        ("server.orphan_window=nan", "is not a number", '"none"'),
        ("server.orphan_window_ms=15m", "is a text", "orphan_window_ms = 900000"),
        ("network.latency=[5s,1s]", "wrong way round", '["1s", "5s"]'),
        ("network.latency=[[1s],2s]", "is no duration", "unit"),
        ("client.hint_mode=clamp", "no upper end", "max_delay"),
        ("server.orphan_window=1\nserver.ttl=2", "is no duration", "unit"),
        ("server.orphan_window=" + "[" * 100_000, "is too long", "unit"),
    ],
    ids=lambda value: value[:40],
)
def test_a_wrong_option_is_told_what_to_write(assignment: str, wrong: str, instead: str) -> None:
    """A wrong option gives an error of two lines that names the option."""
    with pytest.raises(ConfigError) as refused:
        read(sets=[assignment])
    first, second = str(refused.value).split("\n")
    assert first.startswith("--set ")
    assert len(first) < 250
    assert wrong in first
    assert instead in second


def test_the_same_key_twice_is_an_error() -> None:
    """Two options for one key contradict each other, in whatever spelling."""
    with pytest.raises(ConfigError, match=r"says again what --set server\.orphan_window=15m says"):
        read(sets=["server.orphan_window=15m", "server.orphan_window_ms=900000"])
