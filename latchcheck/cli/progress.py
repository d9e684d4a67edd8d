"""How far the work is, on stderr, where somebody watches and it takes a while; the one place that shows it.

The engines say what they do (`latchcheck.kernel.doing`); a thread looks a few times a second and draws it.
Where stderr is no terminal, as in a CI log, nothing is drawn and there is no thread.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from attrs import define, field, frozen

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

    from latchcheck.kernel.doing import Stage

QUIET_SECONDS = 1.0
"""What is done within a second needs no progress."""
LOOK_SECONDS = 0.25
SURE_SECONDS, SURE_SHARE = 3.0, 0.05
"""Before so long, and so much, nobody can tell how long the rest takes."""
BAR_WIDTH, WIDTH_WITH_BAR, WIDTH_MAX = 12, 60, 100


@contextmanager
def shown() -> Iterator[None]:
    """Show how far the work of the block is, once it has taken a second."""
    global _LINE  # noqa: PLW0603 - one terminal, one line
    if not watched():
        yield
        return
    _LINE = Line()
    try:
        yield
    finally:
        _LINE.end()
        _LINE = None


def watched() -> bool:
    """Whether somebody looks at stderr, on something that can take a line back."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


@contextmanager
def aside() -> Iterator[None]:
    """Nothing is shown while the block writes to the terminal itself."""
    if _LINE is None:
        yield
        return
    with _LINE.hidden():
        yield


class Line:
    """The lines at the bottom of the terminal; a thread of their own draws them."""

    def __init__(self) -> None:
        self._over, self._drawing = threading.Event(), threading.Lock()
        self._watch = Watch(time.monotonic())
        self._live: Live | None = None
        self._thread = threading.Thread(target=self._draw, name="progress", daemon=True)
        self._thread.start()

    def _draw(self) -> None:
        wait = QUIET_SECONDS
        while not self._over.wait(wait):
            wait = LOOK_SECONDS
            with self._drawing:
                if self._over.is_set():
                    return
                try:
                    self._look()
                except (OSError, ValueError):  # the terminal has gone: the work goes on, and nobody watches
                    self._live = None
                    return

    def _look(self) -> None:
        told = self._watch.look(time.monotonic())
        if told is None:
            self._clear()
            return
        if self._live is None:
            from rich.console import Console  # here, as most runs end before anything is to be shown
            from rich.live import Live

            console = Console(stderr=True, highlight=False, markup=False, emoji=False)
            # What others print is theirs: nothing is redirected, and `aside` makes room for it.
            self._live = Live(
                console=console, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False
            )
            self._live.start()
        self._live.update(drawn(told, self._live.console.width), refresh=True)

    def _clear(self) -> None:
        live, self._live = self._live, None
        if live is not None:
            with suppress(OSError, ValueError):  # the terminal has gone
                live.stop()

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Take the lines back, and let nobody draw while the block runs."""
        with self._drawing:
            self._clear()
            yield

    def end(self) -> None:
        """Take the lines back for good."""
        self._over.set()
        with self._drawing:
            self._clear()
        self._thread.join()


_LINE: Line | None = None


@frozen
class Told:
    """What is shown: the work in words, its share that is done (None: not known), what was counted, seconds."""

    what: str
    share: float | None
    counts: str
    seconds: float
    left_s: float | None


@frozen
class Since:
    """When a piece of work was first seen, and how much of it was done by then."""

    stage: Stage
    at: float
    done: int


@define
class Watch:
    """Looks at the work again and again, and remembers since when each part of it is seen."""

    began: float
    _since: dict[int, Since] = field(factory=dict)  # by how deep the work is inside other work
    _looked: bool = False

    def look(self, now: float) -> Told | None:
        """What can be told now; None where nothing is in hand."""
        from latchcheck.kernel.doing import stages

        found = stages()
        if not found:
            return None
        self._since = {place: self._known(place, one, now) for place, one in enumerate(found)}
        self._looked = True
        share, since = part_done(found), self._since[0].at
        left = None
        if share is not None and share >= SURE_SHARE and now - since >= SURE_SECONDS:
            left = (now - since) * (1 - share) / share
        # What counts something is told by its numbers.
        names = [name for one in found if not one.unit and (name := _named(one))] or [found[0].what]
        return Told(", ".join(names), share, self._counts(found, now), now - self.began, left)

    def _known(self, place: int, one: Stage, now: float) -> Since:
        known = self._since.get(place)
        if known is not None and (known.stage is one or _goes_on(known, one)):
            return known
        # What is in hand at the first look, a second after the start, has been since the start.
        return Since(one, now, one.count()) if self._looked else Since(one, self.began, 0)

    def _counts(self, found: tuple[Stage, ...], now: float) -> str:
        """What the innermost work that counts something has counted, and how fast; then what was covered."""
        counting = next((place for place in reversed(range(len(found))) if found[place].unit), None)
        parts = []
        if counting is not None:
            one, since = found[counting], self._since[counting]
            done = one.count()
            of = "" if one.total is None else f" of {one.total:,}"
            parts.append(f"{done:,}{of} {one.unit}")
            if done > since.done and now - since.at >= QUIET_SECONDS:
                parts.append(f"{_rate((done - since.done) / (now - since.at))} a second")
        parts += [text for one in found if (text := one.seen())]
        return ", ".join(parts)


def _goes_on(known: Since, one: Stage) -> bool:
    """Whether work that begins anew, round by round, goes on counting where it stopped."""
    alike = (known.stage.what, known.stage.unit, known.stage.total) == (one.what, one.unit, one.total)
    return alike and bool(one.unit) and one.count() >= known.done > 0


def part_done(found: tuple[Stage, ...]) -> float | None:
    """The share of the whole that is done: the parts of the part in hand count in proportion."""
    share: float | None = None
    for one in reversed(found):
        if one.total and (one.total > 1 or share is not None):
            share = min(1.0, (one.count() + (share or 0.0)) / one.total)
        elif one is not found[-1]:
            share = None
    return share


def _named(one: Stage) -> str:
    from latchcheck.report.layout import printable

    what = printable(one.what)
    if one.unit or not one.total or one.total == 1:
        return what
    doing, _, item = what.partition(" ")
    return f"{doing} {min(one.count() + 1, one.total)} of {one.total}" + (f": {item}" if item else "")


def _rate(number: float) -> str:
    return f"{number:,.0f}" if number >= 10 else f"{number:.1f}"  # noqa: PLR2004 - two digits that mean something


def duration(seconds: float) -> str:
    """Minutes and seconds, as a clock shows them."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def drawn(told: Told, width: int) -> RenderableType:
    """Two lines at most: the work with its bar and the time, and below what was counted."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    line = Table.grid(padding=(0, 1), expand=True)
    line.width = min(width - 1, WIDTH_MAX)
    line.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    cells: list[RenderableType] = [Text(told.what, overflow="ellipsis", no_wrap=True)]
    if told.share is not None:
        if width >= WIDTH_WITH_BAR:
            line.add_column(min_width=BAR_WIDTH, max_width=BAR_WIDTH)
            cells.append(ProgressBar(total=1.0, completed=told.share, width=BAR_WIDTH))
        line.add_column(min_width=4, no_wrap=True, justify="right")
        cells.append(Text(f"{told.share:.0%}"))
    left = "" if told.left_s is None else f", about {duration(told.left_s)} left"
    time_text = duration(told.seconds) + left
    line.add_column(min_width=len(time_text), no_wrap=True)
    cells.append(Text(time_text))
    line.add_row(*cells)
    if not told.counts:
        return line
    return Group(line, Text(f"  {told.counts}", overflow="ellipsis", no_wrap=True))
