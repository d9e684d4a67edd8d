"""The packed search in Python, the source for numba and the compiled code count what a naive search counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from latchcheck.engines import compiled_cache, layout
from latchcheck.engines.explicit import Options, explore
from latchcheck.kernel import ModelError, Property, System, replay
from latchcheck.kernel.compiling import define
from tests.engines.random_systems import Naive, OutOfRange, properties, systems

MANY = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
    phases=tuple(Phase)[:3],
)


@pytest.fixture(params=["python", "numba, interpreted", "numba, interpreted, words of 4 bits"])
def searcher(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each way to search; interpreted, the source for numba runs as Python, so that many systems can be tried."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param != "python":
            patch.setattr(compiled_cache, "load", interpreted)
        if "words" in request.param:
            # Small words make small systems need several.
            patch.setattr(layout, "FIELD_BITS_MAX", 4)
        yield request.param.split(",")[0]


def interpreted(_: str, text: str) -> Any:
    """The search of a source as plain Python, which costs no compiling."""
    from latchcheck.engines import numba_runtime

    lines = [line for line in text.splitlines() if not line.startswith(("from", "@njit"))]
    return define("search", lines, {**vars(numba_runtime), "prefetch": lambda *_: None})


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


@settings(MANY, max_examples=60)
@given(data=st.data(), keep_going=st.booleans())
def test_every_searcher_counts_what_a_naive_search_counts(searcher: Any, data: st.DataObject, keep_going: Any) -> None:
    """The same through the source that numba compiles, with one word a state and with several."""
    system = data.draw(systems())
    with np.errstate(all="ignore"):
        compare(system, data.draw(properties(system)), searcher, keep_going=keep_going)
