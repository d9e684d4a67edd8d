"""Runs made smaller: their events taken away, merged and lowered, then other ways to the same harm sought."""

from __future__ import annotations

import attrs

from latchcheck.kernel import Property, System

from .errors import Stale
from .fixture import Fixture, Minimal, Violation
from .minimising import TRIES_MAX, Replays, Steps, minimise
from .replaying import Case, broken_at, reproduce, run
from .rerouting import Rerouted, Rerouter


class Shrinker:
    """Makes the runs of one system smaller, whichever clause of a property they break."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._rerouter = Rerouter(system)

    def smallest(self, steps: Steps, asked: Property) -> Rerouted:
        """The smallest run found whose last step breaks the property; that of `steps` must."""

        def breaks(tried: Steps) -> bool:
            return _breaks_last(Case(self._system, asked), tried)

        return _smallest(steps, breaks, self._rerouter, asked, TRIES_MAX)


def minimised(fixture: Fixture, case: Case, *, tries_max: int = TRIES_MAX) -> Fixture:
    """The fixture with the smallest run that is found for its clause; `guarded` is dropped where steps changed.

    A run that goes on for ever is left as it is. Raises Stale for a fixture that does not reproduce.
    """
    reproduce(fixture, case)
    if fixture.repeats_from is not None:
        return fixture

    def replays(steps: Steps) -> bool:
        try:
            reproduce(with_steps(fixture, steps), case)
        except Stale:
            return False
        return True

    clauses = tuple(one for one in case.asked.clauses if one.label == fixture.violates.clause)
    asked = attrs.evolve(case.asked, clauses=clauses)
    bare = tuple(attrs.evolve(step, guarded=None) for step in fixture.steps)
    found = _smallest(bare[: fixture.violates.step + 1], replays, Rerouter(case.system), asked, tries_max)
    return fixture if found.steps == bare else with_steps(fixture, found.steps)


def with_steps(fixture: Fixture, steps: Steps) -> Fixture:
    """The fixture with another run, whose last step breaks the same clause."""
    return attrs.evolve(
        fixture,
        steps=steps,
        violates=Violation(len(steps) - 1, fixture.violates.clause),
        minimal=Minimal(len(steps), fixture.minimal.shortest),
    )


def _smallest(steps: Steps, replays: Replays, rerouter: Rerouter, asked: Property, tries_max: int) -> Rerouted:
    """Take away what can be taken away, look for other ways, and after such a one take away again."""
    small = minimise(steps, replays, tries_max=tries_max)
    while True:
        found = rerouter.shorter(small, asked)
        if len(found.steps) == len(small):
            return found
        small = minimise(found.steps, replays, tries_max=tries_max)


def _breaks_last(case: Case, steps: Steps) -> bool:
    """Whether the last step is the first that breaks a clause."""
    try:
        _, states = run(case.system, steps)
    except Stale:
        return False
    for clause in case.asked.clauses:
        try:
            if broken_at(case, clause.label, states) == len(steps) - 1:
                return True
        except Stale:
            continue
    return False
