"""Judges a log: whether what it tells of each task is a run of the model, and the first event that none explains."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import attrs

from latchcheck.engines.explaining import Hindrance
from latchcheck.kernel.doing import doing

from .log import Entry, LogError
from .meaning import Reading

FOUND_MAX: Final = 20
"""So many tasks are told of which the log is no run; all of them are counted."""


@attrs.frozen
class Unexplained:
    """The first event of a task that no run explains.

    `explained` counts the events of the task before it. `shown` is what a reader may be shown there, `possible` are the
    events that would have been explained, `hindrances` why what the event stands for could not happen.
    """

    entry: Entry
    explained: int
    shown: tuple[str, ...]
    possible: tuple[str, ...]
    hindrances: tuple[Hindrance, ...]


@attrs.define
class Audit:
    """What became of a log: how many events and tasks, and the tasks whose log is no run, in the order of the file.

    `telling` counts the events that tell a status; where none does, hardly anything was checked.
    `interrupted`: the user ended it, and the rest of the log was not read.
    """

    events: int = 0
    telling: int = 0
    tasks: int = 0
    broken: int = 0
    found: list[Unexplained] = attrs.field(factory=list)
    interrupted: bool = False


@attrs.define
class _Task:
    """How far a task is followed: the set of states it may be in, None after an event that no run explains."""

    states: int | None
    events: int = 0
    at_ms: float | None = None


def audit(
    log: Iterable[Entry],
    reading: Reading,
    *,
    name: str,
    anywhere: bool = False,
) -> Audit:
    """Follow every task of a log; `anywhere` says that it begins in the middle of the lives of its tasks.

    Raises LogError where a task's events go back in time, and TooMany.
    """
    start = reading.explainer.anywhere() if anywhere else reading.start
    made = Audit()
    with doing("reading the log", unit="events", done=lambda: made.events, covered=lambda: f"{made.tasks:,} tasks"):
        try:
            _read(log, made, start, reading, name)
        except KeyboardInterrupt:
            made.interrupted = True
    return made


def _read(log: Iterable[Entry], made: Audit, start: int, reading: Reading, name: str) -> None:
    tasks: dict[str, _Task] = {}
    for entry in log:
        made.events += 1
        made.telling += entry.event.status is not None
        if entry.task is None:
            for one, task in tasks.items():
                _follow(attrs.evolve(entry, task=one), task, reading, made)
        else:
            task = tasks.get(entry.task)
            if task is None:
                task = tasks[entry.task] = _Task(start)
                made.tasks += 1
            if entry.at_ms is not None:
                if task.at_ms is not None and entry.at_ms < task.at_ms:
                    where = f"{name}:{entry.line}: at_ms: the events of task {entry.task!r} go back in time"
                    raise LogError(where, "sort the log by the instant at which things happened")
                task.at_ms = entry.at_ms
            _follow(entry, task, reading, made)


def _follow(entry: Entry, task: _Task, reading: Reading, made: Audit) -> None:
    if task.states is None:
        return
    after = reading.advance(task.states, entry.event)
    if after is None:
        made.broken += 1
        if len(made.found) < FOUND_MAX:
            made.found.append(_unexplained(entry, task, reading))
    task.states = after
    task.events += 1


def _unexplained(entry: Entry, task: _Task, reading: Reading) -> Unexplained:
    assert task.states is not None
    return Unexplained(
        entry,
        task.events,
        tuple(map(str, reading.explainer.views(task.states))),
        tuple(reading.possible(task.states)),
        reading.explainer.hindrances(task.states, reading.meaning(entry.event)),
    )
