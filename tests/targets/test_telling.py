"""What counts as told: a run of which a target shows nothing is no pass, nor one whose instants were not kept."""

from __future__ import annotations

from types import SimpleNamespace

import attrs
import pytest

from latchcheck.cli import wiring
from latchcheck.cli.wiring import locksteps
from latchcheck.counterexamples import Event
from latchcheck.counterexamples.targets import Answer, Call, Clock, Kind, Session, Table, running, target

FIXTURES = {one.id: one for _, one in wiring.saved_fixtures()}
CLEANUP = "cleanup-is-complete/cleanup-piecewise"
LATE = "no-write-after-expiry/expiry-check-off"
EVENTS: set[Kind] = {"create", "dispatch", "worker_write", "get", "advance_clock", "reap"}


@attrs.define
class Expiring:
    """A store whose records go when their ttl ends, whatever is left of them; each read takes `slow_s` of its time."""

    table: Table
    slow_s: float = 0
    passed_s: float = 0
    name: str = "expiring"
    now_ms: int = 0
    ends_ms: int = 0
    status: str = "gone"

    def missing(self) -> tuple[str, ...]:
        """Nothing."""
        return ()

    def open(self) -> Session:
        """Itself, empty."""
        self.now_ms, self.status = 0, "gone"
        return self

    def close(self) -> None:
        """Nothing was started."""

    def perform(self, call: Call) -> Answer:
        """Do a call."""
        if call.kind == "create":
            self.status, self.ends_ms = "working", call.args["ttl_ms"]
        elif call.kind == "worker_write":
            self.status = call.args["status"]
        elif call.kind == "advance_clock":
            self.now_ms = call.args["to_ms"]
        elif call.kind == "get":
            self.passed_s += self.slow_s
        return Answer(status="gone" if self.now_ms >= self.ends_ms else self.status)


def table(clock: Clock, *, reaps: bool = True) -> Table:
    """What it can do."""
    return Table(events=EVENTS, clock=clock, windows={"ttl"}, reaps_itself=reaps)


def test_a_sweep_of_which_nobody_hears_tells_nothing() -> None:
    """A record that went by itself leaves a sweep nothing to do: that it shows nothing of what is left is no pass."""
    ran = wiring.replay_on_target(FIXTURES[CLEANUP], Expiring(table(Clock("injected"))))
    assert ("not-applicable", "nothing that a target shows tells this run from a correct one") == (
        ran.outcome,
        ran.reason,
    )


@pytest.mark.parametrize(("slow_s", "outcome"), [(0, "differs"), (0.1, "failed")])
def test_instants_that_are_not_kept_are_no_answer(slow_s: float, outcome: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In real time a ttl that has ended before it may, as the machine is busy, says nothing about the target."""
    one = Expiring(table(Clock("real", 20), reaps=False), slow_s)
    monkeypatch.setattr(running, "time", SimpleNamespace(monotonic=lambda: one.passed_s))
    ran = wiring.replay_on_target(FIXTURES[LATE], one)
    assert outcome == ran.outcome, ran.reason
    assert (outcome == "failed") == ("windows end too early" in ran.reason)


def test_where_work_begins_with_the_create_it_is_asked_for() -> None:
    """Lockstep leaves out no step of a worker, and asks it for a status that it can write."""
    one = target("fastmcp3")
    driver = locksteps._driver(one, locksteps.scopes_for(one.table)[0], "terminal_guard=none")  # noqa: SLF001
    assert not {"create", "deliver", "report", "cancel"} & set(driver.unusable())
    steps = [
        ("server", "create", {"task": "t1"}),
        ("server", "publish", {"task": "t1"}),
        ("worker", "deliver", {"task": "t1", "worker": "w1"}),
        ("client", "cancel", {"task": "t1"}),
        ("worker", "report", {"worker": "w1", "status": "cancelled"}),
    ]
    told = driver.possible([Event(None, *one) for one in steps])
    assert ["create", "publish", "deliver", "cancel", "report"] == [one.action for one in told]
    assert "failed" == told[4].args["status"]
    late = [Event(None, *steps[at]) for at in (0, 1, 3, 2)]
    assert ["create", "publish", "cancel"] == [one.action for one in driver.possible(late)]
