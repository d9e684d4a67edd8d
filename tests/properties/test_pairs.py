"""Seven worked pairs of published clients and servers: the verdict of each, and its arithmetic done by hand.

Presets are defaults, so what a pair leaves open (how long the work takes, what the network does) is said here.
At equality two events fall on the same instant and the verdict is that of the worse order, so a bound that is often
written "E + gap <= ttl" is "E + gap < ttl" here.
"""

import pytest

from latchcheck.kernel.verdict import Milliseconds, PropertyVerdict
from latchcheck.model.reading import read
from latchcheck.properties.timing import verify

SECOND = 1_000
Row = tuple[str, str, Milliseconds | None]


def asked(client: str, server: str, *sets: str) -> dict[str, PropertyVerdict]:
    """The verdicts on a pair of presets, by id."""
    return {one.id: one for one in verify(read(client=client, server=server, sets=sets)).properties}


def rows(verdicts: dict[str, PropertyVerdict], *names: str) -> list[Row]:
    """Id, verdict and margin of these properties."""
    return [(name, verdicts[name].verdict, verdicts[name].margin_ms) for name in names]


# -- a ttl shorter than the client's patience ---------------------------------------------------------------------


@pytest.mark.parametrize("server", ["mcp-py-1", "mcp-ts-1", "mcp-go"])
def test_a_ttl_of_60_s_is_240_s_short_of_a_wait_of_300_s(server: str) -> None:
    """Of the work that the client would wait for, up to 300 s, what takes 60 s or more is deleted: 60 - 300 = -240."""
    verdicts = asked("strands-py", server, "workload.execution=[0s,300s]")

    assert [("ttl-covers-execution", "violated", -240 * SECOND)] == rows(verdicts, "ttl-covers-execution")


@pytest.mark.parametrize(("server", "margin"), [("mcp-py-1", 500), ("mcp-ts-1", 1), ("mcp-go", 1)])
def test_work_shorter_than_the_ttl_is_not_deleted(server: str, margin: int) -> None:
    """Work of less than 60 s lives to its end; work of exactly 60 s may meet its expiry at that instant.

    Where only an access deletes, the last one inside work of 59.999 s is the poll at 59.5 s.
    """
    shorter = asked("strands-py", server, "workload.execution=[0s,59999ms]")
    equal = asked("strands-py", server, "workload.execution=[0s,60s]")

    assert [("ttl-covers-execution", "proved", margin)] == rows(shorter, "ttl-covers-execution")
    assert [("ttl-covers-execution", "violated", 0)] == rows(equal, "ttl-covers-execution")


@pytest.mark.parametrize("server", ["mcp-py-1", "mcp-ts-1", "mcp-go"])
def test_without_a_word_on_the_work_the_limit_that_never_acts_is_named(server: str) -> None:
    """With work of unknown length the 300 s are dead, since the record is gone after 60 s whatever happens."""
    dead = asked("strands-py", server)["every-window-can-fire"]

    assert "vacuous" == dead.verdict
    assert str(dead.reason).startswith("client.overall_timeout_ms (5m) can never be the one that acts")
    assert "server.enforced_ttl_ms (1m)" in str(dead.reason)


# -- a ttl equal to the client's patience -------------------------------------------------------------------------

WAIT_300 = ["anda", "mcpjam", "strands-py", "adk-rust"]


@pytest.mark.parametrize("client", WAIT_300)
def test_a_task_done_in_the_last_two_seconds_is_unreadable_at_its_next_poll(client: str) -> None:
    """Polls come every 2 s, the last at 300 s, when the ttl is over: what ends from 298 s on is lost, 300 - 300 = 0."""
    lost = asked(client, "tower-mcp", "workload.execution=[298s,300s]")
    kept = asked(client, "tower-mcp", "workload.execution=[0s,297999ms]")

    assert [("result-reaches-client", "violated", 0)] == rows(lost, "result-reaches-client")
    # The poll at 298 s reads it, 2 s before the ttl ends.
    assert [("result-reaches-client", "proved", 2 * SECOND)] == rows(kept, "result-reaches-client")


