"""The ttl against the work: `ttl-covers-execution`.

Live work is expired exactly when the expiry pass can find the task working: at an instant t with
ttl - skew <= t (counted from the anchor) <= the end of the declared execution, no other pass having ended it before.
Under anchor `activity` the question is one of silence: the ttl against the time since the last contact.
"""

from collections.abc import Callable, Iterator

from latchcheck.kernel import Trace
from latchcheck.kernel.duration import told
from latchcheck.model.config import Config
from latchcheck.model.timing.legs import Legs
from latchcheck.model.timing.schedule import Ms, Span
from latchcheck.model.timing.script import Cut, Leg, Rounds, Script

from .answers import NO_POLLER, Answer, NotApplicable, Outcome
from .bounds import Upper, earliest, instant_between
from .contacts import Contact, complete, contacts, pieces, success, ways
from .facts import Facts
from .orphan import harmful_errors, limit_of_run, phase_for


def ttl_covers_execution(facts: Facts) -> Outcome:
    """`ttl-covers-execution`: live work inside its declared execution time is never expired."""
    if facts.ttl_ms is None:
        return NotApplicable("no enforced ttl: server.advertised_ttl and server.enforced_ttl are not set")
    if not facts.execution_declared:
        return NotApplicable("no declared execution time: workload.execution is not set")
    if not facts.running_expires:
        return Answer(safe=True, clause="a task that is not terminal never expires", binding=facts.ttl_knobs)
    if facts.legs is None and (facts.anchor == "activity" or facts.lazy):
        return NotApplicable(NO_POLLER)
    facts = facts if facts.legs is not None else Facts(_whoever_polls(facts))
    legs = facts.legs
    assert legs is not None
    if facts.anchor == "activity":
        return _by_silence(facts, legs)
    end = facts.ends[1]
    limit = earliest((Upper(end), _others(facts)))
    if facts.lazy:
        limit = _last_access(legs, limit)
    safe = not limit.leaves(max(0, facts.ttl - facts.skew_ms))
    reach = "which has no bound" if limit.at is None else f"which ends {told(limit.at)} after creation"
    return Answer(
        safe=safe,
        clause=f"the ttl ({told(facts.ttl)} from creation) is longer than live work, {reach}",
        margin_ms=None if limit.at is None else facts.ttl - facts.skew_ms - limit.at,
        binding=facts.ttl_knobs,
        runs=_runs(facts, legs, limit) if not safe else (),
        harm="expired_live",
        config=facts.config,
    )


def _whoever_polls(facts: Facts) -> Config:
    """The configuration where nobody said how the client polls: a ttl from creation does not ask.

    The client polls too rarely to matter, and what its silence would set off is left out.
    """
    rarely = int(facts.horizon_ms)
    return facts.config.replace(
        {
            "client.initial_delay_ms": rarely,
            "client.max_delay_ms": rarely,
            "client.multiplier": 1,
            "client.hint_mode": "ignore",
            "client.ttl_mode": "ignore",
            "client.overall_timeout_ms": None,
            "server.orphan_window_ms": None,
        }
    )


def _others(facts: Facts) -> Upper:
    """Latest instant at which the expiry pass can find the task working, for all that the other passes do."""
    # A client that stopped sends nothing more, so the orphans pass ends its task in bounded time.
    _, stop = facts.stops()
    quiet = facts.alive_until("expiry", last_contact=stop) if stop is not None else facts.alive_until("expiry")
    # Lazily judged tasks expire at an access, and nobody accesses a task after its client stopped.
    return earliest((quiet, Upper(facts.last_arrival_ms))) if facts.lazy else quiet


def _last_access(legs: Legs, limit: Upper) -> Upper:
    """The last access that keeps to a limit: only an access expires anything where sweeps are lazy."""
    if limit.at is None or not complete(legs):
        return limit
    step = success(legs, legs.steady) or limit.at
    found = [contact for contact in contacts(legs, max(0, limit.at - step), limit.at) if contact.parts]
    instants = [contact.hi for contact in found if limit.admits(contact.hi)]
    if any(contact.lo < limit.at and not limit.admits(contact.hi) for contact in found):
        return limit
    return Upper(max(instants)) if instants else Upper(-1)


