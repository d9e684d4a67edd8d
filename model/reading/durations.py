"""Durations as people write them, as integer milliseconds.

Source: docs/reference/semantics.md, section 3, "Units and absence".
"""

import re
from decimal import Decimal
from fractions import Fraction
from typing import Final

MS_MAX: Final = 100 * 36525 * 864_000
"""One hundred years of 365.25 days, in milliseconds: beyond it a duration is taken for a slip of the unit."""

_UNITS_MS: Final = {"d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1_000, "ms": 1}
_PART: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|[dhms])")
_PLAIN: Final = re.compile(rf"(?:{_PART.pattern})+")
_ISO: Final = re.compile(
    r"P(?:([0-9]+)W)?(?:([0-9]+)D)?"
    r"(?:T(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9]+(?:[.,][0-9]+)?)S)?)?"
)
_ISO_UNITS_MS: Final = (7 * 86_400_000, 86_400_000, 3_600_000, 60_000, 1_000)
_ISO_CALENDAR: Final = re.compile(r"P[0-9]+[YM]")
_NUMBER: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_WORDS: Final = (
    (re.compile(r"milliseconds?|millis|msecs?"), "ms"),
    (re.compile(r"seconds?|secs?"), "s"),
    (re.compile(r"minutes?|mins?"), "m"),
    (re.compile(r"hours?|hrs?"), "h"),
    (re.compile(r"days?"), "d"),
)
_ENDLESS: Final = frozenset({"nan", "inf", "infinity", "infinite", "unlimited", "never", "forever", "null"})
_FINER: Final = re.compile(r"[0-9.]+(us|µs|μs|ns)")
_LENGTH_MAX: Final = 64
_ANY: Final = 'write a number with its unit, such as "250ms", "1.5s", "15m", "1h30m", "2d" or "PT5M"'
_NO_LIMIT: Final = 'write "none" where there is no such limit'
_FROM_ZERO: Final = 'write "0s" or more, or "none" where there is no such limit'


class Malformed(Exception):
    """A text that is no duration: `what` is wrong with it, and what to write `instead`."""

    def __init__(self, what: str, instead: str) -> None:
        super().__init__(what, instead)
        self.what = what
        self.instead = instead


def milliseconds(text: str) -> int:
    """Read "250ms", "1.5s", "1h30m" or ISO-8601 "PT5M"; raise Malformed, which says what to write."""
    if len(text) > _LENGTH_MAX:
        raise Malformed("is too long for a duration", _ANY)
    if _PLAIN.fullmatch(text):
        return whole(_plain(text))
    if (iso := _ISO.fullmatch(text)) and any(iso.groups()):
        exact = sum(
            Fraction(number.replace(",", ".")) * unit
            for number, unit in zip(iso.groups(), _ISO_UNITS_MS, strict=True)
            if number
        )
        return whole(Fraction(exact))
    raise _malformed(text)


def whole(exact: Fraction) -> int:
    """Return the milliseconds as an integer; raise Malformed where they are finer, or over 100 years."""
    if exact.denominator != 1:
        nearest = max(1, round(exact))
        raise Malformed("is finer than a millisecond", f'write "{nearest}ms"')
    return within(int(exact))


def within(ms: int) -> int:
    """Return the milliseconds; raise Malformed where they are negative or over 100 years."""
    if ms < 0:
        raise Malformed("is negative", _FROM_ZERO)
    if ms > MS_MAX:
        raise Malformed("is over 100 years", f"check the unit; {_NO_LIMIT}")
    return ms


def duration_text(ms: int) -> str:
    """Write milliseconds as a file may: 5400000 is "1h30m", 0 is "0s"."""
    from latchcheck.kernel.duration import duration  # with the kernel comes the solver, which few readers need

    return duration(ms) if ms else "0s"


def not_finite(number: Decimal) -> Malformed:
    """Say that NaN or an infinity is no duration."""
    return Malformed("is not a number" if number.is_nan() else "is infinite", _NO_LIMIT)


def _plain(text: str) -> Fraction:
    parts = _PART.findall(text)
    order = list(_UNITS_MS)
    ranks = [order.index(unit) for _, unit in parts]
    if ranks != sorted(set(ranks)):
        in_order = "".join(number + unit for number, unit in sorted(parts, key=lambda part: order.index(part[1])))
        raise Malformed(
            "names its units out of order or twice", f"write units from large to small, each once: {in_order}"
        )
    return sum((Fraction(number) * _UNITS_MS[unit] for number, unit in parts), Fraction(0))


def _malformed(text: str) -> Malformed:
    bare = text.strip()
    if not bare:
        return Malformed("is empty", f"{_ANY}; {_NO_LIMIT}")
    if bare.startswith(("-", "P-", "PT-")):
        return Malformed("is negative", _FROM_ZERO)
    if bare.lower().lstrip("+") in _ENDLESS:
        return Malformed("is no duration", _NO_LIMIT)
    if _NUMBER.fullmatch(bare):
        return Malformed("has no unit", f'write "{bare}s" for seconds or "{bare}ms" for milliseconds')
    return _misspelled(text)


def _misspelled(text: str) -> Malformed:
    if _ISO_CALENDAR.match(text.strip()):
        return Malformed("counts in months or years, whose length varies", 'write days: "30d" or "P30D"')
    tidy = text.lower().replace(" ", "")
    if _FINER.fullmatch(tidy):
        return Malformed("is finer than a millisecond", 'write milliseconds: "1ms"')
    for word, unit in _WORDS:
        tidy = word.sub(unit, tidy)
    for candidate in (tidy, tidy.upper()):
        if candidate != text and (_PLAIN.fullmatch(candidate) or _is_iso(candidate)):
            return Malformed("is no duration", f'write "{candidate}"')
    return Malformed("is no duration", _ANY)


def _is_iso(text: str) -> bool:
    iso = _ISO.fullmatch(text)
    return iso is not None and any(iso.groups())
