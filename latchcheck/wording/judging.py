"""One reading on one world: does it hold, was it put to the test, and if not, which of its clauses is at fault."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import z3

from latchcheck.engines.obligations import prove
from latchcheck.kernel import Bool, IntRange, Property, Trace, Variable
from latchcheck.kernel.verdict import Verdict

from .conditions import TRUE, Moment
from .files import Reading
from .language import Compared, Joined, Not, Phrase, Prop, Scope, Sentence
from .moments import bare, until_ms
from .monitors import Monitor, product
from .separating import Watched, ask, lasso, search, watch
from .words import Occurrence, World


@attrs.frozen(eq=False)
class Judged:
    """The answer on one world; `trace` breaks the sentence, or uses the freedom that it names."""

    world: str
    verdict: Verdict
    states: int
    tried: int
    trace: Trace | None = None
    loop: int | None = None
    stops: bool = False
    reason: str | None = None
    until_ms: Any = None
    roundabout: bool = False


def judge(world: World, one: Reading) -> Judged:  # noqa: PLR0911 - one line a kind of answer
    """Judge a reading on every run of a world, within the limits of its search."""
    watched = watch(world, [one])
    made = watched.monitors[0]
    tried = z3.And(made.tried, watched.assumed[0])
    lasting = world.system.clock is None and (made.live or bool(watched.fairness[0]))
    asked = [ask("tried", tried)]
    if not lasting:
        asked.append(ask("split", z3.And(made.failing, watched.assumed[0])))
    found = search(watched.system, world, asked)
    states, reached = found.states, found.witnesses
    if made.possible:
        if "tried" in reached:
            return Judged(world.name, "holds", states, 1, bare(world, reached["tried"]))
        return _none(world, found, "no run uses this freedom")
    if lasting:
        split, complete = lasso(
            watched, watched.system, z3.And(made.failing, watched.assumed[0]), watched.fairness[0], (made, made)
        )
        if split is not None:
            found_run = Judged(world.name, "violated", states, 1, split.trace, split.loop, split.stops)
            return attrs.evolve(found_run, roundabout=split.roundabout)
        if not complete:
            return _none(world, found, "")
    elif "split" in reached:
        run = reached["split"]
        until = until_ms(world, run)
        return Judged(world.name, "violated", states, int("tried" in reached), bare(world, run), until_ms=until)
    if not found.complete or "tried" not in reached:
        return _none(world, found, "nothing puts it to the test")
    return Judged(world.name, "holds", states, 1)


def _none(world: World, found: Any, why: str) -> Judged:
    if not found.complete:
        return Judged(world.name, "inconclusive", found.states, 0, reason=f"gave up after {found.states} states")
    return Judged(world.name, "vacuous", found.states, 0, reason=why)


# -- what is at fault ---------------------------------------------------------------------------------------------


def at_fault(world: World, one: Reading) -> str:
    """Why nothing puts a reading to the test: the first of its clauses that no run reaches."""
    for role, prop in one.sentence.props:
        for part in (prop, *_conjuncts(prop)):
            if not can_be(world, one, part):
                return f'{role}, "{part}", never happens'
    scope, first = one.sentence.scope, one.sentence.first
    inside = attrs.evolve(one, sentence=Sentence(scope, "possibility", first))
    if judge(world, inside).verdict == "vacuous":
        return f'"{first}" never happens {"there: " if scope.kind != "globally" else ""}{scope}'
    return "each of its clauses happens, and never together as the sentence needs them"


def _conjuncts(prop: Prop) -> tuple[Prop, ...]:
    return prop.parts if isinstance(prop, Joined) and prop.word == "and" else ()


def can_be(world: World, one: Reading, prop: Prop) -> bool:
    """Whether some run, under the assumptions of a reading, has a moment with this condition."""
    possible = attrs.evolve(one, sentence=Sentence(Scope(), "possibility", prop))
    return judge(world, possible).verdict != "vacuous"


def by_type(world: World, one: Reading) -> bool:
    """Whether the sentence is true of every state that the types allow, so that it says nothing."""
    at = _AnyMoment(world)
    first, second = at.value(one.sentence.first), at.value(one.sentence.second)
    goal = {
        "absence": z3.Not(first),
        "universality": first,
        "existence": first,
        "invariance": z3.Implies(first, second),
        "response": z3.Implies(first, second),
        "precedence": z3.Implies(first, second),
    }.get(one.sentence.pattern)
    if goal is None:
        return False
    inside = [
        z3.And(variable.term >= variable.domain.lo, variable.term <= variable.domain.hi)
        for variable in world.system.variables
        if isinstance(variable.domain, IntRange)
    ]
    return prove("by type", inside, goal).proved


class _AnyMoment:
    """Any state that the types allow, in which any event may happen."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.at = Moment(world, None, lambda expr: expr)

    def value(self, prop: Prop | None) -> Any:
        """A condition in any state."""
        if isinstance(prop, Phrase):
            found = self.world.value(prop.text)
            return z3.Bool(f"event {prop.text}") if isinstance(found, Occurrence) else found
        if isinstance(prop, Not):
            return z3.Not(self.value(prop.inner))
        if isinstance(prop, Joined):
            parts = [self.value(part) for part in prop.parts]
            return z3.And(*parts) if prop.word == "and" else z3.Or(*parts)
        assert prop is None or isinstance(prop, Compared)
        return self.at.value(prop)


