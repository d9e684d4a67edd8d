"""Idempotency keys: what a server remembers of them, and two instances that look one up at the same time.

A key is looked up and entered in one transaction (`unique`), or by two steps of an instance with others between.
A call that gets no answer may be sent again while the first is under way, and reach another instance.
Under `unique` the later of the two finds the entry and answers with the same task, which changes nothing, so that it
is no step of its own.
"""

from __future__ import annotations

import z3

from .admission import SAME_KEY, admissible, admit, seeds
from .capabilities import taskable, wants_task
from .key_entries import entry_of, has_prior, late_key, same_digest
from .room import NONE, TRUE, Effects, Guard, Room, either, no


def variables(room: Room) -> None:
    """`held_call`, the client for whose call an instance has found the key free.

    History: `crossed`, a key that another tenant made has decided about a call of the client.
    """
    if in_two_steps(room):
        room.family("held_call", room.instances, room.reference("clients"), NONE)
    if room.has("namespaces") and room.policy.key_namespace == "global":
        room.flags("crossed", room.clients)


def in_two_steps(room: Room) -> bool:
    """Whether a key is looked up in one step and entered in another."""
    return room.has("key_race") and room.policy.key_insert == "check-then-insert"


def actions(room: Room) -> None:
    """Answering a call whose key is known, and the race for one that is not."""
    if not room.has("keys") or room.policy.idempotency == "none":
        return
    _replay(room)
    if in_two_steps(room):
        _look_up(room)
        _insert(room)


def _replay(room: Room) -> None:
    client_choice, client = room.pick("client", "clients")
    prior = room.follow("tasks", entry_of(room, client))
    same, late = same_digest(room, client), late_key(room, client)
    # Only in one namespace for all tenants can a key be known that the client has no entry of its own for.
    foreign = room.holds("entry", client, NONE)
    guard: Guard = [
        *room.serving(),
        ("its call has arrived", room.holds("call", client, "sent")),
        ("its key names a task", has_prior(room, client)),
    ]
    effects = Effects(room)
    effects.put("call", client, "admitted")
    effects.put("answer", client, entry_of(room, client))
    effects.put("crossed", client, TRUE, foreign)
    effects.put("observed", prior, TRUE, foreign)
    taken: Guard = [
        ("a task may answer it", taskable(room, client)),
        ("that task has not expired", no(late)),
        ("the digest is the same", same),
    ]
    room.act("replay", "server", [*guard, *taken], effects, [client_choice], [SAME_KEY])
    effects = Effects(room)
    effects.put("call", client, "refused")
    effects.put("crossed", client, TRUE, foreign)
    guard += [("what it asks for was negotiated", either(no(wants_task(room, client)), taskable(room, client)))]
    if not z3.is_false(late):
        room.act("refuse_expired", "server", [*guard, ("that task has expired", late)], effects, [client_choice])
    if room.policy.idempotency == "key-and-digest":
        # A call that wants no task is another request than the one that the key was used for.
        other = either(no(same), no(wants_task(room, client)))
        guard += [("that task has not expired", no(late)), ("the digest is another", other)]
        room.act("refuse_collision", "server", guard, effects, [client_choice], [SAME_KEY])


def _look_up(room: Room) -> None:
    instance_choice, instance = room.pick("instance", "instances")
    client_choice, client = room.pick("client", "clients")
    effects = Effects(room)
    effects.put("held_call", instance, room.name("clients", client))
    guard: Guard = [
        *room.serving(),
        ("the instance is free", room.holds("held_call", instance, NONE)),
        *admissible(room, client),
    ]
    room.act("look_up_key", "server", guard, effects, [instance_choice, client_choice], [SAME_KEY])


def _insert(room: Room) -> None:
    instance_choice, instance = room.pick("instance", "instances")
    task_choice, task = room.pick("task", "tasks")
    client = room.follow("clients", room.read("held_call", instance))
    seeded, seed = seeds(room)
    effects = Effects(room)
    guard = [*room.serving(), *admit(room, effects, client, task, seed)]
    effects.put("held_call", instance, NONE)
    guard += [("the instance has found its key free", no(room.holds("held_call", instance, NONE)))]
    room.act("insert_after_look_up", "server", guard, effects, [instance_choice, task_choice, *seeded], [SAME_KEY])
