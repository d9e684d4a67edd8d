"""Replays a saved counterexample on a target, and says what became of it there.

The target is asked what the steps of the fixture mean outside; after each event an observer reads every task.
What it may answer comes from the guarded model (expecting.py); what the broken one showed, from the fixture.
A fixture that shows nothing to tell the two apart by has not been tried, and is never counted as a pass.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import attrs

from latchcheck.kernel import State, Stepper

from ...model.lifecycle import Lifecycle
from ...model.record import TERMINAL
from ..errors import Stale
from ..fixture import Event, Fixture
from ..replaying import Case, reproduce, run
from .client import ClientTarget, is_about_client, replay_client, unplayed
from .errors import CannotDo, TargetError, TargetTimeout
from .events import GONE, Answer, Call
from .expecting import Expected, Tried, View, opened
from .facets import Looking, is_facet
from .mapping import ADMISSIONS, CALLS, RESTART, SWEEPS, WINDOW_ENDS, Reader, timeline
from .protocol import Opened, Session, Target

Outcome = Literal["reproduced", "differs", "conforms", "not-applicable", "stale", "failed"]
OUTCOMES: Final[dict[Outcome, str]] = {
    "reproduced": "it answers as the broken model does",
    "differs": "it answers neither as the broken model nor as any correct one",
    "conforms": "where the broken model goes wrong, it answers as a correct one",
    "not-applicable": "the fixture cannot be told there",
    "stale": "the fixture says nothing any more",
    "failed": "the target could not be driven: nothing is known",
}
OBSERVER: Final = "o1"
INSIDE_CLIENT: Final = "what goes wrong is inside a client, and a server shows nothing of it; try a target client:FILE"
_TAKEN: Final = ("cancel", "dispatch", "worker_write", "update")
_NOTHING_TOLD: Final = "nothing that a target shows tells this run from a correct one"


@attrs.frozen
class Setting:
    """A fixture with what it is replayed on: the broken lifecycle with its property, and the guarded one."""

    case: Case
    broken: Lifecycle
    guarded: Lifecycle


@attrs.frozen
class Seen:
    """A step as it was done to the target: the event, the answer, what the observer then read, what was expected."""

    step: int
    call: Call
    answer: Answer
    observed: dict[str, str]
    expected: tuple[dict[str, str], ...] = ()


@attrs.frozen
class Ran:
    """What became of a fixture on a target; `steps` is the evidence, as far as it went."""

    fixture: Fixture
    target: str
    outcome: Outcome
    reason: str
    steps: tuple[Seen, ...] = ()


def replay_on(fixture: Fixture, setting: Setting, target: Target, *, judged: bool = True) -> Ran:
    """Replay a fixture on a target. Raises nothing: what goes wrong is an outcome.

    Without `judged` the run need not break the fixture's property: it is one that somebody drew.
    """
    steps: list[Seen] = []

    def ended(outcome: Outcome, reason: str) -> Ran:
        return Ran(fixture, target.name, outcome, reason, tuple(steps))

    try:
        if judged:
            reproduce(fixture, setting.case)
        _, states = run(setting.case.system, fixture.steps)
    except Stale as stale:
        return ended("stale", str(stale))
    try:
        if isinstance(target, ClientTarget):
            return ended(
                *replay_client(fixture, Stepper(setting.broken.system), Stepper(setting.guarded.system), target)
            )
        if judged:
            _not_inside_client(fixture)
        _dry(fixture, target, states)
        with Opened(target) as session:
            outcome, reason = _Run(fixture, setting, target, session, steps).go(states)
    except CannotDo as why:
        return ended("not-applicable", str(why))
    except TargetError as error:
        return ended("failed", f"{error.outcome}: {error}")
    except Stale as stale:
        return ended("stale", str(stale))
    return ended(outcome, reason)


def ruled_out(fixture: Fixture, case: Case, target: Target) -> str | None:
    """Why a target cannot be asked for the steps of a fixture, as far as its table tells; it is not started."""
    try:
        _, states = run(case.system, fixture.steps)
        if isinstance(target, ClientTarget):
            return unplayed(fixture)
        _not_inside_client(fixture)
        _dry(fixture, target, states)
    except (CannotDo, Stale) as why:
        return str(why)
    return None


def reader(fixture: Fixture, target: Target) -> Reader:
    """What turns the steps of a fixture into calls to a target."""
    scope, table = fixture.scope, target.table
    attempts = int(scope.get("attempts", 0))
    tenants = int(scope.get("tenants", 1))
    keyed = sum(step.action in CALLS for step in fixture.steps) > 1
    instants = timeline(fixture.steps).with_clock(table.clock)
    return Reader(table, instants, tenants, attempts, fixture.era, keyed)


def _not_inside_client(fixture: Fixture) -> None:
    if is_about_client(fixture):
        raise CannotDo(INSIDE_CLIENT)


def _dry(fixture: Fixture, target: Target, states: Sequence[State]) -> None:
    """Go through the steps without the target. Raises CannotDo before anything is started."""
    if fixture.era is not None and fixture.era not in target.table.eras:
        raise CannotDo(f"it speaks {', '.join(target.table.eras)}, not {fixture.era}")
    read = reader(fixture, target)
    told = False
    for index, event in enumerate(fixture.steps):
        told = read.call(index, event, states[index], fixture.policy) is not None or told
    if not told:
        raise CannotDo("none of its steps happens outside of a client or a worker")


class _Run:
    """One replay under way."""

    def __init__(self, fixture: Fixture, setting: Setting, target: Target, session: Session, steps: list[Seen]) -> None:
        self._fixture, self._target, self._session, self._steps = fixture, target, session, steps
        self._reader = reader(fixture, target)
        self._expected = Expected(setting.guarded)
        self._broken = View(setting.broken)
        self._wrong = Stepper(setting.broken.system)
        self._looking = Looking(target.table)
        self._tenants: dict[str, int] = {}
        # Calls that were answered without a task; work may have begun for them all the same.
        self._refused: dict[str, int] = {}
        self._aliases: dict[str, str] = {}
        self._told_apart = False
        self._lapsed = False
        self._begun_s: float | None = None
        # The fixture's own answers were worked out without the steps that only a broken model has.
        self._in_step = True

    def go(self, states: Sequence[State]) -> tuple[Outcome, str]:
        """Do every step, until one is answered as no correct implementation answers it."""
        for index, event in enumerate(self._fixture.steps):
            call = self._reader.call(index, event, states[index], self._fixture.policy)
            ways = self._expected.step(event, states[index], over=call is not None)
            if event.action in WINDOW_ENDS and all(way.blocked for way in ways):
                # A configuration, or a worker that lets its lease run out: the target is told both.
                raise CannotDo(f"it lets time pass as it does not with a correct one: {ways[0].refused}")
            self._check_saved(event, ways)
            before = self._wrong.state
            self._wrong.do(None, event.action, event.args)
            if call is None:
                self._expected.keep(ways)
                continue
            found = self._step(index, call, ways, self._broken.whole(before, opened(self._wrong), call))
            if found is not None:
                return found
        if self._told_apart:
            return "conforms", OUTCOMES["conforms"]
        return "not-applicable", _NOTHING_TOLD

    def _step(self, index: int, call: Call, ways: list[Tried], broken: Mapping[str, str]) -> tuple[Outcome, str] | None:
        """Do a call; `broken` is what the broken model shows of it."""
        if call.kind == "advance_clock" and self._target.table.reaps_itself:
            if not self._expected.reaps:
                return self._lapse(index, call, ways)
            ways = [*ways, *self._expected.reaped(ways)]
        before = self._steps[-1].observed if self._steps else {}
        answer = self._perform(call)
        self._note(call, answer)
        observed = self._observe() | self._looking.step(call, answer, self._tenants)
        expected = [self._known(self._expected.shown(way, call)) for way in ways]
        self._steps.append(Seen(index, call, answer, observed, tuple(as_told(one, observed) for one in expected)))
        taken = self._heard(call) and accepted(call, answer, self._tenants) and not repeats(call, before)
        fitting = [
            way
            for way, shown in zip(ways, expected, strict=True)
            if fits(shown, observed) and not (way.blocked and taken)
        ]
        wrong = self._known(broken)
        # That a correct one refuses a step tells nothing where nobody hears whether it was taken, as of a sweep.
        refusable = self._heard(call) and takes(call)
        told_apart = all(
            not fits(shown, wrong) or (way.blocked and refusable) for way, shown in zip(ways, expected, strict=True)
        )
        if fitting:
            # Where the target has chosen otherwise than the fixture, the fixture's answers are about another run.
            self._in_step = self._in_step and len(fitting) == len(ways)
            self._expected.keep(fitting)
            seen_apart = not fits(observed, wrong) or (refusable and all(way.blocked for way in ways))
            self._told_apart = self._told_apart or (told_apart and seen_apart)
            return None
        if self._lapsed and GONE in observed.values():
            raise CannotDo("its records go by themselves when their ttl ends, before the late event")
        if fits(observed, wrong) or (taken and all(way.blocked for way in ways)):
            return "reproduced", f"step {index}: {_said(call, answer, observed)}, as the broken model does"
        allowed = " or ".join(dict.fromkeys(_listed(as_told(one, observed)) for one in expected))
        return "differs", f"step {index}: {_said(call, answer, observed)}; a correct one has {allowed}"

    def _heard(self, call: Call) -> bool:
        """Whether the target itself answers a call: where work begins with the create, nobody answers a dispatch."""
        return not (call.kind == "dispatch" and self._target.table.fuses)

    def _perform(self, call: Call) -> Answer:
        """Do a call. Raises TargetTimeout where a window has ended, in real time, before it may (timeline.py)."""
        if self._begun_s is not None and call.kind == "advance_clock" and self._target.table.clock.kind == "real":
            passed_s, to_s = time.monotonic() - self._begun_s, call.args["to_ms"] / 1000
            if passed_s > to_s / 2:
                told = f"what comes before the instant {to_s:g} s took {passed_s:.1f} s"
                raise TargetTimeout(f"{told}: more than half of that, so that its windows end too early")
        answer = self._session.perform(call)
        if self._begun_s is None:  # a server may have been started for it
            self._begun_s = time.monotonic()
        return answer

    def _lapse(self, index: int, call: Call, ways: list[Tried]) -> None:
        """Let a ttl end without looking: where a look deletes the record, a late write would find none."""
        self._steps.append(Seen(index, call, self._perform(call), {}))
        self._expected.keep(ways)
        self._lapsed = True

    def _note(self, call: Call, answer: Answer) -> None:
        told = call.kind in ("dispatch", "get") or (call.kind == "worker_write" and not answer.refused)
        if told and call.task is not None:
            self._reader.saw(call.by, call.task, answer.version)
        if call.kind != "create" or call.task is None:
            return
        if answer.same_as is not None:
            self._aliases[call.task] = answer.same_as
        elif not answer.refused and answer.status is not None:
            self._tenants.setdefault(call.task, call.args.get("tenant", 1))
        elif "work" in self._target.table.shows:
            self._refused.setdefault(call.task, call.args.get("tenant", 1))

    def _observe(self) -> dict[str, str]:
        """What one observer, who owns it, reads of every task that was created, and beside their statuses."""
        observed: dict[str, str] = {}
        beside: dict[str, str] = {}
        for task, tenant in {**self._refused, **self._tenants}.items():
            args = {"tenant": tenant} if self._target.table.tenants > 1 else {}
            answer = self._session.perform(Call("get", task, OBSERVER, args))
            beside |= self._looking.read(task, answer)
            if task in self._tenants:
                observed[task] = GONE if answer.refused or answer.status is None else answer.status
        return observed | beside

    def _known(self, shown: Mapping[str, str]) -> dict[str, str]:
        """Of what a model shows, the tasks that the target has, and the facets that it tells.

        A task that is not there yet reads as gone.
        """
        there = {
            task: status
            for task, status in shown.items()
            if not is_facet(task) and (task in self._tenants or status != GONE)
        }
        known = {task: there.get(task, GONE) for task in {*there, *self._tenants} if task not in self._aliases}
        beside = {name: told for name, told in shown.items() if is_facet(name) and self._looking.tells(name)}
        return known | beside

    def _check_saved(self, event: Event, ways: list[Tried]) -> None:
        """The fixture's `guarded` answer is one that the guarded model gives."""
        if event.guarded is None:
            self._in_step = False
        if not self._in_step or event.guarded is None:
            return
        saved = {name: value for name, value in event.guarded.items() if name.startswith("status_")}
        states: list[Any] = [way.stepper.state for way in ways]
        if event.action in (*SWEEPS, *RESTART, *ADMISSIONS):
            # Several steps of the model as one event, or another answer of the server to the same call.
            self._in_step = event.action in ADMISSIONS and event.guarded["decision"] == "ALLOW"
        elif not any(all(state[name] == value for name, value in saved.items()) for state in states):
            raise Stale(f"the guarded model does not answer {event.action!r} with {dict(event.guarded)}")


