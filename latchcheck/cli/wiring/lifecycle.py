"""The lifecycle model: its systems, and the searches over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # each function imports what it needs, so that --help does not pay for the solver
    from latchcheck.counterexamples import Event
    from latchcheck.engines.questions import Plan
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


def reducer(system: System) -> Callable[[Trace, Property], Trace]:
    """The delta debugger of the saved counterexamples, on the runs of a system."""
    from latchcheck.counterexamples import Case, Stale, broken_at, events_of, minimise, run

    def reduce(trace: Trace, asked: Property) -> Trace:
        case = Case(system, asked)

        def breaks(steps: tuple[Event, ...]) -> bool:
            """Whether the last step is the first that breaks a clause."""
            try:
                _, states = run(system, steps)
            except Stale:
                return False
            for clause in asked.clauses:
                try:
                    if broken_at(case, clause.label, states) == len(steps) - 1:
                        return True
                except Stale:
                    continue
            return False

        return run(system, minimise(events_of(trace), breaks))[0] if trace.steps else trace

    return reduce
