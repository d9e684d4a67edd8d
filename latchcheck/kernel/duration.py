"""Durations as people write them, exactly: `13m`, `1m30.5s`, `1638.4ms`.

Nothing is rounded: whoever reads a duration here and writes it into a configuration gets the same number back.
"""

from __future__ import annotations

import math
from fractions import Fraction

from .numbers import decimal, exact_text

SECOND_MS = 1000
MINUTE_MS = 60 * SECOND_MS
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS
DIGITS_MAX = 6
DAYS_MAX = 10**7
"""Beyond it nobody reads a number of days digit by digit."""


def duration(ms: int | Fraction) -> str:
    """A duration in days, hours, minutes and seconds, exactly; the last unit has the decimals.

    What is below a second stays in milliseconds, and so does what is not whole and below a minute.
    Zero is `0`. A number of milliseconds that has no finite decimal form is written as a fraction: `1000/3ms`.
    """
    if ms < 0:
        return "-" + duration(-ms)
    if ms == 0:
        return "0"
    exact = Fraction(ms)
    if decimal(exact) is None:
        return f"{exact_text(exact)}ms"
    text, rest = "", exact
    for unit, size in (("d", DAY_MS), ("h", HOUR_MS), ("m", MINUTE_MS)):
        count, rest = divmod(rest, size)
        if count:
            text += f"{count}{unit}"
    return text + _below_minute(rest, alone=not text)


def told(ms: int | Fraction) -> str:
    """A duration for a sentence: exact where that is short, else as `readable` shortens it, marked with `~`."""
    exact = Fraction(ms)
    short = abs(exact) < DAYS_MAX * DAY_MS and 10**DIGITS_MAX % exact.denominator == 0
    return duration(ms) if short else readable(ms)


def readable(ms: int | Fraction, *, sign: str = "") -> str:
    """A duration for reading only: to whole milliseconds or, below a second, to four digits.

    `~` marks what is shortened: `~3.287s` for 3286.92 ms. `sign` stands before what is above zero.
    """
    size, places = abs(Fraction(ms)), 0
    mark = "-" if ms < 0 else sign if ms > 0 else ""
    if size >= DAYS_MAX * DAY_MS:
        return f"~{mark}{_powers(int(size / DAY_MS))}d"
    if size < SECOND_MS:
        while 0 < size * 10**places < SECOND_MS and places < DIGITS_MAX:
            places += 1
    near = Fraction(round(size * 10**places), 10**places)
    return ("" if near == size else "~") + mark + duration(near)


def signed(ms: int | Fraction) -> str:
    """A margin: `+12m` may still be spent, `-13m` is missing, `0` is the edge itself."""
    return "+" + duration(ms) if ms > 0 else duration(ms)


def _powers(count: int) -> str:
    """A count of any size to three digits: `1.23e45`."""
    power = int(math.log10(count))  # of an integer it has no limit, unlike the text of one
    return f"{count * 100 // 10**power / 100:.2f}e{power}"


def _below_minute(ms: Fraction, *, alone: bool) -> str:
    if ms == 0:
        return ""
    in_seconds = ms >= SECOND_MS and (ms.denominator == 1 or not alone)
    return f"{decimal(ms / SECOND_MS)}s" if in_seconds else f"{decimal(ms)}ms"
