"""The lifecycle model under TLC, property by property, promises that should be kept some day included."""

from __future__ import annotations

from pathlib import Path

import pytest

from latchcheck.cli import wiring
from latchcheck.engines.explicit import explore
from latchcheck.engines.exploration import Options
from latchcheck.report.interchange import to_tla
from tests.engines.tlc import Run, tlc

pytestmark = [pytest.mark.slow, pytest.mark.needs("java")]

NARROW = [
    ("single-execution", "lease=unfenced"),
    ("view-never-goes-back", "notifications=lossy,view=last-arrival-wins"),
    ("side-effect-once", "guarded"),
    ("sweep-order-matters", "sweep_order=timeouts-expiry-orphans"),
]


LATER = [
    ("dispatch-with-record", "dispatch=after-commit"),
    ("client-converges", "guarded"),
    ("client-converges", "unknown_id=retry"),
    ("restart-triages", "restart=drop"),
]


@pytest.mark.parametrize(("name", "policy"), NARROW)
def test_tlc_finds_the_states_of_a_property(name: str, policy: str, tmp_path: Path) -> None:
    """What one property needs of the scope `ci` has as many states for both, the same verdict, and runs as short."""
    system, asked = wiring.lifecycle_system("ci", policy, (name,))
    every, judged = explore(system), explore(system, asked)
    trace = judged.counterexample
    broken = None if judged.violated is None else judged.violated.replace("-", "_")

    assert every.complete
    expected = Run(every.states, broken, None if trace is None else len(trace))
    assert expected == tlc(to_tla(system, asked), tmp_path, go_on=True)


@pytest.mark.parametrize(("name", "policy"), LATER)
def test_tlc_agrees_on_what_should_come(name: str, policy: str, tmp_path: Path) -> None:
    """Under the same fairness both say whether a leads-to holds."""
    (search,) = wiring.exploration_plan("ci", policy, (f"{name}/leads-to",), symmetry=False).searches
    judged = explore(search.system, search.properties, options=Options(fairness=search.fairness))

    found = tlc(to_tla(search.system, search.properties, fair=search.fairness), tmp_path)
    assert (judged.states, judged.violated is not None) == (found.states, found.broken == "Temporal")
