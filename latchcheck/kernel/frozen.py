"""An immutable mapping that can be hashed, and the State of a system as one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TypeVar

from .errors import show

Value = int | Fraction | bool | str
V_co = TypeVar("V_co", covariant=True)


class FrozenMap(Mapping[str, V_co]):
    """A mapping from names to values that never changes and keeps the order it was given."""

    __slots__ = ("_content", "_hash")

    def __init__(self, content: Mapping[str, V_co] | None = None) -> None:
        self._content: dict[str, V_co] = dict(content) if content else {}
        self._hash: int | None = None

    def __getitem__(self, name: str) -> V_co:
        return self._content[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._content)

    def __len__(self) -> int:
        return len(self._content)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, FrozenMap):
            return self._content == other._content
        return self._content == other if isinstance(other, Mapping) else NotImplemented

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._content.items()))
        return self._hash

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={show(value)}" for name, value in self._content.items())
        return f"{type(self).__name__}({inside})"


class State(FrozenMap[Value]):
    """The value of every variable at one moment: int, Fraction, bool or str (the label of an enum value)."""

    __slots__ = ()
