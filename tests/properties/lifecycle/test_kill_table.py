"""The kill table: which mutant each property catches, and the length of the shortest counterexample."""

import pytest

from latchcheck.model.policy import SWITCHES, Policy
from latchcheck.model.scope import Scope
from latchcheck.properties.lifecycle.catalogue import CATALOGUE, RULES
from latchcheck.properties.lifecycle.killing import MUTANTS, VARIANTS, kill_table

CI = Scope.parse("ci")

# Mutant by mutant: the properties that catch it, with the fewest steps to harm.
KILLED = {
    "terminal_guard=check-then-set": {
        "one-terminal-outcome": 6,
        "legal-transitions-only": 6,
        "stale-writer-blocked": 5,
        "repeat-is-not-rewrite": 5,
        "no-write-after-expiry": 5,
        "client-converges": 7,
        "cancel-is-intent": 6,
        "sweep-order-matters": 5,
    },
    "terminal_guard=none": {
        "one-terminal-outcome": 4,
        "legal-transitions-only": 4,
        "repeat-is-not-rewrite": 4,
        "client-converges": 6,
        "cancel-is-intent": 4,
    },
    "version_check=off": {"stale-writer-blocked": 4},
    "expiry_check=off": {"no-write-after-expiry": 4},
    "tenant_check=reads-only": {"tenant-isolation": 3},
    "tenant_check=off": {"tenant-isolation": 3},
    "capability_check=after-work": {"capability-gated": 3, "refused-before-started": 4},
    "capability_check=off": {"capability-gated": 3},
    "idempotency=key-only": {"idempotent-create": 5},
    "idempotency=none": {"idempotent-create": 5, "handle-never-lost": 3},
    "create_durability=after-reply": {"durable-before-reply": 4},
    "store=volatile": {"durable-before-reply": 4, "dispatch-with-record": 4},
    "dispatch=before-commit": {"refused-before-started": 4, "dispatch-with-record": 2},
    "dispatch=after-commit": {"dispatch-with-record": 2},
    "lease=unfenced": {"single-execution": 6},
    "lease=none": {"single-execution": 4},
    "side_effect=plain": {"side-effect-once": 7},
    "restart=resume-all": {"restart-triages": 4},
    "restart=drop": {"restart-triages": 4},
    "sweep_order=timeouts-expiry-orphans": {"sweep-order-matters": 5},
    "sweep_order=orphans-timeouts-expiry": {"sweep-order-matters": 4},
    "sweep_order=orphans-expiry-timeouts": {"sweep-order-matters": 4},
    "sweep_order=expiry-timeouts-orphans": {"sweep-order-matters": 4},
    "sweep_order=expiry-orphans-timeouts": {"sweep-order-matters": 4},
    "handle_store=after-return": {"handle-never-lost": 3},
    "handle_store=none": {"handle-never-lost": 3},
    "client_reissue=new-key": {"handle-never-lost": 3},
    "client_reissue=never": {"handle-never-lost": 3},
    "unknown_id=retry": {"client-converges": 5},
    "unknown_status=terminal": {"client-converges": 4},
    "view=last-arrival-wins": {"view-never-goes-back": 8},
    "cancel_marker=own-life": {"client-converges": 5, "cancel-is-intent": 3},
    "failure_default=transient": {"failures-are-classified": 3},
    "input_keys=reused": {"input-key-names-one-question": 6, "answered-input-is-consumed": 6},
    "cleanup=piecewise": {"cleanup-is-complete": 4},
    "seed_status=non-terminal": {"legal-transitions-only": 1, "begins-working": 1, "answered-input-is-consumed": 1},
    "seed_status=any": {
        "legal-transitions-only": 1,
        "begins-working": 1,
        "cancel-is-intent": 1,
        "answered-input-is-consumed": 1,
    },
    "terminal_repeat=refused": {"repeat-is-not-rewrite": 4},
    "terminal_repeat=rewritten": {"one-terminal-outcome": 4, "legal-transitions-only": 4, "repeat-is-not-rewrite": 4},
    "missing_record=upsert": {"legal-transitions-only": 5, "deleted-stays-deleted": 5, "client-converges": 7},
    "delivery=at-most-once": {"restart-triages": 3},
    "attempt_ceiling=off": {"failures-are-classified": 5},
    "exhausted=permanent": {"failures-are-classified": 5},
    "cancel_ack=outcome": {"client-converges": 2},
    "ttl_span=any": {"sweep-order-matters": 5},
    "retention=from-creation": {"sweep-order-matters": 6},
    "key_insert=check-then-insert": {"idempotent-create": 5},
    "key_namespace=global": {"tenant-isolation": 4, "idempotent-create": 4},
    "create_visibility=one-instance": {"durable-before-reply": 2, "client-converges": 3},
    "guard_reads=replica": {"one-terminal-outcome": 5, "stale-writer-blocked": 5, "client-converges": 7},
    "task_ids=reused": {"legal-transitions-only": 4, "deleted-stays-deleted": 4, "client-converges": 6},
    "input_dedup=off": {"input-key-names-one-question": 5},
    "lease_renewal=never": {"single-execution": 4},
    "notifications=lossy,view=last-arrival-wins": {"view-never-goes-back": 7},
    "notifications=reordered,view=last-arrival-wins": {"view-never-goes-back": 7},
    "handle_store=after-return,client_reissue=new-key": {"handle-never-lost": 3},
    "era=2025-11-25,result_while_open=returns": {"client-converges": 4},
    "view=last-arrival-wins,replica_reads=tasks-get": {"view-never-goes-back": 8},
    "era=2025-11-25,view=last-arrival-wins,replica_reads=tasks-list": {"view-never-goes-back": 8},
    "era=2025-11-25,view=last-arrival-wins,replica_reads=tasks-result,result_while_open=answers-wait": {
        "view-never-goes-back": 8
    },
}


def test_every_switch_is_a_mutant_or_a_variant() -> None:
    """No value of a switch but the guarded one is left out of both lists."""
    single = {text for text in (*MUTANTS, *VARIANTS) if "," not in text}
    expected = {f"{switch.name}={value}" for switch in SWITCHES.values() for value in switch.values[1:]}
    assert expected == single


def test_every_mutant_is_killed() -> None:
    """Each mutant is caught by one property at least."""
    assert set(MUTANTS) == {mutant for mutant, killers in KILLED.items() if killers}


def test_every_property_has_a_mutant_of_its_own() -> None:
    """Each property names mutants, and the table says that it catches every one of them."""
    missing = [
        (name, mutant) for name, rule in CATALOGUE.items() for mutant in rule.mutants if name not in KILLED[mutant]
    ]
    assert [] == missing
    assert [] == [name for name, rule in CATALOGUE.items() if not rule.mutants]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_property_kills_its_own_mutants(rule: object) -> None:
    """The shortest counterexample of each mutant that a property names has the known length."""
    asked = CATALOGUE[rule.id]  # type: ignore[attr-defined]
    row = kill_table(CI, asked.mutants, [asked])[asked.id]
    assert {mutant: KILLED[mutant][asked.id] for mutant in asked.mutants} == row


@pytest.mark.slow
def test_the_whole_kill_table() -> None:
    """Every property against every mutant gives the table and nothing else."""
    table = kill_table(CI)
    found = {
        mutant: {name: length for name, row in table.items() if (length := row[mutant]) is not None}
        for mutant in MUTANTS
    }
    assert found == KILLED


def test_the_guarded_policy_is_no_mutant() -> None:
    """The guarded model changes no switch."""
    assert {} == Policy().changed
