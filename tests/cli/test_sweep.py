"""`latchcheck sweep`: every value that is named is decided as `verify` does it, and nothing is said of others."""

from __future__ import annotations

import csv
import shlex
from io import StringIO
from pathlib import Path

import pytest

from latchcheck.cli import wiring
from tests.cli.conftest import Run
from tests.cli.test_matrix import SCHEMA, without_runs
from tests.cli.test_partial import ending

ROOT = Path(__file__).parents[2]
CONFIG = str(ROOT / "docs" / "examples" / "orphan-condition" / "equality.toml")
CHOSEN = str(ROOT / "docs" / "examples" / "how-to" / "chosen.toml")
ORPHAN = ("--property", "no-live-orphan")
EDGE = "server.orphan_window_ms=9999..10001:1"


@pytest.mark.parametrize(
    ("comparison", "expected"),
    [
        (">", [("violated", -1), ("proved", 0), ("proved", 1)]),
        (">=", [("violated", -1), ("violated", 0), ("proved", 1)]),
    ],
)
def test_over_the_edge(call: Run, comparison: str, expected: list[tuple[str, int]]) -> None:
    """The longest silence is 10 s: by `>` a window of 10 s spares it, by `>=` only one of 10.001 s does."""
    asked = ("sweep", CONFIG, "--set", f"server.orphan_comparison={comparison}", "--vary", EDGE, *ORPHAN)
    outcome = call(*asked, "--format", "json")
    found = outcome.envelope
    SCHEMA.validate(found)
    assert [9999, 10_000, 10_001] == [one["values"]["server.orphan_window_ms"] for one in found["combinations"]]
    assert expected == [(one["properties"][0]["verdict"], one["properties"][0]["margin_ms"])
                        for one in found["combinations"]]  # fmt: skip
    assert (1, 1) == (outcome.code, found["exit"])
    shown = [line.split() for line in call(*asked).out.splitlines()]
    first = "10s" if comparison == ">" else "10.001s"
    assert any(line[:2] == ["proved", first] for line in shown)
    assert ["9.999s", "violated"] in shown


def test_a_combination_is_what_verify_says_of_it(call: Run) -> None:
    """All combinations, the last key changing first, each with the very answers of `verify` with both values set."""
    asked = ("--vary", "server.orphan_window=3m,5m", "--vary", "client.max_delay=30s..1m:30s")
    found = call("sweep", CHOSEN, *asked, "--format", "json").envelope
    SCHEMA.validate(found)
    assert [(180_000, 30_000), (180_000, 60_000), (300_000, 30_000), (300_000, 60_000)] == [
        tuple(one["values"].values()) for one in found["combinations"]
    ]
    for one in found["combinations"]:
        window, delay = one["values"].values()
        sets = ("--set", f"server.orphan_window_ms={window}", "--set", f"client.max_delay_ms={delay}")
        told = call("verify", CHOSEN, *sets, "--format", "json")
        assert (without_runs(told.envelope), told.code) == (one["properties"], one["exit"])


def test_the_command_that_is_shown_asks_the_same(call: Run) -> None:
    """The command below the table is one of `verify`, and finds the violation of the table."""
    shown = call("sweep", CONFIG, "--vary", EDGE, *ORPHAN).out
    command = shown.replace("\\\n", "").partition("\n  latchcheck ")[2].partition("\n")[0]
    assert 1 == call(*shlex.split(command)).code
    said = "Only the values that are listed were decided, 3 configurations, each as verify decides it"
    assert said in " ".join(shown.split())


def test_as_a_spreadsheet(call: Run) -> None:
    """CSV has a column for each key that is varied, and a row for each property of each combination."""
    asked = ("sweep", CONFIG, "--vary", "server.orphan_window=9s,11s", *ORPHAN)
    rows = list(csv.DictReader(StringIO(call(*asked, "--format", "csv").out)))
    assert [("9s", "violated", "-1000"), ("11s", "proved", "1000")] == [
        (row["server.orphan_window"], row["verdict"], row["margin_ms"]) for row in rows
    ]


