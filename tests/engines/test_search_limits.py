"""What ends a search early is told, what it covered counts, and compiled code takes over without a seam."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import z3

from latchcheck.engines import machine_code, packed, packed_search
from latchcheck.engines.explicit import Options, Progress, explore
from latchcheck.engines.layout import Layout
from latchcheck.kernel import Action, Clause, IntRange, ModelError, Property, Sentence, System, Variable
from tests.benchmarks.relay import no_write_after_cancel, relay
from tests.engines.random_systems import Naive

SEARCHERS: tuple[Any, ...] = ("python", "compiled")
# One task with two workers and versions to 1, 2 and 3, counted by the naive search; tasks do not touch each other.
ONE, TWO, THREE = 101, 313, 708
SMALL = relay(2, (1, 2))
SMALL_STATES = ONE * TWO


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests leave nothing on the disk."""
    monkeypatch.setenv("LATCHCHECK_CACHE", "/dev/null/none")


def test_one_task_has_its_number_of_states() -> None:
    """The naive search finds what the other tests multiply."""
    assert [len(Naive(relay(2, (n,)), [], keep_going=True).order) for n in (1, 2, 3)] == [ONE, TWO, THREE]


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_independent_parts_multiply(searcher: Any) -> None:
    """Two tasks that do not touch have the product of their states, and the sum of n1 * t2 and n2 * t1 steps."""
    one, two = explore(relay(2, (1,))), explore(relay(2, (2,)))
    both = explore(SMALL, [no_write_after_cancel(SMALL)], options=Options(searcher=searcher))

    assert both.states == one.states * two.states
    assert both.transitions == one.states * two.transitions + two.states * one.transitions
    assert (both.depth, both.violated, both.engine) == (one.depth + two.depth, None, searcher)


@pytest.mark.parametrize("stretch", [1, 7, 1000])
def test_compiled_code_takes_over_without_a_seam(monkeypatch: pytest.MonkeyPatch, stretch: Any) -> None:
    """Whenever the compiled search takes over, every number is that of the search in Python."""
    monkeypatch.setattr(packed, "WARM_SECONDS", 0)
    monkeypatch.setattr(packed_search, "COLD_SECONDS", 0.001)
    monkeypatch.setattr(packed_search, "LINE_SECONDS", 0)
    monkeypatch.setattr(packed_search, "_STRETCH_PYTHON", stretch)
    found = explore(SMALL, [no_write_after_cancel(SMALL)])
    plain = explore(SMALL, [no_write_after_cancel(SMALL)], options=Options(searcher="python"))

    assert found.engine == "compiled"
    for name in ("states", "transitions", "depth", "fired", "complete", "reached"):
        assert getattr(plain, name) == getattr(found, name)


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_a_limit_on_states_is_kept(searcher: Any) -> None:
    """A search that may keep a thousand states keeps a thousand and says that states ended it."""
    found = explore(SMALL, states_max=1000, options=Options(searcher=searcher))

    assert (found.states, found.complete, found.stopped) == (1000, False, "states")


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_a_limit_on_memory_is_kept(monkeypatch: pytest.MonkeyPatch, searcher: Any) -> None:
    """A search that may take 300 kilobytes ends before it takes more, and says that memory ended it."""
    monkeypatch.setattr(packed_search, "_STRETCH_PYTHON", 100)
    found = explore(SMALL, options=Options(searcher=searcher, memory_max_bytes=300_000))

    assert (found.complete, found.stopped) == (False, "memory")
    assert 1000 < found.states <= 300_000 / 24


@pytest.mark.parametrize("words", [1, 3])
def test_a_state_takes_at_most_32_bytes(words: int) -> None:
    """State, what leads back and table together: counted over a search that has grown its table several times.

    Three words have 157 bits, as many as the lifecycle model of the benchmark.
    """
    system = relay(2, (2, 3))
    if words > 1:
        more = [Variable(f"padding{i}", IntRange(0, (1 << 16) - 1), 0) for i in range(7)]
        system = System("padded", (*system.variables, *more), system.actions)
    found = explore(system, options=Options(searcher="compiled"))

    assert Layout.of(system).words == words
    assert found.states == TWO * THREE
    assert found.bytes_used / found.states <= 32


