"""Drivers: the worked one conforms, and none that hangs, dies, babbles or lies ever passes."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from latchcheck.cli.wiring import saved_fixtures
from latchcheck.cli.wiring.targets import replay_on_target
from latchcheck.counterexamples import SAVED, load
from latchcheck.counterexamples.targets import target
from latchcheck.counterexamples.targets.conformance import check
from latchcheck.counterexamples.targets.driver import Driver

ROOT = Path(__file__).parents[2]
WORKED = f"{sys.executable} {ROOT / 'docs' / 'examples' / 'driver' / 'store.py'}"
WHOLE = ROOT / "docs" / "examples" / "driver" / "whole_store.py"
# Properties that no status tells of in their saved runs.
SHOWN_BESIDE = {
    "answered-input-is-consumed",
    "cleanup-is-complete",
    "dispatch-with-record",
    "failures-are-classified",
    "idempotent-create",
    "input-key-names-one-question",
    "refused-before-started",
    "restart-triages",
    "side-effect-once",
    "single-execution",
}
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
    "wrong-work": "garbage",
    "wrong-keys": "garbage",
    "wrong-verdict": "garbage",
    "shows": "garbage",
    "extra": "garbage",
    "twice": "garbage",
    "table": "garbage",
    "version": "garbage",
    "error": "error",
}


PATIENCE_S = 40.0


def hostile(how: str) -> Driver:
    """A driver that breaks one rule; little patience with those that do not answer, much with those that do."""
    silent = HOSTILE.get(how) == "timeout"
    return Driver(f"{sys.executable} {Path(__file__).parent / 'hostile.py'} {how}", 1.5 if silent else PATIENCE_S)


def test_the_worked_driver_conforms() -> None:
    """The driver of the documentation keeps every rule that it says it can, and conforms on the fixture."""
    made = target(f"driver:{WORKED}")
    assert {"passed", "not-applicable"} == {row["outcome"] for row in check(made)}
    assert replay_on_target(load(FIXTURE), made).outcome == "conforms"


def test_the_whole_driver_shows_what_each_property_is_about() -> None:
    """The driver that can do everything breaks none of these properties, and is tried on each."""
    made = target(f"driver:{sys.executable} {WHOLE}")
    assert {"passed"} == {row["outcome"] for row in check(made)}
    mine = [one for _, one in saved_fixtures() if one.property in SHOWN_BESIDE]
    found = {one.id: replay_on_target(one, made).outcome for one in mine}
    assert {"conforms", "not-applicable"} >= set(found.values())
    assert SHOWN_BESIDE == {name.partition("/")[0] for name, outcome in found.items() if outcome == "conforms"}


def test_a_driver_that_does_it_twice_is_found_out(tmp_path: Path) -> None:
    """Where a side effect is not keyed by its task, the facet that counts it tells."""
    source, keyed = WHOLE.read_text(encoding="utf-8"), "self.acts(task).add(task)"
    assert keyed in source
    twice = tmp_path / "twice.py"
    twice.write_text(source.replace(keyed, 'self.acts(task).add(record["attempt"])'), encoding="utf-8")
    ran = replay_on_target(
        load(SAVED / "side-effect-once" / "side-effect-plain.json"), target(f"driver:{sys.executable} {twice}")
    )
    assert "reproduced" == ran.outcome
    assert "more than once" in ran.reason


@pytest.mark.parametrize("how", HOSTILE)
def test_a_hostile_driver_is_reported_as_what_it_is(how: str) -> None:
    """What cannot be driven has failed, within its time, and the reason begins with the kind of failure."""
    begun = time.monotonic()
    ran = replay_on_target(load(FIXTURE), hostile(how))
    assert ("failed", HOSTILE[how]) == (ran.outcome, ran.reason.partition(":")[0])
    assert time.monotonic() - begun < PATIENCE_S


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
