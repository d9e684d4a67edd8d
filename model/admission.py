"""Admission: what a server does with a call, from the request to the reply that names a task.

Without the module `calls` a task is created in one step; with it the call, the decision and the reply are apart.
"""

from __future__ import annotations

from typing import Any, Final

from latchcheck.kernel import Choice, Enum, Sentence

from . import capabilities, dispatch, key_entries, record, replica
from .room import FALSE, NONE, TRUE, Effects, Guard, Pick, Room, choose, either, no, pick_label, when

CALL: Final = Enum("CallStage", ("idle", "sent", "begun", "admitted", "replied", "refused", "direct"))
SEEDS: Final = {"working": ("working",), "non-terminal": record.OPEN, "any": tuple(record.TRANSITIONS)}

DURABLE_CREATE: Final = Sentence(
    "A server MUST NOT return CreateTaskResult until the task is durably created — that is, until a tasks/get for the "
    "returned taskId would resolve.",
    record.EXTENSION,
    "Task Creation",
)
SAME_KEY: Final = Sentence(
    'if (prior && prior.requestDigest !== digest) reject("collision") ... if (prior) return prior',
    "MCP Tasks: The Export That Finished Twice",
    "The restart exposed the real unit of durability",
)


def variables(room: Room) -> None:
    """The stage of each client's call, what it asks for, and what the server remembers of it."""
    if room.has("owners"):
        room.family("owner", room.tasks, _tenants(room), NONE)
    if not room.has("calls"):
        return
    room.family("call", room.clients, CALL, "idle")
    room.family("answer", room.clients, room.reference("tasks"), NONE)
    room.flags("called", room.clients)
    if room.scope.reissues:
        room.budget("reissues", room.scope.reissues)
    key_entries.variables(room)
    capabilities.variables(room)


def actions(room: Room) -> None:
    """Creation in one step, or call by call."""
    if not room.has("calls"):
        _create(room)
        return
    capabilities.actions(room)
    _call(room)
    _admit(room)
    _judge(room)
    _reply(room)
    if room.has("capability"):
        _refuse(room)
        _direct(room)


def insert(room: Room, effects: Effects, task: Pick, seed: Any, client: Pick | None) -> None:
    """Note what a new record holds, and what is committed with it."""
    record.begin(room, effects, task, seed)
    effects.put("version", task, 1)
    record.age(room, effects, task)
    effects.put("slot", task, no(record.is_terminal(seed)))
    if room.has("outcomes"):
        effects.put("first", task, seed, record.is_terminal(seed))
        effects.put("outcomes", task, 1, record.is_terminal(seed))
    effects.put("durable", task, room.policy.create_durability == "before-reply")
    dispatch.committed(room, effects, task)
    if client is None:
        return
    if room.has("owners"):
        effects.put("owner", task, tenant_of(room, client))
    effects.put("accepted", task, room.name("clients", client))
    key_entries.enter(room, effects, task, client)


def tenant_of(room: Room, client: Pick) -> Any:
    """The tenant that a client belongs to."""
    domain = _tenants(room)
    return choose(client, {one: domain[room.tenants[i % len(room.tenants)]] for i, one in enumerate(room.clients)})


def _tenants(room: Room) -> Enum:
    return Enum(f"tenants_{len(room.tenants)}_or_none", (NONE, *room.tenants))


def seeds(room: Room) -> tuple[list[Choice], Any]:
    """The choice of the status in which a task begins, where the policy leaves one, and that status."""
    labels = SEEDS[room.policy.seed_status]
    if len(labels) == 1:
        return [], record.STATUS[labels[0]]
    choice, picked = pick_label("seed", Enum(f"Seed{len(labels)}", labels))
    return [choice], choose(picked, record.STATUS)


def _fresh(room: Room, task: Pick) -> Guard:
    unused = no(either(room.read("to_commit", task), room.read("announced", task)))
    free = (record.UNBORN,) if room.policy.task_ids == "unique" else (record.UNBORN, record.GONE)
    return [
        ("the id is unused", record.is_in(room.read("status", task), free)),
        ("nothing is under way for it", unused if room.policy.dispatch == "before-commit" else TRUE),
    ]


def _create(room: Room) -> None:
    task_choice, task = room.pick("task", "tasks")
    effects = Effects(room)
    seeded, seed = seeds(room)
    choices, client = [task_choice], None
    if room.has("owners"):
        client_choice, client = room.pick("client", "clients")
        choices.insert(0, client_choice)
    before_commit = room.has("outbox") and room.policy.dispatch == "before-commit"
    fresh = [("its message is announced", room.read("to_commit", task))] if before_commit else _fresh(room, task)
    insert(room, effects, task, seed, client)
    effects.put("to_commit", task, FALSE)
    room.act("create", "server", [*room.serving(), *fresh], effects, [*choices, *seeded], [record.DIAGRAM])


