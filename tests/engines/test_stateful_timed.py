"""The sampled search of systems with a clock: which instants and numbers it tries, and what it finds by them."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
import z3

from latchcheck.cli.wiring import reducer as reduce_in
from latchcheck.engines.stateful import Fuzzed, fuzz
from latchcheck.engines.stateful_timed import TimedSteps
from latchcheck.kernel import Action, Bool, Choice, Clause, IntRange, Property, Real, Sentence, System, Variable, replay
from latchcheck.model.config import Client, Config, Network, Server, Workload
from latchcheck.properties.timing.analyses import ANALYSES
from latchcheck.properties.timing.answers import Answer
from latchcheck.properties.timing.cases import SYSTEMS, case_of
from latchcheck.properties.timing.catalogue import CATALOGUE
from latchcheck.properties.timing.facts import Facts
from latchcheck.properties.timing.verifying import answer

SAID = Sentence("It holds.", "a test", "here")
WINDOW_MS = 60_000


def alarm(*, strict: bool = True, choice: Choice | None = None) -> tuple[System, Property]:
    """A window that is over, or only then if `strict` longer ago, and a bell that may ring late by a choice."""
    now, set_at, rung = Variable("now", Real(), 0), Variable("set_at", Real(), 0), Variable("rung", Bool(), False)
    elapsed = now.term - set_at.term + (0 if choice is None else choice.term)
    over = elapsed > WINDOW_MS if strict else elapsed >= WINDOW_MS
    bounds = () if choice is None else (Clause("within its bounds", z3.And(choice.term >= 0, choice.term <= 7)),)
    system = System(
        "alarm",
        (now, set_at, rung),
        (
            Action("set", "user", (), {"set_at": now.term}),
            Action("ring", "clock", (*bounds, Clause("the window is over", over)), {"rung": z3.BoolVal(True)})
            if choice is None
            else Action(
                "ring", "clock", (*bounds, Clause("the window is over", over)), {"rung": z3.BoolVal(True)}, (choice,)
            ),
        ),
        clock="now",
        urgency=(Clause("nobody waits for ever", now.term - set_at.term <= 2 * WINDOW_MS),),
    )
    return system, Property("silent", "MUST", SAID, (Clause("never rung", z3.Not(rung.term)),))


@pytest.mark.parametrize(("strict", "first"), [(True, WINDOW_MS + 1), (False, WINDOW_MS)])
def test_the_edge_of_a_window_is_tried(strict: bool, first: int) -> None:  # noqa: FBT001 - a case of a table
    """A window of a minute is over at its edge, or a millisecond later; a run of one step shows it at once."""
    system, asked = alarm(strict=strict)
    found = fuzz(system, [asked], runs_max=20, reduce=reduce_in(system))
    assert found.counterexample is not None
    assert [("ring", first)] == [(step.action, step.at_ms) for step in found.counterexample]
    replay(system, found.counterexample)


def test_instants_are_those_around_the_edges() -> None:
    """From the start an alarm can be set now, a millisecond on, and around the ends of its two windows."""
    steps = TimedSteps(alarm()[0])
    events = steps.of(steps.start)
    edges = [at + by for at in (WINDOW_MS, 2 * WINDOW_MS) for by in (-1, 0, 1)]
    assert {WINDOW_MS + 1, *edges[3:5]} == {event.at_ms for event in events["ring"]}
    assert {0, 1, *edges[3:5]} == {event.at_ms for event in events["set"]}


def test_the_edges_of_a_dense_choice_are_tried() -> None:
    """What is picked from all numbers between two bounds is a bound, or next to where it decides."""
    lateness = Choice("late", Real(), lower=z3.RealVal(0), upper=z3.RealVal(7))
    system, asked = alarm(choice=lateness)
    steps = TimedSteps(system)
    tried: set[Any] = {(event.at_ms, event.args["late"]) for event in steps.at("ring", steps.start, WINDOW_MS - 3)}
    # At 3 ms before its end the window is over for whoever is late by more than 3 ms.
    assert {(WINDOW_MS - 3, 4), (WINDOW_MS - 3, 7)} <= tried
    assert all(late > 3 for _, late in tried)
    assert "silent" == fuzz(system, [asked], runs_max=20).violated


def test_the_largest_number_that_is_possible_is_tried() -> None:
    """Of a range that nobody could list the largest member that the guard allows is among those tried."""
    now, count = Variable("now", Real(), 0), Choice("count", IntRange(1, 10**15))
    rounds: Any = z3.ToReal(count.term)
    few = Clause("few enough", rounds * 7 <= 1000)
    system = System("many", (now,), (Action("do", "user", (few,), {}, (count,)),), clock="now")
    steps = TimedSteps(system)
    assert {1, 2, 142} <= {event.args["count"] for event in steps.at("do", steps.start, 0)}


def test_the_same_seed_draws_the_same_timed_runs() -> None:
    """No clock and no order of a set: two searches with one seed agree in every number and every instant."""
    case = case_of("no-live-orphan", CONFIG)
    first, second = (fuzz(case.system, [case.asked], seed=5, runs_max=30) for _ in range(2))
    assert first == second


def test_every_property_has_a_system() -> None:
    """Only the property of which no run is a counterexample has none, and the harms are variables of the systems."""
    assert [*CATALOGUE] == [name for name in CATALOGUE if name in SYSTEMS or name == "every-window-can-fire"]


CONFIG = Config(
    Client(
        initial_delay_ms=5_000,
        overall_timeout_ms=40_000,
        request_timeout_ms=1_000,
        restart_gap_ms=20_000,
        retry_horizon_ms=90_000,
        polls_while_waiting=False,
    ),
    Server(
        poll_interval_ms=6_000,
        advertised_ttl_ms=30_000,
        enforced_ttl_ms=25_000,
        sweep_period_ms=4_000,
        orphan_window_ms=15_000,
        orphan_bound_ms=16_000,
        abandoned_work_bound_ms=10_000,
        execution_deadline_ms=28_000,
        clock_skew_ms=100,
        lease_timeout_ms=5_000,
        lease_renewal_ms=2_000,
        lease_sweep_ms=1_000,
        max_attempts=3,
        retry_initial_delay_ms=1_000,
        idempotency_retention_ms=60_000,
        cancel_marker_retention_ms=10_000,
        input_window_ms=20_000,
    ),
    Network(latency_ms=(10, 200), max_consecutive_failures=1),
    Workload(execution_ms=(1_000, 60_000), human_answer_ms=(1_000, 30_000), stall_ms=9_000),
)
"""A configuration in which nearly everything is wrong."""


def sampled(name: str, config: Config, runs_max: int) -> tuple[Fuzzed, str]:
    """What a sample finds, and the verdict of `verify`; both on the same question."""
    facts = Facts(config)
    outcome = ANALYSES[name](facts)
    assert isinstance(outcome, Answer)
    case = case_of(name, outcome.config or config)
    found = fuzz(case.system, [case.asked], seed=1, runs_max=runs_max, shrink=False)
    if found.counterexample is not None:
        replay(case.system, found.counterexample)
    return found, answer(name, facts).verdict


# What a sample finds within 400 runs; the others need a longer run or a rarer instant.
FOUND = frozenset(SYSTEMS) - {"result-reaches-client", "timeout-is-seen", "ttl-covers-execution"}


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_timed_sample_agrees_with_verify(name: str) -> None:
    """What a sample finds broken `verify` does not prove, and where `verify` shows a harm a sample mostly finds one."""
    found, verdict = sampled(name, CONFIG, 400 if name in FOUND else 30)
    if verdict in ("proved", "holds"):
        assert found.violated is None
    elif name in FOUND:
        assert name == found.violated


@pytest.mark.parametrize("name", [name for name in SYSTEMS if name != "timeout-is-seen"])
def test_a_generous_configuration_is_not_accused(name: str) -> None:
    """Where `verify` proves a property no sampled run breaks it."""
    config = attrs.evolve(
        CONFIG,
        client=attrs.evolve(CONFIG.client, overall_timeout_ms=10**8, retry_horizon_ms=10_000, restart_gap_ms=1_000),
        server=attrs.evolve(
            CONFIG.server,
            poll_interval_ms=5_000,
            advertised_ttl_ms=10**7,
            enforced_ttl_ms=10**7,
            orphan_window_ms=10**6,
            orphan_bound_ms=2 * 10**6,
            abandoned_work_bound_ms=2 * 10**6,
            execution_deadline_ms=10**6,
            clock_skew_ms=0,
            lease_timeout_ms=20_000,
            cancel_marker_retention_ms=10**8,
            input_window_ms=10**6,
        ),
    )
    found, verdict = sampled(name, config, 30)
    assert ("proved", None) == (verdict, found.violated)
