"""Exact numbers as text: what is printed can be read back without loss."""

from __future__ import annotations

from fractions import Fraction


def decimal(exact: Fraction) -> str | None:
    """The finite decimal form of a number, or None where it has none: `0.25`, `-3`, None for 1/3."""
    rest = exact.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1:
        return None
    digits, scaled = 0, exact
    while scaled.denominator != 1:
        scaled *= 10
        digits += 1
    if digits == 0:
        return str(scaled.numerator)
    sign = "-" if scaled < 0 else ""
    text = str(abs(scaled.numerator)).rjust(digits + 1, "0")
    return f"{sign}{text[:-digits]}.{text[-digits:]}"


def exact_text(exact: Fraction) -> str:
    """The decimal form where it is finite, else the fraction: `0.25`, `1/3`."""
    return decimal(exact) or f"{exact.numerator}/{exact.denominator}"
