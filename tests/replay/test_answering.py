"""What a correct implementation answers to the steps of a broken one."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from latchcheck.cli import wiring
from latchcheck.cli.wiring.saving import answered
from latchcheck.counterexamples import Event, Fixture, correct, saved
from latchcheck.counterexamples.answering import unlike
from latchcheck.model.scope import Scope
from latchcheck.properties.lifecycle.catalogue import cone, rule

# The shortest saved run with a step that only a broken model has, for each kind of such steps.
RUNS = {
    name: min(
        (one for _, one in saved() if one.config is None and name in [step.action for step in one.steps]),
        key=lambda one: (len(one.steps), one.id),
    )
    for name in ("write_terminal", "cancel_writes", "insert_after_look_up")
}


@pytest.mark.parametrize("name", RUNS)
def test_a_step_that_only_a_broken_model_has_is_answered_by_another(name: str) -> None:
    """A write after a check is asked of the guarded model as the write that checks, and its answer is the saved one."""
    fixture = RUNS[name]
    inside = cone(rule(fixture.property), Scope(**fixture.scope))
    guarded = correct(inside.scope, fixture.era or "2026-07-28", inside.modules)
    answers = answered(guarded, fixture)
    assert fixture.steps == answers
    assert all(step.guarded is not None for step in answers if step.action == name)


# The double finish of the first source.
FIXTURE = next(one for _, one in saved() if one.id == "one-terminal-outcome/terminal-guard-check-then-set")
AT = [step.action for step in FIXTURE.steps].index("write_terminal")


def with_answer(**answer: Any) -> Fixture:
    """The run with another answer to its write."""
    steps = list(FIXTURE.steps)
    steps[AT] = attrs.evolve(steps[AT], guarded={**(steps[AT].guarded or {}), **answer})
    return attrs.evolve(FIXTURE, steps=steps)


@pytest.mark.parametrize(
    ("fixture", "reason"),
    [
        (with_answer(decision="BLOCK"), "answers 'write_terminal' with decision 'ALLOW', and not with 'BLOCK'"),
        (with_answer(status_t1="cancelled"), "with status_t1 'completed', and not with 'cancelled'"),
        (with_answer(colour="red"), "says nothing of 'colour' when it answers 'write_terminal'"),
        (attrs.evolve(FIXTURE, policy={**FIXTURE.policy, "era": "2025-11-25"}), "the era has a field of its own"),
        (attrs.evolve(FIXTURE, policy={"store": "durable,terminal_guard=none"}), "'store' cannot be 'durable,"),
        (attrs.evolve(FIXTURE, scope={**FIXTURE.scope, "workers": "1,polls=1"}), "'workers' cannot be '1,polls=1'"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_what_a_fixture_says_beside_its_run_may_be_stale_too(fixture: Fixture, reason: str) -> None:
    """An answer that the guarded model does not give, or a policy or a scope that is another than it reads."""
    assert reason in str(wiring.replay_fixture(fixture).reason)


def test_a_step_without_an_answer_claims_nothing() -> None:
    """Nothing that is not saved is compared: a whole answer, or a part of one."""
    told = [Event(None, "worker", "report", {}, {"decision": "ALLOW", "status_t1": "completed"})]

    assert unlike([attrs.evolve(told[0], guarded=None)], told) is None
    assert unlike([attrs.evolve(told[0], guarded={"status_t1": "completed"})], told) is None
    assert "no answer to 'report'" in str(unlike(told, [attrs.evolve(told[0], guarded=None)]))
