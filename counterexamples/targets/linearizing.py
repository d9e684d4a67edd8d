"""Whether some order of the model's own operations explains a history of concurrent ones on one record.

After J. Wing and C. Gong, "Testing and Verifying Concurrent Objects" (1993), with the memory of visited
configurations of G. Lowe, "Testing for Linearizability" (2017).
An operation whose answer nobody has seen may have happened at any time after its call, or never.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import attrs

from latchcheck.kernel import FrozenMap, NotAStep, State, Stepper

from ...model.record import GONE as DELETED
from ...model.record import UNBORN
from ...model.shared import shared_record
from .events import GONE

TASK: Final = "t1"
CHANGES_SHOWN: Final = 2
NO_EFFECT: Final = ("RETURN_STATUS", "IDEMPOTENT_TERMINAL", "ALREADY_TERMINAL")


@attrs.frozen
class Operation:
    """One call on the record and what came of it; instants are nanoseconds of one clock, `returned_ns` None: no answer.

    `do` is write, cancel, get or expire; `args` status and expected of a write.
    `decision`, `status` and `version` are what was told; None where nothing was.
    """

    by: str
    do: str
    args: FrozenMap[Any] = attrs.field(converter=FrozenMap)
    called_ns: int
    returned_ns: int | None = None
    decision: str | None = None
    status: str | None = None
    version: int | None = None

    @property
    def known(self) -> bool:
        """Whether an answer has arrived."""
        return self.returned_ns is not None

    @property
    def changes_nothing(self) -> bool:
        """Whether its own answer says that it has left the record as it was."""
        decision = self.decision or ""
        return self.known and (decision.startswith("BLOCK") or decision in NO_EFFECT)

    def __str__(self) -> str:
        told = ", ".join(f"{name}={value}" for name, value in self.args.items())
        version = "" if self.version is None else f" version {self.version}"
        answer = f"{self.decision}, {self.status or 'nothing'}{version}" if self.known else "no answer was seen"
        return f"{self.by}: {self.do}({told})  ->  {answer}"


class Record:
    """The model's record as a function from a state and an operation to the states after it, remembered."""

    def __init__(self) -> None:
        self._system = shared_record()
        stepper = Stepper(self._system)
        self.start = stepper.do(None, "create", {"task": TASK})
        self._known: dict[tuple[State, tuple[Any, ...]], State | None] = {}
        # Histories of many rounds repeat the same few steps.
        self._reached: dict[State, tuple[tuple[str, dict[str, Any]], ...]] = {self.start: (("create", {"task": TASK}),)}

    def after(self, state: State, operation: Operation) -> State | None:
        """The state after an operation, or None where it cannot have been answered so in this state."""
        key = (
            state,
            (operation.do, operation.args, operation.known, operation.decision, operation.status, operation.version),
        )
        if key not in self._known:
            self._known[key] = self._worked_out(state, operation)
        return self._known[key]

    def _worked_out(self, state: State, operation: Operation) -> State | None:
        path = self._reached[state]
        after = state
        for name, args in _steps(state, operation):
            stepper = Stepper(self._system)
            for one, values in path:
                stepper.do(None, one, values)
            try:
                after = stepper.do(None, name, args)
            except NotAStep:
                return None
            path = (*path, (name, args))
        self._reached.setdefault(after, path)
        return after if not operation.known or _answers(operation, state, after) else None


def _steps(state: State, operation: Operation) -> list[tuple[str, dict[str, Any]]]:
    if operation.do == "write":
        args = {"task": TASK, **operation.args}
        return [("write_versioned" if "expected" in args else "write", args)]
    there = state[f"status_{TASK}"] not in (UNBORN, DELETED)
    if operation.do == "cancel" and there:
        return [("cancel", {"task": TASK, "applied": True})]
    if operation.do == "expire" and there:
        return [("ttl_passes", {"task": TASK}), ("delete_expired", {"task": TASK})]
    return []


def _answers(operation: Operation, before: State, after: State) -> bool:
    """Whether what was told is what the model has after the operation."""
    if operation.do == "expire":
        return True
    status = str(after[f"status_{TASK}"])
    shown = GONE if status in (UNBORN, DELETED) else status
    told = GONE if operation.status is None else operation.status
    if operation.do == "write" and operation.decision != after["decision"]:
        return False
    stored = status != before[f"status_{TASK}"]
    if operation.do == "cancel" and (operation.decision in ("CANCELLED", "APPLY")) != stored:
        return False
    versions = operation.version is None or operation.version == after[f"version_{TASK}"]
    return told == shown and (versions or shown == GONE)


def explained(history: Sequence[Operation], record: Record) -> tuple[Operation, ...] | None:
    """An order of the operations that explains every answer, or None where there is none."""
    found = _search(tuple(sorted(history, key=lambda one: one.called_ns)), record)
    return None if found is None else tuple(found)


def _search(history: tuple[Operation, ...], record: Record) -> list[Operation] | None:
    visited: set[tuple[frozenset[int], State]] = set()
    stack: list[tuple[frozenset[int], State, list[Operation]]] = [(frozenset(), record.start, [])]
    while stack:
        done, state, order = stack.pop()
        left = [i for i in range(len(history)) if i not in done]
        if not any(history[i].known for i in left):
            return order
        if (done, state) in visited:
            continue
        visited.add((done, state))
        # The next one must have been called before any of the others had returned.
        returned = min(one.returned_ns for i in left if (one := history[i]).returned_ns is not None)
        for i in left:
            if history[i].called_ns <= returned:
                after = record.after(state, history[i])
                if after is not None:
                    stack.append((done | {i}, after, [*order, history[i]]))
    return None


def smallest(history: Iterable[Operation], explains: Callable[[Sequence[Operation]], bool]) -> tuple[Operation, ...]:
    """A part of a history that no order explains, from which nothing more can be left out.

    What changed nothing is left out; of all but two of those that did, the answer is forgotten, so that they may have
    happened or not.
    Either makes a history easier to explain and never harder, so what is left is still a violation of its own.
    """
    left = list(history)
    for one in sorted(left, key=lambda op: not op.changes_nothing):
        place = left.index(one)
        rest = left[:place] + left[place + 1 :]
        if not one.changes_nothing:
            if not one.known or sum(op.known and not op.changes_nothing for op in left) <= CHANGES_SHOWN:
                continue
            rest.insert(place, attrs.evolve(one, returned_ns=None, decision=None, status=None, version=None))
        if not explains(rest):
            left = rest
    # What may or may not have happened did not help to explain the rest, so it is not needed to see that.
    return tuple(one for one in left if one.known)
