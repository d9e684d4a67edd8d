"""Table 5: a client that backs off against a reaper, and whether the task survives it (E4).

Every cell is a run of the timed model, executed event by event: the poller draws its gaps, a sweep is tried at every
instant of its grid, and the model alone says whether it finds something to do.

The paper's clock advances in steps of one sweep period, and a poll that falls between two steps is seen at the later
one. On the model that is a network in which a request takes until the next step, up to 30 s, and a reply no time.
Without that network the same gaps, drawn from the same seed, are the event-exact run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any, Final

import attrs

from latchcheck.kernel import NotAStep, Stepper, System, Trace
from latchcheck.kernel.figures import Figure, cells
from latchcheck.model.config import Config, Network, Server, Workload
from latchcheck.model.timing.system import Event, numbers, run, timed_system

from .poller import SECOND_MS, adaptive, gaps
from .published import TABLE_5

SEED: Final = 7
EXECUTION_S: Final = 3600
SWEEP_S: Final = 30
CEILINGS_S: Final = (10, 60, 300, 900)
WINDOWS_S: Final = (900, 120)


@attrs.frozen
class Run:
    """One executed run: when a sweep reclaimed the live task (None: it survived), and how the client polled.

    `silences_s` are the silences that the server saw, the last one up to where the run ends; all in seconds.
    """

    config: Config
    trace: Trace
    orphaned_at_s: Fraction | None
    silences_s: tuple[Fraction, ...]

    @property
    def polls(self) -> int:
        """How many polls reached the server."""
        return len(self.silences_s) - 1

    @property
    def told(self) -> str:
        """The outcome as Table 5 prints it."""
        if self.orphaned_at_s is None:
            return "survived"
        return f"orphaned at {float(self.orphaned_at_s):g} s"


def configuration(ceiling_s: int, window_s: int, *, stepped: bool, comparison: Any = ">=") -> Config:
    """The configuration of one cell; `stepped` gives it the network that a clock in steps amounts to."""
    return Config(
        client=adaptive(ceiling_s * SECOND_MS),
        server=Server(
            orphan_window_ms=window_s * SECOND_MS, sweep_period_ms=SWEEP_S * SECOND_MS, orphan_comparison=comparison
        ),
        network=Network(latency_ms=(0, SWEEP_S * SECOND_MS if stepped else 0)),
        workload=Workload(execution_ms=(EXECUTION_S * SECOND_MS, EXECUTION_S * SECOND_MS)),
    )


def at_once(sent_ms: Fraction) -> Fraction:
    """The instant at which a request is seen where nothing delays it."""
    return sent_ms


def at_the_next_step(sent_ms: Fraction) -> Fraction:
    """The instant at which a clock that advances in steps sees a request."""
    step = SWEEP_S * SECOND_MS
    return Fraction(-(-sent_ms // step) * step)


def play(config: Config, seed: int, seen: Callable[[Fraction], Fraction]) -> Run:
    """Let the poller of this seed run against the reaper until a sweep reclaims the task or the work is done.

    Polls come before sweeps at the same instant, and both before the end of the work.
    """
    driver = _Driver(config)
    driver.do(0, "create", {"call_latency": 0, "sweep_phase": 0})
    driver.do(0, "handle_arrives")
    heard, period = Fraction(0), Fraction(SWEEP_S * SECOND_MS)
    contacts, end = [Fraction(0)], Fraction(EXECUTION_S * SECOND_MS)
    sweep = period
    for gap in gaps(config.client, seed, "exact"):
        sent = heard + Fraction(gap) * SECOND_MS
        contact = seen(sent)
        while sweep < min(contact, end):
            if driver.sweeps(sweep):
                return driver.finish(sweep, contacts)
            sweep += period
        if contact > end:
            break
        driver.do(sent, "poll")
        driver.do(contact, "tasks/get")
        driver.do(contact, "reply_arrives")
        contacts.append(contact)
        heard = contact
    if driver.sweeps(end):
        return driver.finish(end, contacts)
    driver.do(end, "write_terminal")
    return driver.finish(None, contacts)


class _Driver:
    """Performs events on the model and remembers those that it allowed."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.events: list[Event] = []
        system = _system(config.network.latency_ms != (0, 0), config.server.orphan_comparison)
        values = numbers(config)
        self._stepper = Stepper(system, {name: values[name] for name in system.parameters})

    def do(self, at_ms: Fraction | int, action: str, args: Mapping[str, Any] | None = None) -> None:
        self._stepper.do(at_ms, action, args or {})
        self.events.append((at_ms, action, args or {}))

    def sweeps(self, at_ms: Fraction) -> bool:
        """Try a sweep: whether it finds something to do, which can only be the silent task."""
        try:
            self.do(at_ms, "sweep")
        except NotAStep:
            return False
        return True

    def finish(self, orphaned_ms: Fraction | None, contacts: list[Fraction]) -> Run:
        """The run as a trace, executed once more from the start."""
        trace = run(self.config, self.events)
        reclaimed = trace.steps[-1].changed.get("orphaned_live") == (False, True)
        assert reclaimed == (orphaned_ms is not None), "what is told of a run is what the model recorded"
        stop = Fraction(EXECUTION_S * SECOND_MS) if orphaned_ms is None else orphaned_ms
        silences = (later - earlier for earlier, later in zip(contacts, [*contacts[1:], stop], strict=True))
        at = None if orphaned_ms is None else orphaned_ms / SECOND_MS
        return Run(self.config, trace, at, tuple(one / SECOND_MS for one in silences))


@cache
def _system(stepped: bool, comparison: str) -> System:  # noqa: FBT001 - a key of a cache
    """The timed model of every cell with, or without, the network; its numbers are left open."""
    any_cell = configuration(CEILINGS_S[0], WINDOWS_S[0], stepped=stepped, comparison=comparison)
    return timed_system(any_cell, symbolic=True)


@attrs.frozen
class Cell:
    """One cell of Table 5: the run under the published stepping, and the event-exact one."""

    ceiling_s: int
    window_s: int
    stepped: Run
    exact: Run


def cell(ceiling_s: int, window_s: int, seed: int = SEED) -> Cell:
    """Play one cell twice, with the same gaps."""
    return Cell(
        ceiling_s,
        window_s,
        stepped=play(configuration(ceiling_s, window_s, stepped=True), seed, at_the_next_step),
        exact=play(configuration(ceiling_s, window_s, stepped=False), seed, at_once),
    )


Map = Mapping[tuple[int, int], Cell]
"""Cells by ceiling and window in seconds."""


def grid(step: Callable[[], None] = lambda: None) -> Map:
    """All eight cells; `step` is called after each."""
    found: dict[tuple[int, int], Cell] = {}
    for ceiling in CEILINGS_S:
        for window in WINDOWS_S:
            found[ceiling, window] = cell(ceiling, window)
            step()
    return found


STEPS: Final = len(CEILINGS_S) * len(WINDOWS_S)
"""How often `grid` calls its `step`."""


def table_5(found: Map) -> list[Figure]:
    """The eight outcomes of Table 5, `beside` them those of the event-exact runs."""

    def row(label: str) -> list[Cell]:
        ceiling = int(label.removesuffix(" s"))
        return [found[ceiling, window] for window in WINDOWS_S]

    return cells(
        TABLE_5,
        lambda label: [one.stepped.told for one in row(label)],
        lambda label: [one.exact.told for one in row(label)],
    )
