"""The relation of two wordings: which runs each forbids, and the words that make the difference."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Literal

import attrs
import z3

from latchcheck.engines.smt import prove
from latchcheck.kernel import record, replay

from .faults import SentenceError
from .files import Reading
from .grammar import parse
from .language import phrases, used
from .moments import spelled
from .monitors import Moment
from .separating import Split, separate, separate_all, watch
from .words import Model, Vocabulary, World

Relation = Literal["equivalent", "A stronger", "B stronger", "incomparable", "compatible", "undecided"]
"""A MAY forbids nothing: a MUST is stronger than it where some run that uses it breaks the MUST, else "compatible"."""
CHUNK = 6
"""How many sentences look on in one search: each multiplies the states a little, and each search costs its start."""


@attrs.frozen(eq=False)
class Difference:
    """What a comparison found.

    `basis` says what the relation is proved over; `splits` hold for each direction the shortest run.
    `cause` is the first difference in words that the first run turns on: what A says, what B says.
    `worlds` were searched; `given_up` could not be to the end.
    """

    relation: Relation
    basis: str
    splits: tuple[Split, ...]
    cause: tuple[str, str] | None
    worlds: tuple[str, ...]
    given_up: tuple[str, ...] = ()


# -- the same whatever the model does -----------------------------------------------------------------------------


def same_by_wording(world: World, a: Reading, b: Reading) -> bool | None:
    """Whether no model at all can tell two readings apart; None where this cannot be decided so.

    The conditions that both use are left free, as far as they can hold together; then every run of the monitors is
    searched. A finite search to the end, so a proof for runs of any length.
    """
    if a.sentence == b.sentence:
        return a.assumptions == b.assumptions or None
    if a.assumptions != b.assumptions or a.sentence.pattern == "possibility" or b.sentence.pattern == "possibility":
        return None
    if _timed(a) or _timed(b):
        return _same_shape(world, a, b)
    from .free import free_world  # here, as it needs the records above

    free = free_world(world, (a.sentence, b.sentence))
    if free is None:
        return None
    watched = watch(free, [a, b])
    one, all_one = separate(watched, 0, 1)
    other, all_other = separate(watched, 1, 0)
    if one is not None or other is not None:
        return False
    return True if all_one and all_other else None


def _timed(one: Reading) -> bool:
    return one.sentence.bound is not None and one.sentence.bound.timed


def _same_shape(world: World, a: Reading, b: Reading) -> bool | None:
    """Two sentences of one form whose conditions the solver proves equal."""
    one, other = a.sentence, b.sentence
    if (one.pattern, one.bound, one.scope.kind) != (other.pattern, other.bound, other.scope.kind):
        return None
    at = Moment(world, None, lambda expr: expr)
    for (_, left), (_, right) in zip(one.props, other.props, strict=True):
        events = {phrase.text for prop in (left, right) for phrase in phrases(prop)} & set(
            world.vocabulary.of_kind("event")
        )
        if left != right and (events or not prove("same", [], at.value(left) == at.value(right)).proved):
            return None
    return True


# -- two readings -------------------------------------------------------------------------------------------------


def compare(model: Model, a: Reading, b: Reading) -> Difference:
    """The relation of two readings: by wording, then over the runs of the guarded model and of every fault."""
    return compare_all(model, a, [b])[0]


def compare_all(model: Model, a: Reading, others: Sequence[Reading]) -> list[Difference]:
    """The relation of one reading to each of some others."""
    words = words_of([a, *others])
    base = model.world(model.base, words)
    assert base is not None
    same = {k for k, other in enumerate(others) if same_by_wording(base, a, other)}
    left = [k for k in range(len(others)) if k not in same]
    seen = _Seen(model.base)
    for start in range(0, len(left), CHUNK):
        seen.search(model, words, a, {k: others[k] for k in left[start : start + CHUNK]})
    return [PROVED if k in same else seen.difference(model, words, base, a, others[k], k) for k in range(len(others))]


PROVED = Difference("equivalent", "proved for every model, runs of any length: the monitors are the same", (), None, ())


def words_of(readings: Sequence[Reading]) -> tuple[str, ...]:
    """Every phrase that some readings use, their assumptions included."""
    found = [
        word
        for one in readings
        for word in (*used(one.sentence), *one.assuming, *(w for limit in one.restricting for w in used(limit)))
    ]
    return tuple(dict.fromkeys(found))


class _Seen:
    """The shortest run for each direction of each comparison so far, a run of the guarded model before any other."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.splits: dict[tuple[int, int], Split] = {}
        self.searched: dict[str, None] = {}
        self.given_up: dict[int, dict[str, None]] = {}

    def search(self, model: Model, words: Sequence[str], a: Reading, others: dict[int, Reading]) -> None:
        for name in (model.base, *model.also, *model.mutants):
            world = model.world(name, words)
            if world is None:
                continue
            self.searched[name] = None
            open_ = {k: one for k, one in others.items() if not all(self._settled(k, side) for side in (0, 1))}
            watched = watch(world, [a, *open_.values()])
            pairs = {
                pair: (k, side)
                for at, k in enumerate(open_, start=1)
                for side, pair in enumerate(((0, at), (at, 0)))
                if not self._settled(k, side)
            }
            if not pairs:
                continue
            for pair, (split, complete) in separate_all(watched, list(pairs)).items():
                k, side = pairs[pair]
                if not complete:
                    self.given_up.setdefault(k, {})[name] = None
                if split is not None and self._better(split, k, side):
                    self.splits[k, side] = attrs.evolve(split, obeys="AB"[side], breaks="BA"[side])

    def _settled(self, k: int, side: int) -> bool:
        return (k, side) in self.splits and self.splits[k, side].world == self.base

    def _better(self, split: Split, k: int, side: int) -> bool:
        found = self.splits.get((k, side))
        return found is None or len(split.trace) < len(found.trace)

    def difference(self, model: Model, words: Sequence[str], base: World, a: Reading, b: Reading, k: int) -> Difference:
        found = {side: self.splits[k, side] for side in (0, 1) if (k, side) in self.splits}
        given_up = tuple(self.given_up.get(k, ()))
        relation = _relation(found, bool(given_up))
        if relation == "equivalent" and (a.sentence.pattern == "possibility") != (b.sentence.pattern == "possibility"):
            relation = "compatible"
        splits = tuple(found.values())
        cause = _cause(model, words, a, b, splits[0]) if splits else None
        return Difference(relation, _basis(base, list(self.searched)), splits, cause, tuple(self.searched), given_up)


