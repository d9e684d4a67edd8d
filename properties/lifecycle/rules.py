"""What a lifecycle property is before a scope is chosen: its sentence, the modules it reads, and its mutants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import attrs

from latchcheck.kernel import Clause, FrozenMap, Property, Sentence
from latchcheck.kernel.records import Keyword

from ...model.room import Room, both, either, no
from ...model.scope import Scope

SEMANTICS: Final = "docs/reference/semantics.md"
EXPORT: Final = "MCP Tasks: The Export That Finished Twice"


@attrs.frozen
class Claim:
    """What a property says in one room: named conditions, and the situation in which they are put to the test."""

    clauses: tuple[tuple[str, Any], ...]
    antecedent: Any


@attrs.frozen
class Obligation:
    """The leads-to form: whenever `antecedent` holds, `goal` holds at that moment or later.

    `fair` are the actions that happen if they stay enabled; without that nothing ever need happen.
    `note` says what the safety form of the same property leaves out.
    """

    antecedent: Any
    goal: Any
    fair: tuple[str, ...]
    note: str


def _as_it_is(scope: Scope) -> Scope:
    return scope


@attrs.frozen
class Rule:
    """A property of the lifecycle, for any scope.

    `reads` are the modules whose variables it speaks about: a scope without them cannot tell.
    `parties` are the others that can break it; together they are its cone.
    `limits` are sizes beyond which a larger scope adds nothing it speaks about: most speak about one task at a time.
    `mutants` are the policies that break it: each removes a guard that it is about.
    `unhurried` makes of a scope the one in which the leads-to form is asked: what a party must be able to repeat until
    it succeeds is no rare event, and its budget may not be what ends a run.
    """

    id: str
    keyword: Keyword
    sentence: Sentence
    reads: tuple[str, ...]
    parties: tuple[str, ...]
    claim: Callable[[Room], Claim]
    mutants: tuple[str, ...]
    limits: FrozenMap[int] = attrs.field(converter=FrozenMap, factory=FrozenMap)
    obligation: Callable[[Room], Obligation] | None = None
    unhurried: Callable[[Scope], Scope] = _as_it_is

    @property
    def modules(self) -> tuple[str, ...]:
        """The cone."""
        return (*self.reads, *self.parties)

    def over(self, room: Room) -> Property:
        """The property as the engines read it, over the variables of a room."""
        claim = self.claim(room)
        clauses = tuple(Clause(label, expr) for label, expr in claim.clauses)
        # An engine judges where the antecedent holds; the moment that was to be tried may be over when harm shows.
        broken = no(both(*(expr for _, expr in claim.clauses)))
        return Property(self.id, self.keyword, self.sentence, clauses, either(claim.antecedent, broken))

    def leads_to(self, room: Room) -> tuple[Property, tuple[str, ...]] | None:
        """The leads-to form and the actions that must be fair to it; None where the property has no such form."""
        if self.obligation is None:
            return None
        owed = self.obligation(room)
        goal = (Clause("it comes to that", owed.goal),)
        asked = Property(f"{self.id}/leads-to", self.keyword, self.sentence, goal, owed.antecedent, "leads-to")
        there = {action.name for action in room.actions}
        return asked, tuple(name for name in owed.fair if name in there)


def every(names: Iterable[str], condition: Callable[[str], Any]) -> Any:
    """The condition holds of each."""
    return both(*(condition(name) for name in names))


def some(names: Iterable[str], condition: Callable[[str], Any]) -> Any:
    """The condition holds of one at least."""
    return either(*(condition(name) for name in names))


def implies(condition: Any, consequence: Any) -> Any:
    """If the one then the other."""
    return either(no(condition), consequence)


def one_task(**more: int) -> Mapping[str, int]:
    """The limits of a property that speaks about one task at a time: tasks share nothing that it reads."""
    return {"tasks": 1, **more}
