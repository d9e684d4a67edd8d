"""What a client knows: its handles, its view, and that its polling comes to an end."""

from __future__ import annotations

from typing import Any

import attrs

from latchcheck.kernel import Sentence

from ...model import client as clients
from ...model import network, record
from ...model.network import VIEW
from ...model.record import STATUS
from ...model.room import NONE, Room, both, either, no
from ...model.scope import LARGEST, Scope
from .rules import SEMANTICS, Claim, Obligation, Rule, every, implies, one_task, some


def _reachable(room: Room) -> Claim:
    def reached(client: str) -> Any:
        return every(
            room.tasks,
            lambda task: implies(clients.is_accepted(room, client, task), clients.reaches(room, client, task)),
        )

    return Claim(
        (("something leads from the client to every task accepted from it", every(room.clients, reached)),),
        some(
            room.clients,
            lambda client: both(
                no(room.read("alive", client)),
                some(room.tasks, lambda task: clients.is_accepted(room, client, task)),
            ),
        ),
    )


def _finds_handle(room: Room) -> Obligation:
    pairs = [(client, task) for client in room.clients for task in room.tasks]
    waits = either(*(clients.is_accepted(room, client, task) for client, task in pairs))
    known = both(
        *(
            implies(
                clients.is_accepted(room, client, task),
                room.read("knows", client) == room.reference("tasks")[task],
            )
            for client, task in pairs
        )
    )
    return Obligation(
        waits,
        known,
        ("recover", "reissue", "replay", "reply", "receive"),
        "the safety form asks that a way is left; the leads-to form has a reissue for each crash and each loss, "
        "whatever the scope allows, as a client that calls again does so until it has its handle",
    )


def _until_it_has_one(scope: Scope) -> Scope:
    needed = min(scope.client_crashes + scope.losses, LARGEST)
    return attrs.evolve(scope, reissues=max(scope.reissues, needed))


HANDLE_NEVER_LOST = Rule(
    "handle-never-lost",
    "SHOULD",
    Sentence(
        'persist the handle synchronously, the instant the response says resultType: "task", before you return control '
        'anywhere. Same transaction boundary as "I issued this call."',
        clients.HANDLES,
        "The one unrecoverable window",
    ),
    ("handles", "keys"),
    ("client_crashes", "losses"),
    _reachable,
    (
        "handle_store=after-return",
        "handle_store=none",
        "client_reissue=new-key",
        "client_reissue=never",
        "idempotency=none",
        clients.PRINTED,
    ),
    {"tasks": 2, "clients": 1, "workers": 1},
    _finds_handle,
    _until_it_has_one,
)


def _converges(room: Room) -> Claim:
    def right(task: str) -> Any:
        view, now, first = room.read("view", task), room.read("status", task), room.read("first", task)
        stored = either(*(both(view == VIEW[one], first == STATUS[one]) for one in record.TERMINAL))
        gone = both(view == VIEW["gone"], no(record.exists(now)))
        return implies(room.read("stopped", task), either(stored, gone))

    return Claim(
        (
            ("who has stopped polling has the stored outcome, or knows that it is gone", every(room.tasks, right)),
            (
                "an answer that tells the end is the last",
                every(room.tasks, lambda task: no(room.read("wasted", task))),
            ),
        ),
        some(room.tasks, lambda task: no(room.holds("reply", task, NONE))),
    )


def _stops(room: Room) -> Obligation:
    def over(task: str) -> Any:
        now = room.read("status", task)
        return either(record.is_terminal(now), now == STATUS[record.GONE])

    return Obligation(
        some(room.tasks, over),
        every(room.tasks, lambda task: implies(over(task), room.read("stopped", task))),
        ("replicate", "get_status", "see_status", "return_result"),
        "the safety form asks that the first answer that tells the end ends the polling",
    )


CLIENT_CONVERGES = Rule(
    "client-converges",
    "MUST",
    network.UNKNOWN_IS_TERMINAL,
    ("polls", "outcomes"),
    ("workers", "cancels", "expiries", "deletion", "unknown_statuses", "lag"),
    _converges,
    (
        "unknown_id=retry",
        "unknown_status=terminal",
        "cancel_ack=outcome",
        "cancel_marker=own-life",
        "missing_record=upsert",
        "create_visibility=one-instance",
        "era=2025-11-25,result_while_open=returns",
    ),
    one_task(workers=1, lag=1),
    _stops,
)


def _forward(room: Room) -> Claim:
    def newest(task: str) -> Any:
        return room.read("view_version", task) == room.read("newest", task)

    def under_way(task: str) -> Any:
        return both(no(room.holds("view", task, NONE)), no(room.holds("reply", task, NONE)))

    return Claim(
        (("the client holds the newest snapshot that it has seen", every(room.tasks, newest)),),
        some(room.tasks, under_way),
    )


VIEW_NEVER_GOES_BACK = Rule(
    "view-never-goes-back",
    "SHOULD",
    Sentence(
        "One observer's view never returns to an older snapshot, whatever mix of polls and notifications it reads.",
        SEMANTICS,
        "section 5",
    ),
    ("polls", "version"),
    ("notifications", "workers", "inputs", "lag"),
    _forward,
    (
        "view=last-arrival-wins",
        "notifications=lossy,view=last-arrival-wins",
        "notifications=reordered,view=last-arrival-wins",
        *network.STALE,
    ),
    one_task(workers=1, inputs=1, lag=2),
)
