"""Where each variable of a finite system sits in the bits of a packed state.

A state is a row of 64-bit words; a variable never lies across two of them. In Python the words stand one behind the
other in a single int, so that one layout serves both searches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs

from latchcheck.kernel import Bool, Enum, IntRange, System, Value, Variable

WORD_BITS = 64
# One bit of each word stays free: a word is then never negative as a signed number, and -1 marks an empty place.
FIELD_BITS_MAX = WORD_BITS - 1


class NotPackable(Exception):
    """The system has no packed form: a dense number, a clock, or a range too wide for one word."""


@attrs.frozen
class Field:
    """The place of one variable: `bits` bits of word `word`, above `shift` others; `lo` is the value kept as 0."""

    variable: Variable
    word: int
    shift: int
    bits: int
    lo: int

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
        return int(value) - self.lo

    def get(self, kept: int) -> Value:
        """The value for which a number is kept."""
        domain = self.variable.domain
        if isinstance(domain, Enum):
            return domain.values[kept]
        return bool(kept) if isinstance(domain, Bool) else kept + self.lo


@attrs.frozen
class Layout:
    """The fields of a system by name, and the number of words of a state."""

    fields: Mapping[str, Field]
    words: int

    @classmethod
    def of(cls, system: System) -> Layout:
        """The layout of a system: each variable in the first word that has room; NotPackable where there is none."""
        used: list[int] = []
        fields: dict[str, Field] = {}
        if system.clock is not None:
            raise NotPackable(f"system {system.name!r} has a clock")
        for variable in system.variables:
            size, lo = _extent(variable)
            bits = (size - 1).bit_length()
            if bits > FIELD_BITS_MAX:
                raise NotPackable(f"variable {variable.name!r} needs {bits} bits; one word has {FIELD_BITS_MAX}")
            word = next((i for i, taken in enumerate(used) if taken + bits <= FIELD_BITS_MAX), len(used))
            if word == len(used):
                used.append(0)
            fields[variable.name] = Field(variable, word, used[word], bits, lo)
            used[word] += bits
        return cls(fields, max(1, len(used)))

    def pack(self, values: Sequence[Value]) -> int:
        """A state, its values in the order of the variables, as one int."""
        return sum(field.put(value) << field.offset for field, value in zip(self.fields.values(), values, strict=True))

    def unpack(self, packed: int) -> tuple[Value, ...]:
        """The values of a packed state in the order of the variables."""
        return tuple(field.get(packed >> field.offset & field.mask) for field in self.fields.values())


def _extent(variable: Variable) -> tuple[int, int]:
    """How many values the variable can have, and the least of them as a number."""
    domain = variable.domain
    if isinstance(domain, Enum):
        return len(domain.values), 0
    if isinstance(domain, Bool):
        return 2, 0
    if isinstance(domain, IntRange):
        return domain.hi - domain.lo + 1, domain.lo
    raise NotPackable(f"variable {variable.name!r} is a dense number")
