"""What the three sources tell, found by the search as shortest runs."""

from itertools import product

import pytest

from latchcheck.engines.explicit import explore
from latchcheck.kernel import Trace, replay
from latchcheck.model.client import PRINTED
from latchcheck.model.policy import Policy
from latchcheck.model.scope import Scope
from latchcheck.properties.lifecycle.catalogue import model

CI = Scope.parse("ci")


def shortest(name: str, policy: str, scope: Scope = CI) -> Trace | None:
    """A shortest counterexample, executed again by the plain stepper."""
    system, asked = model(name, scope, Policy.parse(policy))
    found = explore(system, [asked])
    assert found.complete or found.violated == name
    if found.counterexample is not None:
        replay(system, found.counterexample)
    return found.counterexample


def actions(trace: Trace | None) -> list[str]:
    """The names of the steps of a run."""
    assert trace is not None
    return [step.action for step in trace]


def test_the_export_finishes_twice() -> None:
    """Check, then write, with the other writer between: six steps, the last two of which store an outcome each."""
    trace = shortest("one-terminal-outcome", "terminal_guard=check-then-set")
    names = actions(trace)
    assert ["create", "deliver"] == names[:2]
    assert {"check", "cancel_reads"} == set(names[2:4])
    assert {"write_terminal", "cancel_writes"} == set(names[4:])


def test_a_kill_between_side_effect_and_completion_runs_the_export_again() -> None:
    """The worker acts, dies before it reports, and the redelivered message acts again."""
    names = actions(shortest("side-effect-once", "side_effect=plain"))
    assert ["create", "deliver", "act", "crash_worker", "expire_lease", "deliver", "act"] == names


# For each side effect, lease, delivery and number of crashes: is the effect had at most once?
# One worker, no stall and no redelivery, so that a crash is all that can go wrong.
@pytest.mark.parametrize(
    ("effect", "lease", "delivery", "crashes"),
    list(product(("idempotent", "plain"), ("fenced", "none"), ("at-least-once", "at-most-once"), (0, 1))),
)
def test_what_makes_a_side_effect_happen_once(effect: str, lease: str, delivery: str, crashes: int) -> None:
    """Once is had by an idempotent effect, by no redelivery, or by no crash; no lease gives it."""
    scope = Scope(workers=1, crashes=crashes, redeliveries=crashes)
    policy = f"side_effect={effect},lease={lease},delivery={delivery}"
    expected = effect == "idempotent" or delivery == "at-most-once" or crashes == 0
    assert expected == (shortest("side-effect-once", policy, scope) is None)


def test_the_printed_handle_store_has_one_unrecoverable_window() -> None:
    """As printed, a crash between the server accepting the call and the store recording the handle loses the task."""
    assert ["call", "admit", "crash_client"] == actions(shortest("handle-never-lost", PRINTED))


def test_an_intent_on_disk_is_not_enough() -> None:
    """A store that writes before the call still needs the same key on reissue and a server that knows keys."""
    assert shortest("handle-never-lost", "guarded") is None
    for half in ("client_reissue=new-key", "client_reissue=never", "idempotency=none"):
        assert shortest("handle-never-lost", half) is not None


def test_reading_unknown_as_terminal_is_right() -> None:
    """The printed client stops at an unknown id; one that retries polls on when all is over."""
    assert shortest("client-converges", "unknown_id=terminal") is None
    assert "wasted_t1" in shortest("client-converges", "unknown_id=retry").steps[-1].changed  # type: ignore[union-attr]


def test_a_reused_key_deadlocks_and_mishears() -> None:
    """A key that names a second question leaves a waiter whose client will not answer it again."""
    names = actions(shortest("answered-input-is-consumed", "input_keys=reused"))
    assert ["create", "deliver", "ask", "update", "hear", "ask"] == names


def test_every_other_sweep_order_has_a_counterexample() -> None:
    """Only the published order keeps outcomes; a ttl that outlasts neither limit defeats that one too."""
    assert shortest("sweep-order-matters", "guarded") is None
    assert "sweep_expiry" == actions(shortest("sweep-order-matters", "ttl_span=any"))[-1]


def test_a_marker_with_its_own_life_shows_two_outcomes() -> None:
    """A cancelled task whose marker expires before its record reads as something else."""
    assert "expire_marker" == actions(shortest("cancel-is-intent", "cancel_marker=own-life"))[-1]


def test_a_cancel_of_a_finished_task_is_answered_by_era() -> None:
    """Neither an empty acknowledgement nor an error changes a stored outcome."""
    for era in ("2026-07-28", "2025-11-25"):
        assert shortest("cancel-is-intent", f"era={era}") is None
