"""Admission packets: decided by the model's own actions, and again without guards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # each function imports what it needs, so that --help does not pay for the solver
    from latchcheck.engines.obligations import Theorem


def decide_packets(file: str | None, policy: str) -> tuple[dict[str, Any], int, Iterator[dict[str, Any]]]:
    """What the packets of a file are (None: those of the source), how many, and the decision about each as a row.

    Everything is plain data, and a packet is decided when its row is asked for.
    Raises PacketError and SpellingError, for which `is_bad_input` is true, and Undecided where the model has no single
    decision.
    """
    from latchcheck.kernel.doing import each
    from latchcheck.model.packets.deciding import decide
    from latchcheck.model.packets.reading import load
    from latchcheck.model.packets.system import ERA
    from latchcheck.properties.admission.contrast import policy_of

    switches, read = policy_of(policy), load(file)
    rows = (_row(decide(one, switches), switches) for one in each("deciding", read.packets, named=lambda one: one.id))
    about = {
        "file": read.file,
        "sha256": read.digest,
        "era": ERA,
        "policy": {name: value for name, value in switches.changed.items() if name != "era"},
    }
    return about, len(read.packets), rows


def admission_theorems() -> Sequence[Theorem]:
    """The theorems about the decision tables."""
    from latchcheck.properties.admission.registry import theorems

    return theorems()


def _row(decided: Any, policy: Any) -> dict[str, Any]:
    from latchcheck.model.packets.deciding import decide
    from latchcheck.model.packets.tables import MEANINGS
    from latchcheck.model.policy import Policy
    from latchcheck.properties.admission.contrast import broken, contrast

    packet = decided.packet
    guarded = decide(packet, Policy())
    without = contrast(guarded)
    return {
        "id": packet.id,
        "operation": packet.operation,
        "decision": decided.decision,
        "meaning": MEANINGS[decided.decision],
        "expected": packet.expected,
        "as_expected": None if packet.expected is None else packet.expected == decided.decision,
        "status": decided.status,
        "version": decided.version,
        "breaks": _told(broken(decided, policy)),
        "unguarded": {
            "decision": without.decision,
            "lets_through": without.lets_through,
            "breaks": _told(without.breaks),
            "kept_out_by": list(without.kept_out_by),
        },
    }


def _told(found: Sequence[Any]) -> list[dict[str, str]]:
    return [{"property": one.property, "clause": one.clause} for one in found]
