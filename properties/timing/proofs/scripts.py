"""Runs of the symbolic timed system: one leg from creation or from any contact, cut off in any part of it.

A contact that the client hears of is a state like any other of its kind: the record says which poll follows. From it a
leg of any allowed length leads to the next such state, so contacts are reached by induction on their number.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement, pairwise
from typing import Any

import attrs
import z3

from latchcheck.engines.obligations import Proof
from latchcheck.engines.smt import Event, valid_run
from latchcheck.kernel import Clause
from latchcheck.model.config import Config
from latchcheck.model.timing.terms import CLIENT, COUNT_MAX, FATE, SEEN, STATUS, V

from .followed import DELAY, Followed
from .recorded import R, Range

ZERO = z3.RealVal(0)
K: Any = z3.Int("k")
"""Number of the poll that follows the contact a run begins with."""


@attrs.frozen
class Script:
    """One leg from the contact at `begin`, followed by poll `k`, up to `at`, which lies from `since` to `until`.

    `sent_after` is how long after the handle its last poll arrives at least.
    """

    first: bool
    k: Any
    begin: Any
    at: Any
    since: Any
    until: Any
    events: Sequence[Event]
    given: Sequence[Any] = ()
    polls: Sequence[Any] = ()
    sent_after: Any = None


def contact_state(shape: Followed) -> list[Clause]:
    """A successful `tasks/get` of a working task has just arrived: its reply is about to travel."""
    exact = {
        "client": V["client"] == CLIENT["hearing"],
        "what it tells": V["seen"] == SEEN["working"],
        "fate": V["poll_fate"] == FATE["answered"],
        "instant": z3.And(
            V["now"] >= 0, V["since"] == V["now"], V["last_contact"] == V["now"], R["leg_from"] == V["now"]
        ),
        "task": z3.And(V["status"] == STATUS["working"], z3.Not(V["gone"]), V["next_sweep"] == 0),
        "delay": V["nominal"] == DELAY(R["leg_poll"]),
        "number": z3.And(R["next_poll"] == R["leg_poll"], R["leg_poll"] > 1),
        "failures": z3.And(V["failures"] >= 0, V["failures"] <= shape.failures),
        "presence": z3.Not(z3.Or(V["away_used"], V["away"], V["away_now"])),
        "harm": z3.Not(z3.Or(V["outcome_lost"], V["gave_up_early"])),
    }
    return [Clause(f"a contact: {', '.join(exact)}", z3.And(list(exact.values())))]


# -- a leg, part by part ------------------------------------------------------------------------------------------


@attrs.frozen
class Part:
    """One stretch between two events of the client: the event that begins it (none: the contact), and its length."""

    begins_with: tuple[tuple[str, Mapping[str, Any]], ...]
    length: Range


def parts(shape: Followed, k: Any, failed: int, *, first: bool, leaves: bool, ends: bool = True) -> list[Part]:
    """The parts of a leg with so many failing polls; with `ends` false it breaks off before the last is noticed."""
    heard = [("handle_arrives" if first else "reply_arrives", {})]
    gap = shape.gap(k)
    if leaves:
        heard.append(("leave", {}))
        gap = Range(gap.lo, gap.hi + shape.restart)
    found = [Part((), shape.latency), Part(tuple(heard), gap)]
    fates = bool(shape.failures)
    noticed = Range(shape.timeout, shape.timeout)
    for one in range(1, failed + 1):
        found.append(Part((("poll", {"fate": "request_lost"}),), noticed))
        if one < failed or ends:
            found.append(Part((("failure_noticed", {}),), shape.error_gap(k + one, one)))
    if ends:
        found.append(Part((("poll", {"fate": "answered"} if fates else {}),), shape.latency))
    return found


PHASE: Any = z3.Real("sweep_phase_chosen")
"""The phase of the sweeps, where there is a grid of them."""


def creation(shape: Followed) -> Event:
    """A call as quick as can be, which makes its client's limit the latest."""
    phase = {"sweep_phase": PHASE} if "sweep_period" in shape.system.parameters else {}
    return (ZERO, "create", {"call_latency": shape.latency.lo, **phase})


def _origin(first: bool) -> tuple[Any, Any]:  # noqa: FBT001 - one of two
    return (z3.IntVal(1), ZERO) if first else (R["leg_poll"], V["now"])


def _reads(shape: Followed, k: Any) -> list[Any]:
    return [k + one for one in range(shape.failures + 2)]


def slow_legs(shape: Followed, *, first: bool, away: bool = False, at: Any = None) -> list[Script]:
    """A leg as slow as it can be, cut off at any instant: one script for each part in which that instant lies.

    With `away` the client has left by then, and only the reply may be quick, so that it leaves as soon as it can.
    `at` is the instant, where it is not left open.
    """
    k, begin = _origin(first)
    at, leaves = z3.Real("at") if at is None else at, "restart_gap" in shape.system.parameters
    kinds = [parts(shape, k, shape.followed, first=first, leaves=leaves)]
    if shape.stopping is not None:
        kinds.append(parts(shape, k, shape.stopping, first=first, leaves=leaves, ends=False))
    found = []
    for number, kind in enumerate(kinds):
        events: list[Event] = [creation(shape)] if first else []
        given: list[Any] = []
        since = begin
        for index, part in enumerate(kind):
            events += [(since, name, args) for name, args in part.begins_with]
            length = part.length.hi
            if away and index == 0:
                # It leaves at that very instant, or after a slow reply.
                length = z3.Real("reply")
                soon = at - begin
                given += [length == z3.If(soon < part.length.hi, soon, part.length.hi), soon >= part.length.lo]
            until = since + length
            # What both kinds have in common is told once.
            if not (away and index == 0) and not (number and index < len(kind) - 1):
                cut = [at >= since, at <= until]
                cut.append(k < COUNT_MAX - len(kind))
                found.append(Script(first, k, begin, at, since, until, tuple(events), (*given, *cut), _reads(shape, k)))
            since = until
    return found


