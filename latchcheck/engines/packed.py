"""Searches a finite system in packed form, and tells what was found as runs that the plain stepper has executed."""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import partial

import attrs

from latchcheck.kernel import ModelError, Property, System, Trace
from latchcheck.kernel.doing import doing
from latchcheck.kernel.stepping import Stepper

from . import machine_code
from .exploration import Exploration, Options, Progress, Stopped
from .layout import Coarse, Grid, Layout, Narrow, NotPackable
from .packed_runs import Runs
from .packed_search import WARM_SECONDS, Compiled, MachineStore, PythonStore, Store, edge_of
from .packed_source import COARSE, DONE, GOING, LIMIT, RANGE, VIOLATED, Plan
from .symmetry import Image, canonical, images, neighbours

PROGRESS_SECONDS = 0.5
PARTS_MAX = 1 << 40
# Positions in tables of states of several words have 28 bits.
STATES_MAX = (1 << 28) - 4096


def explore_packed(
    system: System, properties: tuple[Property, ...], states_max: int | None, options: Options, grid: Grid
) -> Exploration:
    """Search a system as `explicit.explore` says; NotPackable where it has no packed form.

    What is assumed of numbers is tried and made finer or wider until the whole search bears it out.
    """
    _check_options(system, properties, options)
    swaps = images(system, options.symmetry)
    while True:
        if grid.parts > PARTS_MAX:
            raise NotPackable(f"dense numbers as fine as 1/{grid.parts} ms")
        try:
            layout = Layout.of(system, grid)
            plan = Plan(system, properties, layout, canonical(layout, swaps) if swaps else None)
            if options.reduction:
                from .reduced_runs import explore_reduced

                return explore_reduced(plan, states_max, options, swaps, partial(_shortest, plan, swaps, states_max))
            return _Search(plan, swaps, states_max, options).run()
        except Coarse as reason:
            grid = attrs.evolve(grid, parts=grid.parts * reason.factor)
        except Narrow:
            grid = attrs.evolve(grid, reach=grid.reach << 4)


def _check_options(system: System, properties: Sequence[Property], options: Options) -> None:
    later = [asked.id for asked in properties if asked.expectation == "leads-to"]
    if later and options.symmetry:
        raise ModelError(
            f"property {later[0]!r} is a leads-to: a loop among representatives need not be one of the system; "
            "search without symmetry"
        )
    if options.reduction:
        from .reduction import check_reduction

        check_reduction(system, properties)
    for name, choices in options.fairness.items():
        known = [choice.name for choice in system.action(name).choices]
        for choice in choices:
            if choice not in known:
                raise ModelError(f"fairness of action {name!r} names a choice {choice!r}; it has {known}")
    for name in options.within:
        if name not in later:
            raise ModelError(f"within bounds {name!r}, which is no leads-to that is asked")


def _shortest(
    plan: Plan, swaps: Sequence[Image], states_max: int | None, asked: Property, options: Options
) -> Exploration:
    """The search for one property without reduction."""
    return _Search(attrs.evolve(plan, properties=(asked,)), swaps, states_max, options).run()


@attrs.frozen
class _Counts:
    """What was covered at the end of a stretch: an interrupt may come in the middle of the next."""

    states: int
    taken: int
    fired: tuple[int, ...]
    reached: tuple[int, ...]

    @classmethod
    def of(cls, store: Store) -> _Counts:
        fired, reached = (tuple(int(number) for number in part) for part in (store.tally.fired, store.tally.reached))
        return cls(store.count, store.at, fired, reached)


class _Switch:
    """Decides when compiled code pays."""

    def __init__(self, plan: Plan, options: Options) -> None:
        self._plan = plan
        self._compiled: Compiled | None = None
        self._after = {"auto": WARM_SECONDS, "compiled": 0.0}.get(options.searcher)
        self._forced = options.searcher == "compiled"

    def due(self, seconds: float) -> Compiled | None:
        """The compiled search if it should take over after so long in Python."""
        if self._after is None or seconds < self._after:
            return None
        if self._compiled is None:
            self._compiled = Compiled(self._plan) if machine_code.available() else None
            if self._compiled is None or not self._compiled.exact:
                if self._forced:
                    raise ModelError(
                        f"system {self._plan.system.name!r} cannot be compiled: "
                        + ("install latchcheck[explore]" if self._compiled is None else "its numbers need over 62 bits")
                    )
                self._after = None
                return None
            self._after = 0.0 if self._forced else self._compiled.seconds
            return self.due(seconds)
        self._after = None
        return self._compiled


