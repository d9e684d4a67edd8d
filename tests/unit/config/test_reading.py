"""Good configurations: every key in every spelling, layers, origins, and the lines of keys."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latchcheck.model.config import UNLIMITED, Config, Origin
from latchcheck.model.keys import KEYS, Key
from latchcheck.model.reading import ConfigError, read
from latchcheck.model.reading.lines import scan

# what a file may write for a key of each kind, and what is then held; the expected values are worked out by hand
EXAMPLES = {
    "duration": [('"1h30m"', 5_400_000), ('"0s"', 0)],
    "ttl": [('"15m"', 900_000), ('"none"', UNLIMITED)],
    "period": [('"30s"', 30_000), ('"lazy"', "lazy"), ('"0s"', 0)],
    "range": [('["20ms", "2s"]', (20, 2_000)), ('"1s"', (1_000, 1_000))],
    "open-range": [('["1s", "5m"]', (1_000, 300_000)), ('["1s", "none"]', (1_000, None)), ('"2m"', (120_000, 120_000))],
    "ratios": [("[0.5, 1.1]", (Fraction(1, 2), Fraction(11, 10))), ("0.1", (Fraction(1, 10), Fraction(1, 10)))],
    "factor": [("1.6", Fraction(8, 5)), ("2", Fraction(2))],
    "count": [("3", 3)],
    "flag": [("true", True), ("false", False)],
    "order": [('["expiry", "timeouts", "orphans"]', ("expiry", "timeouts", "orphans"))],
    "set": [('["subscription", "update"]', ("update", "subscription")), ("[]", ())],
    "flag-or-duration": [("true", True), ("false", False), ('"5s"', 5_000)],
}
IN_MS = {
    "duration": [("250", 250)],
    "ttl": [("0", 0)],
    "period": [("30000", 30_000)],
    "range": [("[20, 2000]", (20, 2_000)), ("1000", (1_000, 1_000))],
    "open-range": [("[1000, 5000]", (1_000, 5_000)), ('[1000, "none"]', (1_000, None))],
    "flag-or-duration": [("5000", 5_000)],
}
# what a key needs beside itself, to be complete
COMPANIONS = {
    "client.overall_timeout_from": 'overall_timeout = "1m"',
    "client.multiplier": 'initial_delay = "1s"',
    "client.jitter": 'initial_delay = "1s"',
    "client.error_multiplier": 'error_initial_delay = "1s"',
    "client.error_max_delay": 'error_initial_delay = "1s"',
    "server.retry_multiplier": 'retry_initial_delay = "1s"',
    "server.retry_max_delay": 'retry_initial_delay = "1s"',
    "network.max_consecutive_failures": '[client]\nrequest_timeout = "1s"',
}


def written(key: Key) -> list[tuple[str, str, object]]:
    """Every spelling of a key with a value for it, and what is then held."""
    if key.kind == "choice":
        return [(key.name, f'"{choice}"', choice) for choice in key.choices]
    by_name = [(key.name, text, held) for text, held in EXAMPLES[key.kind]]
    in_ms = [(name, text, held) for name in key.spellings[1:] for text, held in IN_MS[key.kind]]
    return by_name + in_ms


def held_by(config: Config, key: Key) -> object:
    """The value that a configuration holds for a key."""
    return getattr(getattr(config, key.section), key.field)


CASES = [(key, *case) for key in KEYS for case in written(key)]


@pytest.mark.parametrize(
    ("key", "name", "text", "expected"), CASES, ids=[f"{key.section}.{name}={text}" for key, name, text, _ in CASES]
)
def test_every_key_is_read_in_every_spelling(tmp_path: Path, key: Key, name: str, text: str, expected: object) -> None:
    """A value under any spelling of its key is held, normalised, with its file and line as origin."""
    file = tmp_path / "op.toml"
    companion = COMPANIONS.get(key.path, "")
    if key.name == "ttl_mode":
        companion = "[server]\nttlMs = 1000"
    if key.name == "hint_mode":
        companion = 'max_delay = "1m"'
    if key.name == "expired_terminal":
        companion = 'expiry_action = "fail"'
    file.write_text(f"[{key.section}]\n{name} = {text}\n{companion}\n", encoding="utf-8")
    config = read([str(file)])
    assert held_by(config, key) == expected
    assert type(held_by(config, key)) is type(expected)
    assert config.origin(key.flat) == Origin("file", f"{file}:2")


@pytest.mark.parametrize("key", [key for key in KEYS if key.kind not in ("choice", "flag", "order", "set")])
def test_none_is_absence(key: Key) -> None:
    """The word none leaves a key at its default; for a ttl it is an explicit never."""
    config = read(sets=[f"{key.path}=none"])
    assert held_by(config, key) == (UNLIMITED if key.kind == "ttl" else key.default)


def test_what_a_preset_takes_over_from_a_file_is_kept_beside_it(tmp_path: Path) -> None:
    """The origin tells the other value and its line; the same value, or one that an option has the last word on, none.

    The preset of mcp-py-1 has 500 ms and a ttl that is told as null.
    """
    file = tmp_path / "op.toml"
    file.write_text('[server]\npoll_interval = "7s"\nadvertised_ttl = "3h"\n', encoding="utf-8")
    config = read([str(file)], server="mcp-py-1", sets=["server.advertised_ttl=2h"])

    assert config.origin("server.poll_interval_ms").over == (7_000, f"{file}:2")
    assert config.origin("server.advertised_ttl_ms").over is None
    file.write_text('[server]\npoll_interval = "0.5s"\n', encoding="utf-8")
    assert read([str(file)], server="mcp-py-1").origin("server.poll_interval_ms").over is None


def test_later_layers_win(tmp_path: Path) -> None:
    """The file yields to the client's preset, that to the server's, that to the task, that to the options."""
    file, task = tmp_path / "op.toml", tmp_path / "created.json"
    file.write_text(
        '[client]\nrequest_timeout = "7s"\nrestart_gap = "1m"\n'
        '[server]\npoll_interval = "9s"\nttlMs = 1\nclock_skew = "1s"\n[workload]\nexecution = "1m"\n',
        encoding="utf-8",
    )
    task.write_text('{"task": {"taskId": "t", "status": "working", "ttl": 777000}}', encoding="utf-8")
    config = read(
        [str(file)],
        client="strands-py",
        server="mcp-py-1",
        task=str(task),
        sets=["workload.execution=2m", "client.overall_timeout=none"],
    )
    assert config.client.restart_gap_ms == 60_000
    assert config.client.request_timeout_ms == 60_000
    assert config.server.clock_skew_ms == 1_000
    assert config.server.poll_interval_ms == 500
    assert config.server.advertised_ttl_ms == 777_000
    assert config.workload.execution_ms == (120_000, 120_000)
    assert config.client.overall_timeout_ms is None
    kinds = {
        name: config.origin(name).kind
        for name in (
            "client.restart_gap_ms",
            "client.request_timeout_ms",
            "server.advertised_ttl_ms",
            "workload.execution_ms",
            "network.latency_ms",
        )
    }
    assert kinds == {
        "client.restart_gap_ms": "file",
        "client.request_timeout_ms": "preset",
        "server.advertised_ttl_ms": "task",
        "workload.execution_ms": "set",
        "network.latency_ms": "default",
    }
    assert config.origin("server.advertised_ttl_ms").where == f"{task}:1: task.ttl"
    assert config.origin("workload.execution_ms").where == "--set workload.execution=2m"


def test_later_files_win(tmp_path: Path) -> None:
    """Of two files the later one wins, key by key."""
    base, over = tmp_path / "base.toml", tmp_path / "over.toml"
    base.write_text('[server]\norphan_window = "15m"\npoll_interval = "5s"\n', encoding="utf-8")
    over.write_text('[server]\norphan_window = "2m"\n', encoding="utf-8")
    config = read([str(base), str(over)])
    assert (config.server.orphan_window_ms, config.server.poll_interval_ms) == (120_000, 5_000)
    assert config.origin("server.orphan_window_ms").where == f"{over}:2"


def test_every_value_has_an_origin(tmp_path: Path) -> None:
    """Each flat name has an origin, also where its default holds."""
    file = tmp_path / "op.toml"
    file.write_text('[server]\norphan_window = "15m"\n', encoding="utf-8")
    config = read([str(file)])
    assert set(config.origins) == set(config.flat())


def test_nothing_at_all_is_an_error() -> None:
    """A configuration made of nothing is refused."""
    with pytest.raises(ConfigError, match="nothing is given"):
        read()


TRICKY = """\
# [server] in a comment
title = "not = a key"

