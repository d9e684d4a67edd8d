"""Leases: reports from the field, ties, margins, a search by hand, and the proof that the conditions are exact."""

import random

import pytest

from latchcheck.model.config import Client, Config, Network, Server, Workload
from latchcheck.model.timing.lease import Shape
from latchcheck.properties.timing.answers import NotApplicable
from latchcheck.properties.timing.facts import Facts
from latchcheck.properties.timing.leases import deliveries, lease_outlives_stall, recovery_inside_patience
from latchcheck.properties.timing.proofs.leases import LEASE_SHAPES, RECOVERY_SHAPES, lease_proofs, recovery_proofs
from latchcheck.properties.timing.verifying import shown
from tests.properties.asked import answer, events

SECOND, MINUTE, HOUR = 1_000, 60_000, 3_600_000


def leased(lease: int, renewal: int | None, work: int | None, stall: int = 0, sweep: int | None = None) -> Config:
    """A worker with a lease; `work` is the greatest execution time."""
    return Config(
        server=Server(lease_timeout_ms=lease, lease_renewal_ms=renewal, lease_sweep_ms=sweep),
        workload=Workload(execution_ms=None if work is None else (0, work), stall_ms=stall),
    )


def waited(config: Config, timeout: int, latency: tuple[int, int] = (0, 0)) -> Config:
    """The same, with a client that waits for `timeout` from its call."""
    client = Client(overall_timeout_ms=timeout)
    return Config(client, config.server, Network(latency_ms=latency), config.workload)


# name, lease, renewal, greatest execution, stall, safe, margin: the arithmetic stands in the report or beside it
FIELD = [
    ("heartbeat 30 s, threshold 30 s", 30 * SECOND, 30 * SECOND, HOUR, 0, False, 0),
    ("the same, threshold one millisecond longer", 30 * SECOND + 1, 30 * SECOND, HOUR, 0, True, 1),
    ("a mail job of 12826.3 s, visibility 3600 s", 3600 * SECOND, None, 12_826_300, 0, False, -9_226_300),
    ("held 4 s until its ETA, visibility 2 s", 2 * SECOND, None, 4 * SECOND, 0, False, -2 * SECOND),
    ("redelivery after 300 s, renewed every 75 s", 300 * SECOND, 75 * SECOND, None, 0, True, 225 * SECOND),
    ("a leader: lease 15 s, stops within 4 s of its 10 s", 15 * SECOND, 10 * SECOND, None, 4 * SECOND, True, SECOND),
    ("a leader that needs the 5 s of grace to stop", 15 * SECOND, 10 * SECOND, None, 5 * SECOND, False, 0),
    ("hard limit 3600 s, visibility 12 h", 12 * HOUR, None, HOUR, 0, True, 11 * HOUR),
    ("hard limit 3600 s, visibility 4500 s", 4500 * SECOND, None, HOUR, 0, True, 900 * SECOND),
    ("function 300 s, visibility 6 times that", 1800 * SECOND, None, 300 * SECOND, 0, True, 1500 * SECOND),
    ("function 900 s, visibility 30 s", 30 * SECOND, None, 900 * SECOND, 0, False, -870 * SECOND),
    ("function 300 s, visibility the same", 300 * SECOND, None, 300 * SECOND, 0, False, 0),
]


@pytest.mark.parametrize(
    ("lease", "renewal", "work", "stall", "safe", "margin"), [row[1:] for row in FIELD], ids=[row[0] for row in FIELD]
)
def test_reports_from_the_field(
    lease: int, renewal: int | None, work: int | None, stall: int, *, safe: bool, margin: int
) -> None:
    """A lease must be longer than renewal and stall, or than the work; equality loses it."""
    outcome = answer(lease_outlives_stall(Facts(leased(lease, renewal, work, stall))))

    assert (safe, margin) == (outcome.safe, outcome.margin_ms)
    assert safe or events(outcome) == ["lease_expires", "redeliver"]


def test_a_job_of_three_and_a_half_hours_is_delivered_four_times() -> None:
    """With a lease of 3600 s, work of 12826.3 s is delivered ceil(12826.3 / 3600) = 4 times, as its log shows."""
    outcome = answer(lease_outlives_stall(Facts(leased(3600 * SECOND, None, 12_826_300))))

    assert deliveries(3600 * SECOND, 12_826_300) == 4
    assert outcome.reason == "while the first worker runs the task is delivered up to 4 times"


def test_recovery_after_twelve_hours_comes_after_a_limit_of_four() -> None:
    """Visibility 12 h against a limit of 4 h: recovery never wins; with 4500 s and work of 3600 s it does."""
    before = answer(recovery_inside_patience(Facts(waited(leased(12 * HOUR, None, HOUR), 4 * HOUR))))
    after = answer(recovery_inside_patience(Facts(waited(leased(4500 * SECOND, None, HOUR), 4 * HOUR))))

    assert (False, -9 * HOUR) == (before.safe, before.margin_ms)
    assert ["create", "crash", "give_up"] == events(before)
    assert (True, (4 * 3600 - 4500 - 3600) * SECOND) == (after.safe, after.margin_ms)


def test_the_lease_sweep_is_part_of_the_bound() -> None:
    """Idle after 300 s and looked for every 75 s, a crashed task is redelivered after 375 s, not after 300 s."""
    config = leased(300 * SECOND, None, 60 * SECOND, sweep=75 * SECOND)
    late = answer(recovery_inside_patience(Facts(waited(config, 435 * SECOND))))
    enough = answer(recovery_inside_patience(Facts(waited(config, 435 * SECOND + 1))))

    assert [(False, 0), (True, 1)] == [(one.safe, one.margin_ms) for one in (late, enough)]
    assert ["create", "crash", "lease_expires", "redeliver", "give_up"] == events(late)


