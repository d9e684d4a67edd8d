"""From text to a sentence: a grammar whose words are a vocabulary, and errors that point at the word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from latchcheck.needs import Needs

from . import language
from .faults import SentenceError, suggestion
from .language import Amount, Bound, Compared, Joined, Not, Number, Phrase, Prop, Scope, Sentence
from .mistakes import explained, phrase_regex
from .words import Vocabulary

KEYWORDS = {
    "GLOBALLY": "globally",
    "BEFORE": "before",
    "FROM": "from",
    "AFTER": "after",
    "UNTIL": "until",
    "BETWEEN": "between",
    "AND": "and",
    "OR": "or",
    "NOT": "not",
    "NEVER": "it is never the case that",
    "ALWAYS": "it is always the case that",
    "SOMETIME": "it is eventually the case that",
    "POSSIBLY": "it is possible that",
    "IF": "if",
    "THEN_LATER": "then eventually",
    "THEN_EARLIER": "then before that",
    "THEN_NOW": "then at that moment",
    "ONCE": "once",
    "LASTS": "it stays so for at least",
    "ENDS": "it stays so for at most",
    "EVERY": "at least every",
    "WITHIN": "within",
    "STEPS": "steps",
}
SIGNS = {
    "is more than": ">", "is at least": ">=", "is less than": "<", "is at most": "<=", "is exactly": "=",
    ">=": ">=", "<=": "<=", "!=": "!=", ">": ">", "<": "<", "=": "=",
}  # fmt: skip
UNITS_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
FORMS = {**{name: (word,) for name, word in KEYWORDS.items()}, "SIGN": tuple(SIGNS)}
"""The texts of each terminal that is neither punctuation nor made of the vocabulary."""

RULES = r"""
start: scope COMMA pattern DOT?
scope: GLOBALLY -> globally
     | BEFORE prop -> before
     | FROM prop (UNTIL prop)? -> from_
     | AFTER prop (UNTIL prop)? -> after
     | BETWEEN item AND item -> between
pattern: NEVER prop -> absence
     | ALWAYS prop -> universality
     | SOMETIME prop bound? -> existence
     | POSSIBLY prop -> possibility
     | IF prop COMMA THEN_LATER prop bound? -> response
     | IF prop COMMA THEN_EARLIER prop -> precedence
     | IF prop COMMA THEN_NOW prop -> invariance
     | ONCE prop COMMA LASTS DURATION -> lasts
     | ONCE prop COMMA ENDS DURATION -> ends
     | EVERY DURATION COMMA prop -> recurs
bound: WITHIN DURATION -> timed
     | WITHIN COUNT STEPS -> counted
prop: both (OR both)* -> either
both: item (AND item)*
item: NOT item -> negated
     | OPEN prop CLOSE -> grouped
     | CONDITION -> phrase
     | amount SIGN amount -> compared
amount: term ((PLUS | MINUS) term)*
term: QUANTITY -> quantity
     | DURATION -> duration
     | COUNT -> count
