"""Capabilities: what a client has declared that it supports, and which calls may be answered with a task.

At initialisation in 2025-11-25, with each request in the extension.
"""

from __future__ import annotations

from typing import Any, Final

from latchcheck.kernel import Bool, Choice, Enum, Sentence

from .room import NONE, TRUE, Effects, Guard, Pick, Room, both, choose, either, no, pick_label

CAPABILITIES: Final = ("undeclared", "nothing", "tasks", "tasks+cancel", "tasks+cancel+list")
CAPS_2025: Final = Enum("Capabilities2025", CAPABILITIES)
# The extension has one capability for all of its operations, and no list.
CAPS_2026: Final = Enum("Capabilities2026", CAPABILITIES[:3])
TOOL: Final = Enum("TaskSupport", ("required", "optional", "forbidden"))
SERVED: Final = Enum("Served", ("nothing", "start", "read", "cancel", "list"))

NEGOTIATED_TWICE: Final = Sentence(
    "A server that starts work before rejecting an unsupported combination has already created the orphan it was "
    "supposed to prevent.",
    "MCP Tasks: The Export That Finished Twice",
    "The protocol promise is smaller than a job system",
)


def variables(room: Room) -> None:
    """`caps`, what a client has declared; `tool` and `augmented`, what its call is; `work`, the task begun for it.

    History: `served`, the last operation that was done for a client which had not negotiated it.
    """
    if room.has("capability"):
        room.family("caps", room.clients, caps_domain(room), "undeclared")
        room.family("tool", room.clients, TOOL, "optional")
        room.flags("augmented", room.clients)
        room.family("work", room.clients, room.reference("tasks"), NONE)
        room.single("served", SERVED, "nothing")


def actions(room: Room) -> None:
    """Declaring, once."""
    if room.has("capability"):
        _declare(room)


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


def allowed(room: Room, client: Pick) -> Any:
    """Whether the call may be answered with a task."""
    if not room.has("capability"):
        return TRUE
    support = no(room.holds("tool", client, "forbidden"))
    return both(may(room, client, "start"), support, room.read("augmented", client))


def wants_task(room: Room, client: Pick) -> Any:
    """What an unchecking server takes for a call that asks for a task; without capabilities every call does."""
    if not room.has("capability"):
        return TRUE
    return either(room.read("augmented", client), room.holds("tool", client, "required"))


def taskable(room: Room, client: Pick) -> Any:
    """A task may answer the call, by what the server looks at before it starts work."""
    early = room.policy.capability_check == "before-work" or not room.has("capability")
    return allowed(room, client) if early else wants_task(room, client)


def _declare(room: Room) -> None:
    client_choice, client = room.pick("client", "clients")
    domain = caps_domain(room)
    declared = Enum(f"{domain.name}Declared", domain.values[1:])
    caps, picked = pick_label("capabilities", declared)
    effects = Effects(room)
    effects.put("caps", client, choose(picked, domain))
    guard = [("nothing is declared yet", room.holds("caps", client, "undeclared"))]
    room.act("declare", "client", guard, effects, [client_choice, caps])


def ask(room: Room, client: Pick, effects: Effects) -> tuple[list[Choice], Guard]:
    """Note what a call asks for of all that was declared: the choices and the guard of the call."""
    if not room.has("capability"):
        return [], []
    guard: Guard = [("it has declared what it supports", no(room.holds("caps", client, "undeclared")))]
    tool, augmented = Choice("tool", TOOL), Choice("augmented", Bool())
    effects.put("tool", client, tool.term)
    if room.policy.era == "2025-11-25":
        effects.put("augmented", client, augmented.term)
        return [tool, augmented], guard
    # The extension has no augmentation: who has declared it takes a task or a result.
    effects.put("augmented", client, room.holds("caps", client, "tasks"))
    return [tool], guard
