"""The shapes of configuration that the theorems are proved of: which keys are set and which modes, never the numbers.

A number here says that there is one. The factors are taken as they stand: jitter and multipliers are no durations.
"""

from collections.abc import Mapping
from fractions import Fraction

from latchcheck.model.config import UNLIMITED, Client, Config, Network, Server, Workload

HALF = (Fraction(1, 2), Fraction(1))

BASE = Config(
    Client(initial_delay_ms=1, max_delay_ms=1, multiplier=Fraction(2), jitter=HALF),
    Server(),
    Network(latency_ms=(0, 1)),
    Workload(execution_ms=(0, 1)),
)
"""A ramp with jitter, a network, work of a declared length."""

FAILING = {"network.max_consecutive_failures": 1, "client.request_timeout_ms": 1}
BACKOFF = {
    "client.error_initial_delay_ms": 1,
    "client.error_multiplier": Fraction(3),
    "client.error_max_delay_ms": 1,
}
AWAY = {"client.restart_gap_ms": 1}
SKEW = {"server.clock_skew_ms": 1}
LAZY = {"server.sweep_period_ms": "lazy"}
GRID = {"server.sweep_period_ms": 1, "server.sweep_lateness_ms": 1}
FROM_CALL = {"client.overall_timeout_ms": 1}
FROM_HANDLE = {"client.overall_timeout_ms": 1, "client.overall_timeout_from": "handle"}
CLOSED = {"server.orphan_comparison": ">="}
STEADY = {"client.multiplier": Fraction(1), "network.latency_ms": (1, 1)}


def hinted(mode: str) -> dict[str, object]:
    """A hint, and what the client makes of it."""
    return {"client.hint_mode": mode, "server.poll_interval_ms": 1}


def shape(*parts: Mapping[str, object]) -> Config:
    """The base with some keys added; later parts have the last word."""
    merged: dict[str, object] = {}
    for part in parts:
        merged.update(part)
    return BASE.replace(merged)


WINDOW = {"server.orphan_window_ms": 1}
TWICE = {**FAILING, "network.max_consecutive_failures": 2}
TOLD = {"server.advertised_ttl_ms": 1, "server.enforced_ttl_ms": UNLIMITED}

ORPHANS = {
    "no hint, skew": shape(WINDOW, SKEW),
    "steady, one failure, a restart, >=": shape(WINDOW, STEADY, FAILING, AWAY, CLOSED),
    "floor, two failures with backoff, a restart, a limit from the handle": shape(
        WINDOW, SKEW, TWICE, BACKOFF, AWAY, FROM_HANDLE, hinted("floor")
    ),
    "two failures stop the client, a limit from the call": shape(
        WINDOW, TWICE, FROM_CALL, {"client.max_consecutive_errors": 2}, CLOSED
    ),
    "clamp, a floor of its own, gives up at the ttl": shape(
        WINDOW, FAILING, TOLD, hinted("clamp"), {"client.min_delay_ms": 1, "client.ttl_mode": "give-up"}
    ),
    "ceiling, no end of growth": shape(WINDOW, FAILING, hinted("ceiling"), {"client.max_delay_ms": None}),
    "replace, the work has no end": shape(WINDOW, SKEW, hinted("replace"), {"workload.execution_ms": None}),
    "ignore, a deadline and a ttl before the orphans": shape(
        WINDOW,
        SKEW,
        hinted("ignore"),
        {
            "server.execution_deadline_ms": 1,
            "server.enforced_ttl_ms": 1,
            "server.sweep_order": ("expiry", "timeouts", "orphans"),
        },
    ),
    "lazy, a failure with backoff, a restart, a limit from the handle": shape(
        WINDOW, SKEW, FAILING, BACKOFF, AWAY, FROM_HANDLE, LAZY
    ),
    "lazy, steady, >=": shape(WINDOW, STEADY, LAZY, CLOSED),
    "gaps capped at the ttl": shape(WINDOW, FAILING, TOLD, hinted("floor"), {"client.ttl_mode": "cap-gap"}),
}

RESTARTS = {
    "a failure, a limit from the handle": shape(WINDOW, SKEW, FAILING, AWAY, FROM_HANDLE),
    "lazy, a failure with backoff, >=": shape(WINDOW, SKEW, FAILING, BACKOFF, AWAY, LAZY, CLOSED),
}

ORPHANS_ON_GRID = {
    "skew, >=": shape(WINDOW, SKEW, GRID, CLOSED),
    "a failure, a restart": shape(WINDOW, FAILING, AWAY, GRID),
}

FLAT = {
    "floor, two failures with backoff, a restart": shape(WINDOW, SKEW, TWICE, BACKOFF, AWAY, hinted("floor")),
    "steady, two failures stop the client, >=": shape(
        WINDOW, STEADY, TWICE, CLOSED, {"client.max_consecutive_errors": 2}
    ),
}

