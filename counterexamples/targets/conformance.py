"""Whether a target keeps the rules of the protocol, whatever it implements: a row for each rule that was tried.

It judges how a target speaks, not whether its store is right; for that fixtures are replayed on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from .client import ClientTarget
from .errors import CannotDo, TargetError, TargetGarbage
from .events import EVENTS, GONE, Answer, Call
from .protocol import Opened, Session, Table, Target

UNKNOWN: Final = "t9"


class Broken(Exception):
    """A rule is broken; the text says by what."""


def check(target: Target) -> list[dict[str, Any]]:
    """Drive a target through every rule; outcome is passed, broken, failed (not drivable) or not-applicable."""
    return list(each_checked(target))


def rules() -> list[str]:
    """The rules in words, in the order in which they are tried."""
    return [rule for rule, _ in _RULES]


def each_checked(target: Target) -> Iterator[dict[str, Any]]:
    """The rows of `check` as they come; where the first rule is broken, nothing else can be tried."""
    for rule, tried in _RULES:
        try:
            what = tried(target)
            outcome = "passed"
        except CannotDo as why:
            outcome, what = "not-applicable", str(why)
        except (Broken, TargetGarbage) as why:
            outcome, what = "broken", str(why)
        except TargetError as error:
            outcome, what = "failed", f"{error.outcome}: {error}"
        yield {"rule": rule, "outcome": outcome, "what": what or ""}
        if outcome != "passed" and rule == _RULES[0][0]:
            return


def _says(target: Target) -> str:
    table = target.table
    if isinstance(target, ClientTarget):
        target.module()
        raise CannotDo("a client answers nobody; it is tried by a replay")
    if "create" not in table.events or "get" not in table.events:
        raise Broken("without create and get nothing can be observed")
    return f"events {', '.join(event for event in EVENTS if event in table.events)}; clock {table.clock.kind}"


def _create(session: Session, task: str = "t1") -> Answer:
    answer = session.perform(Call("create", task, "c1"))
    if answer.refused:
        raise Broken(f"a plain create was refused: {answer}")
    return answer


def _get(session: Session, task: str = "t1", by: str = "c1") -> Answer:
    return session.perform(Call("get", task, by))


def _created(target: Target) -> None:
    with Opened(target) as session:
        _create(session)
        seen = _get(session).status
        if seen in (None, GONE):
            raise Broken(f"a task that was created reads {seen}")


def _unknown(target: Target) -> None:
    with Opened(target) as session:
        answer = _get(session, UNKNOWN)
        if not answer.refused and answer.status != GONE:
            raise Broken(f"a task that nobody created was answered {answer}; say status {GONE!r}, or refuse")


def _apart(target: Target) -> None:
    with Opened(target) as session:
        _create(session)
    with Opened(target) as session:
        answer = _get(session)
        if not answer.refused and answer.status != GONE:
            raise Broken(f"a new session knows the task of the one before: {answer}")


def _reads_change_nothing(target: Target) -> None:
    with Opened(target) as session:
        _create(session)
        first, second = _get(session, by="o1"), _get(session, by="o1")
        if (first.status, first.version) != (second.status, second.version):
            raise Broken(f"two reads with nothing between them: {first}, then {second}")


def _two_tasks(target: Target) -> None:
    with Opened(target) as session:
        _create(session)
        answer = _create(session, "t2")
        if answer.same_as is not None:
            raise Broken(f"a second create without a key was answered with {answer.same_as}")
        _need(target.table, "cancel")
        session.perform(Call("cancel", "t1", "c1"))
        if _get(session, "t2").status not in ("working", "input_required"):
            raise Broken("cancelling t1 changed t2: labels are mixed up")


def _dispatch(session: Session, table: Table) -> dict[str, Any]:
    """Hand t1 to the worker w1, where the target can; what a write of that worker then carries."""
    if "dispatch" not in table.events:
        return {}
    taken = session.perform(Call("dispatch", "t1", "w1"))
    if taken.refused:
        raise Broken(f"the first dispatch was refused: {taken}")
    if table.versions and taken.version is None:
        raise Broken("the table says that versions are told, and dispatch told none")
    return {"expected_version": taken.version} if table.versions else {}


def _writes(target: Target) -> None:
    table = target.table
    _need(table, "worker_write")
    with Opened(target) as session:
        _create(session)
        version = _dispatch(session, table)
        wanted = "completed" if "completed" in table.statuses else min(table.statuses)
        if wanted == "cancelled":
            raise CannotDo("its workers write nothing but cancelled")
        answer = session.perform(Call("worker_write", "t1", "w1", {"status": wanted, **version}))
        seen = _get(session).status
        if answer.refused or seen != wanted:
            raise Broken(f"a worker wrote {wanted}: {answer}, and then {seen} was read")


def _questions(target: Target) -> None:
    table = target.table
    if not table.inputs:
        raise CannotDo("its workers ask no questions")
    with Opened(target) as session:
        _create(session)
        question = {"status": "input_required", "key": "q1", **_dispatch(session, table)}
        asked, read = session.perform(Call("worker_write", "t1", "w1", question)), _get(session, by="o1")
        if asked.refused or read.status != "input_required":
            raise Broken(f"a worker asked a question: {asked}, and then {read.status} was read")
        if "asks" in table.shows and not read.asks:
            raise Broken("the table says that the keys of questions are shown, and none was told")
        _need(table, "update")
        session.perform(Call("update", "t1", "c1", {"key": "q1", "question": 1}))
        after = _get(session, by="o1").status
        if after == "input_required":
            raise Broken("the answer was sent, and the question is outstanding still")


def _acts(target: Target) -> None:
    table = target.table
    _need(table, "act")
    with Opened(target) as session:
        _create(session)
        _dispatch(session, table)
        before = _get(session, by="o1").effects
        session.perform(Call("act", "t1", "w1"))
        after = _get(session, by="o1").effects
        if "effects" in table.shows and (before, after) != (0, 1):
            raise Broken(f"the side effect happened once, and {before} was told before and {after} afterwards")


def _time(target: Target) -> None:
    table = target.table
    _need(table, "advance_clock")
    with Opened(target) as session:
        _create(session)
        to_ms = table.clock.unit_ms
        session.perform(Call("advance_clock", None, "time", {"to_ms": to_ms}))
        session.perform(Call("advance_clock", None, "time", {"to_ms": to_ms}))


def _others(target: Target) -> str:
    table = target.table
    done = []
    for event in EVENTS:
        if event in ("restart_server", "reap", "list", "crash_worker", "replicate") and event in table.events:
            with Opened(target) as session:
                _create(session)
                session.perform(Call(event, "t1" if event in ("crash_worker", "replicate") else None, "w1"))
                done.append(event)
    if not done:
        raise CannotDo("it can do none of them")
    return ", ".join(done)


def _need(table: Table, event: Any) -> None:
    if event not in table.events:
        raise CannotDo(f"it cannot do {event!r}")


_RULES: Final[tuple[tuple[str, Callable[[Target], str | None]], ...]] = (
    ("it says what it can do", _says),
    ("a created task is there", _created),
    ("a task that nobody created is gone, or refused", _unknown),
    ("a session begins without tasks", _apart),
    ("reading changes nothing", _reads_change_nothing),
    ("two tasks are two tasks", _two_tasks),
    ("a worker's write is read", _writes),
    ("a question is asked and answered", _questions),
    ("a side effect is counted", _acts),
    ("time goes to an instant, also twice to the same", _time),
    ("it answers every event that it says it can do", _others),
)
