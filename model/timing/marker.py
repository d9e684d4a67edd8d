"""A cancel that lives in a marker of its own while the record still says what the worker wrote.

The marker is gone `cancel_marker_retention` after the cancel was acknowledged; the record goes when its ttl ends it.
Source: docs/reference/semantics.md, section 3 (items 11 to 15).
"""

from collections.abc import Iterable

import attrs
import z3

from latchcheck.kernel import Action, Bool, Choice, Clause, Real, System, Trace, Variable

from ..config import Client, Config
from .poller import Poller
from .record import Record, Windows, judged, stored
from .server import execution, phase_choice, sweep, sweeps_happen
from .small import run_small
from .system import Event
from .terms import CLIENT, STATUS, VARIABLES, Numbers, Term, V

_READ = "now client cycle_until status cause ended_at gone last_contact phase next_sweep expired_live"
MARKER_VARIABLES = (
    *(variable for variable in VARIABLES if variable.name in _READ.split()),
    Variable("acknowledged", Bool(), False),
    Variable("acknowledged_at", Real(), 0),
    Variable("read_uncancelled", Bool(), False),
)
M = {variable.name: variable.term for variable in MARKER_VARIABLES}
"""The z3 constant of each variable, by name."""


def marker_system(config: Config, *, symbolic: bool = False) -> System:
    """A task that is cancelled while it works, its worker, its record and its readers.

    `read_uncancelled`: after the cancel was acknowledged, the record was read, and did not read cancelled.
    """
    # What ends a task besides its worker and its ttl is no part of this question.
    server = attrs.evolve(config.server, orphan_window_ms=None, execution_deadline_ms=None)
    plain = attrs.evolve(config, client=Client(requested_ttl_ms=config.client.requested_ttl_ms), server=server)
    numbers = Numbers(plain, symbolic)
    poller, windows = Poller(numbers), Windows.of(numbers)
    actions = (
        _create(numbers),
        _cancel(numbers, windows),
        *_writes(numbers),
        _swept(poller, windows),
        _get(numbers, windows),
        *_polls(windows),
    )
    return System(
        name="marker",
        variables=MARKER_VARIABLES,
        actions=tuple(action for action in actions if action is not None),
        clock="now",
        urgency=(*_urgency(numbers), *_sweeps_happen(numbers, windows)),
        parameters=dict(numbers.symbols),
    )


def run_marker(config: Config, events: Iterable[Event]) -> Trace:
    """Execute events on the system of a configuration; NotAStep at the first that it does not allow."""
    given = {
        "cancel_marker_retention": config.server.cancel_marker_retention_ms or 0,
        "works_on_at_most": _longer(config) or 0,
    }
    return run_small(marker_system, config, events, given)


def _longer(config: Config) -> int | None:
    on = config.workload.works_on_after_cancel
    return None if isinstance(on, bool) else on


def _create(numbers: Numbers) -> Action:
    phase, in_phase = phase_choice(numbers)
    guard = (
        Clause("nothing was created yet", V["client"] == CLIENT["absent"]),
        Clause("creation is instant 0", V["now"] == 0),
        *in_phase,
    )
    updates = {"client": CLIENT["pausing"]}
    if phase is None:
        return Action("create", "client", guard, updates)
    return Action("create", "client", guard, {**updates, "phase": phase.term}, (phase,))


def _created() -> Clause:
    return Clause("the task was created", V["client"] == CLIENT["pausing"])


def _accessed(
    numbers: Numbers, windows: Windows
) -> tuple[Record, dict[str, z3.ExprRef], tuple[Clause, ...], tuple[Choice, ...]]:
    """The record as an access finds it: judged first where sweeps are lazy."""
    if numbers.config.server.sweep_period_ms != "lazy":
        return stored(), {}, (), ()
    record, updates, _ = judged(windows, z3.BoolVal(False), z3.BoolVal(False))
    own = {name: expr for name, expr in updates.items() if name in M}
    return record, own, windows.errors_bounded, windows.errors


def _cancel(numbers: Numbers, windows: Windows) -> Action:
    record, updates, bounded, errors = _accessed(numbers, windows)
    guard = (
        _created(),
        Clause("no cancel was acknowledged yet", z3.Not(M["acknowledged"])),
        *bounded,
        Clause("the task is working", record.working),
    )
    updates |= {"acknowledged": z3.BoolVal(True), "acknowledged_at": V["now"]}
    if numbers.config.workload.works_on_after_cancel is False:
        updates |= {"status": STATUS["cancelled"], "ended_at": V["now"]}
    if "cancel" in numbers.config.server.contact_includes:
        updates["last_contact"] = V["now"]
    return Action("tasks/cancel", "client", guard, updates, errors)


