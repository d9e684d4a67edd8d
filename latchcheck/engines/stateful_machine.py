"""A Hypothesis state machine made from the action table of a system: one rule an action, one invariant.

Soundness of the replays that Hypothesis makes: what a rule does depends on its draws and on `Search.prefixes` only,
and that stays as it is while one round runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

import attrs
from hypothesis import Phase, reject, seed, settings
from hypothesis import strategies as st
from hypothesis.database import ExampleDatabase
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from latchcheck.kernel import System
from latchcheck.kernel.compiling import python_name
from latchcheck.kernel.doing import doing
from latchcheck.kernel.interrupts import is_interrupt

from .stateful_coverage import Coverage, Prefix
from .stateful_settings import QUIET, without_numbers_from_sources
from .stateful_states import Broken, Event, Judge, Steps, Values
from .stateful_timed import TimedSteps

EDGES_IN = 4
"""For so many events at the edge of a window one is drawn between edges."""


class Violation(Exception):
    """A run that breaks a property: what Hypothesis makes smaller and raises again.

    `done` counts its events and those before its last new start; `interrupted`: the user ended the making smaller.
    """

    def __init__(self, broken: Broken, events: Sequence[Event], done: int) -> None:
        super().__init__(f"{broken.property}: {broken.clause}")
        self.broken = broken
        self.events = tuple(events)
        self.done = done
        self.interrupted = False


class Spent(KeyboardInterrupt):
    """Every run that may be drawn is drawn.

    An interrupt, because that alone makes Hypothesis stop; any other exception it takes for a failing run.
    """


@attrs.define
class Search:
    """What the runs of one search share, and what they leave.

    `prefixes` are the runs with which a run may begin.
    `found_steps` is the length of the failing run as it was found; from then on runs make it smaller, are no longer
    counted, and are given up after `length_max` events, those before a new start included.
    """

    steps: Steps | TimedSteps
    judge: Judge
    coverage: Coverage
    fired: dict[str, int]
    reached: dict[str, int]
    runs_max: int
    steps_max: int
    prefixes: tuple[Prefix, ...] = ((),)
    runs: int = 0
    events: int = 0
    found_steps: int | None = None
    length_max: int | None = None

    def possible(self, action: str, state: Values) -> Any:
        """The strategy of the events of an action in a state.

        It draws from every way to make the choices, so that an event keeps its number when the steps before it go.
        """
        events = self.steps.of(state)[action]
        if isinstance(self.steps, TimedSteps):
            return _timed(self.steps, action, state, events)
        picks = self.steps.picks[action]
        if len(picks) == 1:
            return st.just(events[0])
        allowed = {event.args: event for event in events}
        return st.sampled_from(picks).filter(allowed.__contains__).map(allowed.__getitem__)

    def note(self, before: Values, events: Sequence[Event]) -> None:
        """Count the last event of a run, done in the state `before`."""
        last = events[-1]
        self.events += 1
        self.fired[last.action] += 1
        self.coverage.add(before, events)
        for asked, applies in zip(self.judge.properties, self.judge.told(last.after).applies, strict=True):
            self.reached[asked.id] += applies


class Handover(ExampleDatabase):
    """Hands the failing run of one call to the next.

    What was saved under a key is found under every other: a run found under its own key counts as small already, and
    Hypothesis would only repeat it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._kept: dict[bytes, bytes] = {}

    def save(self, key: bytes, value: bytes) -> None:
        """Keep one run a key, the last one."""
        self._kept[key] = value

    def fetch(self, key: bytes) -> Iterable[bytes]:
        """What was saved under other keys."""
        return [value for name, value in self._kept.items() if name != key]

    def delete(self, key: bytes, value: bytes) -> None:
        """Nothing is kept longer than one search."""


