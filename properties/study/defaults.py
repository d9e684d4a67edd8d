"""Table 4: what each default for failures that nobody recognises costs (E3), on this model's own classifier.

Every kind of failure is run on the lifecycle model, attempt by attempt, until the model retries no more; the table is
these runs times how many failures there are of each kind. Nothing is drawn and nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

import attrs

from latchcheck.kernel import Stepper
from latchcheck.kernel.figures import Figure, cells
from latchcheck.model.evidence import classified, kind_of
from latchcheck.model.lifecycle import lifecycle_system
from latchcheck.model.policy import Policy
from latchcheck.model.scope import Scope

from .published import TABLE_4

ATTEMPTS_MAX: Final = 3
RECOGNISED: Final = {"transient": 20, "permanent": 20}
UNRECOGNISED: Final = 60
SUCCEEDS_ON: Final = 2
"""The attempt on which a truly transient failure is one no more; a permanent one never is."""


@attrs.frozen
class Fate:
    """What became of one call that failed: its attempts, whether it was recovered, whether it was dead-lettered."""

    attempts: int
    recovered: bool
    dead_letter: bool


@attrs.frozen
class Price:
    """What a default costs over the whole workload; the columns of Table 4."""

    attempts: int
    recovered: int
    wasted_retries: int
    lost_work: int
    dead_letters: int

    @property
    def cells(self) -> Iterator[str]:
        """The row of Table 4."""
        return (str(one) for one in attrs.astuple(self))


ERRORS: Final = {
    "transient": "upstream answered 503 Service Unavailable, retry later",
    "permanent": "invalid arguments: 'path' is required",
    "unrecognised": "the flux capacitor has desynchronised",
}
"""One error text a class, as the paper has three; which class each is in, the model's classifier says."""
JUDGED: Final = {"transient": "retried", "permanent": "failed", "poison": "poisoned"}
"""What the model makes of a failed attempt, by the class of the failure."""


@cache
def fate(error: str, default: str, *, truly_transient: bool) -> Fate:
    """Run one call on the model; it fails with this error until it succeeds, which only a truly transient one does."""
    system = lifecycle_system(Scope(attempts=ATTEMPTS_MAX), Policy(failure_default=default), {"failures"})
    stepper = Stepper(system)
    state = stepper.do(None, "create", {"task": "t1"})
    while state["queued_t1"]:
        state = stepper.do(None, "deliver", {"worker": "w1", "task": "t1"})
        attempt = state["attempt_t1"]
        assert isinstance(attempt, int)
        if truly_transient and attempt == SUCCEEDS_ON:
            state = stepper.do(None, "report", {"worker": "w1", "status": "completed"})
            continue
        state = stepper.do(None, "fail_attempt", {"worker": "w1", "kind": kind_of(error)})
        judged = JUDGED[classified(error, attempt=attempt, ceiling=ATTEMPTS_MAX, default=default)]
        assert judged == state["judged_t1"], "one classifier"
    attempts = state["attempt_t1"]
    assert isinstance(attempts, int)
    return Fate(attempts, state["status_t1"] == "completed", state["judged_t1"] == "poisoned")


def price(default: str, truly_transient: int) -> Price:
    """What a default costs when so many of the unrecognised failures would have succeeded on retry."""
    return _sum(_workload(default, truly_transient))


def _workload(default: str, truly_transient: int) -> Iterator[tuple[int, bool, Fate]]:
    """How many failures there are of each sort, whether these are truly transient, and what becomes of one."""
    yield RECOGNISED["transient"], True, fate(ERRORS["transient"], default, truly_transient=True)
    yield RECOGNISED["permanent"], False, fate(ERRORS["permanent"], default, truly_transient=False)
    yield truly_transient, True, fate(ERRORS["unrecognised"], default, truly_transient=True)
    yield UNRECOGNISED - truly_transient, False, fate(ERRORS["unrecognised"], default, truly_transient=False)


def _sum(workload: Iterable[tuple[int, bool, Fate]]) -> Price:
    attempts = recovered = wasted = lost = dead = 0
    for count, transient, one in workload:
        attempts += count * one.attempts
        recovered += count * one.recovered
        wasted += count * (one.attempts - 1) * (not one.recovered)
        lost += count * (transient and not one.recovered)
        dead += count * one.dead_letter
    return Price(attempts, recovered, wasted, lost, dead)


def table_4() -> list[Figure]:
    """The 50 figures of Table 4."""

    def row(label: str) -> Iterator[str]:
        share, default = label.split()
        return price(default, UNRECOGNISED * int(share.removesuffix("%")) // 100).cells

    return cells(TABLE_4, row)