[client]  # the poller
"min_delay" = "1s"
'max_delay'= "2s" # x = 1
text = \"\"\"
[server]
orphan_window = "1s"
\\\"\"\" still = "inside"
\"\"\"
raw = '''
ttl = 5 '''
list = [ # a = 1
  "a = 1", "]",
  { deep = [1, 2] },
]
when = 1979-05-27 07:32:00
[server]
inline = { poll_interval = "5s", more.deep = "}" }
dotted . name = 1
[a."b.c".d]
e = "f"
[[tables]]
x = 1
"""


def leaves(data: object, path: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    """The paths of all values of a parsed TOML text."""
    if isinstance(data, dict):
        return {leaf for name, value in data.items() for leaf in leaves(value, (*path, name))}
    if isinstance(data, list):
        return {path} | {leaf for item in data if isinstance(item, dict) for leaf in leaves(item, path)}
    return {path}


def test_the_scanner_finds_the_keys_that_the_parser_finds() -> None:
    """Every value that the parser reads has a line, and no other key is found."""
    parsed = leaves(tomllib.loads(TRICKY))
    found = {path for path, _ in scan(TRICKY).all}
    headers = {("client",), ("server",), ("a", "b.c", "d"), ("tables",)}
    inner = {("server", "inline")}
    assert found - headers - inner == parsed - headers


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("title",), 2),
        (("client",), 4),
        (("client", "min_delay"), 5),
        (("client", "max_delay"), 6),
        (("client", "text"), 7),
        (("client", "raw"), 12),
        (("client", "list"), 14),
        (("client", "list", "deep"), 16),
        (("client", "when"), 18),
        (("server", "inline", "poll_interval"), 20),
        (("server", "inline", "more", "deep"), 20),
        (("server", "dotted", "name"), 21),
        (("a", "b.c", "d", "e"), 23),
        (("tables", "x"), 25),
        (("server", "orphan_window"), None),
    ],
)
def test_the_scanner_counts_lines(path: tuple[str, ...], line: int | None) -> None:
    """A key has the line on which it stands, whatever strings, comments and brackets surround it."""
    assert scan(TRICKY).of(*path) == line


GOOD = """\
[client]
initial_delay = "250ms"
multiplier = 1.6
jitter = [0.5, 1.0]
[server]
orphan_window_ms = 900000
sweep_order = ["timeouts", "orphans", "expiry"]
"""


@given(
    st.lists(
        st.tuples(st.integers(0, len(GOOD)), st.integers(0, 9), st.text("ae0.-=\"[]{}#\n\\'msx", max_size=4)),
        max_size=3,
    )
)
def test_a_damaged_file_is_read_or_refused(cuts: list[tuple[int, int, str]]) -> None:
    """However a file is damaged, it gives a configuration or a ConfigError, never another exception."""
    text = GOOD
    for at, length, put in cuts:
        text = text[:at] + put + text[at + length :]
    scan(text)
    with contextlib.suppress(ConfigError), tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(text)
        file.flush()
        read([file.name])


def test_sections_may_be_dotted_inline_or_quoted(tmp_path: Path) -> None:
    """A section written as dotted keys, inline or quoted is the same section, and its lines are right."""
    file = tmp_path / "op.toml"
    file.write_text(
        'server.orphan_window = "15m"\nnetwork = { latency = "1s" }\n["client"]\n"initial_delay" = "2s"\n',
        encoding="utf-8",
    )
    config = read([str(file)])
    assert config.server.orphan_window_ms == 900_000
    assert config.network.latency_ms == (1_000, 1_000)
    assert config.client.initial_delay_ms == 2_000
    lines = [
        config.origin(name).where.rpartition(":")[2]
        for name in ("server.orphan_window_ms", "network.latency_ms", "client.initial_delay_ms")
    ]
    assert lines == ["1", "2", "4"]


def test_a_plain_file_is_read_without_what_others_need(tmp_path: Path) -> None:
    """Reading a file imports neither the solver nor click or difflib, which cost time to start."""
    file = tmp_path / "op.toml"
    file.write_text('[server]\norphan_window = "15m"\n', encoding="utf-8")
    program = (
        "import sys; from latchcheck.model.reading import read; "
        f"read([{str(file)!r}]); print(sorted({{'z3', 'click', 'difflib', 'rich'}} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
