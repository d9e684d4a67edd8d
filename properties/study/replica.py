"""What the lifecycle model says of instances that read from a copy that lags: with a guard, and without it."""

from __future__ import annotations

from typing import Final

import attrs

from latchcheck.engines.explicit import explore

from ...model.policy import Policy
from ...model.scope import SCOPES
from ..lifecycle.catalogue import cone, rule

QUESTIONS: Final = {
    "one-terminal-outcome": "guard_reads=replica",
    "durable-before-reply": "create_visibility=one-instance",
    "view-never-goes-back": "view=last-arrival-wins",
}
"""By property the switch without which a copy that lags does harm."""
SCOPE: Final = "ci"


@attrs.frozen
class Said:
    """A verdict of the model: how many states were searched, and the actions of the shortest run that breaks it."""

    name: str
    policy: str
    states: int
    run: tuple[str, ...] | None

    @property
    def told(self) -> str:
        """The verdict with its evidence."""
        if self.run is None:
            return f"holds in all {self.states:,} states"
        return f"violated in {len(self.run)} steps"


def ask(name: str, policy: str) -> Said:
    """Search the model with a copy that lags by a write or two, as the scope `ci` has it."""
    asked = rule(name)
    built = cone(asked, SCOPES[SCOPE]).build(Policy.parse(policy))
    found = explore(built.system, [asked.over(built.room)])
    assert found.complete or found.violated, name
    trace = found.counterexample
    return Said(name, policy, found.states, None if trace is None else tuple(step.action for step in trace.steps))