def _working() -> Term:
    return z3.And(V["status"] == STATUS["working"], z3.Not(V["gone"]))


def _writes(numbers: Numbers) -> tuple[Action, ...]:
    """The worker writes its result late, cancelled or not; or it stops and the record says cancelled."""
    lo, hi = execution(numbers)
    working = Clause("the task is working", _working())
    guard = [_created(), working, Clause("the work takes at least workload.execution[0]", V["now"] >= lo)]
    if hi is not None:
        guard.append(Clause("the work takes at most workload.execution[1]", V["now"] <= hi))
    write = Action("write_terminal", "worker", guard, {"status": STATUS["completed"], "ended_at": V["now"]})
    if _longer(numbers.config) is None:
        return (write,)
    stops = (working, Clause("the cancel was acknowledged", M["acknowledged"]))
    return write, Action("work_stops", "worker", stops, {"status": STATUS["cancelled"], "ended_at": V["now"]})


def _swept(poller: Poller, windows: Windows) -> Action | None:
    action = sweep(poller, windows)
    if action is None:
        return None
    return attrs.evolve(action, updates={name: expr for name, expr in action.updates.items() if name in M})


def _get(numbers: Numbers, windows: Windows) -> Action:
    record, updates, bounded, errors = _accessed(numbers, windows)
    marker = numbers.real("cancel_marker_retention", numbers.config.server.cancel_marker_retention_ms)
    unmarked = z3.And(M["acknowledged"], V["now"] - M["acknowledged_at"] >= marker)
    uncancelled = z3.And(unmarked, z3.Not(record.gone), record.status != STATUS["cancelled"])
    updates |= {"last_contact": V["now"], "read_uncancelled": z3.Or(M["read_uncancelled"], uncancelled)}
    return Action("tasks/get", "client", (_created(), *bounded), updates, errors)


def _polls(windows: Windows) -> tuple[Action, ...]:
    """Polls in quick succession told as one, where the ttl counts from the last of them."""
    if windows.ttl is None or windows.anchor != "activity":
        return ()
    until = Choice("until", Real())
    (quick,) = (instant > V["last_contact"] for name, _, instant, _ in windows.certain() if name == "expiry")
    begin = (_created(), Clause("quick polls keep off the expiry pass", quick))
    end = (
        Clause("several polls are told as one", V["client"] == CLIENT["cycling"]),
        Clause("they are over", V["now"] == V["cycle_until"]),
    )
    return (
        Action("polls", "client", begin, {"client": CLIENT["cycling"], "cycle_until": until.term}, (until,)),
        Action("polls_end", "client", end, {"client": CLIENT["pausing"], "last_contact": V["now"]}),
    )


def _sweeps_happen(numbers: Numbers, windows: Windows) -> tuple[Clause, ...]:
    """Sweeps come in time; where each poll keeps the record, polls in quick succession keep it all the while."""
    found = sweeps_happen(numbers, windows)
    if windows.anchor == "activity":
        many = V["client"] == CLIENT["cycling"]
        return tuple(Clause(clause.label, z3.Or(many, clause.expr)) for clause in found)
    keeps = windows.keeps_terminal and windows.action in ("fail", "cancel")
    if windows.anchor != "creation" or not windows.expires_running or keeps:
        return found
    # The sweep that must find the running task finds it whether or not the late write came just before.
    running = ((V["status"], STATUS["working"]), (V["ended_at"], z3.RealVal(0)))
    completed = V["status"] == STATUS["completed"]
    return found + tuple(
        Clause(
            "no late write saves a record from its sweep", z3.Implies(completed, z3.substitute(clause.expr, *running))
        )
        for clause in found
    )


def _urgency(numbers: Numbers) -> tuple[Clause, ...]:
    over = z3.Not(_working())
    found = [
        Clause("the task is created at instant 0", z3.Or(V["client"] != CLIENT["absent"], V["now"] <= 0)),
        Clause("polls told as one end", z3.Or(V["client"] != CLIENT["cycling"], V["now"] <= V["cycle_until"])),
    ]
    longer = numbers.real("works_on_at_most", _longer(numbers.config))
    if longer is not None:
        stopped = z3.Or(over, z3.Not(M["acknowledged"]), V["now"] - M["acknowledged_at"] <= longer)
        found.append(Clause("cancelled work stops in time", stopped))
    last = execution(numbers)[1]
    if last is not None:
        found.append(Clause("the work ends in time", z3.Or(over, V["now"] <= last)))
    return tuple(found)
