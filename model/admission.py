"""Admission: what a server does with a call, from the request to the reply that names a task.

Without the module `calls` a task is created in one step; with it the call, the decision and the reply are apart.
"""

from __future__ import annotations

from typing import Any, Final

from latchcheck.kernel import Bool, Choice, Enum, Sentence

from . import dispatch, record, replica
from .room import FALSE, NONE, TRUE, Effects, Pick, Room, both, choose, either, no, when

Guard = list[tuple[str, Any]]

CALL: Final = Enum("CallStage", ("idle", "sent", "begun", "admitted", "replied", "refused", "direct"))
# What a client has declared: at initialisation in 2025-11-25, with each request in the extension.
CAPABILITIES: Final = ("undeclared", "nothing", "tasks", "tasks+cancel", "tasks+cancel+list")
CAPS_2025: Final = Enum("Capabilities2025", CAPABILITIES)
# The extension has one capability for all of its operations, and no list.
CAPS_2026: Final = Enum("Capabilities2026", CAPABILITIES[:3])
TOOL: Final = Enum("TaskSupport", ("required", "optional", "forbidden"))
DIGEST: Final = Enum("Digest", ("d1", "d2"))
DIGEST_OR_NONE: Final = Enum("DigestOrNone", (NONE, *DIGEST.values))
SERVED: Final = Enum("Served", ("nothing", "start", "read", "cancel", "list"))
SEEDS: Final = {"working": ("working",), "non-terminal": record.OPEN, "any": tuple(record.TRANSITIONS)}

DURABLE_CREATE: Final = Sentence(
    "A server MUST NOT return CreateTaskResult until the task is durably created — that is, until a tasks/get for the "
    "returned taskId would resolve.",
    record.EXTENSION,
    "Task Creation",
)
NEGOTIATED_TWICE: Final = Sentence(
    "A server that starts work before rejecting an unsupported combination has already created the orphan it was "
    "supposed to prevent.",
    "MCP Tasks: The Export That Finished Twice",
    "The protocol promise is smaller than a job system",
)
SAME_KEY: Final = Sentence(
    'if (prior && prior.requestDigest !== digest) reject("collision") ... if (prior) return prior',
    "MCP Tasks: The Export That Finished Twice",
    "The restart exposed the real unit of durability",
)


def caps_domain(room: Room) -> Enum:
    """The capabilities that the era knows."""
    return CAPS_2026 if room.policy.era == "2026-07-28" else CAPS_2025


def may(room: Room, client: Pick, operation: str) -> Any:
    """Whether the client has negotiated an operation: start, read, cancel or list."""
    if not room.has("capability"):
        return TRUE
    enough = {"start": 2, "read": 2, "cancel": 3, "list": 4}[operation]
    if room.policy.era == "2026-07-28":
        enough = 2
    caps, domain = room.read("caps", client), caps_domain(room)
    return either(*(caps == domain[label] for label in domain.values[enough:]))


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
    if room.has("keys"):
        room.family("digest_asked", room.clients, DIGEST, "d1")
        # The key of each client's call names this task; the digest that it was made with is in the record.
        room.family("entry", room.clients, room.reference("tasks"), NONE)
        room.family("digest", room.tasks, DIGEST_OR_NONE, NONE)
        room.family("keyed", room.tasks, room.reference("clients"), NONE)
    if room.has("capability"):
        room.family("caps", room.clients, caps_domain(room), "undeclared")
        room.family("tool", room.clients, TOOL, "optional")
        room.flags("augmented", room.clients)
        room.family("work", room.clients, room.reference("tasks"), NONE)
        room.single("served", SERVED, "nothing")


def actions(room: Room) -> None:
    """Creation in one step, or call by call."""
    if not room.has("calls"):
        _create(room)
        return
    if room.has("capability"):
        _declare(room)
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
    if room.has("keys"):
        effects.put("digest", task, asked_digest(room, client))
        effects.put("keyed", task, room.name("clients", client))
        effects.put("entry", client, room.name("tasks", task))


def tenant_of(room: Room, client: Pick) -> Any:
    """The tenant that a client belongs to."""
    domain = _tenants(room)
    tenants = [domain[room.tenants[i % len(room.tenants)]] for i in range(len(room.clients))]
    answer = tenants[-1]
    for label, tenant in zip(reversed(list(client)[:-1]), reversed(tenants[:-1]), strict=True):
        answer = when(client[label], tenant, answer)
    return answer