@pytest.mark.parametrize("client", WAIT_300)
def test_work_of_298_s_ends_2_s_before_the_ttl(client: str) -> None:
    """The ttl covers work of up to 298 s with 2 s to spare, although its result may be lost."""
    verdicts = asked(client, "tower-mcp", "workload.execution=[0s,298s]")

    assert [
        ("ttl-covers-execution", "proved", 2 * SECOND),
        ("result-reaches-client", "violated", 0),
    ] == rows(verdicts, "ttl-covers-execution", "result-reaches-client")


@pytest.mark.parametrize(
    ("client", "margin"), [("anda", -1_000), ("mcpjam", -1_000), ("strands-py", -500), ("adk-rust", -500)]
)
def test_a_clock_started_by_the_handle_costs_one_latency_more(client: str, margin: int) -> None:
    """With latencies of up to 500 ms the last poll arrives at 300.5 s at the latest, from a handle's clock at 301 s."""
    verdicts = asked(client, "tower-mcp", "workload.execution=[0s,300s]", "network.latency=[0s,500ms]")

    assert [("result-reaches-client", "violated", margin)] == rows(verdicts, "result-reaches-client")


def test_with_a_latency_that_never_varies_a_clock_started_by_the_call_has_no_slack() -> None:
    """The call left 500 ms before creation, so the last poll leaves at 299.5 s and arrives at 300 s: 300 - 300 = 0."""
    verdicts = asked("strands-py", "tower-mcp", "workload.execution=[0s,299s]", "network.latency=500ms")

    assert [("result-reaches-client", "violated", 0)] == rows(verdicts, "result-reaches-client")


# -- windows that slide, and a hint without an upper bound --------------------------------------------------------


@pytest.mark.parametrize(
    ("hint_ms", "verdict", "margin"),
    [(899_999, "proved", 1), (900_000, "violated", 0), (1_200_000, "violated", -300_000)],
)
def test_after_the_end_a_result_lives_for_900_s(hint_ms: int, verdict: str, margin: int) -> None:
    """A client that obeys a hint of 20 min comes 1200 - 900 = 300 s too late at the worst; at 15 min they may tie."""
    verdicts = asked("deerflow", "fastmcp-tasks", f"server.poll_interval={hint_ms}ms")

    assert [("result-reaches-client", verdict, margin)] == rows(verdicts, "result-reaches-client")


@pytest.mark.parametrize(
    ("hint_ms", "verdict", "margin"),
    [(1_799_999, "proved", 1), (1_800_000, "violated", 0), (1_860_000, "violated", -60_000)],
)
def test_while_running_a_handle_lives_for_1800_s(hint_ms: int, verdict: str, margin: int) -> None:
    """The routing keys slide for 1800 s and are gone at that instant, so a hint of 30 min already loses the handle."""
    verdicts = asked("deerflow", "fastmcp-tasks", f"server.poll_interval={hint_ms}ms")
    names = ("no-live-orphan", "hint-inside-orphan-window")

    assert [(name, verdict, margin) for name in names] == rows(verdicts, *names)


def test_a_handle_resumed_after_the_longest_gap_of_a_day_is_gone() -> None:
    """A remote hint of up to 86400 s is followed, 84600 s beyond the window and 85500 s beyond the retention."""
    verdicts = asked("deerflow", "fastmcp-tasks", "server.poll_interval=86400s")

    assert [
        ("no-live-orphan", "violated", (1_800 - 86_400) * SECOND),
        ("result-reaches-client", "violated", (900 - 86_400) * SECOND),
    ] == rows(verdicts, "no-live-orphan", "result-reaches-client")