TOLD_AS_ONE = {
    "skew, a deadline": shape(WINDOW, SKEW, hinted("floor"), {"server.execution_deadline_ms": 1}),
    "lazy, failures, a limit": shape(WINDOW, FAILING, AWAY, FROM_CALL, LAZY),
    "a grid, a ttl since the last contact": shape(
        WINDOW, GRID, CLOSED, {"server.enforced_ttl_ms": 1, "server.enforced_anchor": "activity"}
    ),
}

CAPPED = {
    "a failure with backoff, a restart": shape(
        WINDOW, SKEW, FAILING, BACKOFF, AWAY, TOLD, hinted("floor"), {"client.ttl_mode": "cap-gap"}
    ),
    "steady, >=": shape(WINDOW, STEADY, TOLD, CLOSED, {"client.ttl_mode": "cap-gap"}),
}


def kept(anchor: str, **server: object) -> dict[str, object]:
    """An enforced ttl; further server keys by name."""
    more = {f"server.{name}": value for name, value in server.items()}
    return {"server.enforced_ttl_ms": 1, "server.enforced_anchor": anchor, **more}


RETENTION = {
    "terminal, skew": shape(SKEW, kept("terminal")),
    "terminal, a failure, a restart, the work has no end": shape(
        FAILING, AWAY, kept("terminal"), {"workload.execution_ms": (0, None)}
    ),
    "creation, a failure, a limit from the call": shape(SKEW, FAILING, FROM_CALL, kept("creation")),
    "creation-then-terminal, fails what runs": shape(SKEW, kept("creation-then-terminal", expiry_action="fail")),
}

DEADLINES = {
    "terminal, skew": shape(SKEW, kept("terminal", execution_deadline_ms=1)),
    "terminal, the work has no end": shape(
        STEADY, kept("terminal", execution_deadline_ms=1), {"workload.execution_ms": None}
    ),
}

TTLS = {
    "creation, skew": shape(SKEW, kept("creation")),
    "restarted by the terminal write, fails what runs, a limit from the handle": shape(
        SKEW, FROM_HANDLE, kept("creation-then-terminal", expiry_action="fail")
    ),
    "a deadline before it, a failure, gives up at the ttl": shape(
        FAILING,
        kept("creation", execution_deadline_ms=1, advertised_ttl_ms=1),
        {"client.ttl_mode": "give-up"},
    ),
}

DODGED = {
    "ttl, then deadline, then orphans": shape(
        SKEW, GRID, WINDOW, kept("creation", execution_deadline_ms=1, sweep_order=("expiry", "timeouts", "orphans"))
    ),
    "silence judged by >=": shape(GRID, WINDOW, CLOSED),
}

PATIENCE = {
    "a limit from the call": shape(FROM_CALL),
    "a failure stops the client, a restart, a limit from the handle": shape(
        FAILING, AWAY, FROM_HANDLE, {"client.max_consecutive_errors": 1}
    ),
    "a failure, gives up at the ttl": shape(FAILING, TOLD, {"client.ttl_mode": "give-up"}),
}

HUMAN = {
    "every limit": BASE.replace(
        {
            "client.input_request_timeout_ms": 1,
            **FROM_CALL,
            "server.input_window_ms": 1,
            "server.input_state_retention_ms": 1,
            "server.execution_deadline_ms": 1,
            **kept("creation"),
            **SKEW,
            **WINDOW,
            "workload.human_answer_ms": (0, 1),
        }
    ),
    "silence judged by >=, a ttl since the last contact": shape(
        WINDOW, CLOSED, kept("activity"), {"workload.human_answer_ms": (0, 1)}
    ),
    "an answer is a contact": shape(
        WINDOW, kept("activity", contact_includes=("update",)), {"workload.human_answer_ms": (0, 1)}
    ),
}

DEADLINE = {"server.execution_deadline_ms": 1, "workload.execution_ms": None}
FIRST_TIMEOUTS = {"server.sweep_order": ("timeouts", "orphans", "expiry")}
LAST_TIMEOUTS = {"server.sweep_order": ("expiry", "orphans", "timeouts")}
BESIDE = {
    ("timeouts", "expiry"): shape(SKEW, GRID, DEADLINE, kept("creation"), FIRST_TIMEOUTS),
    ("orphans", "expiry"): shape(SKEW, GRID, WINDOW, kept("creation"), FIRST_TIMEOUTS),
    ("expiry", "timeouts"): shape(SKEW, GRID, DEADLINE, kept("creation"), LAST_TIMEOUTS),
    ("orphans", "timeouts"): shape(SKEW, GRID, WINDOW, CLOSED, DEADLINE, LAST_TIMEOUTS),
}
"""Two passes, the first of which comes before the second in the order of a sweep."""
