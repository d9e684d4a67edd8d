"""The server: contacts, the worker's terminal write, and the reaper's sweeps.

Source: docs/reference/semantics.md, section 3.
A sweep that changes nothing is a stutter and no event. What keeps the reaper honest instead is urgency: time may not
pass beyond the last moment at which a sweep of the grid must have found something to do.
"""

from collections.abc import Iterator

import z3

from latchcheck.kernel import Action, Choice, Clause, IntRange, Real

from .poller import Poller, active
from .record import Windows, judged
from .terms import CAUSE, CLIENT, COUNT_MAX, FATE, SEEN, STATUS, Numbers, Term, V

FINEST_PERIOD_MS = 1
"""An exact timer (`sweep_period = "0ms"`) is a sweep every millisecond: the grain of a configuration."""


def grid(numbers: Numbers) -> tuple[Term, Term] | None:
    """Sweep period and lateness, or None where no grid of sweeps is promised (lazy, or nothing said)."""
    server = numbers.config.server
    if server.sweep_period_ms is None or server.sweep_period_ms == "lazy":
        return None
    lateness = numbers.real("sweep_lateness", server.sweep_lateness_ms)
    return numbers.real("sweep_period", max(server.sweep_period_ms, FINEST_PERIOD_MS)), lateness


def phase_choice(numbers: Numbers) -> tuple[Choice | None, tuple[Clause, ...]]:
    """The choice of the sweeps' phase, made once at creation."""
    found = grid(numbers)
    if found is None:
        return None, ()
    phase = Choice("sweep_phase", Real(), lower=z3.RealVal(0), upper=found[0])
    inside = z3.And(phase.term >= 0, phase.term <= found[0])
    return phase, (Clause("the phase is within one sweep period", inside),)


def tasks_get(poller: Poller, windows: Windows) -> Action:
    """`tasks/get` arrives: the record is judged first where sweeps are lazy, then the access counts as a contact."""
    numbers = poller.numbers
    lazy = numbers.config.server.sweep_period_ms == "lazy"
    guard = [
        Clause(
            "a request is on its way",
            z3.And(
                z3.Or(V["client"] == CLIENT["asking"], V["client"] == CLIENT["leaving"]),
                V["poll_fate"] != FATE["request_lost"],
            ),
        ),
        *poller.travelled(),
    ]
    updates: dict[str, Term] = {}
    status, gone, cause = V["status"], V["gone"], V["cause"]
    if lazy:
        after, updates, _ = judged(windows, active(), V["away"])
        status, gone, cause = after.status, after.gone, after.cause
        guard.extend(windows.errors_bounded)
    answered = V["poll_fate"] == FATE["answered"]
    lost = z3.And(answered, gone, cause != CAUSE["none"])
    updates.update(
        {
            "client": z3.If(
                V["client"] == CLIENT["leaving"],
                CLIENT["stopped"],
                z3.If(answered, CLIENT["hearing"], CLIENT["asking"]),
            ),
            "since": z3.If(answered, V["now"], V["since"]),
            "poll_fate": z3.If(answered, FATE["answered"], FATE["request_lost"]),
            "seen": z3.If(gone, SEEN["gone"], z3.If(status == STATUS["working"], SEEN["working"], SEEN["terminal"])),
            "last_contact": V["now"],
            "away": z3.BoolVal(False),
            "outcome_lost": z3.Or(V["outcome_lost"], lost),
            "timeout_lost": z3.Or(V["timeout_lost"], z3.And(lost, cause == CAUSE["timeouts"])),
        }
    )
    return Action("tasks/get", "server", guard, updates, windows.errors if lazy else ())


def polls(poller: Poller, windows: Windows) -> tuple[Action, Action]:
    """Several steady polls in a row, all answered "working": what poll, `tasks/get` and reply do, `count` times.

    This is a shorthand, so that a run of an hour does not take thousands of steps; it is no new behaviour.
    The rounds are of equal length, none of them long enough for a pass to be forced to act, and nothing else happens
    until they are over.
    """
    count, until = Choice("count", IntRange(1, COUNT_MAX)), Choice("until", Real())
    lo, hi = poller.latency()
    least_gap, greatest_gap = poller.gap()
    rounds, elapsed = z3.ToReal(count.term), until.term - V["now"]
    # Every reply takes as long as the one just heard, so that the last contact is known when the polls are over.
    reply = V["since"] - V["last_contact"]
    guard = [
        Clause("a gap has just begun", z3.And(V["client"] == CLIENT["pausing"], V["now"] == V["since"])),
        Clause("the client is not away", z3.Not(V["away_now"])),
        Clause("the gap grows no more", poller.steady()),
        Clause("no poll has just failed", V["failures"] == 0),
        Clause("the task is working", z3.And(V["status"] == STATUS["working"], z3.Not(V["gone"]))),
        Clause("each round is at least its least", elapsed >= rounds * (least_gap + lo + reply)),
        Clause("each round is at most its greatest", elapsed <= rounds * (greatest_gap + hi + reply)),
    ]
    guard += _quiet(windows, until.term, rounds, lazy=poller.numbers.config.server.sweep_period_ms == "lazy")
    begin = Action("polls", "client", guard, {"client": CLIENT["cycling"], "cycle_until": until.term}, (count, until))
    end = Action(
        "polls_end",
        "client",
        (
            Clause("several polls are told as one", V["client"] == CLIENT["cycling"]),
            Clause("they are over", V["now"] == V["cycle_until"]),
        ),
        {
            "client": CLIENT["pausing"],
            "since": V["now"],
            "last_contact": V["now"] - reply,
            "away": z3.BoolVal(False),
            "nominal": poller.final_nominal(),
        },
    )
    return begin, end


