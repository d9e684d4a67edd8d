"""The solver refutes every mutant: it finds a run of the fewest steps from the start, whatever the depth."""

from __future__ import annotations

import pytest

from latchcheck.engines.unrolled import refute
from latchcheck.kernel import replay
from latchcheck.model.policy import Policy
from latchcheck.model.scope import Scope
from latchcheck.properties.lifecycle.catalogue import CATALOGUE, model
from tests.properties.lifecycle.test_kill_table import KILLED

CI = Scope.parse("ci")
PAIRS = [(name, mutant) for mutant, killers in KILLED.items() for name in killers]


@pytest.mark.parametrize(("name", "mutant"), PAIRS)
def test_the_solver_refutes_a_mutant(name: str, mutant: str) -> None:
    """At the depth at which the exhaustive search has its shortest run, the solver finds one too, and it is a run."""
    system, asked = model(name, CI, Policy.parse(mutant))
    steps = KILLED[mutant][name]
    found = refute(system, asked, steps_min=steps, steps_max=steps)
    assert found.trace is not None
    assert steps == len(found.trace)
    states = replay(system, found.trace)
    assert not found.unknown
    assert len(states) == steps + 1


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        ("one-terminal-outcome", "terminal_guard=check-then-set"),
        ("tenant-isolation", "key_namespace=global"),
        ("idempotent-create", "key_insert=check-then-insert"),
        ("handle-never-lost", "client_reissue=never"),
    ],
)
def test_no_shorter_run_is_there(name: str, mutant: str) -> None:
    """Asked from depth zero on, the solver finds nothing before the length of the shortest run."""
    system, asked = model(name, CI, Policy.parse(mutant))
    found = refute(system, asked)
    assert KILLED[mutant][name] == found.steps


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_guarded_model_is_not_refuted(name: str) -> None:
    """With every guard the solver finds no run of up to four steps."""
    system, asked = model(name, CI, Policy())
    found = refute(system, asked, steps_max=4)
    assert (None, False) == (found.trace, found.unknown)
