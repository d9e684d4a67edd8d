"""Drivers: the worked one conforms, and none that hangs, dies, babbles or lies ever passes."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from latchcheck.cli.wiring.targets import replay_on_target
from latchcheck.counterexamples import SAVED, load
from latchcheck.counterexamples.targets import target
from latchcheck.counterexamples.targets.conformance import check
from latchcheck.counterexamples.targets.driver import Driver

ROOT = Path(__file__).parents[2]
WORKED = f"{sys.executable} {ROOT / 'docs' / 'examples' / 'driver' / 'store.py'}"
FIXTURE = SAVED / "one-terminal-outcome" / "terminal-guard-check-then-set.json"
# How a driver misbehaves, and by what it must be reported.
HOSTILE = {
    "hang": "timeout",
    "deaf": "timeout",
    "exit": "crash",
    "killed": "crash",
    "half": "crash",
    "child": "timeout",
    "megabytes": "garbage",
    "garbage": "garbage",
    "binary": "garbage",
    "list": "garbage",
    "deep": "garbage",
    "nan": "garbage",
    "other-id": "garbage",
    "no-answer": "garbage",
    "wrong-status": "garbage",
    "wrong-type": "garbage",
    "extra": "garbage",
    "twice": "garbage",
    "table": "garbage",
    "version": "garbage",
    "error": "error",
}


def hostile(how: str) -> Driver:
    """A driver that breaks one rule, with little patience on this side."""
    return Driver(f"{sys.executable} {Path(__file__).parent / 'hostile.py'} {how}", timeout_s=1.5)


def test_the_worked_driver_conforms() -> None:
    """The driver of the documentation keeps every rule that it says it can, and conforms on the fixture."""
    made = target(f"driver:{WORKED}")
    assert {"passed", "not-applicable"} == {row["outcome"] for row in check(made)}
    assert replay_on_target(load(FIXTURE), made).outcome == "conforms"


@pytest.mark.parametrize("how", HOSTILE)
def test_a_hostile_driver_is_reported_as_what_it_is(how: str) -> None:
    """What cannot be driven has failed, within its time, and the reason begins with the kind of failure."""
    begun = time.monotonic()
    ran = replay_on_target(load(FIXTURE), hostile(how))
    assert ("failed", HOSTILE[how]) == (ran.outcome, ran.reason.partition(":")[0])
    assert time.monotonic() - begun < 20


@pytest.mark.parametrize("how", ["always-completed", "always-yes", "noise"])
def test_a_driver_that_lies_does_not_pass(how: str) -> None:
    """Whoever answers everything with the same is found to differ, or cannot be told; it never conforms."""
    assert replay_on_target(load(FIXTURE), hostile(how)).outcome != "conforms"
    assert "broken" in {row["outcome"] for row in check(hostile(how))}


def test_what_the_driver_says_on_stderr_is_shown() -> None:
    """The last line on standard error, and how the process ended, are part of the reason."""
    reason = replay_on_target(load(FIXTURE), hostile("exit")).reason
    assert "exit code 7" in reason
    assert "I have had enough" in reason


def test_a_program_that_is_not_there_is_missing() -> None:
    """A command that cannot be started is said to be missing, with its name."""
    assert "'/no/such/driver' cannot be started" in target("driver:/no/such/driver").missing()[0]
