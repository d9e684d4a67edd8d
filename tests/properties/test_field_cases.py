"""Reports from the field as configurations: what must be said of each, and as much of those that are right.

Every report with timeouts that the keys can say stands in `docs/examples/field`; what a report leaves open and the file
had to choose is said there.
The other reports are not expressible as a configuration, because their harm is no matter of durations; their traces
stand in `tests/properties/lifecycle/test_field_traces.py`:

- cancel rewrites a finished task (python-sdk 3003), cancelled is overwritten by an error exit (apify 812), a timer
  stores a result after a cancel (TanStack 940), the first terminal write must be atomic (a2a-dotnet 401), a reaper
  fails what has just succeeded (airflow 12396): who writes over what is a question of guards, not of time;
- some keys of a task slide and others do not (fastmcp 5143), a create interrupted half-way (fast-mcp-scala 89), a slot
  that is never freed (the second half of mcp-go 981): parts of one task are one record here, a create is one step;
- an input key used twice (tower-mcp 1248): questions have no keys here;
- a terminal status read by the very last poll and reported as a timeout (servers 4811): polls are not counted here,
  and a client that has read a terminal status has read it;
- what counts is starts, not accepted completions (the second half of Durable-Task-Scheduler 331): the lease property
  speaks of the lease, not of what its attempts write.
"""

from pathlib import Path

import pytest

from latchcheck.kernel.verdict import PropertyVerdict
from latchcheck.model.reading import read
from latchcheck.properties.timing import verify

FOLDER = Path(__file__).parents[2] / "docs" / "examples" / "field"
SECOND, MINUTE, HOUR = 1_000, 60_000, 3_600_000

