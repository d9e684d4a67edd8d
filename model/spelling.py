"""Reading `name=value,name=value` lists: one error type, which says what to write instead."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from latchcheck.naming import instead

LISTS: Final[Mapping[str, str]] = {"policy": "latchcheck list policies", "scope": "latchcheck list scopes"}
"""What names all there are of a kind."""


class SpellingError(ValueError):
    """A policy or a scope that cannot be read: what is wrong, and on the second line what to write instead."""

    def __init__(self, what: str, instead: str) -> None:
        super().__init__(f"{what}\n  {instead}")
        self.what = what
        self.instead = instead


def assignments(kind: str, text: str, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each `name=value` of a comma-separated list; SpellingError for what is none, unknown or given twice."""
    known = tuple(names)
    seen: set[str] = set()
    for part in text.split(","):
        name, sign, value = (piece.strip() for piece in part.partition("="))
        if not sign or not name or not value:
            raise SpellingError(f"{kind} {text!r}: {part.strip()!r} is no name=value", f"write {known[0]}=...")
        if name not in known:
            raise SpellingError(f"{kind}: there is no {name!r}", instead(name, known, LISTS.get(kind)))
        if name in seen:
            raise SpellingError(f"{kind}: {name!r} is given twice", "write it once")
        seen.add(name)
        yield name, value
