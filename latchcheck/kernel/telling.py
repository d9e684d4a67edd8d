"""How a run is told in words: what a model hands to whoever prints its runs.

A printer knows how to lay out rows; what an action means, which variables are mere bookkeeping and what the harm is
called comes from the model as a `Telling`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from attrs import frozen

from .trace import Step


@frozen
class Moment:
    """One step of a run with what was known before it.

    `before` holds the variables that change anywhere in the run, with their value before this step.
    """

    step: Step
    before: Mapping[str, Any]

    @property
    def at_ms(self) -> Fraction:
        """The instant, 0 where the run has no clock."""
        return self.step.at_ms or Fraction(0)

    @property
    def args(self) -> Mapping[str, Any]:
        """What the action picked."""
        return self.step.args

    def old(self, name: str, default: Any = None) -> Any:
        """The value before the step; `default` for what never changes in the run."""
        return self.before.get(name, default)

    def new(self, name: str, default: Any = None) -> Any:
        """The value after the step; `default` for what never changes in the run."""
        change = self.step.changed.get(name)
        return self.old(name, default) if change is None else change[1]

    def becomes(self, name: str, value: Any = True) -> bool:  # noqa: FBT002 - any value, and most often a flag
        """Whether the step gives a variable this value, which it had not before."""
        change = self.step.changed.get(name)
        return change is not None and change[1] == value


@frozen
class Round:
    """Actions that follow one another again and again, told as one row; `many` tells several of them in one row."""

    actions: tuple[str, ...]
    one: Callable[[Sequence[Moment]], str]
    many: Callable[[Sequence[Sequence[Moment]]], str] | None = None


@frozen
class Span:
    """A stretch of time that a picture shows as a bar: a window, a silence, the work.

    It lies in the lane of `party`, from `from_ms` to `to_ms`, which is None for what has not ended when the run does.
    `harm` marks the stretch that the harm follows from.
    """

    label: str
    party: str
    from_ms: Fraction
    to_ms: Fraction | None
    harm: bool = False


@frozen
class Telling:
    """The words for the runs of one model.

    `phrases` gives each action its words; an action without keeps its name and arguments.
    `quiet` are variables whose changes say nothing to a reader, `nameless` those whose values say enough.
    `rounds` are tried in their order. `harms` are the flags that record a harm, each with the sentence
    that says it; where a step raises several, the last of them says most.
    `meanwhile` says what passes between two steps, where that is worth a row.
    `spans` gives the stretches of time that a picture of a run shows as bars.
    """

    phrases: Mapping[str, Callable[[Moment], str]] = {}
    quiet: frozenset[str] = frozenset()
    nameless: frozenset[str] = frozenset()
    rounds: tuple[Round, ...] = ()
    harms: Mapping[str, str] = {}
    meanwhile: Callable[[Moment, Moment], str | None] = lambda _before, _after: None
    spans: Callable[[Sequence[Moment]], Sequence[Span]] = lambda _moments: ()


PLAIN = Telling()
"""A telling without words of its own: names and values as they are."""


def moments(steps: Iterable[Step]) -> tuple[Moment, ...]:
    """Each step with the values before it."""
    steps = tuple(steps)
    known: dict[str, Any] = {}
    for step in reversed(steps):
        known |= {name: old for name, (old, _) in step.changed.items()}
    found: list[Moment] = []
    for step in steps:
        found.append(Moment(step, dict(known)))
        known |= {name: new for name, (_, new) in step.changed.items()}
    return tuple(found)
