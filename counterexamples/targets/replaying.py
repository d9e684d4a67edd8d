"""Replays a saved counterexample on a target, and says what became of it there.

The target is asked what the steps of the fixture mean outside; after each event an observer reads every task.
What it may answer comes from the guarded model (expecting.py); what the broken one showed, from the fixture.
A fixture that shows nothing to tell the two apart by has not been tried, and is never counted as a pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from latchcheck.kernel import State, Stepper

from ..errors import Stale
from ..fixture import Fixture
from ..replaying import Case, reproduce, run
from .client import ClientTarget, is_about_client, replay_client, unplayed
from .errors import CannotDo, TargetError
from .mapping import call_of
from .outcomes import Outcome, Ran, Seen, Setting
from .protocol import Opened, Target
from .running import Run
from .story import story_of

INSIDE_CLIENT: Final = "what goes wrong is inside a client, and a server shows nothing of it; try a target client:FILE"


def replay_on(fixture: Fixture, setting: Setting, target: Target, *, judged: bool = True) -> Ran:
    """Replay a fixture on a target. Raises nothing: what goes wrong is an outcome.

    Without `judged` the run need not break the fixture's property: it is one that somebody drew.
    """
    steps: list[Seen] = []

    def ended(outcome: Outcome, reason: str) -> Ran:
        return Ran(fixture, target.name, outcome, reason, tuple(steps))

    try:
        if judged:
            reproduce(fixture, setting.case)
        _, states = run(setting.case.system, fixture.steps)
    except Stale as stale:
        return ended("stale", str(stale))
    try:
        if isinstance(target, ClientTarget):
            return ended(
                *replay_client(fixture, Stepper(setting.broken.system), Stepper(setting.guarded.system), target)
            )
        if judged:
            _not_inside_client(fixture)
        _rehearse(fixture, target, states)
        with Opened(target) as session:
            outcome, reason = Run(fixture, setting, target, session, steps).go(states)
    except CannotDo as why:
        return ended("not-applicable", str(why))
    except TargetError as error:
        return ended("failed", f"{error.outcome}: {error}")
    except Stale as stale:
        return ended("stale", str(stale))
    return ended(outcome, reason)


def ruled_out(fixture: Fixture, case: Case, target: Target) -> str | None:
    """Why a target cannot be asked for the steps of a fixture, as far as its table tells; it is not started."""
    try:
        _, states = run(case.system, fixture.steps)
        if isinstance(target, ClientTarget):
            return unplayed(fixture)
        _not_inside_client(fixture)
        _rehearse(fixture, target, states)
    except (CannotDo, Stale) as why:
        return str(why)
    return None


def _not_inside_client(fixture: Fixture) -> None:
    if is_about_client(fixture):
        raise CannotDo(INSIDE_CLIENT)


def _rehearse(fixture: Fixture, target: Target, states: Sequence[State]) -> None:
    """Go through the steps without the target. Raises CannotDo before anything is started."""
    if fixture.era is not None and fixture.era not in target.table.eras:
        raise CannotDo(f"it speaks {', '.join(target.table.eras)}, not {fixture.era}")
    story, means = story_of(fixture, target), False
    for index, event in enumerate(fixture.steps):
        means = call_of(story, index, event, states[index], fixture.policy) is not None or means
    if not means:
        raise CannotDo("none of its steps happens outside of a client or a worker")
