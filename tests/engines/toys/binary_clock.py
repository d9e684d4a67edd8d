"""A clock that shows 0 and 1 in turn: two states, two steps, forever."""

import z3

from latchcheck.kernel import Action, Clause, IntRange, Property, Sentence, System, Variable

_bit = Variable("bit", IntRange(0, 1), 0)


def binary_clock() -> System:
    """The clock."""
    return System(
        "binary clock",
        (_bit,),
        (
            Action("tick", "clock", (Clause("it shows 0", _bit.term == 0),), {"bit": z3.IntVal(1)}),
            Action("tock", "clock", (Clause("it shows 1", _bit.term == 1),), {"bit": z3.IntVal(0)}),
        ),
    )


def shows_a_bit() -> Property:
    """It always shows 0 or 1."""
    return Property(
        "shows-a-bit",
        "MUST",
        Sentence("The clock shows 0 or 1.", "a toy", "here"),
        (Clause("0 or 1", z3.Or(_bit.term == 0, _bit.term == 1)),),
    )