def test_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """States never fall, and all are either taken or waiting."""
    monkeypatch.setattr(packed, "PROGRESS_SECONDS", 0)
    monkeypatch.setattr(packed_search, "_STRETCH_PYTHON", 1000)
    told: list[Progress] = []
    explore(SMALL, options=Options(progress=told.append, searcher="python"))

    assert [one.states for one in told] == sorted(one.states for one in told)
    assert (told[-1].states, told[-1].waiting) == (SMALL_STATES, 0)
    assert all(0 <= one.waiting < one.states for one in told)


def test_an_interrupt_tells_what_was_covered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C ends the search with the numbers of the stretch before, where they are asked for, and is raised else."""
    monkeypatch.setattr(packed, "PROGRESS_SECONDS", 0)
    monkeypatch.setattr(packed_search, "_STRETCH_PYTHON", 1000)

    def stop(progress: Progress) -> None:
        if progress.states > 5000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        explore(SMALL, options=Options(progress=stop, searcher="python"))
    found = explore(SMALL, options=Options(progress=stop, searcher="python", keep_interrupted=True))
    assert (found.complete, found.stopped) == (False, "interrupt")
    assert 5000 < found.states < SMALL_STATES


def test_numbers_too_large_for_the_machine_stay_in_python() -> None:
    """A product beyond 62 bits is counted by Python alone, and asking for compiled code says why not."""
    n = Variable("n", IntRange(0, 1 << 40), 1)
    square = Action("square", "x", (), {"n": z3.If(n.term * n.term < 1 << 40, n.term * n.term + 1, n.term)})
    system = System("squares", (n,), (square,))

    # 1, 2, 5, 26, 677, 458330, 210066388901, and then the square is too large.
    assert explore(system).states == 7
    with pytest.raises(ModelError, match="cannot be compiled: its numbers need over 62 bits"):
        explore(system, options=Options(searcher="compiled"))


def test_a_variable_wider_than_a_word_is_still_searched() -> None:
    """What cannot be packed is searched over exact values."""
    n = Variable("n", IntRange(0, 1 << 70), 1)
    double = Action("double", "x", (Clause("room", n.term < 1 << 69),), {"n": n.term * 2})
    found = explore(System("wide", (n,), (double,)))

    assert (found.states, found.engine) == (70, "exact")


def test_every_broken_property_gets_its_run() -> None:
    """A search that keeps going tells the shortest run for each, and covers all states."""
    n = Variable("n", IntRange(0, 5), 0)
    up = Action("up", "x", (Clause("below 5", n.term < 5),), {"n": n.term + 1})
    words = Sentence("A toy counts.", "a toy", "here")
    asked = [Property(f"below {k}", "MUST", words, (Clause("below", n.term < k),)) for k in (4, 2, 9)]
    found = explore(System("s", (n,), (up,)), asked, options=Options(keep_going=True))

    assert {name: len(trace) for name, trace in found.counterexamples.items()} == {"below 4": 4, "below 2": 2}
    assert (found.violated, found.states, found.complete) == ("below 2", 6, True)


def test_machine_code_is_kept_and_read_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The second process finds the code on the disk; a folder that others may write to is not trusted."""
    home = tmp_path / "cache"
    monkeypatch.setenv("LATCHCHECK_CACHE", str(home))
    options = Options(searcher="compiled")
    expected = explore(SMALL, options=options).states
    assert [path.suffix for path in home.iterdir()] == [".o"]

    def refuse(*_: Any) -> bytes:
        raise AssertionError("compiled again")

    monkeypatch.setattr(machine_code.Compiler, "_compiled", refuse)
    assert explore(SMALL, options=options).states == expected
    home.chmod(0o777)
    with pytest.raises(AssertionError, match="compiled again"):
        explore(SMALL, options=options)


