"""`no-live-orphan`, and the same question asked of a client that is away: the condition is exact.

With c(k) the earliest contact followed by poll k, a live orphan is reachable exactly when for some k an instant lies in
(c(k) + window - skew, min(c(k) + longest silence, all that ends the task or the wait)]; `>=` closes the left end.
Both implications are over all numbers and all k: nothing is unrolled. Delays and contacts are known by recurrence.
"""

from typing import Any

import attrs
import z3

from latchcheck.engines.obligations import Proof, prove
from latchcheck.engines.smt import Event, inductive, valid_run
from latchcheck.kernel import Clause
from latchcheck.model.config import Config
from latchcheck.model.timing.record import stored
from latchcheck.model.timing.terms import COUNT_MAX, STATUS, V

from .followed import FIRST, Followed
from .recorded import R, Range
from .schedule import greatest, growing
from .scripts import PHASE, Script, any_legs, contact_state, parts, slow_legs
from .ttl import PERIOD, WORKING, Grid, dodged

ZERO = z3.RealVal(0)
MANY = 100
"""No leg here has so many parts."""


@attrs.frozen
class Cap:
    """An instant after which (not `closed`: from which on) nobody reclaims a live orphan: the task or the wait ends."""

    at: Any
    closed: bool = True


def caps(shape: Followed, k: Any) -> list[Cap]:
    """Everything that ends the task or the wait, for a silence before poll k."""
    windows, found = shape.windows, []
    if shape.work_ends is not None:
        found.append(Cap(shape.work_ends))
    stop = shape.latest_stop(k)
    if stop is not None:
        found.append(Cap(stop))
    order = windows.order
    if windows.deadline is not None and order.index("timeouts") < order.index("orphans"):
        found.append(Cap(windows.deadline + shape.skew))
    fixed = windows.anchor in ("creation", "creation-then-terminal")
    if windows.ttl is not None and windows.expires_running and fixed and order.index("expiry") < order.index("orphans"):
        found.append(Cap(windows.ttl + shape.skew, closed=False))
    return found


def _harmless(shape: Followed, k: Any, begin: Any, longest: Any, since: Any) -> Any:
    """No instant from `since` on is one at which a silence from `begin` is found too long before everything ends."""
    reach = shape.number("orphan_window") - shape.skew
    inclusive = shape.windows.inclusive
    empty = [longest < reach if inclusive else longest <= reach]
    for cap in caps(shape, k):
        strictly = cap.closed and inclusive
        empty.append(begin + reach > cap.at if strictly else begin + reach >= cap.at)
        empty.append(begin + since > cap.at if cap.closed else begin + since >= cap.at)
    return z3.Or(empty)


def safe(shape: Followed, k: Any, *, away: bool = False) -> Any:
    """The condition at k: the silence before poll k harms nobody, even from the earliest contact."""
    if shape.config.server.sweep_period_ms != "lazy":
        since = shape.latency.lo if away else ZERO
        return _harmless(shape, k, FIRST(k), shape.longest(k), since)
    return z3.And([_access(shape, k, shape.leg(k, failed)) for failed in range(shape.followed + 1)])


def _access(shape: Followed, k: Any, leg: Range) -> Any:
    """The same for the access that ends a leg, where accesses judge; a limit may also come before the poll is sent."""
    harmless = _harmless(shape, k, FIRST(k), leg.hi + shape.restart, leg.lo)
    if not _from_handle(shape):
        return harmless
    too_late = leg.lo - shape.latency.lo > shape.number("overall_timeout")
    return z3.Or(harmless, z3.And(k == 1, too_late))


def _from_handle(shape: Followed) -> bool:
    return shape.config.client.overall_timeout_from == "handle" and "overall_timeout" in shape.system.parameters


def never(config: Config, *, away: bool = False) -> Proof:
    """Where the condition holds at every k, no live orphan is reachable.

    Shown of a reaper that may sweep at any instant and need not, or that judges at each access. A grid of sweeps has
    fewer runs.
    """
    shape = Followed(config)
    harm = V["orphaned_away" if away else "orphaned_live"]
    known = [
        *shape.sane,
        *shape.schedule(*shape.polls_read()),
        *shape.contacts(R["leg_poll"]),
        z3.Implies(R["leg_poll"] >= 1, safe(shape, R["leg_poll"], away=away)),
    ]
    invariant = [*shape.standing(), *shape.no_sooner(), *shape.stops_in_time()]
    if away:
        invariant.append(shape.left_after_reply())
    invariant.append(Clause("no live orphan", z3.Not(harm)))
    return inductive(shape.system, known, invariant, harm)


