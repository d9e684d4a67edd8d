"""A run written down: steps with their instant, party, arguments and what they changed."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import attrs

from .errors import show
from .frozen import FrozenMap, Value

Change = tuple[Value, Value]


def _instant(at_ms: Fraction | int | None) -> Fraction | None:
    return None if at_ms is None else Fraction(at_ms)


@attrs.frozen
class Step:
    """One event: at `at_ms` milliseconds (None without a clock) a party did an action with these choices.

    `changed` maps each variable that changed, the clock left out, to its value before and after.
    """

    at_ms: Fraction | None = attrs.field(converter=_instant)
    party: str
    action: str
    args: FrozenMap[Value] = attrs.field(factory=FrozenMap, converter=FrozenMap)
    changed: FrozenMap[Change] = attrs.field(factory=FrozenMap, converter=FrozenMap)

    def __str__(self) -> str:
        args = ", ".join(f"{name}={show(value)}" for name, value in self.args.items())
        changed = ", ".join(f"{name}: {show(old)} -> {show(new)}" for name, (old, new) in self.changed.items())
        when = "" if self.at_ms is None else f"{show(self.at_ms)} ms  "
        return f"{when}{self.party}  {self.action}({args})  {changed}".rstrip()


@attrs.frozen
class Trace:
    """A run of the system named `system` from its initial state."""

    system: str
    steps: tuple[Step, ...] = attrs.field(converter=tuple)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __str__(self) -> str:
        return "\n".join(str(step) for step in self.steps) or "(no step)"
