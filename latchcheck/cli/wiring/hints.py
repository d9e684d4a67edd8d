"""What a search that found nothing was too small for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:  # each function imports what it needs, so that --help does not pay for the solver
    from latchcheck.counterexamples import Fixture
    from latchcheck.engines.judging import Explored
    from latchcheck.engines.questions import Plan

Sizes = dict[str, int]


def with_hints(explored: Explored) -> Explored:
    """The answers, where one that holds under a mutant says in which larger scope a saved run breaks the property.

    A guard that is left out may do no harm for lack of the crash, the second worker or the sweep that it is there for.
    """
    if not explored.plan.policy:
        return explored
    told = tuple(
        attrs.evolve(one, reason=hint)
        if one.verdict == "holds" and one.reason is None and (hint := _hint(one.id, explored.plan))
        else one
        for one in explored.properties
    )
    return attrs.evolve(explored, properties=told)


def _hint(name: str, plan: Plan) -> str | None:
    """The saved run of the mutant that needs the least more than the scope has."""
    from .fixtures import saved_fixtures

    found: list[tuple[Sizes, Fixture]] = []
    for _, fixture in saved_fixtures():
        if fixture.property == name and fixture.policy and fixture.policy.items() <= plan.policy.items():
            more = _needed(fixture, plan.scope)
            if more:
                found.append((more, fixture))
    if not found:
        return None
    more, fixture = min(found, key=lambda pair: (len(pair[0]), len(pair[1].steps), pair[1].id))
    sizes = ", ".join(f"{size}={many}" for size, many in more.items())
    return f"too small to show the harm of this policy: with {sizes} it is violated, see latchcheck show {fixture.id}"


def _needed(fixture: Fixture, scope: Mapping[str, int]) -> Sizes:
    """What the run of a fixture needs more than a scope has; nothing where it needs no more, or is no run any more."""
    from latchcheck.model.scope import Scope

    here = Scope(**scope)
    sizes = dict(fixture.scope)
    larger = [size for size, many in sizes.items() if many > getattr(here, size)]
    if not _breaks(fixture, sizes):
        return {}
    for size in larger:
        fewer = {**sizes, size: getattr(here, size)}
        if _breaks(fixture, fewer):
            sizes = fewer
    return {size: sizes[size] for size in larger if sizes[size] > getattr(here, size)}


def _breaks(fixture: Fixture, sizes: Sizes) -> bool:
    """Whether the run of a fixture breaks its property in a scope of these sizes."""
    from latchcheck.counterexamples import Stale, check

    from .fixtures import fixture_case

    smaller = attrs.evolve(fixture, scope={size: many for size, many in sizes.items() if many})
    try:
        return not check(smaller, fixture_case).stale
    except Stale:
        return False
