"""Turns what exhaustive searches find into verdicts, and adds up what they covered."""

from __future__ import annotations

import time
from typing import Any

import attrs

from latchcheck.kernel import Property
from latchcheck.kernel.doing import each
from latchcheck.kernel.exits import exit_code
from latchcheck.kernel.interrupts import INTERRUPTS, is_interrupt
from latchcheck.kernel.verdict import Cost, PropertyVerdict, Verdict

from .explicit import Exploration, Options, explore
from .exploration import MEMORY_MAX_BYTES
from .questions import Plan, Search

ENGINE = "explicit"
NEVER_REACHED = "no reachable state puts it to the test"
LONGER = "it may be longer than need be: the search without reduction ended before it found a shortest run"
NOT_BEGUN = "interrupted before its search began"
NOT_ENDED = "interrupted before what its search found was told"
MEGABYTE = 1 << 20


@attrs.frozen(eq=False)
class Part:
    """One search that was made, and the wall-clock seconds it took."""

    search: Search
    found: Exploration
    seconds: float


@attrs.frozen(eq=False)
class Explored:
    """The answers to a plan, with what was covered; `interrupted` where the user ended it.

    With `reduction` the counts are those of what a partial-order reduction kept.
    """

    plan: Plan
    parts: tuple[Part, ...]
    properties: tuple[PropertyVerdict, ...]
    interrupted: bool = False
    reduction: bool = False

    @property
    def states(self) -> int:
        """Distinct states, added up over the searches."""
        return sum(part.found.states for part in self.parts)

    @property
    def transitions(self) -> int:
        """Steps between states, added up over the searches."""
        return sum(part.found.transitions for part in self.parts)

    @property
    def depth(self) -> int:
        """Steps to the state farthest from the start, in the deepest search."""
        return max((part.found.depth for part in self.parts), default=0)

    @property
    def complete(self) -> bool:
        """Whether every search looked at every state."""
        return len(self.parts) == len(self.plan.searches) and all(part.found.complete for part in self.parts)

    @property
    def actions(self) -> dict[str, int]:
        """How often each action happened, added up, in the order of the systems; 0 for one that never did."""
        times: dict[str, int] = {}
        for search in self.plan.searches:
            times |= {action.name: 0 for action in search.system.actions if action.name not in times}
        for part in self.parts:
            for name, count in part.found.fired.items():
                times[name] += count
        return times

    @property
    def never_fired(self) -> tuple[str, ...]:
        """The actions that never happened."""
        return tuple(name for name, count in self.actions.items() if not count)

    @property
    def exit(self) -> int:
        """The exit code of a process that answers this plan alone."""
        return self.exit_with()

    def exit_with(self, *, usage_error: bool = False) -> int:
        """The exit code where something else may have gone wrong besides."""
        verdicts: list[Verdict] = [one.verdict for one in self.properties]
        if self.interrupted:
            verdicts.append("inconclusive")
        return exit_code(verdicts, usage_error=usage_error)

    def part_of(self, name: str) -> Part | None:
        """The search that judged a property; None where there was none."""
        return next((part for part in self.parts if name in {one.id for one in part.search.properties}), None)


def answer(
    plan: Plan,
    *,
    states_max: int | None = None,
    memory_max_bytes: int = MEMORY_MAX_BYTES,
    reduction: bool = False,
) -> Explored:
    """Make the searches of a plan one after the other, each within the limits; an interrupt ends with what was covered.

    A search goes on after a violation, so that every property gets its own shortest run and the counts are those of
    the whole state space, or with `reduction` of the part of it that a partial-order reduction keeps.
    """
    parts: list[Part] = []
    judged: dict[str, PropertyVerdict] = {one.id: one for one in plan.absent}
    interrupted, why = False, NOT_BEGUN
    try:
        for search in each("exploring", plan.searches, named=_topic):
            why = NOT_ENDED
            options = Options(
                symmetry=search.symmetry,
                fairness=dict.fromkeys(search.fairness, ()),
                keep_going=True,
                memory_max_bytes=memory_max_bytes,
                reduction=reduction,
                keep_interrupted=True,
            )
            part = _made(search, states_max, options)
            parts.append(part)
            judged |= {asked.id: verdict(part, asked, memory_max_bytes) for asked in search.properties}
            why = NOT_BEGUN
            if part.found.stopped == "interrupt":
                interrupted = True
                break
    except INTERRUPTS as error:
        if not is_interrupt(error):
            raise
        interrupted = True
    for search in plan.searches[len(parts) :]:
        judged |= {
            asked.id: _verdict(asked, "inconclusive", reason=why)
            for asked in search.properties
            if asked.id not in judged
        }
        why = NOT_BEGUN
    return Explored(plan, tuple(parts), tuple(judged[name] for name in plan.order), interrupted, reduction)


def verdict(part: Part, asked: Property, memory_max_bytes: int = MEMORY_MAX_BYTES) -> PropertyVerdict:
    """What one search says about one of its properties."""
    found = part.found
    cost = Cost(part.seconds)
    if asked.id in found.counterexamples:
        return _verdict(
            asked,
            "violated",
            clause=found.clauses[asked.id],
            witness=found.counterexamples[asked.id],
            scope=part.search.scope,
            reason=_ending(part, asked),
            cost=cost,
        )
    if not found.complete:
        return _verdict(
            asked, "inconclusive", scope=part.search.scope, reason=_stopped(found, memory_max_bytes), cost=cost
        )
    if not found.reached[asked.id]:
        hint = part.search.hints.get(asked.id)
        reason = NEVER_REACHED if hint is None else f"{NEVER_REACHED}: {hint}"
        return _verdict(asked, "vacuous", scope=part.search.scope, reason=reason, cost=cost)
    return _verdict(asked, "holds", scope=part.search.scope, cost=cost)


def not_applicable(asked: Property, missing: str) -> PropertyVerdict:
    """The verdict on a property that a scope has nothing to tell by."""
    return _verdict(asked, "not-applicable", reason=missing)


def _verdict(asked: Property, word: Verdict, **rest: Any) -> PropertyVerdict:
    return PropertyVerdict(asked.id, asked.keyword, word, ENGINE, asked.sentence, **rest)


def _topic(search: Search) -> str:
    """The one property that a search is about; nothing where it is about several."""
    return search.properties[0].id if len(search.properties) == 1 else ""


def _made(search: Search, states_max: int | None, options: Options) -> Part:
    began = time.perf_counter()
    found = explore(search.system, search.properties, states_max=states_max, options=options)
    return Part(search, found, time.perf_counter() - began)


def _ending(part: Part, asked: Property) -> str | None:
    """What is to be said of a run: whether it may be long, and for a leads-to, which has no last step, what follows."""
    if asked.id in part.found.longer:
        return LONGER
    if asked.expectation != "leads-to":
        return None
    before = part.found.loops.get(asked.id)
    steps = len(part.found.counterexamples[asked.id])
    if before is None or before == steps:
        return "nothing that is fair is left to happen, so the system may stop there"
    return f"its steps from {before + 1} to {steps} repeat for ever"


def _stopped(found: Exploration, memory_max_bytes: int) -> str:
    covered = f"after {found.states:,} states"
    why = {
        "states": f"the limit of states was reached {covered}: --max-states",
        "memory": f"the limit of {memory_max_bytes // MEGABYTE:,} MB was reached {covered}: --max-memory",
        "no-memory": f"the machine gave no more memory {covered}",
        "interrupt": f"interrupted {covered}",
    }
    return why.get(found.stopped or "", f"the search ended {covered}")
