"""One value of a file, an option or a preset, read as its key's kind says."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Final, TypeVar

import attrs

from latchcheck.naming import instead

from ..config import UNLIMITED
from ..keys import Key
from .durations import Malformed, milliseconds, not_finite, whole, within
from .errors import ConfigError, Where, shown, type_name

ABSENT: Final = "none"
LAZY: Final = "lazy"

_INTEGER_MAX: Final = 10**18
_FACTOR_MAX: Final = 1_000
_RATIO_MAX: Final = 100
_FACTOR_GROWING_MIN: Final = Fraction(101, 100)
_DECIMALS_MAX: Final = 18
_ENDS: Final = 2

Ordered = TypeVar("Ordered", int, Fraction)


@attrs.frozen(slots=True)
class Spot:
    """A place where a key is given: which key, how it is spelled there, and where that is.

    `where_of` tells the place of an item of a list, where that is known.
    """

    key: Key
    spelled: str
    where: Where
    where_of: Callable[[int], Where] | None = None

    def item(self, index: int) -> "Spot":
        """Return the place of one item of the list that is given here."""
        return self if self.where_of is None else attrs.evolve(self, where=self.where_of(index))

    def items(self, values: list[object]) -> Iterator[tuple["Spot", object]]:
        """Yield the items of the list that is given here, each with its place."""
        return ((self.item(index), value) for index, value in enumerate(values))

    @property
    def in_ms(self) -> bool:
        """Whether the spelling promises integer milliseconds: `orphan_window_ms`, or a wire name."""
        return self.spelled != self.key.name

    def error(self, value: object, wrong: str, instead: str) -> ConfigError:
        """Make the error that says what is wrong with this value here."""
        return ConfigError(f"{shown(value)} {wrong}", self.where, instead)

    def takes(self, value: object, example: str) -> ConfigError:
        """Make the error for a value of a type that this key does not take."""
        return self.error(value, f"is {type_name(value)}", f"write {self.spelled} = {example}")


def parse(spot: Spot, value: object) -> object:
    """Read a value as parsed from TOML; return what the record holds, or raise ConfigError.

    "none" is absence, which is the key's default; where a key knows an explicit "never", it is that.
    """
    if value == ABSENT and spot.key.kind not in ("choice", "order", "set", "flag"):
        return UNLIMITED if spot.key.kind == "ttl" else spot.key.default
    for one in value if isinstance(value, list) else (value,):
        if isinstance(one, int) and abs(one) > _INTEGER_MAX:
            raise spot.error(one, f"is over {_INTEGER_MAX:.0e}", "check the number: no key takes it")
    return _PARSERS[spot.key.kind](spot, value)


# -- durations ------------------------------------------------------------------------------------


def _duration(spot: Spot, value: object) -> int:
    try:
        if isinstance(value, bool) or not isinstance(value, (int, str, Decimal)):
            raise spot.takes(value, "900000" if spot.in_ms else '"15m"')
        if isinstance(value, str):
            return _duration_of_text(spot, value)
        if isinstance(value, Decimal):
            _check_finite(value)
        if not spot.in_ms:
            within(int(value) if value < 0 else 0)
            raise spot.error(value, "has no unit", _with_unit(spot, value))
        if isinstance(value, Decimal) and value == value.to_integral_value():
            raise spot.error(value, "is not an integer", f"write {spot.spelled} = {int(value)}")
        return within(value) if isinstance(value, int) else whole(Fraction(value))
    except Malformed as malformed:
        in_ms = f"write {spot.spelled} in whole milliseconds, such as 900000, or leave it out"
        raise spot.error(value, malformed.what, in_ms if spot.in_ms else malformed.instead) from None


def _duration_of_text(spot: Spot, text: str) -> int:
    if not spot.in_ms:
        return milliseconds(text)
    try:
        ms = milliseconds(text)
    except Malformed:
        raise spot.takes(text, "900000") from None
    raise spot.error(
        text,
        "is a text where the key promises integer milliseconds",
        f'write {spot.spelled} = {ms} or {spot.key.name} = "{text}"',
    )


def _check_finite(number: Decimal) -> None:
    if not number.is_finite():
        raise not_finite(number)
    # Caught before it is made a fraction: 1e-999999 would have a denominator of a million digits.
    within(-1 if number < 0 else 0)
    if number.adjusted() > _DECIMALS_MAX:
        raise Malformed("is over 100 years", 'check the unit; write "none" where there is no such limit')
    if number.adjusted() < -_DECIMALS_MAX or -int(number.as_tuple().exponent) > _DECIMALS_MAX:
        raise Malformed("is finer than a millisecond", 'write milliseconds: "1ms"')


def _with_unit(spot: Spot, number: int | Decimal) -> str:
    name, in_ms = spot.key.name, f"{spot.key.name}_ms"
    if isinstance(number, Decimal) and number != number.to_integral_value():
        return f'write {name} = "{number}s" for seconds, or {in_ms} = ... with an integer'
    return f'write {name} = "{int(number)}s" or {in_ms} = {int(number)}'


def _ttl(spot: Spot, value: object) -> object:
    return _duration(spot, value)


def _period(spot: Spot, value: object) -> object:
    if value == LAZY:
        return LAZY
    if isinstance(value, str) and value.lower() == LAZY:
        raise spot.error(value, "is no duration", f'write {spot.key.name} = "{LAZY}"')
    return _duration(spot, value)


def _range(spot: Spot, value: object) -> tuple[int, int]:
    low, high = _ends(spot, value, "[1000, 5000]" if spot.in_ms else '["1s", "5s"]')
    return _ordered(spot, value, _duration(spot.item(0), low), _duration(spot.item(1), high))


def _open_range(spot: Spot, value: object) -> tuple[int, int | None]:
    low, high = _ends(spot, value, "[1000, 5000]" if spot.in_ms else '["1s", "5s"] or ["1s", "none"]')
    if high == ABSENT and isinstance(value, list):
        return _duration(spot, low), None
    return _ordered(spot, value, _duration(spot.item(0), low), _duration(spot.item(1), high))


def _ends(spot: Spot, value: object, example: str) -> tuple[object, object]:
    if not isinstance(value, list):
        if isinstance(value, (int, Decimal)) and not spot.in_ms:
            _duration(spot, value)
        return value, value
    if len(value) != _ENDS:
        raise spot.error(value, "does not have two ends", f"write {spot.spelled} = {example}")
    if not spot.in_ms and all(type(end) is int and end >= 0 for end in value):
        low, high = value
        instead = f'write {spot.key.name} = ["{low}s", "{high}s"] or {spot.key.name}_ms = [{low}, {high}]'
        raise spot.error(value, "has no unit", instead)
    return value[0], value[1]


def _ordered(spot: Spot, value: object, low: Ordered, high: Ordered) -> tuple[Ordered, Ordered]:
    if low > high:
        first, last = (shown(end) for end in value) if isinstance(value, list) else ("", "")
        raise spot.error(value, "has its ends the wrong way round", f"write {spot.spelled} = [{last}, {first}]")
    return low, high


# -- numbers --------------------------------------------------------------------------------------


def _number(spot: Spot, value: object, example: str, most: int = _FACTOR_MAX) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        raise spot.takes(value, example)
    if isinstance(value, Decimal) and not value.is_finite():
        raise spot.error(
            value, "is not a number" if value.is_nan() else "is infinite", f"write {spot.spelled} = {example}"
        )
    if value < 0:
        raise spot.error(value, "is negative", f"write {spot.spelled} = {example}")
    if value > most:
        raise spot.error(value, f"is over {most}", f"write {spot.spelled} = {example}")
    if isinstance(value, Decimal) and -int(value.as_tuple().exponent) > _DECIMALS_MAX:
        raise spot.error(value, f"has over {_DECIMALS_MAX} decimals", f"write {spot.spelled} = {example}")
    return Fraction(value)


def _factor(spot: Spot, value: object) -> Fraction:
    factor = _number(spot, value, "1.6")
    if factor < 1:
        raise spot.error(value, "would shrink the delay", "write 1 for a fixed delay, or at least 1.01")
    if 1 < factor < _FACTOR_GROWING_MIN:
        raise spot.error(
            value, "grows so slowly that the ramp has thousands of steps", "write 1 for a fixed delay, or at least 1.01"
        )
    return factor


def _ratios(spot: Spot, value: object) -> tuple[Fraction, Fraction]:
    example = "[0.5, 1.0]"
    if not isinstance(value, list):
        ratio = _number(spot, value, example, _RATIO_MAX)
        return ratio, ratio
    if len(value) != _ENDS:
        raise spot.error(value, "does not have two ends", f"write {spot.spelled} = {example}")
    low, high = (_number(at, one, example, _RATIO_MAX) for at, one in spot.items(value))
    return _ordered(spot, value, low, high)


def _count(spot: Spot, value: object) -> int:
    least = spot.key.least
    if isinstance(value, Decimal) and value.is_finite() and least <= value <= spot.key.most:
        raise spot.error(value, "is not an integer", f"write {spot.spelled} = {int(value)}")
    if isinstance(value, bool) or not isinstance(value, int):
        raise spot.takes(value, str(max(least, 1)))
    if value < 0:
        raise spot.error(value, "is negative", f"write {spot.spelled} = {least} or more")
    if value < least:
        no_limit = ' or "none": 0 never means unlimited' if value == 0 else ""
        raise spot.error(value, f"is below {least}", f"write {spot.spelled} = {least} or more{no_limit}")
    if value > spot.key.most:
        raise spot.error(value, f"is over {spot.key.most}", spot.key.beyond)
    return value


# -- words ----------------------------------------------------------------------------------------


def _flag(spot: Spot, value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in {"true", "yes", "on"}:
        raise spot.takes(value, "true")
    if isinstance(value, str) and value.lower() in {"false", "no", "off", "none"}:
        raise spot.takes(value, "false")
    raise spot.takes(value, "true or false")


def _flag_or_duration(spot: Spot, value: object) -> bool | int:
    if isinstance(value, bool):
        if not spot.in_ms:
            return value
        raise spot.takes(value, f"5000, or {spot.key.name} = {shown(value)}")
    if not isinstance(value, (int, str, Decimal)):
        raise spot.takes(value, 'true, false or "5s"')
    return _duration(spot, value)


def _choice(spot: Spot, value: object) -> str:
    if not isinstance(value, str):
        raise spot.takes(value, " or ".join(shown(choice) for choice in spot.key.choices))
    if value not in spot.key.choices:
        raise spot.error(value, "is not one of the choices", instead(value, spot.key.choices))
    return value


def _words(spot: Spot, value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise spot.takes(value, "[" + ", ".join(shown(choice) for choice in spot.key.choices) + "]")
    words = tuple(_choice(at, word) for at, word in spot.items(value))
    for word in words:
        if words.count(word) > 1:
            raise spot.error(value, f'names "{word}" twice', "name each once")
    return words


def _order(spot: Spot, value: object) -> tuple[str, ...]:
    words = _words(spot, value)
    missing = [choice for choice in spot.key.choices if choice not in words]
    if missing:
        raise spot.error(value, f"leaves out {shown(missing[0])}", "name all of " + shown(spot.key.choices)[1:-1])
    return words


def _set(spot: Spot, value: object) -> tuple[str, ...]:
    words = _words(spot, value)
    return tuple(choice for choice in spot.key.choices if choice in words)


_PARSERS: Final[dict[str, Callable[[Spot, object], object]]] = {
    "duration": _duration,
    "ttl": _ttl,
    "period": _period,
    "range": _range,
    "open-range": _open_range,
    "ratios": _ratios,
    "factor": _factor,
    "count": _count,
    "flag": _flag,
    "choice": _choice,
    "order": _order,
    "set": _set,
    "flag-or-duration": _flag_or_duration,
}