# File: the properties that apply, each with verdict and margin. "=" is proved, "!" violated, "-" vacuous; an answer
# without a number has None. What is not named is not applicable.
CASES: dict[str, dict[str, tuple[str, int | None]]] = {
    # The ttl of 300 s against work of 300 s: they meet. A result at 300 s is polled for at 301 s.
    "nitrostack-ttl-from-creation": {
        "result-reaches-client": ("!", -SECOND),
        "ttl-covers-execution": ("!", 0),
        "advertised-ttl-is-enforced": ("=", 0),
        "abandoned-work-is-bounded": ("=", None),
        "every-window-can-fire": ("=", None),
    },
    # 300 - 240 = 60 s; the result at 240 s is polled for at 241 s.
    "nitrostack-short-work": {
        "result-reaches-client": ("=", 59 * SECOND),
        "ttl-covers-execution": ("=", 60 * SECOND),
        "advertised-ttl-is-enforced": ("=", 0),
        "abandoned-work-is-bounded": ("=", None),
        "every-window-can-fire": ("=", None),
    },
    # A handler that nothing bounds outlives its record, and then no cancel and no limit finds it.
    "mcp-go-expiry-keeps-running": {
        "result-reaches-client": ("!", None),
        "advertised-ttl-is-enforced": ("=", 0),
        "abandoned-work-is-bounded": ("!", None),
        "every-window-can-fire": ("=", None),
    },
    "mcp-go-expiry-stops-work": {
        "result-reaches-client": ("!", None),
        "advertised-ttl-is-enforced": ("=", 0),
        "abandoned-work-is-bounded": ("=", None),
        "every-window-can-fire": ("=", None),
    },
    # Without a ttl a late poll is only late.
    "mcpjam-sleeps-through-notification": {
        "result-reaches-client": ("=", None),
        "hint-honoured": ("=", 0),
        "abandoned-work-is-bounded": ("=", None),
    },
    # Done at 1 s, gone at 5 s, polled for at 10 s: 5 - 10 = -5 s; the work itself ends 4 s before the ttl.
    "mcpjam-ttl-ends-in-the-sleep": {
        "result-reaches-client": ("!", -5 * SECOND),
        "ttl-covers-execution": ("=", 4 * SECOND),
        "advertised-ttl-is-enforced": ("=", 0),
        "hint-inside-ttl": ("!", -5 * SECOND),
        "hint-honoured": ("=", 0),
        "abandoned-work-is-bounded": ("=", None),
        "every-window-can-fire": ("=", None),
    },
    # 60 - 300 = -240 s, for the work and for its result; the end at 300 s would be polled for at 301 s; and a client
    # whose task is gone after 60 s never waits for 300 s.
    "strands-documented-defaults": {
        "result-reaches-client": ("!", -240 * SECOND),
        "ttl-covers-execution": ("!", -240 * SECOND),
        "patience-covers-execution": ("!", -SECOND),
        "advertised-ttl-is-enforced": ("=", 0),
        "abandoned-work-is-bounded": ("=", None),
        "every-window-can-fire": ("-", None),
    },
    # An outcome stays 300 s and is polled for within 30 s. That live work is failed at the ttl, and that the terminal
    # write restarts a ttl told as if from creation, is what the report wants.
    "rust-sdk-one-more-window": {
        "result-reaches-client": ("=", 270 * SECOND),
        "ttl-covers-execution": ("!", 5 * MINUTE - HOUR),
        "advertised-ttl-is-enforced": ("!", -300 * SECOND),
        "abandoned-work-is-bounded": ("=", None),
        "every-window-can-fire": ("=", None),
    },
    # The next poll comes up to 300 s after an outcome, when its 300 s are over.
    "rust-sdk-polls-too-rarely": {
        "result-reaches-client": ("!", 0),
        "ttl-covers-execution": ("!", 5 * MINUTE - HOUR),
        "advertised-ttl-is-enforced": ("!", -300 * SECOND),
        "abandoned-work-is-bounded": ("=", None),
        "every-window-can-fire": ("=", None),
    },
    # 2 - 4 = -2 s.
    "kombu-eta-outlives-visibility": {
        "lease-outlives-stall": ("!", -2 * SECOND),
        "abandoned-work-is-bounded": ("=", None),
        "every-window-can-fire": ("=", None),
    },
    # 3600 - 12826.3 = -9226.3 s.
    "pretix-mail-job": {
        "lease-outlives-stall": ("!", -9_226_300),
        "abandoned-work-is-bounded": ("=", None),
        "every-window-can-fire": ("=", None),
    },
    # 14400 - 43200 - 3600 = -32400 s: the second attempt is never seen; the lease outlasts the work by 39600 s.
    "knowhere-before": {
        "lease-outlives-stall": ("=", (43_200 - 3_600) * SECOND),
        "recovery-inside-patience": ("!", -32_400 * SECOND),
        "abandoned-work-is-bounded": ("=", None),
        "every-window-can-fire": ("=", None),
    },
    # 14400 - 4500 - 3600 = 6300 s, and 4500 - 3600 = 900 s.
    "knowhere-after": {
        "lease-outlives-stall": ("=", 900 * SECOND),
        "recovery-inside-patience": ("=", 6_300 * SECOND),
        "abandoned-work-is-bounded": ("=", None),
        "every-window-can-fire": ("=", None),
    },
    # 453.751 - (300 + 93.75 + 60) = 1 ms.
    "docket-sweep-period": {
        "lease-outlives-stall": ("=", 240 * SECOND),
        "recovery-inside-patience": ("=", 1),
        "abandoned-work-is-bounded": ("=", None),
        "every-window-can-fire": ("=", None),
    },
    "airflow-heartbeat-equals-threshold": {
        "lease-outlives-stall": ("!", 0),
        "abandoned-work-is-bounded": ("=", None),
        "every-window-can-fire": ("=", None),
    },
    "airflow-three-heartbeats": {
        "lease-outlives-stall": ("=", 60 * SECOND),
        "abandoned-work-is-bounded": ("=", None),
        "every-window-can-fire": ("=", None),
    },
    # 20 s * 0.99995 = 19.999 s.
    "grpc-keepalive-equals-minimum": {
        "result-reaches-client": ("=", None),
        "hint-honoured": ("!", -1),
        "abandoned-work-is-bounded": ("=", None),
    },
    "grpc-keepalive-never-early": {
        "result-reaches-client": ("=", None),
        "hint-honoured": ("=", 0),
        "abandoned-work-is-bounded": ("=", None),
    },
    # 15 - 10 - 4 = 1 s; with 5 s the two leaders meet.
    "cilium-leader-stops-in-time": {
        "lease-outlives-stall": ("=", SECOND),
        "abandoned-work-is-bounded": ("=", None),
        "every-window-can-fire": ("=", None),
    },
    "cilium-leader-stops-late": {
        "lease-outlives-stall": ("!", 0),
        "abandoned-work-is-bounded": ("=", None),
        "every-window-can-fire": ("=", None),
    },
    # 5 - 15 = -10 min.
    "durable-task-draining": {
        "lease-outlives-stall": ("!", -10 * MINUTE),
        "abandoned-work-is-bounded": ("=", None),
        "every-window-can-fire": ("=", None),
    },
    # 30 - 900 = -870 s; 6 * 300 - 300 = 1500 s.
    "storacha-lease-forgotten": {
        "lease-outlives-stall": ("!", -870 * SECOND),
        "abandoned-work-is-bounded": ("=", None),
        "every-window-can-fire": ("=", None),
    },
    "storacha-six-times": {
        "lease-outlives-stall": ("=", 1_500 * SECOND),
        "abandoned-work-is-bounded": ("=", None),
        "every-window-can-fire": ("=", None),
    },
    # 5 - 60, 65 - 60, 75 - 60 s.
    "growthbook-idle-closes-first": {
        "no-live-orphan": ("!", -55 * SECOND),
        "result-reaches-client": ("=", None),
        "abandoned-work-is-bounded": ("=", None),
        "every-window-can-fire": ("=", None),
    },
    "growthbook-idle-thin": {
        "no-live-orphan": ("=", 5 * SECOND),
        "result-reaches-client": ("=", None),
        "abandoned-work-is-bounded": ("=", None),
        "every-window-can-fire": ("=", None),
    },
    "growthbook-idle-fixed": {
        "no-live-orphan": ("=", 15 * SECOND),
        "result-reaches-client": ("=", None),
        "abandoned-work-is-bounded": ("=", None),
        "every-window-can-fire": ("=", None),
    },
}
SIGNS = {"proved": "=", "violated": "!", "vacuous": "-"}


