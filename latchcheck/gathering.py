"""Errors of what somebody wrote, all of it: who mends one is not told of the next only then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

Wrong = TypeVar("Wrong", bound=Exception)


def every(error: BaseException) -> Sequence[BaseException]:
    """Each thing that is wrong as an error by itself, in the order in which they were met."""
    return getattr(error, "every", (error,))


def together(errors: Sequence[Wrong]) -> Wrong:
    """The first of several errors, of which there is at least one; it carries them all as `every`."""
    first = errors[0]
    first.every = tuple(errors)  # type: ignore[attr-defined] - for whoever asks `every`
    return first


def all_read(kind: type[Wrong], reads: Mapping[str, Callable[[], Any]], others: Iterable[Wrong] = ()) -> dict[str, Any]:
    """What each of these functions gives; raises one error of this kind with all that they raise, `others` first."""
    found: list[Any] = list(others)
    values: dict[str, Any] = {}
    for name, read in reads.items():
        try:
            values[name] = read()
        except kind as error:
            found += every(error)
    if found:
        raise together(found)
    return values
