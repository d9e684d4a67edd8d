"""Why a sentence holds: which guards, sentences and assumptions the proof rests on, and which it does not need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import z3

from latchcheck.kernel import Action, Clause, ModelError, Sentence, System, Trace
from latchcheck.kernel.verdict import Verdict

from .files import Reading
from .judging import judge
from .lemmas import RLIMIT, after, candidates, domains, picked, strongest
from .monitors import monitor, product
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

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences that the needed guards implement."""
        named = [
            *(one for _, found in self.steps for one in found),
            *(one for ground in self.needed for one in ground.sentences),
        ]
        return tuple(dict.fromkeys(named))


def why(world: World, one: Reading) -> Why:
    """Prove a reading by induction and tell what the proof needs; `inconclusive` where no such proof is found."""
    seen = judge(world, one)
    assumptions = _assumptions(world, one) if seen.verdict == "holds" else ()
    if seen.verdict != "holds":
        return Why(one, seen.verdict, seen.reason or "it does not hold, so there is no proof to explain; see `check`")
    if one.sentence.pattern == "possibility":
        return Why(one, "holds", "a run shows that it is possible; a proof is not needed", assumptions=assumptions)
    made = monitor(world, one.sentence, "m0")
    if made.live or world.system.clock is not None:
        kind = "a duty without an end" if made.live else "a sentence about time"
        return Why(one, "holds", f"{kind} is decided by search and not by induction: only its assumptions are told",
                   assumptions=assumptions)  # fmt: skip
    guards = [monitor(world, limit, f"a{i}") for i, limit in enumerate(one.restricting)]
    system = product(world, [made, *guards])
    goal = z3.Or(z3.Not(made.failing), *(guard.failing for guard in guards))
    lemmas = strongest(system, candidates(system, goal))
    if lemmas is None or not any(lemma.eq(goal) for lemma in lemmas):
        return Why(one, "holds", "the search sees every state, and no proof by lemmas of two conditions is found",
                   assumptions=assumptions)  # fmt: skip
    proof = _Proof(system, lemmas, goal)
    needed, used = proof.run()
    grounds = tuple(_ground(world, one, action, clause) for action, clause in needed)
    every = [(action.name, clause.label) for action in world.system.actions for clause in action.guard]
    left = tuple(dict.fromkeys(pair for pair in every if pair not in needed))
    told = tuple(_shown(lemma, goal) for lemma in used)
    steps = tuple((name, world.system.action(name).sentences) for name in proof.steps)
    return Why(one, "proved", None, told, proof.obligations, steps, grounds, left, assumptions)


def _shown(lemma: Any, goal: Any) -> str:
    return "the sentence is not broken" if lemma.eq(goal) else " ".join(str(lemma).split())


class _Proof:
    """The obligations of an inductive proof, each decided with its premises named, from the goal backwards."""

    def __init__(self, system: System, lemmas: Sequence[Any], goal: Any) -> None:
        self.system, self.lemmas, self.goal = system, list(lemmas), goal
        self.obligations = 0
        self.steps: dict[str, None] = {}

    def run(self) -> tuple[list[tuple[str, str]], list[Any]]:
        """The guards, by action and label, and the lemmas that are enough."""
        waiting, used, guards = [self.goal], [self.goal], {}
        while waiting:
            lemma = waiting.pop(0)
            for action in self.system.actions:
                later = after(self.system, action, lemma)
                if later.eq(lemma):
                    continue
                self.obligations += 1
                if lemma is self.goal:
                    self.steps[action.name] = None
                premises, clauses = self._core(action, lemma, later)
                guards |= dict.fromkeys((action.name, clause.label) for clause in clauses)
                fresh = [one for one in premises if not any(one.eq(other) for other in used)]
                used += fresh
                waiting += fresh
        return list(guards), used

    def _core(self, action: Action, lemma: Any, later: Any) -> tuple[list[Any], list[Clause]]:
        """Premises enough for one step to keep a lemma: the lemma itself for free, guards before other lemmas."""
        premises: dict[str, Any] = {f"guard {i}": clause.expr for i, clause in enumerate(action.guard)}
        premises |= {f"lemma {i}": one for i, one in enumerate(self.lemmas) if not one.eq(lemma)}
        kept = self._unsat(action, lemma, later, premises)
        assert kept is not None, "a lemma that is kept by every step"
        for name in sorted(kept, key=lambda one: (one.startswith("guard"), one)):
            fewer = self._unsat(action, lemma, later, {one: premises[one] for one in kept if one != name})
            if fewer is not None:
                kept = fewer if set(fewer) <= set(kept) else kept
        clauses = [clause for i, clause in enumerate(action.guard) if f"guard {i}" in kept]
        return [one for i, one in enumerate(self.lemmas) if f"lemma {i}" in kept], clauses

    def _unsat(self, action: Action, lemma: Any, later: Any, premises: dict[str, Any]) -> list[str] | None:
        solver = z3.Solver()
        solver.set("rlimit", RLIMIT)
        solver.add(lemma, *domains(self.system), *picked(action), z3.Not(later))
        for name, expr in premises.items():
            solver.assert_and_track(expr, name)
        if solver.check() != z3.unsat:
            return None
        core = {str(one) for one in solver.unsat_core()}
        return [name for name in premises if name in core]


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
