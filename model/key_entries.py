"""The entries of idempotency keys: which task the key of a call names, and what it was made with."""

from __future__ import annotations

from typing import Any, Final

from latchcheck.kernel import Enum

from .room import FALSE, NONE, TRUE, Effects, Pick, Room, both, choose, either, when

DIGEST: Final = Enum("Digest", ("d1", "d2"))
DIGEST_OR_NONE: Final = Enum("DigestOrNone", (NONE, *DIGEST.values))


def variables(room: Room) -> None:
    """`digest_asked`, the digest of a client's call; `entry`, the task that its key names.

    Of a task: `digest`, the one that it was made with; `keyed`, the client whose key names it.
    """
    if room.has("keys"):
        room.family("digest_asked", room.clients, DIGEST, "d1")
        room.family("entry", room.clients, room.reference("tasks"), NONE)
        room.family("digest", room.tasks, DIGEST_OR_NONE, NONE)
        room.family("keyed", room.tasks, room.reference("clients"), NONE)


def has_prior(room: Room, client: Pick) -> Any:
    """Whether the key of the call already names a task."""
    known = room.has("keys") and room.policy.idempotency != "none"
    return entry_of(room, client) != room.reference("tasks")[NONE] if known else FALSE


def strangers(room: Room, client: str) -> list[str]:
    """The clients of other tenants with whom a client shares its keys: none but in one namespace for all."""
    if not room.has("namespaces") or room.policy.key_namespace == "per-tenant":
        return []
    tenants = {one: i % len(room.tenants) for i, one in enumerate(room.clients)}
    return [one for one in room.clients if tenants[one] != tenants[client]]


def entry_of(room: Room, client: Pick) -> Any:
    """The task that the key of a call names: by the client's own entry, or by one of a stranger."""
    nothing = room.reference("tasks")[NONE]
    values = {}
    for label in client:
        value = room.read("entry", label)
        for one in strangers(room, label):
            value = when(value == nothing, room.read("entry", one), value)
        values[label] = value
    return choose(client, values)


def asked_digest(room: Room, client: Pick) -> Any:
    """The digest that a call carries."""
    asked = room.read("digest_asked", client)
    return when(asked == DIGEST["d1"], DIGEST_OR_NONE["d1"], DIGEST_OR_NONE["d2"])


def late_key(room: Room, client: Pick) -> Any:
    """The key of the call names a task whose ttl is over: neither shown again nor made again while it is there."""
    if room.policy.expiry_check == "off" or not room.has("keys"):
        return FALSE
    named = room.follow("tasks", entry_of(room, client))
    return either(*(both(hit, room.read("expired", one)) for one, hit in named.items()))


def same_digest(room: Room, client: Pick) -> Any:
    """The task that the key names was made with the digest of the call, if the policy compares digests."""
    if room.policy.idempotency != "key-and-digest":
        return TRUE
    return room.read("digest", room.follow("tasks", entry_of(room, client))) == asked_digest(room, client)


def enter(room: Room, effects: Effects, task: Pick, client: Pick) -> None:
    """Note that the key of a call names a new task."""
    if room.has("keys"):
        effects.put("digest", task, asked_digest(room, client))
        effects.put("keyed", task, room.name("clients", client))
        effects.put("entry", client, room.name("tasks", task))


def forget(room: Room, effects: Effects, client: Pick) -> None:
    """Note that a client calls with another key, which names nothing."""
    effects.put("entry", client, NONE)
    mine = room.reference("clients")
    for task in room.tasks:
        for one in room.clients:
            effects.put("keyed", task, NONE, both(client[one], room.read("keyed", task) == mine[one]))