def _quiet(windows: Windows, until: Term, rounds: Term, *, lazy: bool) -> Iterator[Clause]:
    """No pass is forced to act from now until then, when that many rounds of equal length are over."""
    for name, instant, follows_contact, inclusive in windows.limits_while_working():
        if follows_contact:
            elapsed, allowed = until - V["now"], rounds * (instant - V["last_contact"])
            quiet = elapsed < allowed if inclusive else elapsed <= allowed
        elif lazy:
            quiet = until < instant if inclusive else until <= instant
        else:
            continue
        yield Clause(f"the {name} pass need not act meanwhile", quiet)


def execution(numbers: Numbers) -> tuple[Term, Term]:
    """Earliest and latest instant of the worker's terminal write; undeclared work may take any time."""
    declared = numbers.config.workload.execution_ms or (0, None)
    lo, hi = declared
    if lo == hi:
        same = numbers.real("execution", lo)
        return same, same
    return numbers.real("execution_lo", lo), numbers.real("execution_hi", hi)


def _not_told_as_one() -> tuple[Clause, ...]:
    return (
        Clause("the client called", V["client"] != CLIENT["absent"]),
        Clause("no polls are just being told as one", V["client"] != CLIENT["cycling"]),
    )


def write_terminal(numbers: Numbers) -> Action:
    """The worker writes the terminal status, unless something else ended or removed the task before."""
    lo, hi = execution(numbers)
    guard = [
        *_not_told_as_one(),
        Clause("the task is not terminal", V["status"] == STATUS["working"]),
        Clause("the record is there", z3.Not(V["gone"])),
        Clause("the work takes at least workload.execution[0]", V["now"] >= lo),
    ]
    if hi is not None:
        guard.append(Clause("the work takes at most workload.execution[1]", V["now"] <= hi))
    updates = {"status": STATUS["completed"], "cause": CAUSE["worker"], "ended_at": V["now"]}
    return Action("write_terminal", "worker", guard, updates)


def work_ends(numbers: Numbers) -> tuple[Clause, ...]:
    """Work whose record lives does not run longer than it was declared to."""
    hi = execution(numbers)[1]
    if hi is None:
        return ()
    over = z3.Or(V["status"] != STATUS["working"], V["gone"])
    return (Clause("the work ends in time", z3.Or(over, V["now"] <= hi)),)


def _floor(value: Term) -> Term:
    return z3.ToInt(value)


def _ceiling(value: Term) -> Term:
    return -z3.ToInt(-value)


def _at_least(number: Term, other: Term) -> Term:
    return z3.If(number >= other, number, other)


def sweep(poller: Poller, windows: Windows) -> Action | None:
    """A sweep that finds something to do, at an instant of the grid, each sweep of the grid acting once."""
    numbers = poller.numbers
    if numbers.config.server.sweep_period_ms == "lazy":
        return None
    _, updates, acts = judged(windows, active(), V["away"])
    guard = [
        *_not_told_as_one(),
        Clause("the sweep finds something to do", acts),
        *windows.errors_bounded,
    ]
    found = grid(numbers)
    if found is not None:
        period, lateness = found
        behind = (V["now"] - V["phase"] - lateness) / period
        number = _at_least(_ceiling(behind), V["next_sweep"])
        due = V["phase"] + z3.ToReal(number) * period
        guard.append(Clause("a sweep of the grid is due", due <= V["now"]))
        updates["next_sweep"] = number + 1
    return Action("sweep", "reaper", guard, updates, windows.errors)


def sweeps_happen(numbers: Numbers, windows: Windows) -> tuple[Clause, ...]:
    """Time does not pass beyond a sweep of the grid that must act, whatever its lateness and the clocks' errors."""
    found = grid(numbers)
    if found is None:
        return ()
    period, lateness = found
    clauses = []
    moving = {name for name, _, follows_contact, _ in windows.limits_while_working() if follows_contact}
    for name, applies, instant, inclusive in windows.certain():
        told_as_one = V["client"] == CLIENT["cycling"] if name in moving else z3.BoolVal(False)
        offset = (instant - V["phase"]) / period
        number = _ceiling(offset) if inclusive else _floor(offset) + 1
        if name == "expiry" and not windows.expires_running:
            # A sweep at or before the terminal write saw a running task, which is exempt.
            after_end = _floor((V["ended_at"] - V["phase"]) / period) + 1
            number = z3.If(V["status"] == STATUS["working"], number, _at_least(number, after_end))
        number = _at_least(number, V["next_sweep"])
        due = V["phase"] + z3.ToReal(number) * period
        clauses.append(
            Clause(
                f"the sweep whose {name} pass must act is not missed",
                z3.Or(z3.Not(applies), told_as_one, V["now"] <= due + lateness),
            )
        )
    return tuple(clauses)
