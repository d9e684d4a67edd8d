"""Mutants of a sentence itself: the slips of an author, each made alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from .files import Reading
from .language import Amount, Bound, Compared, Joined, Not, Phrase, Prop, Scope, Sentence, endless
from .words import Vocabulary

SIGN_SLIPS = {">=": (">",), ">": (">=",), "<=": ("<",), "<": ("<=",), "=": (">=", "<="), "!=": ("=",)}
SCOPE_SLIPS = {
    "from": ("after",), "after": ("from",), "from-until": ("after-until",), "after-until": ("from-until",),
    "between": ("from-until",),
}  # fmt: skip


@attrs.frozen
class Slip:
    """One mutant: what was changed, in words, and the reading that it makes."""

    what: str
    reading: Reading


def slips(one: Reading, vocabulary: Vocabulary) -> tuple[Slip, ...]:
    """Every mutant of a reading; the kinds are listed in docs/reference/wording.md."""
    found: dict[Any, Slip] = {}
    for what, changed in _all(one, vocabulary):
        key = (changed.sentence, changed.assumptions, changed.keyword)
        undecided = vocabulary.timed and endless(changed.sentence)
        if not undecided and key != (one.sentence, one.assumptions, one.keyword):
            found.setdefault(key, Slip(what, changed))
    return tuple(found.values())


def _all(one: Reading, vocabulary: Vocabulary) -> Iterator[tuple[str, Reading]]:
    sentence = one.sentence
    if one.keyword == "MUST" and sentence.pattern != "possibility":
        yield "MUST to SHOULD", attrs.evolve(one, keyword="SHOULD")
    for what, changed in _sentences(sentence, vocabulary):
        yield what, attrs.evolve(one, sentence=changed)
    for i, name in enumerate(one.assuming):
        yield f'drop the assumption "{name}"', attrs.evolve(one, assuming=one.assuming[:i] + one.assuming[i + 1 :])
    for i, limit in enumerate(one.restricting):
        rest = one.restricting[:i] + one.restricting[i + 1 :]
        yield f'drop the assumption "{limit}"', attrs.evolve(one, restricting=rest)


def _sentences(sentence: Sentence, vocabulary: Vocabulary) -> Iterator[tuple[str, Sentence]]:
    scope = sentence.scope
    for kind in SCOPE_SLIPS.get(scope.kind, ()):
        first, second = scope.kind.split("-")[0], kind.split("-")[0]
        words = {"from": "from", "after": "after"}
        yield (
            f'"{words[first]}" to "{words[second]}"' if first != "between" else "between to from ... until",
            attrs.evolve(sentence, scope=attrs.evolve(scope, kind=kind)),
        )
    if scope.kind != "globally":
        yield "drop the scope", attrs.evolve(sentence, scope=Scope())
    bound = sentence.bound
    if bound is not None and sentence.pattern in ("existence", "response"):
        if not bound.timed:
            yield "drop the bound", attrs.evolve(sentence, bound=None)
        yield "the bound one longer", attrs.evolve(sentence, bound=Bound(bound.value + 1, bound.timed))
    places: dict[str, Prop | None] = {"first": sentence.first, "second": sentence.second}
    for name, prop in places.items():
        if prop is not None:
            for what, changed in _props(prop, vocabulary):
                yield what, attrs.evolve(sentence, **{name: changed})
    for name in ("opens", "closes"):
        prop = getattr(scope, name)
        if prop is not None:
            for what, changed in _props(prop, vocabulary):
                yield what, attrs.evolve(sentence, scope=attrs.evolve(scope, **{name: changed}))
    if sentence.pattern == "response" and bound is None:
        yield "eventually to at that moment", attrs.evolve(sentence, pattern="invariance")
    if sentence.pattern == "precedence" and sentence.second is not None:
        yield "before to at that moment", attrs.evolve(sentence, pattern="invariance")


def _props(prop: Prop, vocabulary: Vocabulary) -> Iterator[tuple[str, Prop]]:
    if isinstance(prop, Phrase):
        for other in vocabulary.words[prop.text].near:
            yield f'"{prop.text}" to "{other}"', Phrase(other)
    elif isinstance(prop, Not):
        for what, changed in _props(prop.inner, vocabulary):
            yield what, Not(changed)
        yield f'drop "not" before "{prop.inner}"', prop.inner
    elif isinstance(prop, Joined):
        yield from _joined(prop, vocabulary)
    else:
        yield from _compared(prop, vocabulary)


def _joined(prop: Joined, vocabulary: Vocabulary) -> Iterator[tuple[str, Prop]]:
    for i, part in enumerate(prop.parts):
        rest = prop.parts[:i] + prop.parts[i + 1 :]
        yield f'drop the clause "{part}"', rest[0] if len(rest) == 1 else Joined(prop.word, rest)
        for what, changed in _props(part, vocabulary):
            yield what, Joined(prop.word, (*prop.parts[:i], changed, *prop.parts[i + 1 :]))
    other = "or" if prop.word == "and" else "and"
    yield f'"{prop.word}" to "{other}"', Joined(other, prop.parts)


def _compared(prop: Compared, vocabulary: Vocabulary) -> Iterator[tuple[str, Prop]]:
    for sign in SIGN_SLIPS[prop.sign]:
        yield f"{prop.sign} to {sign}", attrs.evolve(prop, sign=sign)
    for side in ("left", "right"):
        amount: Amount = getattr(prop, side)
        for i, (factor, term) in enumerate(amount.terms):
            if isinstance(term, Phrase):
                for other in vocabulary.words[term.text].near:
                    terms = (*amount.terms[:i], (factor, Phrase(other)), *amount.terms[i + 1 :])
                    yield f'"{term.text}" to "{other}"', attrs.evolve(prop, **{side: Amount(terms)})
