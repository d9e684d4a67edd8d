"""Everything that is said of the readings of a file: verdict, class of evidence, what they add, and what they catch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import attrs
import z3

from latchcheck.kernel import Trace
from latchcheck.kernel.doing import each
from latchcheck.kernel.verdict import Verdict

from .files import Document, Reading
from .judging import Judged, at_fault, beside, by_type, contradict, judge
from .lemma_words import lemma_text
from .moments import finer, ticking
from .proving import settled
from .reaching import Reach, reach
from .relations import words_of
from .separating import ask, search, separate_all, watch
from .words import Model, World


@attrs.frozen(eq=False)
class Consequence:
    """What happens where a SHOULD is ignored, or a MAY used: on which world, by which run, and what breaks."""

    world: str
    trace: Trace
    breaks: str | None


@attrs.frozen(eq=False)
class Checked:
    """All that is known of one reading.

    `evidence` says how far the verdict reaches.
    `caught` are the faults it detects with the steps of the shortest run; `missed` those that it does not, each with
    the known properties that do, none where nothing does.
    `unmoved` are faults that change nothing of what the sentence speaks about.
    `elsewhere` has the verdict in each further model that the file names.
    `general` says for which other numbers a proof holds; None where the verdict is no proof about time.
    """

    reading: Reading
    judged: Judged
    evidence: str
    fault: str | None
    trivial: bool
    implied_by: tuple[str, ...]
    contradicts: tuple[str, ...]
    caught: tuple[tuple[str, int], ...]
    missed: tuple[tuple[str, tuple[str, ...]], ...]
    unmoved: int
    consequence: Consequence | None
    given_up: tuple[str, ...] = ()
    elsewhere: tuple[tuple[str, Verdict], ...] = ()
    general: Reach | None = None
    invariant: tuple[str, ...] = ()


def check(model: Model, document: Document, others: Sequence[tuple[str, Reading]] = ()) -> tuple[Checked, ...]:
    """Check every reading of a file, next to one another and to `others`, readings of other files by name."""
    return tuple(each_checked(model, document, others))


def each_checked(model: Model, document: Document, others: Sequence[tuple[str, Reading]] = ()) -> Iterator[Checked]:
    """What `check` says of each reading, one after the other."""
    every = [(one.name, one) for one in document.readings] + list(others)
    words = words_of([one for _, one in every])
    base = model.world(model.base, words)
    assert base is not None
    faults = [(name, model.world(name, words)) for name in model.mutants]
    for one in each("checking", document.readings, named=lambda one: one.name):
        yield _checked(model, document, base, faults, one, every)


def _checked(
    model: Model,
    document: Document,
    base: World,
    faults: Sequence[tuple[str, World | None]],
    one: Reading,
    every: Sequence[tuple[str, Reading]],
) -> Checked:
    judged, proof = settled(base, one)
    fault = at_fault(base, one) if judged.verdict == "vacuous" else None
    # What is broken without a fault says nothing about faults.
    worlds = [world for _, world in faults if world is not None and judged.verdict != "violated"]
    tried = [_closely(world, one) for world in each("against", worlds, named=lambda world: world.name)]
    allows = one.sentence.pattern == "possibility"
    caught = (
        ()
        if allows
        else tuple((j.world, len(j.trace)) for j in tried if j.verdict == "violated" and j.trace is not None)
    )
    names = {name for name, _ in caught}
    missed = () if allows else tuple(
        (world.name, _detected_by(model, world)) for world, j in zip(worlds, tried, strict=True)
        if j.world not in names and j.verdict != "inconclusive"
    )  # fmt: skip
    general = None if proof is None or base.opened is None else reach(model, base, one, proof)
    return Checked(
        one,
        judged,
        _evidence(base, judged, shown=general is not None and general.shown),
        fault,
        by_type(base, one),
        _implied([base, *worlds], [judged, *tried], one, every),
        tuple(name for name, other in every if other is not one and contradict(base, one, other)),
        tuple(sorted(caught, key=lambda pair: pair[1])),
        missed,
        0 if judged.verdict == "violated" else sum(world is None for _, world in faults),
        _consequence(model, document, base, worlds, one, judged),
        tuple(j.world for j in tried if j.verdict == "inconclusive"),
        tuple(_elsewhere(model, words_of([other for _, other in every]), one)),
        general,
        ()
        if proof is None or one.keyword != "MUST"
        else tuple(lemma_text(part, proof.goal, base.shown.name) for part in proof.lemmas),
    )


def _closely(world: World, one: Reading) -> Judged:
    """The verdict of a search, with a clock also between whole milliseconds."""
    if world.system.clock is None:
        return judge(world, one)
    # Each run in whole milliseconds is one in halves too, so that what holds there needs no second search.
    close = judge(finer(world), one)
    if close.verdict == "holds":
        return close
    seen = judge(world, one)
    return close if close.verdict == "violated" and seen.verdict != "violated" else seen


def _detected_by(model: Model, world: World) -> tuple[str, ...]:
    """The known properties that a fault breaks: those that are known to, or those that a search finds broken."""
    if model.caught or "broken" in world.cache:
        return model.caught.get(world.name, world.cache.get("broken", ()))
    told = ticking(world)
    asked = [ask(one.id, z3.Not(z3.And(*(clause.expr for clause in one.clauses)))) for one in world.others]
    found = search(told.system, world, asked).witnesses
    world.cache["broken"] = tuple(one.id for one in world.others if one.id in found)
    return world.cache["broken"]


def _elsewhere(model: Model, words: Sequence[str], one: Reading) -> Iterator[tuple[str, Verdict]]:
    for name in model.also:
        world = model.world(name, words)
        if world is not None:
            yield name, judge(world, one).verdict


PROVED = "by induction: runs of any length, in dense time"


def _evidence(base: World, judged: Judged, *, shown: bool) -> str:
    if judged.verdict == "violated":
        return "a run, executed again"
    if judged.verdict == "proved":
        return PROVED if shown else f"{PROVED}, at these numbers"
    if judged.verdict == "inconclusive":
        return judged.reason or ""
    length = f"{base.scope}" if base.horizon_ms is not None else f"runs of any length within the scope {base.scope}"
    return f"every one of {judged.states} states: {length}"


def _implied(
    worlds: Sequence[World], tried: Sequence[Judged], one: Reading, every: Sequence[tuple[str, Reading]]
) -> tuple[str, ...]:
    """Which readings, and which known properties, already forbid every run that this one forbids.

    Only worlds that break it can show otherwise; where none does, it forbids nothing that another would have to.
    """
    breaking = [world for world, seen in zip(worlds, tried, strict=True) if seen.verdict == "violated"]
    if one.sentence.pattern == "possibility" or not breaking:
        return ()
    rivals = [pair for pair in every if pair[1] is not one and pair[1].sentence.pattern != "possibility"]
    open_ = dict(enumerate(rivals, start=1))
    for world in breaking:
        if open_:
            watched = watch(world, [one, *(other for _, other in open_.values())])
            places = dict(enumerate(open_, start=1))
            found = separate_all(watched, [(at, 0) for at in places])
            open_ = {k: open_[k] for at, k in places.items() if found[at, 0] == (None, True)}
    found_names = [name for name, _ in open_.values()]
    known: frozenset[str] | None = None
    for world in breaking:
        here = beside(world, one).implied_by
        known = here if known is None else known & here
        if not known:
            break
    return (*found_names, *sorted(known or ()))


def _consequence(
    model: Model, document: Document, base: World, faults: Sequence[World], one: Reading, judged: Judged
) -> Consequence | None:
    if one.sentence.pattern == "possibility":
        if judged.trace is None:
            return None
        return Consequence(base.name, *_first_broken(beside(base, one).broken, judged.trace))
    if one.keyword != "SHOULD":
        return None
    found: list[Consequence] = []
    worlds = [base, *faults]
    if document.ignored is not None:
        named = model.world(document.ignored, words_of(document.readings))
        worlds = [base] if named is None else [named]
    for world in worlds:
        seen = judged if world is base else judge(world, one)
        if seen.verdict == "violated" and seen.trace is not None:
            known = set(beside(base, one).broken) if world is not base else set()
            broken = {name: run for name, run in beside(world, one).broken.items() if name not in known}
            found.append(Consequence(world.name, *_first_broken(broken, seen.trace)))
    return min(found, key=lambda two: (two.breaks is None, len(two.trace)), default=None)


def _first_broken(broken: Mapping[str, Trace], otherwise: Trace) -> tuple[Trace, str | None]:
    if not broken:
        return otherwise, None
    name = min(broken, key=lambda one: (len(broken[one]), one))
    return broken[name], name
