"""What a target's table lets be asked of it."""

from __future__ import annotations

from latchcheck.kernel import State

from ...model.record import TERMINAL, UNBORN
from .errors import CannotDo, CannotYet
from .events import Call
from .protocol import Table


def allowed(call: Call, table: Table) -> Call:
    """The call. Raises CannotDo with what a target with this table lacks for it."""
    if call.kind == "dispatch" and table.fuses and call.by == "w1":
        # It has begun with the create; what the worker then does is the target's own business.
        return call
    if call.kind not in table.events:
        raise CannotDo(f"it cannot do {call.kind!r}")
    if call.by.startswith("w") and int(call.by[1:]) > table.workers:
        raise CannotDo(f"it has no worker {call.by}: {table.workers} at most")
    if call.args.get("tenant", 1) > table.tenants:
        raise CannotDo(f"it tells no more than {table.tenants} principals apart")
    if "capabilities" in call.args and not table.negotiates:
        raise CannotDo("it negotiates no capabilities with each request")
    if call.kind == "create" and call.args.get("digest") and not table.keys:
        raise CannotDo("a create carries no idempotency key there")
    status = call.args.get("status")
    if call.kind == "worker_write" and status == "input_required" and not table.inputs:
        raise CannotDo("its workers ask no questions")
    if call.kind == "worker_write" and status not in {*table.statuses, "input_required"}:
        raise CannotDo(f"its workers cannot write {status!r}")
    if "kind" in call.args and not table.fails:
        raise CannotDo("a failed attempt cannot say what kind of failure it was")
    return call


def check_fused(task: str, before: State) -> None:
    """A task is with its worker by its creation: neither before, nor after something else has happened to it.

    Raises CannotYet.
    """
    if before[f"status_{task}"] == UNBORN:
        raise CannotYet("a task is with its worker by its creation there, and never before")
    if before[f"status_{task}"] in TERMINAL or before.get(f"intent_{task}") is True:
        raise CannotYet("a task is with its worker by its creation there, before anybody can cancel it")
