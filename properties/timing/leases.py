"""Leases: `lease-outlives-stall` and `recovery-inside-patience`.

The notation of the reference page in names: `timeout` is the lease's length, `step` the longest time from one renewal
to the next that a held lease allows.
"""

from collections.abc import Callable, Iterator

from latchcheck.kernel import Trace
from latchcheck.kernel.duration import told
from latchcheck.model.timing.lease import Event, run_lease, run_recovery
from latchcheck.model.timing.schedule import Ms

from .answers import Answer, NotApplicable, Outcome
from .facts import Facts

NO_LEASE = "no lease: server.lease_timeout is not set"
NO_LIMIT = 'no limit on the client\'s wait: client.overall_timeout is not set, nor ttl_mode = "give-up" with a ttl'
UNDECLARED = "no declared greatest execution time: workload.execution is not set, or open above"


# -- lease-outlives-stall -----------------------------------------------------------------------------------------


def lease_outlives_stall(facts: Facts) -> Outcome:
    """`lease-outlives-stall`: a worker that is alive never loses its lease.

    The lease must be longer than the time from one renewal to the next, the stall included, or longer than the work.
    At equality the expiry may come first.
    """
    server, stall = facts.config.server, facts.config.workload.stall_ms
    timeout, longest = server.lease_timeout_ms, facts.ends[1]
    if timeout is None:
        return NotApplicable(NO_LEASE)
    silence = None if server.lease_renewal_ms is None else server.lease_renewal_ms + stall
    needs = [need for need in (silence, longest) if need is not None]
    need = min(needs) if needs else None
    safe = need is not None and timeout > need
    return Answer(
        safe=safe,
        clause=_lease_clause(facts, timeout, silence),
        margin_ms=None if need is None else timeout - need,
        binding=_lease_binding(silence),
        runs=() if safe else iter([lambda: run_lease(facts.config, _lost(timeout))]),
        harm="overlap",
        reason=None if safe or silence is not None else _delivered(timeout, longest),
    )


def _lost(timeout: Ms) -> list[Event]:
    return [(timeout, "lease_expires", {}), (timeout, "redeliver", {})]


def _delivered(timeout: Ms, longest: Ms | None) -> str | None:
    """How often the task is delivered while its first worker runs, if no worker renews and each expiry redelivers."""
    if longest is None or timeout == 0:
        return None
    return f"while the first worker runs the task is delivered up to {deliveries(timeout, longest)} times"


