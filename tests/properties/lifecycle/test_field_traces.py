"""Reports from the field as traces: what a server did is no run of the guarded model, or is one where it was right.

`tests/properties/test_field_cases.py` has the reports that are about durations.
What a log cannot show (parts of a task that go one by one, starts that are no results) is searched under the policy
that leaves the guard out.
"""

from __future__ import annotations

import pytest

from latchcheck.counterexamples.audit import Entry, Occurrence, Reading, audit
from latchcheck.engines.explicit import explore
from latchcheck.model.config import Config
from latchcheck.model.policy import Policy
from latchcheck.model.scope import Scope
from latchcheck.properties.lifecycle.catalogue import model
from latchcheck.properties.timing import verify

CREATED = Occurrence("create", "working")
CANCELLED = Occurrence("cancel", "cancelled")
COMPLETED = Occurrence("worker_write", "completed")
GONE = Occurrence("reap", "gone")


def refused(status: str) -> Occurrence:
    """A worker's late report that changes nothing."""
    return Occurrence("worker_write", status, refused=True)


# Report: what happened, and how many events a run of the model explains; None where it explains all.
TRACES: dict[str, tuple[list[Occurrence], int | None]] = {
    # Deleted at its ttl while the worker still reports progress.
    "https://github.com/nitrocloudofficial/nitrostack/issues/329": ([CREATED, Occurrence("get", "working"), GONE], 2),
    # The record of running work expires; a cancel no longer finds it.
    "https://github.com/mark3labs/mcp-go/issues/981": ([CREATED, GONE, Occurrence("cancel", "gone", refused=True)], 1),
    # Completed, then cancelled by a cancel that came after.
    "https://github.com/modelcontextprotocol/python-sdk/pull/3003": ([CREATED, COMPLETED, CANCELLED], 2),
    # Cancelled, then overwritten by the exit of a worker that failed.
    "https://github.com/apify/apify-mcp-server/pull/812": (
        [CREATED, CANCELLED, Occurrence("worker_write", "failed")],
        2,
    ),
    # The store refuses what a timer brings after the cancel.
    "https://github.com/TanStack/ai/pull/940": ([CREATED, CANCELLED, refused("completed"), CANCELLED], None),
    # The canceller has read working, the worker writes, the canceller writes.
    "https://github.com/a2aproject/a2a-dotnet/issues/401": ([CREATED, COMPLETED, CANCELLED], 2),
    # The reaper has read running, the worker succeeds, the reaper writes.
    "https://github.com/apache/airflow/issues/12396": ([CREATED, COMPLETED, Occurrence("reap", "failed")], 2),
    # Overdue work is failed, read as failed for a while, refused when it comes late, and gone in the end.
    "https://github.com/modelcontextprotocol/rust-sdk/pull/1020": (
        [CREATED, Occurrence("reap", "failed"), Occurrence("get", "failed"), refused("completed"), GONE],
        None,
    ),
}

# Report: the switch that does what its server did, and the properties that notice it.
SEARCHED: dict[str, tuple[str, tuple[str, ...]]] = {
    # Of one task the arguments go first, and what routes to it lives on.
    "https://github.com/PrefectHQ/fastmcp/issues/5143": ("cleanup=piecewise", ("cleanup-is-complete",)),
    # The record goes, its slot does not come back.
    "https://github.com/mark3labs/mcp-go/issues/981": ("cleanup=piecewise", ("cleanup-is-complete",)),
    # A second question under the key of the first: nobody answers it, or the old answer is taken for its own.
    "https://github.com/joshrotenberg/tower-mcp/pull/1248": (
        "input_keys=reused",
        ("input-key-names-one-question", "answered-input-is-consumed"),
    ),
    # A create that is interrupted between its steps leaves a record that nothing works on or ends.
    "https://github.com/TJC-LP/fast-mcp-scala/pull/89": ("dispatch=after-commit", ("dispatch-with-record",)),
    # A draining instance renews nothing, and the work is started again beside it.
    "https://github.com/Azure-Samples/Durable-Task-Scheduler/issues/331": (
        "lease_renewal=never",
        ("single-execution",),
    ),
    # Three steps of a race: read, write by another, write.
    "https://github.com/a2aproject/a2a-dotnet/issues/401": ("terminal_guard=check-then-set", ("one-terminal-outcome",)),
}


@pytest.fixture(scope="module")
def reading() -> Reading:
    """The guarded model."""
    return Reading()


def explained(reading: Reading, events: list[Occurrence]) -> int | None:
    """How many events come before the first that no run explains; None where all are explained."""
    log = [Entry(line, None, "a", one) for line, one in enumerate(events, 1)]
    found = audit(log, reading, name="report").found
    return found[0].explained if found else None


@pytest.mark.parametrize("report", TRACES)
def test_a_trace_is_a_run_where_the_server_was_right(report: str, reading: Reading) -> None:
    """What no run explains is the very event that did the harm, and a trace without harm is explained to its end."""
    events, expected = TRACES[report]
    assert expected == explained(reading, events)


@pytest.mark.parametrize("exit_kind", ["completed", "failed"])
def test_every_exit_of_a_worker_is_guarded(exit_kind: str, reading: Reading) -> None:
    """However a worker ends after a cancel, with a result or an error, a right server refuses it."""
    assert 2 == explained(reading, [CREATED, CANCELLED, Occurrence("worker_write", exit_kind)])
    assert None is explained(reading, [CREATED, CANCELLED, refused(exit_kind)])


@pytest.mark.parametrize("report", SEARCHED)
def test_what_a_server_leaves_out_is_found(report: str) -> None:
    """Each property that speaks about the report is broken by a server that does as the reported one did."""
    policy, names = SEARCHED[report]
    for name in names:
        system, asked = model(name, Scope.parse("ci"), Policy.parse(policy))
        assert name == explore(system, [asked]).violated


def test_starts_are_counted_and_not_results() -> None:
    """Where only one completion is accepted the double start of a drained instance shows in no outcome."""
    policy = Policy.parse("lease_renewal=never")
    system, asked = model("one-terminal-outcome", Scope.parse("ci"), policy)
    found = explore(system, [asked])
    assert (found.complete, found.violated) == (True, None)


@pytest.mark.parametrize(("limit_ms", "verdict"), [(30_001, "proved"), (30_000, "violated")])
def test_an_end_that_the_last_poll_reads_is_no_timeout(limit_ms: int, verdict: str) -> None:
    """The third poll, at 30 s, reads the end of work of 29.999 s, one millisecond before the limit; a tie may lose it.

    Source: https://github.com/modelcontextprotocol/servers/pull/4811, whose client reported a timeout instead.
    """
    config = Config().replace(
        {
            "client.initial_delay_ms": 10_000,
            "client.overall_timeout_ms": limit_ms,
            "workload.execution_ms": [0, 29_999],
        }
    )
    assert verdict == verify(config, ["patience-covers-execution"]).properties[0].verdict
