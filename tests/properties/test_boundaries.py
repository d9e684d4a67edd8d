"""Every timing property at equality and one millisecond to either side of it.

Expected verdicts are reasoned from `docs/reference/semantics.md` alone: events of one instant happen in any order and
the worst order counts; a deadline and an orphan window act only beyond their end, a ttl at it; time is dense.
"""

from collections.abc import Mapping
from fractions import Fraction

import attrs
import pytest

from latchcheck.model.config import UNLIMITED, Config
from latchcheck.properties.timing import CATALOGUE, verify

S = 1_000
LETTERS = {"proved": "+", "holds": "h", "violated": "-", "vacuous": "0", "inconclusive": "i", "not-applicable": "?"}


@attrs.frozen
class Boundary:
    """One knob at `equal_ms`, the rest of the configuration fixed.

    `verdicts` are those 1 ms below, at, and 1 ms above: "+" proved, "-" violated, "0" vacuous.
    `margins` are theirs; None where the property has no number.
    """

    name: str
    knob: str
    equal_ms: int
    verdicts: str
    margins: tuple[int | None, int | None, int | None]
    rest: Mapping[str, object]
    case: str = ""


POLLS: dict[str, object] = {"client.initial_delay_ms": 10 * S}
HINTED: dict[str, object] = {"client.hint_mode": "replace", "server.poll_interval_ms": 10 * S}
SWEPT: dict[str, object] = {"server.sweep_period_ms": 10 * S}
BELOW_AT_ABOVE = (-1, 0, 1)
NONE = (None, None, None)

