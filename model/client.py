"""The client's handle store: what is in memory, what is on disk, and what a crash leaves.

`before-return` has the call and its key on disk before the call goes out, and the handle as soon as the reply is
there; `after-return` is the store as printed: nothing until a separate `record` after the call has returned.
"""

from __future__ import annotations

from typing import Any, Final

from latchcheck.kernel import Sentence

from . import record
from .room import FALSE, NONE, TRUE, Effects, Guard, Room, both, either, no

HANDLES: Final = "How to Not Orphan an MCP Task"
WINDOW: Final = Sentence(
    "There is exactly one moment you cannot crash through: between the server accepting your call and your store "
    "recording the handle.",
    HANDLES,
    "The one unrecoverable window",
)
RECONCILE: Final = Sentence(
    "Then the piece that makes the store worth having — reconcile every open task on startup, so a deploy that "
    "restarts mid-task resumes instead of orphaning",
    HANDLES,
    "Poll with backoff, and reconcile on boot",
)
# The store as printed; `client_reissue` because no key travels with a call, so a second call is another request.
PRINTED: Final = "handle_store=after-return,client_reissue=new-key"


def variables(room: Room) -> None:
    """`alive`; `wants`, it remembers its call; `knows`, the handle in memory; `stored`, on disk; `intent_stored`.

    History: `accepted`, the client whose call the server accepted with this task.
    """
    if not room.has("handles"):
        return
    room.flags("alive", room.clients, initial=True)
    room.flags("wants", room.clients, initial=True)
    room.family("knows", room.clients, room.reference("tasks"), NONE)
    room.family("stored", room.clients, room.reference("tasks"), NONE)
    room.flags("intent_stored", room.clients)
    room.family("accepted", room.tasks, room.reference("clients"), NONE)
    if room.has("client_crashes"):
        room.budget("client_crashes", room.scope.client_crashes)


def reaches(room: Room, client: str, task: str) -> Any:
    """Something still leads from the client to the task: a handle, a reply under way, or a call that finds it again."""
    named = room.reference("tasks")[task]
    under_way = either(*(room.holds("call", client, stage) for stage in ("begun", "admitted", "replied")))
    ways = [
        room.read("knows", client) == named,
        room.read("stored", client) == named,
        both(under_way, room.read("answer", client) == named),
    ]
    if room.policy.client_reissue == "same-key" and room.policy.idempotency != "none" and room.has("keys"):
        ways += [both(room.read("wants", client), room.read("entry", client) == named)]
    return either(*ways)


def actions(room: Room) -> None:
    """Receiving, recording, crashing, recovering."""
    if not room.has("handles"):
        return
    _receive(room)
    if room.policy.handle_store == "after-return":
        _record(room)
    if room.has("client_crashes"):
        _crash(room)
    if room.has("losses"):
        choice, client = room.pick("client", "clients")
        effects = Effects(room)
        effects.put("call", client, "idle")
        guard: Guard = [("a reply is under way", room.holds("call", client, "replied"))]
        room.act("lose_reply", "network", guard + room.spend(effects, "losses"), effects, [choice])


def _receive(room: Room) -> None:
    choice, client = room.pick("client", "clients")
    effects = Effects(room)
    answer = room.read("answer", client)
    effects.put("knows", client, answer)
    effects.put("stored", client, answer, room.policy.handle_store == "before-return")
    effects.put("call", client, "idle")
    effects.put("answer", client, NONE)
    guard: Guard = [
        ("the client is running", room.read("alive", client)),
        ("a reply is under way", room.holds("call", client, "replied")),
    ]
    room.act("receive", "client", guard, effects, [choice], [WINDOW])


def _record(room: Room) -> None:
    choice, client = room.pick("client", "clients")
    effects = Effects(room)
    effects.put("stored", client, room.read("knows", client))
    guard: Guard = [
        ("the client is running", room.read("alive", client)),
        ("it has a handle", no(room.holds("knows", client, NONE))),
        ("its store has another or none", room.read("knows", client) != room.read("stored", client)),
    ]
    room.act("record", "client", guard, effects, [choice], [WINDOW])


def _crash(room: Room) -> None:
    choice, client = room.pick("client", "clients")
    effects = Effects(room)
    effects.put("alive", client, FALSE)
    effects.put("knows", client, NONE)
    effects.put("wants", client, room.read("intent_stored", client))
    # A request that arrives after the crash is one that arrived before it: the reply finds nobody either way.
    effects.put("call", client, "idle")
    effects.put("answer", client, NONE)
    guard: Guard = [("the client is running", room.read("alive", client))]
    room.act("crash_client", "client", guard + room.spend(effects, "client_crashes"), effects, [choice])
    effects = Effects(room)
    effects.put("alive", client, TRUE)
    effects.put("knows", client, room.read("stored", client))
    guard = [("the client is down", no(room.read("alive", client)))]
    room.act("recover", "client", guard, effects, [choice], [RECONCILE])


def is_accepted(room: Room, client: str, task: str) -> Any:
    """The task answers a call of this client, and is there."""
    mine = room.read("accepted", task) == room.reference("clients")[client]
    return both(mine, record.exists(room.read("status", task)))
