"""Which members of a lifecycle may be swapped: tasks, workers and instances are all alike.

Clients are alike too where they all belong to one tenant.
"""

from __future__ import annotations

from typing import Final

from latchcheck.engines.explicit import Symmetry
from latchcheck.kernel import Value

from ...model.lifecycle import Lifecycle

_KINDS: Final = ("tasks", "workers", "instances", "clients")


def symmetries(built: Lifecycle) -> tuple[Symmetry, ...]:
    """One group for each kind of which there are two or more."""
    room = built.room
    found = []
    for kind in _KINDS:
        labels = getattr(room, kind)
        if len(labels) < 2 or (kind == "clients" and len(room.tenants) > 1):  # noqa: PLR2004 - one has nobody to swap with
            continue
        domain = room.reference(kind)
        families = room.families.values()
        members = tuple(
            tuple(f"{family.name}_{label}" for family in families if tuple(family.terms) == labels) for label in labels
        )
        if not members[0]:
            continue
        names = (
            f"{family.name}_{label}" if label else family.name
            for family in families
            if family.domain == domain
            for label in family.terms
        )
        references: dict[str, tuple[Value, ...]] = {}
        for name in names:
            references[name] = labels
        found.append(Symmetry(members, references))
    return tuple(found)
