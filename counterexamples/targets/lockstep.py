"""Model and target side by side: a run of the model is done to the target, and each answer compared.

The run is one of a model that allows more than a correct implementation does, so that the target is also asked for what
it must refuse. What it may answer comes from the guarded model, whose choices are a set of allowed answers
(expecting.py). The first answer outside of that set is a divergence; its run is made smaller on the target itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

import attrs

from latchcheck.kernel import Property, Sentence

from ...model.lifecycle import Lifecycle
from ..errors import Stale
from ..fixture import Event, Fixture, FoundBy, Minimal, Violation
from ..minimising import minimise
from ..replaying import Case, run
from .errors import CannotDo, CannotYet
from .mapping import call_of
from .outcomes import Ran, Setting
from .outside import SWEEPS, UNSEEN
from .protocol import Target
from .replaying import replay_on
from .story import story_of

TRIES_MAX: Final = 400
"""So many runs are done to a target to make one smaller: it may be slow."""
TIMES: Final = 3
"""A divergence must show so many times in a row."""
DIVERGED: Final = ("reproduced", "differs")
Ended = Literal["diverged", "unsteady", "failed", "interrupted", "nothing-found", "nothing-tried"]


@attrs.frozen
class Lockstep:
    """What the runs of one policy and scope showed on a target.

    `ended`: "diverged" is a violation, "unsteady" a target that answers the same events now so and now otherwise,
    "failed" one that could not be driven; "nothing-found" proves nothing, and "nothing-tried" compared nothing.
    `ran` is the smallest run that diverged, or the run in which the target failed, with its evidence.
    `told` counts the answers that were compared, `kinds` the events done, by kind.
    """

    policy: str
    scope: str
    ended: Ended
    reason: str
    runs: int
    told: int
    kinds: Mapping[str, int]
    ran: Ran | None = None
    found_steps: int | None = None


@attrs.define
class Driver:
    """Does runs of the model to a target and remembers what was done."""

    target: Target
    broken: Lifecycle
    guarded: Lifecycle
    policy: Mapping[str, Any]
    era: str
    scope: Mapping[str, Any]
    told: int = 0
    kinds: dict[str, int] = attrs.field(factory=dict)

    def unusable(self) -> tuple[str, ...]:
        """The actions of the model that nobody can do to this target."""
        found = []
        room = self.broken.system
        for action in room.actions:
            if action.name in UNSEEN:
                found.append(action.name)
                continue
            first = {choice.name: next(iter(choice.domain.members())) for choice in action.choices}
            try:
                event = Event(None, action.party, action.name, first)
                call_of(story_of(self.fixture([event]), self.target), 0, event, room.start(), self.policy)
            except CannotYet:
                continue
            except CannotDo:
                # Sweeps are one event together, and no single pass is that.
                if action.name not in SWEEPS or "reap" not in self.target.table.events:
                    found.append(action.name)
            except (KeyError, ValueError, StopIteration, IndexError):
                continue  # it needs a run before it to mean anything
        return tuple(found)

    def possible(self, steps: Sequence[Event]) -> tuple[Event, ...]:
        """A run without what the target cannot be asked for; its beginning, where the rest is no run without that."""
        left = tuple(steps)
        while left and (at := self._impossible(left)) is not None:
            others = (*self._writable(left, at), (*left[:at], *left[at + 1 :]))
            left = next((one for one in others if self._is_run(one)), left[:at])
        return left

    def _writable(self, steps: tuple[Event, ...], at: int) -> Iterator[tuple[Event, ...]]:
        """The run with statuses at that place that the target's workers can write, where they cannot write its own."""
        event, known = steps[at], sorted(self.target.table.statuses)
        if event.args.get("status") in (None, *known):
            return
        for status in known:
            yield (*steps[:at], attrs.evolve(event, args={**event.args, "status": status}), *steps[at + 1 :])

    def _impossible(self, steps: tuple[Event, ...]) -> int | None:
        """The place of the first step that the target cannot be asked for."""
        _, states = run(self.broken.system, steps)
        story = story_of(self.fixture(steps), self.target)
        for index, event in enumerate(steps):
            try:
                call_of(story, index, event, states[index], self.policy)
            except CannotDo:
                return index
        return None

    def _is_run(self, steps: tuple[Event, ...]) -> bool:
        try:
            run(self.broken.system, steps)
        except Stale:
            return False
        return True

    def done(self, steps: Sequence[Event]) -> Ran:
        """Do a run to the target."""
        ran = replay_on(self.fixture(steps), self._setting(), self.target, judged=False)
        self.told += len(ran.steps)
        for seen in ran.steps:
            self.kinds[seen.call.kind] = self.kinds.get(seen.call.kind, 0) + 1
        return ran

    def diverges(self, steps: Sequence[Event]) -> bool:
        """Whether the target answers a run as no correct implementation does."""
        try:
            return bool(steps) and self.done(steps).outcome in DIVERGED
        except Stale:
            return False

    def smallest(self, steps: Sequence[Event]) -> tuple[Event, ...]:
        """The run made smaller on the target itself, up to the step that diverges."""
        ran = self.done(steps)
        if ran.outcome not in DIVERGED:
            return tuple(steps)
        cut = tuple(steps)[: ran.steps[-1].step + 1]
        begin = cut if self.diverges(cut) else tuple(steps)
        try:
            return minimise(begin, self._runs_and_diverges, tries_max=TRIES_MAX)
        except ValueError:
            return begin

    def steady(self, steps: Sequence[Event]) -> tuple[bool, Ran]:
        """Whether the run diverges each time it is done, and the last time."""
        runs = [self.done(steps) for _ in range(TIMES)]
        return all(one.outcome in DIVERGED for one in runs), runs[-1]

    def fixture(self, steps: Sequence[Event]) -> Fixture:
        """The run in the form in which runs are replayed on targets; it breaks no property by itself."""
        sentence, found = Sentence("", "", ""), FoundBy("stateful")
        violation, minimal = Violation(max(len(steps) - 1, 0), "lockstep"), Minimal(max(len(steps), 1))
        policy = {name: value for name, value in self.policy.items() if name != "era"}
        return Fixture(
            "lockstep/run",
            "lockstep",
            sentence,
            self.era,
            policy,
            self.scope,
            None,
            tuple(steps),
            violation,
            found,
            minimal,
        )

    def _runs_and_diverges(self, steps: tuple[Event, ...]) -> bool:
        return self._is_run(steps) and self._impossible(steps) is None and self.diverges(steps)

    def _setting(self) -> Setting:
        asked = Property("lockstep", "MUST", Sentence("", "", ""))
        return Setting(Case(self.broken.system, asked), self.broken, self.guarded)
