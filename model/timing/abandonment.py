"""A client that leaves for good, and what then stops the task and the work behind it.

The record and the work are two things: a record that was ended tells the work to stop, and the work may go on
(`workload.works_on_after_cancel`). The passes and the sweeps are those of the timed model.
Source: docs/reference/semantics.md, section 3 (items 11 to 16).
"""

from collections.abc import Iterable

import attrs
import z3

from latchcheck.kernel import Action, Bool, Choice, Clause, Real, System, Trace, Variable

from ..config import Client, Config
from .poller import Poller
from .record import Record, Windows, judged, stored
from .schedule import Ms
from .server import execution, phase_choice, sweep, sweeps_happen
from .small import run_small, system_of
from .system import Event
from .terms import CLIENT, STATUS, VARIABLES, Numbers, Term, V

_READ = "now client cycle_until status cause ended_at gone last_contact phase next_sweep expired_live"
_OWN = (
    Variable("left_at", Real(), 0),
    Variable("cancel_sent", Bool(), False),
    Variable("running", Bool(), False),
    Variable("told", Bool(), False),
    Variable("told_at", Real(), 0),
    Variable("found_late", Bool(), False),
    Variable("works_on", Bool(), False),
)
LEFT_VARIABLES = (*(variable for variable in VARIABLES if variable.name in _READ.split()), *_OWN)
L = {variable.name: variable.term for variable in LEFT_VARIABLES}
"""The z3 constant of each variable, by name."""


def abandoned_system(config: Config, *, symbolic: bool = False) -> System:
    """A task whose client leaves: contacts until then, the reaper's sweeps, the work, and two observers.

    `found_late`: the task was still working later than `bound` after the last contact.
    `works_on`: the work was still running later than `bound` after the client left.
    """
    # How the client polled before it left is nothing to this system: any contact at any instant is possible.
    client = config.client
    kept = Client(cancel_on_abandon=client.cancel_on_abandon, requested_ttl_ms=client.requested_ttl_ms)
    plain = attrs.evolve(config, client=kept)
    numbers = Numbers(plain, symbolic)
    poller, windows = Poller(numbers), Windows.of(numbers)
    actions = (
        _create(numbers),
        *_contacts(numbers, windows),
        _leave(plain),
        _cancel_arrives(plain, poller, windows),
        _swept(plain, poller, windows),
        _work_stops(plain),
        _work_ends(numbers),
        _still_working(numbers),
        _still_running(numbers),
    )
    return System(
        name="abandoned",
        variables=LEFT_VARIABLES,
        actions=tuple(action for action in actions if action is not None),
        clock="now",
        urgency=(*_urgency(numbers, poller), *sweeps_happen(numbers, windows)),
        parameters=dict(numbers.symbols),
    )


def run_abandoned(config: Config, events: Iterable[Event], bound: Ms) -> Trace:
    """Execute events on the system of a configuration with this bound; NotAStep at the first that it does not allow."""
    return run_small(abandoned_system, config, events, _own(config, bound))


def abandoned_with(config: Config, bound: Ms) -> System:
    """The system of a configuration in which `run_abandoned` executes, with its numbers in."""
    return system_of(abandoned_system, config, _own(config, bound))


def _own(config: Config, bound: Ms) -> dict[str, Ms]:
    return {"bound": bound, "works_on_at_most": _longer(config) or 0}


def _bound(numbers: Numbers) -> z3.ArithRef:
    # The number itself is given with each run; a system with numbers in it needs one too.
    return numbers.real("bound", 0)


def _create(numbers: Numbers) -> Action:
    phase, in_phase = phase_choice(numbers)
    guard = (
        Clause("nothing was created yet", V["client"] == CLIENT["absent"]),
        Clause("creation is instant 0", V["now"] == 0),
        *in_phase,
    )
    updates = {"client": CLIENT["pausing"], "running": z3.BoolVal(True)}
    if phase is None:
        return Action("create", "client", guard, updates)
    return Action("create", "client", guard, {**updates, "phase": phase.term}, (phase,))


def _here() -> Clause:
    return Clause("the client is there", V["client"] == CLIENT["pausing"])


def _contacts(numbers: Numbers, windows: Windows) -> tuple[Action, ...]:
    """Polls before the client leaves; where accesses judge the record nothing is asked of that time.

    `polls` to `polls_end` tells as one what polls in quick succession do: no silence gets long, nothing else happens.
    """
    if numbers.config.server.sweep_period_ms == "lazy":
        return ()
    until = Choice("until", Real())
    quick = [
        Clause(f"quick polls keep off the {name} pass", instant > V["last_contact"] if inclusive else z3.BoolVal(True))
        for name, instant, follows_contact, inclusive in windows.limits_while_working()
        if follows_contact
    ]
    many = Clause("several polls are told as one", V["client"] == CLIENT["cycling"])
    return (
        Action("tasks/get", "client", (_here(),), {"last_contact": V["now"]}),
        Action(
            "polls", "client", (_here(), *quick), {"client": CLIENT["cycling"], "cycle_until": until.term}, (until,)
        ),
        Action(
            "polls_end",
            "client",
            (many, Clause("they are over", V["now"] == V["cycle_until"])),
            {"client": CLIENT["pausing"], "last_contact": V["now"]},
        ),
    )


def _leave(config: Config) -> Action:
    """The client's last contact: from here on it is gone for good, but for a cancel that it may have sent."""
    updates = {"client": CLIENT["stopped"], "left_at": V["now"], "last_contact": V["now"]}
    if config.client.cancel_on_abandon:
        updates["cancel_sent"] = z3.BoolVal(True)
    return Action("leave", "client", (_here(),), updates)


def _working() -> Term:
    return z3.And(V["status"] == STATUS["working"], z3.Not(V["gone"]))


