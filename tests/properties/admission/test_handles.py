"""The printed handle store, crashed between any two statements, and the repaired one: shortest runs and none."""

from __future__ import annotations

import pytest

from latchcheck.engines.explicit import explore
from latchcheck.model.handles import PRINTED, REPAIRED, REPAIRS, handle_system
from latchcheck.properties.admission.handles import promises, shortest

# Worked out by hand from the sixty printed lines; no shorter run can show each.
BROKEN = {
    "handle-never-lost": ["call", "accept", "crash"],
    "side-effect-once": ["call", "answer_directly", "return_direct", "call", "accept"],
    "idempotent-create": ["call", "accept", "reply", "record", "get_fails", "call_with_other_args"],
    "one-terminal-outcome": [
        *("call", "accept", "reply", "record", "t1_finishes", "get", "mark", "return_result"),
        *("call_finds_handle", "t1_expires", "get", "mark"),
    ],
    "view-never-goes-back": [
        *("call", "accept", "reply", "record", "crash", "recover", "call_finds_handle"),
        *("get", "t1_finishes", "reconciled_get", "reconciled_mark", "mark"),
    ],
    "result-reaches-client": ["call", "accept", "reply", "record", "t1_finishes", "get", "mark", "crash", "t1_expires"],
    "client-converges": ["call", "accept", "reply", "record", "get_fails"],
    "answered-input-is-consumed": ["call", "accept", "reply", "record", "t1_asks", "get", "mark"],
}
# The properties that are broken when one repair alone is left out.
NEEDED = {
    "intent": {"handle-never-lost"},
    "server-key": {"handle-never-lost", "side-effect-once"},
    "digest": {"idempotent-create"},
    "latch": {"one-terminal-outcome", "view-never-goes-back"},
    "result": {"result-reaches-client"},
    "retry": {"client-converges"},
    "surface": {"answered-input-is-consumed"},
    "direct": set(),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_printed_store_breaks(name: str) -> None:
    """As printed it breaks the property, in no fewer steps than the run worked out by hand."""
    found = shortest(name, PRINTED)
    assert found is not None
    assert len(BROKEN[name]) == len(found)
    assert sorted(BROKEN[name]) == sorted(step.action for step in found)


@pytest.mark.parametrize("name", BROKEN)
def test_the_repaired_store_keeps(name: str) -> None:
    """With every repair no run breaks the property, a crash between any two statements included."""
    assert shortest(name, REPAIRED) is None


def test_every_property_is_asked() -> None:
    """The runs above are about all that a store owes."""
    assert list(BROKEN) == list(promises())


@pytest.mark.parametrize("repair", REPAIRS)
def test_every_repair_is_needed(repair: str) -> None:
    """Without one repair exactly what it is for is broken; a direct result is kept for another reason, see below."""
    without = REPAIRED - {repair}
    assert NEEDED[repair] == {name for name in BROKEN if shortest(name, without) is not None}


def test_no_client_closes_the_window_alone() -> None:
    """Whatever a client writes down, a server that knows no keys loses the handle or starts the work twice."""
    alone = REPAIRED - {"server-key"}
    assert ["call", "accept", "crash"] == [step.action for step in shortest("handle-never-lost", alone) or ()]
    assert shortest("side-effect-once", alone - {"intent"}) is not None


def test_a_direct_result_is_kept_for_a_server_without_keys() -> None:
    """There a stored direct result is what keeps a second call from executing again where nothing crashes."""
    alone = REPAIRED - {"server-key", "intent"}
    names = [step.action for step in shortest("side-effect-once", alone - {"direct"}) or ()]
    assert ["call", "answer_directly", "return_direct", "call", "accept"] == names
    assert "crash" in [step.action for step in shortest("side-effect-once", alone) or ()]


def test_every_statement_happens() -> None:
    """Each action fires in the printed store or in the repaired one."""
    fired: dict[str, int] = {}
    for repairs in (PRINTED, REPAIRED, REPAIRED - {"server-key"}):
        for name, times in explore(handle_system(repairs)).fired.items():
            fired[name] = fired.get(name, 0) + times
    assert [] == [name for name, times in fired.items() if not times]
