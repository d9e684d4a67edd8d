"""Enums that share a name."""

from latchcheck.kernel import Enum


def test_two_enums_of_one_name_stand_apart() -> None:
    """Two systems may each have an enum of one name with values of its own; their sorts are different."""
    first, second = Enum("Shared", ("a", "b")), Enum("Shared", ("c", "d", "e"))

    assert first.sort != second.sort
    assert ["c", "d", "e"] == [str(second[label]) for label in second.values]
    assert first.sort == Enum("Shared", ("a", "b")).sort
