"""A System: variables and actions for one scope and policy, checked when it is built."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import attrs
import z3

from .domains import Real
from .errors import ModelError
from .frozen import FrozenMap, State, Value
from .nodes import Nodes
from .records import Action, Choice, Clause, Variable, expressions, ids, show_map, unique
from .substitution import Substitution


@attrs.frozen
class System:
    """Variables and actions, an optional clock, and the numbers left open.

    `clock` names the Real() variable that holds the present instant in milliseconds; an action then happens at an
    instant, and `urgency` lists the conditions that must still hold at the instant to which time advances (upper
    bounds on the clock).
    `parameters` maps each number left open to its z3 constant; `at` puts values in their place.
    `initial` are conditions on the state in which every variable has its initial value.
    Building one raises ModelError where names or sorts do not fit.
    """

    name: str
    variables: tuple[Variable, ...] = attrs.field(converter=tuple)
    actions: tuple[Action, ...] = attrs.field(converter=tuple)
    clock: str | None = None
    urgency: tuple[Clause, ...] = attrs.field(default=(), converter=tuple)
    parameters: FrozenMap[Any] = attrs.field(default=FrozenMap(), converter=expressions, eq=ids, repr=show_map)
    initial: tuple[Clause, ...] = attrs.field(default=(), converter=tuple)
    # Where this system came from by `at`: engines compile the parametric one once and put the numbers in afterwards.
    origin: tuple[System, FrozenMap[Value]] | None = attrs.field(default=None, eq=False, repr=False, kw_only=True)
    # What engines compile from this system, and the expressions read into `Nodes`; never part of its value.
    cache: dict[str, Any] = attrs.field(factory=dict, init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        if self.origin is None:
            _check(self)

    def variable(self, name: str) -> Variable:
        """The variable of that name; ModelError lists the names there are."""
        return _named("variable", self.name, self.variables, name)

    def action(self, name: str) -> Action:
        """The action of that name; ModelError lists the names there are."""
        return _named("action", self.name, self.actions, name)

    @property
    def nodes(self) -> Nodes:
        """Every expression of this system, read once."""
        return self.cache.setdefault("nodes", Nodes())

    def start(self) -> State:
        """The state in which every variable has its initial value."""
        return State({variable.name: variable.initial for variable in self.variables})

    def at(self, values: Mapping[str, Value]) -> System:
        """This system with numbers in place of parameters, simplified; parameters not named stay open.

        Raises ModelError for a name that is no parameter and for a value that does not fit its sort.
        """
        for name in values:
            if name not in self.parameters:
                raise ModelError(
                    f"system {self.name!r} has no parameter {name!r}; it has {', '.join(self.parameters) or 'none'}"
                )
        put = Substitution({self.parameters[name]: value for name, value in values.items()})

        def clauses(parts: Iterable[Clause]) -> tuple[Clause, ...]:
            return tuple(Clause(part.label, put(part.expr)) for part in parts)

        def choice(one: Choice) -> Choice:
            if one.lower is None and one.upper is None:
                return one
            lower = None if one.lower is None else put(one.lower)
            upper = None if one.upper is None else put(one.upper)
            return attrs.evolve(one, lower=lower, upper=upper)

        return System(
            self.name,
            self.variables,
            tuple(
                Action(
                    action.name,
                    action.party,
                    clauses(action.guard),
                    FrozenMap({name: put(expr) for name, expr in action.updates.items()}),
                    tuple(choice(one) for one in action.choices),
                    action.sentences,
                )
                for action in self.actions
            ),
            self.clock,
            clauses(self.urgency),
            FrozenMap({name: term for name, term in self.parameters.items() if name not in values}),
            clauses(self.initial),
            origin=(self, FrozenMap(values)),
        )


def _named(kind: str, system: str, items: Iterable[Any], name: str) -> Any:
    for item in items:
        if item.name == name:
            return item
    raise ModelError(f"system {system!r} has no {kind} {name!r}; it has {', '.join(item.name for item in items)}")


def _check(system: System) -> None:
    unique("variables", system.name, (variable.name for variable in system.variables))
    unique("actions", system.name, (action.name for action in system.actions))
    variables = {variable.name: variable for variable in system.variables}
    for name, term in system.parameters.items():
        if name in variables:
            raise ModelError(f"system {system.name!r}: {name!r} is both a variable and a parameter")
        if system.nodes.table[system.nodes.read(term)].payload != name:
            raise ModelError(f"system {system.name!r}: parameter {name!r} is mapped to {term}, not to its constant")
    if system.clock is not None:
        clock = variables.get(system.clock)
        if clock is None or not isinstance(clock.domain, Real):
            raise ModelError(
                f"system {system.name!r}: clock {system.clock!r} must name a Real() variable of the system"
            )
    elif system.urgency:
        raise ModelError(f"system {system.name!r} has urgency clauses and no clock they could speak about")
    sorts = {name: variable.term.sort().get_id() for name, variable in variables.items()}
    sorts |= {name: term.sort().get_id() for name, term in system.parameters.items()}
    for clause in (*system.urgency, *system.initial):
        _known(system, f"clause {clause.label!r}", clause.expr, sorts)
    for action in system.actions:
        _check_action(system, action, variables, sorts)


def _check_action(system: System, action: Action, variables: Mapping[str, Variable], sorts: Mapping[str, int]) -> None:
    where = f"action {action.name!r}"
    scope = sorts
    if action.choices:
        for choice in action.choices:
            if choice.name in sorts:
                raise ModelError(f"{where}: choice {choice.name!r} clashes with the variable or parameter of that name")
        scope = {**sorts, **{choice.name: choice.term.sort().get_id() for choice in action.choices}}
    for clause in action.guard:
        _known(system, f"{where}, clause {clause.label!r}", clause.expr, scope)
    for choice in action.choices:
        for bound in (choice.lower, choice.upper):
            if bound is not None:
                _known(system, f"{where}, bound of choice {choice.name!r}", bound, sorts)
    for name, expr in action.updates.items():
        if name not in variables:
            raise ModelError(f"{where} updates {name!r}, which is no variable of system {system.name!r}")
        if name == system.clock:
            raise ModelError(f"{where} updates the clock {name!r}; only time moves it")
        if expr.sort().get_id() != sorts[name]:
            sort, wanted = expr.sort(), variables[name].term.sort()
            hint = "; wrap it in z3.ToReal" if wanted.kind() == z3.Z3_REAL_SORT else ""
            raise ModelError(f"{where}: the update of {name!r} has sort {sort}, the variable has {wanted}{hint}")
        _known(system, f"{where}, update of {name!r}", expr, scope)


def _known(system: System, where: str, expr: z3.ExprRef, scope: Mapping[str, int]) -> None:
    nodes = system.nodes
    for ident in nodes.constants[nodes.read(expr)]:
        name = nodes.table[ident].payload
        if name not in scope:
            raise ModelError(
                f"{where} reads {name!r}, which is no variable, choice or parameter of system {system.name!r}"
            )
        if nodes.sorts[ident] != scope[name]:
            raise ModelError(f"{where} reads {name!r} as another sort than it is declared with")
