"""What the exhaustive search costs beside Spin, TLC and plain Python: `python tests/benchmarks/bench_explore.py`.

Spin (`spin`, `gcc`) and java must be on the machine. Every checker searches the same system in the same run, one after
the other in turns, and the numbers of distinct states are compared before any time is.
The results of one machine are in docs/reference/benchmarks-explore.md.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from time import perf_counter

import attrs

from latchcheck.engines.explicit import Options, Symmetry, explore
from latchcheck.kernel import Bool, IntRange, System, Variable
from latchcheck.kernel.program import program
from latchcheck.report.interchange import to_tla
from tests.benchmarks.promela import promela
from tests.benchmarks.relay import relay
from tests.engines.tlc import jar

# Two tasks of two workers each, the versions running to these: 708 x 1340 and 2263 x 5198 states.
SIZES = {"a million": (3, 4), "twelve million": (5, 7)}
TURNS = {"a million": 5, "twelve million": 3}
TLC_SECONDS_MAX = 600
COLUMNS = (
    "checker",
    "states a second",
    "by the clock, s",
    "processor, s",
    "bytes a state",
    "times slower",
    "(processor)",
)


@attrs.frozen
class Took:
    """What one search of a system took, its start left out; `states` in so many seconds, which may be cut short."""

    states: int
    seconds: float
    processor: float
    bytes_each: float | None = None
    complete: bool = True


def measured(call: Callable[[], tuple[int, float | None]], who: int = resource.RUSAGE_SELF) -> Took:
    """Clock and processor time of a call that gives states and bytes a state."""
    before, began = resource.getrusage(who), perf_counter()
    states, size = call()
    seconds, after = perf_counter() - began, resource.getrusage(who)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Took(states, seconds, used, size)


def compiled(system: System) -> Took:
    """This project's search with its machine code on the disk; writing the source and reading the code count."""

    def call() -> tuple[int, float]:
        found = explore(system, options=Options(searcher="compiled", memory_max_bytes=8 << 30))
        assert found.complete
        return found.states, found.bytes_used / found.states

    return measured(call)


def in_python(system: System) -> Took:
    """This project's search without compiled code."""

    def call() -> tuple[int, float]:
        found = explore(system, options=Options(searcher="python", memory_max_bytes=8 << 30))
        return found.states, found.bytes_used / found.states

    return measured(call)


def frozen_records(system: System) -> Took:
    """A plain breadth-first search over frozen records, the actions being the kernel's compiled functions."""
    names = [f"f{i}" for i in range(len(system.variables))]
    record = attrs.make_class("Record", names, frozen=True, slots=True)
    code = program(system)
    steps = [(code.action(a.name), list(product(*(c.domain.members() for c in a.choices)))) for a in system.actions]

    def call() -> tuple[int, None]:
        start = record(*(variable.initial for variable in system.variables))
        seen = {start: None}
        queue = [start]
        for state in queue:
            values = attrs.astuple(state, recurse=False)
            for run, choices in steps:
                for picked in choices:
                    after = run(values, picked)
                    if not isinstance(after, int):
                        new = record(*after)
                        if new not in seen:
                            seen[new] = state
                            queue.append(new)
        return len(queue), None

    return measured(call)


class Spin:
    """Spin's verifier, built once at -O2; its table has as many places as there are states, or up to twice that."""

    def __init__(self, system: System, folder: Path, states: int, *, reduction: bool) -> None:
        (folder / "model.pml").write_text(promela(system), encoding="ascii")
        flags = ["-O2", "-DSAFETY", "-DMEMLIM=16000"] + ([] if reduction else ["-DNOREDUCE"])
        run(["spin", "-a", "model.pml"], folder)
        run(["gcc", *flags, "-o", "pan", "pan.c"], folder)
        self._folder, self._places = folder, states.bit_length()

    def __call__(self, _: System) -> Took:
        """One search."""

        def call() -> tuple[int, float]:
            output = run(["./pan", "-m1000000", f"-w{self._places}", "-E"], self._folder)
            states = int(re.findall(r"(\d+) states, stored", output)[0])
            megabytes = float(re.findall(r"([\d.]+)\ttotal actual memory usage", output)[0])
            return states, megabytes * (1 << 20) / states

        return measured(call, resource.RUSAGE_CHILDREN)


class Tlc:
    """TLC with two workers on the exported module; its start, measured on a system of two states, is taken off."""

    def __init__(self, system: System, folder: Path) -> None:
        self._folder = folder
        bit = Variable("bit", Bool(), initial=False)
        self._write(System("one", (bit, Variable("n", IntRange(0, 1), 0)), ()))
        self._start = self._search()
        self._write(system)

    def _write(self, system: System) -> None:
        for name, text in to_tla(system).files.items():
            (self._folder / name).write_text(text, encoding="ascii")

    def __call__(self, _: System) -> Took:
        """One search, cut short after ten minutes."""
        took = self._search()
        seconds, processor = took.seconds - self._start.seconds, took.processor - self._start.processor
        return attrs.evolve(took, seconds=seconds, processor=processor)

    def _search(self) -> Took:
        java = shutil.which("java")
        assert java is not None, "TLC needs java"
        options = ["-XX:+UseParallelGC", "-Xmx8g", "-cp", str(jar()), "tlc2.TLC", "-workers", "2", "-deadlock"]
        command = [java, *options, "-metadir", "states", "-config", "Latchcheck.cfg", "Latchcheck"]
        complete = True

        def call() -> tuple[int, None]:
            nonlocal complete
            with (self._folder / "output").open("w") as file:
                try:
                    subprocess.run(command, cwd=self._folder, stdout=file, check=False, timeout=TLC_SECONDS_MAX)
                except subprocess.TimeoutExpired:
                    complete = False
            output = (self._folder / "output").read_text()
            shutil.rmtree(self._folder / "states", ignore_errors=True)
            return int(re.findall(r"([\d,]+) distinct states found", output)[-1].replace(",", "")), None

        return attrs.evolve(measured(call, resource.RUSAGE_CHILDREN), complete=complete)


