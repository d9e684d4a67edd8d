"""Walks of a finite system drawn by Hypothesis and handed to a judge that only sees whole walks, such as a real target.

A judge is asked again and again while a walk is made smaller, so it must answer alike each time; where it does not,
the walk is unsteady, and that is said instead of a pass or a violation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs

from latchcheck.kernel import ModelError, System
from latchcheck.kernel.doing import doing

from .stateful import ROUNDS_APART, hypothesis_needed
from .stateful_states import Event, Steps

PICK_MAX = 2**16
Judged = Callable[[tuple[Event, ...]], bool]
"""Whether a walk is one that is looked for. May raise StopWalking, which ends the search at once."""


class StopWalking(KeyboardInterrupt):
    """Nothing more is to be drawn; an interrupt, because any other exception Hypothesis takes for a find."""


@attrs.frozen
class Walked:
    """What a search for a walk did: the smallest walk found, and how long it was when it was drawn.

    `unsteady`: a walk was found, and was none when it was looked at again.
    """

    walks: int
    found: tuple[Event, ...] | None = None
    found_steps: int | None = None
    unsteady: bool = False
    interrupted: bool = False


class _Found(Exception):
    """A walk that is looked for."""

    def __init__(self, walk: tuple[Event, ...]) -> None:
        super().__init__(len(walk))
        self.walk = walk


def walk(steps: Steps, picks: Sequence[int]) -> tuple[Event, ...]:
    """The walk that some numbers pick: each first an action among the possible ones, then one way to do it."""
    state, events = steps.start, []
    for pick in picks:
        possible = steps.of(state)
        if not possible:
            break
        names = list(possible)
        ways = possible[names[pick % len(names)]]
        event = ways[pick // len(names) % len(ways)]
        events.append(event)
        state = event.after
    return tuple(events)


def sample_walks(system: System, judged: Judged, *, seed: int, walks_max: int, steps_max: int) -> Walked:
    """Draw walks until one is found, then make it smaller. Raises NeedsHypothesis."""
    with hypothesis_needed():
        from hypothesis import Phase, errors, given, settings
        from hypothesis import seed as seeded
        from hypothesis import strategies as st

        from .stateful_settings import QUIET, without_numbers_from_sources
    steps, counted = Steps(system), [0]
    first: list[tuple[Event, ...]] = []

    @seeded(seed * ROUNDS_APART)
    @settings(QUIET, max_examples=walks_max, phases=(Phase.generate, Phase.shrink))
    @given(st.lists(st.integers(0, PICK_MAX), min_size=(steps_max + 1) // 2, max_size=steps_max))
    def drawn(picks: list[int]) -> None:
        events = walk(steps, picks)
        counted[0] += not first
        if judged(events):
            first.append(events)
            raise _Found(events)

    try:
        with (
            without_numbers_from_sources(),
            doing(
                "drawing",
                walks_max,
                "runs",
                done=lambda: counted[0],
                covered=lambda: "making one smaller" if first else "",
            ),
        ):
            drawn()
    except _Found as found:
        return Walked(counted[0], found.walk, len(first[0]))
    except errors.Flaky:
        return Walked(counted[0], first[0] if first else None, len(first[0]) if first else None, unsteady=True)
    except StopWalking:
        return Walked(counted[0])
    except KeyboardInterrupt:
        shortest = min(first, key=len) if first else None
        return Walked(counted[0], shortest, len(first[0]) if first else None, interrupted=True)
    return Walked(counted[0])


def without(system: System, unwanted: Sequence[str]) -> System:
    """The system without some actions. ModelError where none is left."""
    actions = tuple(action for action in system.actions if action.name not in unwanted)
    if not actions:
        raise ModelError(f"no action of {system.name!r} is left to walk with")
    return attrs.evolve(system, actions=actions)
