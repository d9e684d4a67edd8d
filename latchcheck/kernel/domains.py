"""What a variable or a choice can hold: an enum, a range of integers, a truth value, or a dense number."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from typing import Any

import attrs
import z3

from .errors import ModelError
from .frozen import Value

_declared: dict[str, int] = {}


@cache
def _enum_sort(name: str, values: tuple[str, ...]) -> tuple[z3.DatatypeSortRef, dict[str, z3.ExprRef]]:
    """One declaration per (name, values).

    z3 refuses to declare a sort twice in one context, so a second enum of one name gets a number to its sort's name.
    """
    number = _declared[name] = _declared.get(name, 0) + 1
    sort, terms = z3.EnumSort(name if number == 1 else f"{name}!{number}", values)
    return sort, dict(zip(values, terms, strict=True))


@attrs.frozen
class Enum:
    """A finite set of labels; `domain["working"]` is the z3 constant of a label."""

    name: str
    values: tuple[str, ...] = attrs.field(converter=tuple)

    def __attrs_post_init__(self) -> None:
        if not self.values or len(set(self.values)) != len(self.values):
            raise ModelError(f"enum {self.name!r} needs distinct values, at least one; it has {self.values!r}")

    @property
    def sort(self) -> z3.DatatypeSortRef:
        """The z3 sort."""
        return _enum_sort(self.name, self.values)[0]

    def __getitem__(self, label: str) -> z3.ExprRef:
        terms = _enum_sort(self.name, self.values)[1]
        if label not in terms:
            raise ModelError(f"enum {self.name!r} has no value {label!r}; it has {', '.join(self.values)}")
        return terms[label]

    def const(self, name: str) -> z3.ExprRef:
        """The z3 constant of that name."""
        return z3.Const(name, self.sort)

    def literal(self, value: Value) -> z3.ExprRef:
        """The z3 literal of a value."""
        return self[str(value)]

    def normal(self, value: Any) -> Value | None:
        """The value as the kernel keeps it, or None if it is not one of this domain."""
        return value if isinstance(value, str) and value in self.values else None

    def members(self) -> Iterable[Value]:
        """Every value, in order."""
        return self.values


@attrs.frozen
class IntRange:
    """The integers from `lo` to `hi`, both included."""

    lo: int
    hi: int

    def __attrs_post_init__(self) -> None:
        if self.lo > self.hi:
            raise ModelError(f"an empty range of integers: {self.lo} to {self.hi}")

    @property
    def sort(self) -> z3.SortRef:
        """The z3 sort."""
        return z3.IntSort()

    def const(self, name: str) -> z3.ExprRef:
        """The z3 constant of that name."""
        return z3.Int(name)

    def literal(self, value: Value) -> z3.ExprRef:
        """The z3 literal of a value."""
        return z3.IntVal(value)

    def normal(self, value: Any) -> Value | None:
        """The value as the kernel keeps it, or None if it is not one of this domain."""
        if isinstance(value, Fraction) and value.denominator == 1:
            value = value.numerator
        inside = isinstance(value, int) and not isinstance(value, bool) and self.lo <= value <= self.hi
        return value if inside else None

    def members(self) -> Iterable[Value]:
        """Every value, in order."""
        return range(self.lo, self.hi + 1)


@attrs.frozen
class Bool:
    """True or False."""

    @property
    def sort(self) -> z3.SortRef:
        """The z3 sort."""
        return z3.BoolSort()

    def const(self, name: str) -> z3.ExprRef:
        """The z3 constant of that name."""
        return z3.Bool(name)

    def literal(self, value: Value) -> z3.ExprRef:
        """The z3 literal of a value."""
        return z3.BoolVal(value)

    def normal(self, value: Any) -> Value | None:
        """The value as the kernel keeps it, or None if it is not one of this domain."""
        return value if isinstance(value, bool) else None

    def members(self) -> Iterable[Value]:
        """Every value, in order."""
        return (False, True)


@attrs.frozen
class Real:
    """A dense number, exact: an instant or a duration in milliseconds, kept as int when whole, else as Fraction."""

    @property
    def sort(self) -> z3.SortRef:
        """The z3 sort."""
        return z3.RealSort()

    def const(self, name: str) -> z3.ExprRef:
        """The z3 constant of that name."""
        return z3.Real(name)

    def literal(self, value: Value) -> z3.ExprRef:
        """The z3 literal of a value."""
        return z3.RealVal(str(value))

    def normal(self, value: Any) -> Value | None:
        """The value as the kernel keeps it, or None if it is not one of this domain."""
        if isinstance(value, Fraction):
            return value.numerator if value.denominator == 1 else value
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def members(self) -> Iterable[Value]:
        """There is no list of all numbers: ModelError."""
        raise ModelError("a dense number has no list of values; give bounds to enumerate it")


Domain = Enum | IntRange | Bool | Real


def literal_of_sort(sort: z3.SortRef, value: Value) -> z3.ExprRef:
    """The z3 literal of a Python value in a sort; ModelError if the value does not fit."""
    kind = sort.kind()
    if kind == z3.Z3_BOOL_SORT and isinstance(value, bool):
        return z3.BoolVal(value)
    if isinstance(value, bool):
        raise ModelError(f"{value!r} is no value of sort {sort}")
    if kind == z3.Z3_REAL_SORT and isinstance(value, int | Fraction):
        return z3.RealVal(str(value))
    if kind == z3.Z3_INT_SORT and isinstance(value, int):
        return z3.IntVal(value)
    if isinstance(sort, z3.DatatypeSortRef) and isinstance(value, str):
        for i in range(sort.num_constructors()):
            if sort.constructor(i).name() == value:
                return sort.constructor(i)()
    raise ModelError(f"{value!r} is no value of sort {sort}")
