"""Which words make two readings differ: part by part of the sentence, and within a part phrase by phrase."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

import attrs
import z3

from latchcheck.kernel import record, replay

from .files import Reading
from .grammar import pieces
from .language import TEMPLATES, Sentence
from .moments import spelled
from .separating import Split, watch
from .words import Vocabulary, World

NEVER = "it is never the case that"


def cause(world: World | None, a: Reading, b: Reading, split: Split) -> tuple[str, str]:
    """The first difference which, made alone, changes what A says of the run; else all of them, as it takes several.

    What A says, and what B says in its place.
    """
    if a.sentence == b.sentence:
        return (", ".join(a.assumptions) or "no assumption", ", ".join(b.assumptions) or "no assumption")
    parts = list(_parts(a.sentence, b.sentence, None if world is None else world.vocabulary))
    for changed, said in parts:
        if world is not None and len(parts) > 1 and _differs(world, a, changed, split):
            return said
    left, right = zip(*(said for _, said in parts), strict=True)
    return " ... ".join(left), " ... ".join(right)


def _parts(a: Sentence, b: Sentence, vocabulary: Vocabulary | None) -> Iterator[tuple[Sentence, tuple[str, str]]]:
    """Each part in which two sentences differ: the first with that part of the second, and the words of both."""
    if a.scope != b.scope:
        changed = attrs.evolve(a, scope=b.scope)
        yield changed, _said(*(_phrases(f"{one.scope}, {NEVER} ", vocabulary, ends=False) for one in (a, b)))
    if a.pattern != b.pattern:
        # Another pattern brings its own conditions and its own bound.
        changed = attrs.evolve(b, scope=a.scope)
        yield changed, (TEMPLATES[a.pattern][0], TEMPLATES[b.pattern][0])
        return
    for name in ("first", "second"):
        one, other = getattr(a, name), getattr(b, name)
        if one != other:
            said = _said(*(_phrases(f"globally, {NEVER} {each}", vocabulary) for each in (one, other)))
            yield attrs.evolve(a, **{name: other}), said
    if a.bound != b.bound:
        yield attrs.evolve(a, bound=b.bound), (str(a.bound or "no bound"), str(b.bound or "no bound"))


def _phrases(text: str, vocabulary: Vocabulary | None, *, ends: bool = True) -> list[str]:
    if vocabulary is None:
        return text.split()
    # What stands only so that the text is a sentence is the same on both sides.
    return pieces(text if ends else text + vocabulary.of_kind("state", "event")[0], vocabulary)


def _said(left: Sequence[str], right: Sequence[str]) -> tuple[str, str]:
    """The first phrases that differ, with those beside them that differ too."""
    matched = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    _, i, j, k, m = next(one for one in matched if one[0] != "equal")
    return _joined(left[i:j]), _joined(right[k:m])


def _joined(tokens: Sequence[str]) -> str:
    return " ".join(tokens) or "(nothing)"


def _differs(world: World, a: Reading, changed: Sentence, split: Split) -> bool:
    """Whether a changed sentence judges a run otherwise than the reading does."""
    return fails_at_end(world, a, split) != fails_at_end(world, attrs.evolve(a, sentence=changed), split)


def fails_at_end(world: World, one: Reading, split: Split) -> bool:
    """Whether a run that ends here breaks a sentence."""
    watched = watch(world, [one])
    made = record(watched.system, spelled(world, split.trace, split.until_ms))
    last = replay(watched.system, made)[-1]
    pairs = [(variable.term, variable.domain.literal(last[variable.name])) for variable in watched.system.variables]
    return z3.is_true(z3.simplify(z3.substitute(watched.monitors[0].failing, *pairs)))