%import common.WS
%ignore WS
COMMA: ","
DOT: "."
OPEN: "("
CLOSE: ")"
PLUS: "+"
MINUS: "-"
DURATION.3: /(\d+(\.\d+)?(ms|s|m|h|d))+(?!\w)/
COUNT.2: /\d+(?![\w.]\d*)/
"""


def _terminal(name: str, phrases: Iterable[str], priority: int) -> str:
    found = sorted(phrases, key=len, reverse=True)
    body = "|".join(phrase_regex(one) for one in found).replace("/", r"\/") or r"(?!)x"
    return f"{name}.{priority}: /(?:{body})/i\n"


@lru_cache(maxsize=8)
def _parser(conditions: tuple[str, ...], quantities: tuple[str, ...]) -> Any:
    try:
        from lark import Lark
    except ImportError as missing:
        raise Needs("reading sentences", "lark", "wording") from missing
    text = RULES + "".join(_terminal(name, (word,), 4) for name, word in KEYWORDS.items())
    text += _terminal("SIGN", SIGNS, 4) + _terminal("CONDITION", conditions, 5) + _terminal("QUANTITY", quantities, 5)
    return Lark(text, parser="lalr", lexer="contextual", propagate_positions=True)


def parser_of(vocabulary: Vocabulary) -> Any:
    """The parser of a vocabulary. Raises Needs where lark is not installed."""
    return _parser(vocabulary.of_kind("state", "event"), vocabulary.of_kind("quantity"))


def parse(text: str, vocabulary: Vocabulary, others: Sequence[Vocabulary] = ()) -> Sentence:
    """Read a sentence.

    `others` are vocabularies of other models, so that a word of theirs is told as such.
    Raises SentenceError, which points at the first word that cannot stand where it stands.
    """
    parser = parser_of(vocabulary)
    from lark.exceptions import UnexpectedInput  # where lark is missing, the line above says so

    if not text.strip():
        raise SentenceError(text, 0, "the sentence is empty", suggestion("", _starts()))
    try:
        tree = parser.parse(text)
    except UnexpectedInput as error:
        raise explained(parser, text, error, vocabulary, FORMS, others) from None
    sentence = _sentence(tree, vocabulary)
    _check(text, sentence, vocabulary)
    return sentence


def pieces(text: str, vocabulary: Vocabulary) -> list[str]:
    """The words of a sentence that parses, each phrase of the grammar or of the vocabulary in one piece."""
    parser = parser_of(vocabulary)
    return [str(token) for token in parser.parse(text).scan_values(lambda one: hasattr(one, "type"))]


def _starts() -> tuple[str, ...]:
    return tuple(KEYWORDS[name] for name in ("GLOBALLY", "BEFORE", "FROM", "AFTER", "BETWEEN"))


# -- what it means ------------------------------------------------------------------------------------------------


def _sentence(tree: Any, vocabulary: Vocabulary) -> Sentence:
    scope_tree, pattern_tree = (one for one in tree.children if hasattr(one, "data"))
    known = {phrase.lower(): phrase for phrase in vocabulary.words}
    props = [_prop(one, known) for one in scope_tree.children if hasattr(one, "data")]
    kind = scope_tree.data.removesuffix("_")
    if kind == "before":
        scope = Scope("before", closes=props[0])
    elif kind in ("from", "after"):
        scope = Scope(f"{kind}-until" if len(props) > 1 else kind, props[0], props[1] if len(props) > 1 else None)  # type: ignore[arg-type]
    else:
        scope = Scope(kind, *props)
    bound = None
    inner: list[Prop] = []
    for one in pattern_tree.children:
        if getattr(one, "data", None) in ("timed", "counted"):
            timed = one.data == "timed"
            bound = Bound(_ms(one.children[1]) if timed else int(one.children[1]), timed)
        elif hasattr(one, "data"):
            inner.append(_prop(one, known))
        elif one.type == "DURATION":
            bound = Bound(_ms(one), timed=True)
    return Sentence(scope, pattern_tree.data, inner[0], inner[1] if len(inner) > 1 else None, bound)


def _ms(text: str) -> int:
    from fractions import Fraction

    total = sum(
        (Fraction(n) * UNITS_MS[unit] for n, _, unit in re.findall(r"(\d+(\.\d+)?)(ms|s|m|h|d)", text)), Fraction()
    )
    return int(total)


def _prop(tree: Any, known: dict[str, str]) -> Prop:
    parts = [one for one in tree.children if hasattr(one, "data")]
    if tree.data in ("either", "both"):
        inner = tuple(_prop(one, known) for one in parts)
        return inner[0] if len(inner) == 1 else Joined("or" if tree.data == "either" else "and", inner)
    if tree.data == "negated":
        return Not(_prop(parts[0], known))
    if tree.data == "grouped":
        return _prop(parts[0], known)
    if tree.data == "phrase":
        return _phrase(tree.children[0], known)
    left, sign, right = tree.children
    return Compared(_amount(left, known), SIGNS[" ".join(sign.lower().split())], _amount(right, known), sign.start_pos)  # type: ignore[arg-type]


def _phrase(token: Any, known: dict[str, str]) -> Phrase:
    return Phrase(known[" ".join(token.lower().split())], token.start_pos)


def _amount(tree: Any, known: dict[str, str]) -> Amount:
    terms, sign = [], 1
    for one in tree.children:
        if not hasattr(one, "data"):
            sign = 1 if one.type == "PLUS" else -1
            continue
        token = one.children[0]
        value = {"quantity": lambda t: _phrase(t, known), "duration": lambda t: Number(_ms(t), True),
                 "count": lambda t: Number(int(t), False)}[one.data](token)  # fmt: skip
        terms.append((sign, value))
    return Amount(tuple(terms))


def _check(text: str, sentence: Sentence, vocabulary: Vocabulary) -> None:
    """What the grammar cannot say: units that fit, and bounds that the model has a clock for."""
    for _, prop in sentence.props:
        for compared in _comparisons(prop):
            units = {
                (vocabulary.words[term.text].unit if isinstance(term, Phrase) else "ms" if term.timed else "count")
                for amount in (compared.left, compared.right)
                for _, term in amount.terms
            }
            if len(units) > 1:
                what = "a duration is compared with a count"
                raise SentenceError(
                    text, compared.offset, what, "write a unit to a number that is a duration: 5s, 250ms"
                )
    bound = sentence.bound
    if vocabulary.timed and language.endless(sentence):
        what = "on a clock a search ends, and cannot tell what comes in the end"
        offset = max(text.lower().rfind("eventually"), 0)
        raise SentenceError(text, offset, what, "say by when: `within 5ms` at the end of the sentence")
    if bound is not None and bound.timed and not vocabulary.timed:
        offset = max(text.rfind(word) for word in ("within", "at least", "at most"))
        instead = "write `within N steps`" if "within" in text else "a model with a clock has this form"
        raise SentenceError(text, offset, f"the model {vocabulary.name!r} has no clock", instead)


def _comparisons(prop: Prop) -> list[Compared]:
    if isinstance(prop, Compared):
        return [prop]
    if isinstance(prop, Not):
        return _comparisons(prop.inner)
    return [one for part in prop.parts for one in _comparisons(part)] if isinstance(prop, Joined) else []


def forms() -> tuple[tuple[str, str], ...]:
    """Each form of a scope and a pattern, with its meaning, for the reference."""
    return tuple(language.TEMPLATES.values())
