"""What a model is built in: the variables declared so far, by family, and the pieces that actions are made of.

A family is one variable for each task, worker or client: `status_t1`, `status_t2`.
An index (which task? which worker?) is a `Pick`: for each label the condition under which it is the one meant.
So a choice of the action and a reference stored in the state are used alike.
A family that no module declared is absent: reading it gives what absence means, changing it does nothing.
That is how an action of one party stays the same whichever other parties are built in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Any

import attrs
import z3

from latchcheck.kernel import Action, Bool, Choice, Clause, Domain, Enum, IntRange, Sentence, Value, Variable

from .policy import Policy
from .scope import Scope

TRUE: Any = z3.BoolVal(True)
FALSE: Any = z3.BoolVal(False)
NONE = "none"
Pick = Mapping[str, Any]
Guard = list[tuple[str, Any]]
"""The conditions of an action, each with a label that reads as a condition."""


def both(*conditions: Any) -> Any:
    """All of the conditions; what is plainly true is left out, and one that is plainly false decides."""
    parts = [one for one in map(_term, conditions) if not z3.is_true(one)]
    if any(z3.is_false(one) for one in parts):
        return FALSE
    return parts[0] if len(parts) == 1 else z3.And(*parts) if parts else TRUE


def either(*conditions: Any) -> Any:
    """Any of the conditions; what is plainly false is left out, and one that is plainly true decides."""
    parts = [one for one in map(_term, conditions) if not z3.is_false(one)]
    if any(z3.is_true(one) for one in parts):
        return TRUE
    return parts[0] if len(parts) == 1 else z3.Or(*parts) if parts else FALSE


def _term(condition: Any) -> Any:
    return z3.BoolVal(condition) if isinstance(condition, bool) else condition


def no(condition: Any) -> Any:
    """The condition does not hold."""
    if isinstance(condition, bool):
        return z3.BoolVal(not condition)
    return FALSE if z3.is_true(condition) else TRUE if z3.is_false(condition) else z3.Not(condition)


def choose(pick: Pick, values: Mapping[str, Any] | Enum) -> Any:
    """The value of the label that is meant; of an Enum, its constant."""
    labels = list(pick)
    return reduce(lambda rest, label: when(pick[label], values[label], rest), labels[-2::-1], values[labels[-1]])


def pick_label(name: str, domain: Enum) -> tuple[Choice, Pick]:
    """A choice of one label of a domain, and the index it makes."""
    choice = Choice(name, domain)
    return choice, {value: choice.term == domain[value] for value in domain.values}


def when(condition: Any, value: Any, otherwise: Any) -> Any:
    """If-then-else that does not write an If for what is plainly true or false."""
    if condition is True or z3.is_true(condition):
        return value
    return otherwise if condition is False or z3.is_false(condition) else z3.If(condition, value, otherwise)


@attrs.frozen
class Family:
    """One variable for each label, all of one domain."""

    name: str
    domain: Domain
    terms: dict[str, Any]

    def at(self, pick: Pick) -> Any:
        """The variable of the label that is meant."""
        return choose(pick, self.terms)

    def literal(self, value: Any) -> Any:
        """A Python value as a term of the family's domain; a term is itself."""
        return value if isinstance(value, z3.ExprRef) else self.domain.literal(value)


