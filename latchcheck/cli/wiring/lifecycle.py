"""The lifecycle model: its systems, and the searches over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # each function imports what it needs, so that --help does not pay for the solver
    from latchcheck.engines.questions import Plan
    from latchcheck.engines.stateful import Reduced
    from latchcheck.kernel import Property, System, Trace
    from latchcheck.kernel.telling import Telling


def lifecycle_system(scope: str, policy: str, only: Sequence[str] = ()) -> tuple[System, tuple[Property, ...]]:
    """The lifecycle model of a scope and a policy, and what it is asked.

    Without `only` it is the whole model with every property that it can tell about; with one property it is what that
    property needs; with several it is what they need together.
    Raises SpellingError, for which `is_bad_input` is true, also for a property that the scope cannot tell about.
    """
    from latchcheck.model.policy import Policy
    from latchcheck.model.scope import Scope
    from latchcheck.model.spelling import SpellingError
    from latchcheck.properties.lifecycle.searches import build, known, missing

    size, switches = Scope.parse(scope), Policy.parse(policy)
    rules = [known(name) for name in only]
    for one in rules:
        if lack := missing(one, size):
            raise SpellingError(f"scope {scope}: nothing to tell {one.id!r} by", f"it needs {lack}")
    built, asked = build(size, switches, rules)
    return built.system, asked


def exploration_plan(scope: str, policy: str, only: Sequence[str] = (), *, symmetry: bool = True) -> Plan:
    """The searches that answer some lifecycle properties, or all, within a scope and under a policy.

    Raises SpellingError, for which `is_bad_input` is true.
    """
    from latchcheck.properties.lifecycle.searches import plan

    return plan(scope, policy, only, symmetry=symmetry)


def lifecycle_telling() -> Telling:
    """The words in which the runs of the lifecycle model are told to people."""
    from latchcheck.model.telling import telling

    return telling()


def lifecycle_receivers() -> Mapping[str, str]:
    """The party that an action of the lifecycle model goes to, where it is a message."""
    from latchcheck.model.telling import RECEIVERS

    return RECEIVERS


def is_named_scope(scope: str) -> bool:
    """Whether a scope is given by name, so that `explore` searches it property by property."""
    from latchcheck.properties.lifecycle.searches import is_named

    return is_named(scope)


def reducer(system: System) -> Callable[[Trace, Property], Reduced]:
    """The delta debugger of the saved counterexamples, on the runs of a system."""
    from latchcheck.counterexamples import Shrinker, events_of, run
    from latchcheck.engines.stateful import Reduced

    shrinker = Shrinker(system)

    def reduce(trace: Trace, asked: Property) -> Reduced:
        if not trace.steps:
            return Reduced(trace, shortest=True)
        found = shrinker.smallest(events_of(trace), asked)
        return Reduced(run(system, found.steps)[0], found.shortest)

    return reduce