def _tenants(room: Room) -> Enum:
    return Enum(f"tenants_{len(room.tenants)}_or_none", (NONE, *room.tenants))


def seeds(room: Room) -> tuple[list[Choice], Any]:
    """The choice of the status in which a task begins, where the policy leaves one, and that status."""
    labels = SEEDS[room.policy.seed_status]
    if len(labels) == 1:
        return [], record.STATUS[labels[0]]
    domain = Enum(f"Seed{len(labels)}", labels)
    choice = Choice("seed", domain)
    picked = record.STATUS[labels[-1]]
    for label in labels[-2::-1]:
        picked = when(choice.term == domain[label], record.STATUS[label], picked)
    return [choice], picked


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


def _declare(room: Room) -> None:
    client_choice, client = room.pick("client", "clients")
    domain = caps_domain(room)
    declared = Enum(f"{domain.name}Declared", domain.values[1:])
    caps = Choice("capabilities", declared)
    value = domain[declared.values[-1]]
    for label in declared.values[-2::-1]:
        value = when(caps.term == declared[label], domain[label], value)
    effects = Effects(room)
    effects.put("caps", client, value)
    guard = [("nothing is declared yet", room.holds("caps", client, "undeclared"))]
    room.act("declare", "client", guard, effects, [client_choice, caps])


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
        if room.has("capability"):
            guard += [("it has declared what it supports", no(room.holds("caps", client, "undeclared")))]
            tool, augmented = Choice("tool", TOOL), Choice("augmented", Bool())
            effects.put("tool", client, tool.term)
            choices += [tool]
            if room.policy.era == "2025-11-25":
                effects.put("augmented", client, augmented.term)
                choices += [augmented]
            else:
                # The extension has no augmentation: who has declared it takes a task or a result.
                effects.put("augmented", client, room.holds("caps", client, "tasks"))
        if room.has("keys") and not room.has("handles"):
            digest = Choice("digest", DIGEST)
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
        effects.put("entry", client, NONE)
        mine = room.reference("clients")
        for task in room.tasks:
            for one in room.clients:
                effects.put("keyed", task, NONE, both(client[one], room.read("keyed", task) == mine[one]))
    return guard + room.spend(effects, "reissues")


def _allowed(room: Room, client: Pick) -> Any:
    """Whether the call may be answered with a task."""
    if not room.has("capability"):
        return TRUE
    support = no(room.holds("tool", client, "forbidden"))
    return both(may(room, client, "start"), support, room.read("augmented", client))


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


def wants_task(room: Room, client: Pick) -> Any:
    """What an unchecking server takes for a call that asks for a task; without capabilities every call does."""
    if not room.has("capability"):
        return TRUE
    return either(room.read("augmented", client), room.holds("tool", client, "required"))


def taskable(room: Room, client: Pick) -> Any:
    """A task may answer the call, by what the server looks at before it starts work."""
    early = room.policy.capability_check == "before-work" or not room.has("capability")
    return _allowed(room, client) if early else wants_task(room, client)


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


def admissible(room: Room, client: Pick) -> Guard:
    """What a server asks of a call before it makes a task for it."""
    return [
        *room.serving(),
        ("its call has arrived", room.holds("call", client, "sent")),
        ("a task may answer it", taskable(room, client)),
        ("its key is new", no(has_prior(room, client))),
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
    effects.put("served", None, "start", no(_allowed(room, client)))
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
        allowed = _allowed(room, client)
        effects.put("call", client, when(allowed, CALL["admitted"], CALL["refused"]))
        effects.put("answer", client, NONE, no(allowed))
        guard = [*room.serving(), ("work has begun for it", room.holds("call", client, "begun"))]
        room.act("judge", "server", guard, effects, [client_choice], [NEGOTIATED_TWICE])


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
        ("it asks for a task", wants_task(room, client)),
        ("no task may answer it", no(_allowed(room, client))),
    ]
    room.act("refuse", "server", guard, effects, [client_choice], [NEGOTIATED_TWICE])


def _direct(room: Room) -> None:
    client_choice, client = room.pick("client", "clients")
    effects = Effects(room)
    effects.put("call", client, "direct")
    guard = [
        *room.serving(),
        ("its call has arrived", room.holds("call", client, "sent")),
        ("it needs no task", no(wants_task(room, client))),
        ("its key is new", no(has_prior(room, client)) if room.policy.idempotency == "key-and-digest" else TRUE),
    ]
    room.act("answer_directly", "server", guard, effects, [client_choice])
