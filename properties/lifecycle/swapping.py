"""Which members of a lifecycle may be swapped: tasks, workers and instances are all alike.

Clients of one tenant are alike, and so are tenants: two that have one client each are swapped with their clients.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from latchcheck.engines.explicit import Symmetry
from latchcheck.kernel import Domain

from ...model.lifecycle import Lifecycle
from ...model.room import Room

_KINDS: Final = ("tasks", "workers", "instances")


Group = tuple[Sequence[str], Mapping[Domain, Sequence[str]]]


def symmetries(built: Lifecycle) -> tuple[Symmetry, ...]:
    """One group for each kind of which there are two or more, and for clients one for each tenant that has several."""
    room = built.room
    groups: list[Group] = [(getattr(room, kind), {room.reference(kind): getattr(room, kind)}) for kind in _KINDS]
    groups += _of_clients(room)
    # One alone has nobody to swap with.
    found = (_group(room, labels, references) for labels, references in groups if len(labels) > 1)
    return tuple(group for group in found if group is not None)


def _of_clients(room: Room) -> Iterator[Group]:
    """The clients that may be swapped, with the values that name them and, where they have one each, their tenants."""
    names, count = room.reference("clients"), len(room.tenants)
    owners = room.families.get("owner")
    # In one namespace for all, a key is looked for among the calls of strangers in their order.
    if room.has("namespaces") and room.policy.key_namespace == "global" and len(room.clients) > 2:  # noqa: PLR2004 - one stranger has no order
        return
    if len(room.clients) == count and count > 1:
        tenants = {} if owners is None else {owners.domain: room.tenants}
        yield room.clients, {names: room.clients, **tenants}
        return
    for tenant in range(count):
        mine = room.clients[tenant::count]
        yield mine, {names: mine}


def _group(room: Room, labels: Sequence[str], references: Mapping[Domain, Sequence[str]]) -> Symmetry | None:
    """The group of some members of a kind: their variables, and those that name them; None where they have none."""
    families = [family for family in room.families.values() if set(labels) <= family.terms.keys()]
    members = tuple(tuple(f"{family.name}_{label}" for family in families) for label in labels)
    if not members[0]:
        return None
    named = {
        f"{family.name}_{label}" if label else family.name: tuple(references[family.domain])
        for family in room.families.values()
        if family.domain in references
        for label in family.terms
    }
    return Symmetry(members, named)
