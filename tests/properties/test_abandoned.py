"""A client that has left for good: bounds by hand, ties, runs, a search by ticks, and the proof that they are exact."""

import random
from fractions import Fraction

import pytest
import z3

from latchcheck.engines.explicit import explore
from latchcheck.kernel import Clause, Property, Sentence, System
from latchcheck.model.config import Config
from latchcheck.model.timing.abandonment import abandoned_system
from latchcheck.model.timing.system import numbers
from latchcheck.model.timing.telling import telling
from latchcheck.properties.timing.abandoned import abandoned_work_is_bounded
from latchcheck.properties.timing.abandoned_found import orphans_found_in_time
from latchcheck.properties.timing.answers import NotApplicable
from latchcheck.properties.timing.facts import Facts
from latchcheck.properties.timing.proofs.abandoned import never_reclaimed_proof, orphan_proofs, work_proofs
from latchcheck.properties.timing.repairs import repairs_of
from tests.properties.asked import answer, events

SECOND, MINUTE = 1_000, 60_000


def swept(**server: object) -> Config:
    """A server that sweeps every 60 s, up to 5 s late, its clocks 10 ms apart; other server keys by name."""
    base = {"sweep_period_ms": MINUTE, "sweep_lateness_ms": 5 * SECOND, "clock_skew_ms": 10}
    return Config().replace({f"server.{name}": value for name, value in {**base, **server}.items()})


# -- orphans-found-in-time ----------------------------------------------------------------------------------------

# 15 min + 10 ms of skew + 60 s + 5 s.
REPORTED = 15 * MINUTE + 10 + MINUTE + 5 * SECOND


def test_the_bound_is_reported() -> None:
    """Window, skew, period and lateness add up, and that is the bound without any being stated."""
    outcome = answer(orphans_found_in_time(Facts(swept(orphan_window_ms=15 * MINUTE))))

    assert (True, REPORTED, None) == (outcome.safe, outcome.bound_ms, outcome.margin_ms)


@pytest.mark.parametrize("comparison", [">", ">="])
@pytest.mark.parametrize(("stated", "safe", "margin"), [(REPORTED, True, 0), (REPORTED - 1, False, -1)])
def test_reclaimed_at_the_stated_bound_is_in_time(comparison: str, stated: int, *, safe: bool, margin: int) -> None:
    """Equality is fine; a millisecond less is missed, even where the bound itself is only approached."""
    config = swept(orphan_window_ms=15 * MINUTE, orphan_bound_ms=stated, orphan_comparison=comparison)
    outcome = orphans_found_in_time(Facts(config))

    assert (safe, margin) == (answer(outcome).safe, answer(outcome).margin_ms)
    assert safe or ["create", "leave", "still_working"] == events(outcome)


def test_an_exact_timer_adds_nothing() -> None:
    """sweep_period = 0 is an exact timer: the bound is the window itself."""
    config = swept(orphan_window_ms=100, sweep_period_ms=0, sweep_lateness_ms=0, clock_skew_ms=0)

    assert 100 == answer(orphans_found_in_time(Facts(config))).bound_ms


def test_nobody_accesses_an_abandoned_task() -> None:
    """Where accesses judge, an abandoned task is never reclaimed: there is no bound and no margin."""
    config = swept(orphan_window_ms=15 * MINUTE, sweep_period_ms="lazy", sweep_lateness_ms=0)
    outcome = orphans_found_in_time(Facts(config))

    assert (False, None, None) == (answer(outcome).safe, answer(outcome).margin_ms, answer(outcome).bound_ms)
    assert ["create", "leave", "still_working"] == events(outcome)
    assert never_reclaimed_proof(config).proved


@pytest.mark.parametrize("missing", ["orphan_window_ms", "sweep_period_ms"])
def test_without_window_or_sweep_it_does_not_apply(missing: str) -> None:
    """Nothing is reclaimed without a window, and nothing is promised without a period."""
    config = swept(**{"orphan_window_ms": 15 * MINUTE, missing: None})
    outcome = orphans_found_in_time(Facts(config))

    assert isinstance(outcome, NotApplicable)
    assert missing.removesuffix("_ms") in outcome.missing


@pytest.mark.parametrize("comparison", [">", ">="])
def test_finding_in_time_is_exactly_the_condition(comparison: str) -> None:
    """For all numbers: reclaimed within the bound where the condition holds, too late in the run where it fails."""
    config = swept(orphan_window_ms=9, orphan_comparison=comparison)

    assert [] == [str(proof) for proof in orphan_proofs(config) if not proof.proved]


# -- abandoned-work-is-bounded ------------------------------------------------------------------------------------


def work(on: object, execution: object = None, *, cancel: object = False, **server: object) -> Config:
    """Work that goes on for `on` when it is told to stop, behind a network of 1 to 3 s."""
    return swept(**server).replace(
        {
            "workload.works_on_after_cancel": on,
            "workload.execution_ms": execution,
            "client.cancel_on_abandon": cancel,
            "network.latency_ms": [1 * SECOND, 3 * SECOND],
        }
    )


