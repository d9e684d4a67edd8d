"""An outside judge: sentences made at random and judged on runs by docs/reference/wording.md, without the checker.

It shares nothing with the checker, nor with `brute.py`: sentences are plain tuples, and the toys are walked by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from random import Random
from typing import Any

import attrs

Condition = tuple[Any, ...]
"""("word", phrase), ("not", one), ("and", one, other), ("or", one, other) or ("is", quantity, sign, number)."""
BEGINS = ("from", "after", "from-until", "after-until", "between")
ENDS = ("before", "from-until", "after-until", "between")
SCOPES = ("globally", *BEGINS, "before")
UNTIMED = ("absence", "universality", "existence", "response", "precedence", "invariance")
TIMED = (*UNTIMED, "lasts", "ends", "recurs")


@attrs.frozen
class Said:
    """One sentence; `limit` in milliseconds where `timed`, else in steps."""

    scope: str
    opens: Condition | None
    closes: Condition | None
    pattern: str
    first: Condition
    second: Condition | None
    limit: int | None
    timed: bool

    def __str__(self) -> str:
        begin, end = (one and words(one) for one in (self.opens, self.closes))
        where = {
            "globally": "globally", "before": f"before {end}", "from": f"from {begin}", "after": f"after {begin}",
            "from-until": f"from {begin} until {end}", "after-until": f"after {begin} until {end}",
            "between": f"between {begin} and {end}",
        }[self.scope]  # fmt: skip
        p, s = words(self.first), self.second and words(self.second)
        unit = "ms" if self.timed else " steps"
        by = "" if self.limit is None else f" within {self.limit}{unit}"
        what = {
            "absence": f"it is never the case that {p}", "universality": f"it is always the case that {p}",
            "existence": f"it is eventually the case that {p}{by}", "response": f"if {p}, then eventually {s}{by}",
            "precedence": f"if {p}, then before that {s}", "invariance": f"if {p}, then at that moment {s}",
            "lasts": f"once {p}, it stays so for at least {self.limit}ms",
            "ends": f"once {p}, it stays so for at most {self.limit}ms",
            "recurs": f"at least every {self.limit}ms, {p}",
        }[self.pattern]  # fmt: skip
        return f"{where}, {what}"


def words(one: Condition) -> str:
    """A condition in the language, in parentheses where it joins others."""
    if one[0] == "word":
        return one[1]
    if one[0] == "not":
        return f"not {words(one[1])}"
    return " ".join(one[1:]) if one[0] == "is" else f"({words(one[1])} {one[0]} {words(one[2])})"


@attrs.frozen
class At:
    """A moment: the state, of which the last part is the instant; the action that led to it, and the state before."""

    state: tuple[Any, ...]
    action: str | None = None
    before: tuple[Any, ...] | None = None


Meaning = Mapping[str, Callable[[At], Any]]
Run = tuple[At, ...]


def holds(one: Condition, at: At, meaning: Meaning) -> bool:
    """Whether a condition holds at a moment."""
    if one[0] == "word":
        return bool(meaning[one[1]](at))
    if one[0] == "is":
        left, right = meaning[one[1]](at), Fraction(one[3].removesuffix("ms"))
        return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right, "=": left == right,
                "!=": left != right}[one[2]]  # fmt: skip
    inner = [holds(part, at, meaning) for part in one[1:]]
    return {"not": not inner[0], "and": all(inner), "or": any(inner)}[one[0]]


def parts(said: Said, run: Run, meaning: Meaning) -> list[tuple[int, int, bool]]:
    """The stretches of the scope that count: first moment, moment after the last, whether something closed it."""
    opens, closes = (
        [one is not None and holds(one, at, meaning) for at in run] for one in (said.opens, said.closes)
    )  # fmt: skip
    many = len(run)
    ends = [next((j for j in range(i, many) if closes[j]), None) for i in range(many + 1)]
    late = said.scope.startswith("after")
    if said.scope == "globally":
        found: list[tuple[int, int | None]] = [(0, None)]
    elif said.scope == "before":
        found = [(0, ends[0])]
    else:
        found, at = [], 0
        while at < many:
            if opens[at]:
                close = ends[at + late]
                found.append((at + late, close))
                at = max(at + 1, many if close is None else close)
            else:
                at += 1
    must_close = said.scope in ("before", "between")
    told = [(i, many if j is None else j, j is not None) for i, j in found if j is not None or not must_close]
    return [part for part in told if part[0] < part[1]]


def kept(said: Said, run: Run, meaning: Meaning) -> bool:
    """Whether a run obeys a sentence: one without a clock that stops here, or one with a clock that goes on."""
    return all(_kept(said, run, part, meaning) for part in parts(said, run, meaning))


def tried(said: Said, run: Run, meaning: Meaning) -> bool:
    """Whether a run puts a sentence to the test."""
    there = {i for begin, end, _ in parts(said, run, meaning) for i in range(begin, end)}
    conditional = said.pattern in ("response", "precedence", "invariance", "lasts", "ends")
    return any(not conditional or holds(said.first, run[i], meaning) for i in there)


def _kept(said: Said, run: Run, part: tuple[int, int, bool], meaning: Meaning) -> bool:  # noqa: PLR0911 - a pattern a line
    begin, end, closed = part
    inside = range(begin, end)
    first = {i: holds(said.first, run[i], meaning) for i in inside}
    second = {i: said.second is not None and holds(said.second, run[i], meaning) for i in inside}
    now = {i: run[i].state[-1] if said.timed else i for i in inside}
    if said.pattern in ("absence", "universality"):
        return all(first[i] == (said.pattern == "universality") for i in inside)
    if said.pattern == "invariance":
        return all(second[i] for i in inside if first[i])
    if said.pattern == "precedence":
        return all(any(second[j] for j in range(begin, i + 1)) for i in inside if first[i])
    if said.pattern in ("existence", "response"):
        owed = [begin] if said.pattern == "existence" else [i for i in inside if first[i]]
        answers = first if said.pattern == "existence" else second
        return all(_met(said, i, end, closed, answers, now) for i in owed)
    limit: Any = said.limit
    if said.pattern == "recurs":
        marks = [begin, *(i for i in inside if first[i])]
        return all(now[i] - max(now[j] for j in marks if j <= max(i - 1, begin)) <= limit for i in inside)
    for i in (one for one in inside if first[one] and (one == begin or not first[one - 1])):
        last = next((j for j in range(i, end) if not first[j]), None)
        if said.pattern == "lasts" and last is not None and now[last] - now[i] < limit:
            return False
        if said.pattern == "ends" and now[(end if last is None else last) - 1] - now[i] > limit:
            return False
    return True


def _met(said: Said, i: int, end: int, closed: bool, answers: Mapping[int, bool], now: Mapping[int, Any]) -> bool:  # noqa: FBT001
    in_time = [j for j in range(i, end) if said.limit is None or now[j] - now[i] <= said.limit]
    may_come = said.timed and not closed and len(in_time) == end - i
    return may_come or any(answers[j] for j in in_time)


# -- the toys, by hand ----------------------------------------------------------------------------------------------

Moves = Callable[[tuple[Any, ...]], Iterator[tuple[str | None, tuple[Any, ...]]]]


def runs(start: tuple[Any, ...], moves: Moves, steps_max: int) -> list[Run]:
    """Every run of at most so many steps, the shorter ones first."""
    level: list[Run] = [(At(start),)]
    found = list(level)
    for _ in range(steps_max):
        level = [(*run, At(state, name, run[-1].state)) for run in level for name, state in moves(run[-1].state)]
        found += level
    return found


def lamp(state: tuple[Any, ...]) -> Iterator[tuple[str | None, tuple[Any, ...]]]:
    """What may follow in the toy of lamp.py: lamp, door, openings, and no instant."""
    light, door, count, _ = state
    if light == "off":
        yield "switch_on", ("on", door, count, 0)
    if light == "on":
        yield "switch_off", ("off", door, count, 0)
        yield "break", ("broken", door, count, 0)
    if not door and count < 2:
        yield "open", (light, True, count + 1, 0)
    if door:
        yield "shut", (light, False, count, 0)


LAMP: Meaning = {
    **{f"the lamp is {one}": lambda at, one=one: at.state[0] == one for one in ("off", "on", "broken")},
    "the door is open": lambda at: at.state[1],
    "the lamp is switched": lambda at: at.action in ("switch_on", "switch_off"),
    "the lamp breaks": lambda at: at.action == "break",
    "the door moves": lambda at: at.action in ("open", "shut"),
    "the lamp was on": lambda at: at.before is not None and at.before[0] == "on",
    "the number of openings": lambda at: at.state[2],
}


def kettle(state: tuple[Any, ...]) -> Iterator[tuple[str | None, tuple[Any, ...]]]:
    """What may follow in the toy of kettle.py, in whole milliseconds: hot, lid, heated at, heatings, now."""
    hot, lid, heated, heats, now = state
    if now < 3 and (not hot or now + 1 - heated <= 2):
        yield None, (hot, lid, heated, heats, now + 1)
    if not hot and heats < 2:
        yield "heat", (True, lid, now, heats + 1, now)
    if hot and now - heated >= 1:
        yield "cool", (False, lid, heated, heats, now)
    if not lid:
        yield "open", (hot, True, heated, heats, now)


KETTLE: Meaning = {
    "it is hot": lambda at: at.state[0],
    "the lid is open": lambda at: at.state[1],
    "it is heated": lambda at: at.action == "heat",
    "it cools": lambda at: at.action == "cool",
    "the lid opens": lambda at: at.action == "open",
    "the time": lambda at: at.state[4],
    "the time since heating": lambda at: at.state[4] - at.state[2],
    "the number of heatings": lambda at: at.state[3],
}


# -- sentences at random --------------------------------------------------------------------------------------------


@attrs.frozen
class Maker:
    """Makes sentences of one toy; `quantities` with the numbers that they are compared with."""

    dice: Random
    phrases: tuple[str, ...]
    quantities: Mapping[str, tuple[str, ...]]
    timed: bool

    def condition(self, depth: int = 2) -> Condition:
        """A condition."""
        kind = self.dice.choice(("word", "word", "is", *(("not", "and", "or") if depth else ())))
        if kind == "word":
            return kind, self.dice.choice(self.phrases)
        if kind == "is":
            quantity = self.dice.choice(tuple(self.quantities))
            sign = self.dice.choice((">", ">=", "<", "<=", "=", "!="))
            return kind, quantity, sign, self.dice.choice(self.quantities[quantity])
        return kind, *(self.condition(depth - 1) for _ in range(1 if kind == "not" else 2))

    def sentence(self, *, ends: bool) -> Said:
        """A sentence; one that `ends` owes nothing without saying by when."""
        scope = self.dice.choice(SCOPES)
        pattern = self.dice.choice(TIMED if self.timed else UNTIMED)
        owing, must_close = pattern in ("existence", "response"), scope in ("before", "between")
        limit = self.dice.choice((0, 1, 2)) if owing and (self.timed or not ends) else None
        if pattern in ("lasts", "ends", "recurs"):
            limit = self.dice.choice((1, 2))
        if owing and ends and not self.timed and not must_close:
            pattern = "absence"
        second = self.condition() if pattern in ("response", "precedence", "invariance") else None
        opens = self.condition() if scope in BEGINS else None
        return Said(scope, opens, self.condition() if scope in ENDS else None, pattern, self.condition(), second,
                    limit, self.timed)  # fmt: skip