def flat(config: Config) -> list[Proof]:
    """A window no shorter than the longest silence at the ceiling of the schedule, clocks' skew added, is enough.

    That is the sentence most checks make of it. It is sufficient and not necessary: the ceiling may never be reached.
    """
    shape = Followed(config)
    reach, longest = shape.number("orphan_window") - shape.skew, greatest(shape)
    k = z3.Int("k")
    known = [*shape.sane, *shape.schedule(*(k + one for one in range(shape.failures + 2))), shape.longest(k) <= longest]
    known.append(longest < reach if shape.windows.inclusive else longest <= reach)
    enough = prove("it makes every silence harmless", known, safe(shape, k))
    return [growing(config), Proof("timed: the flat condition", (enough,)), never(config)]


def always(config: Config) -> list[Proof]:
    """Silence beyond window + skew + period + lateness is always found; lazily, silence beyond window + skew is.

    On a grid a task is then working no more; an access that ends such a silence finds the task and ends it.
    """
    shape = Followed(config)
    if config.server.sweep_period_ms != "lazy":
        return dodged(Grid(shape, "orphans"))
    after = shape.windows.judge(stored())
    silence = V["now"] - V["last_contact"]
    known = [*shape.sane, *(clause.expr for clause in shape.windows.errors_bounded), WORKING]
    known.append(silence > shape.number("orphan_window") + shape.skew)
    ended = z3.Not(z3.And(after.status == STATUS["working"], z3.Not(after.gone)))
    return [Proof("timed: an access", (prove("an access ends a task that was silent for longer", known, ended),))]


def reached(config: Config, *, away: bool = False) -> list[Proof]:
    """Where the condition fails at some k, a run reaches a live orphan: from creation, and from any contact.

    The run takes the leg as slowly as it can, up to any instant of the interval. Together the runs, cut off in each
    part of a leg, cover the whole interval. That contacts come as early as c(k) is shown by `contacts_follow`.
    """
    shape = Followed(config)
    proofs = []
    for first in (True, False):
        if config.server.sweep_period_ms == "lazy":
            leaves = "restart_gap" in shape.system.parameters
            found = [
                any_legs(shape, first=first, failed=n, leaves=leaves, late=True) for n in range(shape.followed + 1)
            ]
        else:
            found = slow_legs(shape, first=first, away=away)
            proofs.append(_covered(shape, found, away=away))
        proofs += [_judged(shape, script, away=away) for script in found]
    if config.server.sweep_period_ms == "lazy":
        proofs.append(_sums(shape))
    return proofs


def reached_on_grid(config: Config) -> list[Proof]:
    """The same on a grid of sweeps: some phase puts a sweep at each instant of the interval.

    Beyond window + skew that holds for the first sweep after it, whose grid then reaches back to before it.
    """
    shape = Followed(config)
    grid = Grid(shape, "orphans")
    number, proofs = z3.Int("number"), []
    for first in (True, False):
        phase = PHASE if first else V["phase"]
        begin = ZERO if first else V["now"]
        sure = begin + shape.number("orphan_window") + shape.skew
        # Late sweeps, of which there is one at each instant after the lateness; and the first sweep before that.
        late = (phase + number * PERIOD + grid.lateness, [number >= 0, number < COUNT_MAX, phase > 0])
        early = (z3.Real("at"), [phase == 0, z3.Real("at") <= grid.lateness])
        for at, placed in (late, early):
            before = at - grid.lateness - PERIOD
            back = before < sure if shape.windows.inclusive else before <= sure
            placed += [phase >= 0, phase <= PERIOD, z3.Or(back, at <= grid.lateness)]
            proofs.append(_not_missed(grid, [*grid.sane, *placed, begin >= 0], begin, phase, at))
            for script in slow_legs(shape, first=first, at=at):
                given = [*grid.sane, *shape.schedule(*script.polls), *script.given, *_limits(shape, script), *placed]
                events: list[Event] = [*script.events, (at, "sweep", _errors(shape))]
                start = None if first else contact_state(shape)
                proofs.append(valid_run(grid.relaxed, [z3.And(given)], events, V["orphaned_live"], start=start))
    return proofs


