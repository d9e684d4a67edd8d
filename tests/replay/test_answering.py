"""What a correct implementation answers to the steps of a broken one."""

from __future__ import annotations

import pytest

from latchcheck.cli.wiring.saving import answered
from latchcheck.counterexamples import correct, saved
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