def _relation(splits: dict[int, Split], partial: bool) -> Relation:  # noqa: FBT001 - private
    if 0 in splits and 1 in splits:
        return "incomparable"
    if partial:
        return "undecided"
    # A run that obeys A and breaks B says that B asks for more.
    return "B stronger" if 0 in splits else "A stronger" if 1 in splits else "equivalent"


def _basis(base: World, searched: Sequence[str]) -> str:
    worlds = "1 model" if len(searched) == 1 else f"{len(searched)} models, the guarded one and each fault"
    length = base.scope if base.horizon_ms is not None else f"runs of any length, scope {base.scope}"
    return f"searched to the end in {worlds}: {length}"


# -- which words did it -------------------------------------------------------------------------------------------


def _tokens(text: str) -> list[str]:
    return re.findall(r"[\w.]+|[<>=!]+|[^\s\w]", text)


def _cause(model: Model, words: Sequence[str], a: Reading, b: Reading, split: Split) -> tuple[str, str] | None:
    """The first difference in words which, made alone, changes what A says of the run; else the first of all."""
    left, right = _tokens(str(a.sentence)), _tokens(str(b.sentence))
    parts = [one for one in SequenceMatcher(None, left, right, autojunk=False).get_opcodes() if one[0] != "equal"]
    if not parts:
        return (", ".join(a.assumptions) or "no assumption", ", ".join(b.assumptions) or "no assumption")
    world = model.world(split.world, words)
    for _, i, j, k, m in parts:
        if world is not None and len(parts) > 1:
            changed = [*left[:i], *right[k:m], *left[j:]]
            if _differs(world, a, " ".join(changed), world.vocabulary, split):
                return _said(left[i:j]), _said(right[k:m])
    _, i, j, k, m = parts[0]
    return _said(left[i:j]), _said(right[k:m])


def _said(tokens: Sequence[str]) -> str:
    return " ".join(tokens) or "(nothing)"


def _differs(world: World, a: Reading, text: str, vocabulary: Vocabulary, split: Split) -> bool:
    """Whether a changed text judges a run otherwise than the reading does."""
    try:
        changed = attrs.evolve(a, sentence=parse(text, vocabulary))
    except SentenceError:
        return False
    return fails_at_end(world, a, split) != fails_at_end(world, changed, split)


def fails_at_end(world: World, one: Reading, split: Split) -> bool:
    """Whether a run that ends here breaks a sentence."""
    watched = watch(world, [one])
    made = record(watched.system, spelled(world, split.trace, split.until_ms))
    last = replay(watched.system, made)[-1]
    pairs = [(variable.term, variable.domain.literal(last[variable.name])) for variable in watched.system.variables]
    return z3.is_true(z3.simplify(z3.substitute(watched.monitors[0].failing, *pairs)))
