"""Facets: what a run shows beside the statuses, as far as a target can tell it.

A fixture may end where no status is wrong yet: the message of a dropped task is gone, a side effect has happened twice,
a key names two questions. A target that can look there says so in its table (`shows`), and then both sides are put into
the same words here: a state of the model, and what a target answered. A facet that either side does not tell is not
compared.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from typing import Final

from latchcheck.kernel import State

from ...model.failures import VERDICT
from ...model.record import GONE as DELETED
from ...model.record import OPEN, TERMINAL, UNBORN
from .events import Answer, Call
from .protocol import Table

Facets = dict[str, str]
"""By name: whose it is, a blank, which it is."""

SHOWN: Final[Mapping[str, str]] = {
    "asks": "the keys of the outstanding questions",
    "decision": "whether a worker's report was taken",
    "effects": "how often the side effect has happened",
    "holds": "whether a worker has its task still",
    "left": "whether anything is left of a record that is gone",
    "verdict": "whether a failed task was poisoned",
    "work": "whether a worker has the task, or will get it",
}
"""What a target may show of a task beside its status: the entries of `shows` in its table."""

# The facets by the second word of their names.
_SHOWN_AS: Final = {"report": "decision", "acted": "effects", **{name: name for name in SHOWN}}
_MESSAGES: Final = ("queued", "unacked", "outbox", "to_publish")
_REMAINS: Final = (*_MESSAGES, "slot", "intent", "marker")
_TAKEN: Final = ("APPLY", "IDEMPOTENT_TERMINAL")
_WRITES: Final = ("worker_write", "cancel", "update")
MANY: Final = 2
"""The model counts effects up to two, which stands for more."""


def is_facet(name: str) -> bool:
    """Whether a name is that of a facet, and not the label of a task."""
    return " " in name


def of_state(state: State, task: str) -> Facets:
    """What a state of the model shows of a task."""
    found: Facets = {}
    for name, told in _OF_STATE.items():
        value = told(state, task)
        if value is not None:
            found[f"{task} {name}"] = value
    return found


def of_step(call: Call, before: State, after: State) -> Facets:
    """What a step of the model shows by itself: its answer, and whether it moved the version."""
    found: Facets = {}
    task = call.task
    if before == after:  # refused by a guard: what the state tells of a step is of an earlier one
        return {f"{task} moved": "no"} if call.kind in _WRITES else {}
    # What counts the writes: the version, or, where the model leaves that out, the terminal writes of a worker.
    counts = [f"version_{task}"] if call.kind in _WRITES else []
    counts += [f"outcomes_{task}"] if call.args.get("status") in TERMINAL else []
    for name in [one for one in counts if one in after][:1]:
        found[f"{task} moved"] = _yes(before[name] != after[name])
    if call.kind == "worker_write" and call.args.get("status") != "input_required" and "kind" not in call.args:
        decision = after.get("decision", "NO_REPORT")
        if decision != "NO_REPORT":
            found[f"{call.by} report"] = "taken" if decision in _TAKEN else "refused"
    if call.kind == "create" and f"call_{call.by}" in after:
        found |= _of_call(call.by, after)
    if call.args.get("lease") and f"phase_{call.by}" in after:
        found[f"{call.by} holds {task}"] = _yes(after[f"job_{call.by}"] == task and after[f"phase_{call.by}"] != "idle")
    return found


def _of_call(client: str, after: State) -> Facets:
    stage, answer = after[f"call_{client}"], after[f"answer_{client}"]
    if stage in ("begun", "admitted", "replied"):
        return {f"{client} answer": str(answer)}
    # Whether a tool that gives no tasks refuses whoever could take one is another question.
    return {f"{client} answer": "no task"} if stage in ("refused", "direct") else {}


class Looking:
    """What the observer of one replay has been told beside statuses, in the words of the model's facets."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._keys: dict[str, _Keys] = {}
        self._versions: dict[str, list[int | None]] = {}

    def tells(self, name: str) -> bool:
        """Whether a facet is one that the target can tell."""
        words = name.split(" ")
        if words[1] == "moved":
            return self._table.versions
        if words[1] == "copy":
            return self._table.lags
        return words[1] == "answer" or _SHOWN_AS[words[1]] in self._table.shows

    def read(self, task: str, answer: Answer) -> Facets:
        """What a reading of a task tells."""
        self._versions.setdefault(task, []).append(answer.version)
        told = {
            "asks": self._keys.setdefault(task, _Keys()).told(answer.status, answer.asks),
            "acted": None if answer.effects is None else _count(answer.effects),
            "left": None if answer.left is None else _yes(answer.left),
            "verdict": answer.verdict,
            "work": None if answer.work is None else _yes(answer.work),
        }
        return {f"{task} {name}": value for name, value in told.items() if value is not None}

    def step(self, call: Call, answer: Answer, created: Container[str]) -> Facets:
        """What the answer to a call tells by itself, after everything was read."""
        if call.kind == "create":
            made = None if answer.status is None else str(call.task)
            return {f"{call.by} answer": "no task" if answer.refused else answer.same_as or made or "no task"}
        if call.args.get("lease"):
            return {} if answer.holds is None else {f"{call.by} holds {call.task}": _yes(answer.holds)}
        if call.kind not in _WRITES or call.task is None or call.task not in created:
            return {}
        found: Facets = {}
        last, now = [None, None, *self._versions[call.task]][-2:]
        if self._table.versions and last is not None and now is not None:
            found[f"{call.task} moved"] = _yes(last != now)
        if call.kind == "worker_write" and "decision" in self._table.shows:
            found[f"{call.by} report"] = "refused" if answer.refused else "taken"
        return found