TABLE = [
    # A silence of 10 s is not longer than a window of 10 s; it is at least as long.
    Boundary("no-live-orphan", "server.orphan_window_ms", 10 * S, "-++", BELOW_AT_ABOVE, POLLS),
    Boundary(
        "no-live-orphan",
        "server.orphan_window_ms",
        10 * S,
        "--+",
        BELOW_AT_ABOVE,
        POLLS | {"server.orphan_comparison": ">="},
        "at least",
    ),
    # Clocks 2 s apart make 10 s look like 12 s.
    Boundary(
        "no-live-orphan",
        "server.orphan_window_ms",
        12 * S,
        "-++",
        BELOW_AT_ABOVE,
        POLLS | {"server.clock_skew_ms": 2 * S},
        "skew",
    ),
    # Two lost polls: 10 s, noticed 3 s later, 10 s, 3 s, 10 s.
    Boundary(
        "no-live-orphan",
        "server.orphan_window_ms",
        36 * S,
        "-++",
        BELOW_AT_ABOVE,
        POLLS | {"network.max_consecutive_failures": 2, "client.request_timeout_ms": 3 * S},
        "failures",
    ),
    # Stored just after one poll, read at the next, 10 s later, when a ttl of 10 s is over.
    Boundary(
        "result-reaches-client",
        "server.enforced_ttl_ms",
        10 * S,
        "--+",
        BELOW_AT_ABOVE,
        POLLS | {"server.enforced_anchor": "terminal"},
        "terminal",
    ),
    # The last end, at 25 s, is first polled for at 30 s.
    Boundary(
        "result-reaches-client",
        "server.enforced_ttl_ms",
        30 * S,
        "--+",
        BELOW_AT_ABOVE,
        POLLS | {"workload.execution_ms": [0, 25 * S]},
        "creation",
    ),
    # The work may write at 60 s, and the ttl end then, in this order or the other.
    Boundary(
        "ttl-covers-execution",
        "server.enforced_ttl_ms",
        60 * S,
        "--+",
        BELOW_AT_ABOVE,
        POLLS | {"workload.execution_ms": [0, 60 * S]},
    ),
    # Clocks 2 s apart: the ttl may end that much sooner.
    Boundary(
        "ttl-covers-execution",
        "server.enforced_ttl_ms",
        62 * S,
        "--+",
        BELOW_AT_ABOVE,
        POLLS | {"workload.execution_ms": [0, 60 * S], "server.clock_skew_ms": 2 * S},
        "skew",
    ),
    # Done at 60 s just after the poll then, read at 70 s; at 70 s the client may stop first.
    Boundary(
        "patience-covers-execution",
        "client.overall_timeout_ms",
        70 * S,
        "--+",
        BELOW_AT_ABOVE,
        POLLS | {"workload.execution_ms": [0, 60 * S]},
    ),
    # Shorter than told: a believer reads what is gone. Longer: it gives up on what lives.
    Boundary(
        "advertised-ttl-is-enforced",
        "server.enforced_ttl_ms",
        60 * S,
        "-+-",
        (-1, 0, -1),
        POLLS | {"server.advertised_ttl_ms": 60 * S},
    ),
    Boundary("hint-inside-orphan-window", "server.orphan_window_ms", 10 * S, "-++", BELOW_AT_ABOVE, HINTED),
    # Out for 1 s, hinted 10 s, back for 1 s: the poll arrives after 12 s, when a ttl of 12 s may be over.
    Boundary("hint-inside-ttl", "server.enforced_ttl_ms", 10 * S, "--+", BELOW_AT_ABOVE, HINTED),
    Boundary(
        "hint-inside-ttl",
        "server.enforced_ttl_ms",
        12 * S,
        "--+",
        BELOW_AT_ABOVE,
        HINTED | {"network.latency_ms": [S, S]},
        "latency",
    ),
    # A gap of exactly the hint is not sooner than the hint.
    Boundary(
        "hint-honoured",
        "client.initial_delay_ms",
        10 * S,
        "-++",
        BELOW_AT_ABOVE,
        {"client.hint_mode": "ignore", "server.poll_interval_ms": 10 * S},
    ),
    # Away for 50 s on top of one gap of 10 s.
    Boundary(
        "restart-inside-orphan-window",
        "server.orphan_window_ms",
        60 * S,
        "-++",
        BELOW_AT_ABOVE,
        POLLS | {"client.restart_gap_ms": 50 * S},
    ),
    # A sweep at 60 s does not find the silence longer than 60 s; the next, at 90 s, does, and 90 s is within 90 s.
    Boundary(
        "orphans-found-in-time",
        "server.orphan_bound_ms",
        90 * S,
        "-++",
        BELOW_AT_ABOVE,
        {"server.orphan_window_ms": 60 * S, "server.sweep_period_ms": 30 * S},
    ),
    # Failed just after one poll, looked for 10 s later.
    Boundary(
        "timeout-is-seen",
        "server.enforced_ttl_ms",
        10 * S,
        "--+",
        BELOW_AT_ABOVE,
        POLLS | {"server.execution_deadline_ms": 60 * S, "server.enforced_anchor": "terminal"},
    ),
    # An exact timer fails what is still running once 60 s are over.
    Boundary(
        "timeout-is-seen",
        "server.enforced_ttl_ms",
        10 * S,
        "--+",
        BELOW_AT_ABOVE,
        POLLS
        | {
            "client.jitter": (Fraction(1, 2), Fraction(1)),
            "server.execution_deadline_ms": 60 * S,
            "server.enforced_anchor": "terminal",
            "server.sweep_period_ms": 0,
        },
        "exactly",
    ),
    # Three attempts of 10 s and two delays of 1 s; a deadline of 32 s has not passed after 32 s.
    Boundary(
        "retries-inside-deadline",
        "server.execution_deadline_ms",
        32 * S,
        "-++",
        BELOW_AT_ABOVE,
        {
            "server.max_attempts": 3,
            "server.retry_initial_delay_ms": S,
            "workload.execution_ms": [0, 10 * S],
        },
    ),
    # Renewed after 20 s and a stall of 5 s, at the instant at which a lease of 25 s expires.
    Boundary(
        "lease-outlives-stall",
        "server.lease_timeout_ms",
        25 * S,
        "--+",
        BELOW_AT_ABOVE,
        {"server.lease_renewal_ms": 20 * S, "workload.stall_ms": 5 * S},
    ),
    # Crashed at once: lease 30 s, sweep 10 s, work 60 s, and the client may stop first at 100 s.
    Boundary(
        "recovery-inside-patience",
        "client.overall_timeout_ms",
        100 * S,
        "--+",
        BELOW_AT_ABOVE,
        {"server.lease_timeout_ms": 30 * S, "server.lease_sweep_ms": 10 * S, "workload.execution_ms": [0, 60 * S]},
    ),
    # The last reissue arrives at the instant at which the key is forgotten.
    Boundary(
        "idempotency-outlives-retries",
        "server.idempotency_retention_ms",
        60 * S,
        "--+",
        BELOW_AT_ABOVE,
        {"client.retry_horizon_ms": 60 * S},
    ),
    # Asked just after a poll, told 10 s later, answered after 60 s more.
    Boundary(
        "input-window-covers-human",
        "server.input_window_ms",
        70 * S,
        "--+",
        BELOW_AT_ABOVE,
        POLLS | {"workload.human_answer_ms": [0, 60 * S]},
    ),
    # The limit on the waiting call counts the human alone.
    Boundary(
        "input-window-covers-human",
        "client.input_request_timeout_ms",
        60 * S,
        "--+",
        BELOW_AT_ABOVE,
        POLLS | {"workload.human_answer_ms": [0, 60 * S]},
        "request",
    ),
    # A sweep just before 60 s leaves the record, the next, just before 70 s, removes it: at 70 s it is gone for sure.
    Boundary(
        "cancel-marker-outlives-record",
        "server.cancel_marker_retention_ms",
        70 * S,
        "-++",
        BELOW_AT_ABOVE,
        SWEPT | {"server.enforced_ttl_ms": 60 * S},
    ),
    # Not yet longer than 60 s at a sweep at 60 s, failed and stopped by the next one, at 70 s.
    Boundary(
        "abandoned-work-is-bounded",
        "server.abandoned_work_bound_ms",
        70 * S,
        "-++",
        BELOW_AT_ABOVE,
        SWEPT | {"server.execution_deadline_ms": 60 * S, "workload.works_on_after_cancel": False},
    ),
    # A task expires before 70 s for sure, so no sweep later than 70 s finds it working; one before can.
    Boundary(
        "every-window-can-fire",
        "server.execution_deadline_ms",
        70 * S,
        "+00",
        NONE,
        SWEPT | {"server.enforced_ttl_ms": 60 * S},
    ),
    # An answer is refused before its state goes, or at the same instant.
    Boundary(
        "every-window-can-fire",
        "server.input_window_ms",
        60 * S,
        "++0",
        NONE,
        {"server.input_state_retention_ms": 60 * S},
        "input",
    ),
    # A delay of 100 s capped at the told 60 s, against a window that may be as short as that.
    Boundary(
        "ttl-cap-suffices",
        "server.orphan_window_ms",
        60 * S,
        "-++",
        BELOW_AT_ABOVE,
        {
            "client.initial_delay_ms": 100 * S,
            "server.advertised_ttl_ms": 60 * S,
            "server.enforced_ttl_ms": UNLIMITED,
        },
    ),
]