class _Search:
    """One search and what it leaves behind."""

    def __init__(self, plan: Plan, swaps: Sequence[Image], states_max: int | None, options: Options) -> None:
        self.plan = plan
        self.swaps = swaps
        self.options = options
        self.began = self.told = time.perf_counter()
        # What was spent here decides what pays, not how long a busy machine took over it.
        self.worked = time.process_time()
        self.runs = Runs(plan)
        # The stepper has the word on open parameters and on the conditions of the initial state.
        self.start = plan.layout.pack(tuple(Stepper(plan.system).state.values()))
        # What compiled code takes a state at most; Python takes more, and is measured as it goes.
        by_memory = min(options.memory_max_bytes // MachineStore.bytes_each_max(plan.layout), STATES_MAX)
        self.limited: Stopped = "memory" if states_max is None or by_memory < states_max else "states"
        self.limit = max(1, by_memory if states_max is None else min(by_memory, states_max))
        self.switch = _Switch(plan, options)
        self.store: Store = PythonStore(plan, self.runs.canonical(self.start), self.limit, first=not options.keep_going)

    def run(self) -> Exploration:
        """Search to the end, or to what ends it before."""
        with doing("searching", unit="states", done=lambda: self.store.count, covered=self._waiting):
            how, counts, stopped = self._advance()
        if how == COARSE:
            raise Coarse(self.store.detail)
        if how == RANGE:
            self._outside()
        if how == DONE:
            stopped = None
        elif how in (VIOLATED, LIMIT):
            stopped = "violation" if how == VIOLATED else self.limited
        if self.swaps:
            self.runs.check_symmetry(neighbours(self.options.symmetry), self.store.state, counts.states)
        return self._answer(counts, stopped)

    def _advance(self) -> tuple[int, _Counts, Stopped | None]:
        """Search stretch by stretch: how the last one ended, what was covered by then, what ended it from outside."""
        how = GOING
        stopped: Stopped | None = None
        counts = _Counts.of(self.store)
        try:
            while how == GOING and stopped is None:
                compiled = (
                    self.switch.due(time.process_time() - self.worked) if isinstance(self.store, PythonStore) else None
                )
                if compiled is not None:
                    self._take_over(compiled)
                how = self.store.advance()
                counts = _Counts.of(self.store)
                self._tell(counts)
                if self.store.bytes_used > self.options.memory_max_bytes:
                    stopped = "memory"
        except KeyboardInterrupt:
            stopped = "interrupt"
        except MemoryError:
            stopped = "no-memory"
        return how, counts, stopped

    def _waiting(self) -> str:
        """What is said to whoever watches."""
        return f"{self.store.count - self.store.at:,} waiting"

    def _take_over(self, compiled: Compiled) -> None:
        before = self.store
        assert isinstance(before, PythonStore)
        while True:
            try:
                self.store = MachineStore(self.plan, compiled, before, self.limit, first=not self.options.keep_going)
            except MemoryError:
                # Room for every state that the limit allows is asked for at once: with less, the search may still end.
                if self.limit < 2 * before.count:
                    raise
                self.limit, self.limited = self.limit // 2, "no-memory"
            else:
                return

    def _tell(self, counts: _Counts) -> None:
        now = time.perf_counter()
        if self.options.progress is not None and now - self.told >= PROGRESS_SECONDS:
            self.told = now
            self.options.progress(
                Progress(counts.states, counts.states - counts.taken, sum(counts.fired), now - self.began)
            )

    def _answer(self, counts: _Counts, stopped: Stopped | None) -> Exploration:
        properties, tally = self.plan.properties, self.store.tally
        broken: dict[str, tuple[int, Trace, str]] = {}
        witnesses: dict[str, Trace] = {}
        loops: dict[str, int] = {}
        for k, asked in enumerate(properties):
            at = int(tally.found[k])
            if at >= 0 and asked.expectation == "reachable":
                witnesses[asked.id] = self._trace(at)
            elif at >= 0:
                edge = edge_of(self.store, self.plan.layout, k) if asked.expectation == "never-changes" else None
                broken[asked.id] = (at, self._trace(at, edge), asked.clauses[int(tally.broken[k])].label)
        longer: list[str] = []
        if stopped is None:
            stopped = self._later(broken, loops, longer)
        worst = min(broken, key=lambda name: broken[name][0], default=None)
        return Exploration(
            states=counts.states,
            transitions=sum(counts.fired),
            depth=len(self._path(counts.states - 1)),
            fired=dict(zip(self.plan.codes, counts.fired, strict=True)),
            complete=stopped is None,
            counterexample=None if worst is None else broken[worst][1],
            violated=worst,
            clause=None if worst is None else broken[worst][2],
            reached=dict(zip((asked.id for asked in properties), counts.reached, strict=True)),
            witnesses=witnesses,
            counterexamples={name: trace for name, (_, trace, _) in broken.items()},
            clauses={name: label for name, (_, _, label) in broken.items()},
            loops=loops,
            longer=tuple(longer),
            stopped=stopped,
            engine="compiled" if isinstance(self.store, MachineStore) else "python",
            bytes_used=self.store.bytes_used,
        )

    def _later(
        self, broken: dict[str, tuple[int, Trace, str]], loops: dict[str, int], longer: list[str]
    ) -> Stopped | None:
        """Judge every leads-to on the graph that was found; what ended that before all were.

        `longer` are those whose loop may be longer than it need be.
        """
        if all(asked.expectation != "leads-to" for asked in self.plan.properties):
            return None
        from .leads_to import TooLarge

        try:
            self._judge_later(broken, loops, longer)
        except KeyboardInterrupt:
            return "interrupt"
        except TooLarge:
            return "memory"
        except MemoryError:
            return "no-memory"
        return None

    def _judge_later(self, broken: dict[str, tuple[int, Trace, str]], loops: dict[str, int], longer: list[str]) -> None:
        from .leads_to import Graph, judge

        graph: Graph | None = None
        depth = partial(self._depth, [0])
        room = self.options.memory_max_bytes - self.store.bytes_used
        for k, asked in enumerate(self.plan.properties):
            if asked.expectation != "leads-to":
                continue
            graph = graph or Graph(self.plan, self.runs, self._order(), depth, room)
            with doing("looking for runs that go on for ever"):
                lasso = judge(graph, k, self.options)
            if lasso is not None:
                steps = self.runs.along(self.start, self._path(lasso.seed))
                broken[asked.id] = (self.store.count, self.runs.trace(self.start, [*steps, *lasso.moves]), lasso.clause)
                if lasso.before is not None:
                    loops[asked.id] = len(steps) + lasso.before
                if lasso.roundabout:
                    longer.append(asked.id)

    def _order(self) -> Sequence[int]:
        """Every state, in the order in which they were found."""
        store = self.store
        return store.order if isinstance(store, PythonStore) else [store.state(at) for at in range(store.count)]

    def _depth(self, levels: list[int], position: int) -> int:
        """The steps to a state; `levels` are the first positions of each depth, as far as anybody asked."""
        while levels[-1] <= position:
            # A breadth-first search takes states by their depth.
            rest = range(self.store.count)
            levels.append(bisect_left(rest, len(levels), levels[-1], key=lambda at: len(self._path(at))))
        return bisect_right(levels, position) - 1

    def _path(self, position: int) -> list[int]:
        """The states after the first on a shortest run to a state, as they are kept."""
        found = []
        while (parent := self.store.parent(position)) >= 0:
            found.append(self.store.state(position))
            position = parent
        return found[::-1]

    def _trace(self, position: int, edge: int | None = None) -> Trace:
        moves = self.runs.along(self.start, self._path(position))
        if edge is not None:
            moves += self._last(moves[-1][2] if moves else self.start, edge)
        return self.runs.trace(self.start, moves)

    def _last(self, state: int, edge: int) -> list:
        kept = self.runs.canonical(edge)
        return [next(move for move in self.runs.steps(state) if self.runs.canonical(move[2]) == kept)]

    def _outside(self) -> None:
        code, name, value = self.store.detail
        variable = self.plan.system.variable(name)
        if self.plan.layout.fields[name].assumed:
            raise Narrow
        steps = len(self._path(self.store.at))
        raise ModelError(
            f"action {self.plan.codes[code]!r} sets variable {name!r} to {value}, "
            f"outside {variable.domain}, after {steps} steps"
        )
