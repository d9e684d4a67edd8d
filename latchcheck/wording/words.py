"""A vocabulary: the phrases that a sentence may use, each bound to a system; and the world that a sentence is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import attrs

from latchcheck.kernel import Property, System

Kind = Literal["state", "event", "quantity", "assumption"]
KINDS: tuple[Kind, ...] = ("state", "event", "quantity", "assumption")


@attrs.frozen(eq=False)
class Occurrence:
    """When an event happens: which actions, by which party, and what must be true before and after the step.

    None for actions and party stands for any; `picked` is a condition over the state before and the choices.
    `changes` is an expression whose value must differ between before and after.
    """

    actions: tuple[str, ...] | None = None
    party: str | None = None
    before: Any = None
    picked: Mapping[str, Any] = attrs.field(factory=dict)
    after: Any = None
    changes: tuple[Any, ...] = ()


@attrs.frozen(eq=False)
class Word:
    """A phrase, what it means, and how it is bound.

    `build` takes what a vocabulary is bound to and gives a condition (state), an `Occurrence` (event), a number
    (quantity), or the names of the actions that are fair (assumption).
    `unit` of a quantity is "ms" or "count".
    `needs` are the parts of the model that must be built in, `sizes` what a scope must name for them.
    `near` are the phrases that authors mix it up with; `wording kill` swaps them.
    """

    phrase: str
    kind: Kind
    meaning: str
    build: Callable[[Any], Any]
    unit: str | None = None
    needs: tuple[str, ...] = ()
    sizes: Mapping[str, int] = attrs.field(factory=dict)
    near: tuple[str, ...] = ()


@attrs.frozen(eq=False)
class Vocabulary:
    """Every word of one model, by phrase; `timed` where the model has a clock."""

    name: str
    words: Mapping[str, Word]
    timed: bool = False

    @classmethod
    def of(cls, name: str, words: Sequence[Word], *, timed: bool = False) -> Vocabulary:
        """A vocabulary of these words; two of one phrase are an error of the model."""
        table = {word.phrase: word for word in words}
        assert len(table) == len(words), f"vocabulary {name!r} has a phrase twice"
        return cls(name, table, timed)

    def of_kind(self, *kinds: Kind) -> tuple[str, ...]:
        """The phrases of some kinds."""
        return tuple(phrase for phrase, word in self.words.items() if word.kind in kinds)


@attrs.frozen(eq=False)
class World:
    """One system that sentences are judged on, with what its words are bound to.

    `name` is how people call it (a policy); `scope` says what a search of it is exhaustive within.
    `others` are the properties that the project knows of it, for what a sentence adds or breaks.
    `horizon_ms` and `unit_ms` bound a search of a system with a clock.
    `shown` are the variables whose changes are worth telling with a run, by how their names begin.
    """

    name: str
    system: System
    bound: Any
    vocabulary: Vocabulary
    scope: str
    others: tuple[Property, ...] = ()
    horizon_ms: int | None = None
    unit_ms: int = 1
    states_max: int = 200_000
    shown: tuple[str, ...] = ()
    cache: dict[Any, Any] = attrs.field(factory=dict, init=False, repr=False)

    def value(self, phrase: str) -> Any:
        """What a phrase is bound to here."""
        if phrase not in self.cache:
            self.cache[phrase] = self.vocabulary.words[phrase].build(self.bound)
        return self.cache[phrase]


@attrs.frozen(eq=False)
class Model:
    """Where a sentence can be tried: the guarded world, and each fault as a world of its own.

    `world` builds the world of a policy by name for the phrases that are used; `mutants` are the policies that are
    faults; a fault that changes nothing of what is built in gives None.
    """

    vocabulary: Vocabulary
    base: str
    world: Callable[[str, Sequence[str]], World | None]
    mutants: tuple[str, ...]
    caught: Mapping[str, tuple[str, ...]] = attrs.field(factory=dict)
