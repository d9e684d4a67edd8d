"""What a correct implementation may answer: the guarded model, run beside the target on the same events.

It holds every state in which the guarded model can be, given what was asked and what the target has told; where the
model leaves a choice to the implementation (whether a cancel is applied at once), both are kept until the target shows
which it took. A step that the guarded model refuses changes nothing there.
The fixture's own `guarded` answer to a step is one of these, or the fixture is stale.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import product
from typing import Any, Final

import attrs

from latchcheck.kernel import Action, Compiled, Enum, IntRange, NotAStep, State, Stepper, compile_expr

from ...model.cancelling import shown
from ...model.lifecycle import Lifecycle
from ...model.record import GONE as DELETED
from ...model.record import UNBORN
from ..fixture import Event
from . import facets
from .errors import CannotDo
from .events import GONE, Call
from .outside import ADMISSIONS, GUARDED_NAMES, RESTART, SWEEPS
from .story import next_unborn

STATES_MAX: Final = 512

# Clauses that bound a scope, or order the passes of a sweep: a refusal by them says nothing about a target.
_BOUNDS: Final = ("the scope", "the sweep is at pass")


@attrs.frozen
class Tried:
    """One way in which the guarded model takes a step: the state after it, and the clause that refused it, if any.

    `origin` is the state before it.
    """

    stepper: Stepper
    origin: Stepper
    refused: str | None = None

    @property
    def blocked(self) -> bool:
        """Whether a guard of the protocol, and no bound of the scope, refused the step."""
        return self.refused is not None and not self.refused.startswith(_BOUNDS)


class View:
    """What a reader is told of each task in a state of a lifecycle."""

    def __init__(self, built: Lifecycle) -> None:
        self._lag = built.room.scope.lag
        self._shown: dict[str, Compiled] = {task: compile_expr(shown(built.room, task)) for task in built.room.tasks}

    @property
    def tasks(self) -> tuple[str, ...]:
        """The labels of all tasks."""
        return tuple(self._shown)

    def __call__(self, state: State) -> dict[str, str]:
        """The status of each task by its label; GONE where a reader finds none."""
        told = {
            task: str(one.function(**{name: state[name] for name in one.names})) for task, one in self._shown.items()
        }
        return {task: GONE if status in (UNBORN, DELETED) else status for task, status in told.items()}

    def whole(self, before: State, after: State, call: Call | None) -> dict[str, str]:
        """The same with the facets of each task, and those of the step."""
        shown = self(after)
        for task in self._shown:
            shown |= facets.of_state(after, task)
        return shown if call is None else shown | facets.of_step(call, before, after) | self._copied(call, after)

    def _copied(self, call: Call, state: State) -> dict[str, str]:
        """What a copy that is behind has of a task that has just been created, or is read from it."""
        task = call.task
        looked = call.kind == "create" or call.args.get("replica")
        if not looked or f"copy_{task}" not in state or int(state[f"behind_{task}"]) > self._lag:
            return {}
        copy = str(state[f"copy_{task}"])
        return {f"{task} copy": GONE if copy in (UNBORN, DELETED) else copy}


class Expected:
    """The states of the guarded model that what happened so far allows."""

    def __init__(self, built: Lifecycle) -> None:
        self._view = View(built)
        self._actions = {action.name: action for action in built.system.actions}
        self._states: list[Stepper] = [Stepper(built.system)]

    def step(self, event: Event, before: State, *, over: bool = False) -> list[Tried]:
        """Every way in which the guarded model takes a step of the fixture; call `keep` with those that fit.

        A sweep, and a restart, is several steps of the model and one event: it happens with the one that is `over`.
        """
        if event.action in (*SWEEPS, *RESTART):
            whole = self._sweep() if event.action in SWEEPS else self._restart()
            return [self._all(state, whole) if over else Tried(state, state) for state in self._states]
        found: list[Tried] = []
        for state in self._states:
            for one in self._variants(event, before, state):
                if not any(_same(one, other) for other in found):
                    found.append(one)
        return found[:STATES_MAX]

    @property
    def reaps(self) -> bool:
        """Whether anything in this model deletes an expired record."""
        return "delete_expired" in self._actions

    def reaped(self, ways: Iterable[Tried]) -> list[Tried]:
        """The same ways, each with an expired record deleted at once: a reaper that comes as soon as it may."""
        found: list[Tried] = []
        for way in ways:
            for task in self._view.tasks:
                deleted = self._tried(way.stepper, self._actions["delete_expired"], {"task": task})
                found += [] if deleted.refused else [Tried(deleted.stepper, way.origin)]
        return found

    def caught_up(self, ways: Iterable[Tried], task: str | None) -> list[Tried]:
        """The same ways with a copy that has this task, as a create reply waits for; it may have caught up on all."""
        return [
            Tried(caught_up(way.stepper, tasks), way.origin, way.refused)
            for way in ways
            for tasks in ((task,), self._view.tasks)
        ]

    def keep(self, fitting: Iterable[Tried]) -> None:
        """Go on with these states."""
        kept: list[Stepper] = []
        for one in fitting:
            if not any(one.stepper.state == other.state for other in kept):
                kept.append(one.stepper)
        self._states = kept

    def shown(self, tried: Tried, call: Call | None) -> dict[str, str]:
        """What the way in which a call was taken shows: the status of each task, and its facets."""
        return self._view.whole(tried.origin.state, tried.stepper.state, call)

    def _variants(self, event: Event, before: State, state: Stepper) -> list[Tried]:
        if event.action in ADMISSIONS:
            return self._admissions(event, before, state)
        action = self._actions.get(GUARDED_NAMES.get(event.action, event.action))
        if action is None:
            # Only the broken model does this; for the guarded one nothing happens.
            return [Tried(state, state)]
        given = dict(event.args)
        if event.action == "cancel_writes":
            given = {"task": before[f"held_cancel_{event.args['instance']}"]}
        choices = {choice.name for choice in action.choices}
        done = [self._tried(state, action, args) for args in _filled(action, given)]
        # What was asked for, the guarded model has no word for: it may also do nothing.
        beyond = given.keys() - choices - {"instance"}
        return [*done, Tried(state, state)] if beyond and event.action != "create" else done

    def _admissions(self, event: Event, before: State, state: Stepper) -> list[Tried]:
        """The answers of a correct server to a call; refused where it has none to give."""
        task = event.args.get("task", next_unborn(before))
        given = {"client": event.args["client"], "task": task}
        actions = [self._actions[name] for name in ADMISSIONS if name in self._actions]
        found = [
            self._tried(state, action, args)
            for action in actions
            for args in _filled(action, given)
            if task in self._view.tasks or action.name != "admit"
        ]
        done = [one for one in found if one.refused is None]
        if not done and task not in self._view.tasks:
            raise CannotDo("a correct server may create another task here, for which the fixture's scope has no room")
        return done or found

    def _tried(self, state: Stepper, action: Action, args: Mapping[str, Any]) -> Tried:
        after = copy.copy(state)
        try:
            after.do(None, action.name, args)
        except NotAStep as refused:
            return Tried(state, state, refused.clause)
        return Tried(after, state)

    def _sweep(self) -> list[tuple[str, dict[str, Any]]]:
        """All passes, in the guarded order, which is that of the model's actions."""
        return [(name, {}) for name in self._actions if name in SWEEPS]

    def _restart(self) -> list[tuple[str, dict[str, Any]]]:
        triage = self._actions.get("triage")
        tasks = [] if triage is None else [("triage", args) for args in _filled(triage, {})]
        return [("crash_server", {}), *tasks, ("open_server", {})]

    def _all(self, state: Stepper, steps: Iterable[tuple[str, Mapping[str, Any]]]) -> Tried:
        after = copy.copy(state)
        for name, args in steps:
            try:
                after.do(None, name, args)
            except NotAStep as refused:
                return Tried(state, state, refused.clause)
        return Tried(after, state)