class Machine(RuleBasedStateMachine):
    """The part of the machine that is the same for every system; `machine` adds the rules."""

    search: ClassVar[Search]

    def __init__(self) -> None:
        super().__init__()
        self.before: Values | None = None
        self.state: Values = self.search.steps.start
        self.events: list[Event] = []
        self.done = 0
        if self.search.found_steps is None:
            if self.search.runs >= self.search.runs_max:
                raise Spent
            self.search.runs += 1

    def perform(self, event: Event) -> None:
        """Do an event."""
        self.before, self.state = self.state, event.after
        self.events.append(event)
        self.done += 1
        if self.search.found_steps is None:
            self.search.note(self.before, self.events)

    @initialize(prefix=st.runner().flatmap(lambda machine: _one_of(machine.search.prefixes)))
    def begin(self, prefix: Prefix) -> None:
        """Go to where this run begins, which broke nothing when it was drawn."""
        for event in prefix:
            self.perform(event)

    @property
    def possible(self) -> Mapping[str, tuple[Event, ...]]:
        """The events that may come next, by action; none when the run is as long as it may be."""
        return self.search.steps.of(self.state) if len(self.events) < self.search.steps_max else {}

    @precondition(lambda self: not self.possible)
    @rule()
    def step(self) -> None:
        """Where nothing more can happen, the run goes on from the start."""
        self.before, self.state = None, self.search.steps.start
        self.events.clear()

    @invariant()
    def no_property_is_broken(self) -> None:
        """What the sample is for."""
        broken = self.search.judge.broken(self.before, self.state)
        if broken is not None:
            # Hypothesis repeats a failing run before it raises; the repetition is no further run.
            if self.search.found_steps is None:
                self.search.found_steps = len(self.events)
            raise Violation(broken, self.events, self.done)
        if self.search.length_max is not None and self.done >= self.search.length_max:
            reject()


def machine(system: System, search: Search) -> type[Machine]:
    """The machine of a system: a rule for each action, its choices drawn from those that the guard allows."""
    rules = {python_name("do", action.name, place): _rule(action.name) for place, action in enumerate(system.actions)}
    return type("SystemMachine", (Machine,), {"search": search, **rules})


def sample(made: type[Machine], *, seed_of_round: int, runs: int, steps: int, shrink: bool = True) -> Violation | None:
    """Draw that many runs that come to their end; the failing run that is left when Hypothesis made it smaller.

    Nothing is kept for a later call. Raises Spent when the search may draw no further run.
    """
    setting = settings(
        QUIET,
        max_examples=runs,
        stateful_step_count=steps + 1,  # Hypothesis counts `begin` too
        database=Handover(),
        phases=(Phase.generate,),
    )
    seeded, search = seed(seed_of_round)(made), made.search
    with doing("drawing", search.runs_max, "runs", done=lambda: search.runs, covered=lambda: _covered(search)):
        found = _failing(seeded, setting)
    if found is None or not shrink:
        return found
    # Made smaller in a second call, which finds the run in the database and cuts runs that would become longer.
    search.length_max = found.done
    try:
        with doing("making the run smaller"):
            return _failing(seeded, settings(setting, phases=(Phase.reuse, Phase.shrink))) or found
    except Spent:
        raise
    except KeyboardInterrupt:
        # The user waits no longer for a smaller run; the one that was found stands.
        found.interrupted = True
        return found


def _covered(search: Search) -> str:
    return f"{search.coverage.cells:,} groups of states met, {search.coverage.pairs:,} ways on from them tried"


def _failing(made: type[Machine], setting: settings) -> Violation | None:
    with without_numbers_from_sources():
        try:
            run_state_machine_as_test(made, settings=setting)
        except Violation as violation:
            return violation
        except AssertionError as error:
            # So Hypothesis ends that is interrupted before its search began.
            if is_interrupt(error):
                raise KeyboardInterrupt from error
            raise
    return None


def _rule(action: str) -> Callable[..., None]:
    """The rule of an action.

    All have one name on purpose: Hypothesis switches rules off for a whole run by the name of their function, and gives
    a run up where only those are possible. A guarded state often allows one action alone, so nearly every run would end
    after a step or two; of a single name nothing is ever switched off.
    """

    def possible(machine: Machine) -> bool:
        return action in machine.possible

    def step(self: Machine, event: Event) -> None:
        self.perform(event)

    events = st.runner().flatmap(lambda machine: machine.search.possible(action, machine.state))
    return precondition(possible)(rule(event=events)(step))


def _timed(steps: TimedSteps, action: str, state: Values, events: tuple[Event, ...]) -> Any:
    """An event at an edge, or now and then at any instant between where the action can happen then."""
    first, last = steps.span(action, state)
    if last - first < 3:  # noqa: PLR2004 - every instant is an edge or next to one
        return _one_of(events)

    def at(instant: int) -> Any:
        return _one_of(steps.at(action, state, instant) or events)

    between = st.integers(first, last).flatmap(at)
    return st.integers(0, EDGES_IN).flatmap(lambda kind: between if kind == EDGES_IN else _one_of(events))


def _one_of(options: tuple[Any, ...]) -> Any:
    """One of some events or runs; the first is the simplest."""
    return st.just(options[0]) if len(options) == 1 else st.sampled_from(options)