def deliveries(timeout: Ms, longest: Ms) -> int:
    """Deliveries at 0, `timeout`, 2 `timeout`, ... up to the end of the first attempt, that instant included."""
    return int(longest // timeout) + 1


def _lease_clause(facts: Facts, timeout: Ms, silence: Ms | None) -> str:
    longest = facts.ends[1]
    work = "the work, which has no declared end" if longest is None else f"the work, which takes up to {told(longest)}"
    lease = f"the lease ({told(timeout)}) is longer than"
    if silence is None:
        return f"{lease} {work}: nothing renews it"
    renewal, stall = facts.config.server.lease_renewal_ms or 0, facts.config.workload.stall_ms
    late = f"{told(renewal)} and a stall of {told(stall)}, together {told(silence)}" if stall else told(silence)
    return f"{lease} the time from one renewal to the next ({late}) or than {work}"


def _lease_binding(silence: Ms | None) -> tuple[str, ...]:
    if silence is None:
        return ("server.lease_timeout_ms", "workload.execution_ms")
    return ("server.lease_timeout_ms", "server.lease_renewal_ms", "workload.stall_ms")


# -- recovery-inside-patience -------------------------------------------------------------------------------------


def recovery_inside_patience(facts: Facts) -> Outcome:
    """`recovery-inside-patience`: after a worker crash, redelivery and the work end inside the client's patience.

    The worst crash comes just after the latest renewal that can be: from there the lease runs its whole time, the
    next lease sweep is one period away, and the work is done again. At equality the client stops first.
    """
    server = facts.config.server
    timeout, longest = server.lease_timeout_ms, facts.ends[1]
    if timeout is None:
        return NotApplicable(NO_LEASE + ", so nothing redelivers a crashed attempt")
    if not facts.limited:
        return NotApplicable(NO_LIMIT)
    if longest is None:
        return NotApplicable(UNDECLARED)
    stop, _ = facts.stops()
    assert stop is not None
    renewed = last_renewal(facts, timeout, longest)
    done = renewed + timeout + (server.lease_sweep_ms or 0) + longest
    return Answer(
        safe=done < stop,
        clause=(
            f"the client waits ({told(stop)} after creation at least) longer than until the work is done again, "
            f"which is {told(done)}: last renewal {told(renewed)}, lease {told(timeout)}, "
            f"lease sweep {told(server.lease_sweep_ms or 0)}, work {told(longest)}"
        ),
        margin_ms=stop - done,
        binding=(_patience(facts, stop), "server.lease_timeout_ms"),
        runs=() if done < stop else _recoveries(facts, timeout, longest, stop),
        harm="recovery_missed",
    )


def _patience(facts: Facts, stop: Ms) -> str:
    """The limit that stops the client first."""
    if facts.give_up_ttl_ms is None or stop < facts.give_up_ttl_ms:
        return "client.overall_timeout_ms"
    requested = facts.config.server.honours_requested_ttl and facts.config.client.requested_ttl_ms is not None
    return "client.requested_ttl_ms" if requested else "server.advertised_ttl_ms"


def step(facts: Facts, timeout: Ms) -> Ms | None:
    """The longest time from one renewal to the next that a held lease allows; None where there is no renewal at all.

    A lease shorter than the renewal interval expires before the first renewal, and no renewal brings it back.
    """
    renewal = facts.config.server.lease_renewal_ms
    if renewal is None or timeout < renewal:
        return None
    return min(renewal + facts.config.workload.stall_ms, timeout)


def last_renewal(facts: Facts, timeout: Ms, longest: Ms) -> Ms:
    """The latest renewal that a crash can follow; without renewals, the grant of the lease at 0.

    In work of up to `longest` there are at most floor(longest / renewal) renewals, each at most `step` after the one
    before.
    """
    reach = step(facts, timeout)
    if reach is None:
        return 0
    renewal, stall = facts.config.server.lease_renewal_ms or 0, facts.config.workload.stall_ms
    if renewal == 0:
        return longest if reach > 0 or stall == 0 else 0
    return min(longest, longest // renewal * reach)


def _recoveries(facts: Facts, timeout: Ms, longest: Ms, stop: Ms) -> Iterator[Callable[[], Trace]]:
    """Runs in which the limit comes before the end of the second attempt, the fewest events first.

    Each needs the last renewal at a certain instant or later: late enough for the work, for the redelivery, or for the
    expiry itself to come after the limit.
    """
    sweep, latest = facts.config.server.lease_sweep_ms or 0, last_renewal(facts, timeout, longest)
    stops = max(stop, 0)
    scripts = []
    for after in (longest + sweep + timeout, sweep + timeout, timeout):
        need = max(0, stops - after)
        if need <= latest:
            scripts.append(_recovery(facts, timeout, need, stops))
    for events in sorted(scripts, key=len):
        yield lambda events=events: run_recovery(facts.config, events)


def _recovery(facts: Facts, timeout: Ms, need: Ms, stops: Ms) -> list[Event]:
    """A crash just after a last renewal at `need` or as soon after it as renewals allow."""
    client, (low, high) = facts.config.client, facts.latency
    from_handle = client.overall_timeout_ms is not None and client.overall_timeout_from == "handle"
    events: list[Event] = [(0, "create", {"latency": low if from_handle else high})]
    renewed = _renewals(facts, timeout, need, events)
    events.append((renewed, "crash", {}))
    expires = renewed + timeout
    redelivered = expires + (facts.config.server.lease_sweep_ms or 0)
    if expires < stops:
        events.append((expires, "lease_expires", {}))
    if redelivered < stops:
        events.append((redelivered, "redeliver", {}))
    events.append((stops, "give_up", {}))
    return events


def _renewals(facts: Facts, timeout: Ms, need: Ms, events: list[Event]) -> Ms:
    """Add the fewest renewals after which the last one comes at `need` or later; return its instant."""
    renewal = facts.config.server.lease_renewal_ms or 0
    reach = step(facts, timeout)
    if need == 0 or reach is None:
        return 0
    if reach == 0 or renewal + facts.config.workload.stall_ms == 0:
        return need
    count = int(-(-need // reach))
    renewed = max(need, count * renewal)
    if count == 1:
        events.append((renewed, "renew_lease", {}))
    else:
        events.append((0, "renew_leases", {"count": count, "until": renewed}))
    return renewed
