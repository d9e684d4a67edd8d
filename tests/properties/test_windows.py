"""Limits that another limit always beats: each pair by hand, at its edge."""

import pytest

from latchcheck.model.config import Config
from latchcheck.properties.timing.answers import Answer, NotApplicable, Vacuous
from latchcheck.properties.timing.facts import Facts
from latchcheck.properties.timing.windows import every_window_can_fire

DEADLINE, WINDOW, TTL = "server.execution_deadline_ms", "server.orphan_window_ms", "server.enforced_ttl_ms"
OVERALL, GIVE_UP, INPUT = "client.overall_timeout_ms", "server.advertised_ttl_ms", "server.input_window_ms"


def limits(values: dict[str, object], **server: object) -> Config:
    """Limits by their keys, on a server that sweeps every 10 ms; other server keys by name."""
    base = {"sweep_period_ms": 10, **server}
    return Config().replace({**{f"server.{name}": value for name, value in base.items()}, **values})


def dead(config: Config) -> list[str]:
    """The keys that are named dead, in order."""
    outcome = every_window_can_fire(Facts(config))
    if isinstance(outcome, Answer):
        assert outcome.safe
        return []
    assert isinstance(outcome, Vacuous)
    return [part.split(" ")[0] for part in outcome.why.split("; ")]


# A running task is gone at the sweep after its ttl, before 60 + 10; a deadline acts only beyond its end.
@pytest.mark.parametrize(
    ("deadline", "server", "expected"),
    [
        (69, {}, []),
        (70, {}, [DEADLINE]),
        (71, {"clock_skew_ms": 1}, []),
        (72, {"clock_skew_ms": 1}, [DEADLINE]),
        (73, {"sweep_lateness_ms": 4}, []),
        (74, {"sweep_lateness_ms": 4}, [DEADLINE]),
        (59, {"sweep_order": ["expiry", "orphans", "timeouts"]}, []),
        (60, {"sweep_order": ["expiry", "orphans", "timeouts"]}, [DEADLINE]),
        (900, {"expire_running": False}, []),
        (900, {"enforced_anchor": "terminal"}, []),
        (900, {"enforced_anchor": "activity"}, []),
        (900, {"sweep_period_ms": None}, []),
    ],
    ids=str,
)
def test_a_deadline_behind_the_ttl_is_dead(deadline: int, server: dict[str, object], expected: list[str]) -> None:
    """The deadline can act as long as some sweep finds the task overdue and not yet expired."""
    assert expected == dead(limits({DEADLINE: deadline, TTL: 60}, **server))


@pytest.mark.parametrize(
    ("window", "server", "expected"),
    [
        (69, {}, []),
        (70, {}, [WINDOW]),
        # included at its end, and the task is gone before 70
        (70, {"orphan_comparison": ">="}, [WINDOW]),
        (69, {"orphan_comparison": ">="}, []),
        (70, {"enforced_anchor": "activity"}, [WINDOW]),
        (69, {"enforced_anchor": "activity"}, []),
    ],
    ids=str,
)
def test_a_window_behind_the_ttl_is_dead(window: int, server: dict[str, object], expected: list[str]) -> None:
    """A client that vanishes at once is silent for longest."""
    assert expected == dead(limits({WINDOW: window, TTL: 60}, **server))


# The deadline fails the task before the orphans pass of the sweep looks at it, once it is surely over.
@pytest.mark.parametrize(("window", "expected"), [(59, []), (60, [WINDOW]), (61, [WINDOW])])
def test_a_window_behind_the_deadline_is_dead(window: int, expected: list[str]) -> None:
    """The timeouts pass stands first: the window acts only if it is over at an instant at which the deadline is not."""
    assert expected == dead(limits({WINDOW: window, DEADLINE: 60}))


def test_a_deadline_longer_than_the_work_is_a_safety_net() -> None:
    """Declared execution does not count: the work may hang all the same."""
    assert [] == dead(limits({DEADLINE: 9000, "workload.execution_ms": [0, 10]}))


def test_the_ttl_removes_what_has_ended() -> None:
    """A ttl behind a deadline still removes what has ended, unless it keeps that and never finds anything running."""
    values: dict[str, object] = {DEADLINE: 10, TTL: 900}
    assert [] == dead(limits(values))
    assert [] == dead(limits(values, expiry_action="fail"))
    assert [TTL] == dead(limits(values, expiry_action="fail", expired_terminal="keep"))
    assert [TTL] == dead(limits({TTL: 60}, expiry_action="fail", expired_terminal="keep", enforced_anchor="terminal"))


# Alive before 60 + 10; then a leg of 3 + 5 + 3 and a reply of 3; from the call the limit comes up to 3 earlier.
@pytest.mark.parametrize(
    ("limit", "origin", "expected"),
    [(86, "call", []), (87, "call", [OVERALL]), (82, "handle", []), (83, "handle", [OVERALL])],
)
def test_a_limit_behind_the_end_of_every_task_is_dead(limit: int, origin: str, expected: list[str]) -> None:
    """The client reads that its task is gone before its own limit comes."""
    client = {"client.initial_delay_ms": 5, "client.overall_timeout_from": origin, "network.latency_ms": [1, 3]}

    assert expected == dead(limits({OVERALL: limit, TTL: 60, **client}))


@pytest.mark.parametrize(
    ("overall", "told", "expected"),
    [(60, 60, []), (60, 61, [GIVE_UP]), (61, 60, [OVERALL]), (60, 59, [OVERALL])],
)
def test_of_two_limits_of_the_client_the_later_is_dead(overall: int, told: int, expected: list[str]) -> None:
    """At equality either may be the one that acts."""
    values = {OVERALL: overall, GIVE_UP: told, TTL: "none", "client.ttl_mode": "give-up", "client.initial_delay_ms": 5}

    assert expected == dead(limits(values))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({INPUT: 60, "server.input_state_retention_ms": 60}, []),
        ({INPUT: 61, "server.input_state_retention_ms": 60}, [INPUT]),
        ({INPUT: 60, "server.input_state_retention_ms": 900}, []),
        ({INPUT: 69, TTL: 60}, []),
        ({INPUT: 70, TTL: 60}, [INPUT]),
        ({INPUT: 70, DEADLINE: 60}, []),
        ({INPUT: 71, DEADLINE: 60}, [INPUT]),
    ],
    ids=str,
)
def test_an_input_window_behind_another_is_dead(values: dict[str, object], expected: list[str]) -> None:
    """The state that it waits on is gone before, or the task is; state kept for longer than the window is no fault."""
    assert expected == dead(limits(values))


def test_the_shadow_is_named() -> None:
    """The reason names the dead limit and what always comes first, with their numbers."""
    outcome = every_window_can_fire(Facts(limits({DEADLINE: 100, TTL: 60})))

    assert isinstance(outcome, Vacuous)
    assert outcome.why == (
        "server.execution_deadline_ms (100ms) can never be the one that acts: "
        "server.enforced_ttl_ms (60ms) always comes first, at the next sweep within 10ms of its end"
    )


def test_leases_and_attempts_are_never_dead() -> None:
    """A worker may die at any time."""
    assert [] == dead(limits({"server.lease_timeout_ms": 9000, DEADLINE: 10}))


def test_without_a_limit_there_is_nothing_to_be_dead() -> None:
    """The property does not apply."""
    assert isinstance(every_window_can_fire(Facts(limits({}))), NotApplicable)
