"""`--vary section.key=...`: one key, and the values that it takes one after the other.

Either a list, `a,b,c`, whose values are written as `--set` takes them, or a range with a step, `FROM..TO:STEP`.
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import prod
from typing import Final

import attrs

from ..config import Config
from ..keys import TIMED
from .durations import Malformed, duration_text, milliseconds
from .errors import ConfigError, Faults, Where, shown
from .options import assigned, given_by_options, place_of
from .sections import Given, given_twice

OPTION: Final = "--vary"
_RANGE: Final = re.compile(r"([^.:]+(?:\.[^.:]+)*)\.\.([^:]*)(?::(.*))?")
_WHOLE: Final = re.compile(r"[0-9]{1,18}")
_DECIMAL: Final = re.compile(r"[0-9]{1,18}(?:\.[0-9]{1,18})?")
# What stands between commas; a list in brackets or a text in quotes is one value.
_ITEM: Final = re.compile(r"""(?:\[[^\]]*\]|"[^"]*"|'[^']*'|[^,])+""")
_EXAMPLES: Final = {
    "duration": ("5m..20m:1m", "5m,10m,20m"),
    "ms": ("60000..300000:60000", "60000,300000"),
    "factor": ("1.5..3:0.5", "1,1.5,2"),
    "ratios": ("0.5..1:0.1", "0.5,1"),
    "count": ("1..5:1", "1,2,5"),
}
_COMMA_ALONE: Final = re.compile(r"^\s*,|,\s*,|,\s*$")


@attrs.frozen(slots=True)
class Value:
    """One value that a key takes: read, plain as in `Config.flat`, and as an assignment `section.key=value`."""

    given: Given
    plain: object
    assignment: str


@attrs.frozen(slots=True)
class _Span:
    """The numbers of a range: `first`, and so many more, each a `step` further."""

    first: Fraction
    step: Fraction
    count: int

    def texts(self, *, timed: bool) -> Iterator[str]:
        """The numbers as an assignment has them: durations with their units where `timed`."""
        from latchcheck.kernel.numbers import exact_text  # with the kernel comes the solver

        for number in range(self.count):
            value = self.first + number * self.step
            yield duration_text(int(value)) if timed else exact_text(value)


@attrs.frozen(slots=True)
class _Varied:
    """One `--vary`, of which the values are not made yet: of a long range there may be too many."""

    first: Given
    path: str
    where: Where
    values: _Span | tuple[str, ...]

    @property
    def count(self) -> int:
        """How many values there are."""
        return self.values.count if isinstance(self.values, _Span) else len(self.values)

    def made(self) -> tuple[Value, ...]:
        """The values; a ConfigError for one that the key does not take, or that stands twice."""
        found: list[Value] = []
        timed = self.first.key.kind in TIMED and not _in_ms(self.first, self.path)
        for text in self.values.texts(timed=timed) if isinstance(self.values, _Span) else self.values:
            assignment = f"{self.path}={text}"
            given = assigned(assignment, {}, OPTION)
            if any(given.value == one.given.value for one in found if isinstance(self.values, tuple)):
                raise ConfigError(f"has the value {text} twice", self.where, "name each value once")
            flat = given.key.flat
            found.append(Value(given, Config().replace({flat: given.value}).flat()[flat], assignment))
        return tuple(found)


def combinations(texts: Sequence[str], sets: Sequence[str], most: int) -> list[tuple[Value, ...]]:
    """All combinations of what the options `--vary` say, the last key changing first.

    `sets` are assignments that hold throughout. Raises ConfigError, also where there are more than `most`.
    """
    faults, seen, found = Faults(), dict[str, Where](), list[_Varied]()
    with faults.kept():
        seen = {given.key.flat: given.where for given in given_by_options(sets)}
    for text in texts:
        with faults.kept():
            found.append(_varied(text, seen))
    faults.told()
    count = prod(one.count for one in found)
    if count > most:
        each = " * ".join(str(one.count) for one in found)
        many = f"{each} = {count} combinations" if len(found) > 1 else f"{count} values"
        raise ConfigError(
            f"asks for {many}, the limit is {most}",
            Where(OPTION),
            "take larger steps or fewer values, or raise --max",
        )
    return list(product(*(one.made() for one in found)))


