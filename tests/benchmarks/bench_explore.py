"""What the exhaustive search costs beside Spin, TLC and plain Python: `python tests/benchmarks/bench_explore.py`.

Spin (`spin`, `gcc`) and java must be on the machine. Every checker searches the same system in the same run, one after
the other in turns, and the numbers of distinct states are compared before any time is. Told is the best of the turns,
by the clock and in time of the processor: other work on the machine only ever adds.
The results of one machine are in docs/reference/benchmarks-explore.md.
"""

from __future__ import annotations

import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from time import perf_counter, process_time

import attrs

from latchcheck.engines.explicit import Options, Symmetry, explore
from latchcheck.engines.layout import Layout
from latchcheck.kernel import Bool, IntRange, System, Variable
from latchcheck.kernel.program import program
from latchcheck.report.interchange import to_tla
from tests.benchmarks.promela import promela
from tests.benchmarks.relay import relay
from tests.engines.tlc import jar

# Two tasks of two workers each, the versions running to these: 708 x 1340 and 2263 x 5198 states.
SIZES = {"a million": (3, 4), "twelve million": (5, 7)}
TURNS = {"a million": 5, "twelve million": 2}
# The lifecycle as one system, with two tasks and two workers.
LIFECYCLE = "tasks=2,workers=2,clients=2,tenants=2,crashes=1,redeliveries=1,cancels=1"
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

    def __init__(self, system: System, folder: Path, states: int, *, reduction: bool, apart: bool = False) -> None:
        (folder / "model.pml").write_text(promela(system, apart=apart), encoding="ascii")
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
    if states < 2_000_000:
        taken["frozen records in Python"] = [frozen_records(system)]
    place = folder / f"{states}-tlc"
    place.mkdir()
    taken["TLC, two workers"] = [Tlc(system, place)(system)]
    for checker, found in taken.items():
        assert all(one.states == states for one in found if one.complete), f"{checker}: {found}, {states} are there"
        yield checker, found


def padded(system: System) -> System:
    """The same states in three words instead of one: each gets 112 bits that never change."""
    more = [Variable(f"padding{i}", IntRange(0, (1 << 16) - 1), 0) for i in range(7)]
    found = System(f"{system.name}, padded", (*system.variables, *more), system.actions)
    assert (Layout.of(system).words, Layout.of(found).words) == (1, 3)
    return found


def words() -> None:
    """Print the price of states that do not fit one word, in turns with the same states in one."""
    print("\n## Words a state\n\n| states | words | by the clock, s | processor, s | bytes a state |")
    print("|--:|--:|--:|--:|--:|")
    for versions in SIZES.values():
        plain = relay(2, versions)
        systems = {1: plain, 3: padded(plain)}
        found = [(count, compiled(system)) for _ in range(3) for count, system in systems.items()]
        for count in systems:
            turns = [took for of, took in found if of == count]
            seconds, used = min(one.seconds for one in turns), min(one.processor for one in turns)
            print(
                f"| {turns[0].states:,} | {count} | {seconds:.2f} | {used:.2f} | {turns[0].bytes_each:.1f} |",
                flush=True,
            )


def table(name: str, folder: Path) -> None:
    """Print the table of one size."""
    ours: Took | None = None
    print(f"\n## About {name} states\n")
    print(f"| {' | '.join(COLUMNS)} |\n|---|{'--:|' * (len(COLUMNS) - 1)}")
    for checker, found in rows(name, folder):
        best = min(found, key=lambda one: one.processor)
        seconds = min(one.seconds for one in found)
        each, used = seconds / best.states, best.processor / best.states
        if ours is None:
            ours = attrs.evolve(best, seconds=seconds)
        ratios = each / (ours.seconds / ours.states), used / (ours.processor / ours.states)
        size = "" if best.bytes_each is None else f"{best.bytes_each:.1f}"
        cut = "" if best.complete else f" (cut after {best.states:,} states)"
        numbers = [f"{best.states / seconds:,.0f}", f"{seconds:.2f}", f"{best.processor:.2f}", size]
        print(f"| {checker}{cut} | {' | '.join(numbers)} | {ratios[0]:.1f} | {ratios[1]:.1f} |", flush=True)


