"""Turns a sentence into a monitor: a few variables that every action of a system also updates.

The product of a system and monitors is a System again, so every engine reads it.
A monitor looks at each moment of a run: the initial state, and the state after each step, in which an event is true
exactly if that step was it.
Its `failing` says that the run, if it went on for ever without changing that, breaks the sentence: for safety it stays
true once it is, for a duty still open it ends when the duty is met.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
import z3

from latchcheck.engines.obligations import prove
from latchcheck.kernel import Action, Bool, IntRange, ModelError, Real, System, Variable

from .language import Amount, Joined, Not, Number, Phrase, Prop, Sentence
from .moments import PASSES
from .words import Occurrence, World

TRUE: Any = z3.BoolVal(True)
FALSE: Any = z3.BoolVal(False)
COMPARE: Mapping[str, Callable[[Any, Any], Any]] = {
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}
Memory = dict[str, Any]


@attrs.frozen(eq=False)
class Moment:
    """A moment of a run as terms over the state before it: what a condition is worth there, and the instant."""

    world: World
    action: Action | None
    put: Callable[[Any], Any]

    @property
    def now(self) -> Any:
        """The instant; None without a clock."""
        return None if self.world.instant is None else self.put(self.world.instant)

    def value(self, prop: Prop | None) -> Any:
        """Whether a condition holds at this moment."""
        if prop is None:
            return FALSE
        if isinstance(prop, Phrase):
            found = self.world.value(prop.text)
            return self._happens(found) if isinstance(found, Occurrence) else self.put(found)
        if isinstance(prop, Not):
            return z3.Not(self.value(prop.inner))
        if isinstance(prop, Joined):
            parts = [self.value(part) for part in prop.parts]
            return z3.And(*parts) if prop.word == "and" else z3.Or(*parts)
        return COMPARE[prop.sign](self._amount(prop.left), self._amount(prop.right))

    def _amount(self, amount: Amount) -> Any:
        total: Any = None
        for sign, term in amount.terms:
            value = term.value if isinstance(term, Number) else self.put(self.world.value(term.text))
            part = value if sign > 0 else -value
            total = part if total is None else total + part
        return z3.RealVal(total) if isinstance(total, int) else total

    def _happens(self, event: Occurrence) -> Any:
        action = self.action
        if action is None or action.name == PASSES:
            return FALSE
        if event.actions is not None and action.name not in event.actions:
            return FALSE
        if event.party is not None and action.party != event.party:
            return FALSE
        names = {choice.name: choice.term for choice in action.choices}
        conditions = [event.before] if event.before is not None else []
        for name, value in event.picked.items():
            if name not in names:
                return FALSE
            conditions.append(names[name] == value)
        if event.after is not None:
            conditions.append(self.put(event.after))
        if event.changes:
            conditions.append(z3.Or(*(self.put(one) != one for one in event.changes)))
        return z3.And(*conditions) if conditions else TRUE


@attrs.frozen(eq=False)
class Monitor:
    """A sentence on a system: its variables, what they become at each step, and what they say."""

    name: str
    sentence: Sentence
    variables: tuple[Variable, ...]
    updates: Mapping[str, Mapping[str, Any]]
    failing: Any
    tried: Any
    """It was put to the test at some moment so far."""
    live: bool
    """It can ask for something without saying by when, so a run that stops too early breaks it."""

    @property
    def possible(self) -> bool:
        """It asks only that something can happen."""
        return self.sentence.pattern == "possibility"


def monitor(world: World, sentence: Sentence, name: str) -> Monitor:
    """The monitor of a sentence on the system of a world; `name` sets its variables apart from those of others."""
    key = (sentence, name)
    if key not in world.cache:
        world.cache[key] = _made(world, sentence, name)
    return world.cache[key]


def _made(world: World, sentence: Sentence, name: str) -> Monitor:
    machine = _Machine(sentence, world, name)
    system = world.system
    assert system.clock is None, "a world with a clock is told moment by moment first"
    start = _initial(world)
    begun = machine.advance(machine.blank(), Moment(world, None, start), first=True)
    variables = tuple(
        Variable(f"{name}.{key}", machine.domains[key], _literal(begun[key], machine.domains[key], world.assumed))
        for key in begun
    )
    memory: Memory = {key: variable.term for key, variable in zip(begun, variables, strict=True)}
    updates: dict[str, dict[str, Any]] = {}
    for action in system.actions:
        after = machine.advance(memory, Moment(world, action, _putter(system, action)))
        changed = {key: z3.simplify(value) for key, value in after.items()}
        updates[action.name] = {f"{name}.{key}": value for key, value in changed.items() if not value.eq(memory[key])}
    failing = z3.simplify(z3.Or(memory["bad"], machine.still_owed(memory)))
    return Monitor(name, sentence, variables, updates, failing, memory["tried"], machine.live)


def product(world: World, monitors: Sequence[Monitor], *, extra: Sequence[Action] = ()) -> System:
    """The system of a world with monitors that look on; `extra` are actions that change none of its variables."""
    system = world.system
    actions = [
        attrs.evolve(
            action,
            updates={**action.updates, **{k: v for one in monitors for k, v in one.updates[action.name].items()}},
        )
        for action in system.actions
    ]
    return System(
        f"{system.name} watched",
        (*system.variables, *(variable for one in monitors for variable in one.variables)),
        (*actions, *extra),
        None,
        (),
        system.parameters,
        system.initial,
    )


def _initial(world: World) -> Callable[[Any], Any]:
    system = world.system
    pairs = [(variable.term, variable.domain.literal(variable.initial)) for variable in system.variables]
    return lambda expr: z3.simplify(z3.substitute(expr, *pairs)) if isinstance(expr, z3.ExprRef) else expr


def _putter(system: System, action: Action) -> Callable[[Any], Any]:
    """An expression as it is after an action, over the state before and the choices."""
    pairs = [(system.variable(name).term, expr) for name, expr in action.updates.items()]
    return lambda expr: z3.substitute(expr, *pairs) if pairs and isinstance(expr, z3.ExprRef) else expr


def _literal(term: Any, domain: Any, assumed: Sequence[Any]) -> Any:
    value: Any = z3.simplify(term)
    if isinstance(domain, Bool):
        for known in (TRUE, FALSE) if assumed else ():
            if prove("at the start", assumed, value == known).proved:
                return z3.is_true(known)
        if not (z3.is_true(value) or z3.is_false(value)):
            raise ModelError(f"whether {term} holds at the start depends on a number left open")
        return bool(z3.is_true(value))
    return value.as_long() if isinstance(domain, IntRange) else value.as_fraction()


class _Machine:
    """The states of a monitor and how one moment changes them; written once, for the start and for every action."""

    def __init__(self, sentence: Sentence, world: World, name: str) -> None:
        self.sentence, self.world, self.name = sentence, world, name
        scope, pattern, bound = sentence.scope.kind, sentence.pattern, sentence.bound
        self.closing = scope in ("before", "between", "from-until", "after-until")
        # Before R and between Q and R only what R closes counts.
        self.deferred = scope in ("before", "between")
        self.opening = scope in ("from", "after", "from-until", "after-until", "between")
        self.owing = pattern in ("existence", "response")
        self.stamped = bound is not None and bound.timed
        # Steps are counted while there are any, so a run that stops with a duty open breaks that too.
        self.live = self.owing and not self.stamped and not self.deferred
        self.counted = bound is not None and not bound.timed
        self.domains: dict[str, Any] = {"tried": Bool(), "bad": Bool()}
        if self.opening or scope == "before":
            self.domains["in"] = Bool()
        if self.opening and scope in ("after", "after-until"):
            self.domains["soon"] = Bool()
        if self.deferred:
            self.domains["wrong"] = Bool()
            self.domains["asked"] = Bool()
        if self.owing or pattern in ("lasts", "ends", "recurs"):
            self.domains["owes"] = Bool()
        if pattern in ("precedence", "existence"):
            self.domains["seen"] = Bool()
        if self.stamped:
            self.domains["since"] = Real()
        if self.counted:
            assert bound is not None
            self.domains["age"] = IntRange(0, bound.value + 1)

    def blank(self) -> Memory:
        """Nothing has been seen."""
        blank = {
            key: domain.literal(0 if isinstance(domain, Real | IntRange) else False)
            for key, domain in self.domains.items()
        }
        if self.sentence.scope.kind == "before":
            # The scope is open from the start, and what must come in it is owed from the start.
            blank["in"] = TRUE
            if self.sentence.pattern == "existence":
                blank["owes"] = TRUE
        return blank

    def advance(self, before: Memory, at: Moment, *, first: bool = False) -> Memory:
        """What is remembered after a moment."""
        scope = self.sentence.scope
        opens, closes = at.value(scope.opens), at.value(scope.closes)
        if not self.closing:
            closes = FALSE
        after = dict(before)
        was_in = before.get("in", TRUE)
        if scope.kind in ("from", "from-until", "between"):
            fresh = z3.And(z3.Not(was_in), opens, z3.Not(closes))
            inside = z3.And(z3.Or(was_in, opens), z3.Not(closes))
            after["in"] = inside
        elif scope.kind in ("after", "after-until"):
            fresh = z3.And(z3.Not(was_in), before["soon"], z3.Not(closes))
            inside = z3.And(z3.Or(was_in, before["soon"]), z3.Not(closes))
            after["in"] = inside
            # A moment that closes one stretch may open the next.
            after["soon"] = z3.And(z3.Not(inside), opens)
        elif scope.kind == "before":
            inside = z3.And(was_in, z3.Not(closes))
            fresh = inside if first else FALSE
            after["in"] = inside
        else:
            inside, fresh = TRUE, TRUE if first else FALSE
        closing = z3.And(was_in, closes) if self.closing else FALSE
        start = self._reset(before, fresh, at)
        wrong, tried, inner = self._pattern(start, at, fresh)
        for key, value in inner.items():
            after[key] = z3.If(inside, value, before[key])
        unmet = before["owes"] if self.owing and self.closing else FALSE
        if self.deferred:
            after["wrong"] = z3.If(inside, z3.Or(start["wrong"], wrong), before["wrong"])
            after["asked"] = z3.If(inside, z3.Or(start["asked"], tried), before["asked"])
            after["bad"] = z3.Or(before["bad"], z3.And(closing, z3.Or(before["wrong"], unmet)))
            after["tried"] = z3.Or(before["tried"], z3.And(closing, before["asked"]))
        else:
            after["bad"] = z3.Or(before["bad"], z3.And(inside, wrong), z3.And(closing, unmet))
            after["tried"] = z3.Or(before["tried"], z3.And(inside, tried))
            if self.owing and self.closing:
                after["owes"] = z3.And(after["owes"], z3.Not(closing))
        return after

    def _reset(self, before: Memory, fresh: Any, at: Moment) -> Memory:
        """A stretch of the scope that begins forgets what was seen in the one before."""
        start = dict(before)
        for key in ("wrong", "asked", "owes", "seen"):
            if key in start:
                start[key] = z3.And(before[key], z3.Not(fresh))
        if self.sentence.pattern == "existence":
            start["owes"] = z3.Or(start["owes"], fresh)
        if self.stamped:
            start["since"] = z3.If(fresh, at.now, before["since"])
        if self.counted:
            start["age"] = z3.If(fresh, 0, before["age"])
        return start

    def _late(self, start: Memory, at: Moment) -> Any:
        """What is owed comes too late, whatever this moment brings."""
        bound = self.sentence.bound
        if bound is None:
            return FALSE
        if bound.timed:
            return z3.And(start["owes"], at.now - start["since"] > bound.value)
        return z3.And(start["owes"], self._older(start) > bound.value)

    def _older(self, start: Memory) -> Any:
        bound = self.sentence.bound
        assert bound is not None
        return z3.If(start["age"] > bound.value, start["age"], start["age"] + 1)

    def _pattern(self, start: Memory, at: Moment, fresh: Any) -> tuple[Any, Any, Memory]:
        """At a moment inside the scope: what is wrong, whether the sentence is put to the test, what is remembered."""
        kind, first = self.sentence.pattern, at.value(self.sentence.first)
        second = at.value(self.sentence.second)
        if kind in ("absence", "possibility"):
            return (first if kind == "absence" else FALSE), (TRUE if kind == "absence" else first), {}
        if kind in ("universality", "invariance"):
            wanted = first if kind == "universality" else z3.Implies(first, second)
            return z3.Not(wanted), TRUE if kind == "universality" else first, {}
        if kind == "precedence":
            seen = z3.Or(start["seen"], second)
            return z3.And(first, z3.Not(seen)), first, {"seen": seen}
        if kind == "existence":
            return self._existence(start, at, first, fresh)
        if kind == "response":
            return self._response(start, at, first, second)
        return self._real_time(start, at, first)

    def _existence(self, start: Memory, at: Moment, first: Any, fresh: Any) -> tuple[Any, Any, Memory]:
        seen = z3.Or(start["seen"], first)
        after: Memory = {"seen": seen, "owes": z3.And(start["owes"], z3.Not(first))}
        late = z3.And(self._late(start, at), z3.Not(fresh))
        if self.counted:
            after["age"] = z3.If(fresh, 0, self._older(start))
        if self.stamped:
            after["since"] = start["since"]
        return late, TRUE, after

    def _response(self, start: Memory, at: Moment, first: Any, second: Any) -> tuple[Any, Any, Memory]:
        after: Memory = {"owes": z3.And(z3.Or(start["owes"], first), z3.Not(second))}
        begins = z3.And(first, z3.Not(start["owes"]))
        if self.stamped:
            after["since"] = z3.If(begins, at.now, start["since"])
        if self.counted:
            after["age"] = z3.If(z3.Or(begins, z3.Not(after["owes"])), 0, self._older(start))
        return self._late(start, at), first, after

    def _real_time(self, start: Memory, at: Moment, first: Any) -> tuple[Any, Any, Memory]:
        bound = self.sentence.bound
        assert bound is not None
        held = at.now - start["since"]
        if self.sentence.pattern == "recurs":
            return held > bound.value, TRUE, {"since": z3.If(first, at.now, start["since"]), "owes": TRUE}
        rises = z3.And(first, z3.Not(start["owes"]))
        after: Memory = {"owes": first, "since": z3.If(rises, at.now, start["since"])}
        if self.sentence.pattern == "lasts":
            return z3.And(start["owes"], z3.Not(first), held < bound.value), first, after
        return z3.And(start["owes"], held > bound.value), first, after

    def still_owed(self, memory: Memory) -> Any:
        """A duty without an instant by which it must be met, and that is open now."""
        return z3.And(memory.get("in", TRUE), memory["owes"]) if self.live else FALSE