class _Keys:
    """The keys of one task's questions, as one observer has read them: a key may name one question only."""

    def __init__(self) -> None:
        self._present: set[str] = set()
        self._earlier: set[str] = set()

    def told(self, status: str | None, keys: Iterable[str] | None) -> str | None:
        """What a reading says about the keys of the outstanding question; None where there is none."""
        if keys is None:
            return None
        if status != "input_required":
            self._earlier |= self._present
            self._present = set()
            return None
        self._present = set(keys)
        if not self._present:
            return "none"
        return "used before" if self._present & self._earlier else "new"


def _asks(state: State, task: str) -> str | None:
    if state[f"status_{task}"] != "input_required" or f"key_{task}" not in state:
        return None
    key, question = state[f"key_{task}"], state[f"question_{task}"]
    if key == 0:
        return "none"
    return "new" if state.get(f"names{key}_{task}", question) == question else "used before"


def _acted(state: State, task: str) -> str | None:
    count = state.get(f"effects_{task}")
    return None if count is None else _count(int(str(count)))


def _work(state: State, task: str) -> str | None:
    """Of an open task, and of one that has no record: what is over may be in the hands of a late worker.

    Nor of an expired one, for which nothing need be done, nor forgotten, until it is removed.
    """
    if f"queued_{task}" not in state or state[f"status_{task}"] not in (*OPEN, UNBORN):
        return None
    if state.get(f"expired_{task}") is True:
        return None
    held = any(value == task for name, value in state.items() if name.startswith("job_"))
    return _yes(held or any(state.get(f"{name}_{task}") is True for name in _MESSAGES))


def _left(state: State, task: str) -> str | None:
    if state[f"status_{task}"] != DELETED:
        return None
    named = any(value == task for name, value in state.items() if name.startswith("entry_"))
    held = state.get(f"holder_{task}", "none") != "none"
    return _yes(named or held or any(state.get(f"{name}_{task}") is True for name in _REMAINS))


def _verdict(state: State, task: str) -> str | None:
    verdict = state.get(f"judged_{task}")
    return str(verdict) if verdict in VERDICT.values[2:] and state[f"status_{task}"] == "failed" else None


def _count(number: int) -> str:
    return str(number) if number < MANY else "more than once"


def _yes(value: object) -> str:
    return "yes" if value else "no"


_OF_STATE: Final[Mapping[str, Callable[[State, str], str | None]]] = {
    "asks": _asks,
    "acted": _acted,
    "work": _work,
    "left": _left,
    "verdict": _verdict,
}
