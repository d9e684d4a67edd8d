"""Keys against reissues: `idempotency-outlives-retries`.

The first call was sent c before creation, c within network.latency; the last reissue is sent retry_horizon after it and
travels up to the greatest latency. It arrives latest when the first call was fast and the reissue is slow.
"""

from collections.abc import Callable, Iterator

from latchcheck.kernel import Trace
from latchcheck.kernel.duration import told
from latchcheck.model.timing.idempotency import run_idempotency
from latchcheck.model.timing.schedule import Ms

from .answers import Answer, NotApplicable, Outcome
from .facts import Facts


def idempotency_outlives_retries(facts: Facts) -> Outcome:
    """`idempotency-outlives-retries`: a key is remembered for as long as a client may still reissue it."""
    retention, horizon = facts.config.server.idempotency_retention_ms, facts.config.client.retry_horizon_ms
    if retention is None:
        return NotApplicable("no retention of idempotency keys: server.idempotency_retention is not set")
    if horizon is None:
        return NotApplicable("no time in which a call is reissued: client.retry_horizon is not set")
    low, high = facts.latency
    last = horizon - low + high
    return Answer(
        safe=last < retention,
        clause=(
            f"the key is remembered ({told(retention)} from creation) beyond the arrival of the last reissue, "
            f"which is {told(last)} after creation at the latest"
        ),
        margin_ms=retention - last,
        binding=("server.idempotency_retention_ms", "client.retry_horizon_ms"),
        runs=() if last < retention else _runs(facts, retention, horizon),
        harm="second_task",
    )


def _runs(facts: Facts, retention: Ms, horizon: Ms) -> Iterator[Callable[[], Trace]]:
    low, high = facts.latency
    last = horizon - low + high
    # The key is gone from `retention` on; an arrival then is shown where it needs the least, else the latest one.
    sent = max(retention - high, -low)
    arrives = max(retention, sent + low)
    if sent + low <= horizon and arrives <= last:
        yield lambda: _run(facts, sent, arrives)
    yield lambda: _run(facts, horizon - low, last)


def _run(facts: Facts, sent: Ms, arrives: Ms) -> Trace:
    low, _ = facts.latency
    events = [(0, "create", {"latency": low}), (arrives, "create_again", {"sent_at": sent})]
    return run_idempotency(facts.config, events)
