"""A worker's lease: granted, renewed, lost, redelivered (`docs/reference/semantics.md`, section 3, item 17).

The lease is granted at creation, with the first attempt.
Once it has expired no renewal brings it back: the next lease sweep redelivers the task, unless the work is done.
The sweep may have any phase, and at the instant of the expiry it may come before the expiry; so the redelivery
comes at any moment from the expiry to one sweep period later, and one redelivery needs no grid.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

import attrs
import z3

from latchcheck.kernel import Action, Bool, Choice, Clause, Enum, IntRange, Real, System, Trace, Variable, record
from latchcheck.kernel.nodes import Nodes

from ..config import Config
from .terms import COUNT_MAX

Event = tuple[int | Fraction, str, Mapping[str, Any]]
"""Instant in milliseconds, action, and what it picks."""

WORKER = Enum("Worker", ("running", "done", "crashed"))
LEASE = Enum("Lease", ("held", "expired", "redelivered"))
SECOND = Enum("SecondAttempt", ("none", "running", "done"))
WAITER = Enum("Waiter", ("absent", "waiting", "stopped"))

_SERVER = (
    Variable("now", Real(), 0),
    Variable("worker", WORKER, "running"),
    Variable("lease", LEASE, "held"),
    Variable("renewed", Real(), 0),
    Variable("renewals", IntRange(0, COUNT_MAX), 0),
    Variable("expired_at", Real(), 0),
    Variable("second", SECOND, "none"),
    Variable("second_from", Real(), 0),
    Variable("overlap", Bool(), False),
)
_CLIENT = (
    Variable("waiter", WAITER, "absent"),
    Variable("give_up_at", Real(), 0),
    Variable("recovery_missed", Bool(), False),
)
V: dict[str, Any] = {variable.name: variable.term for variable in (*_SERVER, *_CLIENT)}
"""The z3 constant of each variable, by name; `renewed` lies ahead of `now` while renewals are told as one."""

NUMBERS: dict[str, Any] = {
    name: z3.Real(name)
    for name in (
        *("lease_timeout", "lease_renewal", "stall", "lease_sweep", "execution_lo", "execution_hi"),
        *("latency_lo", "latency_hi", "overall_timeout", "advertised_ttl"),
    )
}
"""The z3 constant of each number, by name."""


@attrs.frozen
class Shape:
    """What a lease is made of, apart from the numbers.

    `renewal`: "never", "every" so often, or "always" (every 0 ms without a stall: the lease counts from the crash).
    `overall_from` and `ttl` say which limits the client's wait has; None and False leave the client out.
    """

    renewal: str
    work_ends: bool
    overall_from: str | None = None
    ttl: bool = False

    @property
    def client(self) -> bool:
        """Whether somebody waits, with a limit."""
        return self.overall_from is not None or self.ttl


def lease_system(config: Config, *, symbolic: bool = False) -> System:
    """Worker, lease and second attempt of a configuration; with `symbolic` its numbers are parameters."""
    return _system(Shape(_renewal(config), _greatest(config) is not None), config, symbolic=symbolic)


def recovery_system(config: Config, *, symbolic: bool = False) -> System:
    """The lease system together with a client that waits to its limit."""
    return _system(_recovery(config), config, symbolic=symbolic)


def run_lease(config: Config, events: Iterable[Any]) -> Trace:
    """Execute events on the lease system; raises NotAStep at the first that it does not allow."""
    return _run(Shape(_renewal(config), _greatest(config) is not None), config, events)


def run_recovery(config: Config, events: Iterable[Any]) -> Trace:
    """Execute events on the recovery system; raises NotAStep at the first that it does not allow."""
    return _run(_recovery(config), config, events)


def _run(shape: Shape, config: Config, events: Iterable[Any]) -> Trace:
    system, found = of_shape(shape), numbers(config)
    return record(system, events, at={name: found[name] for name in system.parameters})


def _system(shape: Shape, config: Config, *, symbolic: bool) -> System:
    system = of_shape(shape)
    return system if symbolic else system.at({name: numbers(config)[name] for name in system.parameters})


def _renewal(config: Config) -> str:
    every = config.server.lease_renewal_ms
    if every is None:
        return "never"
    return "always" if every + config.workload.stall_ms == 0 else "every"


def _greatest(config: Config) -> int | None:
    return None if config.workload.execution_ms is None else config.workload.execution_ms[1]


def _recovery(config: Config) -> Shape:
    client = config.client
    ttl = client.ttl_mode == "give-up" and config.advertised_ttl_ms_effective is not None
    overall = None if client.overall_timeout_ms is None else client.overall_timeout_from
    return Shape(_renewal(config), _greatest(config) is not None, overall, ttl)


def numbers(config: Config) -> Mapping[str, int]:
    """The value of every number that the system of some shape may name, in milliseconds.

    Without `lease_sweep` an expired lease is redelivered at once, which is a sweep period of 0.
    """
    server, workload = config.server, config.workload
    first, last = workload.execution_ms or (0, None)
    found = {
        "lease_timeout": server.lease_timeout_ms,
        "lease_renewal": server.lease_renewal_ms,
        "stall": workload.stall_ms,
        "lease_sweep": server.lease_sweep_ms or 0,
        "execution_lo": first,
        "execution_hi": last,
        "latency_lo": config.network.latency_ms[0],
        "latency_hi": config.network.latency_ms[1],
        "overall_timeout": config.client.overall_timeout_ms,
        "advertised_ttl": config.advertised_ttl_ms_effective,
    }
    return {name: value for name, value in found.items() if value is not None}


@lru_cache(maxsize=64)
def of_shape(shape: Shape) -> System:
    """The system of a shape, every number a parameter."""
    actions = [*_renewing(shape), *_worker(shape), *_redelivery(shape)]
    urgency = [*_server_urgency(shape)]
    variables = _SERVER
    if shape.client:
        exists = Clause("the task was created", V["waiter"] != WAITER["absent"])
        actions = [attrs.evolve(action, guard=(exists, *action.guard)) for action in actions]
        actions = [_create(shape), *actions, _give_up()]
        urgency += _client_urgency()
        variables = (*_SERVER, *_CLIENT)
    name = "recovery" if shape.client else "lease"
    parameters = _read_by((*urgency, *(part for action in actions for part in action.guard)), actions)
    return System(name, variables, actions, clock="now", urgency=urgency, parameters=parameters)


def _read_by(clauses: Iterable[Clause], actions: Iterable[Action]) -> dict[str, Any]:
    """The numbers that these clauses and the updates of these actions read."""
    nodes = Nodes()
    expressions = [clause.expr for clause in clauses]
    expressions += [expr for action in actions for expr in action.updates.values()]
    used = set[str]().union(*(nodes.names(nodes.read(expr)) for expr in expressions))
    return {name: term for name, term in NUMBERS.items() if name in used}


# -- the worker ---------------------------------------------------------------------------------------------------


def held_from(shape: Shape) -> Any:
    """The instant from which the lease's time counts."""
    if shape.renewal == "always":
        return z3.If(V["worker"] == WORKER["running"], V["now"], V["renewed"])
    return V["renewed"]


