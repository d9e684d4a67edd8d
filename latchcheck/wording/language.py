"""The sentences of the language as records: propositions, scopes, patterns; `str` of each is its canonical English.

The patterns and scopes are those of Dwyer, Avrunin and Corbett (1999), the real-time forms those of Konrad and Cheng
(2005).
"""

from __future__ import annotations

from typing import Literal

import attrs

from latchcheck.kernel.duration import duration


@attrs.frozen
class Phrase:
    """A state or an event of the vocabulary; `offset` is where it stands in the text."""

    text: str
    offset: int = attrs.field(default=0, eq=False)

    def __str__(self) -> str:
        return self.text


@attrs.frozen
class Not:
    """The negation of a condition."""

    inner: Prop

    def __str__(self) -> str:
        return f"not {_inside(self.inner)}"


@attrs.frozen
class Joined:
    """Conditions joined by "and" or by "or"."""

    word: Literal["and", "or"]
    parts: tuple[Prop, ...]

    def __str__(self) -> str:
        return f" {self.word} ".join(_inside(part) for part in self.parts)


@attrs.frozen
class Number:
    """A number written out: milliseconds where `timed`, else a count."""

    value: int
    timed: bool

    def __str__(self) -> str:
        return (duration(self.value) if self.value else "0ms") if self.timed else str(self.value)


@attrs.frozen
class Amount:
    """A sum of quantities and numbers, each with its sign."""

    terms: tuple[tuple[int, Phrase | Number], ...]

    def __str__(self) -> str:
        text = ""
        for sign, term in self.terms:
            text += (" + " if sign > 0 else " - ") if text else ("" if sign > 0 else "- ")
            text += str(term)
        return text


@attrs.frozen
class Compared:
    """Two amounts and how they compare."""

    left: Amount
    sign: Literal["<", "<=", ">", ">=", "=", "!="]
    right: Amount
    offset: int = attrs.field(default=0, eq=False)

    def __str__(self) -> str:
        return f"{self.left} {self.sign} {self.right}"


Prop = Phrase | Not | Joined | Compared


def _inside(prop: Prop) -> str:
    return f"({prop})" if isinstance(prop, Joined) else str(prop)


ScopeKind = Literal["globally", "before", "from", "after", "from-until", "after-until", "between"]


SCOPES: dict[ScopeKind, tuple[str, str]] = {
    "globally": ("globally", "at every moment"),
    "before": ("before R", "until R first holds, if it ever does"),
    "from": ("from Q", "from the first moment with Q on (Dwyer's after)"),
    "after": ("after Q", "from the moment after the first with Q on"),
    "from-until": ("from Q until R", "from a moment with Q until R holds, if it ever does; then again"),
    "after-until": ("after Q until R", "the same, from the moment after that on"),
    "between": ("between Q and R", "as from Q until R, where R comes"),
}
"""Each scope with its form, and where in a run the pattern then applies."""


@attrs.frozen
class Scope:
    """Where in a run a pattern applies; `opens` and `closes` are the conditions that delimit it."""

    kind: ScopeKind = "globally"
    opens: Prop | None = None
    closes: Prop | None = None

    def __str__(self) -> str:
        if self.kind == "globally":
            return "globally"
        if self.kind == "before":
            return f"before {self.closes}"
        if self.kind == "between":
            return f"between {_inside_of(self.opens)} and {_inside_of(self.closes)}"
        word = self.kind.removesuffix("-until")
        return f"{word} {self.opens}" + (f" until {self.closes}" if self.closes is not None else "")


def _inside_of(prop: Prop | None) -> str:
    assert prop is not None
    return _inside(prop)


@attrs.frozen
class Bound:
    """How soon: milliseconds where `timed`, else steps."""

    value: int
    timed: bool

    def __str__(self) -> str:
        return f"within {duration(self.value) if self.value else '0ms'}" if self.timed else f"within {self.value} steps"


