"""An idempotency key: remembered from creation, asked for again by a reissued call.

Instant 0 is the creation. The first call was sent before, by the latency it took; a reissue is told when it arrives.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import z3

from latchcheck.kernel import Action, Bool, Choice, Clause, Real, System, Trace, Variable, record

from ..config import Config

VARIABLES = (
    Variable("now", Real(), 0),
    Variable("created", Bool(), False),
    Variable("called_at", Real(), 0),
    Variable("second_task", Bool(), False),
)
V: dict[str, Any] = {variable.name: variable.term for variable in VARIABLES}
"""The z3 constant of each variable, by name."""

NUMBERS: dict[str, Any] = {
    name: z3.Real(name) for name in ("idempotency_retention", "retry_horizon", "latency_lo", "latency_hi")
}
"""The z3 constant of each number, by name."""


def idempotency_system(config: Config, *, symbolic: bool = False) -> System:
    """The key of a configuration that states both `idempotency_retention` and `retry_horizon`."""
    system = symbolic_system()
    return system if symbolic else system.at(numbers(config))


def run_idempotency(config: Config, events: Iterable[Any]) -> Trace:
    """Execute events on the key's system; raises NotAStep at the first that it does not allow."""
    return record(symbolic_system(), events, at=numbers(config))


def numbers(config: Config) -> Mapping[str, int]:
    """The numbers of the key's system, in milliseconds."""
    retention, horizon = config.server.idempotency_retention_ms, config.client.retry_horizon_ms
    assert retention is not None
    assert horizon is not None
    low, high = config.network.latency_ms
    return {"idempotency_retention": retention, "retry_horizon": horizon, "latency_lo": low, "latency_hi": high}


@cache
def symbolic_system() -> System:
    """The key's system with every number a parameter."""
    return System(
        "idempotency", VARIABLES, (_create(), _reissue()), clock="now", urgency=_urgency(), parameters=NUMBERS
    )


def _travels(time: Any) -> Any:
    return z3.And(time >= NUMBERS["latency_lo"], time <= NUMBERS["latency_hi"])


def _create() -> Action:
    latency = Choice("latency", Real(), lower=NUMBERS["latency_lo"], upper=NUMBERS["latency_hi"])
    guard = (
        Clause("nothing was created yet", z3.Not(V["created"])),
        Clause("the call takes network.latency", _travels(latency.term)),
    )
    return Action("create", "client", guard, {"created": z3.BoolVal(True), "called_at": -latency.term}, (latency,))


def _reissue() -> Action:
    """The same call arrives again, with the same key; `sent_at` is when the client sent it.

    The key is forgotten when its retention has passed since creation; at that very instant it may be forgotten first.
    """
    sent = Choice("sent_at", Real())
    since = sent.term - V["called_at"]
    inside = z3.And(since >= 0, since <= NUMBERS["retry_horizon"])
    guard = (
        Clause("the task was created", V["created"]),
        Clause("the client reissues within retry_horizon of the first call", inside),
        Clause("the call takes network.latency", _travels(V["now"] - sent.term)),
    )
    forgotten = V["now"] >= NUMBERS["idempotency_retention"]
    return Action("create_again", "client", guard, {"second_task": z3.Or(V["second_task"], forgotten)}, (sent,))


def _urgency() -> tuple[Clause, ...]:
    return (Clause("creation is instant 0", z3.Or(V["created"], V["now"] <= 0)),)
