"""The same packets without guards: what is let through, what it breaks, and which guard alone kept it out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

import attrs

from latchcheck.kernel import Compiled, State, compile_expr

from ...model.packets.deciding import Decided, decide
from ...model.packets.packet import Packet
from ...model.packets.system import packet_model
from ...model.packets.tables import is_block
from ...model.policy import Policy
from ...model.spelling import SpellingError
from ..lifecycle.catalogue import RULES, lacks

SWITCHES_OFF: Final = (
    "terminal_guard=none",
    "version_check=off",
    "expiry_check=off",
    "tenant_check=off",
    "capability_check=off",
    "idempotency=key-only",
)
"""The mutants that together take every guard of admission away."""

UNGUARDED: Final = "unguarded"


@attrs.frozen
class Broken:
    """A property, and the clause of it that is false afterwards."""

    property: str
    clause: str


@attrs.frozen
class Contrast:
    """What becomes of a packet without guards.

    `lets_through`: the guarded model refuses it and the unguarded one does not. `breaks` is what is false afterwards,
    and `kept_out_by` the switches that let it through by themselves.
    """

    decision: str
    lets_through: bool
    breaks: tuple[Broken, ...]
    kept_out_by: tuple[str, ...]


def policy_of(text: str) -> Policy:
    """The policy of a text; `unguarded` stands for all mutants of admission. Raises SpellingError."""
    if "era" in {part.partition("=")[0].strip() for part in text.split(",")}:
        raise SpellingError("policy: packets are requests of 2025-11-25", "leave era out")
    return Policy.parse(",".join(SWITCHES_OFF) if text.strip() == UNGUARDED else text, named=[UNGUARDED])


def contrast(guarded: Decided) -> Contrast:
    """Decide a packet again without guards, and judge what it leaves by the lifecycle properties."""
    packet, open_ = guarded.packet, decide(guarded.packet, policy_of(UNGUARDED))
    through = guarded.blocked and not open_.blocked
    tried = SWITCHES_OFF if through else ()
    alone = [one for one in tried if not is_block(decide(packet, Policy.parse(one)).decision)]
    return Contrast(open_.decision, through, broken(open_, policy_of(UNGUARDED)), tuple(alone))


def broken(decided: Decided, policy: Policy) -> tuple[Broken, ...]:
    """Every clause of a property that is false after a packet and was true before it."""
    return tuple(
        Broken(name, label)
        for name, label, holds in _clauses(policy)
        if holds(**_known(holds, decided.before)) and not holds(**_known(holds, decided.after))
    )


def sound(packet: Packet, policy: Policy) -> tuple[Broken, ...]:
    """The clauses that are false already in the state that a packet stands for: none for any packet."""
    before = decide(packet, policy).before
    return tuple(Broken(name, label) for name, label, holds in _clauses(policy) if not holds(**_known(holds, before)))


def _known(holds: Compiled, state: State) -> dict[str, object]:
    return {name: state[name] for name in holds.names}


@cache
def _clauses(policy: Policy) -> Sequence[tuple[str, str, Compiled]]:
    room = packet_model(policy).room
    asked = [rule.over(room) for rule in RULES if not lacks(rule, room.modules)]
    return [(one.id, part.label, compile_expr(part.expr)) for one in asked for part in one.clauses]