LATE = 10 + MINUTE + 5 * SECOND
"""Skew, period and lateness."""


@pytest.mark.parametrize(
    ("config", "bound"),
    [
        (work(False, orphan_window_ms=15 * MINUTE), 15 * MINUTE + LATE),
        (work(7 * SECOND, orphan_window_ms=15 * MINUTE), 15 * MINUTE + LATE + 7 * SECOND),
        (work(7 * SECOND, execution_deadline_ms=2 * MINUTE), 2 * MINUTE + LATE + 7 * SECOND),
        (work(False, orphan_window_ms=MINUTE, execution_deadline_ms=2 * MINUTE), MINUTE + LATE),
        (work(True, enforced_ttl_ms=MINUTE, expiry_stops_work=True), MINUTE + LATE),
        (work(7 * SECOND, cancel=True), 10 * SECOND),
        (work(False, cancel=True), 3 * SECOND),
        (work(True, execution=[0, 4 * MINUTE]), 4 * MINUTE),
        (work(7 * SECOND, execution=[0, 5 * SECOND], cancel=True), 5 * SECOND),
    ],
    ids=str,
)
def test_whatever_stops_first_bounds_it(config: Config, bound: int) -> None:
    """Each bound is the sum of its parts; one millisecond less, stated, is missed in a run."""
    outcome = answer(abandoned_work_is_bounded(Facts(config)))
    assert (True, bound) == (outcome.safe, outcome.bound_ms)

    stated = config.replace({"server.abandoned_work_bound_ms": bound})
    outcome = answer(abandoned_work_is_bounded(Facts(stated)))
    assert (True, 0) == (outcome.safe, outcome.margin_ms)
    short = abandoned_work_is_bounded(Facts(config.replace({"server.abandoned_work_bound_ms": bound - 1})))
    assert -1 == answer(short).margin_ms
    assert "still_running" == events(short)[-1]


def test_without_any_limit_there_is_nothing_to_bound() -> None:
    """A configuration that limits nothing and declares no execution says nothing about abandoned work."""
    assert isinstance(abandoned_work_is_bounded(Facts(work(True))), NotApplicable)


@pytest.mark.parametrize(
    "config",
    [
        work(True, orphan_window_ms=15 * MINUTE, execution_deadline_ms=MINUTE),
        work(True, cancel=True),
        work(False, orphan_window_ms=15 * MINUTE, sweep_period_ms="lazy", sweep_lateness_ms=0),
        work(False, orphan_window_ms=15 * MINUTE, sweep_period_ms=None, sweep_lateness_ms=0),
        work(False, enforced_ttl_ms=MINUTE),
    ],
    ids=str,
)
def test_some_work_is_never_stopped(config: Config) -> None:
    """Work that ignores its cancel, or that nothing tells to stop, runs on longer than anything bounds."""
    outcome = abandoned_work_is_bounded(Facts(config))

    assert (False, None) == (answer(outcome).safe, answer(outcome).margin_ms)
    assert "still_running" == events(outcome)[-1]


def test_an_expired_task_can_no_longer_be_reclaimed() -> None:
    """A record deleted after 1 min while its handler runs on: neither window nor cancel finds it (mcp-go 981)."""
    config = work(False, cancel=True, orphan_window_ms=15 * MINUTE, enforced_ttl_ms=MINUTE)
    outcome = abandoned_work_is_bounded(Facts(config))

    assert not answer(outcome).safe
    assert ["create", "tasks/get", "sweep", "leave", "tasks/cancel", "still_running"] == events(outcome)
    repaired = config.replace({"server.expiry_stops_work": True})
    assert answer(abandoned_work_is_bounded(Facts(repaired))).safe


def test_a_deadline_before_the_ttl_still_stops_it() -> None:
    """A deadline that fails the task before it can expire bounds the work, whatever the expiry leaves running."""
    config = work(False, execution_deadline_ms=MINUTE, enforced_ttl_ms=10 * MINUTE)

    assert MINUTE + LATE == answer(abandoned_work_is_bounded(Facts(config))).bound_ms


SHAPES = [
    {"orphan_window_ms": 9},
    {"orphan_window_ms": 9, "orphan_comparison": ">="},
    {"execution_deadline_ms": 9},
    {"orphan_window_ms": 9, "execution_deadline_ms": 9},
    {"enforced_ttl_ms": 9, "expiry_stops_work": True},
    {"enforced_ttl_ms": 9, "expiry_stops_work": True, "enforced_anchor": "activity"},
]


@pytest.mark.parametrize("server", SHAPES, ids=str)
@pytest.mark.parametrize("on", [False, 5])
def test_the_bound_is_exact(on: object, server: dict[str, object]) -> None:
    """For all numbers: no work outlasts the bound, and any shorter one is outlasted in a run."""
    assert [] == [str(proof) for proof in work_proofs(work(on, **server)) if not proof.proved]


