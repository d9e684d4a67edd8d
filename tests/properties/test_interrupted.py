"""A verification that the user ends tells what it has answered by then."""

from __future__ import annotations

from ctypes import ArgumentError

import pytest

from latchcheck.model.reading import read
from latchcheck.properties.timing import CATALOGUE, verify
from latchcheck.properties.timing.analyses import ANALYSES

FAILED_HALFWAY = ArgumentError("half-way")
FAILED_HALFWAY.__context__ = KeyboardInterrupt()
ENDS = [KeyboardInterrupt(), ArgumentError("argument 2: KeyboardInterrupt: "), FAILED_HALFWAY]


@pytest.mark.parametrize("end", ENDS, ids=["plain", "inside a call into the solver", "half-way"])
def test_what_is_answered_is_told_and_the_rest_is_inconclusive(
    monkeypatch: pytest.MonkeyPatch, end: BaseException
) -> None:
    """The first two properties are answered as ever, every later one is inconclusive and says why."""
    config = read(client="strands-py", server="mcp-py-1", sets=["workload.execution=2m"])
    whole = verify(config)
    third = list(CATALOGUE)[2]

    def ended(_facts: object) -> None:
        raise end

    monkeypatch.setitem(ANALYSES, third, ended)
    found = verify(config)
    assert (False, True) == (whole.interrupted, found.interrupted)
    assert [one.verdict for one in whole.properties[:2]] == [one.verdict for one in found.properties[:2]]
    assert {("inconclusive", "interrupted before it was answered")} == {
        (one.verdict, one.reason) for one in found.properties[2:]
    }
