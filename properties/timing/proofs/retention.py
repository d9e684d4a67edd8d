"""`result-reaches-client` and `timeout-is-seen`: the conditions are exact.

With a a contact followed by poll k and S(k) the longest time from it to the next successful poll, an outcome stored at
x (not before a) is lost exactly when it is removed before that poll: anchor + ttl - skew <= a + S(k), for some a that a
run has. From `terminal` anchors only S(k) counts, since the work may end at the contact itself; from `creation` the
latest contact at or before the latest end does.

Proved of a reaper that may sweep at any instant; a grid of sweeps has fewer runs, so the safe side holds of it too.
"""

from typing import Any

import z3

from latchcheck.engines.obligations import Proof
from latchcheck.engines.smt import Event, inductive, valid_run
from latchcheck.kernel import Clause
from latchcheck.model.config import Config
from latchcheck.model.timing.terms import CAUSE, V

from .followed import FIRST, Followed
from .recorded import R
from .scripts import ZERO, contact_state, crossed_legs
from .ttl import late


def _kept(shape: Followed) -> Any:
    return shape.number("enforced_ttl") - shape.skew


def _at_least_0(value: Any) -> Any:
    return z3.If(value > 0, value, z3.RealVal(0))


def _removed_late(shape: Followed) -> Clause:
    """Lemma: what is removed is as old as the ttl asks, give or take the clocks."""
    anchor = z3.RealVal(0) if shape.windows.anchor == "creation" else V["ended_at"]
    stored = z3.And(V["gone"], V["cause"] != CAUSE["none"])
    return Clause("no record is removed early", z3.Implies(stored, V["now"] >= anchor + _kept(shape)))


def _never(shape: Followed, safe: Any, harm: Any, *more: Clause) -> Proof:
    known = [*shape.sane, *shape.schedule(*shape.polls_read()), *shape.contacts(R["leg_poll"])]
    invariant = [*shape.standing(), *shape.no_sooner(), *shape.unheard(), _removed_late(shape), *more]
    invariant.append(Clause("no outcome is lost", z3.Not(harm)))
    return inductive(shape.system, [*known, z3.Implies(R["leg_poll"] >= 1, safe)], invariant, harm)


# -- result-reaches-client ----------------------------------------------------------------------------------------


def _safe(shape: Followed, k: Any, contact: Any) -> Any:
    """What is asked of a contact before poll k."""
    longest, kept = shape.success(k), _kept(shape)
    if shape.windows.anchor == "creation":
        too_late = contact > shape.work_ends
        return z3.Or(too_late, contact + longest < kept)
    return longest < kept if shape.work_ends is None else z3.Or(longest < kept, FIRST(k) > shape.work_ends)


def reaches(config: Config) -> Proof:
    """Where the condition holds of every contact, no outcome is lost."""
    shape = Followed(config)
    return _never(shape, _safe(shape, R["leg_poll"], R["leg_from"]), V["outcome_lost"])


def lost(config: Config) -> list[Proof]:
    """From any contact of which it does not hold, a run loses the outcome that is stored just after the contact."""
    shape = Followed(config)
    proofs = []
    for first in (True, False):
        begin = ZERO if first else V["now"]
        kept = _kept(shape)
        anchored = kept if shape.windows.anchor == "creation" else begin + kept
        removed = z3.If(anchored > begin, anchored, begin)
        cuts: list[tuple[Any, Event]] = [
            (begin, (begin, "write_terminal", {})),
            (removed, (removed, "sweep", late(shape))),
        ]
        for script in crossed_legs(shape, cuts, first=first, ends=(None, "tasks/get", {})):
            known = [*shape.sane, *shape.schedule(*script.polls), *script.given, removed <= script.until]
            if "execution_lo" in shape.system.parameters:
                known.append(shape.number("execution_lo") == 0)
            if shape.work_ends is not None:
                known.append(begin <= shape.work_ends)
            if shape.poller.limited():
                known += _waits(shape, script.until, first=first)
            start = None if first else contact_state(shape)
            proofs.append(_possible_run(shape, known, list(script.events), V["outcome_lost"], start))
    return proofs


def _waits(shape: Followed, until: Any, *, first: bool) -> list[Any]:
    stop = shape.stop(call=shape.latency.lo, handle=shape.latency.hi)
    return [until <= (stop if first else V["give_up_at"])]


def _possible_run(shape: Followed, known: list[Any], events: list[Event], harm: Any, start: Any) -> Proof:
    return valid_run(shape.system, [z3.And(known)], events, harm, start=start)


# -- timeout-is-seen ----------------------------------------------------------------------------------------------


def _seen(shape: Followed, k: Any, contact: Any) -> Any:
    """What is asked of a contact before poll k, of an outcome that the deadline stores after it."""
    due, kept = shape.number("execution_deadline") - shape.skew, _at_least_0(_kept(shape))
    poll = contact + shape.success(k)
    # Stored later than `due` and not before the contact, while the work may run; removed `kept` after it or later.
    empty = [due + kept >= poll, shape.success(k) < kept]
    if shape.work_ends is not None:
        empty += [due >= shape.work_ends, contact > shape.work_ends]
    return z3.Or(empty)


def seen(config: Config) -> Proof:
    """Where the condition holds of every contact, no deadline's outcome is lost."""
    shape = Followed(config)
    due = shape.number("execution_deadline") - shape.skew
    late_enough = z3.Implies(V["cause"] == CAUSE["timeouts"], V["ended_at"] > due)
    return _never(
        shape,
        _seen(shape, R["leg_poll"], R["leg_from"]),
        V["timeout_lost"],
        Clause("the deadline acts after it", late_enough),
        Clause("a removed record was removed after it ended", z3.Implies(V["gone"], V["now"] >= V["ended_at"])),
    )


def unseen(config: Config) -> list[Proof]:
    """From any contact of which it does not hold, a run loses the deadline's outcome."""
    shape = Followed(config)
    proofs = []
    failed = z3.Real("failed_at")
    removed = failed + _at_least_0(_kept(shape))
    young = {choice.name: -shape.skew for choice in shape.windows.errors}
    fails = {name: shape.skew if name == "error_created" else value for name, value in young.items()}
    for first in (True, False):
        begin = ZERO if first else V["now"]
        cuts: list[tuple[Any, Event]] = [
            (failed, (failed, "sweep", fails)),
            (removed, (removed, "sweep", late(shape))),
        ]
        for script in crossed_legs(shape, cuts, first=first, ends=(None, "tasks/get", {})):
            known = [*shape.sane, *shape.schedule(*script.polls), *script.given, failed >= begin]
            known += [failed > shape.number("execution_deadline") - shape.skew, _kept(shape) > 0]
            if shape.work_ends is not None:
                known.append(failed <= shape.work_ends)
            start = None if first else contact_state(shape)
            proofs.append(_possible_run(shape, known, list(script.events), V["timeout_lost"], start))
    return proofs
