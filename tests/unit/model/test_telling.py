"""Every run of the timing systems can be told in words."""

from __future__ import annotations

import ast
from pathlib import Path

from latchcheck.kernel import System
from latchcheck.model.config import Config
from latchcheck.model.timing.abandonment import abandoned_system
from latchcheck.model.timing.believed import believed_system
from latchcheck.model.timing.hinted import obeying_system, polling_system
from latchcheck.model.timing.human import human_system
from latchcheck.model.timing.idempotency import idempotency_system
from latchcheck.model.timing.lease import lease_system, recovery_system
from latchcheck.model.timing.marker import marker_system
from latchcheck.model.timing.retry import retry_system
from latchcheck.model.timing.system import timed_system
from latchcheck.model.timing.telling import HARMS, NAMELESS, PHRASES, QUIET, ROUNDS

# Every limit is set, so that every action of every system is there.
CONFIG = Config().replace(
    {
        "client.initial_delay_ms": 1000,
        "client.restart_gap_ms": 1000,
        "client.request_timeout_ms": 1000,
        "client.overall_timeout_ms": 60_000,
        "client.retry_horizon_ms": 1000,
        "client.input_request_timeout_ms": 1000,
        "client.cancel_on_abandon": True,
        "server.poll_interval_ms": 1000,
        "server.advertised_ttl_ms": 60_000,
        "server.orphan_window_ms": 10_000,
        "server.execution_deadline_ms": 30_000,
        "server.sweep_period_ms": 1000,
        "server.lease_timeout_ms": 5000,
        "server.lease_renewal_ms": 1000,
        "server.max_attempts": 3,
        "server.idempotency_retention_ms": 1000,
        "server.cancel_marker_retention_ms": 1000,
        "server.input_window_ms": 1000,
        "server.input_state_retention_ms": 1000,
        "network.latency_ms": [1, 2],
        "network.max_consecutive_failures": 1,
        "workload.execution_ms": [1000, 20_000],
        "workload.human_answer_ms": [0, 1000],
        "workload.works_on_after_cancel": 1000,
    }
)
BUILDERS = (
    *(timed_system, polling_system, obeying_system, believed_system, abandoned_system, marker_system, human_system),
    *(lease_system, recovery_system, retry_system, idempotency_system),
)
# Shorthand that a system has only where a run is told with it, or only in another shape.
MORE = {"attempts_fail"}


def systems() -> list[System]:
    """Every timing system of that configuration, and of one whose ttl moves with each contact."""
    moving = CONFIG.replace({"server.enforced_anchor": "activity"})
    return [build(config, symbolic=True) for build in BUILDERS for config in (CONFIG, moving)]


def test_every_action_has_words() -> None:
    """Each action of the timing systems has words, and no words are left of an action that none has."""
    actions = {action.name for system in systems() for action in system.actions}
    assert sorted(actions | MORE) == sorted(PHRASES)


def test_every_name_of_the_tables_is_one_of_the_systems() -> None:
    """No word speaks of a variable that no system has, so that a renamed one is noticed."""
    variables = {variable.name for system in systems() for variable in system.variables}
    assert sorted((QUIET | NAMELESS | set(HARMS)) - variables) == []


def test_every_harm_of_a_property_has_words() -> None:
    """Each flag by which an analysis names its harm has a sentence."""
    sources = sorted((Path(__file__).parents[3] / "properties/timing").glob("*.py"))
    named = {
        keyword.value.value
        for source in sources
        for call in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call)
        for keyword in call.keywords
        if keyword.arg == "harm" and isinstance(keyword.value, ast.Constant)
    }
    assert len(named) > 5
    assert sorted(str(name) for name in named - set(HARMS)) == []


def test_every_round_is_made_of_actions_that_have_words() -> None:
    """A round that names an action which no system has would never be found."""
    assert sorted({action for one in ROUNDS for action in one.actions} - set(PHRASES)) == []