def _running() -> Clause:
    return Clause("the worker is alive and at work", V["worker"] == WORKER["running"])


def _nothing_told_ahead() -> Clause:
    return Clause("no renewal is told ahead", V["now"] >= V["renewed"])


def _renewing(shape: Shape) -> tuple[Action, ...]:
    """One renewal; and several at equal distances told as one, the last of them at `until`.

    The second is shorthand: the worker does nothing else until then, and no renewal among them comes too late.
    """
    if shape.renewal != "every":
        return ()
    least, most = NUMBERS["lease_renewal"], NUMBERS["lease_renewal"] + NUMBERS["stall"]
    held = Clause("the lease is held", V["lease"] == LEASE["held"])
    one = Action(
        "renew_lease",
        "worker",
        (
            _running(),
            held,
            _nothing_told_ahead(),
            Clause("lease_renewal has passed since the renewal before", V["now"] - V["renewed"] >= least),
        ),
        {"renewed": V["now"], "renewals": V["renewals"] + 1},
    )
    count, until = Choice("count", IntRange(2, COUNT_MAX)), Choice("until", Real())
    rounds: Any = z3.ToReal(count.term)
    length = until.term - V["now"]
    guard = [
        _running(),
        held,
        Clause("the lease was renewed just now", V["now"] == V["renewed"]),
        Clause("each comes lease_renewal after the one before, or later", length >= rounds * least),
        Clause("none comes later than a stall allows", length <= rounds * most),
        Clause("none comes after the lease expired", length <= rounds * NUMBERS["lease_timeout"]),
    ]
    if shape.work_ends:
        guard.append(Clause("the work goes on until the last", until.term <= NUMBERS["execution_hi"]))
    updates = {"renewed": until.term, "renewals": V["renewals"] + count.term}
    return one, Action("renew_leases", "worker", guard, updates, (count, until))


def _worker(shape: Shape) -> tuple[Action, ...]:
    done = Action(
        "write_terminal",
        "worker",
        (
            _running(),
            _nothing_told_ahead(),
            Clause("the work takes at least workload.execution[0]", V["now"] >= NUMBERS["execution_lo"]),
        ),
        {"worker": WORKER["done"]},
    )
    dies: dict[str, Any] = {"worker": WORKER["crashed"]}
    if shape.renewal == "always":
        dies["renewed"] = V["now"]
    return done, Action("crash", "worker", (_running(), _nothing_told_ahead()), dies)


