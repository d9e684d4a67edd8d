"""Wrong configurations, as a table: what the file says, and what the error must say.

Every error names the file, the line and the key, and tells what to write instead, in two lines.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from latchcheck.model.reading import ConfigError, read

# one row a case: the file, the place, what is wrong, what to write instead
ROWS = [
    # nothing there
    ("", "op.toml", "gives no keys at all", 'orphan_window = "15m"'),
    ("# a comment\n", "op.toml", "gives no keys at all", 'orphan_window = "15m"'),
    ("[server]\n[client]\n", "op.toml", "gives no keys at all", 'orphan_window = "15m"'),
    # names
    ("[servers]\nx=1", "op.toml:1: servers", "no such section", "did you mean 'server'?"),
    ("[whatever]\nx=1", "op.toml:1: whatever", "no such section", "there is client, server, network, workload"),
    ('orphan_window = "15m"', "op.toml:1: orphan_window", "outside of a section", "below [server]"),
    ('[server]\n\norphan_windw = "15m"', "op.toml:3: server.orphan_windw", "no such key", "'orphan_window'"),
    ('[client]\norphan_window = "15m"', "op.toml:2: client.orphan_window", "no such key", "belongs in [server]"),
    ("[client]\nbackoff = 2", "op.toml:2: client.backoff", "no such key", "'multiplier'"),
    ('[server]\nsilence = "2m"', "op.toml:2: server.silence", "no such key", "'orphan_window'"),
    ('[client]\norphan_windw = "15m"', "op.toml:2: client.orphan_windw", "no such key", "'server.orphan_window'"),
    ('[server]\norphanWindow = "15m"', "op.toml:2: server.orphanWindow", "no such key", '"orphan_window"'),
    ('[server]\norphan-window = "15m"', "op.toml:2: server.orphan-window", "no such key", '"orphan_window"'),
    (
        "[server]\norphan_window_seconds = 900",
        ":2: server.orphan_window_seconds",
        "no such key",
        'orphan_window = "900s"',
    ),
    ("[server]\nmax_attempts_s = 3", ":2: server.max_attempts_s", "no such key", '"max_attempts"'),
    ("[server]\nfoo = 1", ":2: server.foo", "no such key", "latchcheck list keys"),
    ("[client]\nttlMs = 60000", ":2: client.ttlMs", "no such key", "belongs in [server]"),
    # units
    (
        "[server]\norphan_window = 900",
        "op.toml:2: server.orphan_window: 900",
        "has no unit",
        '"900s" or orphan_window_ms = 900',
    ),
    ("[server]\norphan_window = 0", "server.orphan_window: 0", "has no unit", '"0s"'),
    ("[server]\norphan_window = 1.5", "server.orphan_window: 1.5", "has no unit", '"1.5s"'),
    ('[server]\norphan_window = "900"', 'server.orphan_window: "900"', "has no unit", '"900s"'),
    (
        '[server]\norphan_window_ms = "15m"',
        "orphan_window_ms",
        "is a text",
        'orphan_window_ms = 900000 or orphan_window = "15m"',
    ),
    ('[server]\norphan_window_ms = "soon"', "orphan_window_ms", "is a text", "orphan_window_ms = 900000"),
    ('[server]\nttlMs = "15m"', "server.ttlMs", "is a text", 'ttlMs = 900000 or advertised_ttl = "15m"'),
    ("[server]\norphan_window_ms = 900000.0", "orphan_window_ms", "not an integer", "orphan_window_ms = 900000"),
    ("[server]\norphan_window_ms = 0.5", "orphan_window_ms", "finer than a millisecond", "whole milliseconds"),
    ('[server]\norphan_window = "0.5ms"', "orphan_window", "finer than a millisecond", '"1ms"'),
    (
        "[network]\nlatency = [1000, 5000]",
        "network.latency",
        "has no unit",
        '["1000s", "5000s"] or latency_ms = [1000, 5000]',
    ),
    ("[network]\nlatency = 1000", "network.latency", "has no unit", '"1000s" or latency_ms = 1000'),
    ("[workload]\nworks_on_after_cancel = 5", "works_on_after_cancel", "has no unit", '"5s"'),
    # numbers that are none
    ('[server]\norphan_window = "-5s"', "orphan_window", "is negative", '"none"'),
    ("[server]\norphan_window = -5", "orphan_window", "is negative", '"none"'),
    ("[server]\norphan_window_ms = -5", "orphan_window_ms", "is negative", "whole milliseconds"),
    ("[server]\norphan_window = nan", "orphan_window", "is not a number", '"none"'),
    ("[server]\norphan_window = inf", "orphan_window", "is infinite", '"none"'),
    ("[server]\norphan_window = -inf", "orphan_window", "is infinite", '"none"'),
    ('[server]\norphan_window = "inf"', "orphan_window", "is no duration", '"none"'),
    ('[server]\norphan_window = "40000d"', "orphan_window", "over 100 years", "check the unit"),
    ("[server]\norphan_window_ms = 3155760000001", "orphan_window_ms", "over 100 years", "milliseconds"),
    ("[server]\norphan_window_ms = 1e30", "orphan_window_ms", "over 100 years", "milliseconds"),
    ("[server]\norphan_window_ms = 1e-30", "orphan_window_ms", "finer than a millisecond", "milliseconds"),
    ("[server]\norphan_window = 1e99999", "orphan_window", "over 100 years", "check the unit"),
    ("[server]\norphan_window_ms = 1e99999999999999999999", "orphan_window_ms", "infinite", "milliseconds"),
    ('# 5\n[server]\nmax_attempts = "' + "9" * 5000 + '"', "op.toml:3: server.max_attempts", "is a text", "= 1"),
    (
        "# " + "9" * 5000 + "\n[server]\nmax_attempts = " + "9" * 5000,
        "op.toml:3: ",
        "holds an integer of 5000 digits",
        "shorten",
    ),
    ("[server]\nmax_attempts = 0x" + "f" * 5000, "server.max_attempts: 0xfff", "is over 1e+18", "no key takes it"),
    ("[server]\norphan_window = " + "9" * 4000, "server.orphan_window: 0x", "is over 1e+18", "no key takes it"),
    ("[server]\nunknown_s = " + "9" * 4000, "server.unknown_s", "no such key", "latchcheck list keys"),
    ("[server]\n" + "k" * 100_000 + " = 1", "op.toml:2: server.kkk", "no such key", "latchcheck list keys"),
    # factors, ratios, counts
    ("[client]\nmultiplier = 0.5", "client.multiplier", "shrink", "at least 1.01"),
    ("[client]\nmultiplier = 1.005", "client.multiplier", "thousands of steps", "at least 1.01"),
    ("[client]\nmultiplier = -2", "client.multiplier", "is negative", "1.6"),
    ("[client]\nmultiplier = nan", "client.multiplier", "is not a number", "1.6"),
    ("[client]\nmultiplier = inf", "client.multiplier", "is infinite", "1.6"),
    ("[client]\nmultiplier = 1001", "client.multiplier", "over 1000", "1.6"),
    ("[client]\nmultiplier = 1e-999", "client.multiplier", "decimals", "1.6"),
    ('[client]\nmultiplier = "2"', "client.multiplier", "is a text", "1.6"),
    ("[client]\nerror_multiplier = 0.9", "client.error_multiplier", "shrink", "at least 1.01"),
    ("[client]\njitter = -0.1", "client.jitter", "is negative", "[0.5, 1.0]"),
    ("[client]\njitter = [-0.1, 1.0]", "client.jitter", "is negative", "[0.5, 1.0]"),
    ("[client]\njitter = [0.5, 1.0, 2.0]", "client.jitter", "two ends", "[0.5, 1.0]"),
    ("[server]\nmax_attempts = 0", "server.max_attempts", "below 1", "0 never means unlimited"),
    ("[server]\nmax_attempts = -1", "server.max_attempts", "is negative", "1 or more"),
    ("[server]\nmax_attempts = 2.5", "server.max_attempts", "not an integer", "max_attempts = 2"),
    ("[server]\nmax_attempts = true", "server.max_attempts", "is a flag", "max_attempts = 1"),
    ("[server]\nmax_attempts = 1000001", "server.max_attempts", "is over 1000000", '"none"'),
    (
        '[client]\nrequest_timeout = "1s"\n[network]\nmax_consecutive_failures = 101',
        ":4: network.max_consecutive_failures",
        "is over 100",
        "an outage, not a network: state the longest run of failures, or the outage as client.restart_gap",
    ),
    ("[client]\nerror_multiplier = 1000.5", "client.error_multiplier", "over 1000", "1.6"),
    ("[server]\nretry_multiplier = 1001", "server.retry_multiplier", "over 1000", "1.6"),
    ("[client]\njitter = [0.5, 100.5]", "client.jitter", "over 100", "[0.5, 1.0]"),
    # items of lists on lines of their own
    (
        '[server]\nsweep_order = [\n  "timeouts", # one\n  [],\n  "orphan",\n]',
        "op.toml:4: server.sweep_order",
        "is a list",
        '"orphans"',
    ),
    (
        '[server]\nsweep_order = [\n  "timeouts", # one\n  "expiry",\n  "orphan",\n]',
        "op.toml:5: server.sweep_order",
        "not one of the choices",
        "did you mean 'orphans'?",
    ),
    ('[network]\nlatency = [\n "1s",\n "5"\n]', "op.toml:4: network.latency", "has no unit", '"5s"'),
    ("[client]\njitter = [\n 0.5,\n true]", "op.toml:4: client.jitter", "is a flag", "[0.5, 1.0]"),
    # inverted ranges
    ('[network]\nlatency = ["5s", "1s"]', "network.latency", "wrong way round", '["1s", "5s"]'),
    ("[network]\nlatency_ms = [5000, 1000]", "network.latency_ms", "wrong way round", "[1000, 5000]"),
    ("[client]\njitter = [1.0, 0.5]", "client.jitter", "wrong way round", "[0.5, 1.0]"),
    ('[workload]\nexecution = ["2m", "1m"]', "workload.execution", "wrong way round", '["1m", "2m"]'),
    ('[workload]\nhuman_answer = ["2m", "1m"]', "workload.human_answer", "wrong way round", '["1m", "2m"]'),
    ('[workload]\nexecution = ["1m"]', "workload.execution", "two ends", '["1s", "none"]'),
    ('[workload]\nexecution = ["none", "1m"]', "workload.execution", "no duration", "unit"),
    (
        '[client]\nmin_delay = "5s"\nmax_delay = "1s"',
        ":2: client.min_delay",
        "5s is above max_delay 1s",
        'min_delay = "1s"',
    ),
    # contradictory and incomplete modes
    ('[server]\norphan_window = "15m"\norphan_window_ms = 900000', ":3: server.orphan_window_ms", "line 2", "keep one"),
    ('[server]\npoll_interval = "5s"\npollIntervalMs = 5000', ":3: server.pollIntervalMs", "line 2", "keep one"),
    ("[server]\nttl = 5000\nttlMs = 5000", ":3: server.ttlMs", "server.ttl says", "keep one"),
    (
        '[client]\nttl_mode = "give-up"\n[server]\nadvertised_ttl = "none"',
        ":2: client.ttl_mode",
        "needs a ttl",
        '"ignore"',
    ),
    (
        '[client]\nttl_mode = "cap-gap"\n[server]\nadvertised_ttl = "none"',
        ":2: client.ttl_mode",
        "needs a ttl",
        '"ignore"',
    ),
    (
        '[client]\nttl_mode = "give-up"',
        ":2: client.ttl_mode",
        "nothing gives an advertised_ttl",
        "advertised_ttl below",
    ),
    (
        '[client]\nttl_mode = "cap-gap"\nttl = 60000\n[server]\nenforced_ttl = "1m"',
        ":2: client.ttl_mode",
        "incomplete",
        "advertised_ttl below [server]",
    ),
    (
        '[client]\noverall_timeout_from = "handle"',
        ":2: client.overall_timeout_from",
        "has no limit to count",
        'overall_timeout = "5m" below [client]',
    ),
    ('[client]\nhint_mode = "clamp"\nmin_delay = "1s"', ":2: client.hint_mode", "no upper end", "max_delay"),
    ("[client]\nmultiplier = 2", ":2: client.multiplier", "nothing to multiply", 'initial_delay = "1s" below [client]'),
    ("[client]\njitter = [0.5, 1.0]", ":2: client.jitter", "nothing to jitter", "initial_delay"),
    ("[client]\nerror_multiplier = 2", ":2: client.error_multiplier", "nothing to multiply", "error_initial_delay"),
    ('[client]\nerror_max_delay = "1m"', ":2: client.error_max_delay", "ceiling of nothing", "error_initial_delay"),
    ("[server]\nretry_multiplier = 2", ":2: server.retry_multiplier", "nothing to multiply", "retry_initial_delay"),
    ('[server]\nretry_max_delay = "1m"', ":2: server.retry_max_delay", "ceiling of nothing", "retry_initial_delay"),
    (
        "[network]\nmax_consecutive_failures = 1",
        ":2: network.max_consecutive_failures",
        "incomplete",
        "request_timeout",
    ),
    (
        '[server]\nexpire_running = true\nenforced_anchor = "terminal"',
        ":2: server.expire_running",
        "never expires a running",
        "false",
    ),
    (
        '[server]\nexpired_terminal = "keep"',
        ":2: server.expired_terminal",
        'contradicts expiry_action "delete"',
        '"fail"',
    ),
    (
        '[server]\nsweep_period = "lazy"\nsweep_lateness = "1s"',
        ":3: server.sweep_lateness",
        "lazy",
        "leave sweep_lateness out",
    ),
    # words
    (
        '[server]\nexpiry_action = "remove"',
        "server.expiry_action",
        "not one of the choices",
        "there is delete, hide, fail, cancel",
    ),
    ('[server]\nexpiry_action = "Delete"', "server.expiry_action", "not one of the choices", "did you mean 'delete'?"),
    ('[client]\nhint_mode = "cap_gap"', "client.hint_mode", "not one of the choices", "ceiling"),
    ("[client]\nhint_mode = 1", "client.hint_mode", "is a number", '"floor"'),
    ('[server]\nsweep_period = "Lazy"', "server.sweep_period", "no duration", '"lazy"'),
    ('[server]\nsweep_order = ["orphans", "expiry"]', "server.sweep_order", 'leaves out "timeouts"', "all of"),
    ('[server]\nsweep_order = ["orphans", "orphans", "expiry"]', "server.sweep_order", "twice", "once"),
    ('[server]\nsweep_order = "orphans"', "server.sweep_order", "is a text", '["timeouts", "orphans", "expiry"]'),
    ('[server]\ncontact_includes = ["get"]', "server.contact_includes", "not one of the choices", "update"),
    ('[server]\nexpire_running = "yes"', "server.expire_running", "is a text", "expire_running = true"),
    ("[server]\nexpire_running = 0", "server.expire_running", "is a number", "true or false"),
    # types
    ("[server]\norphan_window = true", "server.orphan_window", "is a flag", '"15m"'),
    ('[server]\norphan_window = ["15m"]', "server.orphan_window", "is a list", '"15m"'),
    ("[server]\norphan_window = 1979-05-27", "server.orphan_window", "is a date", '"15m"'),
    ("[server]\norphan_window = 07:32:00", "server.orphan_window", "is a date", '"15m"'),
    ("[server]\norphan_window = { a = 1 }", "server.orphan_window", "is a table", "below [server]"),
    (
        "[workload]\nworks_on_after_cancel_ms = true",
        "works_on_after_cancel_ms",
        "is a flag",
        "works_on_after_cancel = true",
    ),
    # structure
    ('[[server]]\norphan_window = "15m"', "op.toml:1: server", "array of tables", "[server], once"),
    ("[server.orphan_window]\nvalue = 1", "op.toml:1: server.orphan_window", "is a table", "below [server]"),
    ("server = 5", "op.toml:1: server", "not a section", "[server]"),
    ('server = "15m"', "op.toml:1: server", "not a section", "[server]"),
    ("[server]\nttlMs = 1\nttlMs = 2", "op.toml:3: server.ttlMs", "stands twice, first in line 2", "keep one"),
    (
        "[server]\nttlMs = 1\n[client]\n[server]\nttlMs = 2",
        "op.toml:4: server",
        "stands twice, first in line 1",
        "keep one",
    ),
    # broken TOML
    ("[server\n", "op.toml:1", "not valid TOML", "[server]"),
    ("[server]\norphan_window = 15m", "op.toml:2", "not valid TOML", 'quotes around it: orphan_window = "15m"'),
    ("[server]\nsweep_period = lazy", "op.toml:2", "not valid TOML", 'sweep_period = "lazy"'),
    ("[server]\nexpire_running = True", "op.toml:2", "not valid TOML", "expire_running = true"),
    ("[server]\norphan_window", "op.toml:2", "not valid TOML", 'orphan_window = "15m"'),
    ("[server]\norphan_window =", "op.toml:2", "not valid TOML", 'orphan_window = "15m"'),
    ('[server]\norphan_window: "15m"', "op.toml:2", "not valid TOML", 'orphan_window = "15m"'),
    ('[server]\norphan_window = "15m', "op.toml:2", "not valid TOML", "[server]"),
    ('{"server": {}}', "op.toml", "looks like JSON", "[server]"),
    ("a = " + "[" * 100_000, "op.toml", "nested too deeply", "sections and keys"),
]


@pytest.mark.parametrize(("text", "place", "wrong", "instead"), ROWS, ids=[repr(row[0][:60]) for row in ROWS])
def test_a_wrong_file_is_told_what_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, place: str, wrong: str, instead: str
) -> None:
    """A wrong file gives one error of two lines: place and fault, then what to write instead."""
    monkeypatch.chdir(tmp_path)
    Path("op.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        read(["op.toml"])
    first, second = str(refused.value).split("\n")
    assert first.startswith("op.toml")
    assert place in first
    assert wrong in first
    assert instead in second
    assert len(first) < 250


@pytest.mark.parametrize(
    "text",
    [
        '[client]\ninitial_delay = "1m"\nmax_delay = "1s"',
        '[server]\nenforced_anchor = "activity"',
        '[client]\nhint_mode = "replace"',
        '[client]\nttl_mode = "give-up"\n[server]\nttlMs = 1000',
        '[client]\nttl_mode = "give-up"\nttl = 60000\n[server]\nhonours_requested_ttl = true',
        '[client]\njitter = [1, 100]\nmultiplier = 1000\ninitial_delay = "1s"',
        '[client]\nrequest_timeout = "1s"\n[network]\nmax_consecutive_failures = 100',
        '[client]\nttl_mode = "cap-gap"\nttl = 60000\n[server]\nadvertised_ttl = "none"\nhonours_requested_ttl = true',
        '[server]\nenforced_anchor = "terminal"',
        '[server]\nlease_timeout = "1s"\nlease_renewal = "1m"',
        '[server]\nadvertised_ttl = "0s"\npoll_interval = "0s"',
        '[client]\noverall_timeout = "0s"',
        "[client]\nmultiplier = 1\njitter = 1",
    ],
)
def test_what_is_well_defined_is_accepted(tmp_path: Path, text: str) -> None:
    """A configuration that is odd but well defined is read, not refused."""
    file = tmp_path / "op.toml"
    file.write_text(text, encoding="utf-8")
    read([str(file)])


def test_zero_is_zero_and_never_unlimited(tmp_path: Path) -> None:
    """A limit of 0 s is read as 0 ms; only "none" takes a limit away."""
    file = tmp_path / "op.toml"
    file.write_text('[client]\noverall_timeout = "0s"\nrequest_timeout = "none"\n[server]\nttlMs = 0', encoding="utf-8")
    config = read([str(file)])
    assert config.client.overall_timeout_ms == 0
    assert config.client.request_timeout_ms is None
    assert config.advertised_ttl_ms_effective == 0
