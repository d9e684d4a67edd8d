"""One run of a fixture on a target, step by step, beside the broken model and the guarded one.

After each event an observer reads every task. A step that is answered as no correct implementation answers it ends the
run; one at which the two models would show different things, and the target shows what the guarded one does, is what
makes a pass.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from latchcheck.kernel import State, Stepper

from ..errors import Stale
from ..fixture import Event, Fixture
from .comparing import accepted, as_told, fits, listed, repeats, said, takes
from .errors import CannotDo, TargetTimeout
from .events import GONE, Answer, Call
from .expecting import Expected, Tried, View, caught_up, opened
from .facets import Looking, is_facet
from .mapping import call_of
from .outcomes import OUTCOMES, Outcome, Seen, Setting
from .outside import ADMISSIONS, RESTART, SWEEPS, WINDOW_ENDS
from .protocol import Session, Target
from .story import story_of

OBSERVER: Final = "o1"
_NOTHING_TOLD: Final = "nothing that a target shows tells this run from a correct one"


class Run:
    """One replay under way; it fills `steps` as it goes, so that a run that fails leaves evidence too."""

    def __init__(self, fixture: Fixture, setting: Setting, target: Target, session: Session, steps: list[Seen]) -> None:
        self._fixture, self._target, self._session, self._steps = fixture, target, session, steps
        self._story = story_of(fixture, target)
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
            call = call_of(self._story, index, event, states[index], self._fixture.policy)
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
            wrong = self._wrong
            if call.kind in ("create", "replicate") and self._target.table.lags and self._fixture.scope.get("lag"):
                # The answer to a create is its reply.
                ways = self._expected.caught_up(ways, call.task)
                awaits = self._fixture.policy.get("create_visibility", "every-instance") == "every-instance"
                wrong = caught_up(wrong, (call.task,)) if awaits else wrong
            found = self._step(index, call, ways, self._broken.whole(before, opened(wrong), call))
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
        if call.kind == "act" and answer.refused:  # who is kept from acting has done nothing wrong
            ways = [*ways, *(Tried(way.origin, way.origin) for way in ways)]
        observed = self._observe() | self._looking.step(call, answer, self._tenants) | self._elsewhere(call, answer)
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
            return "reproduced", f"step {index}: {said(call, answer, observed)}, as the broken model does"
        allowed = " or ".join(dict.fromkeys(listed(as_told(one, observed)) for one in expected))
        return "differs", f"step {index}: {said(call, answer, observed)}; a correct one has {allowed}"

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
            self._story.saw(call.by, call.task, answer.version)
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

    def _elsewhere(self, call: Call, answer: Answer) -> dict[str, str]:
        """What an instance that reads from a copy tells of a task that is new, or was read there."""
        if call.kind == "create" and call.task in self._tenants and self._target.table.lags:
            asked = {"tenant": self._tenants[call.task], "replica": True}
            answer = self._session.perform(Call("get", call.task, OBSERVER, asked))
        elif not call.args.get("replica"):
            return {}
        return {f"{call.task} copy": GONE if answer.refused or answer.status is None else answer.status}

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