def crossed_legs(shape: Followed, cuts: Sequence[tuple[Any, Event]], *, first: bool, ends: Event) -> list[Script]:
    """A leg to a successful poll as slow as it can be, with other events at their instants, in order, in any parts.

    `cuts` are instants, each with its event, one after the other; `ends` is the event of the poll's arrival.
    One script for each way in which the instants can lie in parts of the leg; `until` is the arrival.
    """
    k, begin = _origin(first)
    leaves = "restart_gap" in shape.system.parameters
    kind = parts(shape, k, shape.followed, first=first, leaves=leaves)
    found = []
    for places in combinations_with_replacement(range(len(kind)), len(cuts)):
        if places[0] and cuts[0][0] is begin:
            continue  # what happens at the contact itself lies in the first part
        events: list[Event] = [creation(shape)] if first else []
        given: list[Any] = [k < COUNT_MAX - len(kind)]
        since = begin
        for index, part in enumerate(kind):
            events += [(since, name, args) for name, args in part.begins_with]
            until = since + part.length.hi
            for place, (at, event) in zip(places, cuts, strict=True):
                if place == index:
                    events.append((at, *event[1:]))
                    given += [at >= since, at <= until]
            since = until
        given += [before <= after for (before, _), (after, _) in pairwise(cuts)]
        events.append((since, *ends[1:]))
        found.append(Script(first, k, begin, since, begin, since, tuple(events), tuple(given), _reads(shape, k)))
    return found


def any_legs(shape: Followed, *, first: bool, failed: int, leaves: bool, late: bool = False) -> Script:
    """A leg of any allowed length: `at` is when its last poll arrives, which is left to the caller.

    With `late` the handle comes as late as that allows, where the client's limit counts from it.
    """
    k, begin = _origin(first)
    at, since = z3.Real("at"), begin
    events: list[Event] = [creation(shape)] if first else []
    kind = parts(shape, k, failed, first=first, leaves=leaves)
    given = [k < COUNT_MAX - len(kind)]
    if first and late and shape.config.client.overall_timeout_from == "handle":
        # The later the handle, the later the limit.
        rest = at - (shape.leg(k, failed).lo - shape.latency.lo)
        given.append(z3.Real("part_0") == z3.If(rest < shape.latency.hi, rest, shape.latency.hi))
    for index, part in enumerate(kind):
        events += [(since, name, args) for name, args in part.begins_with]
        length = z3.Real(f"part_{index}")
        given += [length >= part.length.lo, length <= part.length.hi]
        since = since + length
    given.append(at == since)
    after = shape.leg(k, failed).lo - shape.latency.lo
    return Script(first, k, begin, at, since, since, tuple(events), tuple(given), _reads(shape, k), after)


# -- contacts, one after the other --------------------------------------------------------------------------------


def contacts_follow(config: Config) -> list[Proof]:
    """A leg of any allowed length leads from creation, or from any contact, to the next contact.

    So every chain of legs is a run while the task works and the client waits; and one of least legs has its contacts
    at the earliest. Lazily judged, no access finds a silence that it must act on.
    """
    shape = Followed(config)
    lazy = config.server.sweep_period_ms == "lazy"
    errors = {choice.name: -shape.skew for choice in shape.windows.errors} if lazy else {}
    # The call was as quick, and the handle came, as the script says: the limit may be the latest.
    stop = shape.stop(call=shape.latency.lo, handle=z3.Real("part_0"))
    proofs = []
    for first in (True, False):
        for failed in range(shape.followed + 1):
            script = any_legs(shape, first=first, failed=failed, leaves=False)
            begin = z3.Real("begin")
            known = [*shape.sane, *shape.schedule(*script.polls), *script.given, script.at <= COUNT_MAX]
            if shape.work_ends is not None:
                known.append(script.at <= shape.work_ends)
            if shape.poller.limited():
                known.append(script.at <= (stop if first else V["give_up_at"]))
            if lazy:
                known += _left_alone(shape, script)
            arrived = z3.And([clause.expr for clause in contact_state(shape)])
            number: Any = z3.IntVal(1) if first else K
            goal = z3.And(arrived, R["leg_poll"] == number + failed + 1, V["now"] == script.at)
            if stop is not None:
                goal = z3.And(goal, V["give_up_at"] == stop)
            events = [*script.events, (script.at, "tasks/get", errors)]
            start = None
            if not first:
                here = Clause("a contact", z3.And(R["leg_poll"] == K, V["now"] == begin))
                start = [*contact_state(shape), here]
                goal = z3.And(arrived, R["leg_poll"] == K + failed + 1)
            proofs.append(valid_run(shape.system, [z3.And(known)], events, goal, start=start))
    return proofs


def _left_alone(shape: Followed, script: Script) -> list[Any]:
    """That the access at the end of a leg finds nothing it must act on."""
    found = []
    for name, instant, follows, inclusive in shape.windows.limits_while_working():
        limit = instant if not follows else instant - V["last_contact"] + script.begin
        limit = z3.substitute(limit, (V["last_contact"], script.begin))
        found.append(script.at < limit if inclusive else script.at <= limit)
        del name
    return found
