"""What happens when a server is visited: a fixed script of few requests, and a record of everything that was answered.

The tool is called at most twice: once as a task, once by a client that knows no tasks. Polls keep to the server's own
hint. Nothing here judges; judging.py reads the record.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

import attrs

from ..errors import TargetError, TargetTimeout
from .talk import Offer, Talk, task_of
from .wire import Reply

TERMINAL: Final = ("completed", "failed", "cancelled")
HINT_MIN_S, HINT_DEFAULT_S = 0.25, 1.0
NOBODY: Final = "latchcheck-no-such-task-0f7c1d0e9b"
"""A task id that no server has given."""
NO_KEY: Final = "latchcheck-no-such-key"
READS_AFTER_END: Final = 3
DECLINED: Final[Mapping[str, Mapping[str, Any]]] = {
    "elicitation/create": {"action": "decline"},
    "roots/list": {"roots": []},
}
"""How a question is answered that asks a person, or for folders: nobody says anything, and there are none."""


@attrs.frozen
class Read:
    """One answer to `tasks/get`: when it was asked, in seconds after the call was sent, and what came."""

    at_s: float
    reply: Reply

    @property
    def task(self) -> Mapping[str, Any]:
        """The task that was told; empty where an error was."""
        return self.reply.result or {}

    @property
    def status(self) -> str:
        """The status that was told, "gone" where the id is not known."""
        return str(self.task.get("status")) if self.reply.error is None else "gone"


@attrs.define
class Record:
    """Everything that a visit saw. What was not tried is None or empty, and `left_out` says why.

    `interrupted`: the user ended the visit.
    """

    offer: Offer
    call: Reply | None = None
    task: Mapping[str, Any] | None = None
    reads: list[Read] = attrs.field(factory=list)
    undeclared: dict[str, Reply] = attrs.field(factory=dict)
    unknown: dict[str, Reply] = attrs.field(factory=dict)
    other: dict[str, Reply] = attrs.field(factory=dict)
    unknown_key: Reply | None = None
    answers: dict[str, Reply] = attrs.field(factory=dict)
    answers_again: dict[str, Reply] = attrs.field(factory=dict)
    cancel: Reply | None = None
    cancel_before: Read | None = None
    cancel_again: Reply | None = None
    final_result: Reply | None = None
    left_out: dict[str, str] = attrs.field(factory=dict)
    interrupted: bool = False

    @property
    def last(self) -> Read | None:
        """The newest read."""
        return self.reads[-1] if self.reads else None

    @property
    def finished(self) -> bool:
        """Whether a terminal status was read."""
        return any(one.status in TERMINAL for one in self.reads)

    @property
    def ttl_ms(self) -> int | None:
        """The ttl that the task was created with, None where it is unlimited or not told as a number."""
        found = _either(self.task or {}, "ttlMs", "ttl")
        return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else None

    @property
    def ttl_end_s(self) -> float | None:
        """When the ttl ends, in seconds after the call was sent, at the earliest."""
        return None if self.ttl_ms is None else self.ttl_ms / 1000


@attrs.frozen
class Plan:
    """What to visit with: the tool and its arguments, the seconds to spend, and a second caller where there is one."""

    tool: str
    arguments: Mapping[str, Any]
    wait_s: float = 60.0
    ttl_ms: int | None = None
    other: Talk | None = None
    progress: Callable[[str], None] = lambda _: None


class Visit:
    """One visit. `run` raises TargetError only where there is no task to look at and no answer to the call."""

    def __init__(self, talk: Talk, plan: Plan) -> None:
        self.talk, self.plan = talk, plan
        self.record = Record(talk.offer)
        self._zero = time.monotonic()

    def run(self) -> Record:
        """Visit the server and return what was seen."""
        record, plan = self.record, self.plan
        if not record.offer.tasks:
            return record
        plan.progress(f"calling {plan.tool}")
        # From before the call, so that no instant is told earlier than it was after the creation.
        self._zero = time.monotonic()
        record.call = self.talk.call(plan.tool, plan.arguments, ttl_ms=plan.ttl_ms)
        record.task = task_of(record.call, record.offer.era)
        if record.task is not None:
            ident = record.task["taskId"]
            self._read(ident)
            self._strangers(ident)
            self._follow(ident)
            self._after_end(ident)
            self._edge(ident)
        self._without_capability()
        return record

    def _try(self, what: str, ask: Callable[[], Reply], keep: Callable[[Reply], None]) -> None:
        """Ask for something that may fail; a failure is noted and ends nothing else."""
        try:
            keep(ask())
        except TargetError as error:
            self.record.left_out[what] = str(error)

    def _read(self, ident: str) -> None:
        at = time.monotonic() - self._zero
        self.record.reads.append(Read(at, self.talk.get(ident)))

    def _strangers(self, ident: str) -> None:
        """Unknown ids, callers who declare nothing, another caller."""
        record, talk, other = self.record, self.talk, self.plan.other
        for name, ask in _methods(talk, NOBODY).items():
            self._try(f"unknown {name}", ask, lambda reply, name=name: record.unknown.update({name: reply}))
        if talk.modern:
            # Not of our own task: a server that does not look would cancel it.
            for name, ask in _methods(talk, NOBODY, declares=False).items():
                self._try(f"undeclared {name}", ask, lambda reply, name=name: record.undeclared.update({name: reply}))
            self._try(
                "undeclared get", lambda: talk.get(ident, declares=False), lambda it: record.undeclared.update(get=it)
            )
            if not self._stopped(ident):
                answers = {NO_KEY: {"action": "decline"}}
                self._try("unknown key", lambda: talk.update(ident, answers), self._keep_unknown_key)
        if other is not None:
            self._try("other get", lambda: other.get(ident), lambda reply: record.other.update(get=reply))
            if not other.modern and "list" in other.offer.parts:
                self._try("other list", other.list, lambda reply: record.other.update(list=reply))

    def _keep_unknown_key(self, reply: Reply) -> None:
        self.record.unknown_key = reply

    def _stopped(self, ident: str) -> bool:
        del ident
        return self.record.last is not None and self.record.last.status in (*TERMINAL, "gone")

    def _follow(self, ident: str) -> None:
        """Poll until the task ends; where it does not in half of the time, or asks what has no answer, cancel it."""
        plan, record = self.plan, self.record
        while not self._stopped(ident) and self._spent() < plan.wait_s:
            self._repeat(ident)
            asked = record.last is not None and record.last.status == "input_required" and not self._declines(ident)
            if record.cancel is None and (asked or self._spent() >= plan.wait_s / 2):
                plan.progress("cancelling the task")
                record.cancel_before = record.last
                self._try("cancel", lambda: self.talk.cancel(ident), self._keep_cancel)
                self._read(ident)
                continue
            self._sleep(min(self._hint_s(), max(0.0, plan.wait_s / (1 if record.cancel else 2) - self._spent())))
            self._read(ident)

    def _declines(self, ident: str) -> bool:
        """Decline each new question; False where one cannot be declined."""
        record = self.record
        questions = self._questions()
        for key, question in questions.items():
            answer = DECLINED.get(str(question.get("method"))) if isinstance(question, dict) else None
            if answer is None:
                return False
            if key not in record.answers and record.cancel is None:
                self.plan.progress(f"declining {question['method']}")
                self._update(ident, key, answer, record.answers)
        return bool(questions)

    def _repeat(self, ident: str) -> None:
        """Send an answer once more, as soon as its question is gone."""
        record = self.record
        for key in [key for key in record.answers if key not in {**record.answers_again, **self._questions()}]:
            self._update(ident, key, DECLINED["elicitation/create"], record.answers_again)

    def _update(self, ident: str, key: str, answer: Mapping[str, Any], kept: dict[str, Reply]) -> None:
        self._try(
            f"answer to {key}", lambda: self.talk.update(ident, {key: answer}), lambda reply: kept.update({key: reply})
        )

    def _questions(self) -> Mapping[str, Any]:
        """What the newest reading asks, by its key."""
        last = self.record.last
        found = last.task.get("inputRequests") if last is not None and self.talk.modern else None
        return found if isinstance(found, dict) and last is not None and last.status == "input_required" else {}

    def _keep_cancel(self, reply: Reply) -> None:
        self.record.cancel = reply

    def _after_end(self, ident: str) -> None:
        """A finished task is read again, cancelled, and read again."""
        record = self.record
        if record.last is None or record.last.status not in TERMINAL:
            return
        self._sleep(HINT_MIN_S)
        self._read(ident)

        def keep(reply: Reply) -> None:
            record.cancel_again = reply

        self._try("cancel of finished", lambda: self.talk.cancel(ident), keep)
        self._other_after_end(ident)
        for _ in range(READS_AFTER_END - 1):
            self._read(ident)
            self._sleep(HINT_MIN_S)
        if not self.talk.modern:

            def result(reply: Reply) -> None:
                record.final_result = reply

            self._try("result", lambda: self.talk.result(ident), result)

    def _other_after_end(self, ident: str) -> None:
        """Another caller asks for what would change or tell the task; now that it is finished, nothing is harmed."""
        record, other = self.record, self.plan.other
        if other is None:
            return
        asks = {
            "cancel": lambda: other.cancel(ident),
            "update": lambda: other.update(ident, {NO_KEY: {"action": "decline"}}),
        }
        # In 2025-11-25 a finished task is cancelled by nobody, and its result is asked for by a method of its own.
        for name, ask in (asks if other.modern else {"result": lambda: other.result(ident)}).items():
            self._try(f"other {name}", ask, lambda reply, name=name: record.other.update({name: reply}))

    def _edge(self, ident: str) -> None:
        """Read shortly before the ttl ends, and after it until the task is gone, if that comes in time."""
        record, plan = self.record, self.plan
        end = record.ttl_end_s
        if end is None or end > plan.wait_s or self._gone():
            return
        plan.progress(f"waiting for the ttl to end at {end:g} s")
        margin = min(1.0, end / 4)
        if self._spent() < end - margin:
            self._sleep(end - margin - self._spent())
            self._read(ident)
        while self._spent() < plan.wait_s and not self._gone():
            self._sleep(max(self._hint_s() if self._spent() > end else 0.0, end + margin - self._spent(), HINT_MIN_S))
            self._read(ident)
        if self._gone():
            self._sleep(HINT_MIN_S)
            self._read(ident)

    def _gone(self) -> bool:
        return self.record.last is not None and self.record.last.status == "gone"

    def _without_capability(self) -> None:
        """The second and last call of the tool, by a client that knows no tasks; it may take as long as the tool."""
        if not self.talk.modern:
            return
        self.plan.progress(f"calling {self.plan.tool} without the capability")

        def ask() -> Reply:
            return self.talk.call(self.plan.tool, self.plan.arguments, declares=False)

        try:
            self.record.undeclared["call"] = ask()
        except TargetTimeout:
            self.record.left_out["undeclared call"] = "the tool runs longer than one request may take here"
        except TargetError as error:
            self.record.left_out["undeclared call"] = str(error)

    def _spent(self) -> float:
        return time.monotonic() - self._zero

    def _hint_s(self) -> float:
        task = self.record.last.task if self.record.last is not None else {}
        hint = _either(task, "pollIntervalMs", "pollInterval")
        told = isinstance(hint, (int, float)) and not isinstance(hint, bool) and 0 <= hint < 1e9  # noqa: PLR2004
        return max(HINT_MIN_S, hint / 1000) if told else HINT_DEFAULT_S

    def _sleep(self, seconds: float) -> None:
        time.sleep(max(0.0, seconds))


def _either(task: Mapping[str, Any], *names: str) -> Any:
    return next((task[name] for name in names if name in task), None)


def _methods(talk: Talk, ident: str, *, declares: bool = True) -> dict[str, Callable[[], Reply]]:
    """The methods of this era that name a task, none of which does harm to a task of no one."""
    found: dict[str, Callable[[], Reply]] = {
        "get": lambda: talk.get(ident, declares=declares),
        "cancel": lambda: talk.cancel(ident, declares=declares),
    }
    if talk.modern:
        found["update"] = lambda: talk.update(ident, {NO_KEY: {"action": "decline"}}, declares=declares)
    return found


def instant(text: object) -> datetime | None:
    """The instant of an ISO 8601 timestamp; None for anything else."""
    if not isinstance(text, str):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
