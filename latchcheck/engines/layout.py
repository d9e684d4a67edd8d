"""Where each variable of a system sits in the bits of a packed state.

A state is a row of 64-bit words; a variable never lies across two of them. In Python the words stand one behind the
other in a single int, so that one layout serves both searches.

A dense number is kept as a whole number of parts of a millisecond. How fine the parts must be and how far such numbers
reach is assumed, and every step checks it: a search that finds an assumption wrong is thrown away and begun again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import attrs

from latchcheck.kernel import Bool, Enum, IntRange, Real, System, Value, Variable

WORD_BITS = 64
# One bit of each word stays free: a word is then never negative as a signed number, and -1 marks an empty place.
FIELD_BITS_MAX = WORD_BITS - 1
# A range of integers beyond this is taken for a count that nobody meant to fill.
_NARROW = 1 << 16


class NotPackable(Exception):
    """The system has no packed form: a range too wide for one word, a division by what is no constant."""


class Coarse(Exception):
    """A dense number is no multiple of a part; with parts `factor` times as fine it may be."""

    def __init__(self, factor: int) -> None:
        self.factor = factor
        super().__init__(f"parts must be {factor} times as fine")


class Narrow(Exception):
    """A number does not fit the range that was assumed for it."""


Number = int | Fraction


@attrs.frozen
class Grid:
    """How time and dense numbers are read.

    Time passes by `unit_ms` up to `horizon_ms`, dense choices are multiples of `unit_ms`, within `bounds` where they
    state none themselves. Assumed: dense numbers are multiples of 1/`parts` ms, and they and wide ranges of integers
    stay within `reach` parts of zero.
    """

    unit_ms: Number = 1
    horizon_ms: Number | None = None
    bounds: Mapping[str, tuple[Number, Number]] = attrs.field(factory=dict)
    parts: int = 1
    reach: int = 1 << 10

    def scaled(self, value: Number) -> int:
        """A number in parts; Coarse where it is none."""
        exact = Fraction(value) * self.parts
        if exact.denominator != 1:
            raise Coarse(exact.denominator)
        return exact.numerator


@attrs.frozen
class Field:
    """The place of one variable: `bits` bits of word `word`, above `shift` others.

    Kept are the numbers from `lo` to `hi`, `lo` as 0; where they are `assumed`, the variable itself may hold more.
    """

    variable: Variable
    word: int
    shift: int
    bits: int
    lo: int
    hi: int
    assumed: bool
    parts: int

    @property
    def mask(self) -> int:
        """The greatest number that the field holds."""
        return (1 << self.bits) - 1

    @property
    def offset(self) -> int:
        """The place of the lowest bit when all words stand in one int."""
        return self.word * WORD_BITS + self.shift

    def put(self, value: Value) -> int:
        """The number kept for a value."""
        domain = self.variable.domain
        if isinstance(domain, Enum):
            return domain.values.index(str(value))
        assert not isinstance(value, str)
        exact = value * self.parts
        if isinstance(exact, Fraction):
            if exact.denominator != 1:
                raise Coarse(exact.denominator)
            exact = exact.numerator
        if not self.lo <= exact <= self.hi:
            raise Narrow
        return exact - self.lo

    def get(self, kept: int) -> Value:
        """The value for which a number is kept."""
        domain = self.variable.domain
        if isinstance(domain, Enum):
            return domain.values[kept]
        if isinstance(domain, Bool):
            return bool(kept)
        if self.parts == 1:
            return kept + self.lo
        exact = Fraction(kept + self.lo, self.parts)
        return exact.numerator if exact.denominator == 1 else exact


@attrs.frozen
class Layout:
    """The fields of a system by name, and the number of words of a state."""

    fields: Mapping[str, Field]
    words: int
    grid: Grid = Grid()

    @property
    def sizes(self) -> tuple[int, ...]:
        """The bytes of each word that hold something; a row in memory keeps no others."""
        used = [1] * self.words
        for field in self.fields.values():
            used[field.word] = max(used[field.word], field.shift + field.bits)
        return tuple(-(-bits // 8) for bits in used)

    @classmethod
    def of(cls, system: System, grid: Grid | None = None) -> Layout:
        """The layout of a system: each variable in the first word that has room; NotPackable where there is none."""
        used: list[int] = []
        fields: dict[str, Field] = {}
        grid = grid or Grid()
        for variable in system.variables:
            lo, hi, assumed = _extent(variable, grid)
            bits = (hi - lo).bit_length()
            if bits > FIELD_BITS_MAX:
                raise NotPackable(f"variable {variable.name!r} needs {bits} bits; one word has {FIELD_BITS_MAX}")
            word = next((i for i, taken in enumerate(used) if taken + bits <= FIELD_BITS_MAX), len(used))
            if word == len(used):
                used.append(0)
            parts = grid.parts if isinstance(variable.domain, Real) else 1
            fields[variable.name] = Field(variable, word, used[word], bits, lo, hi, assumed, parts)
            used[word] += bits
        return cls(fields, max(1, len(used)), grid)

    def pack(self, values: Sequence[Value]) -> int:
        """A state, its values in the order of the variables, as one int."""
        return sum(field.put(value) << field.offset for field, value in zip(self.fields.values(), values, strict=True))

    def unpack(self, packed: int) -> tuple[Value, ...]:
        """The values of a packed state in the order of the variables."""
        return tuple(field.get(packed >> field.offset & field.mask) for field in self.fields.values())


def _extent(variable: Variable, grid: Grid) -> tuple[int, int, bool]:
    """The least and the greatest number that is kept for the variable, and whether that is assumed."""
    domain = variable.domain
    if isinstance(domain, Enum):
        return 0, len(domain.values) - 1, False
    if isinstance(domain, Bool):
        return 0, 1, False
    if isinstance(domain, IntRange):
        if domain.hi - domain.lo <= _NARROW:
            return domain.lo, domain.hi, False
        lo, hi = max(domain.lo, -grid.reach), min(domain.hi, grid.reach)
        if lo > hi:
            raise Narrow
        return lo, hi, (lo, hi) != (domain.lo, domain.hi)
    return -grid.reach, grid.reach - 1, True