def reductions(folder: Path) -> None:
    """Print how many states each way to keep fewer of them keeps."""
    system = relay(2, SIZES["a million"])
    states = explore(system).states
    swaps = tuple(Symmetry(tuple((f"phase{t}_{w}", f"seen{t}_{w}") for w in range(2))) for t in range(2))
    kept = {"all states": states}
    for word, apart in (("all in one process", False), ("each task a process of its own variables", True)):
        place = folder / f"apart-{apart}"
        place.mkdir()
        spin = Spin(system, place, states, reduction=True, apart=apart)
        kept[f"Spin with reduction, {word}"] = spin(system).states
    for word, options in (
        ("symmetry of workers", Options(symmetry=swaps)),
        ("reduction", Options(reduction=True)),
        ("reduction and symmetry", Options(reduction=True, symmetry=swaps)),
    ):
        kept[f"latchcheck, {word}"] = explore(system, options=options).states
    print("\n## States kept of about a million\n\n| search | states |\n|---|--:|")
    for word, count in kept.items():
        print(f"| {word} | {count:,} |")


def lifecycle() -> None:
    """Print what the lifecycle model costs, searched as one system with all that it can tell."""
    from latchcheck.model.policy import Policy
    from latchcheck.model.scope import Scope
    from latchcheck.properties.lifecycle.searches import build

    print(f"\n## The lifecycle model\n\nSome parties: `{LIFECYCLE}`.")
    print("All properties of a scope in one search without symmetry, cut at five million states.\n")
    print(
        "| scope | properties | states | transitions | words a state | bytes a state | states a second | processor, s |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    options = Options(keep_going=True, memory_max_bytes=8 << 30)
    for name, scope in (("some parties", LIFECYCLE), ("`deep`", "deep"), ("`wide`", "wide")):
        built, asked = build(Scope.parse(scope), Policy.parse("guarded"))
        explore(built.system, asked, states_max=2, options=attrs.evolve(options, searcher="compiled"))
        before = process_time()
        found = explore(built.system, asked, states_max=5_000_000, options=options)
        seconds = process_time() - before
        assert not found.counterexamples, found.clauses
        print(
            f"| {name} | {len(asked)} | {found.states:,}{'' if found.complete else ' (cut)'} | {found.transitions:,} "
            f"| {Layout.of(built.system).words} | {found.bytes_used / found.states:.1f} "
            f"| {found.states / seconds:,.0f} | {seconds:.2f} |",
            flush=True,
        )


def whole_process() -> None:
    """Print what a process takes that searches some ten thousand states, its start and all."""
    text = (
        "from tests.engines.toys.two_phase_commit import two_phase_commit, consistent\n"
        "from latchcheck.engines.explicit import explore\n"
        "system = two_phase_commit(5)\nprint(explore(system, [consistent(system)]).states)"
    )
    with tempfile.TemporaryDirectory() as cold:
        os.environ["LATCHCHECK_CACHE"] = cold
        for word in ("cold", "warm"):
            took = measured(
                lambda: (int(run([sys.executable, "-c", text], Path.cwd())), None), resource.RUSAGE_CHILDREN
            )
            print(
                f"A process that searches {took.states:,} states, all counted, {word}: "
                f"{took.seconds:.2f} s by the clock, {took.processor:.2f} s of the processor."
            )


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


def _processor() -> str:
    """The name of the processor."""
    about = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*:\s*(.+)", about.read_text()) if about.exists() else None
    return found[1] if found else platform.processor()


def main() -> None:
    """Every table."""
    print(f"{_processor()}, {os.cpu_count()} processors, {platform.system()}, Python {platform.python_version()}.")
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or SIZES:
            table(name, Path(folder))
        words()
        reductions(Path(folder))
    lifecycle()
    starts()
    whole_process()


if __name__ == "__main__":
    main()