def _varied(text: str, seen: dict[str, Where]) -> _Varied:
    """What one option says; `seen` has the place of each key that was given before it, and gets this one."""
    path, sign, values = (part.strip() for part in text.partition("="))
    where = place_of(OPTION, text)
    if not sign or not path:
        raise ConfigError("varies nothing", where, _example("server.orphan_window"))
    if values and _COMMA_ALONE.search(values):
        raise ConfigError("has a comma without a value", where, "write a value on either side of each comma")
    items = tuple(item.strip() for item in _ITEM.findall(values)) or ("",)
    ends = _RANGE.fullmatch(values) if len(items) == 1 else None
    first = assigned(f"{path}={items[0] if ends is None else ends[1].strip()}", {}, OPTION)
    if first.key.flat in seen:
        raise given_twice(first.key, where, seen[first.key.flat])
    seen[first.key.flat] = where
    return _Varied(first, path, where, items if ends is None else _span(first, path, where, ends))


def _span(first: Given, path: str, where: Where, found: re.Match[str]) -> _Span:
    to, step_text = found[2].strip(), found[3]
    if not to:
        raise ConfigError("is a range without an end", where, _example(path, first))
    if step_text is None or not step_text.strip():
        raise ConfigError("is a range without a step", where, f"write FROM..TO:STEP: {_example(path, first)[6:]}")
    low, high = (_number(given, path, where) for given in (first, assigned(f"{path}={to}", {}, OPTION)))
    step = _step(first, path, where, step_text.strip())
    if not step:
        raise ConfigError("has a step of 0, which leads nowhere", where, _example(path, first))
    if low > high:
        instead = f"write {path}={to}..{found[1].strip()}:{step_text.strip()}"
        raise ConfigError("is an empty range: it begins above its end", where, instead)
    return _Span(low, step, int((high - low) // step) + 1)


def _number(given: Given, path: str, where: Where) -> Fraction:
    """The number that an end of a range is; one duration for both ends of a range is one as well."""
    value = given.value
    if isinstance(value, tuple) and len(set(value)) == 1:
        value = value[0]
    if isinstance(value, bool) or not isinstance(value, (int, Fraction)):
        raise ConfigError("has an end that is no number", where, _listed(given, path))
    return Fraction(value)


def _step(first: Given, path: str, where: Where, text: str) -> Fraction:
    if not text.strip("0."):
        return Fraction(0)
    if first.key.kind in TIMED and not _in_ms(first, path):
        try:
            return Fraction(milliseconds(text))
        except Malformed as malformed:
            what = f"has the step {shown(text)}, which {malformed.what}"
            raise ConfigError(what, where, _example(path, first)) from None
    wanted, kind = (_WHOLE, "whole number") if first.key.kind in (*TIMED, "count") else (_DECIMAL, "number")
    if not wanted.fullmatch(text):
        raise ConfigError(f"has the step {shown(text)}, which is no {kind} above 0", where, _example(path, first))
    return Fraction(Decimal(text))


def _in_ms(given: Given, path: str) -> bool:
    """Whether the spelling promises integer milliseconds."""
    return path.partition(".")[2] != given.key.name


def _listed(given: Given, path: str) -> str:
    if given.key.choices:
        return f"write the values with commas: {path}={','.join(given.key.choices)}"
    return _example(path, given)


def _example(path: str, given: Given | None = None) -> str:
    kind = "duration" if given is None else "ms" if _in_ms(given, path) else given.key.kind
    span, some = _EXAMPLES.get(kind, _EXAMPLES["duration"])
    return f"write {path}={span} for a range, or {path}={some}"
