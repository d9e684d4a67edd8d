"""Exact numbers are written so that they can be read back."""

from __future__ import annotations

from fractions import Fraction

import pytest

from latchcheck.kernel.numbers import decimal, exact_text


@pytest.mark.parametrize(
    ("exact", "expected"),
    [
        (Fraction(5), "5"),
        (Fraction(-1, 4), "-0.25"),
        (Fraction(1, 1024), "0.0009765625"),
        (Fraction(101, 100), "1.01"),
        (Fraction(1, 3), None),
    ],
)
def test_a_decimal_is_finite_or_none(exact: Fraction, expected: str | None) -> None:
    """A number has a decimal form exactly when its denominator has no prime but 2 and 5."""
    assert expected == decimal(exact)


def test_a_number_without_decimal_form_is_written_as_a_fraction() -> None:
    """Where no finite decimal exists the fraction itself is written, never a rounded one."""
    assert exact_text(Fraction(1, 3)) == "1/3"
    assert exact_text(Fraction(-5, 2)) == "-2.5"