def _cancel_arrives(config: Config, poller: Poller, windows: Windows) -> Action | None:
    """A cancel tells the work to stop if there is still a working task by that id; lazily, this access judges first."""
    if not config.client.cancel_on_abandon:
        return None
    lo, hi = poller.latency()
    elapsed = V["now"] - L["left_at"]
    guard = [
        Clause("a cancel is on its way", L["cancel_sent"]),
        Clause("the message takes network.latency", z3.And(elapsed >= lo, elapsed <= hi)),
    ]
    record, updates = stored(), {}
    lazy = config.server.sweep_period_ms == "lazy"
    if lazy:
        record, found, _ = judged(windows, z3.BoolVal(False), z3.BoolVal(False))
        updates = {name: expr for name, expr in found.items() if name in L}
        guard.extend(windows.errors_bounded)
    ended, expired = _ends(record)
    updates |= {
        "cancel_sent": z3.BoolVal(False),
        "status": z3.If(record.working, STATUS["cancelled"], record.status),
        "ended_at": z3.If(record.working, V["now"], record.ended_at),
        **_stopping(config, z3.Or(record.working, ended), expired),
    }
    if "cancel" in config.server.contact_includes:
        updates["last_contact"] = V["now"]
    return Action("tasks/cancel", "server", guard, updates, windows.errors if lazy else ())


def _swept(config: Config, poller: Poller, windows: Windows) -> Action | None:
    """A sweep that finds something, and what it does to the work."""
    action = sweep(poller, windows)
    if action is None:
        return None
    after, _, _ = judged(windows, z3.BoolVal(False), z3.BoolVal(False))
    # Whether an orphan was a live one is asked of a client that is still there.
    own = {name: expr for name, expr in action.updates.items() if name in L}
    return attrs.evolve(action, updates={**own, **_stopping(config, *_ends(after))})


def _ends(after: Record) -> tuple[Term, Term]:
    """Whether a judgement ended a working task by its deadline or as an orphan, and whether it let one expire."""
    expired = z3.And(after.expired_live, z3.Not(V["expired_live"]))
    return z3.And(_working(), after.status != STATUS["working"], z3.Not(expired)), expired


def _stopping(config: Config, tells: Term, expired: Term) -> dict[str, Term]:
    """What it does to the work that its record was ended.

    A cancel, the deadline and the orphans pass tell it to stop.
    The expiry of a running task ends it, or leaves it alone.
    """
    running, updates = L["running"], {}
    if config.workload.works_on_after_cancel is False:
        running = z3.And(running, z3.Not(tells))
    else:
        updates["told"] = z3.Or(L["told"], tells)
        updates["told_at"] = z3.If(z3.And(tells, z3.Not(L["told"])), V["now"], L["told_at"])
    if config.server.expiry_stops_work:
        running = z3.And(running, z3.Not(expired))
    return {**updates, "running": running}


def _longer(config: Config) -> int | None:
    """How long work goes on at most once it is told to stop; None where that has no bound, or is no time at all."""
    on = config.workload.works_on_after_cancel
    return None if isinstance(on, bool) else on


def _work_stops(config: Config) -> Action | None:
    if _longer(config) is None:
        return None
    guard = (Clause("work is told to stop", z3.And(L["running"], L["told"])),)
    return Action("work_stops", "worker", guard, {"running": z3.BoolVal(False)})


def _work_ends(numbers: Numbers) -> Action:
    lo, hi = execution(numbers)
    guard = [
        Clause("the work runs", L["running"]),
        Clause("the work takes at least workload.execution[0]", V["now"] >= lo),
    ]
    if hi is not None:
        guard.append(Clause("the work takes at most workload.execution[1]", V["now"] <= hi))
    updates = {
        "running": z3.BoolVal(False),
        "status": z3.If(_working(), STATUS["completed"], V["status"]),
        "ended_at": z3.If(_working(), V["now"], V["ended_at"]),
    }
    return Action("write_terminal", "worker", guard, updates)


def _gone_for_good() -> Clause:
    return Clause("the client left for good", V["client"] == CLIENT["stopped"])


def _still_working(numbers: Numbers) -> Action:
    late = V["now"] - V["last_contact"] > _bound(numbers)
    guard = (_gone_for_good(), Clause("the task is working", _working()))
    return Action("still_working", "server", guard, {"found_late": z3.Or(L["found_late"], late)})


def _still_running(numbers: Numbers) -> Action:
    late = V["now"] - L["left_at"] > _bound(numbers)
    guard = (_gone_for_good(), Clause("the work runs", L["running"]))
    return Action("still_running", "worker", guard, {"works_on": z3.Or(L["works_on"], late)})


def _urgency(numbers: Numbers, poller: Poller) -> tuple[Clause, ...]:
    config, idle = numbers.config, z3.Not(L["running"])
    found = [
        Clause("the task is created at instant 0", z3.Or(V["client"] != CLIENT["absent"], V["now"] <= 0)),
        Clause("polls told as one end", z3.Or(V["client"] != CLIENT["cycling"], V["now"] <= V["cycle_until"])),
    ]
    if config.client.cancel_on_abandon:
        travels = z3.Or(z3.Not(L["cancel_sent"]), V["now"] - L["left_at"] <= poller.latency()[1])
        found.append(Clause("a cancel arrives in time", travels))
    longer = numbers.real("works_on_at_most", _longer(config))
    if longer is not None:
        found.append(
            Clause("told work stops in time", z3.Or(idle, z3.Not(L["told"]), V["now"] - L["told_at"] <= longer))
        )
    last = execution(numbers)[1]
    if last is not None:
        found.append(Clause("the work ends in time", z3.Or(idle, V["now"] <= last)))
    return tuple(found)
