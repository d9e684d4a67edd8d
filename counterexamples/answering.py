"""What a correct implementation answers to each step of a lifecycle run: the guarded model, asked the same.

Some steps only a broken model has. A look before a write is a read to the guarded model, which changes nothing there;
the write after it is the guarded write, which looks and writes in one step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import attrs

from latchcheck.kernel import Action, Bool, NotAStep, State, Stepper, System

from ..model.lifecycle import lifecycle
from ..model.policy import Policy
from ..model.scope import Scope
from .fixture import Event
from .replaying import run

LOOKS: Final = ("check", "cancel_reads", "look_up_key")
# What stands in the guarded model for an action that it does not have; of several the first that is allowed.
STAND_INS: Final = {
    "write_terminal": ("report",),
    "cancel_writes": ("cancel",),
    "insert_after_look_up": ("admit", "replay"),
}
# The steps that are answered with a decision of their own, beside being allowed.
_REPORT: Final = "report"
_APPLIED: Final = "APPLY"


def correct(scope: Scope, era: str, modules: frozenset[str]) -> System:
    """The guarded model of a run: its modules, and with workers the history that holds the answer to a report."""
    more = {"reports"} if "workers" in modules else set[str]()
    return lifecycle(scope, Policy(era=era), modules | more).system


def answered(guarded: System, broken: System, steps: Sequence[Event]) -> tuple[Event, ...]:
    """The steps of a run of the broken model with what the guarded one answers: a refused step changes nothing there.

    Each answer holds the decision (ALLOW, BLOCK with the condition that refused the step, or what the record decides
    about a report), and status and version of the tasks.
    A step of which the guarded model knows nothing has no answer. Raises Stale where the steps are no run.
    """
    _, states = run(broken, steps)
    stepper = Stepper(guarded)
    return tuple(
        attrs.evolve(step, guarded=_answer(stepper, step, before)) for step, before in zip(steps, states, strict=False)
    )


def unlike(saved: Sequence[Event], told: Sequence[Event]) -> str | None:
    """The first saved answer that is not the one now told, in words; None where there is none.

    A step without a saved answer says nothing about a correct implementation, and an answer may leave out what it does
    not speak about: neither is compared.
    """
    for place, (old, new) in enumerate(zip(saved, told, strict=True)):
        if old.guarded is None:
            continue
        if new.guarded is None:
            return f"step {place}: the guarded model has no answer to {old.action!r}, and one is saved"
        for name, value in old.guarded.items():
            if name not in new.guarded:
                return f"step {place}: the guarded model says nothing of {name!r} when it answers {old.action!r}"
            if new.guarded[name] != value:
                now = f"{name} {new.guarded[name]!r}"
                return f"step {place}: the guarded model answers {old.action!r} with {now}, and not with {value!r}"
    return None


def _answer(stepper: Stepper, step: Event, before: State) -> dict[str, Any] | None:
    if step.action in LOOKS:
        return {"decision": "ALLOW", **seen(stepper.state)}
    actions = {action.name: action for action in stepper.system.actions}
    args, refused = _meant(step, before), None
    for name in STAND_INS.get(step.action, (step.action,)):
        if name not in actions:
            continue
        picked = _picked(actions[name], args)
        if picked is None:
            continue
        try:
            state = stepper.do(None, name, picked)
        except NotAStep as reason:
            refused = refused or reason.clause
            continue
        decision = state["decision"] if name == _REPORT and "decision" in state else _APPLIED
        return {"decision": "ALLOW" if decision == _APPLIED else decision, **seen(state)}
    return None if refused is None else {"decision": "BLOCK", "because": refused, **seen(stepper.state)}


def _meant(step: Event, before: State) -> dict[str, Any]:
    """What a step picks, with what an instance has remembered from its look."""
    args = dict(step.args)
    if step.action == "cancel_writes":
        args["task"] = before[f"held_cancel_{args['instance']}"]
    if step.action == "insert_after_look_up":
        args["client"] = before[f"held_call_{args['instance']}"]
    return args


def _picked(action: Action, args: Mapping[str, Any]) -> dict[str, Any] | None:
    """The choices of the guarded action; None where the step does not say them all.

    A cancel that writes at once is one that is applied; what no replica was asked is asked of the record.
    """
    given = {"applied": True, "replica": False, "newer": False} | dict(args)
    names = {choice.name for choice in action.choices}
    usual = {choice.name for choice in action.choices if isinstance(choice.domain, Bool)}
    if not names <= args.keys() | (usual & given.keys()):
        return None
    return {name: given[name] for name in names}


def seen(state: State) -> dict[str, Any]:
    """What a client could read of the tasks."""
    return {name: value for name, value in state.items() if name.startswith(("status_", "version_"))}