@pytest.mark.parametrize("on", [False, 5])
def test_the_bound_of_a_cancel_is_exact(on: object) -> None:
    """The same for a client that cancels when it leaves, where nothing sweeps."""
    config = work(on, cancel=True, sweep_period_ms=None, sweep_lateness_ms=0)

    assert [] == [str(proof) for proof in work_proofs(config) if not proof.proved]


def drawn(draw: random.Random) -> Config:
    """A small configuration in whole milliseconds, in which the work ends by itself at last."""
    server = {
        "orphan_window_ms": draw.choice([None, 1, 2]),
        "orphan_comparison": draw.choice([">", ">="]),
        "execution_deadline_ms": draw.choice([None, 1, 2]),
        "enforced_ttl_ms": draw.choice([None, 1, 2]),
        "enforced_anchor": draw.choice(["creation", "terminal", "creation-then-terminal", "activity"]),
        "expiry_stops_work": draw.choice([True, False]),
        "sweep_period_ms": draw.choice([1, 2]),
        "sweep_order": draw.sample(["timeouts", "orphans", "expiry"], 3),
    }
    config = Config().replace({f"server.{name}": value for name, value in server.items()})
    return config.replace(
        {
            "client.cancel_on_abandon": draw.choice([True, False]),
            "network.latency_ms": [0, draw.choice([0, 1])],
            "workload.execution_ms": [0, 6],
            "workload.works_on_after_cancel": draw.choice([True, False, 1]),
        }
    )


def test_no_run_by_ticks_outlasts_the_bound() -> None:
    """Every run of small configurations in whole milliseconds, limits combined at will, stays within the bound."""
    draw = random.Random(5)  # noqa: S311 - a seed, so that every run draws the same
    sentence = Sentence("no work outlasts the bound", "latchcheck", "tests")
    never = Property("bounded", "MUST", sentence, (Clause("bounded", z3.Not(z3.Bool("works_on"))),))
    for _ in range(12):
        config = drawn(draw)
        bound = answer(abandoned_work_is_bounded(Facts(config))).bound_ms
        assert bound is not None
        system = abandoned_system(config, symbolic=True)
        values = _numbers(config, bound)
        system = system.at({name: values[name] for name in system.parameters})
        plain = System(
            system.name,
            system.variables,
            tuple(action for action in system.actions if action.name not in ("polls", "polls_end")),
            system.clock,
            system.urgency,
        )

        found = explore(plain, (never,), horizon_ms=bound + 2, unit_ms=1)
        assert found.complete, config
        assert found.counterexample is None, (config, str(found.counterexample))


def _numbers(config: Config, bound: int | Fraction) -> dict[str, int | Fraction]:
    """The numbers of the system of a configuration, with the bound to check."""
    on = config.workload.works_on_after_cancel
    return {**numbers(config), "bound": bound, "works_on_at_most": 0 if isinstance(on, bool) else on}


UNSTOPPED = {
    "never stops": (
        {"orphan_window_ms": 600_000, "sweep_period_ms": MINUTE},
        {"workload.works_on_after_cancel": False},
    ),
    "never swept": (
        {"advertised_ttl_ms": 600_000},
        {"server.expiry_stops_work": True, "server.sweep_period_ms": 600_000},
    ),
    "judged at accesses": (
        {"orphan_window_ms": 600_000, "sweep_period_ms": "lazy"},
        {"workload.works_on_after_cancel": False, "client.cancel_on_abandon": True},
    ),
}


@pytest.mark.parametrize("name", UNSTOPPED)
def test_work_that_nothing_stops_is_repaired_by_what_is_missing(name: str) -> None:
    """No number can be moved, so settings are offered, the fewest together, and each choice alone does without rest."""
    server, first = UNSTOPPED[name]
    config = Config().replace({f"server.{key}": value for key, value in server.items()})
    found = repairs_of("abandoned-work-is-bounded", config, (), None)

    assert found[0].set == first
    for repair in found:
        assert answer(abandoned_work_is_bounded(Facts(config.replace(repair.set)))).safe
        for left_out in repair.set:
            rest = {key: value for key, value in repair.set.items() if key != left_out}
            assert not answer(abandoned_work_is_bounded(Facts(config.replace(rest)))).safe


@pytest.mark.parametrize("stated", [None, 1_200_000])
def test_a_bound_is_spoken_of_only_where_one_is_stated(stated: int | None) -> None:
    """Clause and harm name a stated bound, or say that there is none."""
    base = {"server.orphan_window_ms": 600_000, "server.sweep_period_ms": MINUTE}
    config = Config().replace({**base, "server.abandoned_work_bound_ms": stated})
    clause = answer(abandoned_work_is_bounded(Facts(config))).clause
    harm = telling(config).harms["works_on"]

    assert ("stated bound has passed" in harm) is (stated is not None)
    assert ("no bound is stated (server.abandoned_work_bound)" in clause) is (stated is None)
