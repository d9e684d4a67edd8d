"""What an exhaustive search is asked: systems with their properties, and what is known before any search."""

from __future__ import annotations

import attrs

from latchcheck.kernel import FrozenMap, Property, System
from latchcheck.kernel.verdict import PropertyVerdict

from .symmetry import Symmetry


@attrs.frozen(eq=False)
class Search:
    """One system, searched once for all of `properties`.

    `scope` says in words what the system is exhaustive within.
    `symmetry` names what may be swapped, `swapped` says it in words; `fairness` are the actions that are fair to a
    leads-to.
    `hints` says of a property, by id, what would put it to the test where nothing here does.
    """

    system: System
    properties: tuple[Property, ...]
    scope: str
    symmetry: tuple[Symmetry, ...] = ()
    swapped: tuple[str, ...] = ()
    fairness: tuple[str, ...] = ()
    hints: FrozenMap[str] = attrs.field(converter=FrozenMap, factory=FrozenMap)


@attrs.frozen(eq=False)
class Plan:
    """All searches that answer one question.

    `source` is the question in words, `scope` and `policy` are its numbers and switches.
    `absent` are the properties that are answered without a search, `order` the ids as they are to be told.
    """

    source: str
    scope: FrozenMap[int] = attrs.field(converter=FrozenMap)
    policy: FrozenMap[str] = attrs.field(converter=FrozenMap)
    searches: tuple[Search, ...]
    absent: tuple[PropertyVerdict, ...]
    order: tuple[str, ...]
    symmetry: bool = True
