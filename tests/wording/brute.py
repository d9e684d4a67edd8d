"""Sentences judged on one finite run by their definition in docs/reference/wording.md, without monitors.

A run is a list of moments; every index, and every pair of indices, is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from latchcheck.kernel import Stepper, System
from latchcheck.wording.language import Compared, Joined, Not, Number, Phrase, Prop, Sentence


@attrs.frozen
class Moment:
    """A state, the action that led to it (None at the start and where only time passed), and the state before."""

    state: Mapping[str, object]
    action: str | None
    before: Mapping[str, object] | None


Meaning = Mapping[str, Callable[[Moment], Any]]
Run = Sequence[Moment]


def runs(system: System, steps_max: int) -> Iterator[list[Moment]]:
    """Every run of a system without a clock and with finite choices, of up to this many steps."""
    from itertools import product

    from latchcheck.kernel import NotAStep

    moves: list[tuple[str, dict[str, Any]]] = [
        (action.name, dict(zip([c.name for c in action.choices], values, strict=True)))
        for action in system.actions
        for values in product(*(choice.domain.members() for choice in action.choices))
    ]
    known: dict[tuple[object, ...], list[tuple[int, Mapping[str, object]]]] = {}

    def steps(path: list[int], state: Mapping[str, object]) -> list[tuple[int, Mapping[str, object]]]:
        """What may follow a state that a path leads to, by the stepper, asked once a state."""
        key = tuple(state.values())
        if key not in known:
            found = []
            for at, (name, args) in enumerate(moves):
                stepper = Stepper(system)
                for taken in path:
                    stepper.do(None, *moves[taken])
                try:
                    found.append((at, stepper.do(None, name, args)))
                except NotAStep:
                    continue
            known[key] = found
        return known[key]

    def go(path: list[int], run: list[Moment]) -> Iterator[list[Moment]]:
        yield run
        if len(path) < steps_max:
            here = run[-1].state
            for at, after in steps(path, here):
                yield from go([*path, at], [*run, Moment(after, moves[at][0], here)])

    yield from go([], [Moment(Stepper(system).state, None, None)])


def truth(prop: Prop, at: Moment, meaning: Meaning) -> bool:
    """Whether a condition holds at a moment."""
    if isinstance(prop, Phrase):
        return bool(meaning[prop.text](at))
    if isinstance(prop, Not):
        return not truth(prop.inner, at, meaning)
    if isinstance(prop, Joined):
        found = [truth(part, at, meaning) for part in prop.parts]
        return all(found) if prop.word == "and" else any(found)
    assert isinstance(prop, Compared)
    left, right = (
        sum(sign * (term.value if isinstance(term, Number) else meaning[term.text](at)) for sign, term in one.terms)
        for one in (prop.left, prop.right)
    )
    return {
        ">": left > right, ">=": left >= right, "<": left < right, "<=": left <= right, "=": left == right,
        "!=": left != right,
    }[prop.sign]  # fmt: skip


@attrs.frozen
class Stretch:
    """The moments from `begin` up to, and without, `end`; `closed` where something ended it."""

    begin: int
    end: int
    closed: bool


def stretches(sentence: Sentence, run: Run, meaning: Meaning) -> list[Stretch]:
    """The parts of a run in which the pattern applies and counts."""
    scope, n = sentence.scope, len(run)
    opens = [scope.opens is not None and truth(scope.opens, at, meaning) for at in run]
    closes = [scope.closes is not None and truth(scope.closes, at, meaning) for at in run]
    if scope.kind == "globally":
        return [Stretch(0, n, closed=False)]
    if scope.kind == "before":
        end = closes.index(True) if True in closes else 0
        return [Stretch(0, end, closed=True)] if end else []  # a stretch without a moment asks nothing
    found, at = [], 0
    strict = scope.kind.startswith("after")
    while at < n:
        if not opens[at] or (closes[at] and not strict):
            at += 1
            continue
        begin = at + 1 if strict else at
        if begin >= n or closes[begin]:
            at += 1  # a stretch without a moment asks nothing
            continue
        end = next((i for i in range(begin, n) if closes[i]), n)
        closed = end < n
        if closed or scope.kind != "between":
            found.append(Stretch(begin, end, closed))
        at = end if closed else n
    return found


def obeys(sentence: Sentence, run: Run, meaning: Meaning) -> bool:
    """Whether a run that ends here, and could go on no more, obeys a sentence."""
    return all(_fits(sentence, part, run, meaning) for part in stretches(sentence, run, meaning))


def _fits(sentence: Sentence, part: Stretch, run: Run, meaning: Meaning) -> bool:
    inside = range(part.begin, part.end)
    first = {i: truth(sentence.first, run[i], meaning) for i in inside}
    second = {i: sentence.second is not None and truth(sentence.second, run[i], meaning) for i in inside}
    bound = part.end if sentence.bound is None else sentence.bound.value
    if sentence.pattern == "absence":
        return not any(first.values())
    if sentence.pattern == "universality":
        return all(first.values())
    if sentence.pattern == "invariance":
        return all(second[i] for i in inside if first[i])
    if sentence.pattern == "existence":
        return any(first[i] and i - part.begin <= bound for i in inside)
    if sentence.pattern == "response":
        return all(any(second[j] and i <= j <= i + bound for j in inside) for i in inside if first[i])
    assert sentence.pattern == "precedence", sentence.pattern
    return all(any(second[j] for j in inside if j <= i) for i in inside if first[i])


@attrs.frozen(eq=False)
class Tree:
    """Runs with a clock that begin alike: a moment, and the trees of what may come after it."""

    moment: Moment
    after: tuple[Tree, ...]


def first_broken(sentence: Sentence, tree: Tree, meaning: Meaning) -> frozenset[int]:
    """The places of a tree (by `id`) at which a run, which goes on, has broken a sentence and had not before."""
    found: set[int] = set()

    def go(before: list[Moment], here: Tree) -> None:
        run = [*before, here.moment]
        if all(_kept(sentence, part, run, meaning) for part in stretches(sentence, run, meaning)):
            for later in here.after:
                go(run, later)
        else:
            found.add(id(here))

    go([], tree)
    return frozenset(found)


def _kept(sentence: Sentence, part: Stretch, run: Run, meaning: Meaning) -> bool:
    """Whether nothing in a stretch is broken yet; what is owed may still come, unless time or the stretch is over."""
    bound = sentence.bound
    if sentence.pattern not in ("existence", "response", "lasts", "ends", "recurs"):
        return _fits(sentence, part, run, meaning)
    assert bound is None or bound.timed
    inside = range(part.begin, part.end)
    at: list[Any] = [moment.state["now"] for moment in run]
    first = {i: truth(sentence.first, run[i], meaning) for i in inside}
    limit = None if bound is None else bound.value
    if sentence.pattern in ("existence", "response"):
        answers = first
        if sentence.pattern == "response":
            answers = {i: sentence.second is not None and truth(sentence.second, run[i], meaning) for i in inside}
        owed = [part.begin] if sentence.pattern == "existence" else [i for i in inside if first[i]]
        return all(_answered(i, answers, at, part, limit) for i in owed)
    assert limit is not None
    if sentence.pattern == "recurs":
        return all(
            at[j] - max([at[part.begin], *(at[i] for i in inside if first[i] and i < j)]) <= limit for j in inside
        )
    rises = [i for i in inside if first[i] and (i == part.begin or not first[i - 1])]
    for i in rises:
        end = next((j for j in range(i, part.end) if not first[j]), None)
        if sentence.pattern == "lasts" and end is not None and at[end] - at[i] < limit:
            return False
        last = (part.end if end is None else end) - 1
        if sentence.pattern == "ends" and at[last] - at[i] > limit:
            return False
    return True


def _answered(i: int, answers: Mapping[int, bool], at: Sequence[Any], part: Stretch, limit: int | None) -> bool:
    found = any(answers[j] and (limit is None or at[j] - at[i] <= limit) for j in range(i, part.end))
    over = part.closed or (limit is not None and at[part.end - 1] - at[i] > limit)
    return found or not over


def timed_relation(a: frozenset[int], b: frozenset[int], tree: Tree) -> tuple[str, int | None, int | None]:
    """As `relation`, over the beginnings of runs with a clock; each sentence by the places that first break it."""
    weak: list[int] = []
    strong: list[int] = []

    def go(here: Tree, steps: int) -> None:
        one, other = id(here) in a, id(here) in b
        if other and not one:
            weak.append(steps)
        if one and not other:
            strong.append(steps)
        if not (one or other):
            for later in here.after:
                go(later, steps + 1)

    go(tree, 0)
    word = {(0, 0): "equivalent", (1, 0): "B stronger", (0, 1): "A stronger", (1, 1): "incomparable"}
    return word[bool(weak), bool(strong)], min(weak, default=None), min(strong, default=None)


def relation(a: Sentence, b: Sentence, every: Sequence[Run], meaning: Meaning) -> tuple[str, int | None, int | None]:
    """The relation of two sentences over some runs, and the steps of a shortest run for each direction."""
    judged = [(obeys(a, run, meaning), obeys(b, run, meaning), len(run) - 1) for run in every]
    weak = [steps for one, other, steps in judged if one and not other]
    strong = [steps for one, other, steps in judged if other and not one]
    word = {(0, 0): "equivalent", (1, 0): "B stronger", (0, 1): "A stronger", (1, 1): "incomparable"}
    return word[bool(weak), bool(strong)], min(weak, default=None), min(strong, default=None)
