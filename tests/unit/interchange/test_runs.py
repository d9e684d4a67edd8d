"""A run in ITF and as a sequence diagram, and a state graph, against texts written by hand."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
import z3

from latchcheck.engines.explicit import explore
from latchcheck.kernel import (
    Action,
    Bool,
    Choice,
    Clause,
    Enum,
    IntRange,
    ModelError,
    NotAStep,
    Property,
    Real,
    Sentence,
    System,
    Trace,
    Variable,
    record,
)
from latchcheck.report.interchange import to_dot, to_itf, to_mermaid
from latchcheck.report.interchange.dot import graph
from tests.engines.toys.binary_clock import binary_clock, shows_a_bit
from tests.engines.toys.two_phase_commit import two_phase_commit

STATUS = Enum("StatusInRuns", ("working", "done; #1"))


def worker() -> System:
    """A worker that finishes at an instant, and somebody who asks."""
    now, status = Variable("now", Real(), 0), Variable("status", STATUS, "working")
    tries, asked = Variable("tries", IntRange(0, 9), 0), Variable("asked", Bool(), False)
    count = Choice("count", IntRange(0, 9))
    finish = Action("finish", "worker", (), {"status": STATUS["done; #1"], "tries": count.term}, (count,))
    ask = Action("ask", "client", (), {"asked": z3.BoolVal(True)})
    return System("a worker", (now, status, tries, asked), (finish, ask), "now")


def run() -> Trace:
    """Asked at 0, finished at 2.5 ms."""
    return record(worker(), [(0, "ask", {}), (Fraction(5, 2), "finish", {"count": 3})])


def test_itf_lists_every_state() -> None:
    """Integers as bigints, labels as strings, fractions as text, and each step in the state that it leads to."""
    document = json.loads(to_itf(worker(), run()))

    assert document["vars"] == ["now", "status", "tries", "asked"]
    assert document["#meta"]["varTypes"] == {"now": "Real", "status": "Str", "tries": "Int", "asked": "Bool"}
    zero = {"#bigint": "0"}
    assert document["states"] == [
        {"#meta": {"index": 0}, "now": zero, "status": "working", "tries": zero, "asked": False},
        {
            "#meta": {"index": 1, "party": "client", "action": "ask", "args": {}, "at_ms": zero},
            "now": zero,
            "status": "working",
            "tries": zero,
            "asked": True,
        },
        {
            "#meta": {
                "index": 2,
                "party": "worker",
                "action": "finish",
                "args": {"count": {"#bigint": "3"}},
                "at_ms": {"#unserializable": "2.5"},
            },
            "now": {"#unserializable": "2.5"},
            "status": "done; #1",
            "tries": {"#bigint": "3"},
            "asked": True,
        },
    ]


def test_itf_is_made_of_runs_alone() -> None:
    """What the system does not allow is no trace."""
    with pytest.raises(NotAStep):
        to_itf(binary_clock(), Trace("binary clock", record(binary_clock(), [(None, "tick", {})]).steps * 2))


def test_a_sequence_diagram_has_a_line_an_event() -> None:
    """Participants in the order of their first event, arrows where the receiver is known, characters made safe."""
    assert (
        to_mermaid(run(), title="a; b", receivers={"ask": "server"}, hidden=["asked"])
        == """\
sequenceDiagram
    title a#59; b
    participant p0 as client
    participant p1 as server
    participant p2 as worker
    p0->>p1: 0 ms: ask()
    Note over p2: 2.5 ms: finish(count=3)<br/>status: working to done#59; #35;1<br/>tries: 0 to 3
"""
    )


def test_participants_may_be_given() -> None:
    """Parties named beforehand stand first."""
    drawn = to_mermaid(run(), parties=["worker", "client"]).splitlines()

    assert drawn[1:3] == ["    participant p0 as worker", "    participant p1 as client"]


def test_a_state_graph_shows_states_and_steps() -> None:
    """The binary clock has two nodes and two arrows; the state that breaks a claim is marked."""
    off = Property("off", "MUST", Sentence("It shows 0.", "a toy", "here"), (Clause("0", z3.Int("bit") == 0),))

    assert (
        to_dot(graph(binary_clock()), off)
        == """\
digraph {
  label="binary clock"
  node [shape=box, style=rounded, fontname="sans-serif"]
  edge [fontname="sans-serif"]
  s0 [label="start"]
  s1 [label="bit = 1", color="red", penwidth=2]
  s0 -> s1 [label="tick()"]
  s1 -> s0 [label="tock()"]
}
"""
    )
    assert "red" not in to_dot(graph(binary_clock()), shows_a_bit())


def test_the_graph_is_what_the_search_sees() -> None:
    """Two-phase commit of three has 288 states, and as many steps in the graph as the search counts."""
    system = two_phase_commit(3)
    drawn = graph(system)

    assert len(drawn.states) == 288
    assert len(drawn.edges) == explore(system).transitions


def test_what_is_no_picture_is_refused() -> None:
    """More states than asked for, and states without end."""
    with pytest.raises(ModelError, match="more than 287 states; draw a smaller scope"):
        graph(two_phase_commit(3), states_max=287)
    with pytest.raises(ModelError, match="has a clock"):
        graph(worker())
