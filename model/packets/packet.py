"""A packet: one request, who sends it, and what is stored; and the state of the model that it stands for."""

from __future__ import annotations

from typing import Any, Final

import attrs
import z3

from latchcheck.kernel import State, compile_expr

from .. import record
from ..lifecycle import Lifecycle
from .system import FREE, OWNER, STORED, STRANGER, VERSION

# The wire's names of what a receiver declares, and the rung of the model's ladder that an operation needs.
CAPABILITIES: Final = ("tasks.requests.tools.call", "tasks.cancel", "tasks.list")
_NEEDED: Final = {
    "call": ("tasks.requests.tools.call", "tasks"),
    "get": ("tasks.requests.tools.call", "tasks"),
    "result": ("tasks.requests.tools.call", "tasks"),
    "transition": ("tasks.requests.tools.call", "tasks"),
    "cancel": ("tasks.cancel", "tasks+cancel"),
    "list": ("tasks.list", "tasks+cancel+list"),
}


@attrs.frozen
class Stored:
    """A stored record: who owns it, its status and version, when its ttl is over, and the key it was made with."""

    auth_key: str
    status: str
    version: int
    expires_at_ms: int
    idempotency_key: str | None = None
    request_digest: str | None = None


@attrs.frozen
class Request:
    """What is asked: for a call the tool, the key and the digest; for a transition the status and the version read."""

    tool_support: str = "optional"
    augmented: bool = False
    idempotency_key: str | None = None
    request_digest: str | None = None
    status: str | None = None
    expected_version: int | None = None


@attrs.frozen
class Packet:
    """One request at the instant `now_ms`; `expected` is the decision that its author expects, if one is named."""

    id: str
    operation: str
    now_ms: int
    auth_key: str
    capabilities: frozenset[str] = attrs.field(converter=frozenset)
    record: Stored | None
    request: Request
    expected: str | None = None

    @property
    def client(self) -> str:
        """Who sends it in the model: the owner of the stored record, or a stranger to it."""
        return OWNER if self.record is None or self.record.auth_key == self.auth_key else STRANGER

    @property
    def names_the_record(self) -> bool:
        """The key of a call is that of the stored record, and both are of one caller: keys are looked up by owner."""
        stored, asked = self.record, self.request.idempotency_key
        return stored is not None and asked is not None and self.client == OWNER and stored.idempotency_key == asked

    @property
    def arguments(self) -> dict[str, Any]:
        """The choices that the request makes beside who and what."""
        if self.operation != "transition":
            return {}
        assert self.record is None or self.request.expected_version is not None
        stored = 0 if self.record is None else self.record.version
        read = self.request.expected_version or 0
        # Versions are compared only, so what matters is whether one is older, the same, or newer.
        step = (read > stored) - (read < stored)
        return {"status": self.request.status, "expected_version": VERSION + step}


_NOW, _EXPIRES = z3.Ints("now_ms expires_at_ms")
# The source's predicate is `expires_at > now`: at the very instant the ttl is over.
EXPIRED: Final = compile_expr(z3.Not(_EXPIRES > _NOW), ("now_ms", "expires_at_ms"))


def state_of(packet: Packet, built: Lifecycle) -> State:
    """The state of the model in which the request has arrived; variables that a policy lacks are left out."""
    values = dict(built.system.start()) | {"server": "up"}
    values |= _caller(packet)
    if packet.record is not None:
        values |= _record(packet, packet.record)
    there = {variable.name: variable.domain for variable in built.system.variables}
    return State({name: value for name, value in values.items() if name in there})


def _caller(packet: Packet) -> dict[str, Any]:
    client, request = packet.client, packet.request
    capability, rung = _NEEDED[packet.operation]
    below = {"tasks": "nothing", "tasks+cancel": "tasks", "tasks+cancel+list": "tasks+cancel"}[rung]
    same = packet.record is not None and packet.record.request_digest == request.request_digest
    return {
        f"caps_{client}": rung if capability in packet.capabilities else below,
        f"call_{client}": "sent" if packet.operation == "call" else "idle",
        f"called_{client}": packet.operation == "call",
        f"tool_{client}": request.tool_support,
        f"augmented_{client}": request.augmented,
        f"digest_asked_{client}": "d1" if same else "d2",
        f"entry_{client}": STORED if packet.names_the_record else "none",
    }


def _record(packet: Packet, stored: Stored) -> dict[str, Any]:
    over = stored.status in record.TERMINAL
    cancelled = stored.status == "cancelled"
    return {
        f"status_{STORED}": stored.status,
        f"version_{STORED}": VERSION,
        f"was_{STORED}": record.UNBORN if stored.status == record.SEED else record.SEED,
        f"first_{STORED}": stored.status if over else record.UNBORN,
        f"outcomes_{STORED}": int(over),
        f"slot_{STORED}": not over,
        f"owner_{STORED}": "p1",
        f"accepted_{STORED}": OWNER,
        f"digest_{STORED}": "d1",
        f"keyed_{STORED}": OWNER if packet.names_the_record else "none",
        f"expired_{STORED}": EXPIRED(now_ms=packet.now_ms, expires_at_ms=stored.expires_at_ms),
        f"intent_{STORED}": cancelled,
        f"read_cancelled_{STORED}": cancelled,
    }


__all__ = ["CAPABILITIES", "FREE", "Packet", "Request", "Stored", "state_of"]
