"""What is being done just now, and how far it is: engines and models say it, whoever watches reads it.

Nobody watching is the ordinary case, so to say it is to set an attribute, and no clock is read here.
What is said never decides anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import TypeVar

import attrs

Item = TypeVar("Item")


@attrs.define(eq=False)
class Stage:
    """One piece of work.

    `what` names it as people would; `unit` is what is counted, in the plural, where the number is worth telling.
    `total` is how many there are to do, None where nobody knows.
    `done` counts what is done; `covered` says in words what has been seen so far.
    Both may be functions, which are asked when somebody looks, from another thread.
    """

    what: str
    total: int | None = None
    unit: str = ""
    done: int | Callable[[], int] = 0
    covered: str | Callable[[], str] = ""

    def count(self) -> int:
        """How much is done."""
        return self.done() if callable(self.done) else self.done

    def step(self) -> None:
        """One more is done."""
        self.done = self.count() + 1

    def seen(self) -> str:
        """What was covered so far, in words; empty where there is nothing to say."""
        return self.covered() if callable(self.covered) else self.covered


_STAGES: list[Stage] = []


def stages() -> tuple[Stage, ...]:
    """The work in hand, the whole before its parts."""
    return tuple(_STAGES)


@contextmanager
def doing(
    what: str,
    total: int | None = None,
    unit: str = "",
    *,
    done: int | Callable[[], int] = 0,
    covered: str | Callable[[], str] = "",
) -> Iterator[Stage]:
    """Say what is being done for as long as the block runs."""
    stage = Stage(what, total, unit, done, covered)
    _STAGES.append(stage)
    try:
        yield stage
    finally:
        _STAGES.remove(stage)


def each(
    what: str, items: Iterable[Item], unit: str = "", *, named: Callable[[Item], str] | None = None
) -> Iterator[Item]:
    """The items one by one, saying which is worked on; `named` gives the word for one, which takes the place of `what`.

    The work in hand ends with the last item, or when the loop over them is left.
    """
    total = len(items) if isinstance(items, Sized) else None
    with doing(what, total, unit) as stage:
        for count, item in enumerate(items):
            stage.done = count
            if named is not None:
                stage.what = f"{what} {named(item)}".strip()
            yield item
