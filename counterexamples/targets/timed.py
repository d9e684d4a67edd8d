"""Replays a run of the timed model on a target: the same events at the same instants, scaled to the target's clock.

A run of the timed model ends in a harm that the model records. Only a harm that a reader sees can be replayed; for
each of those stands here what the reader would see.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import Final

from ..errors import Stale
from ..fixture import Event, Fixture
from ..replaying import Case, reproduce
from .errors import CannotDo, TargetError
from .events import GONE, Call
from .outcomes import OUTCOMES, Outcome, Ran, Seen
from .protocol import Opened, Table, Target

READER: Final = "c1"
TASK: Final = "t1"
KINDS: Final = {"create": "create", "tasks/cancel": "cancel", "write_terminal": "worker_write", "tasks/get": "get"}
WINDOW_KEYS: Final = {"server.cancel_marker_retention_ms": "marker"}


def _uncancelled(read: Sequence[str]) -> str | None:
    """A reader who has read cancelled reads something else than cancelled, before the task is gone."""
    if "cancelled" not in read:
        return None
    later = read[read.index("cancelled") :]
    other = next((one for one in later if one not in ("cancelled", GONE)), None)
    return None if other is None else f"one reader reads {', then '.join(dict.fromkeys(read))}"


SHOWS: Final[Mapping[str, Callable[[Sequence[str]], str | None]]] = {"read_uncancelled": _uncancelled}
"""What a reader's answers, in their order, say of a harm: how they show it, or None."""


def replay_timed(fixture: Fixture, case: Case, target: Target) -> Ran:
    """Replay a fixture with a configuration on a target. Raises nothing: what goes wrong is an outcome."""
    seen: list[Seen] = []

    def ended(outcome: Outcome, reason: str) -> Ran:
        return Ran(fixture, target.name, outcome, reason, tuple(seen))

    harm = fixture.violates.clause.removeprefix("never ")
    if hidden := ruled_out_timed(fixture, target.table):
        return ended("not-applicable", hidden)
    try:
        reproduce(fixture, case)
        calls = told(fixture, target.table)
        with Opened(target) as session:
            for index, call in calls:
                answer = session.perform(call)
                read = session.perform(Call("get", TASK, READER)) if call.kind == "cancel" else answer
                status = {TASK: read.status} if call.kind in ("cancel", "get") and read.status is not None else {}
                seen.append(Seen(index, call, answer, status))
    except Stale as stale:
        return ended("stale", str(stale))
    except CannotDo as why:
        return ended("not-applicable", str(why))
    except TargetError as error:
        return ended("failed", f"{error.outcome}: {error}")
    shown = SHOWS[harm]([step.observed[TASK] for step in seen if step.observed])
    return ended("conforms", OUTCOMES["conforms"]) if shown is None else ended("reproduced", shown)


def ruled_out_timed(fixture: Fixture, table: Table) -> str | None:
    """Why a run of the timed model cannot be told to a target with this table, or shows nothing there."""
    harm = fixture.violates.clause.removeprefix("never ")
    if harm not in SHOWS:
        return f"no reader sees its harm, {harm!r}"
    try:
        told(fixture, table)
    except CannotDo as why:
        return str(why)
    return None


def told(fixture: Fixture, table: Table) -> list[tuple[int, Call]]:
    """The calls of a run, each with its step, and the passing of time between them. Raises CannotDo."""
    config = fixture.config or {}
    windows = {name: config.get(key) for key, name in WINDOW_KEYS.items()}
    lacks = sorted(name for name, value in windows.items() if value is not None and name not in table.windows)
    if lacks:
        raise CannotDo(f"its {lacks[0]} window cannot be set")
    factor = scale(fixture.steps, [value for value in windows.values() if value is not None], table)
    calls: list[tuple[int, Call]] = []
    now = Fraction(0)
    for index, event in enumerate(fixture.steps):
        kind = KINDS.get(event.action)
        if kind is None:
            raise CannotDo(f"no event stands for {event.action!r}")
        if kind not in table.events or (event.at_ms and "advance_clock" not in table.events):
            raise CannotDo(f"it cannot do {kind!r} at an instant")
        at = Fraction(event.at_ms or 0) * factor
        if at > now:
            now = at
            # A reader at the very instant at which a window ends comes just after it, as far as the clock tells.
            late = table.clock.granularity_ms // 4 if kind == "get" else 0
            calls.append((index, Call("advance_clock", TASK, "time", {"to_ms": ceil(at) + late})))
        calls.append((index, _call(kind, windows, factor)))
    return calls


def _call(kind: str, windows: Mapping[str, int | None], factor: int) -> Call:
    if kind == "create":
        told_ms = {f"{name}_ms": value * factor for name, value in windows.items() if value is not None}
        return Call("create", TASK, READER, told_ms)
    if kind == "worker_write":
        return Call("worker_write", TASK, "w1", {"status": "completed"})
    return Call("cancel" if kind == "cancel" else "get", TASK, READER)


def scale(steps: Sequence[Event], windows: Sequence[int], table: Table) -> int:
    """By how much a run is stretched, so that its windows are whole units of the clock and no two instants closer.

    Times are never shortened: a run that a clock can tell apart is told as it is.
    """
    grain = table.clock.granularity_ms if table.clock.kind == "real" else 1
    instants = sorted({Fraction(step.at_ms or 0) for step in steps})
    gaps = [late - early for early, late in pairwise(instants)]
    finest = min([*gaps, *(Fraction(one) for one in windows if one)], default=Fraction(grain))
    return max(1, ceil(Fraction(grain, 2) / finest))
