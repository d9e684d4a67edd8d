"""The lifecycle model under TLC: as many states, the same first broken property, and runs as short, in every scope."""

from __future__ import annotations

from pathlib import Path

import pytest

from latchcheck.cli import wiring
from latchcheck.engines.explicit import explore
from latchcheck.report.interchange import to_tla
from tests.engines.tlc import Run, tlc

pytestmark = pytest.mark.slow

WHOLE = [
    ("tasks=1,workers=2,crashes=1,redeliveries=1", "guarded"),
    ("tasks=1,workers=1,clients=1,cancels=1,instances=1", "terminal_guard=check-then-set"),
    ("tasks=1,workers=1,expiries=1,deadlines=1", "cleanup=piecewise"),
    ("tasks=1,clients=1,polls=1,notifications=1", "guarded"),
    ("tasks=1,workers=1,restarts=1,inputs=1", "guarded"),
    ("tasks=1,clients=2,tenants=2,reissues=1", "era=2025-11-25"),
    ("tasks=2,workers=2", "lease=unfenced"),
]
NARROW = [
    ("single-execution", "lease=unfenced"),
    ("view-never-goes-back", "notifications=lossy,view=last-arrival-wins"),
    ("side-effect-once", "guarded"),
    ("sweep-order-matters", "sweep_order=timeouts-expiry-orphans"),
]


def agreed(scope: str, policy: str, only: tuple[str, ...], folder: Path) -> None:
    """The same model searched by both checkers, compared."""
    system, asked = wiring.lifecycle_system(scope, policy, only)
    every, judged = explore(system), explore(system, asked)
    trace = judged.counterexample
    broken = None if judged.violated is None else judged.violated.replace("-", "_")

    found = tlc(to_tla(system, asked), folder, go_on=True)
    assert every.complete
    # Of several properties that break equally soon each checker may name another.
    if len(asked) > 1 and broken is not None and found.broken is not None:
        found = Run(found.states, broken, found.steps)
    assert found == Run(every.states, broken, None if trace is None else len(trace))


@pytest.mark.parametrize(("scope", "policy"), WHOLE)
def test_tlc_finds_the_states_of_a_scope(scope: str, policy: str, tmp_path: Path) -> None:
    """The whole model of a scope, with every property that it can tell about."""
    agreed(scope, policy, (), tmp_path)


@pytest.mark.parametrize(("name", "policy"), NARROW)
def test_tlc_finds_the_states_of_a_property(name: str, policy: str, tmp_path: Path) -> None:
    """What one property needs of the scope `ci`."""
    agreed("ci", policy, (name,), tmp_path)
