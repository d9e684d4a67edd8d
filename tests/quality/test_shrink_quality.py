"""What a sampled search finds in its default budget, and how short the run is that it leaves."""

from __future__ import annotations

import pytest

from latchcheck.cli.wiring import reducer as reduce_in
from latchcheck.engines.explicit import explore
from latchcheck.engines.stateful import fuzz
from latchcheck.kernel import replay
from latchcheck.model.policy import Policy
from latchcheck.model.scope import Scope
from latchcheck.properties.lifecycle.catalogue import CATALOGUE, model
from tests.properties.lifecycle.test_kill_table import KILLED

CI = Scope.parse("ci")
SEED = 1
STEPS_MAX = 8
MUTANTS = [(name, mutant) for mutant, killers in KILLED.items() for name in killers]
# Making a run shorter takes nine tenths of the time: it is done for one pair in so many, and with --long for each.
SHORTENED_OF = 4


@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(MUTANTS)), ids=[" ".join(pair) for pair in MUTANTS])
def test_a_mutant_is_found_and_its_run_is_a_shortest(place: int, pytestconfig: pytest.Config) -> None:
    """In its default budget the sample finds what a mutant breaks, and leaves a run no longer than the shortest."""
    name, mutant = MUTANTS[place]
    shorten = place % SHORTENED_OF == 0 or bool(pytestconfig.getoption("--long"))
    system, asked = model(name, CI, Policy.parse(mutant))
    shortest = explore(system, [asked]).counterexample
    assert shortest is not None
    assert KILLED[mutant][name] == len(shortest)
    assert len(shortest) <= STEPS_MAX
    found = fuzz(system, [asked], seed=SEED, shrink=shorten, reduce=reduce_in(system) if shorten else None)
    assert found.counterexample is not None
    replay(system, found.counterexample)
    if shorten:
        assert (len(shortest), True) == (len(found.counterexample), found.shortest)
    else:
        assert len(shortest) <= len(found.counterexample)


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_guarded_model_is_not_accused(name: str) -> None:
    """No sample breaks a property of the guarded model, and every property is put to the test."""
    system, asked = model(name, CI, Policy())
    found = fuzz(system, [asked], seed=SEED, runs_max=60)
    assert (None, 60) == (found.violated, found.runs)
    assert found.reached[name] > 0