# -- beside the properties that the project knows -----------------------------------------------------------------


@attrs.frozen(eq=False)
class Beside:
    """A reading beside the known properties of one world: which imply it, and which break where it fails."""

    implied_by: frozenset[str]
    broken: Mapping[str, Trace]


def beside(world: World, one: Reading) -> Beside:
    """Search a reading together with the known properties.

    A property implies the reading here if no run that has kept the property so far breaks the reading.
    `broken` has, for each property of force MUST that breaks in no other way, the shortest run on which it is broken
    where the reading is broken, or where the freedom of a reading that allows was used.
    """
    watched = watch(world, [one])
    made = watched.monitors[0]
    observers = [_observer(watched.told, asked, f"k{i}") for i, asked in enumerate(world.others)]
    system = product(attrs.evolve(watched.told, system=watched.system), observers)
    loose = made.tried if made.possible else made.failing
    asks = []
    for i, (asked, seen) in enumerate(zip(world.others, observers, strict=True)):
        if not (made.possible or made.live):
            asks.append(ask(f"alone {i}", z3.And(made.failing, z3.Not(seen.failing))))
        asks.append(ask(f"breaks {i}", z3.And(loose, z3.Not(_clauses(asked)), watched.assumed[0])))
        asks.append(ask(f"anyway {i}", z3.And(z3.Not(loose), z3.Not(_clauses(asked)))))
    found = search(system, world, asks)
    if not found.complete:
        return Beside(frozenset(), {})
    names = {asked.id: i for i, asked in enumerate(world.others)}
    implied = (
        set() if made.possible or made.live else {n for n, i in names.items() if f"alone {i}" not in found.witnesses}
    )
    broken = {
        asked.id: bare(world, found.witnesses[f"breaks {i}"])
        for i, asked in enumerate(world.others)
        if f"breaks {i}" in found.witnesses and f"anyway {i}" not in found.witnesses and asked.keyword == "MUST"
    }
    return Beside(frozenset(implied), broken)


def _clauses(asked: Property) -> Any:
    return z3.And(TRUE, *(clause.expr for clause in asked.clauses))


def _observer(world: World, asked: Property, name: str) -> Monitor:
    """A known property as a monitor: broken once a state breaks it, for good."""
    system, broken = world.system, z3.Not(_clauses(asked))
    bad = Variable(f"{name}.bad", Bool(), False)
    updates = {}
    for action in system.actions:
        pairs = [(system.variable(variable).term, expr) for variable, expr in action.updates.items()]
        after = z3.substitute(broken, *pairs) if pairs else broken
        updates[action.name] = {bad.name: z3.simplify(z3.Or(bad.term, after))}
    silent = Sentence(Scope(), "absence", Phrase(asked.id))
    return Monitor(name, silent, (bad,), updates, z3.Or(bad.term, broken), TRUE, False)


def contradict(world: World, a: Reading, b: Reading) -> bool:
    """Whether each can be put to the test and obeyed, some run tests both, and none that does obeys both."""
    watched: Watched = watch(world, [a, b])
    one, other = watched.monitors
    both = z3.And(one.tried, other.tried, *watched.assumed)
    obeyed = z3.And(both, z3.Not(one.failing), z3.Not(other.failing))
    alone = [
        ask(f"alone {i}", z3.And(made.tried, z3.Not(made.failing), watched.assumed[i]))
        for i, made in enumerate(watched.monitors)
    ]
    found = search(watched.system, watched.world, [ask("both", both), ask("obeyed", obeyed), *alone])
    seen = found.witnesses.keys()
    return found.complete and "obeyed" not in seen and seen >= {"both", "alone 0", "alone 1"}