def _by_silence(facts: Facts, legs: Legs) -> Outcome:
    kept = facts.ttl - facts.skew_ms
    worst = _silent(facts, legs)
    safe = worst is not None and worst < kept
    return Answer(
        safe=safe,
        clause=(
            f"the ttl ({told(facts.ttl)} since the last contact) is longer than the longest silence under live "
            f"work, {'which has no bound' if worst is None else 'which is ' + told(worst)}"
        ),
        margin_ms=None if worst is None else kept - worst,
        binding=facts.ttl_knobs,
        runs=_silent_runs(facts, legs) if not safe else (),
        harm="expired_live",
    )


def _silent(facts: Facts, legs: Legs) -> Ms | None:
    """The longest silence under live work, before or after the client stopped (None: no bound)."""
    worst: Ms = 0
    first, _ = facts.stops()
    for k, start, _ in legs.starts():
        longest = legs.longest(k)
        limit = earliest((Upper(facts.ends[1]), facts.alive_until("expiry", last_contact=start)))
        polled = limit if longest is None else earliest((limit, Upper(start + longest)))
        if facts.lazy:
            polled = earliest((polled, Upper(facts.last_arrival_ms)))
        if polled.at is None:
            return None
        if polled.admits(start):
            worst = max(worst, polled.at - start)
        if (first is None and not legs.failures_can_stop) or facts.lazy:
            continue
        # The client may stop for good: after its failures at any time, at its limit while a poll is still to come.
        left = start
        if first is not None and longest is not None and not legs.failures_can_stop:
            left = max(start, _last_before(legs, first, longest))
        if limit.at is None:
            return None
        if limit.admits(left):
            worst = max(worst, limit.at - left)
    return worst


def _last_before(legs: Legs, stop: Ms, longest: Ms) -> Ms:
    """The earliest contact that can be the last before the client stops."""
    return min(
        (
            max(piece.lo, stop - (piece.follows_ms or longest))
            for piece in pieces(legs, max(0, stop - longest), stop)
            if piece.hi is None or piece.follows_ms is None or piece.hi + piece.follows_ms >= stop
        ),
        default=stop,
    )


def _runs(facts: Facts, legs: Legs, limit: Upper) -> Iterator[Callable[[], Trace]]:
    due = max(0, facts.ttl - facts.skew_ms)
    instants = [instant_between(due, limit)]
    if facts.lazy:
        top = limit.at if limit.at is not None else due + (success(legs, legs.steady) or 0) + 1
        instants = sorted({contact.lo for contact in contacts(legs, due, top) if contact.parts})
    elif limit.at is not None and limit.closed and limit.at not in instants:
        instants.append(limit.at)
    for at in instants:
        yield from _expired_at(facts, legs, at)


def _expired_at(facts: Facts, legs: Legs, at: Ms) -> Iterator[Callable[[], Trace]]:
    step = legs.leg(legs.steady, legs.failures_followed).hi
    step = facts.horizon_ms if step is None else step + legs.schedule.restart_ms
    _, stop = limit_of_run(facts)
    if stop is not None and stop < at and not facts.lazy:
        yield from _expired_after_stop(facts, legs, stop, at)
    for contact in sorted(contacts(legs, max(0, at - step), at), key=lambda found: len(found.parts)):
        for begin in sorted({contact.lo, contact.hi}):
            for failed in range(legs.failures_followed + 1):
                span = legs.leg(contact.k, failed)
                restart = 0 if contact.restart_used else legs.schedule.restart_ms
                if facts.lazy and (begin + span.lo > at or (span.hi is not None and begin + span.hi + restart < at)):
                    continue
                longest = at - begin if facts.lazy else at - begin + 1 if span.hi is None else span.hi + restart
                leg = Leg(contact.k, failed, longest, away=_beyond(longest, span))
                for way in ways(contact, begin):
                    yield _execution(facts, legs, (*way, leg), begin, at)


