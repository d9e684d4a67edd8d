"""Domains: what fits, what does not, and the z3 side of each."""

from fractions import Fraction
from typing import Any

import pytest
import z3

from latchcheck.kernel import Bool, Enum, IntRange, ModelError, Real
from latchcheck.kernel.domains import literal_of_sort


def test_equal_enums_share_one_sort() -> None:
    """Two enums with the same name and values have the same z3 sort, which z3 lets nobody declare twice."""
    assert Enum("Light", ("red", "green")).sort == Enum("Light", ("red", "green")).sort


def test_an_enum_label_is_a_z3_constant() -> None:
    """`domain[label]` prints as the label and has the sort of the domain."""
    light = Enum("Light", ("red", "green"))

    assert (str(light["red"]), light["red"].sort()) == ("red", light.sort)


def test_an_unknown_label_lists_the_labels() -> None:
    """Asking for a label that is none names those there are."""
    with pytest.raises(ModelError, match=r"enum 'Light' has no value 'blue'; it has red, green"):
        Enum("Light", ("red", "green"))["blue"]


@pytest.mark.parametrize("values", [(), ("red", "red")])
def test_an_enum_needs_distinct_values(values: Any) -> None:
    """An enum without values, or with one twice, is refused."""
    with pytest.raises(ModelError, match="distinct values, at least one"):
        Enum("Light", values)


def test_a_range_needs_a_number() -> None:
    """An empty range of integers is refused."""
    with pytest.raises(ModelError, match="empty range of integers: 1 to 0"):
        IntRange(1, 0)


@pytest.mark.parametrize(
    ("domain", "given", "kept"),
    [
        (Enum("Light", ("red", "green")), "red", "red"),
        (Enum("Light", ("red", "green")), "blue", None),
        (Enum("Light", ("red", "green")), 0, None),
        (IntRange(0, 3), 3, 3),
        (IntRange(0, 3), 4, None),
        (IntRange(0, 3), -1, None),
        (IntRange(0, 3), Fraction(4, 2), 2),
        (IntRange(0, 3), Fraction(1, 2), None),
        (IntRange(0, 1), True, None),
        (Bool(), True, True),
        (Bool(), 1, None),
        (Real(), Fraction(1, 3), Fraction(1, 3)),
        (Real(), Fraction(6, 3), 2),
        (Real(), 7, 7),
        (Real(), 0.5, None),
        (Real(), False, None),
        (Real(), "7", None),
    ],
)
def test_a_domain_keeps_its_values_and_no_others(domain: Any, given: Any, kept: Any) -> None:
    """A domain keeps exact values of its own kind: a truth value is no number, and a float is nothing at all."""
    normal = domain.normal(given)

    assert (normal, type(normal)) == (kept, type(kept))


@pytest.mark.parametrize(
    ("sort", "value", "printed"),
    [
        (z3.RealSort(), Fraction(1, 3), "1/3"),
        (z3.RealSort(), 5, "5"),
        (z3.IntSort(), -2, "-2"),
        (z3.BoolSort(), True, "True"),
        (Enum("Light", ("red", "green")).sort, "green", "green"),
    ],
)
def test_a_value_becomes_a_literal_of_the_sort(sort: Any, value: Any, printed: Any) -> None:
    """A Python value becomes the z3 literal of the sort asked for."""
    literal = literal_of_sort(sort, value)

    assert (str(literal), literal.sort()) == (printed, sort)


@pytest.mark.parametrize(
    ("sort", "value"), [(z3.IntSort(), Fraction(1, 2)), (z3.RealSort(), True), (z3.BoolSort(), 1), (z3.IntSort(), "1")]
)
def test_a_value_of_another_kind_is_no_literal(sort: Any, value: Any) -> None:
    """A value that does not fit the sort is refused, truth values and numbers apart."""
    with pytest.raises(ModelError, match="is no value of sort"):
        literal_of_sort(sort, value)