def _redelivery(shape: Shape) -> tuple[Action, ...]:
    unfinished = Clause("the work is not done", V["worker"] != WORKER["done"])
    expires = Action(
        "lease_expires",
        "server",
        (
            Clause("the lease is held", V["lease"] == LEASE["held"]),
            unfinished,
            Clause("lease_timeout has passed", V["now"] - held_from(shape) >= NUMBERS["lease_timeout"]),
        ),
        {"lease": LEASE["expired"], "expired_at": V["now"]},
    )
    redelivers = Action(
        "redeliver",
        "server",
        (Clause("the lease expired", V["lease"] == LEASE["expired"]), unfinished),
        {
            "lease": LEASE["redelivered"],
            "second": SECOND["running"],
            "second_from": V["now"],
            "overlap": z3.Or(V["overlap"], V["worker"] == WORKER["running"]),
        },
    )
    again = Action(
        "write_terminal_again",
        "second worker",
        (
            Clause("the second attempt runs", V["second"] == SECOND["running"]),
            Clause(
                "the work takes at least workload.execution[0]", V["now"] - V["second_from"] >= NUMBERS["execution_lo"]
            ),
        ),
        {"second": SECOND["done"]},
    )
    return expires, redelivers, again


def _server_urgency(shape: Shape) -> Iterable[Clause]:
    now, running = V["now"], V["worker"] == WORKER["running"]
    finished = V["worker"] == WORKER["done"]
    held, expired = V["lease"] == LEASE["held"], V["lease"] == LEASE["expired"]
    if shape.work_ends:
        last = NUMBERS["execution_hi"]
        yield Clause("the work ends in time", z3.Or(z3.Not(running), now <= last))
        second = V["second"] == SECOND["running"]
        yield Clause("the second attempt ends in time", z3.Or(z3.Not(second), now <= V["second_from"] + last))
    if shape.renewal == "every":
        latest = V["renewed"] + NUMBERS["lease_renewal"] + NUMBERS["stall"]
        yield Clause("the renewal is late by the stall at most", z3.Or(z3.Not(running), z3.Not(held), now <= latest))
    over = held_from(shape) + NUMBERS["lease_timeout"]
    yield Clause("the lease expires at its end", z3.Or(z3.Not(held), finished, now <= over))
    swept = V["expired_at"] + NUMBERS["lease_sweep"]
    yield Clause("the next lease sweep redelivers", z3.Or(z3.Not(expired), finished, now <= swept))


# -- the client ---------------------------------------------------------------------------------------------------


def stop_at(shape: Shape, latency: Any) -> Any:
    """The instant at which the client's limit stops it, when its call (or its handle) travelled for `latency`."""
    limits = []
    if shape.overall_from == "call":
        limits.append(NUMBERS["overall_timeout"] - latency)
    elif shape.overall_from == "handle":
        limits.append(NUMBERS["overall_timeout"] + latency)
    if shape.ttl:
        limits.append(NUMBERS["advertised_ttl"])
    return limits[0] if len(limits) == 1 else z3.If(limits[1] < limits[0], limits[1], limits[0])


def _create(shape: Shape) -> Action:
    latency = Choice("latency", Real(), lower=NUMBERS["latency_lo"], upper=NUMBERS["latency_hi"])
    inside = z3.And(latency.term >= NUMBERS["latency_lo"], latency.term <= NUMBERS["latency_hi"])
    guard = (
        Clause("nothing was created yet", V["waiter"] == WAITER["absent"]),
        Clause("a message takes network.latency", inside),
    )
    updates = {"waiter": WAITER["waiting"], "give_up_at": stop_at(shape, latency.term)}
    return Action("create", "client", guard, updates, (latency,))


def _give_up() -> Action:
    guard = (
        Clause("the client waits", V["waiter"] == WAITER["waiting"]),
        Clause("its limit is reached", V["now"] >= V["give_up_at"]),
    )
    lost = z3.And(V["worker"] == WORKER["crashed"], V["second"] != SECOND["done"])
    updates = {"waiter": WAITER["stopped"], "recovery_missed": z3.Or(V["recovery_missed"], lost)}
    return Action("give_up", "client", guard, updates)


def _client_urgency() -> list[Clause]:
    # A limit that lies before the creation stops the client at once.
    limit = z3.If(V["give_up_at"] > 0, V["give_up_at"], z3.RealVal(0))
    return [
        Clause("creation is instant 0", z3.Or(V["waiter"] != WAITER["absent"], V["now"] <= 0)),
        Clause("the client stops at its limit", z3.Or(V["waiter"] != WAITER["waiting"], V["now"] <= limit)),
    ]