def _expired_after_stop(facts: Facts, legs: Legs, stop: Ms, at: Ms) -> Iterator[Callable[[], Trace]]:
    """Runs in which the client has given up before live work is expired."""
    for contact in _before(legs, stop):
        for begin in sorted({contact.lo, contact.hi}):
            span = legs.leg(contact.k)
            leg = Leg(contact.k, 0, stop - begin + 1 if span.hi is None else span.hi)
            for way in ways(contact, begin):
                yield _execution(facts, legs, (*way, leg), begin, at)


def _before(legs: Legs, stop: Ms) -> list[Contact]:
    step = success(legs, legs.steady)
    step = stop if step is None else step
    return sorted(contacts(legs, max(0, stop - step), stop), key=lambda found: len(found.parts))


def _silent_runs(facts: Facts, legs: Legs) -> Iterator[Callable[[], Trace]]:
    kept = max(0, facts.ttl - facts.skew_ms)
    for k, start, failures in legs.starts():
        parts, index = [], 1
        for failed in failures:
            parts.append((index, failed, 1, legs.leg(index, failed)))
            index += failed + 1
        contact = Contact(start, start, k, tuple(parts), restart_used=False)
        for failed in range(legs.failures_followed + 1):
            span = legs.leg(k, failed)
            longest = None if span.hi is None else span.hi + legs.schedule.restart_ms
            at = start + (max(kept, span.lo) if facts.lazy else kept)
            if longest is not None and start + longest < at:
                continue
            length = at - start if facts.lazy else at - start + 1 if longest is None else longest
            leg = Leg(k, failed, length, away=_beyond(length, span))
            yield _execution(facts, legs, (*contact.legs_to(start), leg), start, at)
        if legs.failures_can_stop and not facts.lazy:
            yield _stopped_by_failures(facts, legs, contact, start + kept)
    _, stop = limit_of_run(facts)
    if stop is None or facts.lazy:
        return
    for contact in _before(legs, stop):
        for begin in sorted({contact.lo, contact.hi}):
            span = legs.leg(contact.k)
            leg = Leg(contact.k, 0, stop - begin + 1 if span.hi is None else span.hi)
            for way in ways(contact, begin):
                yield _execution(facts, legs, (*way, leg), begin, begin + kept)


def _stopped_by_failures(facts: Facts, legs: Legs, contact: Contact, at: Ms) -> Callable[[], Trace]:
    """A run in which `max_consecutive_errors` ends the polling, and the silence after it is long enough."""
    failed = legs.schedule.errors_max or 0
    noticed = contact.lo + legs.until_noticed(contact.k, failed).lo
    leg = Leg(contact.k, failed, legs.leg(contact.k, failed).lo)
    taken = (*contact.legs_to(contact.lo), leg)
    return _execution(facts, legs, taken, contact.lo, at, until=min(noticed, at))


def _beyond(length: Ms, span: Span) -> bool:
    return span.hi is not None and length > span.hi


def _execution(
    facts: Facts,
    legs: Legs,
    taken: tuple[Leg | Rounds, ...],
    begin: Ms,
    at: Ms,
    *,
    until: Ms | None = None,
) -> Callable[[], Trace]:
    """The run in which these legs are taken, up to `until`, and live work expires at `at`."""
    late = harmful_errors(facts, "error_anchor")
    handle, stop = limit_of_run(facts)
    stopped = until is not None
    # Lazily the access itself is needed: a poll that was on its way when the client stopped.
    until = until if until is not None else at if stop is None or facts.lazy else min(stop, at)
    cuts = []
    if stop is not None and stop < at and not stopped:
        cuts.append(Cut(stop, "give_up", before=not facts.lazy))
    if not facts.lazy:
        cuts.append(Cut(at, "sweep", late, before=at > begin))

    def run() -> Trace:
        script = Script(
            legs=legs,
            taken=taken,
            cuts=cuts,
            until_ms=until,
            keep_last=facts.lazy or at == begin or stopped,
            handle_ms=handle,
            call_latency_ms=facts.latency[0],
            phase_ms=phase_for(facts, at),
            access=harmful_errors(facts) if facts.lazy else {},
            last_access=late if facts.lazy else None,
        )
        return script.run(facts.config)

    return run