@pytest.mark.parametrize("row", TABLE, ids=[f"{row.name}{row.case and '-'}{row.case}" for row in TABLE])
def test_a_millisecond_to_either_side(row: Boundary) -> None:
    """The verdict flips where the reasoning by hand says, and the margin is the distance from there."""
    found = []
    for more in (-1, 0, 1):
        config = Config().replace({**row.rest, row.knob: row.equal_ms + more})
        found.append(verify(config, [row.name]).properties[0])

    assert row.verdicts == "".join(LETTERS[one.verdict] for one in found)
    assert row.margins == tuple(one.margin_ms for one in found)


def test_no_property_is_left_out() -> None:
    """Each of the twenty has its boundary."""
    assert {row.name for row in TABLE} == set(CATALOGUE)


@pytest.mark.parametrize("row", TABLE, ids=[f"{row.name}{row.case and '-'}{row.case}" for row in TABLE])
def test_every_violation_at_a_boundary_is_shown(row: Boundary) -> None:
    """Where a verdict is violated its run is there, and its last step sets the harm."""
    for more, letter in zip((-1, 0, 1), row.verdicts, strict=True):
        config = Config().replace({**row.rest, row.knob: row.equal_ms + more})
        witness = verify(config, [row.name]).properties[0].witness
        assert (letter == "-") == (witness is not None)
        if witness is not None:
            assert any(new is True for _, new in witness.steps[-1].changed.values())