def caught_up(state: Stepper, tasks: Iterable[str | None]) -> Stepper:
    """The state in which the copy that instances read from has what is stored of these tasks."""
    after = copy.copy(state)
    for task in tasks:
        with suppress(NotAStep):  # it has it already
            after.do(None, "replicate", {"task": str(task)})
    return after


def opened(state: Stepper) -> State:
    """The state with a server that is up: a restart that the fixture breaks off in the middle is gone through with."""
    after = copy.copy(state)
    actions = {action.name: action for action in after.system.actions}
    steps = [("triage", args) for args in _filled(actions["triage"], {})] if "triage" in actions else []
    for name, args in [*steps, ("open_server", {})] if after.state.get("server") == "starting" else []:
        with suppress(NotAStep):  # judged already
            after.do(None, name, args)
    return after.state


def _filled(action: Action, given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The arguments of an action: what the fixture says, and every value of what is the implementation's to choose."""
    domains = []
    for choice in action.choices:
        own = choice.name in given and choice.name != "applied"
        domains.append([given[choice.name]] if own else _values(choice.domain))
    names = [choice.name for choice in action.choices]
    return [dict(zip(names, values, strict=True)) for values in product(*domains)]


def _values(domain: Any) -> list[Any]:
    if isinstance(domain, Enum):
        return list(domain.values)
    return list(range(domain.lo, domain.hi + 1)) if isinstance(domain, IntRange) else [False, True]


def _same(one: Tried, other: Tried) -> bool:
    return (
        one.refused == other.refused
        and one.stepper.state == other.stepper.state
        and one.origin.state == other.origin.state
    )
