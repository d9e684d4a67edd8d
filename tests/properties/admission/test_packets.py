"""The thirty-two packets: make-up, digest and decisions against the source document; and what guards keep out."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from latchcheck.model.packets.deciding import Decided, decide
from latchcheck.model.packets.packet import Packet, Request, Stored
from latchcheck.model.packets.reading import SOURCE, load, loads
from latchcheck.model.packets.tables import MEANINGS
from latchcheck.model.policy import Policy
from latchcheck.properties.admission import proofs
from latchcheck.properties.admission.contrast import SWITCHES_OFF, contrast, sound
from latchcheck.properties.lifecycle.killing import MUTANTS

SHA256 = "53fe7be8a9f1019da1602e07663840b645b1ba6fff06e43a0d7c70df73db4fa0"
PACKETS = load().packets
# The twelve hostile mutations in the words and the order of the source, with the decisions it prints.
HOSTILE = {
    "create-required-called-synchronously": ("BLOCK_TASK_REQUIRED", "capability-gated"),
    "create-forbidden-augmented": ("BLOCK_TASK_FORBIDDEN", "capability-gated"),
    "create-without-global-capability": ("BLOCK_TASK_CAPABILITY", "capability-gated"),
    "create-key-reused-with-another-digest": ("BLOCK_IDEMPOTENCY_COLLISION", "idempotent-create"),
    "stale-worker": ("BLOCK_STALE_VERSION", "stale-writer-blocked"),
    "cancelled-to-completed": ("BLOCK_TERMINAL_REWRITE", "one-terminal-outcome"),
    "completed-to-failed": ("BLOCK_TERMINAL_REWRITE", "one-terminal-outcome"),
    "another-tenant-finishes": ("BLOCK_AUTH", "tenant-isolation"),
    "late-work-on-an-expired-record": ("BLOCK_EXPIRED", "no-write-after-expiry"),
    "another-tenant-polls": ("BLOCK_AUTH", "tenant-isolation"),
    "cancel-without-capability": ("BLOCK_CANCEL_CAPABILITY", "capability-gated"),
    "list-without-capability": ("BLOCK_LIST_CAPABILITY", "capability-gated"),
}


def decisions() -> dict[str, Decided]:
    """Each packet of the source with what the guarded model decides."""
    return {packet.id: decide(packet, Policy()) for packet in PACKETS}


def test_the_make_up_is_that_of_the_source() -> None:
    """Ten creations, twelve transitions, eight reads and cancels, two lists."""
    counted = Counter(packet.operation for packet in PACKETS)
    assert (10, 12, 8, 2) == (
        counted["call"],
        counted["transition"],
        counted["get"] + counted["result"] + counted["cancel"],
        counted["list"],
    )


def test_the_digest_is_of_what_is_said() -> None:
    """The sha256 is that of the canonical JSON: another layout and another order of keys leave it as it is."""
    text = SOURCE.read_text(encoding="utf-8")
    document = json.loads(text)
    turned = json.dumps({name: document[name] for name in reversed(document)}, indent=7)
    assert {SHA256} == {load().digest, loads(text).digest, loads(turned).digest}
    document["packets"][0]["now_ms"] += 1
    assert loads(json.dumps(document)).digest != SHA256


def test_every_decision_is_the_expected_one() -> None:
    """Thirty-two of thirty-two, as the source reports of its own evaluator."""
    assert {packet.id: packet.expected for packet in PACKETS} == {
        name: one.decision for name, one in decisions().items()
    }


def test_the_counts_are_those_of_the_source() -> None:
    """Five accepted, one replayed, six transitions applied, one terminal fact repeated, twelve failed closed."""
    counted = Counter(one.decision for one in decisions().values())
    assert (5, 1, 6, 1) == (
        counted["ACCEPT_TASK"] + counted["ACCEPT_NORMAL"],
        counted["REPLAY_TASK"],
        counted["APPLY"],
        counted["IDEMPOTENT_TERMINAL"],
    )
    for name in ("WAIT_TERMINAL", "WAIT_INPUT", "RETURN_RESULT", "RETURN_STATUS", "APPLY_CANCEL", "ALREADY_TERMINAL"):
        assert 1 == counted[name]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_packet_is_kept_out_by_one_guard(name: str) -> None:
    """Guarded it is refused and changes nothing; unguarded it is let through and breaks its property."""
    decided = decisions()[name]
    without = contrast(decided)
    decision, broken = HOSTILE[name]
    assert (decision, True, 1) == (decided.decision, without.lets_through, len(without.kept_out_by))
    assert broken in {one.property for one in without.breaks}
    stored = {key: value for key, value in decided.after.items() if not key.startswith("call_")}
    assert stored == {key: decided.before[key] for key in stored}


def test_the_hostile_ones_are_the_refused_ones() -> None:
    """No other packet is refused, and each guard that can be taken away keeps one out."""
    refused = [name for name, one in decisions().items() if one.blocked]
    assert list(HOSTILE) == refused
    kept = {switch for name in refused for switch in contrast(decisions()[name]).kept_out_by}
    assert set(SWITCHES_OFF) == kept


def test_a_packet_stands_for_a_sound_state() -> None:
    """Before the request no property is broken, whatever record it meets."""
    assert [] == [(packet.id, sound(packet, Policy())) for packet in PACKETS if sound(packet, Policy())]


@pytest.mark.parametrize("mutant", MUTANTS)
def test_every_policy_decides(mutant: str) -> None:
    """Under each mutant every packet has exactly one decision, and the actions agree with it."""
    for packet in PACKETS:
        assert decide(packet, Policy.parse(mutant)).decision in MEANINGS


@pytest.mark.parametrize(
    "proof",
    [proofs.total_and_single, proofs.judged_first, proofs.blocked_changes_nothing],
    ids=lambda one: one.__name__,
)
def test_a_theorem_is_proved(proof: object) -> None:
    """Every obligation about the decision tables is proved."""
    found = list(proof())  # type: ignore[operator]
    assert found
    assert [] == [str(one) for one in found if not one.proved]


@pytest.mark.parametrize("mutant", ["tenant_check=off", "tenant_check=reads-only", "expiry_check=off"])
def test_a_theorem_needs_its_guard(mutant: str) -> None:
    """Without the comparison of owners, or of the ttl, what must be judged first is not."""
    assert any(not one.proved for one in proofs.judged_first(Policy.parse(mutant)))


def packet(operation: str, request: Request, record: Stored | None = None, auth: str = "a") -> Packet:
    """A packet of a caller who has declared everything."""
    capabilities = {"tasks.requests.tools.call", "tasks.cancel", "tasks.list"}
    return Packet("p", operation, 100, auth, capabilities, record, request)


def stored(status: str = "working", *, version: int = 3, expires: int = 200, key: str | None = "k") -> Stored:
    """A record of the caller `a`."""
    return Stored("a", status, version, expires, key, "d")


@pytest.mark.parametrize(
    ("operation", "request_", "record", "auth", "decision"),
    [
        # At the very instant of its end a ttl is over: the source's predicate is expires_at > now.
        ("get", Request(), stored(expires=100), "a", "BLOCK_EXPIRED"),
        ("get", Request(), stored(expires=101), "a", "RETURN_STATUS"),
        ("cancel", Request(), stored(expires=100), "a", "BLOCK_EXPIRED"),
        ("result", Request(), stored("failed"), "a", "RETURN_FAILURE"),
        ("result", Request(), stored("cancelled"), "a", "RETURN_CANCELLED"),
        ("get", Request(), None, "a", "BLOCK_MISSING"),
        # A stranger learns of no ttl, no status and no version.
        ("get", Request(), stored(expires=1), "b", "BLOCK_AUTH"),
        ("result", Request(), stored("completed"), "b", "BLOCK_AUTH"),
        ("transition", Request(status="completed", expected_version=9), stored("completed"), "b", "BLOCK_AUTH"),
        ("transition", Request(status="working", expected_version=3), stored(), "a", "BLOCK_ILLEGAL_TRANSITION"),
        ("transition", Request(status="working", expected_version=3), stored("failed"), "a", "BLOCK_TERMINAL_REWRITE"),
        ("transition", Request(status="failed", expected_version=4), stored(), "a", "BLOCK_STALE_VERSION"),
        ("transition", Request(status="failed", expected_version=2**40), stored(version=2**40), "a", "APPLY"),
        # A key is looked up among the caller's own.
        ("call", Request("required", True, "k", "d"), stored(), "b", "ACCEPT_TASK"),
        ("call", Request("required", True, "k", "d"), stored(expires=1), "a", "BLOCK_EXPIRED"),
        ("call", Request("required", True, None, "d"), stored(key=None), "a", "ACCEPT_TASK"),
        # The key of a task, used for a call that wants none: it would be executed a second time.
        ("call", Request("optional", False, "k", "d"), stored(), "a", "BLOCK_IDEMPOTENCY_COLLISION"),
        ("call", Request("forbidden", True, "k", "d"), stored(), "a", "BLOCK_TASK_FORBIDDEN"),
    ],
)
def test_what_the_source_leaves_to_the_reader(
    operation: str, request_: Request, record: Stored | None, auth: str, decision: str
) -> None:
    """Edges, worked out by hand from the source's predicate and its order of judgement."""
    assert decision == decide(packet(operation, request_, record, auth), Policy()).decision