class Room:
    """A scope, a policy and the modules built in, with the variables and actions they have declared."""

    def __init__(self, scope: Scope, policy: Policy, modules: frozenset[str]) -> None:
        self.scope = scope
        self.policy = policy
        self.modules = modules
        self.variables: list[Variable] = []
        self.actions: list[Action] = []
        self.families: dict[str, Family] = {}
        # Every name that was read or changed, declared or not: a test looks for names that no scope declares.
        self.named: set[str] = set()
        self.tasks = _labels("t", scope.tasks)
        self.workers = _labels("w", scope.workers)
        self.clients = _labels("c", scope.clients)
        self.instances = _labels("i", scope.instances)
        self.tenants = _labels("p", scope.tenants)

    def has(self, *modules: str) -> bool:
        """Whether all of these modules are built in."""
        return self.modules.issuperset(modules)

    def family(self, name: str, labels: Iterable[str], domain: Domain, initial: Value) -> Family:
        """Declare one variable for each label."""
        terms = {}
        for label in labels:
            variable = Variable(f"{name}_{label}", domain, initial)
            self.variables.append(variable)
            terms[label] = variable.term
        self.families[name] = Family(name, domain, terms)
        return self.families[name]

    def single(self, name: str, domain: Domain, initial: Value) -> Any:
        """Declare one variable that nothing indexes; its term."""
        variable = Variable(name, domain, initial)
        self.variables.append(variable)
        self.families[name] = Family(name, domain, {"": variable.term})
        return variable.term

    def flags(self, name: str, labels: Iterable[str], initial: bool = False) -> Family:  # noqa: FBT001, FBT002
        """Declare one truth value for each label."""
        return self.family(name, labels, Bool(), initial)

    def budget(self, name: str, size: int) -> None:
        """Declare how often something may still happen."""
        self.single(f"{name}_left", IntRange(0, size), size)

    def read(self, name: str, pick: Pick | str | None = None, absent: Any = FALSE) -> Any:
        """The value of a family's member, or what its absence means."""
        self.named.add(name)
        family = self.families.get(name)
        if family is None:
            return z3.BoolVal(absent) if isinstance(absent, bool) else absent
        if pick is None:
            return family.terms[""]
        return family.terms[pick] if isinstance(pick, str) else family.at(pick)

    def holds(self, name: str, pick: Pick | str | None, value: Value, *, absent: bool = False) -> Any:
        """Whether a member has this value."""
        self.named.add(name)
        family = self.families.get(name)
        if family is None:
            return z3.BoolVal(absent)
        return self.read(name, pick) == family.domain.literal(value)

    # References: a variable that names a task, a worker or a client, or none of them.

    def reference(self, kind: str) -> Enum:
        """The domain of references to a kind of thing."""
        labels = getattr(self, kind)
        return Enum(f"{kind}_{len(labels)}_or_none", (NONE, *labels))

    def pick(self, name: str, kind: str) -> tuple[Choice, Pick]:
        """A choice of one thing of a kind, and the index it makes."""
        labels = getattr(self, kind)
        domain = Enum(f"{kind}_{len(labels)}", labels)
        choice, meant = pick_label(name, domain)
        return choice, {labels[0]: TRUE} if len(labels) == 1 else meant

    def follow(self, kind: str, reference: Any) -> Pick:
        """The index that a reference makes; nothing is meant where it is none."""
        domain = self.reference(kind)
        return {label: reference == domain[label] for label in getattr(self, kind)}

    def name(self, kind: str, pick: Pick) -> Any:
        """The reference to what an index means."""
        domain = self.reference(kind)
        return choose(pick, {label: domain[label] for label in pick})

    # Actions.

    def act(
        self,
        name: str,
        party: str,
        guard: Iterable[tuple[str, Any]],
        effects: Effects,
        choices: Iterable[Choice] = (),
        sentences: Iterable[Sentence] = (),
    ) -> None:
        """Declare an action; conditions that are plainly true are left out of its guard."""
        clauses = tuple(Clause(label, expr) for label, expr in guard if not (expr is True or z3.is_true(expr)))
        self.actions.append(Action(name, party, clauses, effects.updates(), tuple(choices), tuple(sentences)))

    def serving(self) -> Guard:
        """The guard of everything that the server does: it is up."""
        return [("the server is up", self.holds("server", None, "up", absent=True))]

    def spend(self, effects: Effects, name: str) -> Guard:
        """Use up one of a budget: the guard, after noting the change."""
        left = self.read(f"{name}_left")
        effects.put(f"{name}_left", None, left - 1)
        return [(f"the scope allows another of its {name}", left > 0)]


class Effects:
    """The changes of one action: a later change of the same variable wins where its condition holds.

    Values are read in the state before the action, whatever the order in which changes are noted.
    """

    def __init__(self, room: Room) -> None:
        self._room = room
        self._changes: dict[str, tuple[Any, Any]] = {}

    def put(self, name: str, pick: Pick | str | None, value: Any, on: Any = TRUE) -> None:
        """Change a family's member to a value (or a function of its old value) where `on` holds."""
        self._room.named.add(name)
        family = self._room.families.get(name)
        if family is None:
            return
        index: Pick = {"": TRUE} if pick is None else {pick: TRUE} if isinstance(pick, str) else pick
        for label, hit in index.items():
            term = family.terms[label]
            variable = f"{name}_{label}" if label else name
            before = self._changes.get(variable, (term, term))[1]
            new = value(term) if isinstance(value, Callable) else family.literal(value)
            self._changes[variable] = (term, when(both(hit, on), new, before))

    def updates(self) -> dict[str, Any]:
        """The updates of the action; a variable that keeps its value is not among them."""
        return {name: new for name, (old, new) in self._changes.items() if new is not old}


def _labels(letter: str, count: int) -> tuple[str, ...]:
    return tuple(f"{letter}{i}" for i in range(1, count + 1))
