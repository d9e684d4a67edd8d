"""The sampled search on toys: what it finds, what it never says, and that the seed alone decides."""

from __future__ import annotations

import os
import subprocess
import sys

import attrs
import pytest
import z3

from latchcheck.cli import fuzz as verb
from latchcheck.cli.wiring import reducer as reduce_in
from latchcheck.engines import stateful
from latchcheck.engines.explicit import explore
from latchcheck.engines.stateful import fuzz
from latchcheck.kernel import (
    Action,
    Bool,
    Choice,
    Clause,
    Enum,
    IntRange,
    ModelError,
    Property,
    Sentence,
    System,
    Variable,
    replay,
)
from tests.engines.toys.two_phase_commit import consistent, two_phase_commit

SAID = Sentence("It holds.", "a test", "here")


def careless(managers: int) -> System:
    """Two-phase commit in which the manager commits without waiting for everyone."""
    right = two_phase_commit(managers)
    actions = [
        attrs.evolve(action, guard=action.guard[:1]) if action.name == "TMCommit" else action
        for action in right.actions
    ]
    return attrs.evolve(right, actions=tuple(actions))


def counter(target: int, *, choices: int = 3) -> tuple[System, Property]:
    """A counter that one of many choices moves on, and which must never come to a number."""
    count, key = Variable("count", IntRange(0, target), 0), Choice("key", IntRange(0, choices - 1))
    right = Clause("the right key", z3.And(key.term == count.term % choices, count.term < target))
    system = System(
        "counter",
        (count,),
        (
            Action("turn", "someone", (right,), {"count": count.term + 1}, (key,)),
            Action("reset", "someone", (), {"count": z3.IntVal(0)}),
        ),
    )
    return system, Property("low", "MUST", SAID, (Clause("below the target", count.term < target),))


def test_a_seeded_fault_is_found_as_short_as_can_be() -> None:
    """A manager that commits too early is caught, by a run as short as the exhaustive search finds."""
    system = careless(3)
    asked = consistent(system)
    found = fuzz(system, [asked], seed=1, reduce=reduce_in(system))
    shortest = explore(system, [asked])
    assert (found.violated, found.clause) == (shortest.violated, shortest.clause)
    assert found.counterexample is not None
    assert shortest.counterexample is not None
    assert len(shortest.counterexample) == len(found.counterexample)
    assert asked.clauses[0].label == found.clause
    replay(system, found.counterexample)


def test_the_right_protocol_is_not_accused() -> None:
    """Two-phase commit as published is sampled to the end of the budget, and its antecedent is reached."""
    system = two_phase_commit(3)
    found = fuzz(system, [consistent(system)], seed=1, runs_max=200)
    assert (None, None, 200) == (found.counterexample, found.violated, found.runs)
    assert found.reached["consistent"] > 0
    assert found.fired["RMRcvAbortMsg"] > 0
    assert sum(found.fired.values()) == found.steps


def test_coverage_leads_deep() -> None:
    """A fault twenty steps away, where each step may as well lead back to the start, is found within the budget."""
    system, asked = counter(20)
    found = fuzz(system, [asked], seed=1)
    assert found.counterexample is not None
    assert 20 == len(found.counterexample)


def test_no_run_is_longer_than_allowed() -> None:
    """A fault that needs one step more than a run may have is not found."""
    system, asked = counter(6)
    assert fuzz(system, [asked], seed=1, steps_max=5, runs_max=400).violated is None
    assert "low" == fuzz(system, [asked], seed=1, steps_max=6, runs_max=400).violated


def test_a_step_is_judged_too() -> None:
    """What must never change is judged on the step that changes it, where the antecedent held before."""
    states = Enum("Light", ("off", "on"))
    light, on = Variable("light", states, "off"), Variable("fixed", Bool(), False)
    system = System(
        "light",
        (light, on),
        (
            Action("fix", "someone", (), {"fixed": z3.BoolVal(True)}),
            Action("press", "someone", (), {"light": z3.If(light.term == states["off"], states["on"], states["off"])}),
        ),
    )
    asked = Property(
        "fixed-stays", "MUST", SAID, (Clause("is off", light.term == states["off"]),), on.term, "never-changes"
    )
    found = fuzz(system, [asked], reduce=reduce_in(system))
    assert found.counterexample is not None
    assert ["fix", "press"] == [step.action for step in found.counterexample]


def test_a_start_that_is_wrong_needs_no_run() -> None:
    """A property that is false at once is broken by the run of no steps."""
    system, asked = counter(3)
    false = attrs.evolve(asked, clauses=(Clause("never", z3.BoolVal(False)),))
    found = fuzz(system, [false])
    assert (0, "low") == (found.runs, found.violated)
    assert found.counterexample is not None
    assert 0 == len(found.counterexample)


def test_what_cannot_be_sampled_is_refused() -> None:
    """A leads-to is no question for runs that end."""
    system, asked = counter(3)
    with pytest.raises(ModelError, match="a sample of runs says nothing"):
        fuzz(system, [attrs.evolve(asked, expectation="leads-to")])


def test_the_same_seed_draws_the_same_runs() -> None:
    """Two searches with one seed agree in every number, and another seed draws other runs."""
    system = two_phase_commit(3)
    first, second, other = (fuzz(system, [consistent(system)], seed=seed, runs_max=120) for seed in (7, 7, 8))
    assert first == second
    assert first.fired != other.fired


PROBE = """
import sys
sys.path.insert(0, sys.argv[1])
if len(sys.argv) > 2:
    import other
from latchcheck.engines.stateful import fuzz
from tests.engines.toys.two_phase_commit import consistent, two_phase_commit
system = two_phase_commit(5)
print(fuzz(system, [consistent(system)], seed=7, runs_max=120))
"""


def test_nothing_but_the_seed_decides(tmp_path: object, request: pytest.FixtureRequest) -> None:
    """Neither the order of sets nor the numbers in other modules that happen to be loaded change a search."""
    folder = str(tmp_path)
    with open(os.path.join(folder, "other.py"), "w", encoding="utf-8") as file:  # noqa: PTH118, PTH123
        file.write("NUMBERS = [" + ", ".join(str(number) for number in range(100, 255)) + "]\n")

    def searched(hash_seed: str, *more: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": folder}
        command = [sys.executable, "-c", PROBE, str(request.config.rootpath), *more]
        return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=True).stdout

    assert searched("1") == searched("2", "other")


def test_without_hypothesis_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where Hypothesis is missing the verb ends with the exit code of bad usage and names the extra."""
    from latchcheck.cli.main import main

    monkeypatch.delitem(sys.modules, "latchcheck.engines.stateful_machine", raising=False)
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    assert 2 == main(["fuzz", "--property", "tenant-isolation"])
    assert "pip install 'latchcheck[fuzz]'" in capsys.readouterr().err


def test_the_verb_and_the_engine_have_one_budget() -> None:
    """The numbers that --help shows are those of the engine."""
    assert (stateful.RUNS_MAX, stateful.STEPS_MAX) == (verb.RUNS_MAX, verb.STEPS_MAX)
