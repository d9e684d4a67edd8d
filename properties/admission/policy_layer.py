"""The paper's policy layer, and what if it were otherwise: for each choice the shortest run, or the price."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

import attrs
import z3

from latchcheck.engines.explicit import explore
from latchcheck.engines.obligations import Proof
from latchcheck.engines.smt import inductive
from latchcheck.kernel import Clause, Trace, record, replay

from ...model.backoff import ATTEMPTS, INITIAL, LONGEST, PHASE, V, backoff_system
from ...model.evidence import classified
from ...model.policy import ORDERS, Policy
from ...model.scope import Scope
from ..lifecycle.catalogue import model

OTHERWISE: Final = (
    ("failures-are-classified", "failure_default=transient"),
    ("failures-are-classified", "attempt_ceiling=off"),
    ("failures-are-classified", "exhausted=permanent"),
    *(("sweep-order-matters", f"sweep_order={order}") for order in ORDERS[1:]),
    ("restart-triages", "restart=resume-all"),
    ("restart-triages", "restart=drop"),
)
"""Each choice made otherwise, with the property that notices."""


@attrs.frozen
class Broken:
    """What breaks: the clause, and a shortest run, executed again."""

    clause: str
    run: Trace


def otherwise(name: str, policy: str, scope: str = "ci") -> Broken:
    """The shortest run in which a choice made otherwise breaks a property."""
    system, asked = model(name, Scope.parse(scope), Policy.parse(policy))
    found = explore(system, [asked])
    assert found.counterexample is not None, f"{policy} breaks {name}"
    replay(system, found.counterexample)
    return Broken(str(found.clause), found.counterexample)


# -- the price of a default ---------------------------------------------------------------------------------------

TRANSIENT, PERMANENT, UNKNOWN = "timed out", "forbidden", "what is this"


@attrs.frozen
class Price:
    """What a hundred failures cost: attempts, recovered work, work lost that a retry would have saved, dead letters."""

    attempts: int
    recovered: int
    lost: int
    dead_letters: int


def price(default: str, retryable: int, *, known: int = 20, unknown: int = 60, ceiling: int = 3) -> Price:
    """`known` transient and as many permanent failures, `unknown` ones of which `retryable` succeed on attempt 2.

    Every decision is `classified`, the model's own (paper, section 6.3).
    """
    kinds = [(TRANSIENT, True)] * known + [(PERMANENT, False)] * known
    kinds += [(UNKNOWN, True)] * retryable + [(UNKNOWN, False)] * (unknown - retryable)
    attempts = recovered = lost = dead = 0
    for text, saved_by_retry in kinds:
        attempt = 1
        while (found := classified(text, attempt=attempt, ceiling=ceiling, default=default)) == "transient":
            attempt += 1
            if saved_by_retry:
                break
        attempts += attempt
        recovered += saved_by_retry and attempt > 1
        lost += saved_by_retry and attempt == 1
        dead += found == "poison"
    return Price(attempts, recovered, lost, dead)


# -- backoff ------------------------------------------------------------------------------------------------------

HARMS: Final = {"capped": "too_long", "counted": "too_many", "advertised": "held"}


def backoff_proof(**left_out: bool) -> Proof:
    """No delay beyond the cap, no attempt beyond the ceiling, no worker held by a wait: for all numbers."""
    waiting = V["phase"] == PHASE["waiting"]
    invariant = [
        Clause("no delay is beyond the cap", z3.Not(V["too_long"])),
        Clause("no attempt is beyond the ceiling", z3.Not(V["too_many"])),
        Clause("no worker is held by a wait", z3.Not(V["held"])),
        Clause("a retry waits only while one is left", z3.Implies(waiting, V["attempt"] < ATTEMPTS)),
    ]
    given = [INITIAL >= 0, LONGEST >= 0, ATTEMPTS >= 1]
    harm = z3.Or(*(V[name] for name in HARMS.values()))
    return inductive(backoff_system(**left_out), given, invariant, harm)


def backoff_run(part: str) -> Trace:
    """With one part left out, a run of 1 s, at most 2 s and two attempts that ends in the harm; executed."""
    numbers = {"initial_delay": 1_000, "max_delay": 2_000, "max_attempts": 2 if part != "capped" else 4}
    events: dict[str, list[tuple[int, str, dict[str, int]]]] = {
        "capped": [
            (0, "fail", {"delay": 0}),
            (0, "retry", {}),
            (0, "fail", {"delay": 0}),
            (0, "retry", {}),
            (0, "fail", {"delay": 4_000}),
        ],
        "counted": [(0, "fail", {"delay": 0}), (0, "retry", {}), (0, "fail", {"delay": 0}), (0, "retry", {})],
        "advertised": [(0, "fail", {"delay": 1_000})],
    }
    return record(backoff_system(**{part: False}).at(numbers), events[part])


def herd(clients: int, window_ms: int, nominal_ms: int) -> tuple[int, Fraction]:
    """Retries in the busiest window after `clients` fail at one instant: without jitter, and expected with full jitter.

    Without jitter they all come at once; with it each is spread evenly over the nominal delay.
    """
    return clients, Fraction(clients * min(window_ms, nominal_ms), nominal_ms)


def proofs() -> Iterator[Proof]:
    """What `latchcheck recheck` proves again about backoff."""
    yield backoff_proof()