PatternKind = Literal[
    "absence", "universality", "existence", "response", "precedence", "invariance", "lasts", "ends", "recurs",
    "possibility",
]  # fmt: skip

TEMPLATES: dict[PatternKind, tuple[str, str]] = {
    "absence": ("it is never the case that P", "P holds at no moment of the scope (Dwyer: absence)"),
    "universality": ("it is always the case that P", "P holds at every moment of the scope (Dwyer: universality)"),
    "existence": ("it is eventually the case that P", "P holds at some moment of the scope (Dwyer: existence)"),
    "response": ("if P, then eventually S", "S holds at the moment of P or later in the scope (Dwyer: response)"),
    "precedence": (
        "if P, then before that S",
        "S has held in the scope by that moment (Dwyer: precedence)",
    ),
    "invariance": ("if P, then at that moment S", "S holds whenever P does"),
    "lasts": (
        "once P, it stays so for at least T",
        "the first moment without P is no sooner than T after the first with it (Konrad: minimum duration)",
    ),
    "ends": (
        "once P, it stays so for at most T",
        "P holds at no moment later than T after the first with it (Konrad: maximum duration)",
    ),
    "recurs": (
        "at least every T, P",
        "P comes within T of the beginning of the scope and of each moment with P (Konrad: bounded recurrence)",
    ),
    "possibility": ("it is possible that P", "some run has a moment of the scope with P; for MAY"),
}
"""Each pattern with its form and its meaning; `within T` or `within N steps` may follow a form with "eventually"."""


@attrs.frozen
class Sentence:
    """One reading: a scope, a pattern, its conditions, and a bound where it has one."""

    scope: Scope
    pattern: PatternKind
    first: Prop
    second: Prop | None = None
    bound: Bound | None = None

    def __str__(self) -> str:
        first, second = str(self.first), str(self.second)
        limit = f" {self.bound}" if self.bound is not None else ""
        if self.pattern in ("lasts", "ends", "recurs"):
            assert self.bound is not None
            limit = duration(self.bound.value)
        form = TEMPLATES[self.pattern][0]
        words = {"P": first, "S": second, "T": limit, "P,": first + ",", "T,": limit + ","}
        text = " ".join(words.get(word, word) for word in form.split(" "))
        return f"{self.scope}, {text}" + (limit if "eventually" in form else "")

    @property
    def props(self) -> tuple[tuple[str, Prop], ...]:
        """Every condition of the sentence with the part it plays."""
        found = [
            ("the moment that opens the scope", self.scope.opens),
            ("the moment that closes the scope", self.scope.closes),
            ("what the sentence starts from" if self.second is not None else "what it speaks about", self.first),
            ("what must answer", self.second),
        ]
        return tuple((role, prop) for role, prop in found if prop is not None)


def endless(sentence: Sentence) -> bool:
    """Whether a sentence can ask for something without an instant by which it must come."""
    timed = sentence.bound is not None and sentence.bound.timed
    return (
        sentence.pattern in ("existence", "response") and not timed and sentence.scope.kind not in ("before", "between")
    )


def phrases(prop: Prop | Amount | None) -> tuple[Phrase, ...]:
    """Every phrase of the vocabulary in a condition, in order."""
    if prop is None or isinstance(prop, Number):
        return ()
    if isinstance(prop, Phrase):
        return (prop,)
    if isinstance(prop, Not):
        return phrases(prop.inner)
    if isinstance(prop, Joined):
        return tuple(one for part in prop.parts for one in phrases(part))
    if isinstance(prop, Compared):
        return phrases(prop.left) + phrases(prop.right)
    return tuple(one for _, term in prop.terms if isinstance(term, Phrase) for one in (term,))


def used(sentence: Sentence) -> tuple[str, ...]:
    """The phrases that a sentence uses, each once."""
    return tuple(dict.fromkeys(one.text for _, prop in sentence.props for one in phrases(prop)))
