"""What can become of a fixture on a target, and the evidence of it."""

from __future__ import annotations

from typing import Final, Literal

import attrs

from ...model.lifecycle import Lifecycle
from ..fixture import Fixture
from ..replaying import Case
from .events import Answer, Call

Outcome = Literal["reproduced", "differs", "conforms", "not-applicable", "stale", "failed"]
OUTCOMES: Final[dict[Outcome, str]] = {
    "reproduced": "it answers as the broken model does",
    "differs": "it answers neither as the broken model nor as any correct one",
    "conforms": "where the broken model goes wrong, it answers as a correct one",
    "not-applicable": "the fixture cannot be told there",
    "stale": "the fixture says nothing any more",
    "failed": "the target could not be driven: nothing is known",
}


@attrs.frozen
class Setting:
    """A fixture with what it is replayed on: the broken lifecycle with its property, and the guarded one."""

    case: Case
    broken: Lifecycle
    guarded: Lifecycle


@attrs.frozen
class Seen:
    """A step as it was done to the target: the event, the answer, what the observer then read, what was expected."""

    step: int
    call: Call
    answer: Answer
    observed: dict[str, str]
    expected: tuple[dict[str, str], ...] = ()


@attrs.frozen
class Ran:
    """What became of a fixture on a target; `steps` is the evidence, as far as it went."""

    fixture: Fixture
    target: str
    outcome: Outcome
    reason: str
    steps: tuple[Seen, ...] = ()
