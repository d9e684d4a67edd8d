"""A fixture and the systems it is replayed on, shared by the tests of this folder."""

from __future__ import annotations

from typing import Any

import attrs
import z3

from latchcheck.counterexamples import Case, Fixture, FoundBy, Stale, made
from latchcheck.engines.explicit import explore
from latchcheck.kernel import Action, Choice, Clause, IntRange, Property, Sentence, System, Variable
from tests.engines.toys.two_phase_commit import consistent, two_phase_commit

WORDS = Sentence("A toy obeys.", "a toy", "here")
CLAUSE = "not both committed and aborted"


def broken_commit(managers: int = 2, *, abort: str = "always") -> System:
    """Two-phase commit in which a manager that has prepared may still abort; `abort="working"` is the sound one."""
    system = two_phase_commit(managers)
    choose = system.action("RMChooseToAbort")
    if abort == "working":
        return system
    others = tuple(action for action in system.actions if action is not choose)
    return attrs.evolve(system, actions=(*others, attrs.evolve(choose, guard=())))


def provider(fixture: Fixture) -> Case:
    """Two-phase commit under a policy of one switch and a scope of one number."""
    managers = fixture.scope.get("managers", 2)
    abort = fixture.policy.get("abort", "working")
    if abort not in ("working", "always"):
        raise Stale(f"policy: abort cannot be {abort!r}")
    system = broken_commit(managers, abort=abort)
    if fixture.property != "consistent":
        raise Stale(f"there is no property {fixture.property!r}")
    return Case(system, consistent(system))


def sample() -> Fixture:
    """The shortest run on which two managers decide differently."""
    system = broken_commit()
    found = explore(system, [consistent(system)])
    assert found.counterexample is not None
    return made(
        "consistent/late-abort",
        Case(system, consistent(system)),
        found.counterexample,
        CLAUSE,
        era="2006",
        policy={"abort": "always"},
        scope={"managers": 2},
        found_by=FoundBy("explicit", versions={"latchcheck": "0.1"}),
        shortest=len(found.counterexample),
    )


COUNT = Variable("n", IntRange(0, 9), 0)
AMOUNT = Choice("by", IntRange(0, 9))
ADD = Action("add", "x", (Clause("room", COUNT.term + AMOUNT.term <= 9),), {"n": COUNT.term + AMOUNT.term}, (AMOUNT,))
RESET = Action("reset", "x", (), {"n": z3.IntVal(0)})


def counter(*actions: Action) -> System:
    """Adds what it is given, and starts again."""
    return System("counter", (COUNT,), actions or (ADD, RESET))


def claim(expr: Any, **other: Any) -> Property:
    """A property of one clause."""
    return Property("claim", "MUST", WORDS, (Clause("it holds", expr),), **other)
