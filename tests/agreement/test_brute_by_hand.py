"""The oracle itself, on systems small enough to work out with a pencil; the arithmetic stands beside each."""

from typing import Any

import pytest

from tests.agreement.brute import Incomplete, Outcome, decide

LIVE = "no-live-orphan"
RESULT = "result-reaches-client"
PATIENCE = "patience-covers-execution"


def config(client: Any = (), server: Any = (), network: Any = (), workload: Any = ()) -> dict[str, Any]:
    """A client that polls every 5, work that lasts 20, sweeps every 1; no latency, no limits."""
    return {
        "client": {"initial_delay": 5, "max_delay": 5, **dict(client)},
        "server": {"sweep_period": 1, **dict(server)},
        "network": {"latency": (0, 0), **dict(network)},
        "workload": {"execution": (20, 20), **dict(workload)},
    }


def outcome(name: str, given: dict[str, Any]) -> Outcome:
    """The oracle's answer for one property."""
    return decide(given, only=(name,))[name]


@pytest.mark.parametrize(
    ("server", "violated"),
    [
        ({"orphan_window": 5}, False),  # at the tie 5 > 5 is false
        ({"orphan_window": 4}, True),
        ({"orphan_window": 5, "orphan_comparison": ">="}, True),  # the sweep at 5 comes first
        ({"orphan_window": 6, "orphan_comparison": ">="}, False),
        ({"orphan_window": 6, "clock_skew": 1}, False),  # 5 + 1 > 6 is false
        ({"orphan_window": 5, "clock_skew": 1}, True),
        ({"orphan_window": 5, "sweep_period": "lazy"}, False),
        ({"orphan_window": 4, "sweep_period": "lazy"}, True),  # judged before the poll is stamped
    ],
)
def test_a_gap_of_5_is_orphaned_by_shorter_windows(server: dict[str, Any], violated: bool) -> None:  # noqa: FBT001
    """The silence is the gap, and the comparison and the skew decide at equality."""
    assert violated == outcome(LIVE, config(server=server)).violated


@pytest.mark.parametrize(("window", "violated"), [(7, False), (6, True)])
def test_silence_spans_a_reply_a_gap_and_a_request(window: int, violated: bool) -> None:  # noqa: FBT001
    """With latency 0 to 1 the server hears nothing for up to 1 + 5 + 1."""
    given = config(server={"orphan_window": window}, network={"latency": (0, 1)})
    assert violated == outcome(LIVE, given).violated


@pytest.mark.parametrize(("window", "violated"), [(12, False), (11, True)])
def test_a_poll_lost_on_the_way_in_costs_timeout_and_another_gap(window: int, violated: bool) -> None:  # noqa: FBT001
    """5 + request_timeout 2 + 5 without a contact."""
    given = config({"request_timeout": 2}, {"orphan_window": window}, {"max_consecutive_failures": 1})
    assert violated == outcome(LIVE, given).violated


def test_an_error_backoff_replaces_the_next_gap() -> None:
    """5 + 2 + backoff 1 is 8: a window of 8 is enough, 7 is not."""
    client = {"request_timeout": 2, "error_initial_delay": 1}
    for window, violated in ((8, False), (7, True)):
        given = config(client, {"orphan_window": window}, {"max_consecutive_failures": 1})
        assert violated == outcome(LIVE, given).violated


@pytest.mark.parametrize(("execution", "violated"), [(3, True), (2, False)])
def test_work_that_is_done_is_not_orphaned(execution: int, violated: bool) -> None:  # noqa: FBT001
    """A window of 2 is passed only after 2, when work of 2 is over."""
    given = config(server={"orphan_window": 2}, workload={"execution": execution})
    assert violated == outcome(LIVE, given).violated


def test_an_earlier_deadline_leaves_no_live_task_to_orphan() -> None:
    """Sweeps every 1 fail the task by 4, long before a silence of 10."""
    given = config({"initial_delay": 15, "max_delay": 15}, {"orphan_window": 10, "execution_deadline": 3})
    assert not outcome(LIVE, given).violated


@pytest.mark.parametrize(
    ("mode", "violated"),
    [("floor", True), ("replace", True), ("ceiling", False), ("clamp", False), ("ignore", False)],
)
def test_hint_modes_set_the_gap(mode: str, violated: bool) -> None:  # noqa: FBT001
    """Delays 2, 4, 4, ... and a hint of 8: only floor and replace wait 8, more than a window of 4."""
    client = {"initial_delay": 2, "multiplier": 2, "max_delay": 4, "hint_mode": mode}
    assert violated == outcome(LIVE, config(client, {"poll_interval": 8, "orphan_window": 4})).violated


def test_a_restart_counts_for_its_own_property() -> None:
    """5 + 4 away: a window of 8 breaks only the restart property, 9 neither."""
    for window, violated in ((8, True), (9, False)):
        found = decide(config({"restart_gap": 4}, {"orphan_window": window}))
        assert not found[LIVE].violated
        assert violated == found["restart-inside-orphan-window"].violated


