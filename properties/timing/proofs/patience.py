"""`patience-covers-execution`: the condition is exact, for the client and the work alone.

With a a contact at or before the latest end E of the work, followed by poll k, g the client's limit in that run, and
w(k) the longest time until the reply to the next successful poll (or until errors in a row stop the client): the client
stops too early exactly when some run has g <= E, or g <= a + w(k).
"""

from typing import Any

import z3

from latchcheck.engines.obligations import Proof, prove
from latchcheck.engines.smt import Event, inductive, valid_run
from latchcheck.kernel import Clause
from latchcheck.model.config import Config
from latchcheck.model.timing.terms import CAUSE, CLIENT, SEEN, V

from .followed import Followed
from .recorded import FOLLOWED, R
from .scripts import ZERO, contact_state, crossed_legs, slow_legs


def _safe(shape: Followed) -> Any:
    """What is asked of a contact and of the limit of its run."""
    limit, contact = V["give_up_at"], R["leg_from"]
    read = contact + waited(shape, R["leg_poll"])
    return z3.And(shape.work_ends < limit, z3.Or(contact > shape.work_ends, read < limit))


def waited(shape: Followed, k: Any) -> Any:
    """Longest time from a contact before poll k until the reply to the next successful one: a limit can come first.

    So it can until the client's errors stop it, which may take longer.
    """
    read = shape.success(k) + shape.latency.hi
    if shape.stopping is None:
        return read
    noticed = shape.paused(k, shape.stopping).hi + shape.restart
    return z3.If(noticed > read, noticed, read)


def sees(config: Config) -> Proof:
    """Where the condition holds of every contact, no client stops before it has read the end."""
    shape = Followed(config)
    told = z3.And(V["client"] == CLIENT["hearing"], V["seen"] != SEEN["working"])
    known = [*shape.sane, *shape.schedule(*shape.polls_read()), *shape.contacts(R["leg_poll"])]
    known.append(z3.Implies(FOLLOWED, _safe(shape)))
    invariant = [
        *shape.standing(),
        *shape.unheard(),
        Clause(
            "a reply that tells it is early enough", z3.Implies(told, V["since"] + shape.latency.hi < V["give_up_at"])
        ),
        Clause("no record goes", z3.Not(V["gone"])),
        Clause("the work alone ends the task", z3.Or(V["cause"] == CAUSE["none"], V["cause"] == CAUSE["worker"])),
        Clause("nobody stops too early", z3.Not(V["gave_up_early"])),
    ]
    return inductive(shape.system, known, invariant, V["gave_up_early"])


def misses(config: Config) -> list[Proof]:
    """From any contact of which it does not hold, a run has the client stop while the end is not read yet."""
    shape = Followed(config)
    proofs = []
    for first in (True, False):
        limit = _limit(shape) if first else V["give_up_at"]
        start = None if first else contact_state(shape)
        for script in slow_legs(shape, first=first):
            # The limit comes while the work still runs.
            given = [script.at == limit, limit <= shape.work_ends]
            events = [*_called_slowly(shape, script.events, first=first), (script.at, "give_up", {})]
            proofs.append(_run(shape, [*script.given, *given], script.polls, events, start))
        begin = ZERO if first else V["now"]
        written: tuple[Any, Event] = (begin, (begin, "write_terminal", {}))
        work = [begin <= shape.work_ends, begin >= shape.number("execution_lo")]
        stop: tuple[Any, Event] = (limit, (limit, "give_up", {}))
        for script in slow_legs(shape, first=first):
            # The work ends at the contact, the limit comes before the next successful poll.
            events = list(_called_slowly(shape, script.events, first=first))
            events[1 if first else 0 : 1 if first else 0] = [written[1]]
            given = [*work, *script.given, script.at == limit]
            proofs.append(_run(shape, given, script.polls, [*events, (script.at, "give_up", {})], start))
        script = crossed_legs(shape, [written], first=first, ends=(None, "tasks/get", {}))[0]
        events = list(_called_slowly(shape, script.events, first=first))
        given = [*work, *script.given, limit >= script.until, limit <= script.until + shape.latency.hi]
        proofs.append(_run(shape, given, script.polls, [*events, stop[1]], start))
    return proofs


def _limit(shape: Followed) -> Any:
    """The limit of the written run: its call is slow, and so is its handle."""
    return shape.stop(call=shape.latency.hi, handle=shape.latency.hi)


def _called_slowly(shape: Followed, events: Any, *, first: bool) -> list[Event]:
    if not first:
        return list(events)
    return [(z3.RealVal(0), "create", {"call_latency": shape.latency.hi}), *list(events)[1:]]


def _run(shape: Followed, given: list[Any], polls: Any, events: list[Event], start: Any) -> Proof:
    known = [*shape.sane, *shape.schedule(*polls), *given]
    return valid_run(shape.system, [z3.And(known)], events, V["gave_up_early"], start=start)


def limits(config: Config) -> Proof:
    """A limit counted from the call is the earliest for a slow call, whatever the contacts are."""
    shape = Followed(config)
    call = z3.Real("call")
    known = [*shape.sane, call >= shape.latency.lo, call <= shape.latency.hi]
    earliest: Any = shape.stop(call=shape.latency.hi, handle=shape.latency.lo)
    no_earlier = earliest <= shape.stop(call=call, handle=call)
    return Proof("patience: the limit", (prove("no limit is earlier", known, no_earlier),))