def run(command: Sequence[str], folder: Path) -> str:
    """The output of a program that must succeed."""
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def rows(name: str, folder: Path) -> Iterator[tuple[str, Sequence[Took]]]:
    """Every checker on one size, in turns: the quick ones several times, the slow ones once."""
    system = relay(2, SIZES[name])
    states = explore(system, options=Options(memory_max_bytes=8 << 30)).states
    spins = {}
    for word, reduction in (("without", False), ("with", True)):
        place = folder / f"{len(str(states))}-{word}"
        place.mkdir()
        spins[f"Spin {word} reduction"] = Spin(system, place, states, reduction=reduction)
    quick: dict[str, Callable[[System], Took]] = {"latchcheck, compiled": compiled, **spins}
    taken: dict[str, list[Took]] = {checker: [] for checker in quick}
    for _ in range(TURNS[name]):
        for checker, search in quick.items():
            taken[checker].append(search(system))
    taken["latchcheck, Python"] = [in_python(system)]
    taken["latchcheck, compiled, three words a state"] = [compiled(padded(system))]
    if states < 2_000_000:
        taken["frozen records in Python"] = [frozen_records(system)]
    place = folder / f"{states}-tlc"
    place.mkdir()
    taken["TLC, two workers"] = [Tlc(system, place)(system)]
    for checker, found in taken.items():
        assert all(one.states == states for one in found if one.complete), f"{checker}: {found}, {states} are there"
        yield checker, found


def padded(system: System) -> System:
    """The same states in three words instead of one: each gets 100 bits that never change."""
    more = [Variable(f"padding{i}", IntRange(0, (1 << 50) - 1), 0) for i in range(2)]
    return System(f"{system.name}, padded", (*system.variables, *more), system.actions)


def table(name: str, folder: Path) -> None:
    """Print the table of one size."""
    ours: Took | None = None
    print(f"\n## About {name} states\n")
    print(f"| {' | '.join(COLUMNS)} |\n|---|{'--:|' * (len(COLUMNS) - 1)}")
    for checker, found in rows(name, folder):
        middle = sorted(found, key=lambda one: one.processor)[len(found) // 2]
        seconds = statistics.median(one.seconds for one in found)
        each, used = seconds / middle.states, middle.processor / middle.states
        if ours is None:
            ours = attrs.evolve(middle, seconds=seconds)
        ratios = each / (ours.seconds / ours.states), used / (ours.processor / ours.states)
        size = "" if middle.bytes_each is None else f"{middle.bytes_each:.1f}"
        cut = "" if middle.complete else f" (cut after {middle.states:,} states)"
        numbers = [f"{middle.states / seconds:,.0f}", f"{seconds:.2f}", f"{middle.processor:.2f}", size]
        print(f"| {checker}{cut} | {' | '.join(numbers)} | {ratios[0]:.1f} | {ratios[1]:.1f} |", flush=True)


def starts() -> None:
    """Print what the times above leave out, and what symmetry saves."""
    system = relay(2, (3, 4))
    with tempfile.TemporaryDirectory() as cold:
        os.environ["LATCHCHECK_CACHE"] = cold
        first = measured(lambda: (explore(system, states_max=2, options=Options(searcher="compiled")).states, None))
        again = measured(lambda: (explore(system, states_max=2, options=Options(searcher="compiled")).states, None))
    print(f"\nCompiling: {first.processor - again.processor:.2f} s of the processor, once for each system.")
    print(f"Writing the source and loading the machine code, counted above: {again.processor:.2f} s.")
    begun = measured(lambda: (len(run([sys.executable, "-c", "import latchcheck.engines.explicit"], Path.cwd())), None),
                     resource.RUSAGE_CHILDREN)  # fmt: skip
    print(f"A process that has imported z3 and the engine, not counted: {begun.processor:.2f} s.")
    alike = relay(2, (3, 3))
    workers = tuple(Symmetry(tuple((f"phase{t}_{w}", f"seen{t}_{w}") for w in range(2))) for t in range(2))
    names = [[v.name for v in alike.variables if re.match(rf"[a-z]+{t}", v.name)] for t in range(2)]
    tasks = Symmetry(tuple(map(tuple, names)))
    plain, swapped = explore(alike), explore(alike, options=Options(symmetry=(tasks, *workers)))
    print(f"Two equal tasks: {plain.states:,} states, {swapped.states:,} with symmetry.")


def main() -> None:
    """Every table."""
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or SIZES:
            table(name, Path(folder))
    starts()


if __name__ == "__main__":
    main()