def takes(call: Call) -> bool:
    """Whether the answer to a call tells if it was taken; see `accepted`."""
    return call.kind in ("create", "list", *_TAKEN) or (call.kind == "get" and call.by.startswith("c"))


def accepted(call: Call, answer: Answer, owners: dict[str, int]) -> bool:
    """Whether the target did, or told, what was asked for."""
    if call.kind == "get":
        # A worker or an instance reads what is its own to read; that the model has no such step then refuses nothing.
        return not answer.refused and answer.status not in (None, GONE) and call.by.startswith("c")
    if call.kind == "create":
        return not answer.refused and answer.same_as is None and answer.status is not None
    if call.kind == "list":
        caller = call.args.get("tenant", 1)
        return not answer.refused and any(owners.get(task, caller) != caller for task in answer.tasks or ())
    if call.kind == "dispatch" and answer.status in (*TERMINAL, GONE):
        return False  # who is told that it is over has not been given any work
    return call.kind in _TAKEN and not answer.refused


def repeats(call: Call, before: dict[str, str]) -> bool:
    """Whether a write asks for the terminal status that is stored: it may be told that this is done.

    Repeating the stored terminal fact succeeds and changes nothing (docs/reference/semantics.md, section 5).
    """
    status = call.args.get("status")
    return call.kind == "worker_write" and status in TERMINAL and before.get(str(call.task)) == status


def fits(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether two tellings agree: on every status, and on each facet that both of them tell."""
    statuses = ({name: told for name, told in each.items() if not is_facet(name)} for each in (one, other))
    first, second = statuses
    return first == second and all(other.get(name, told) == told for name, told in one.items())


def as_told(shown: Mapping[str, str], observed: Mapping[str, str]) -> dict[str, str]:
    """What a model shows, without the facets that were not observed."""
    return {name: told for name, told in shown.items() if name in observed or not is_facet(name)}


def _said(call: Call, answer: Answer, observed: dict[str, str]) -> str:
    return f"{call} was answered {answer}, and then {_listed(observed)}"


def _listed(shown: dict[str, str]) -> str:
    return ", ".join(f"{task} {status}" for task, status in sorted(shown.items())) or "no task"
