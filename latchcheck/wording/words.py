"""A vocabulary: the phrases that a sentence may use, each bound to a system; and the world that a sentence is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

import attrs

from latchcheck.kernel import Property, System
from latchcheck.kernel.telling import PLAIN, Telling

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


def matching(
    vocabularies: Mapping[str, Vocabulary], wanted: Sequence[str], kinds: Sequence[Kind] = ()
) -> dict[str, Vocabulary]:
    """Of each vocabulary the words that have every wanted text in their phrase or meaning, of some kinds or of any."""
    texts = [" ".join(one.lower().split()) for one in wanted]

    def fits(word: Word) -> bool:
        said = f"{word.phrase} {word.meaning}".lower()
        return (not kinds or word.kind in kinds) and all(text in said for text in texts)

    found = {
        name: attrs.evolve(one, words={phrase: word for phrase, word in one.words.items() if fits(word)})
        for name, one in vocabularies.items()
    }
    return {name: one for name, one in found.items() if one.words}


@attrs.frozen(eq=False)
class Shown:
    """How a run is told: the words of its actions, and of each variable whose changes are worth telling.

    `names` gives by the name of a family what its member for a task or client is called, with `{}` for that.
    """

    names: Mapping[str, str] = attrs.field(factory=dict)
    telling: Telling = PLAIN

    def name(self, variable: str) -> str | None:
        """What a variable is called; None where it is not worth telling."""
        family, _, label = variable.rpartition("_")
        if variable in self.names:
            family, label = variable, ""
        return self.names[family].format(label) if family in self.names else None

    def change(self, name: str, old: Any, new: Any) -> str | None:
        """The change of one variable in words; None where it is not worth telling."""
        words = self.name(name)
        if words is None:
            return None
        if isinstance(new, bool):
            return words if new else f"no longer {words}"
        return f"{words}: {old} -> {new}"


@attrs.frozen(eq=False)
class World:
    """One system that sentences are judged on, with what its words are bound to.

    `name` is how people call it (a policy); `scope` says what a search of it is exhaustive within.
    `others` are the properties that the project knows of it, for what a sentence adds or breaks.
    `horizon_ms` and `unit_ms` bound a search of a system with a clock.
    `shown` says how its runs are told.
    `instant` is the present instant where the passing of time has become an action, see moments.py.
    `opened` gives the ways to leave the numbers of this world open, the most general first; `assumed` is what is known
    of numbers that are open here.
    """

    name: str
    system: System
    bound: Any
    vocabulary: Vocabulary
    scope: str
    others: tuple[Property, ...] = ()
    horizon_ms: int | None = None
    unit_ms: int | Fraction = 1
    states_max: int = 200_000
    shown: Shown = Shown()
    instant: Any = None
    opened: Callable[[], Iterable[Opened]] | None = None
    assumed: tuple[Any, ...] = ()
    cache: dict[Any, Any] = attrs.field(factory=dict, init=False, repr=False)

    def value(self, phrase: str) -> Any:
        """What a phrase is bound to here."""
        if phrase not in self.cache:
            self.cache[phrase] = self.vocabulary.words[phrase].build(self.bound)
        return self.cache[phrase]


@attrs.frozen(eq=False)
class Opened:
    """A world with its numbers left open, as parameters of its system.

    `values` are the numbers as configured, `names` what people call them.
    `small` are those that come on top of others, such as the time on the wire.
    `fixed` says in words which numbers stay as configured.
    """

    world: World
    values: Mapping[str, Fraction]
    names: Mapping[str, str]
    small: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()

    @property
    def assumed(self) -> tuple[Any, ...]:
        """What is true of the numbers of every configuration."""
        return self.world.assumed


@attrs.frozen(eq=False)
class Model:
    """Where a sentence can be tried: the guarded world, and each fault as a world of its own.

    `world` builds the world of a policy by name for the phrases that are used; `mutants` are the policies that are
    faults; a fault that changes nothing of what is built in gives None.
    `also` are further worlds that are no faults, such as the other era.
    """

    vocabulary: Vocabulary
    base: str
    world: Callable[[str, Sequence[str]], World | None]
    mutants: tuple[str, ...]
    caught: Mapping[str, tuple[str, ...]] = attrs.field(factory=dict)
    also: tuple[str, ...] = ()
