"""What each step of a run of the lifecycle model means outside of it: the one place where actions become events.

Nothing here judges: whether a step may happen is asked of the model, never written down again.
Some steps have no event. They happen inside another (the reply inside `create`), inside a client, or inside a worker.
A `check` is a read by the worker, `cancel_reads` a read by the instance: a store that writes by what it has read
before shows itself so, and one that compares at the write does not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import attrs

from latchcheck.kernel import State

from ...model.record import TERMINAL, UNBORN
from ..fixture import Event
from .errors import CannotDo, CannotYet
from .events import Call
from .protocol import Table
from .timeline import Timeline

# The guarded action that stands for one which only a broken model has; the others of those are no step there at all.
GUARDED_NAMES: Final = {"write_terminal": "report", "cancel_writes": "cancel"}

# Inside a client, a worker or the server: nothing that can be asked for from outside.
# How a server may answer a call; which of them is right is the server's to find out.
ADMISSIONS: Final = ("admit", "replay", "refuse", "refuse_collision", "refuse_expired", "answer_directly")
CALLS: Final = ("call", "reissue")
INTERNAL: Final = frozenset(
    {
        "announce",
        "call",
        "clean_up",
        "crash_client",
        "declare",
        "discard",
        "judge",
        "look_up_key",
        "lose_reply",
        "persist",
        "publish",
        "receive",
        "record",
        "recover",
        "redeliver",
        "replicate",
        "reissue",
        "reply",
        "see_status",
        "stall",
        "respond",
        "update",
    }
)
_NOTE: Final = "notifications are not asked for, they come or not; targets are polled"
_HELD: Final = "a tasks/result that is held is a call under way, and calls are done one at a time"
UNSEEN: Final = {
    **dict.fromkeys(("notify", "see_notification", "lose_notification"), _NOTE),
    **dict.fromkeys(("ask_result", "return_result"), _HELD),
    "list_status": "which row of a list its reader looks at cannot be asked for; targets are polled by id",
    "insert_after_look_up": "a create that looks first and inserts later cannot be asked for in two steps",
}
SWEEPS: Final = ("sweep_timeouts", "sweep_orphans", "sweep_expiry")
RESTART: Final = ("crash_server", "triage", "open_server")
WINDOW_ENDS: Final = {
    "deadline_passes": "deadline",
    "silence_lasts": "silence",
    "ttl_passes": "ttl",
    "expire_lease": "lease",
    "expire_marker": "marker",
}


@attrs.define
class Reader:
    """Turns the steps of one fixture into calls, for a target with this table; keeps what earlier steps said.

    `keyed`: more than one call of the fixture carries a key; a key that is used once says nothing.
    `before` of each method is the state of the fixture's own model before the step: who holds which job, who was told
    which task.
    Raises CannotDo for a step that the target has no way to do.
    """

    table: Table
    timeline: Timeline
    tenants: int = 1
    attempts: int = 0
    era: str | None = None
    keyed: bool = True
    _capabilities: dict[str, str] = attrs.field(factory=dict)
    _digests: dict[str, str] = attrs.field(factory=dict)
    _tools: dict[str, str] = attrs.field(factory=dict)
    _begun: set[str] = attrs.field(factory=set)
    # How often each client has called with a key of its own making.
    _keys: dict[str, int] = attrs.field(factory=dict)
    _read: dict[tuple[str, str], int] = attrs.field(factory=dict)

    def call(self, index: int, event: Event, before: State, policy: Mapping[str, Any]) -> Call | None:
        """The call of a step, or None where the step means nothing outside."""
        if event.action in UNSEEN:
            raise CannotDo(UNSEEN[event.action])
        self._remember(event, policy)
        if event.action in INTERNAL or self._is_unseen(event.action):
            return None
        if event.action == "deliver" and self.table.fuses:
            _check_fused(str(event.args["task"]), before)
        made = _CALLS.get(event.action)
        if made is None:
            raise CannotDo(f"no event stands for {event.action!r}")
        call = made(self, index, event, before)
        return call if call is None else self._allowed(call)

    def _is_unseen(self, action: str) -> bool:
        """Whether a step of a worker is nothing that this target tells."""
        return (action == "act" and "act" not in self.table.events) or (
            action == "wake" and "holds" not in self.table.shows
        )

    def saw(self, by: str, task: str, version: int | None) -> None:
        """Note the version that somebody was told; a later write by the same one carries it."""
        if version is not None:
            self._read[by, task] = version

    def _remember(self, event: Event, policy: Mapping[str, Any]) -> None:
        client = event.args.get("client")
        if event.action == "declare":
            self._capabilities[str(client)] = str(event.args["capabilities"])
        if event.action in CALLS:
            self._digests[str(client)] = str(event.args.get("digest", "d1"))
            self._tools[str(client)] = str(event.args.get("tool", "optional"))
            self._begun.discard(str(client))
            fresh = event.action == "call" or policy.get("client_reissue") == "new-key"
            self._keys[str(client)] = self._keys.get(str(client), 0) + fresh

    def _allowed(self, call: Call) -> Call:
        """The call, or CannotDo with what the target lacks for it."""
        table = self.table
        if call.kind == "dispatch" and table.fuses and call.by == "w1":
            # It has begun with the create; what the worker then does is the target's own business.
            return call
        if call.kind not in table.events:
            raise CannotDo(f"it cannot do {call.kind!r}")
        if call.by.startswith("w") and int(call.by[1:]) > table.workers:
            raise CannotDo(f"it has no worker {call.by}: {table.workers} at most")
        if call.args.get("tenant", 1) > table.tenants:
            raise CannotDo(f"it tells no more than {table.tenants} principals apart")
        if "capabilities" in call.args and not table.negotiates:
            raise CannotDo("it negotiates no capabilities with each request")
        if call.kind == "create" and call.args.get("digest") and not table.keys:
            raise CannotDo("a create carries no idempotency key there")
        status = call.args.get("status")
        if call.kind == "worker_write" and status == "input_required" and not table.inputs:
            raise CannotDo("its workers ask no questions")
        if call.kind == "worker_write" and status not in {*table.statuses, "input_required"}:
            raise CannotDo(f"its workers cannot write {status!r}")
        if "kind" in call.args and not table.fails:
            raise CannotDo("a failed attempt cannot say what kind of failure it was")
        return call

    # One small function an action.

    def client(self, event: Event) -> dict[str, Any]:
        """Who asks, as far as the fixture says."""
        name = event.args.get("client")
        if name is None:
            return {}
        args: dict[str, Any] = {}
        if self.tenants > 1:
            args["tenant"] = (int(str(name)[1:]) - 1) % self.tenants + 1
        if str(name) in self._capabilities:
            args["capabilities"] = self._capabilities[str(name)]
            args["era"] = self.era or "2026-07-28"
        return args

    def create(self, event: Event, before: State) -> Call | None:
        """A request that asks for a task, whatever becomes of it."""
        client = str(event.args.get("client", "c1"))
        if client in self._begun:
            return None
        self._begun.add(client)
        task = str(event.args.get("task") or next_unborn(before))
        args = {**self.client(event), **self.timeline.windows(task, self.table)}
        if self.attempts and self.table.fails:
            args["attempts_max"] = self.attempts
        if client in self._digests:
            args |= {"tool": self._tools[client]} if self.table.negotiates else {}
            if any(name.startswith("entry_") for name in before) and (self.keyed or self.table.keys):
                args |= {"key": self._key(client), "digest": self._digests[client]}
        return Call("create", task, client, args)

    def _key(self, client: str) -> str:
        """The idempotency key of a call: clients of one tenant have their own, those of two tenants may coincide."""
        return f"key-{(int(client[1:]) - 1) // self.tenants + 1}-{self._keys[client]}"

    def write(self, event: Event, before: State, **args: Any) -> Call:
        """A write by the worker of the task that it has."""
        worker = str(event.args["worker"])
        task = str(before[f"job_{worker}"])
        version = self._read.get((worker, task)) if self.table.versions else None
        return Call("worker_write", task, worker, args if version is None else {**args, "expected_version": version})


def _check_fused(task: str, before: State) -> None:
    """A task is with its worker by its creation: neither before, nor after something else has happened to it."""
    if before[f"status_{task}"] == UNBORN:
        raise CannotYet("a task is with its worker by its creation there, and never before")
    if before[f"status_{task}"] in TERMINAL or before.get(f"intent_{task}") is True:
        raise CannotYet("a task is with its worker by its creation there, before anybody can cancel it")


def next_unborn(before: State) -> str:
    """The label of the first task that is not created yet; one more where all are."""
    labels = [name.removeprefix("status_") for name in before if name.startswith("status_")]
    return next((one for one in labels if before[f"status_{one}"] == "none"), f"t{len(labels) + 1}")


Make = Callable[[Reader, int, Event, State], Call | None]


def _create(reader: Reader, _index: int, event: Event, before: State) -> Call | None:
    return reader.create(event, before)


def _dispatch(_reader: Reader, _index: int, event: Event, _before: State) -> Call:
    return Call("dispatch", str(event.args["task"]), str(event.args["worker"]))


def _report(reader: Reader, _index: int, event: Event, before: State) -> Call:
    return reader.write(event, before, status=event.args["status"])


def _ask(reader: Reader, _index: int, event: Event, before: State) -> Call:
    task = str(before[f"job_{event.args['worker']}"])
    key = event.args.get("key", int(before[f"asked_{task}"]) + 1)
    return reader.write(event, before, status="input_required", key=f"q{key}")


def _fail(reader: Reader, _index: int, event: Event, before: State) -> Call:
    return reader.write(event, before, status="failed", kind=event.args["kind"])


def _worker_reads(_reader: Reader, _index: int, event: Event, before: State) -> Call:
    worker = str(event.args["worker"])
    return Call("get", str(before[f"job_{worker}"]), worker)


def _wakes(_reader: Reader, _index: int, event: Event, before: State) -> Call:
    worker = str(event.args["worker"])
    return Call("get", str(before[f"job_{worker}"]), worker, {"lease": True})


def _acts(_reader: Reader, _index: int, event: Event, before: State) -> Call:
    worker = str(event.args["worker"])
    return Call("act", str(before[f"job_{worker}"]), worker)


def _instance_reads(_reader: Reader, _index: int, event: Event, _before: State) -> Call:
    return Call("get", str(event.args["task"]), str(event.args["instance"]))


def _instance_cancels(_reader: Reader, _index: int, event: Event, before: State) -> Call:
    instance = str(event.args["instance"])
    return Call("cancel", str(before[f"held_cancel_{instance}"]), instance)


def _cancel(reader: Reader, _index: int, event: Event, _before: State) -> Call:
    by = str(event.args.get("client", "c1"))
    return Call("cancel", str(event.args["task"]), by, reader.client(event))


_BEHIND: Final = "it cannot be made to answer from an instance that lags behind"


def _get(reader: Reader, _index: int, event: Event, _before: State) -> Call:
    if event.args.get("newer"):
        raise CannotDo("it cannot be made to answer with a status that nobody knows")
    if event.args.get("replica"):
        raise CannotDo(_BEHIND)
    return Call("get", str(event.args["task"]), str(event.args.get("client", "c1")), reader.client(event))


def _list(reader: Reader, _index: int, event: Event, _before: State) -> Call:
    if event.args.get("replica"):
        raise CannotDo(_BEHIND)
    return Call("list", None, str(event.args["client"]), reader.client(event))


def _answer(_reader: Reader, _index: int, event: Event, before: State) -> Call:
    # An answer is asked for when it arrives: until then it is under way, and its key is what its author has read.
    task = str(event.args["task"])
    question = before[f"letter_{task}"]
    key = before.get(f"letter_key_{task}", question)
    return Call("update", task, "c1", {"key": f"q{key}", "question": question})


def _fail_as(reader: Reader, _index: int, event: Event, _before: State) -> Call:
    task = str(event.args["task"])
    return Call("worker_write", task, str(event.args["client"]), {**reader.client(event), "status": "failed"})


def _passes(reader: Reader, index: int, event: Event, _before: State) -> Call:
    window = WINDOW_ENDS[event.action]
    known = {*reader.table.windows, *(name for name, _ in reader.table.fixed)}
    if window not in known:
        raise CannotDo(f"its {window} window cannot be set, and is not known")
    if window == "marker" and reader.table.marker_is_life:
        raise CannotDo("its cancel marker and its record have one life, so that the marker does not end before it")
    return Call("advance_clock", str(event.args["task"]), "time", {"to_ms": reader.timeline.instant_ms(index)})


def _sweep(reader: Reader, index: int, event: Event, _before: State) -> Call | None:
    """One sweep of a target is all three passes; it is asked for with the last pass that the fixture tells."""
    del event
    return Call("reap", None, "reaper") if reader.timeline.is_over(index) else None


def _restart(reader: Reader, index: int, event: Event, _before: State) -> Call | None:
    """A restart is the death of the process, its start, and what it does with open tasks, as one event."""
    del event
    return Call("restart_server") if reader.timeline.is_over(index) else None


def _plain(kind: Any, by: str) -> Make:
    def made(_reader: Reader, _index: int, event: Event, _before: State) -> Call:
        task = event.args.get("task")
        return Call(kind, None if task is None else str(task), str(event.args.get("worker", by)))

    return made


_CALLS: Final[Mapping[str, Make]] = {
    **dict.fromkeys(("create", *ADMISSIONS), _create),
    "deliver": _dispatch,
    **dict.fromkeys(("report", "write_terminal"), _report),
    "ask": _ask,
    "fail_attempt": _fail,
    **dict.fromkeys(("check", "read_again"), _worker_reads),
    "wake": _wakes,
    "act": _acts,
    "cancel_reads": _instance_reads,
    "cancel_writes": _instance_cancels,
    "cancel": _cancel,
    **dict.fromkeys(("get", "result", "get_status"), _get),
    "list": _list,
    "hear": _answer,
    "fail_as": _fail_as,
    **dict.fromkeys(WINDOW_ENDS, _passes),
    **dict.fromkeys(SWEEPS, _sweep),
    **dict.fromkeys(("delete_expired", "dead_letter"), _plain("reap", "reaper")),
    **dict.fromkeys(RESTART, _restart),
    "crash_worker": _plain("crash_worker", "w1"),
}


def known_actions() -> frozenset[str]:
    """Every action of the model that this file knows; a test compares them with the model's."""
    return frozenset(_CALLS) | INTERNAL | UNSEEN.keys()


def timeline(steps: Sequence[Event]) -> Timeline:
    """The instants at which the time events of a fixture happen."""
    return Timeline.of(steps, WINDOW_ENDS, SWEEPS, RESTART)
