"""Proofs about a System whose numbers are left open, by the solver z3.

Two kinds of statement are proved, for all values of the parameters that meet the assumptions:
`inductive`: a harm is reachable in no run, however long; `valid_run`: a scripted run is allowed and ends in a harm.
Both read the guards, updates and urgency of the system itself, so there is no second copy of a guard to keep in step.
What such a statement consists of are obligations, each decided alone: see `obligations.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import z3

from latchcheck.kernel import Action, Bool, Choice, Clause, IntRange, ModelError, Real, System
from latchcheck.kernel.substitution import substitute

from .obligations import RLIMIT, Proof, possible, prove

# z3's annotations give And, Not and comparisons a union of types that no caller can narrow: conditions are Any here.
Event = tuple[Any, str, Mapping[str, Any]]
"""Instant (None without a clock), action, and the value of each choice: z3 expressions or numbers."""

# -- states as expressions ----------------------------------------------------------------------------------------

Symbolic = dict[str, z3.ExprRef]
"""The value of every variable as an expression."""


def _put(system: System, state: Symbolic, expr: Any, picked: Mapping[z3.ExprRef, z3.ExprRef] | None = None) -> Any:
    """An expression with the values of a state (and of choices) in place of their names."""
    pairs = [(variable.term, state[variable.name]) for variable in system.variables]
    return substitute(expr, [*pairs, *(picked or {}).items()])


def _start(system: System) -> Symbolic:
    return {variable.name: variable.domain.literal(variable.initial) for variable in system.variables}


def _anywhere(system: System) -> Symbolic:
    return {variable.name: variable.term for variable in system.variables}


def _inside(domain: Any, term: Any) -> Any:
    """What a domain says of a term beyond its sort."""
    if isinstance(domain, IntRange):
        return z3.And(term >= domain.lo, term <= domain.hi)
    return z3.BoolVal(True)


def _advanced(system: System, state: Symbolic, instant: z3.ExprRef | None) -> Symbolic:
    """The state with the clock moved: the guard of an action reads the instant at which the action happens."""
    if system.clock is None:
        return state
    assert instant is not None
    return {**state, system.clock: instant}


def _after(system: System, action: Action, state: Symbolic, picked: Mapping[z3.ExprRef, z3.ExprRef]) -> Symbolic:
    updated = {name: _put(system, state, expr, picked) for name, expr in action.updates.items()}
    return {**state, **updated}


# -- induction ----------------------------------------------------------------------------------------------------


def inductive(
    system: System,
    assuming: Iterable[Any],
    invariant: Sequence[Clause],
    never: Any,
    *,
    rlimit: int = RLIMIT,
) -> Proof:
    """Prove by induction over steps that no state with `never` is reachable, for all parameters under `assuming`.

    Every lemma of the invariant is shown to hold at the start and to be kept by every action, one obligation each;
    the lemmas together exclude `never`.
    A step advances time (to an instant at which every urgency clause holds), then acts.
    An assumption may speak about variables where it is true of every state (a recurrence, instantiated).
    """
    given = list(assuming)
    statement = f"{system.name}: unreachable"
    obligations = [
        possible("the assumptions and the invariant can hold", _given_in_state(system, given, invariant), rlimit=rlimit)
    ]
    start = _start(system)
    begin = [_put(system, start, expr) for expr in given]
    begin += [_put(system, start, clause.expr) for clause in system.initial]
    for lemma in invariant:
        goal = _put(system, start, lemma.expr)
        obligations.append(prove(f"at the start: {lemma.label}", begin, goal, rlimit=rlimit))
    for action in system.actions:
        before, after = _step(system, action)
        for lemma in invariant:
            name = f"kept by {action.name}: {lemma.label}"
            goal = _put(system, after, lemma.expr)
            step = _given_in_state(system, given, invariant) + before
            obligations.append(prove(name, step, goal, rlimit=rlimit))
    holds = _given_in_state(system, given, invariant)
    obligations.append(prove("the invariant excludes the harm", holds, z3.Not(never), rlimit=rlimit))
    return Proof(statement, obligations)


def _given_in_state(system: System, given: list[Any], invariant: Sequence[Clause]) -> list[Any]:
    domains = [_inside(variable.domain, variable.term) for variable in system.variables]
    return [*given, *(lemma.expr for lemma in invariant), *domains]


def _step(system: System, action: Action) -> tuple[list[z3.BoolRef], Symbolic]:
    """Any step of an action from any state: what is true of it, and the state after it."""
    state = _anywhere(system)
    conditions: list[Any] = []
    instant = None
    if system.clock is not None:
        instant = z3.Real(f"{system.clock}'")
        conditions.append(instant >= state[system.clock])
    moved = _advanced(system, state, instant)
    conditions += [_put(system, moved, clause.expr) for clause in (*system.urgency, *action.guard)]
    conditions += [_inside(choice.domain, choice.term) for choice in action.choices]
    return conditions, _after(system, action, moved, {})


# -- a run for all parameters -------------------------------------------------------------------------------------


def valid_run(
    system: System,
    assuming: Iterable[Any],
    events: Sequence[Event],
    harm: Any,
    *,
    start: Sequence[Clause] | None = None,
    rlimit: int = RLIMIT,
) -> Proof:
    """Prove that a scripted run is allowed, event by event, and that `harm` holds after it, for all parameters.

    Instants and choices are expressions over the parameters.
    The run begins in the initial state or, with `start`, in any state that meets those clauses; the events may then
    read the variables of that state.
    One obligation for each condition: time does not run backwards, each urgency clause, each clause of each guard,
    the range of each choice and variable that has one.
    """
    given = list(assuming)
    if start is None:
        state = _start(system)
        given += [_put(system, state, clause.expr) for clause in system.initial]
    else:
        state = _anywhere(system)
        given += [clause.expr for clause in start]
        given += [_inside(variable.domain, variable.term) for variable in system.variables]
    obligations = [possible("the assumptions can hold", given, rlimit=rlimit)]
    for index, (at, name, args) in enumerate(events, start=1):
        action = system.action(name)
        picked = _picked(action, args)
        moved = _advanced(system, state, None if at is None else _term(Real(), at))
        for label, condition in _demands(system, action, state, moved, picked):
            obligations.append(prove(f"event {index}, {name}: {label}", given, condition, rlimit=rlimit))
        state = _after(system, action, moved, picked)
        for variable in system.variables:
            if isinstance(variable.domain, IntRange) and variable.name in action.updates:
                label = f"event {index}, {name}: {variable.name} stays in its range"
                inside = _inside(variable.domain, state[variable.name])
                obligations.append(prove(label, given, inside, rlimit=rlimit))
    obligations.append(prove("the harm is there at the end", given, _put(system, state, harm), rlimit=rlimit))
    return Proof(f"{system.name}: reachable", obligations)


def _term(domain: Any, value: Any) -> Any:
    if isinstance(value, z3.ArithRef) and isinstance(domain, Real) and value.is_int():
        return z3.ToReal(value)
    return value if isinstance(value, z3.ExprRef) else domain.literal(value)


def _picked(action: Action, args: Mapping[str, Any]) -> dict[z3.ExprRef, z3.ExprRef]:
    choices: dict[str, Choice] = {choice.name: choice for choice in action.choices}
    if choices.keys() != args.keys():
        raise ModelError(f"action {action.name!r} picks {', '.join(choices) or 'nothing'}, not {', '.join(args)}")
    return {choices[name].term: _term(choices[name].domain, value) for name, value in args.items()}


def _demands(
    system: System,
    action: Action,
    state: Symbolic,
    moved: Symbolic,
    picked: Mapping[z3.ExprRef, z3.ExprRef],
) -> Iterator[tuple[str, Any]]:
    """Every condition under which the stepper would do this step, with its label."""
    if system.clock is not None:
        now: Any = state[system.clock]
        yield "time does not run backwards", now <= moved[system.clock]
    for clause in system.urgency:
        yield clause.label, _put(system, moved, clause.expr)
    for choice in action.choices:
        if not isinstance(choice.domain, Real | Bool):
            yield f"{choice.name} is in its range", _inside(choice.domain, picked[choice.term])
    for clause in action.guard:
        yield clause.label, _put(system, moved, clause.expr, picked)
