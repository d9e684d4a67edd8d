"""What an answer tells: whether the target took what it was asked for, and whether it fits what a model shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ...model.record import TERMINAL
from .events import GONE, Answer, Call
from .facets import is_facet

_TAKEN: Final = ("cancel", "dispatch", "worker_write", "update")


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


def said(call: Call, answer: Answer, observed: dict[str, str]) -> str:
    """A call, its answer and what was then read, in words."""
    return f"{call} was answered {answer}, and then {listed(observed)}"


def listed(shown: Mapping[str, str]) -> str:
    """What is shown, in words."""
    return ", ".join(f"{task} {status}" for task, status in sorted(shown.items())) or "no task"