def test_an_interrupt_tells_what_is_decided(call: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of three values are in the table, and what is left is inconclusive unless there is worse."""
    monkeypatch.setattr(wiring, "verify", ending(wiring.verify, 2))
    outcome = call("sweep", CHOSEN, "--vary", "server.orphan_window=5m..7m:1m", *ORPHAN)
    assert "latchcheck: error: interrupted: 2 of 3 configurations are decided\n" == outcome.err
    assert (4, True) == (outcome.code, outcome.out.endswith("2 configurations: 2 fine. Exit code 4.\n"))


def test_values_that_contradict_others_do_not_keep_them_from_being_decided(call: Run) -> None:
    """A combination that cannot be read has a line and its error, of very many the first; exit code 2."""
    asked = ("sweep", CHOSEN, "--vary", "client.min_delay=1s..60s:1s", *ORPHAN)
    outcome = call(*asked)
    assert 2 == outcome.code
    assert 20 == outcome.err.count("is above max_delay 30s")
    assert "latchcheck: error: and 10 more of this kind\n" in outcome.err
    assert 30 == outcome.out.count("unreadable\n")
    assert "60 configurations: 30 fine, 30 unreadable. Exit code 2." in outcome.out
    SCHEMA.validate(found := call(*asked, "--format", "json").envelope)
    assert [0] * 30 + [2] * 30 == [one["exit"] for one in found["combinations"]]


@pytest.mark.parametrize(
    ("vary", "said"),
    [
        (["server.orphan_windw=1m,2m"], "there is no such key\n  did you mean 'orphan_window'?"),
        (["server.orphan_window=1m..many:1m"], '"many" is no duration\n  write a number with its unit'),
        (["server.orphan_window=5m..1m:1m"], "is an empty range: it begins above its end\n  write server.orp"),
        (["server.orphan_window=1m..5m:0s"], "has a step of 0, which leads nowhere"),
        (["server.orphan_window=1m..5m:-1m"], 'has the step "-1m", which is negative'),
        (["server.orphan_window=1m..5m"], "is a range without a step\n  write FROM..TO:STEP"),
        (["server.orphan_window=1m..:1m"], "is a range without an end"),
        (["server.orphan_window=1m,,2m"], "has a comma without a value"),
        (["server.orphan_window=1m,60s"], "has the value 60s twice"),
        (["server.orphan_window=1m", "server.orphan_window_ms=5"], "says again what --vary server.orphan_w"),
        (["network.latency=1s"], "says again what --set network.latency=2s says"),
        (["client.hint_mode=floor..ignore:1"], "has an end that is no number\n  write the values with commas"),
        (["server.orphan_window=1ms..1d:1ms"], "asks for 86400000 values, the limit is 1000\n  take larger steps"),
        (["server.orphan_window=1s..99s:1s", "client.max_delay=1s..99s:1s"], "99 * 99 = 9801 combinations"),
        (["server.orphan_window"], "varies nothing"),
        (["server.orphan_window="], "has no value"),
        ([], "nothing to vary: name a key and its values"),
    ],
)  # fmt: skip
def test_bad_input_is_one_error(call: Run, vary: list[str], said: str) -> None:
    """What is wrong, where and what to write instead; exit code 2, and nothing is decided."""
    options = [word for one in vary for word in ("--vary", one)]
    outcome = call("sweep", CONFIG, "--set", "network.latency=2s", *options)
    assert (2, "") == (outcome.code, outcome.out)
    assert 1 == outcome.err.count("latchcheck: error: ")
    assert said in outcome.err
    assert not vary or outcome.err.startswith("latchcheck: error: --vary")


def test_what_does_not_change_is_told_with_the_values(call: Run) -> None:
    """Where no verdict changes the values stand beside their key, and the verdict once."""
    shown = call("sweep", CHOSEN, "--vary", "server.orphan_window=5m..7m:1m", *ORPHAN).out
    lines = [line.split() for line in shown.splitlines()]
    assert ["server.orphan_window", "5m,", "6m,", "7m"] in lines
    assert ["proved", "no-live-orphan"] in lines
    assert "Where a verdict changes" not in shown


def test_more_than_the_limit_may_be_asked_for(call: Run) -> None:
    """`--max` is the limit, and a range that it allows is decided to its last value."""
    asked = ("sweep", CONFIG, "--vary", "server.orphan_window=9s..12s:1s", *ORPHAN, "--format", "json", "--max")
    assert 2 == call(*asked, "3").code
    found = call(*asked, "4").envelope
    assert [9000, 10_000, 11_000, 12_000] == [one["values"]["server.orphan_window_ms"] for one in found["combinations"]]
