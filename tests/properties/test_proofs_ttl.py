"""The condition of a ttl that covers the work is exact: theorems for all numbers, with and without a grid."""

import pytest

from latchcheck.model.config import Client, Config, Server, Workload
from latchcheck.model.timing.system import run
from latchcheck.properties.timing.proofs import shapes, ttl
from latchcheck.properties.timing.proofs.followed import Followed
from latchcheck.properties.timing.proofs.registry import theorems


@pytest.mark.parametrize("name", [one.id for one in theorems() if one.property == "ttl-covers-execution"])
def test_the_theorem_is_proved(name: str) -> None:
    """For all numbers, of every shape that the registry lists."""
    (theorem,) = (one for one in theorems() if one.id == name)

    assert [] == [str(proof) for proof in theorem.prove() if not proof.proved]


def test_without_the_skew_the_condition_is_too_weak(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that is ahead expires live work that ends at the ttl less the skew."""
    monkeypatch.setattr(ttl, "_kept", lambda shape: shape.number("enforced_ttl"))

    assert not ttl.covered(shapes.TTLS["creation, skew"]).proved


def test_without_the_lateness_a_pass_is_dodged_for_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A late sweep leaves the task working beyond limit and period."""
    monkeypatch.setattr(ttl.Grid, "dodged", property(lambda grid: grid.limit + ttl.PERIOD))
    (grid,) = (one for one in ttl.grids(shapes.DODGED["silence judged by >="]))

    assert not ttl.dodged(grid)[0].proved


def test_a_limit_of_nothing_is_dodged_up_to_the_first_sweep() -> None:
    """With a ttl of 0 and the first sweep a whole period after creation, the task works at that very instant."""
    config = Config(
        Client(initial_delay_ms=20, max_delay_ms=20),
        Server(
            orphan_window_ms=10,
            orphan_comparison=">=",
            enforced_ttl_ms=0,
            sweep_period_ms=10,
            sweep_order=("orphans", "expiry", "timeouts"),
        ),
        workload=Workload(execution_ms=(0, 100)),
    )
    steps = run(
        config, [(0, "create", {"call_latency": 0, "sweep_phase": 10}), (0, "handle_arrives", {}), (10, "sweep", {})]
    )

    assert "orphaned_live" in steps.steps[-1].changed
    assert {"expiry", "orphans"} == {grid.name for grid in ttl.grids(config)}


def test_all_numbers_are_open_but_the_period() -> None:
    """What is said of a grid is said with the sweep period as the unit of time, and nothing else fixed."""
    shape = Followed(shapes.DODGED["ttl, then deadline, then orphans"])
    grid = ttl.Grid(shape, "timeouts")

    assert {"sweep_period"} == set(shape.system.parameters) - set(shape.system.at({"sweep_period": 1}).parameters)
    assert 1 == ttl.PERIOD
    assert [grid.name] == [one.label.split()[3] for one in grid.presses]
