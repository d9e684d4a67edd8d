"""A run as people read it: one line an event, alike rounds told as one, the harm marked and said in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve, frozen

from latchcheck.kernel.duration import readable
from latchcheck.kernel.errors import show
from latchcheck.kernel.telling import Moment, Round, Telling, moments
from latchcheck.kernel.trace import Step, Trace

from .layout import GLUE, GUTTER, Paint, glue, printable, unpainted, wrap
from .values import knob, value_text

IN_FULL = 4
"""How many of the last events are never folded: what led to the harm is read event by event."""
ROUNDS_HEAD, ROUNDS_TAIL = 2, 1
"""How many rounds of a long row of them stay rows of their own before and after the one that tells the rest."""
ROWS_MAX, ROWS_HEAD = 60, 20
EVENT_WIDTH_MIN = 30
MARK = "> "


@frozen
class Row:
    """One line: `steps` says how many events it tells, `marked` that the harm happens in it."""

    time: str
    party: str
    event: str
    changed: str = ""
    steps: int = 1
    marked: bool = False


@frozen
class _Round:
    """Consecutive events that a telling knows as one round."""

    kind: Round
    moments: tuple[Moment, ...]


def timeline(trace: Trace, telling: Telling, width: int, *, indent: int = 2, paint: Paint = unpainted) -> list[str]:
    """The rows of a run with a heading, laid out; more than fit on a few screens are cut in the middle."""
    rows = rows_of(trace, telling)
    cut = len(rows) - ROWS_MAX
    if cut > 0:
        hidden = rows[ROWS_HEAD : ROWS_HEAD + cut]
        count = sum(row.steps for row in hidden)
        gap = Row("", "", f"... {count} more events; all of them are in the JSON form", steps=count)
        rows = [*rows[:ROWS_HEAD], gap, *rows[ROWS_HEAD + cut :]]
    timed, changing = any(row.time for row in rows), any(row.changed for row in rows)
    heading = Row("time" if timed else "", "party", "event", "what changed" if changing else "")
    lines = _laid_out([heading, *rows], width, indent, paint)
    return [paint(lines[0], "label"), *lines[1:]]


def lines_of(trace: Trace, telling: Telling, *, first: int = 1) -> list[str]:
    """A line an event, numbered and never folded.

    A run without a clock is told in the words that the telling has; any other event is written as it is.
    """
    return [f"{number:>3}  {_line(moment, telling)}" for number, moment in enumerate(moments(trace), first)]


def _line(moment: Moment, telling: Telling) -> str:
    step, phrase = moment.step, telling.phrases.get(moment.step.action)
    if phrase is None or step.at_ms is not None:
        return str(step)
    changed = [
        f"{name}: {show(old)} -> {show(new)}" for name, (old, new) in step.changed.items() if name not in telling.quiet
    ]
    return "  ".join(part for part in (step.party, phrase(moment), ", ".join(changed)) if part)


def harm(trace: Trace, telling: Telling) -> str | None:
    """The harm of the last event in words, where the telling has words for it."""
    words = [text for name, text in telling.harms.items() if trace.steps and _raised(trace.steps[-1], name)]
    return words[-1] if words else None


def rows_of(trace: Trace, telling: Telling) -> list[Row]:
    """The events as rows, those that belong together told as one."""
    groups = _grouped(moments(trace.steps), telling)
    rows: list[Row] = []
    before: Moment | None = None
    at = 0
    while at < len(groups):
        group = groups[at]
        alike = _alike(groups, at)
        if isinstance(group, Moment):
            rows += _meanwhile(before, group, telling)
            rows.append(_row(group, telling))
            before = group
            at += 1
            continue
        rounds = [one for one in groups[at : at + alike] if isinstance(one, _Round)]
        rows += _rounds(rounds, telling)
        before = rounds[-1].moments[-1]
        at += alike
    return rows


def every_row(trace: Trace, telling: Telling) -> list[Row]:
    """Each event as a row of its own, in order: one a step."""
    return [_row(moment, telling) for moment in moments(trace.steps)]


def changes(step: Step, telling: Telling) -> tuple[str, ...]:
    """What a step changed, without bookkeeping and harm; a flag that is raised is told by its name alone."""
    return tuple(
        _change(name, old, new, telling)
        for name, (old, new) in step.changed.items()
        if name not in telling.quiet and name not in telling.harms
    )


def _change(name: str, old: Any, new: Any, telling: Telling) -> str:
    if new is True:
        return name.replace("_", " ")
    values = f"{value_text(name, old)} -> {value_text(name, new)}"
    return values if name in telling.nameless else f"{knob(name)}: {values}"


def _grouped(found: Sequence[Moment], telling: Telling) -> list[Moment | _Round]:
    """The events, those that form a round taken together; a round that changes something to be seen stays apart."""
    groups: list[Moment | _Round] = []
    at, last = 0, len(found) - IN_FULL
    while at < len(found):
        group: Moment | _Round = found[at]
        for kind in telling.rounds:
            part = tuple(found[at : at + len(kind.actions)])
            names = tuple(moment.step.action for moment in part)
            if names == kind.actions and at + len(part) <= last and not any(changes(m.step, telling) for m in part):
                group = _Round(kind, part)
                break
        groups.append(group)
        at += len(group.moments) if isinstance(group, _Round) else 1
    return groups


def _alike(groups: Sequence[Moment | _Round], at: int) -> int:
    """How many rounds of one kind follow one another from here on."""
    first, end = groups[at], at
    while isinstance(first, _Round) and end < len(groups):
        group = groups[end]
        if not isinstance(group, _Round) or group.kind is not first.kind:
            break
        end += 1
    return end - at


def _rounds(rounds: Sequence[_Round], telling: Telling) -> list[Row]:
    many = rounds[0].kind.many
    folded = rounds[ROUNDS_HEAD : len(rounds) - ROUNDS_TAIL]
    if many is None or len(folded) <= 1:
        return [_told(one, telling) for one in rounds]
    words = many([one.moments for one in folded])
    middle = Row("...", folded[0].moments[0].step.party, words, steps=sum(len(one.moments) for one in folded))
    first, last = rounds[:ROUNDS_HEAD], rounds[len(rounds) - ROUNDS_TAIL :]
    return [*(_told(one, telling) for one in first), middle, *(_told(one, telling) for one in last)]


def _told(one: _Round, telling: Telling) -> Row:
    row = _row(one.moments[0], telling)
    return evolve(row, event=one.kind.one(one.moments), changed="", steps=len(one.moments))


def _meanwhile(before: Moment | None, after: Moment, telling: Telling) -> list[Row]:
    words = None if before is None else telling.meanwhile(before, after)
    return [] if words is None else [Row("...", "", words, steps=0)]


def _row(moment: Moment, telling: Telling) -> Row:
    step = moment.step
    phrase = telling.phrases.get(step.action)
    event = _plainly(step) if phrase is None else phrase(moment)
    marked = any(_raised(step, name) for name in telling.harms)
    time = "" if step.at_ms is None else readable(step.at_ms)
    changed = ", ".join(glue(part) for part in changes(step, telling))
    return Row(time, step.party, event, changed, marked=marked)


def _plainly(step: Step) -> str:
    return " ".join([step.action, *(f"{knob(name)}={value_text(name, value)}" for name, value in step.args.items())])


def _raised(step: Step, name: str) -> bool:
    change: Any = step.changed.get(name)
    return change is not None and change[1] is True


def _laid_out(rows: Sequence[Row], width: int, indent: int, paint: Paint) -> list[str]:
    """The rows in columns; an event that changes nothing may run on into the last column."""
    size: Mapping[str, int] = {name: max(len(getattr(row, name)) for row in rows) for name in ("time", "party")}
    timed = GUTTER if size["time"] else 0
    start = indent + len(MARK) + size["time"] + timed + size["party"] + GUTTER
    room = max(width - start, 24)
    changed = max(len(row.changed) for row in rows)
    widest = max((len(row.event) for row in rows if row.changed), default=0)
    # A little room after short events, so that the heading does not stand among the words of longer ones.
    event = min(max(widest, EVENT_WIDTH_MIN), max(room - GUTTER - changed, EVENT_WIDTH_MIN))
    lines: list[str] = []
    for row in rows:
        mark = MARK if row.marked else " " * len(MARK)
        lead = " " * indent + mark + row.time.rjust(size["time"]) + " " * timed + row.party.ljust(size["party"])
        cells = _cells(row, event, room)
        for index, cell in enumerate(cells[:1] if row is rows[0] else cells):
            line = ((lead if index == 0 else " " * len(lead)) + " " * GUTTER + cell).rstrip()
            lines.append(paint(line, "violated") if row.marked else line)
    return lines


def _cells(row: Row, event: int, room: int) -> list[str]:
    """Event and change on one line where they fit, aligned where the event allows it; else one below the other."""
    beside = f"{row.event:<{event}}{' ' * GUTTER}{row.changed.replace(GLUE, ' ')}"
    if not row.changed or len(beside) <= room:
        return [printable(beside)] if row.changed else wrap(row.event, room)
    return [*wrap(row.event, room), *("  " + part for part in wrap(row.changed, room - 2))]