# -- a hint that is not shorter than the ttl ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("client", "server", "hint_ms"),
    [("mcp-ts-1", "helidon-tasks", 1_000), ("mcp-py-1", "mcp-py-1", 500), ("mcp-ts-1", "mcp-ts-1", 1_000)],
)
def test_a_ttl_as_short_as_the_hint_is_over_at_the_first_hinted_poll(client: str, server: str, hint_ms: int) -> None:
    """The ttl must be longer than the hint; at equality the deletion may come first, and 1 ms decides."""
    found = [
        rows(asked(client, server, f"client.requested_ttl={hint_ms + more}ms"), "hint-inside-ttl")[0][1:]
        for more in (-1, 0, 1)
    ]

    assert [("violated", -1), ("violated", 0), ("proved", 1)] == found


# -- retention that shrinks while the work runs -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("execution_ms", "verdict", "margin"),
    [(3_594_999, "proved", 5_000), (3_595_000, "violated", 0), (3_600_000, "violated", -5_000)],
)
def test_a_ttl_of_an_hour_keeps_results_of_work_shorter_than_3595_s(
    execution_ms: int, verdict: str, margin: int
) -> None:
    """With polls every 5 s, what ends before 3595 s is read then; what ends at 3595 s, at 3600 s, when it is gone."""
    verdicts = asked("csharp-tasks", "quarkus-tasks", f"workload.execution=[0s,{execution_ms}ms]")

    assert [("result-reaches-client", verdict, margin)] == rows(verdicts, "result-reaches-client")


@pytest.mark.parametrize(("execution_ms", "margin"), [(3_595_000, 1_600), (3_599_999, -3_600)])
def test_the_round_trip_is_part_of_the_gap(execution_ms: int, margin: int) -> None:
    """With 100 ms each way polls arrive every 5.2 s, at 3593.2 s, 3598.4 s and 3603.6 s, against a ttl of 3600 s."""
    sets = (f"workload.execution=[0s,{execution_ms}ms]", "network.latency=100ms")
    verdicts = asked("csharp-tasks", "quarkus-tasks", *sets)

    assert [margin] == [verdicts["result-reaches-client"].margin_ms]


# -- two that hold ------------------------------------------------------------------------------------------------


def test_safe_windows_far_longer_than_the_longest_gap() -> None:
    """The handle outlives every silence, the result every wait for the next poll, and running work never expires.

    Silent for a gap of 5 s and a request of 60 s at most; a poll that succeeds follows the one before within 5 s.
    """
    sets = ("workload.execution=[0s,300s]", "network.max_consecutive_failures=1")
    verdicts = asked("strands-py", "fastmcp-tasks", *sets)

    assert [
        ("no-live-orphan", "proved", (1_800 - 5 - 60) * SECOND),
        ("result-reaches-client", "proved", (900 - 5) * SECOND),
        ("ttl-covers-execution", "proved", None),
    ] == rows(verdicts, "no-live-orphan", "result-reaches-client", "ttl-covers-execution")


@pytest.mark.parametrize("execution", ["[0s,299999ms]", "[0s,1h]"])
def test_safe_while_fewer_than_five_polls_fail(execution: str) -> None:
    """Any outcome stays for 300 s, also that of work failed at its ttl, and is read within four failures at the most.

    These cost 1 + 10, 1 + 10, 2 + 10, 4 + 10 and then 8 s: 56 s in all.
    """
    sets = (f"workload.execution={execution}", "network.max_consecutive_failures=4", "client.request_timeout=10s")
    verdicts = asked("mcpjam", "rmcp", *sets)

    assert [("result-reaches-client", "proved", (300 - 56) * SECOND)] == rows(verdicts, "result-reaches-client")


def test_a_fifth_failure_stops_the_client_and_still_loses_nothing() -> None:
    """After five failures in a row the client has left, so there is no poll that could come too late."""
    sets = ("workload.execution=[0s,299999ms]", "network.max_consecutive_failures=5", "client.request_timeout=10s")
    verdicts = asked("mcpjam", "rmcp", *sets)

    assert [("result-reaches-client", "proved", (300 - 56) * SECOND)] == rows(verdicts, "result-reaches-client")
