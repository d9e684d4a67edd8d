"""Why a sentence holds: which guards, sentences and assumptions the proof rests on, and which it does not need."""

from __future__ import annotations

import attrs

from latchcheck.kernel import ModelError, Sentence, Trace
from latchcheck.kernel.verdict import Verdict

from .files import Reading
from .judging import judge
from .lemma_words import lemma_text
from .proving import can_be_proved, settled
from .reaching import Reach, reach
from .separating import watch
from .words import World


@attrs.frozen(eq=False)
class Ground:
    """A guard that the proof uses: without it the sentence is `broken` by a run, or another proof is left (None)."""

    action: str
    clause: str
    sentences: tuple[Sentence, ...]
    broken: Trace | None


@attrs.frozen(eq=False)
class Why:
    """What a proof rests on.

    `verdict` is "proved" where induction over steps succeeded; `needed` are the guards in the unsat cores of its
    obligations, minimised one by one, `unneeded` the other guards of the model.
    `steps` are the actions that could break the sentence itself, each with the sentences that its effect implements.
    `general` says for which other numbers such a proof holds; None without a clock.
    `assumptions` says of each assumption of the reading whether the sentence fails without it.
    """

    reading: Reading
    verdict: Verdict
    reason: str | None
    lemmas: tuple[str, ...] = ()
    obligations: int = 0
    steps: tuple[tuple[str, tuple[Sentence, ...]], ...] = ()
    needed: tuple[Ground, ...] = ()
    unneeded: tuple[tuple[str, str], ...] = ()
    assumptions: tuple[tuple[str, bool], ...] = ()
    general: Reach | None = None

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences that the needed guards implement."""
        named = [
            *(one for _, found in self.steps for one in found),
            *(one for ground in self.needed for one in ground.sentences),
        ]
        return tuple(dict.fromkeys(named))


def why(world: World, one: Reading) -> Why:
    """Prove a reading by induction and tell what the proof needs; `holds` where no such proof is found."""
    seen, found = settled(world, one)
    assumptions = _assumptions(world, one) if seen.verdict in ("holds", "proved") else ()
    if seen.verdict not in ("holds", "proved"):
        return Why(one, seen.verdict, seen.reason or "it does not hold, so there is no proof to explain; see `check`")
    if one.sentence.pattern == "possibility":
        return Why(one, "holds", "a run shows that it is possible; a proof is not needed", assumptions=assumptions)
    if not can_be_proved(watch(world, [one])):
        reason = "a duty without an end is decided by search and not by induction: only its assumptions are told"
        return Why(one, "holds", reason, assumptions=assumptions)
    if found is None:
        reason = "no proof by lemmas of two conditions, or of bounds on numbers, is found; see `check` for the search"
        return Why(one, "holds", reason, assumptions=assumptions)
    there = {action.name for action in world.system.actions}
    needed = [pair for pair in found.guards if pair[0] in there]
    grounds = tuple(_ground(world, one, action, clause) for action, clause in needed)
    every = [(action.name, clause.label) for action in world.system.actions for clause in action.guard]
    left = tuple(dict.fromkeys(pair for pair in every if pair not in found.guards))
    steps = tuple((name, world.system.action(name).sentences) for name in found.steps if name in there)
    told = tuple(lemma_text(lemma, found.goal, world.shown.name) for lemma in found.lemmas)
    general = None if world.opened is None else reach(None, world, one, found)
    return Why(one, "proved", None, told, found.obligations, steps, grounds, left, assumptions, general)


def _ground(world: World, one: Reading, action: str, clause: str) -> Ground:
    """What becomes of the sentence where one guard is not there."""
    broken = None
    changed = [
        attrs.evolve(other, guard=[part for part in other.guard if (other.name, part.label) != (action, clause)])
        for other in world.system.actions
    ]
    loose = attrs.evolve(world, system=attrs.evolve(world.system, actions=changed), others=())
    try:
        seen = judge(loose, one)
        broken = seen.trace if seen.verdict == "violated" else None
    except ModelError:
        broken = None  # without the guard the model leaves its own ranges: it guards the model, not the sentence
    return Ground(action, clause, world.system.action(action).sentences, broken)


def _assumptions(world: World, one: Reading) -> tuple[tuple[str, bool], ...]:
    found = []
    for i, name in enumerate(one.assuming):
        less = attrs.evolve(one, assuming=one.assuming[:i] + one.assuming[i + 1 :])
        found.append((name, judge(world, less).verdict == "violated"))
    for i, limit in enumerate(one.restricting):
        less = attrs.evolve(one, restricting=one.restricting[:i] + one.restricting[i + 1 :])
        found.append((str(limit), judge(world, less).verdict == "violated"))
    return tuple(found)
