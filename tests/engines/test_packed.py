"""The packed search in Python, the source for the machine and its compiled form count what a naive search counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from latchcheck.engines import layout, machine_code
from latchcheck.engines.explicit import Options, explore
from latchcheck.kernel import ModelError, Property, System, replay
from latchcheck.kernel.compiling import define
from tests.engines.random_systems import Naive, OutOfRange, properties, systems

MANY = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
    phases=tuple(Phase)[:3],
)


@pytest.fixture(
    params=["python", "compiled", "compiled, words of 4 bits", "interpreted", "interpreted, words of 4 bits"]
)
def searcher(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each way to search; interpreted, the source for the machine runs as Python, where an overflow is an error."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LATCHCHECK_CACHE", "/dev/null/none")
        if request.param.startswith("interpreted"):
            patch.setattr(machine_code.Compiler, "load", lambda _, text: interpreted(text))
        if "words" in request.param:
            # Small words make small systems need several.
            patch.setattr(layout, "FIELD_BITS_MAX", 4)
        yield "python" if request.param == "python" else "compiled"


def interpreted(text: str) -> machine_code.Code:
    """The functions of a source as plain Python; only the hash is cut to 64 bits, as the machine cuts it."""
    search = define("search", text.splitlines(), {"prefetch": lambda *_: None, "word": word, "put_word": put_word})
    scope = search.__globals__
    mix = scope["mix"]
    scope["mix"] = lambda word: (mix(word) + (1 << 63)) % (1 << 64) - (1 << 63)

    def called(function: Any) -> Any:
        return lambda *given: function(*(one.numbers if isinstance(one, machine_code.Memory) else one for one in given))

    return machine_code.Code(called(search), called(scope["refill"]))


def word(content: memoryview, start: int) -> int:
    """Eight bytes as the machine reads them, the lowest first."""
    return int.from_bytes(content[start : start + 8], "little", signed=True)


def put_word(content: memoryview, start: int, number: int) -> None:
    """The same for writing."""
    content[start : start + 8] = number.to_bytes(8, "little", signed=True)


def compare(system: System, asked: list[Property], searcher: Any, *, keep_going: bool) -> None:
    """The engine and the naive search agree on every number, and the runs are what they claim to be."""
    options = Options(searcher=searcher, keep_going=keep_going)
    try:
        naive = Naive(system, asked, keep_going=keep_going)
    except OutOfRange:
        with pytest.raises(ModelError, match="outside IntRange"):
            explore(system, asked, options=options)
        return
    found = explore(system, asked, options=options)

    assert found.engine == searcher
    assert (len(naive.order), naive.depth, naive.complete) == (found.states, found.depth, found.complete)
    assert (naive.fired, naive.reached) == (dict(found.fired), dict(found.reached))
    assert sum(naive.fired.values()) == found.transitions
    runs = {**found.counterexamples, **found.witnesses}
    assert naive.lengths == {name: len(trace) for name, trace in runs.items()}
    assert {n: c for n, c in naive.clauses.items() if c} == dict(found.clauses)
    for one in asked:
        if one.id in runs:
            shows(naive, one, list(replay(system, runs[one.id])))


def shows(naive: Naive, one: Property, states: list[Any]) -> None:
    """A run breaks its property in its last state or step, or reaches it there."""
    if one.expectation == "never-changes":
        assert naive.applies(one, states[-2])
        assert naive.failing(one, states[-2]) != naive.failing(one, states[-1])
    else:
        assert naive.applies(one, states[-1])
        assert bool(naive.failing(one, states[-1])) is (one.expectation == "always")


@MANY
@given(data=st.data(), keep_going=st.booleans())
def test_python_counts_what_a_naive_search_counts(data: st.DataObject, keep_going: Any) -> None:
    """States, steps, depth, times fired, verdicts, clauses and lengths are those of a search over mappings."""
    system = data.draw(systems())
    compare(system, data.draw(properties(system)), "python", keep_going=keep_going)


@settings(MANY, max_examples=30)
@given(data=st.data(), keep_going=st.booleans())
def test_every_searcher_counts_what_a_naive_search_counts(searcher: Any, data: st.DataObject, keep_going: Any) -> None:
    """The same through the source that is compiled, with one word a state and with several."""
    system = data.draw(systems())
    compare(system, data.draw(properties(system)), searcher, keep_going=keep_going)