def _call(room: Room) -> None:
    """The first call of a client; later ones are `reissue`."""
    for name in ("call", "reissue") if room.scope.reissues else ("call",):
        client_choice, client = room.pick("client", "clients")
        effects, choices = Effects(room), [client_choice]
        guard: Guard = [
            ("it has something to ask for", room.read("wants", client, absent=True)),
            ("it is running", room.read("alive", client, absent=True)),
        ]
        called = room.read("called", client)
        if name == "call":
            guard += [("it has not called before", no(called))]
        else:
            guard += [("it has called before", called), *_may_reissue(room, client, effects)]
        effects.put("call", client, "sent")
        effects.put("called", client, TRUE)
        effects.put("answer", client, NONE)
        effects.put("work", client, NONE)
        asked, declared = capabilities.ask(room, client, effects)
        guard += declared
        choices += asked
        if room.has("keys") and not room.has("handles"):
            digest = Choice("digest", key_entries.DIGEST)
            effects.put("digest_asked", client, digest.term)
            choices += [digest]
        effects.put("intent_stored", client, room.policy.handle_store == "before-return")
        room.act(name, "client", guard, effects, choices)


def _may_reissue(room: Room, client: Pick, effects: Effects) -> Guard:
    over = either(*(room.holds("call", client, stage) for stage in ("idle", "replied", "refused", "direct")))
    if room.has("handles"):
        over = room.holds("call", client, "idle")
    guard: Guard = [("no call of it is under way", over)]
    if room.has("handles"):
        guard += [
            ("its policy calls again", room.policy.client_reissue != "never"),
            ("it has no handle", room.holds("knows", client, NONE)),
        ]
    if room.has("keys") and room.policy.client_reissue == "new-key":
        key_entries.forget(room, effects, client)
    return guard + room.spend(effects, "reissues")


def admissible(room: Room, client: Pick) -> Guard:
    """What a server asks of a call before it makes a task for it."""
    return [
        *room.serving(),
        ("its call has arrived", room.holds("call", client, "sent")),
        ("a task may answer it", capabilities.taskable(room, client)),
        ("its key is new", no(key_entries.has_prior(room, client))),
    ]


def admit(room: Room, effects: Effects, client: Pick, task: Pick, seed: Any) -> Guard:
    """Note that a call is answered with a new task, if it still waits for an answer: the guard, after the changes."""
    late = room.policy.capability_check == "after-work" and room.has("capability")
    before_commit = room.has("outbox") and room.policy.dispatch == "before-commit"
    waits = room.holds("call", client, "sent")
    insert(room, effects, task, seed, client)
    effects.put("to_commit", task, FALSE)
    effects.put("call", client, "begun" if late else "admitted", waits)
    effects.put("answer", client, room.name("tasks", task), waits)
    effects.put("work", client, room.name("tasks", task))
    effects.put("served", None, "start", no(capabilities.allowed(room, client)))
    return [("its message is announced", room.read("to_commit", task))] if before_commit else _fresh(room, task)


def _admit(room: Room) -> None:
    if room.has("key_race") and room.policy.key_insert == "check-then-insert":
        return
    client_choice, client = room.pick("client", "clients")
    task_choice, task = room.pick("task", "tasks")
    seeded, seed = seeds(room)
    effects = Effects(room)
    guard = [*admissible(room, client), *admit(room, effects, client, task, seed)]
    room.act("admit", "server", guard, effects, [client_choice, task_choice, *seeded], [SAME_KEY, DURABLE_CREATE])


def _judge(room: Room) -> None:
    if room.policy.capability_check == "after-work" and room.has("capability"):
        client_choice, client = room.pick("client", "clients")
        effects = Effects(room)
        allowed = capabilities.allowed(room, client)
        effects.put("call", client, when(allowed, CALL["admitted"], CALL["refused"]))
        effects.put("answer", client, NONE, no(allowed))
        guard = [*room.serving(), ("work has begun for it", room.holds("call", client, "begun"))]
        room.act("judge", "server", guard, effects, [client_choice], [capabilities.NEGOTIATED_TWICE])


def _reply(room: Room) -> None:
    client_choice, client = room.pick("client", "clients")
    effects = Effects(room)
    effects.put("call", client, "replied")
    named = room.follow("tasks", room.read("answer", client))
    effects.put("replied", named, TRUE)
    guard = [*room.serving(), ("its task is admitted", room.holds("call", client, "admitted"))]
    guard += replica.awaited(room, named)
    room.act("reply", "server", guard, effects, [client_choice], [DURABLE_CREATE])


def _refuse(room: Room) -> None:
    """A call that needs a task and may not have one, or asks for one where none is given."""
    if room.policy.capability_check != "before-work":
        return
    client_choice, client = room.pick("client", "clients")
    effects = Effects(room)
    effects.put("call", client, "refused")
    guard = [
        *room.serving(),
        ("its call has arrived", room.holds("call", client, "sent")),
        ("it asks for a task", capabilities.wants_task(room, client)),
        ("no task may answer it", no(capabilities.allowed(room, client))),
    ]
    room.act("refuse", "server", guard, effects, [client_choice], [capabilities.NEGOTIATED_TWICE])


def _direct(room: Room) -> None:
    client_choice, client = room.pick("client", "clients")
    effects = Effects(room)
    effects.put("call", client, "direct")
    guard = [
        *room.serving(),
        ("its call has arrived", room.holds("call", client, "sent")),
        ("it needs no task", no(capabilities.wants_task(room, client))),
        (
            "its key is new",
            no(key_entries.has_prior(room, client)) if room.policy.idempotency == "key-and-digest" else TRUE,
        ),
    ]
    room.act("answer_directly", "server", guard, effects, [client_choice])