def asked(name: str, *sets: str) -> dict[str, PropertyVerdict]:
    """The verdicts on a case, by id, those that do not apply left out."""
    report = verify(read([str(FOLDER / f"{name}.toml")], sets=sets))
    return {one.id: one for one in report.properties if one.verdict != "not-applicable"}


@pytest.mark.parametrize("name", CASES)
def test_reports_from_the_field(name: str) -> None:
    """Each report gets the verdict that its own numbers give by hand, and nothing besides."""
    assert CASES[name] == {key: (SIGNS[one.verdict], one.margin_ms) for key, one in asked(name).items()}


def test_every_example_is_a_case() -> None:
    """No file of the folder goes without its expected verdicts."""
    assert {file.stem for file in FOLDER.glob("*.toml")} == set(CASES)


def test_a_mail_job_is_delivered_four_times() -> None:
    """12826.3 s under a lease of 3600 s: ceil(12826.3 / 3600) = 4 deliveries, as the log of the report shows."""
    lease = asked("pretix-mail-job")["lease-outlives-stall"]

    assert "while the first worker runs the task is delivered up to 4 times" == lease.reason


@pytest.mark.parametrize(("server_s", "balancer_s"), [(5, 4_000), (300, 905), (10, 60)])
def test_other_pairs_of_idle_limits_out_of_order(server_s: int, balancer_s: int) -> None:
    """Whoever may still reuse a connection must time out first: the margin is the difference of the two limits."""
    sets = (f"server.orphan_window={server_s}s", f"client.initial_delay={balancer_s}s", "workload.execution=[0s,2h]")
    idle = asked("growthbook-idle-closes-first", *sets)["no-live-orphan"]

    assert ("violated", (server_s - balancer_s) * SECOND) == (idle.verdict, idle.margin_ms)


@pytest.mark.parametrize(("latency", "verdict"), [("2499ms", "proved"), ("2500ms", "violated")])
def test_a_margin_of_five_seconds_is_spent_by_one_slow_exchange(latency: str, verdict: str) -> None:
    """Both ways of one exchange add to the silence: twice 2.5 s meet the 5 s between the two limits."""
    assert verdict == asked("growthbook-idle-thin", f"network.latency={latency}")["no-live-orphan"].verdict


@pytest.mark.parametrize(("ttl_ms", "verdict"), [(10_001, "proved"), (10_000, "violated"), (9_999, "violated")])
def test_a_result_must_outlive_the_sleep_of_its_client(ttl_ms: int, verdict: str) -> None:
    """Done at 1 s and polled for at 10 s, a result is lost with every ttl from creation of up to 10 s."""
    found = asked("mcpjam-ttl-ends-in-the-sleep", f"server.advertised_ttl={ttl_ms}ms")

    assert verdict == found["result-reaches-client"].verdict


def test_the_sum_counts_and_not_the_nominal_lease() -> None:
    """With 1 ms less than lease, late sweep and work together, recovery can come too late."""
    recovery = asked("docket-sweep-period", "client.overall_timeout=453750ms")["recovery-inside-patience"]

    assert ("violated", 0) == (recovery.verdict, recovery.margin_ms)


@pytest.mark.parametrize(("limit_s", "verdict"), [(300, "violated"), (299, "violated"), (1_800, "proved")])
def test_visibility_must_exceed_the_limit_of_the_function(limit_s: int, verdict: str) -> None:
    """A function of up to 300 s loses its message at 300 s and less, and keeps it at six times its limit."""
    assert verdict == asked("storacha-six-times", f"server.lease_timeout={limit_s}s")["lease-outlives-stall"].verdict
