"""What each step of a run of the lifecycle model means outside of it: the one place where actions become events.

Nothing here judges: whether a step may happen is asked of the model, never written down again.
Some steps have no event. They happen inside another (the reply inside `create`), inside a client, or inside a worker.
A `check` is a read by the worker, `cancel_reads` a read by the instance: a store that writes by what it has read
before shows itself so, and one that compares at the write does not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from latchcheck.kernel import State

from ..fixture import Event
from .allowing import allowed, check_fused
from .errors import CannotDo
from .events import Call
from .outside import ADMISSIONS, INTERNAL, RESTART, SWEEPS, UNSEEN, WINDOW_ENDS
from .protocol import Table
from .story import Story


def call_of(story: Story, index: int, event: Event, before: State, policy: Mapping[str, Any]) -> Call | None:
    """The call of a step, or None where the step means nothing outside; the story then knows what the step said.

    Raises CannotDo for a step that the target has no way to do.
    """
    if event.action in UNSEEN:
        raise CannotDo(UNSEEN[event.action])
    story.note(event, policy)
    if event.action in INTERNAL or _is_unseen(event.action, story.table):
        return None
    if event.action == "deliver" and story.table.fuses:
        check_fused(str(event.args["task"]), before)
    made = _CALLS.get(event.action)
    if made is None:
        raise CannotDo(f"no event stands for {event.action!r}")
    call = made(story, index, event, before)
    return call if call is None else allowed(call, story.table)


def _is_unseen(action: str, table: Table) -> bool:
    """Whether a step of a worker is nothing that this target tells."""
    return (action == "act" and "act" not in table.events) or (action == "wake" and "holds" not in table.shows)


Make = Callable[[Story, int, Event, State], Call | None]


def _create(story: Story, _index: int, event: Event, before: State) -> Call | None:
    return story.create(event, before)


def _dispatch(_story: Story, _index: int, event: Event, _before: State) -> Call:
    return Call("dispatch", str(event.args["task"]), str(event.args["worker"]))


def _report(story: Story, _index: int, event: Event, before: State) -> Call:
    return story.write(event, before, status=event.args["status"])


def _ask(story: Story, _index: int, event: Event, before: State) -> Call:
    task = str(before[f"job_{event.args['worker']}"])
    key = event.args.get("key", int(before[f"asked_{task}"]) + 1)
    return story.write(event, before, status="input_required", key=f"q{key}")


def _fail(story: Story, _index: int, event: Event, before: State) -> Call:
    return story.write(event, before, status="failed", kind=event.args["kind"])


def _worker_reads(_story: Story, _index: int, event: Event, before: State) -> Call:
    worker = str(event.args["worker"])
    return Call("get", str(before[f"job_{worker}"]), worker)


def _wakes(_story: Story, _index: int, event: Event, before: State) -> Call:
    worker = str(event.args["worker"])
    return Call("get", str(before[f"job_{worker}"]), worker, {"lease": True})


def _acts(_story: Story, _index: int, event: Event, before: State) -> Call:
    worker = str(event.args["worker"])
    return Call("act", str(before[f"job_{worker}"]), worker)


def _instance_reads(_story: Story, _index: int, event: Event, _before: State) -> Call:
    return Call("get", str(event.args["task"]), str(event.args["instance"]))


def _instance_cancels(_story: Story, _index: int, event: Event, before: State) -> Call:
    instance = str(event.args["instance"])
    return Call("cancel", str(before[f"held_cancel_{instance}"]), instance)


def _cancel(story: Story, _index: int, event: Event, _before: State) -> Call:
    by = str(event.args.get("client", "c1"))
    return Call("cancel", str(event.args["task"]), by, story.client(event))


_BEHIND: Final = "it cannot be made to answer from an instance that lags behind"


def _get(story: Story, _index: int, event: Event, before: State) -> Call:
    if event.args.get("newer"):
        raise CannotDo("it cannot be made to answer with a status that nobody knows")
    task, args = str(event.args["task"]), story.client(event)
    if event.args.get("replica"):
        if not story.table.lags:
            raise CannotDo(_BEHIND)
        # A copy that lacks more than the scope allows is not read from.
        args |= {"replica": True} if int(before[f"behind_{task}"]) <= story.lag else {}
    return Call("get", task, str(event.args.get("client", "c1")), args)


def _replicate(story: Story, _index: int, event: Event, _before: State) -> Call | None:
    return Call("replicate", str(event.args["task"])) if story.table.lags else None


def _list(story: Story, _index: int, event: Event, _before: State) -> Call:
    if event.args.get("replica"):
        raise CannotDo(_BEHIND)
    return Call("list", None, str(event.args["client"]), story.client(event))


def _answer(_story: Story, _index: int, event: Event, before: State) -> Call:
    # An answer is asked for when it arrives: until then it is under way, and its key is what its author has read.
    task = str(event.args["task"])
    question = before[f"letter_{task}"]
    key = before.get(f"letter_key_{task}", question)
    return Call("update", task, "c1", {"key": f"q{key}", "question": question})


def _fail_as(story: Story, _index: int, event: Event, _before: State) -> Call:
    task = str(event.args["task"])
    return Call("worker_write", task, str(event.args["client"]), {**story.client(event), "status": "failed"})


def _passes(story: Story, index: int, event: Event, _before: State) -> Call:
    window = WINDOW_ENDS[event.action]
    known = {*story.table.windows, *(name for name, _ in story.table.fixed)}
    if window not in known:
        raise CannotDo(f"its {window} window cannot be set, and is not known")
    if window == "marker" and story.table.marker_is_life:
        raise CannotDo("its cancel marker and its record have one life, so that the marker does not end before it")
    return Call("advance_clock", str(event.args["task"]), "time", {"to_ms": story.timeline.instant_ms(index)})


def _sweep(story: Story, index: int, event: Event, _before: State) -> Call | None:
    """One sweep of a target is all three passes; it is asked for with the last pass that the fixture tells."""
    del event
    return Call("reap", None, "reaper") if story.timeline.is_over(index) else None


def _restart(story: Story, index: int, event: Event, _before: State) -> Call | None:
    """A restart is the death of the process, its start, and what it does with open tasks, as one event."""
    del event
    return Call("restart_server") if story.timeline.is_over(index) else None


def _plain(kind: Any, by: str) -> Make:
    def made(_story: Story, _index: int, event: Event, _before: State) -> Call:
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
    "replicate": _replicate,
}


def known_actions() -> frozenset[str]:
    """Every action of the model that this file knows; a test compares them with the model's."""
    return frozenset(_CALLS) | INTERNAL | UNSEEN.keys()
