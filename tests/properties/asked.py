"""What tests ask of the outcome of one analysis."""

from __future__ import annotations

from latchcheck.properties.timing.answers import Answer, Outcome
from latchcheck.properties.timing.verifying import shown


def answer(outcome: Outcome) -> Answer:
    """An outcome that must be an answer."""
    assert isinstance(outcome, Answer)
    return outcome


def events(outcome: Outcome) -> list[str]:
    """The actions of the run that shows the harm, executed."""
    found = shown(answer(outcome))
    assert found is not None
    return [step.action for step in found.steps]
