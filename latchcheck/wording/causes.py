"""Which words make two readings differ: phrase by phrase, as the grammar reads them."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

import attrs
import z3

from latchcheck.kernel import record, replay

from .faults import SentenceError
from .files import Reading
from .grammar import parse, pieces
from .moments import spelled
from .separating import Split, watch
from .words import Vocabulary, World


def cause(world: World | None, a: Reading, b: Reading, split: Split) -> tuple[str, str]:
    """The first difference in phrases which, made alone, changes what A says of the run; else the first of all."""
    if a.sentence == b.sentence:
        return (", ".join(a.assumptions) or "no assumption", ", ".join(b.assumptions) or "no assumption")
    vocabulary = None if world is None else world.vocabulary
    left, right = _pieces(a, vocabulary), _pieces(b, vocabulary)
    parts = [one for one in SequenceMatcher(None, left, right, autojunk=False).get_opcodes() if one[0] != "equal"]
    for _, i, j, k, m in parts:
        if world is not None and len(parts) > 1:
            changed = [*left[:i], *right[k:m], *left[j:]]
            if _differs(world, a, " ".join(changed), split):
                return _said(left[i:j]), _said(right[k:m])
    _, i, j, k, m = parts[0]
    return _said(left[i:j]), _said(right[k:m])


def _pieces(one: Reading, vocabulary: Vocabulary | None) -> list[str]:
    text = str(one.sentence)
    return text.split() if vocabulary is None else pieces(text, vocabulary)


def _said(tokens: Sequence[str]) -> str:
    return " ".join(tokens) or "(nothing)"


def _differs(world: World, a: Reading, text: str, split: Split) -> bool:
    """Whether a changed text judges a run otherwise than the reading does."""
    try:
        changed = attrs.evolve(a, sentence=parse(text, world.vocabulary))
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