@pytest.mark.parametrize(
    ("ttl", "anchor", "period", "violated"),
    [
        (10, "creation", 1, True),  # polls at 5 and 10; the sweep at 10 comes first
        (11, "creation", 1, False),
        (10, "creation", "lazy", True),
        (11, "creation", "lazy", False),
        (2, "terminal", 1, True),  # 8 + 2 = 10
        (3, "terminal", 1, False),
        (2, "activity", 1, True),  # the write at 8 is activity
        (3, "activity", 1, False),
        (2, "creation-then-terminal", 1, True),  # restarted by the write at 8, so as for terminal
    ],
)
def test_a_result_written_at_8_waits_for_the_poll_at_10(ttl: int, anchor: str, period: Any, violated: bool) -> None:  # noqa: FBT001
    """The record must survive the poll's own instant, whatever order that instant takes."""
    server = {"enforced_ttl": ttl, "enforced_anchor": anchor, "sweep_period": period}
    if anchor in ("activity", "creation-then-terminal"):
        server["expire_running"] = False  # else the running task goes first
    given = config(server=server, workload={"execution": 8})
    assert violated == outcome(RESULT, given).violated


@pytest.mark.parametrize(
    ("server", "violated"),
    [
        ({"enforced_ttl": 20}, True),  # the sweep at 20 comes before the end at 20
        ({"enforced_ttl": 21}, False),
        ({"enforced_ttl": 20, "expire_running": False}, False),
        ({"enforced_ttl": 1, "enforced_anchor": "terminal"}, False),
        ({"enforced_ttl": 5, "enforced_anchor": "activity"}, True),
        ({"enforced_ttl": 6, "enforced_anchor": "activity"}, False),
    ],
)
def test_live_work_of_20_and_its_ttl(server: dict[str, Any], violated: bool) -> None:  # noqa: FBT001
    """Running work is expired once `now - anchor >= ttl`, unless its anchor or the switch exempts it."""
    assert violated == outcome("ttl-covers-execution", config(server=server)).violated


@pytest.mark.parametrize(
    ("latency", "start", "timeout", "violated"),
    [
        (0, "call", 10, True),  # read at 10, the limit at 10 may come first
        (0, "call", 11, False),
        (1, "call", 16, True),  # sent at -1; polls reach the server at 7 and 14, the reply is there at 15
        (1, "call", 17, False),
        (1, "handle", 14, True),  # the handle is there at 1
        (1, "handle", 15, False),
    ],
)
def test_work_of_8_is_read_by_the_second_poll(latency: int, start: str, timeout: int, violated: bool) -> None:  # noqa: FBT001
    """The limit must pass after the reply that carries the end."""
    client = {"overall_timeout": timeout, "overall_timeout_from": start}
    given = config(client, network={"latency": latency}, workload={"execution": 8})
    assert violated == outcome(PATIENCE, given).violated


@pytest.mark.parametrize(
    ("ttl", "period", "lateness", "violated"),
    [
        (1, 1, 0, True),  # failed at 3.5, removed at 4.5, polled at 5
        (2, 1, 0, False),  # failed strictly after 3, removed strictly after 5
        (4, 2, 0, True),  # failed at 5 just after the poll, removed at 9, polled at 10
        (5, 2, 0, False),  # failed at 5, the next sweeps at 9 and 11
        (1, 2, 1, True),  # swept at 2.5 + 1 and at 4.5
    ],
)
def test_a_task_failed_after_3_is_polled_at_5(ttl: int, period: int, lateness: int, violated: bool) -> None:  # noqa: FBT001
    """Strict guards are read in dense time: 3.5 exists, 3 does not fire."""
    server = {
        "execution_deadline": 3,
        "enforced_ttl": ttl,
        "enforced_anchor": "terminal",
        "sweep_period": period,
        "sweep_lateness": lateness,
    }
    assert violated == outcome("timeout-is-seen", config(server=server)).violated


def test_work_outlives_a_client_that_stopped() -> None:
    """A ttl of 6 since the last activity holds while polls come every 5; with the limit at 6 it ends at 11."""
    server = {"enforced_ttl": 6, "enforced_anchor": "activity"}
    for limit, violated in ((None, False), (6, True)):
        given = config({"overall_timeout": limit}, server)
        assert violated == outcome("ttl-covers-execution", given).violated


def test_a_limit_may_pass_while_the_last_failure_is_not_yet_noticed() -> None:
    """Polls at 5 and 10, work ends at 8; the second is lost, noticed at 14, so a limit of 12 ends the wait unread."""
    client = {"request_timeout": 4, "max_consecutive_errors": 1, "overall_timeout": 12}
    given = config(client, network={"max_consecutive_failures": 1}, workload={"execution": 8})
    assert outcome(PATIENCE, given).violated


def test_orphans_are_found_after_window_period_and_lateness() -> None:
    """A sweep that just misses the window of 5 is followed by the next, 2 + 1 later; a lazy server never looks."""
    found = outcome(
        "orphans-found-in-time", config(server={"orphan_window": 5, "sweep_period": 2, "sweep_lateness": 1})
    )
    assert found.bound_ms == 8
    lazy = outcome("orphans-found-in-time", config(server={"orphan_window": 5, "sweep_period": "lazy"}))
    assert lazy.bound_ms is None


def test_a_lease_must_outlast_renewal_and_stall() -> None:
    """Renewed every 3 and stalled for 2: 5 may expire first, 6 holds; without renewal it must outlast 20."""
    for lease, renewal, violated in ((5, 3, True), (6, 3, False), (20, None, True), (21, None, False)):
        server = {"lease_timeout": lease, "lease_renewal": renewal, "lease_sweep": 1}
        given = config(server=server, workload={"stall": 2})
        assert violated == outcome("lease-outlives-stall", given).violated


def test_failures_without_a_request_timeout_are_incomplete() -> None:
    """Nothing says when a failed poll is noticed, so the runs are not defined."""
    with pytest.raises(Incomplete, match=r"client\.request_timeout"):
        decide(config(network={"max_consecutive_failures": 1}, server={"orphan_window": 5}))
