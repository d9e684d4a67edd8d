"""`idempotency-outlives-retries` is violated exactly when horizon - latency[0] + latency[1] >= retention."""

from typing import Any

import z3

from latchcheck.engines.obligations import Proof
from latchcheck.engines.smt import inductive, valid_run
from latchcheck.kernel import Clause
from latchcheck.model.timing.idempotency import NUMBERS, V, symbolic_system

RETENTION, HORIZON = NUMBERS["idempotency_retention"], NUMBERS["retry_horizon"]
LOW, HIGH = NUMBERS["latency_lo"], NUMBERS["latency_hi"]
NUMBERS_ARE_SANE: list[Any] = [RETENTION >= 0, HORIZON >= 0, LOW >= 0, HIGH >= LOW]
SAFE: Any = HORIZON - LOW + HIGH < RETENTION


def proofs() -> list[Proof]:
    """Both implications."""
    system, harm = symbolic_system(), V["second_task"]
    invariant = [
        Clause("the first call took latency[0] at least", z3.Implies(V["created"], V["called_at"] <= -LOW)),
        Clause("one task", z3.Not(harm)),
    ]
    last = HORIZON - LOW
    events = [(0, "create", {"latency": LOW}), (last + HIGH, "create_again", {"sent_at": last})]
    return [
        inductive(system, [*NUMBERS_ARE_SANE, SAFE], invariant, harm),
        valid_run(system, [*NUMBERS_ARE_SANE, z3.Not(SAFE)], events, harm),
    ]
