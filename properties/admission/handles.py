"""What a client's handle store owes, and the shortest run in which a store does not keep it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from latchcheck.engines.explicit import explore
from latchcheck.kernel import Clause, Property, Sentence, Trace, replay

from ...model.handles import PC, PRINTED, STATUS, TASK, TERMINAL, V, handle_system, is_in, reached, task_status
from ...model.room import NONE, both, either, no

SOURCE: Final = "How to Not Orphan an MCP Task"


def shortest(name: str, repairs: Iterable[str] = PRINTED) -> Trace | None:
    """A shortest run in which a store with these repairs breaks a property, executed again; None where it holds."""
    wanted = frozenset(repairs)
    words, expr = promises(wanted)[name]
    system = handle_system(wanted)
    found = explore(system, [Property(name, "MUST", Sentence(words, SOURCE, ""), (Clause(words, expr),))])
    assert found.complete or found.violated
    if found.counterexample is not None:
        replay(system, found.counterexample)
    return found.counterexample


def promises(repairs: Iterable[str] = PRINTED) -> dict[str, tuple[str, Any]]:
    """For each property that a handle store is about: the condition in words, and as an expression."""
    names = frozenset(repairs)
    watched = either(V["watched"], V["pc"] != PC["idle"])
    opened = both(V["row"] != TASK[NONE], no(is_in(V["row_status"], *TERMINAL)))
    gone = both(
        V["row_status"] == STATUS["completed"], task_status(V["row"]) == STATUS["unknown"], V["row"] != TASK[NONE]
    )
    coming = either(V["delivered"], V["kept"], V["pc"] == PC["marked"])
    return {
        "handle-never-lost": (
            "something leads from the client to every task the server has accepted",
            both(reached("t1", names), reached("t2", names)),
        ),
        "side-effect-once": ("the work of one key is started once", V["starts"] <= 1),
        "idempotent-create": ("a key with other arguments is refused", no(V["misanswered"])),
        "one-terminal-outcome": ("a stored outcome is replaced by no other", no(V["rewritten"])),
        "view-never-goes-back": ("a stored outcome never becomes open again", no(V["went_back"])),
        "result-reaches-client": ("a completed task's result was delivered or is kept", either(no(gone), coming)),
        "client-converges": (
            "while the client runs somebody polls every open row",
            either(no(V["up"]), no(opened), watched),
        ),
        "answered-input-is-consumed": ("a question is told to the caller", no(V["unheard"])),
    }
