"""The target `model`: the guarded model, asked as any other target is.

Nothing is guarded here: every event is tried on the model, and what refuses it is the model's own condition.
Its use is to test the frame: on every fixture it must conform.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import attrs

from latchcheck.kernel import NotAStep, State, Stepper

from ...model.lifecycle import MODULES, Lifecycle, available, lifecycle
from ...model.policy import Policy
from ...model.scope import LARGEST, Scope
from .errors import CannotDo
from .events import EVENTS, GONE, Answer, Call
from .expecting import View
from .facets import of_state
from .outside import SWEEPS
from .protocol import Clock, Session, Table

_SCOPE: Final = Scope(
    tasks=2, workers=2, clients=2, tenants=2, crashes=LARGEST, restarts=LARGEST, redeliveries=LARGEST,
    cancels=LARGEST, inputs=2, attempts=2, deadlines=1, silences=1, expiries=1,
)  # fmt: skip
# Calls, capabilities, keys and what clients keep are the business of a server before its store.
_LEFT_OUT: Final = {
    "calls", "keys", "capability", "handles", "client_crashes", "losses", "polls", "notifications", "unknown_statuses",
    "instances", "acks", "outbox", "effects", "stalls", "durability", "namespaces", "key_race", "lag",
}  # fmt: skip
_TABLE: Final = Table(
    events=frozenset(EVENTS) - {"list", "act", "replicate"},
    clock=Clock("injected"),
    workers=2,
    tenants=2,
    versions=True,
    statuses=frozenset({"completed", "failed", "cancelled"}),
    inputs=True,
    fails=True,
    windows=frozenset({"ttl", "deadline", "silence", "lease"}),
    shows=frozenset({"asks", "decision", "left", "verdict", "work"}),
    cannot_observe=("how often a worker's side effect happened", "what a client keeps of what it was told"),
)
_PASSES: Final = {
    "deadline": "deadline_passes",
    "silence": "silence_lasts",
    "ttl": "ttl_passes",
    "lease": "expire_lease",
}


class ModelTarget:
    """The guarded model as a target."""

    name = "model"

    @property
    def table(self) -> Table:
        """All but lists, keys and capabilities."""
        return _TABLE

    def missing(self) -> tuple[str, ...]:
        """Nothing."""
        return ()

    def open(self) -> Session:
        """A session in the initial state."""
        return ModelSession()


class ModelSession:
    """The model with two tasks, two workers and two principals."""

    def __init__(self) -> None:
        modules = (available(_SCOPE) & MODULES.keys()) - _LEFT_OUT
        self._built: Lifecycle = lifecycle(_SCOPE, Policy(ttl_span="any"), modules)
        self._stepper = Stepper(self._built.system)
        self._view = View(self._built)
        self._actions = {action.name: action for action in self._built.system.actions}
        self._now_ms = 0
        # How long each window of a task is, and when it ends: counted from its creation, or from its terminal write.
        self._lengths: dict[tuple[str, str], int] = {}
        self._ends: dict[tuple[str, str], int] = {}

    def perform(self, call: Call) -> Answer:
        """Do a call."""
        open_before = self._open()
        answer = getattr(self, f"_{call.kind}")(call)
        for task in open_before - self._open():
            if (task, "ttl") in self._lengths:
                self._ends[task, "ttl"] = self._now_ms + self._lengths[task, "ttl"]
        return answer

    def _open(self) -> set[str]:
        """The tasks without an outcome."""
        told = self._view(self._stepper.state)
        return {task for task, status in told.items() if status in ("working", "input_required")}

    def close(self) -> None:
        """Nothing to close."""

    def _try(self, name: str, args: Mapping[str, Any]) -> str | None:
        """Do an action; the clause that refuses it, or None."""
        if name not in self._actions:
            raise CannotDo(f"the model has no {name!r} in this scope")
        wanted = {choice.name for choice in self._actions[name].choices}
        try:
            self._stepper.do(None, name, {key: value for key, value in args.items() if key in wanted})
        except NotAStep as refused:
            return refused.clause or refused.args[-1]
        return None

    def _told(self, call: Call, refused: str | None = None) -> Answer:
        task = str(call.task)
        if task not in self._view.tasks:
            return Answer(refused=refused is not None, why=refused, status=GONE, work=False, left=False)
        state = self._stepper.state
        version = state[f"version_{task}"]
        assert isinstance(version, int)
        status = self._view(state)[task]
        answer = Answer(refused=refused is not None, why=refused, status=status, version=version)
        return attrs.evolve(answer, **self._beside(state, task)) if call.kind == "get" else answer

    def _beside(self, state: State, task: str) -> dict[str, Any]:
        """What the model holds of a task beside its record, as any other target would tell it."""
        told, key = of_state(state, task), state.get(f"key_{task}")
        found: dict[str, Any] = {
            name: told[f"{task} {name}"] == "yes" for name in ("work", "left") if f"{task} {name}" in told
        }
        return found | {"verdict": told.get(f"{task} verdict"), "asks": (f"q{key}",) if key else ()}

    def _client(self, call: Call) -> str:
        return f"c{call.args.get('tenant', 1)}"

    def _create(self, call: Call) -> Answer:
        if call.task not in self._view.tasks:
            raise CannotDo(f"it has room for {len(self._view.tasks)} tasks")
        refused = self._try("create", {"task": call.task, "client": self._client(call)})
        for window in _PASSES:
            length = call.args.get(f"{window}_ms")
            if length is not None:
                self._lengths[str(call.task), window] = length
                self._ends[str(call.task), window] = self._now_ms + length
        return self._told(call, refused)

    def _dispatch(self, call: Call) -> Answer:
        # A message may be delivered again; whether a worker then gets it is decided by its lease.
        self._try("redeliver", {"task": call.task})
        return self._told(call, self._try("deliver", {"task": call.task, "worker": call.by}))

    def _worker_write(self, call: Call) -> Answer:
        status, by = call.args["status"], call.by
        if not by.startswith("w"):
            return self._told(call, self._try("fail_as", {"task": call.task, "client": self._client(call)}))
        if self._stepper.state.get(f"job_{by}") != call.task:
            return self._told(call, "the worker has no such task")
        if status == "input_required":
            return self._told(call, self._try("ask", {"worker": by}))
        if status == "failed":
            over = None if call.task in self._open() else "the task is over"
            kind = call.args.get("kind", "permanent")
            refused = self._try("fail_attempt", {"worker": by, "kind": kind}) or over
            if refused is None and kind == "permanent" and call.task in self._open():
                refused = "the record takes no write any more"  # its ttl is over
            return self._told(call, refused)
        refused = self._try("report", {"worker": by, "status": status})
        decision = str(self._stepper.state["decision"])
        blocked = refused or (decision if decision.startswith("BLOCK") else None)
        return self._told(call, blocked)

    def _cancel(self, call: Call) -> Answer:
        args = {"task": call.task, "client": self._client(call), "applied": True}
        return self._told(call, self._try("cancel", args))

    def _get(self, call: Call) -> Answer:
        if call.task not in self._view.tasks or "get" not in self._actions or call.by.startswith("w"):
            if call.by.startswith("w"):
                self._try("read_again", {"worker": call.by})
            return self._told(call)
        refused = self._try("get", {"task": call.task, "client": self._client(call)})
        # A record past its ttl may be told until it is removed, or not any more; here it is.
        there = refused is None or self._stepper.state.get(f"expired_{call.task}") is True
        return self._told(call) if there else Answer(refused=True, why=refused, status=GONE)

    def _update(self, call: Call) -> Answer:
        refused = self._try("update", {"task": call.task, "client": self._client(call)})
        return self._told(call, refused or self._try("hear", {"task": call.task}))

    def _advance_clock(self, call: Call) -> Answer:
        self._now_ms = int(call.args["to_ms"])
        for (task, window), end in list(self._ends.items()):
            if end <= self._now_ms:
                self._try(_PASSES[window], {"task": task})
                self._ends.pop((task, window))
        return Answer()

    def _restart_server(self, _call: Call) -> Answer:
        self._try("crash_server", {})
        for task in self._view.tasks:
            self._try("triage", {"task": task})
        self._try("open_server", {})
        return Answer()

    def _crash_worker(self, call: Call) -> Answer:
        self._try("crash_worker", {"worker": call.by})
        return Answer()

    def _reap(self, _call: Call) -> Answer:
        for task in self._view.tasks:
            self._try("dead_letter", {"task": task})
        for name in (one for one in self._actions if one in SWEEPS):
            self._try(name, {})
        return Answer()
