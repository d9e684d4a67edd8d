"""Judges a log: whether what it tells of each task is a run of the model, and the first event that none explains."""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import attrs

from latchcheck.engines.explaining import Hindrance
from latchcheck.kernel.doing import doing

from .lines import LogError
from .log import Entry
from .meaning import Occurrence, Reading
from .ordering import Held, TooLate, Waiting
from .overlapping import Stuck, through

FOUND_MAX: Final = 20
"""So many tasks are told of which the log is no run; all of them are counted."""
SLACK_MS: Final = 1000.0
"""By how much a line may stand too late in a log, where nobody says otherwise."""
REPEATS_MAX: Final = 64
"""Among so many events of a task before it one is known when it is told again."""


@attrs.frozen
class Unexplained:
    """The first event of a task that no run explains.

    `explained` counts the events of the task before it. `shown` is what a reader may be shown there, `possible` are the
    events that would have been explained, `hindrances` why what the event stands for could not happen.
    `overlaps` are the lines of the events that may have happened before it or after it: no order of them is explained.
    `alike` is the line of the event before it, where that tells the same of the same instant.
    """

    entry: Entry
    explained: int
    shown: tuple[str, ...]
    possible: tuple[str, ...]
    hindrances: tuple[Hindrance, ...]
    overlaps: tuple[int, ...] = ()
    alike: int | None = None


@attrs.define
class Audit:
    """What became of a log: how many events and tasks, and the tasks whose log is no run, in the order of the file.

    `telling` counts the events that tell a status; where none does, hardly anything was checked.
    `late` events stood behind others that happened after them, `repeated` ones were told before and are left out.
    `unfinished`: the last line was cut off, and is left out. `interrupted`: the user ended it, the rest was not read.
    """

    events: int = 0
    telling: int = 0
    tasks: int = 0
    broken: int = 0
    late: int = 0
    repeated: int = 0
    found: list[Unexplained] = attrs.field(factory=list)
    unfinished: bool = False
    interrupted: bool = False


Told = tuple[str | None, float | None, Occurrence]


@attrs.define
class _Task:
    """How far a task is followed: the set of states it may be in, None after an event that no run explains."""

    states: int | None
    waiting: Waiting
    events: int = 0
    last: Entry | None = None
    told: deque[Told] | None = None


def audit(
    log: Iterable[Entry], reading: Reading, *, name: str, anywhere: bool = False, slack_ms: float = SLACK_MS
) -> Audit:
    """Follow every task of a log; `anywhere` says that it begins in the middle of the lives of its tasks.

    A line may stand too late by `slack_ms`: what it tells then happened before or after what it stands behind.
    Raises LogError where one stands too late by more, and TooMany.
    """
    made = Audit()
    judge = _Judge(reading, name, reading.explainer.anywhere() if anywhere else reading.start, slack_ms, made)
    with doing("reading the log", unit="events", done=lambda: made.events, covered=lambda: f"{made.tasks:,} tasks"):
        try:
            for entry in log:
                judge.take(entry)
            judge.finish()
        except KeyboardInterrupt:
            made.interrupted = True
    return made


class _Judge:
    """A log that is being read."""

    def __init__(self, reading: Reading, name: str, start: int, slack_ms: float, made: Audit) -> None:
        self._reading, self._name, self._start, self._slack_ms, self._made = reading, name, start, slack_ms, made
        self._tasks: dict[str, _Task] = {}
        # What was about every task, lately: an event of another task may have happened before it, and stand behind it.
        self._of_all: deque[Entry] = deque(maxlen=REPEATS_MAX)

    def take(self, entry: Entry) -> None:
        """One more event."""
        made, name = self._made, entry.task
        if name is None:
            made.events += 1
            self._of_all.append(entry)
            for one, each in self._tasks.items():
                self._put(attrs.evolve(entry, task=one), each)
            return
        task = self._tasks.get(name)
        if task is None:
            task = self._begun(name, entry)
        if entry.id is not None and _is_told(task, entry):
            made.repeated += 1
            return
        made.events += 1
        made.telling += entry.event.status is not None
        self._put(entry, task)

    def finish(self) -> None:
        """There is no more."""
        for task in self._tasks.values():
            for group in task.waiting.ready(over=True):
                self._follow(group, task)

    def _begun(self, name: str, entry: Entry) -> _Task:
        task = self._tasks[name] = _Task(self._start, Waiting(self._slack_ms))
        self._made.tasks += 1
        for each in self._of_all:
            if entry.at_ms is not None and each.at_ms is not None and entry.at_ms < each.at_ms:
                self._put(attrs.evolve(each, task=name), task)
        return task

    def _put(self, entry: Entry, task: _Task) -> None:
        try:
            self._made.late += task.waiting.add(entry, self._made.events)
        except TooLate as late:
            where = f"{self._name}:{entry.line}: at_ms: the events of task {entry.task!r} go back in time by {late}"
            raise LogError(
                where, "sort the log by the instant at which things happened, or --slack a longer time"
            ) from None
        for group in task.waiting.ready():
            self._follow(group, task)

    def _follow(self, group: Sequence[Held], task: _Task) -> None:
        if task.states is None:
            return
        after = through(group, task.states, self._reading)
        if isinstance(after, Stuck):
            self._made.broken += 1
            task.events += after.explained
            self._tell(after, group, task)
            task.states = None
            return
        task.states = after
        task.events += len(group)
        task.last = group[-1][4]

    def _tell(self, stuck: Stuck, group: Sequence[Held], task: _Task) -> None:
        """Keep what is told first in the log."""
        found, entry = self._made.found, stuck.entry
        if len(found) >= FOUND_MAX and found[-1].entry.line <= entry.line:
            return
        last = task.last
        same = last is not None and last.at_ms is not None and (last.at_ms, last.event) == (entry.at_ms, entry.event)
        told = Unexplained(
            entry,
            task.events,
            tuple(map(str, self._reading.explainer.views(stuck.states))),
            tuple(self._reading.possible(stuck.states)),
            self._reading.explainer.hindrances(stuck.states, self._reading.meaning(entry.event)),
            tuple(_lines(group, entry)),
            last.line if same and last is not None else None,
        )
        insort(found, told, key=lambda one: one.entry.line)
        del found[FOUND_MAX:]


def _lines(group: Sequence[Held], entry: Entry) -> Iterator[int]:
    """The lines of the other events of a group."""
    yield from sorted({one[4].line for one in group if one[4] is not entry})


def _is_told(task: _Task, entry: Entry) -> bool:
    """Whether the same event of the same id was told before; it is from now on."""
    told = (entry.id, entry.at_ms, entry.event)
    if task.told is None:
        task.told = deque(maxlen=REPEATS_MAX)
    if told in task.told:
        return True
    task.told.append(told)
    return False
