"""What is wrong with a sentence that does not parse: the word, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from .faults import SentenceError
from .words import Vocabulary

CONDITION, QUANTITY, SIGN, END = "CONDITION", "QUANTITY", "SIGN", "$END"
OTHERS = {"COMMA": ",", "DOT": ".", "OPEN": "(", "CLOSE": ")", "PLUS": "+", "MINUS": "-", END: "the end"}
EXAMPLES = {"DURATION": "a duration such as 5s", "COUNT": "a whole number"}
NEAR_MIN, NEARER_MIN = 0.72, 0.8
LISTED_MAX = 12
"""So many are listed; where there are more, those most alike come first."""
SCOPES = frozenset({"GLOBALLY", "BEFORE", "FROM", "AFTER", "BETWEEN"})

HINTS: Mapping[str, str] = {
    "always": "write: globally, it is always the case that ...",
    "never": "write: it is never the case that ...",
    "when": "write: if P, then at that moment S; or begin with a scope: from P, or after P",
    "whenever": "write: if P, then at that moment S; or begin with a scope: from P, or after P",
    "while": "write a scope: from Q until R, ...",
    "during": "write a scope: from Q until R, ...",
    "since": "write a scope: from Q, ...; or before that in: if P, then before that S",
    "until": "what applies until something happens is written: before R, ...",
    "unless": "write: if P and not Q, then ...",
    "once": "write a scope: from P, ...; once stands only in: once P, it stays so for at least 5s",
    "eventually": "write: then eventually S; or: it is eventually the case that P",
    "finally": "write: then eventually S",
    "later": "write: then eventually S",
    "immediately": "write: then at that moment S",
    "then": "write: if P, then eventually S; then at that moment S; or then before that S",
    "must": 'the keyword stands in the file, keyword = "MUST", and not in the reading',
    "should": 'the keyword stands in the file, keyword = "SHOULD", and not in the reading',
    "may": 'the keyword stands in the file, keyword = "MAY", and the reading says: it is possible that ...',
    "shall": 'the keyword stands in the file, keyword = "MUST", and not in the reading',
    "in": "how soon is written: within 5s, or within 3 steps",
    "exceeds": "write: is more than",
    "exceed": "write: is more than",
    "greater": "write: is more than, or is at least",
    "larger": "write: is more than, or is at least",
    "longer": "write: is more than, or is at least",
    "smaller": "write: is less than, or is at most",
    "shorter": "write: is less than, or is at most",
    "equals": "write: is exactly",
    "equal": "write: is exactly",
    "every": "write: at least every 5s, P",
    "twice": "how often something happens is a quantity of its own, where the vocabulary has one",
    "*": "there is no multiplication; write a sum, or a number",
    "/": "there is no division; write a sum, or a number",
}  # fmt: skip
NEGATED = re.compile(r"(isn't|wasn't|doesn't|not|no longer)$", re.IGNORECASE)
DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
UNITS = {
    "ms": "ms", "millisecond": "ms", "milliseconds": "ms", "s": "s", "sec": "s", "second": "s", "seconds": "s",
    "m": "m", "min": "m", "minute": "m", "minutes": "m", "h": "h", "hour": "h", "hours": "h", "d": "d", "day": "d",
    "days": "d",
}  # fmt: skip


class Mistake:
    """One place in a text where nothing goes on, and what could stand there."""

    def __init__(
        self, text: str, offset: int, allowed: set[str], vocabulary: Vocabulary, forms: Mapping[str, Sequence[str]]
    ) -> None:
        self.text, self.allowed, self.vocabulary = text, allowed, vocabulary
        while offset < len(text) and text[offset].isspace():
            offset += 1
        self.offset, self.rest = offset, text[offset:]
        self.words = list(re.finditer(r"\S+", self.rest))
        self.phrases = [
            *(vocabulary.of_kind("state", "event") if CONDITION in allowed else ()),
            *(vocabulary.of_kind("quantity") if QUANTITY in allowed else ()),
        ]
        self.literals = [word for name in forms if name in allowed for word in forms[name]]
        self.literals += [OTHERS[name] for name in OTHERS if name in allowed]
        self.examples = [EXAMPLES[name] for name in EXAMPLES if name in allowed]

    def error(self, others: Sequence[Vocabulary]) -> SentenceError:
        """The error that says all this."""
        if not self.words:
            return SentenceError(self.text, self.offset, "the sentence ends too soon", self._instead(""))
        foreign = self._foreign(others)
        if foreign is not None:
            return foreign
        known, following = _longest(self.phrases + self.literals, [_bare(one[0]).lower() for one in self.words])
        if not known:
            what = f"{_bare(self.words[0][0])!r} cannot stand here"
            return SentenceError(self.text, self.offset, what, self._instead(self.rest))
        if known == len(self.words):
            what = f"{self.rest.strip()!r} is unfinished"
            return SentenceError(self.text, len(self.text.rstrip()), what, self._listed("", following))
        bad = self.words[known]
        before = self.rest[: bad.start()].rstrip()
        what = f"no phrase goes on with {_bare(bad[0])!r} after {before!r}"
        hint = self._hint(bad[0], before)
        rest = self.rest[bad.start() :]
        whole = "" if hint else self._whole(rest, before, following)
        instead = hint + whole + self._listed(rest, following, told=bool(hint or whole))
        return SentenceError(self.text, self.offset + bad.start(), what, instead)

    def completing(self) -> tuple[str, ...]:
        """What the text goes on with where it ends within a phrase; nothing where it is wrong."""
        known, following = _longest(self.phrases + self.literals, [_bare(one[0]).lower() for one in self.words])
        return following if known == len(self.words) else ()

    def _whole(self, rest: str, before: str, following: Sequence[str]) -> str:
        """The phrase that was meant, where it goes on as those do that begin so, or begins otherwise."""
        first = _bare(rest.split(" ", 1)[0]).lower()
        near = [
            one
            for one in following
            if len(following) == 1 or one.lower().endswith(f" {first}") or _alike(one, rest) >= NEAR_MIN
        ]
        whole = [f"{before} {one}" for one in near]
        every = [one for one in self.phrases + self.literals if not one.lower().startswith(f"{before.lower()} ")]
        whole += [one for one in every if _alike(one, self.rest) >= NEARER_MIN]
        best = max(whole, key=lambda one: _alike(one, self.rest), default=None)
        return "" if best is None else f"did you mean {best!r}? "

    def _foreign(self, others: Sequence[Vocabulary]) -> SentenceError | None:
        """A word of another model."""
        if CONDITION not in self.allowed and QUANTITY not in self.allowed:
            return None
        found = [(one, phrase) for one in others for phrase in one.words if _begins(self.rest, phrase)]
        if not found:
            return None
        foreign, phrase = max(found, key=lambda pair: len(pair[1]))
        instead = (
            f'this file speaks about the model {self.vocabulary.name!r}; write model = "{foreign.name}" for the other'
        )
        what = f"{phrase!r} is a word of the model {foreign.name!r}"
        return SentenceError(self.text, self.offset, what, instead)

    def _instead(self, rest: str) -> str:
        first = self.words[0][0] if self.words else ""
        hint = self._hint(first, self.text[: self.offset].rstrip())
        return hint + self._listed(rest, [*self.phrases, *self.literals, *self.examples], told=bool(hint))

    def _hint(self, word: str, before: str) -> str:
        """Advice for a word that authors often write."""
        bare, last = _bare(word).lower() or word, before.rsplit(" ", 1)[-1]
        number = bool(self.allowed & {"COUNT", "DURATION"})
        found = HINTS.get(bare, "")
        if bare in UNITS and re.fullmatch(r"[\d.]+", last):
            found = f"a number and its unit are one word: {last}{UNITS[bare]}"
        elif NEGATED.search(bare) and before and CONDITION in self.allowed:
            found = "write not before the whole phrase: not the task is ..."
        elif re.fullmatch(r"-?\d+", bare) and last == "is":
            found = "write: is exactly, is at least or is at most"
        elif bare.startswith("-") and number:
            found = "a number is not negative; write 0ms - 3ms"
        elif bare in DIGITS and number:
            found = f"write the number in digits: {DIGITS.index(bare)}"
        elif bare == "or" and re.match(r"or\s+equal", self.rest, re.IGNORECASE):
            found = "write: is at least, or is at most"
        elif bare in ("until", "to") and self.allowed.isdisjoint(SCOPES):
            found = "write: between Q and R, ...; or from Q until R, ..."
        return f"{found}\n  " if found else ""

    def _place(self) -> str:
        """What begins at a place, where that says more than the words that may stand there."""
        if self.allowed >= SCOPES:
            return "a reading begins with a scope and a comma: globally, it is never the case that ...\n  "
        if "NEVER" in self.allowed:
            return "what is said begins here: it is never the case that ...; or if P, then eventually S\n  "
        if self.allowed == {"STEPS"}:
            return "a number of steps is written 5 steps; a time has its unit in the same word: 5s\n  "
        return ""

    def _listed(self, rest: str, choices: Iterable[str], *, told: bool = False) -> str:
        known = tuple(dict.fromkeys(choices))
        meant = "" if told else self._meant(rest, known) or self._place()
        if len(known) > LISTED_MAX and rest:
            known = tuple(sorted(known, key=lambda one: -_alike(one, rest)))
        shown = ", ".join(repr(one) for one in known[:LISTED_MAX])
        more = len(known) - LISTED_MAX
        rest_of = f", and {more} more (`latchcheck wording vocabulary` lists all)" if more > 0 else ""
        return f"{meant}here may stand: {shown}{rest_of}"

    def _meant(self, rest: str, choices: Iterable[str]) -> str:
        known = tuple(choices)
        first = _bare(rest.split(" ", 1)[0]).lower()
        # "... or completed" leaves out what "the task is working or" begins with.
        for one in known:
            head = one.lower().removesuffix(f" {first}")
            if first and head != one.lower() and f"{head} " in self.text[: self.offset].lower():
                return f"did you mean {one!r}? "
        best = max(known, key=lambda one: _alike(one, rest), default=None)
        return f"did you mean {best!r}? " if best is not None and _alike(best, rest) >= NEAR_MIN else ""


def _alike(phrase: str, rest: str) -> float:
    """How near a phrase is to the words that a text begins with, its own number of them or one fewer."""
    words = [_bare(one).lower() for one in rest.split()]
    count = len(phrase.split())
    tries = [" ".join(words[:n]) for n in (count, count - 1, count + 1) if 0 < n <= len(words)]
    return max((SequenceMatcher(None, phrase.lower(), one).ratio() for one in tries), default=0.0)


def _bare(word: str) -> str:
    return word.strip(",.()\"'`;:") or word


def _begins(text: str, phrase: str) -> bool:
    return re.match(phrase_regex(phrase), text, re.IGNORECASE) is not None


def phrase_regex(phrase: str) -> str:
    """A phrase as a regular expression: any space between its words, and nothing of a word before or after it."""
    words = [re.escape(word) for word in phrase.split()]
    text = r"\s+".join(words)
    return (r"(?<!\w)" if phrase[0].isalnum() else "") + text + (r"(?!\w)" if phrase[-1].isalnum() else "")


def _longest(candidates: Sequence[str], words: Sequence[str]) -> tuple[int, tuple[str, ...]]:
    """How many words some candidate shares with the text, and what the candidates that share most go on with."""
    best, following = 0, []
    for one in candidates:
        parts = one.split()
        pairs = zip(parts, words, strict=False)
        least = min(len(parts), len(words))
        shared = next((i for i, (a, b) in enumerate(pairs) if a.lower() != b), least)
        if shared == len(parts) or shared == 0:
            continue
        if shared > best:
            best, following = shared, []
        if shared == best:
            following.append(" ".join(parts[shared:]))
    return best, tuple(dict.fromkeys(following))


def explained(
    parser: Any, text: str, error: Any, vocabulary: Vocabulary, forms: Mapping[str, Sequence[str]],
    others: Sequence[Vocabulary],
) -> SentenceError:  # fmt: skip
    """The error of the parser in words; `forms` are the texts of each terminal of the grammar."""
    token = getattr(error, "token", None)
    ends = token is not None and token.type == END
    offset = len(text.rstrip()) if ends else error.pos_in_stream if token is None else token.start_pos
    if offset is None or offset < 0:
        offset = len(text.rstrip())
    # What the parser really takes after what stands before, not only what its tables list.
    before = parser.parse_interactive(text[:offset])
    for _ in before.iter_parse():
        pass
    return Mistake(text, offset, set(before.accepts()), vocabulary, forms).error(others)