def _not_missed(grid: Grid, known: list[Any], begin: Any, phase: Any, at: Any) -> Proof:
    """Up to the judgement time passes no sweep that must act: contact, phase and record stay as they are until then."""
    now, sure, number = z3.Real("some_instant"), z3.Real("sure"), z3.Int("number")
    nominal: Any = z3.ToReal(number)
    rounded = -z3.ToInt(-sure) >= number if grid.inclusive else z3.ToInt(sure) + 1 >= number
    before = nominal - 1 < sure if grid.inclusive else nominal - 1 <= sure
    stands = [(V["last_contact"], begin), (V["phase"], phase), (V["next_sweep"], z3.IntVal(0)), (V["now"], now)]
    placed = [sure == begin + grid.shape.number("orphan_window") + grid.shape.skew - phase, z3.Implies(before, rounded)]
    return Proof(
        "timed: no sweep is missed",
        (
            prove("what is more than a whole number rounds to no less", [before], rounded),
            *(
                prove(clause.label, [*known, *placed, now <= at], z3.substitute(clause.expr, *stands))
                for clause in grid.presses
            ),
        ),
    )


def _limits(shape: Followed, script: Script) -> list[Any]:
    """What is assumed of the instant of judgement: late enough, and before all that ends the task or the wait."""
    silence, reach = script.at - script.begin, shape.number("orphan_window") - shape.skew
    found = [silence >= reach if shape.windows.inclusive else silence > reach]
    found += [script.at <= cap.at if cap.closed else script.at < cap.at for cap in caps(shape, script.k)]
    if not script.first and shape.poller.limited():
        found.append(script.at <= V["give_up_at"])
    return found


def _judged(shape: Followed, script: Script, *, away: bool) -> Proof:
    harm = V["orphaned_away" if away else "orphaned_live"]
    known = [*shape.sane, *shape.schedule(*script.polls), *script.given, *_limits(shape, script)]
    if script.first and script.sent_after is not None and _from_handle(shape):
        known.append(script.sent_after <= shape.number("overall_timeout"))
    event = "tasks/get" if shape.config.server.sweep_period_ms == "lazy" else "sweep"
    events: list[Event] = [*script.events, (script.at, event, _errors(shape))]
    return valid_run(shape.system, [z3.And(known)], events, harm, start=None if script.first else contact_state(shape))


def _errors(shape: Followed) -> dict[str, Any]:
    """The clock error that makes the silence longest, and the others least harmful."""
    if not shape.windows.errors:
        return {}
    return {"error_created": -shape.skew, "error_contact": shape.skew, "error_anchor": -shape.skew}


def _covered(shape: Followed, found: list[Script], *, away: bool) -> Proof:
    """Every instant of the interval lies in the part of a leg in which some run is cut off."""
    k, begin, at = found[0].k, found[0].begin, found[0].at
    since = shape.latency.lo if away else ZERO
    known = [
        *shape.sane,
        *shape.schedule(*found[0].polls),
        k < COUNT_MAX - MANY,
        at >= begin + since,
        at <= begin + shape.longest(k),
    ]
    if away:
        slow = begin + shape.latency.hi
        known.append(z3.Real("reply") == z3.If(at < slow, at - begin, shape.latency.hi))
    somewhere = z3.Or([z3.And(list(script.given)) for script in found])
    return Proof("timed: parts of a leg", (prove("a run is cut off at each instant", known, somewhere),))


def _sums(shape: Followed) -> Proof:
    """A leg judged at its end: every length from its least to its greatest is one that its parts add up to."""
    k, leaves = z3.IntVal(1), "restart_gap" in shape.system.parameters
    totals = []
    for failed in range(shape.followed + 1):
        leg, found = shape.leg(k, failed), parts(shape, k, failed, first=True, leaves=leaves)
        low, high = z3.Sum([part.length.lo for part in found]), z3.Sum([part.length.hi for part in found])
        totals += [leg.lo == low, leg.hi + shape.restart == high]
    low, high, more, most, total = z3.Reals("low high more most total")
    part = z3.If(total - more < low, low, z3.If(total - more > high, high, total - more))
    sums = [low <= high, more <= most, total >= low + more, total <= high + most]
    fits = z3.And(part >= low, part <= high, total - part >= more, total - part <= most)
    return Proof(
        "timed: parts of a leg",
        (
            prove("parts add up to the leg", shape.sane, z3.And(totals)),
            prove("two parts add up to every length between", sums, fits),
        ),
    )
