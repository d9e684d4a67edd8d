"""Who may have a task, and which: tenants, capabilities, idempotency keys."""

from __future__ import annotations

from itertools import combinations

from latchcheck.kernel import Sentence

from ...model import access, capabilities, key_entries, record
from ...model.room import NONE, Room, both, either, no
from .rules import EXPORT, Claim, Rule, every, implies, one_task, some


def _isolated(room: Room) -> Claim:
    return Claim(
        (
            ("nobody else has observed the task", every(room.tasks, lambda task: no(room.read("observed", task)))),
            ("nobody else has changed the task", every(room.tasks, lambda task: no(room.read("changed", task)))),
        ),
        some(room.tasks, lambda task: record.exists(room.read("status", task))),
    )


TENANT_ISOLATION = Rule(
    "tenant-isolation",
    "MUST",
    access.LOCATOR,
    ("owners",),
    ("cancels", "namespaces", "lag", "inputs"),
    _isolated,
    ("tenant_check=reads-only", "tenant_check=off", "key_namespace=global"),
    one_task(clients=2, tenants=2, workers=1, inputs=1, lag=1, reissues=0),
)


def _gated(room: Room) -> Claim:
    served = room.read("served")
    labels = {"start": "started", "read": "read", "cancel": "cancelled", "list": "listed"}
    return Claim(
        tuple(
            (f"nothing is {word} without its capability", served != capabilities.SERVED[operation])
            for operation, word in labels.items()
        ),
        some(
            room.clients,
            lambda client: both(
                no(capabilities.may(room, {client: True}, "cancel")), no(room.holds("caps", client, "undeclared"))
            ),
        ),
    )


CAPABILITY_GATED = Rule(
    "capability-gated",
    "MUST",
    Sentence(
        "A server MUST NOT return CreateTaskResult to a client that did not include the extension capability on its "
        "request, regardless of prior declarations.",
        record.EXTENSION,
        "Capability Negotiation",
    ),
    ("capability",),
    ("cancels",),
    _gated,
    ("capability_check=after-work", "capability_check=off"),
    one_task(clients=1, workers=1),
)


def _refused(room: Room) -> Claim:
    return Claim(
        (
            (
                "no work has begun for a refused call",
                every(
                    room.clients,
                    lambda client: implies(room.holds("call", client, "refused"), room.holds("work", client, NONE)),
                ),
            ),
        ),
        some(room.clients, lambda client: room.holds("call", client, "refused")),
    )


REFUSED_BEFORE_STARTED = Rule(
    "refused-before-started",
    "MUST",
    capabilities.NEGOTIATED_TWICE,
    ("capability",),
    ("keys", "workers", "outbox"),
    _refused,
    ("capability_check=after-work", "dispatch=before-commit"),
    one_task(clients=1, workers=1),
)


def _same_key(room: Room) -> Claim:
    def made_twice(pair: tuple[str, str]) -> object:
        one, other = (room.read("keyed", task) for task in pair)
        there = (record.exists(room.read("status", task)) for task in pair)
        return both(*there, one == other, one != room.reference("clients")[NONE])

    def uncrossed(client: str) -> object:
        return no(room.read("crossed", client))

    def answered(client: str) -> object:
        given = either(*(room.holds("call", client, stage) for stage in ("admitted", "replied")))
        digests = key_entries.DIGEST_OR_NONE
        asked = room.read("digest_asked", client)
        right = [
            implies(
                room.read("answer", client) == room.reference("tasks")[task],
                both(
                    *(
                        implies(asked == key_entries.DIGEST[one], room.read("digest", task) == digests[one])
                        for one in key_entries.DIGEST.values
                    )
                ),
            )
            for task in room.tasks
        ]
        return implies(given, both(*right))

    pairs = list(combinations(room.tasks, 2))
    return Claim(
        (
            ("a key names one task", both(*(no(made_twice(pair)) for pair in pairs))),
            ("a call is answered with a task of its digest", every(room.clients, answered)),
            ("no key of another tenant decides about a call", every(room.clients, uncrossed)),
        ),
        some(
            room.clients,
            lambda client: both(room.holds("call", client, "sent"), no(room.holds("entry", client, NONE))),
        ),
    )


IDEMPOTENT_CREATE = Rule(
    "idempotent-create",
    "MUST",
    Sentence(
        "The replay case with the same idempotency key and same digest returned REPLAY_TASK. The same key with a "
        "different digest returned BLOCK_IDEMPOTENCY_COLLISION.",
        EXPORT,
        "The restart exposed the real unit of durability",
    ),
    ("keys",),
    ("key_race", "namespaces", "expiries"),
    _same_key,
    ("idempotency=key-only", "idempotency=none", "key_insert=check-then-insert", "key_namespace=global"),
    {"tasks": 2, "clients": 2, "reissues": 2, "instances": 2, "workers": 1},
)
