"""The text of an exported TLA+ module: what TLC cannot say is checked here without it."""

from __future__ import annotations

from typing import Any

import pytest
import z3

from latchcheck.kernel import (
    Action,
    Bool,
    Choice,
    Clause,
    Enum,
    IntRange,
    ModelError,
    Property,
    Real,
    Sentence,
    System,
    UnsupportedExpression,
    Variable,
)
from latchcheck.report.interchange import to_tla

COUNT = Variable("n", IntRange(-1, 5), 0)
WORDS = Sentence("It (really)\nholds.", "a toy", "here")


def counter(*, update: Any = COUNT.term + 1, choices: tuple[Choice, ...] = (), **other: Any) -> System:
    """Counts up."""
    up = Action("count up!", "x", (Clause("below 5", COUNT.term < 5),), {"n": update}, choices, (WORDS,))
    return System("a counter", (COUNT,), (up,), **other)


def test_a_whole_module() -> None:
    """Each part of a module, and the configuration beside it, as TLC reads them."""
    stated = Property("stays-low", "MUST", WORDS, (Clause("low", COUNT.term < 9),), antecedent=COUNT.term > 0)

    module = to_tla(counter(), [stated])

    assert list(module.files) == ["Latchcheck.tla", "Latchcheck.cfg"]
    assert module.cfg == "SPECIFICATION Spec\nINVARIANT TypeOK\nINVARIANT stays_low\n"
    assert (
        module.tla
        == """\
---- MODULE Latchcheck ----
\\* a counter, written by latchcheck.
EXTENDS Integers

VARIABLES n

vars == <<n>>

TypeOK ==
    /\\ n \\in (-1)..5

Init ==
    /\\ n = 0

\\* x: count up!
\\* It (really) holds. [a toy, here]
count_up ==
    /\\ (n < 5)  \\* below 5
    /\\ n' = (n + 1)

Next ==
    \\/ count_up
    \\/ UNCHANGED vars  \\* so that no state without a step counts as a deadlock

Spec ==
    /\\ Init
    /\\ [][Next]_vars

\\* stays-low (MUST): It (really) holds. [a toy, here]
\\* low
stays_low_clause ==
    (n < 9)
stays_low_when ==
    (n > 0)
stays_low == (stays_low_when) => (stays_low_clause)

====
"""
    )


def test_what_is_shared_is_written_once() -> None:
    """A subexpression that doubles forty times over is forty definitions, not a million words."""
    term: Any = COUNT.term
    for _ in range(40):
        term = term + term

    assert len(to_tla(counter(update=z3.If(term > 0, COUNT.term, 0))).tla) < 3000


def test_what_nests_deeply_gets_names() -> None:
    """No line nests as deep as an expression may."""
    term: Any = COUNT.term
    for k in range(2000):
        term = z3.If(COUNT.term == k, term, k)

    depths = [line.count("(") for line in to_tla(counter(update=term)).tla.splitlines()]
    assert max(depths) < 100


def test_names_are_made_safe_and_stay_apart() -> None:
    """Words of TLA+ and of the configuration, odd characters and names that look alike become names of their own."""
    names = ["a b", "a-b", "a_b", "VARIABLES", "INIT", "vars", "WF_x", "2nd", "é"]
    system = System("names", tuple(Variable(name, Bool(), False) for name in names), ())

    line = next(line for line in to_tla(system).tla.splitlines() if line.startswith("VARIABLES "))
    assert line == "VARIABLES a_b, a_b_2, a_b_3, VARIABLES_2, INIT_2, vars_2, n_WF_x, n_2nd, x"


def fails(system: System) -> str:
    """What the export says of a system that TLC cannot run."""
    with pytest.raises(ModelError) as caught:
        to_tla(system)
    return str(caught.value)


def test_what_tlc_cannot_run_is_said() -> None:
    """A clock, a dense number, an open parameter, a fraction, a number beyond 32 bits, a label beyond ASCII."""
    now, limit = Variable("now", Real(), 0), z3.Int("limit")
    third = Choice("third", Real(), 0, 1)
    big = z3.If(COUNT.term > 2**31, COUNT.term, 0)
    real: Any = z3.ToReal(COUNT.term)
    half = z3.If(real / 2 > 1, COUNT.term, 0)
    french = Variable("e", Enum("E", ("été",)), "été")

    assert "has a clock" in fails(System("s", (now,), (), "now"))
    assert "'third' is a dense number" in fails(counter(choices=(third,)))
    assert "no number for limit; use System.at" in fails(counter(update=limit, parameters={"limit": limit}))
    assert "operator '2147483648'" in fails(counter(update=big))
    assert "operator '/'" in fails(counter(update=half))
    assert "'été'" in fails(System("s", (french,), ()))
    with pytest.raises(UnsupportedExpression):
        to_tla(counter(update=half))
    with pytest.raises(ModelError, match="no action 'down'; it has count up!"):
        to_tla(counter(), fair=("down",))