def test_a_lease_matters_only_while_the_work_runs() -> None:
    """A renewal that would come too late is none where the work has ended before the lease does."""
    assert answer(lease_outlives_stall(Facts(leased(10, 20, 9)))).safe
    assert not answer(lease_outlives_stall(Facts(leased(10, 20, 10)))).safe


def test_undeclared_work_may_take_any_time() -> None:
    """Without a renewal, no lease outlasts work that nobody bounded."""
    outcome = answer(lease_outlives_stall(Facts(leased(HOUR, None, None))))

    assert (False, None) == (outcome.safe, outcome.margin_ms)
    assert ["lease_expires", "redeliver"] == events(outcome)


@pytest.mark.parametrize("stall", [0, 5])
def test_clock_skew_does_not_touch_leases(stall: int) -> None:
    """A lease is granted, renewed and judged by one clock."""
    config = leased(30, 25, 100, stall)
    skewed = config.replace({"server.clock_skew_ms": 1000})

    assert lease_outlives_stall(Facts(config)) is not None
    assert answer(lease_outlives_stall(Facts(config))).safe is answer(lease_outlives_stall(Facts(skewed))).safe


def test_what_a_property_needs_is_named() -> None:
    """Without a lease, a limit or a declared execution there is nothing to answer."""
    plain = Facts(leased(10, None, 5))

    assert isinstance(lease_outlives_stall(Facts(Config())), NotApplicable)
    missing = recovery_inside_patience(plain)
    assert isinstance(missing, NotApplicable)
    assert "client.overall_timeout" in missing.missing
    missing = recovery_inside_patience(Facts(waited(leased(10, None, None), 50)))
    assert isinstance(missing, NotApplicable)
    assert "workload.execution" in missing.missing


def test_many_renewals_are_told_as_one() -> None:
    """A crash after an hour of renewals every 10 s takes five events, not hundreds."""
    config = waited(leased(30 * SECOND, 10 * SECOND, HOUR), 2 * HOUR)

    assert ["create", "renew_leases", "crash", "lease_expires", "redeliver", "give_up"] == events(
        recovery_inside_patience(Facts(config))
    )


def test_an_expired_lease_is_not_renewed() -> None:
    """A lease shorter than the renewal interval counts from its grant: 5 + 20, whatever renewals would come at 10."""
    config = leased(5, 10, 20)

    assert answer(recovery_inside_patience(Facts(waited(config, 26)))).margin_ms == 26 - (5 + 20)


# -- a search by hand ---------------------------------------------------------------------------------------------


def renewals(config: Config) -> set[int]:
    """Every whole instant of a renewal (or the grant) while the lease is held and the work runs, step by step."""
    server, stall = config.server, config.workload.stall_ms
    assert config.workload.execution_ms is not None
    last = config.workload.execution_ms[1]
    found, todo = {0}, [0]
    while todo and server.lease_renewal_ms is not None:
        since = todo.pop()
        for instant in range(since + server.lease_renewal_ms, since + server.lease_renewal_ms + stall + 1):
            in_time = instant - since <= (server.lease_timeout_ms or 0)
            if in_time and instant <= (last or 0) and instant not in found:
                found.add(instant)
                todo.append(instant)
    return found


def loses(config: Config) -> bool:
    """Whether from some renewal the next may come no sooner than the expiry, at or before the end of the work."""
    server, stall = config.server, config.workload.stall_ms
    lease, last = server.lease_timeout_ms or 0, (config.workload.execution_ms or (0, None))[1] or 0
    return any(
        since + lease <= last and (server.lease_renewal_ms is None or server.lease_renewal_ms + stall >= lease)
        for since in renewals(config)
    )


def test_a_search_by_hand_agrees() -> None:
    """Renewal by renewal in whole milliseconds, the verdicts are those of the conditions, and every harm is shown."""
    draw = random.Random(7)  # noqa: S311 - a seed, so that every run draws the same
    for _ in range(1500):
        work = draw.randint(0, 20)
        config = leased(
            draw.randint(1, 9),
            draw.choice([None, draw.randint(1, 8)]),
            work,
            draw.randint(0, 4),
            draw.choice([None, draw.randint(0, 5)]),
        )
        slow = draw.randint(0, 3)
        config = waited(config, draw.randint(0, 60), (0, slow))
        server = config.server
        end = max(renewals(config)) + (server.lease_timeout_ms or 0) + (server.lease_sweep_ms or 0) + work
        stop = (config.client.overall_timeout_ms or 0) - slow
        lost, recovered = (answer(one(Facts(config))) for one in (lease_outlives_stall, recovery_inside_patience))

        assert (not loses(config), end < stop) == (lost.safe, recovered.safe), config
        assert lost.safe or shown(lost) is not None, config
        assert recovered.safe or shown(recovered) is not None, config


# -- proofs -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", LEASE_SHAPES, ids=str)
def test_the_condition_of_a_lost_lease_is_exact(shape: Shape) -> None:
    """For all numbers: no overlap where the condition holds, and an allowed run to one where it fails."""
    assert [] == [str(proof) for proof in lease_proofs(shape) if not proof.proved]


@pytest.mark.parametrize("shape", RECOVERY_SHAPES, ids=str)
def test_the_condition_of_a_missed_recovery_is_exact(shape: Shape) -> None:
    """For all numbers: no recovery is missed where the condition holds, and else an allowed run misses one."""
    assert [] == [str(proof) for proof in recovery_proofs(shape) if not proof.proved]