TINY = """
def search(n: "i64") -> 1:
    return n + 1
def refill(n: "i64") -> 1:
    return n
"""


def two(compiler: machine_code.Compiler) -> int:
    """What the machine code makes of 1, which is 2; it goes with the code that holds it."""
    code = compiler.load(TINY)
    return code.search(1)


@pytest.mark.parametrize(
    "damaged",
    [lambda _: b"", lambda kept: kept[: len(kept) // 2], lambda kept: kept[:-1] + b"?", lambda kept: kept[32:]],
)
def test_damaged_machine_code_is_compiled_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, damaged: Any) -> None:
    """What a full disk cut off, a fault of it changed, or a version without a digest left is not run but replaced."""
    monkeypatch.setenv("LATCHCHECK_CACHE", str(tmp_path / "cache"))
    compiler = machine_code.Compiler()
    assert two(compiler) == 2
    (path,) = (tmp_path / "cache").iterdir()
    kept = path.read_bytes()
    path.write_bytes(damaged(kept))

    assert two(compiler) == 2
    assert [(path, kept)] == [(one, one.read_bytes()) for one in (tmp_path / "cache").iterdir()]


@pytest.mark.parametrize("home", ["x" * 300, "/dev/null/none", None])
def test_without_a_place_for_it_machine_code_is_made_each_time(monkeypatch: pytest.MonkeyPatch, home: Any) -> None:
    """A name that is too long, a folder that cannot be one, a user without a home: compiled, used, not kept."""

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(machine_code.Path, "home", homeless)
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.delenv("LATCHCHECK_CACHE") if home is None else monkeypatch.setenv("LATCHCHECK_CACHE", home)
    compiler = machine_code.Compiler()

    assert (compiler.is_kept(TINY), two(compiler), compiler.is_kept(TINY)) == (False, 2, False)


def test_machine_code_that_cannot_be_written_leaves_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A disk that is full when the file is put in its place: the search goes on, and no part of a file stays."""

    def full(*_: Any) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setenv("LATCHCHECK_CACHE", str(tmp_path))
    monkeypatch.setattr(machine_code.Path, "replace", full)

    assert two(machine_code.Compiler()) == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("largest", "stopped"), [(1 << 20, None), (0, "no-memory")])
def test_a_machine_without_memory_ends_a_search(monkeypatch: pytest.MonkeyPatch, largest: int, stopped: Any) -> None:
    """Compiled code makes do with room for fewer states than the limit allows; with none the search says so."""
    mapped = machine_code.mmap.mmap

    def scarce(place: int, size: int, **rest: Any) -> Any:
        if size > largest:
            raise OSError(12, "Cannot allocate memory")
        return mapped(place, size, **rest)

    monkeypatch.setattr(machine_code.mmap, "mmap", scarce)
    found = explore(SMALL, options=Options(searcher="compiled"))

    assert (found.stopped, found.complete) == (stopped, stopped is None)
    assert (SMALL_STATES if stopped is None else 1) == found.states


def test_python_without_memory_tells_what_was_covered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The numbers are those of the stretch before, and nothing holds."""
    monkeypatch.setattr(packed_search, "_STRETCH_PYTHON", 1000)
    advance = packed_search.PythonStore.advance

    def scarce(store: packed_search.PythonStore) -> int:
        if store.at >= 3000:
            raise MemoryError
        return advance(store)

    monkeypatch.setattr(packed_search.PythonStore, "advance", scarce)
    found = explore(SMALL, options=Options(searcher="python"))

    assert (found.stopped, found.complete) == ("no-memory", False)
    assert 3000 < found.states < SMALL_STATES


def test_without_a_compiler_python_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where llvmlite is not installed the search stays in Python, and asking for compiled code says what to install."""
    monkeypatch.setattr(machine_code, "available", lambda: False)
    monkeypatch.setattr(packed, "WARM_SECONDS", 0)

    assert explore(SMALL).engine == "python"
    with pytest.raises(ModelError, match=r"install latchcheck\[explore\]"):
        explore(SMALL, options=Options(searcher="compiled"))
