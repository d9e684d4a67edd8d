"""Silence against the orphan window: `no-live-orphan` and the properties that ask it of another client.

A live orphan is a task reclaimed by the orphans pass while its client still follows its schedule. It exists exactly
when some silence, started early enough, lasts beyond the window: for some poll k, with c the earliest contact before
it, an instant t lies in (c + window - skew, min(c + longest silence, everything that ends the task or the wait)].
"""

from collections.abc import Callable, Iterator

import attrs

from latchcheck.kernel import Trace
from latchcheck.kernel.duration import told
from latchcheck.model.config import Config
from latchcheck.model.timing.legs import Legs
from latchcheck.model.timing.schedule import Ms
from latchcheck.model.timing.script import Cut, Leg, Script

from .answers import NO_POLLER, Answer, NotApplicable, Outcome
from .bounds import Upper, earliest, instant_between
from .facts import Facts

WINDOW = ("server.orphan_window_ms",)


@attrs.frozen
class Silence:
    """A silence that can be judged: from the contact at `start`, before poll `k`, with `failed` polls failing in it.

    `until` is the last instant at which it can be judged while the client follows and the task works; `since` the
    first, where the judgement needs an access (lazy) and so cannot come before it.
    """

    k: int
    failed: int
    start: Ms
    failures_before: tuple[int, ...]
    since: Ms
    until: Upper


def silences(facts: Facts, *, away: bool = False) -> Iterator[Silence]:
    """Every kind of silence, each from the earliest contact it can start at; with `away` the client leaves in it."""
    legs = facts.legs
    assert legs is not None
    for k, start, failures in legs.starts():
        if facts.ends[1] is not None and start > facts.ends[1]:
            return
        # Only the handle's own way back can still be slow when the silence is the first.
        stop = _stop(facts, first=k == 1)
        alive = facts.alive_until("orphans", last_contact=start)
        if facts.lazy and k > 1 and not _alive_at_access(facts, start):  # the creation is no access that judges
            continue
        for failed in range(legs.failures_followed + 1) if facts.lazy else (None,):
            if failed is None:
                # A client can leave as soon as the reply has arrived.
                longest, since = legs.longest(k), start + facts.latency[0] if away else start
            else:
                span = legs.leg(k, failed)
                longest = None if span.hi is None else span.hi + legs.schedule.restart_ms
                since = start + span.lo
                if k == 1 and not _sent(facts, span.lo):
                    continue
            caps = [alive, Upper(facts.ends[1]), Upper(stop)]
            if longest is not None and not (legs.grows_on and k >= legs.steady):
                caps.append(Upper(start + longest))
            until = earliest(caps)
            if until.leaves(since):
                yield Silence(k, legs.failures_followed if failed is None else failed, start, failures, since, until)


def _stop(facts: Facts, *, first: bool) -> Ms | None:
    """Latest instant at which the client still follows, given that the contact before was as early as can be."""
    _, last = facts.stops()
    client, (low, high) = facts.config.client, facts.latency
    if last is None or client.overall_timeout_ms is None or client.overall_timeout_from == "call" or first:
        return last
    return min(last, client.overall_timeout_ms + low) if high != low else last


def _sent(facts: Facts, least_ms: Ms) -> bool:
    """Whether the first silence can end in an access at all before a limit that counts from the handle.

    The limit starts with the reply that the silence starts with, however long that reply takes.
    """
    client = facts.config.client
    if client.overall_timeout_ms is None or client.overall_timeout_from == "call":
        return True
    return least_ms - facts.latency[0] <= client.overall_timeout_ms


def _alive_at_access(facts: Facts, start: Ms) -> bool:
    """Whether the access at `start` itself can leave the task alone, sweeps being lazy."""
    skew = facts.skew_ms
    if facts.deadline_ms is not None and start > facts.deadline_ms + skew:
        return False
    creation = facts.anchor in ("creation", "creation-then-terminal")
    return not (facts.running_expires and creation and start >= facts.ttl + skew)


def no_live_orphan(facts: Facts, harm: str = "orphaned_live") -> Outcome:
    """`no-live-orphan`: a task whose client still follows its polling schedule is never reclaimed as an orphan."""
    if facts.window_ms is None:
        return NotApplicable("no orphan window: server.orphan_window is not set")
    legs = facts.legs
    if legs is None:
        return NotApplicable(NO_POLLER)
    away = harm == "orphaned_away"
    worst: Ms | None = None
    unbounded, harmful = False, []
    for silence in silences(facts, away=away):
        if silence.until.at is None:
            unbounded = True
        else:
            reach = silence.until.at - silence.start + facts.skew_ms
            worst = reach if worst is None else max(worst, reach)
        if judged(facts, silence) is not None:
            harmful.append(silence)
    return Answer(
        safe=not harmful,
        clause=_clause(facts, worst, unbounded=unbounded),
        margin_ms=None if unbounded or worst is None else facts.window - worst,
        binding=WINDOW,
        runs=_runs(facts, legs, harmful, away=away),
        harm=harm,
        config=facts.config,
    )


def _clause(facts: Facts, worst: Ms | None, *, unbounded: bool) -> str:

    comparison = "longer than" if facts.window_inclusive else "at least as long as"
    if unbounded:
        reach = "has no bound"
    elif worst is None:
        reach = "cannot be judged at all"
    else:
        reach = f"is {told(worst)}" + (" with the clocks' skew" if facts.skew_ms else "")
    return (
        f"the orphan window ({told(facts.window)}) is {comparison} the longest silence that can be judged, "
        f"which {reach}"
    )


def judged(facts: Facts, silence: Silence) -> Ms | None:
    """The earliest instant at which a judgement finds this silence too long, or None."""
    lower = silence.start + facts.window - facts.skew_ms
    closed = facts.window_inclusive
    if lower < silence.since:
        lower, closed = silence.since, True
    if not silence.until.leaves(lower, closed=closed):
        return None
    return instant_between(lower, silence.until, closed=closed)


def _events(silence: Silence) -> int:
    return 3 * len(silence.failures_before) + 2 * sum(silence.failures_before) + 2 * silence.failed


def _runs(facts: Facts, legs: Legs, harmful: list[Silence], *, away: bool) -> Iterator[Callable[[], Trace]]:
    for silence in sorted(harmful, key=_events):
        for failed in range(silence.failed + 1 + (legs.failures_can_stop and not facts.lazy)):
            for leaves in (True,) if away else (False, True) if legs.schedule.restart_ms else (False,):
                for script in _scripts(facts, legs, silence, failed, leaves=leaves):
                    yield lambda script=script: script.run(facts.config)


def _scripts(facts: Facts, legs: Legs, silence: Silence, failed: int, *, leaves: bool) -> Iterator[Script]:
    """Runs in which this silence is judged, with `failed` polls failing in it; none where it is too short for that."""
    at = judged(facts, silence)
    assert at is not None
    span = legs.leg(silence.k, failed)
    longest = None if span.hi is None else span.hi + (legs.schedule.restart_ms if leaves else 0)
    if facts.lazy and failed != silence.failed:
        return
    if failed < legs.failures_followed and longest is not None and silence.start + longest < at:
        return
    taken, k = [], 1
    for before in silence.failures_before:
        taken.append(Leg(k, before, legs.leg(k, before).lo))
        k += before + 1
    length = at - silence.start if longest is None or facts.lazy else longest
    taken.append(Leg(silence.k, failed, length, away=leaves))
    errors = harmful_errors(facts, "error_contact")
    first = silence.k == 1 and not silence.failures_before
    slow = facts.config.client.overall_timeout_from == "handle" and first and facts.latency[0] != facts.latency[1]
    for handle in (None, min(facts.latency[1], at)) if slow else (None,):
        script = Script(
            legs=legs,
            taken=taken,
            cuts=() if facts.lazy else (Cut(at, "sweep", errors, before=not leaves or at > silence.start),),
            until_ms=at,
            keep_last=facts.lazy or leaves,
            call_latency_ms=facts.latency[0],
            phase_ms=phase_for(facts, at),
            access=harmful_errors(facts) if facts.lazy else {},
            last_access=errors if facts.lazy else None,
            handle_ms=handle,
        )
        yield script


def harmful_errors(facts: Facts, *late: str) -> dict[str, Ms]:
    """Clock errors of one judgement: the readings in `late` too long by the skew, the others too short by it."""
    if not facts.skew_ms:
        return {}
    names = ("error_created", "error_contact", "error_anchor")
    return {name: facts.skew_ms if name in late else -facts.skew_ms for name in names}


def phase_for(facts: Facts, at: Ms, late: Ms | None = None) -> Ms | None:
    """A phase with which a sweep falls on `at`, as late as a sweep may be, so that the one before lies far back."""
    if facts.period_ms is None:
        return None
    nominal = max(0, at - (facts.lateness_ms if late is None else late))
    return nominal % facts.period_ms


def limit_of_run(facts: Facts) -> tuple[Ms | None, Ms | None]:
    """When the handle arrives in a run, where that matters, and when the client's limit then stops it."""
    client, ttl, low = facts.config.client, facts.give_up_ttl_ms, facts.latency[0]
    if client.overall_timeout_ms is None:
        return None, ttl
    from_handle = client.overall_timeout_from == "handle"
    stop = client.overall_timeout_ms + (low if from_handle else -low)
    return (low if from_handle else None), stop if ttl is None else min(stop, ttl)


# -- the same question asked of other clients -----------------------------------------------------------------


def restart_inside_orphan_window(facts: Facts) -> Outcome:
    """`restart-inside-orphan-window`: a client away for its declared restart gap finds its task alive."""
    if facts.config.client.restart_gap_ms is None:
        return NotApplicable("no restart gap: client.restart_gap is not set")
    return no_live_orphan(facts, harm="orphaned_away")


def obeying(config: Config) -> Config:
    """The configuration with a client that waits exactly the server's hint before each poll."""
    return config.replace(
        {
            "client.hint_mode": "replace",
            "client.min_delay_ms": None,
            "client.initial_delay_ms": 0,
            "client.max_delay_ms": 0,
            "client.multiplier": 1,
            "client.jitter": [1, 1],
            "client.ttl_mode": "ignore",
            "client.error_initial_delay_ms": None,
            "client.error_max_delay_ms": None,
            "client.restart_gap_ms": None,
            "client.overall_timeout_ms": None,
            "client.max_consecutive_errors": None,
            # How an unreliable network stretches a silence is what no-live-orphan asks.
            "network.max_consecutive_failures": 0,
        }
    )


def hint_inside_orphan_window(facts: Facts) -> Outcome:
    """`hint-inside-orphan-window`: a client that obeys the server's own hint exactly is never reclaimed by it."""
    if facts.config.server.poll_interval_ms is None:
        return NotApplicable("no hint: server.poll_interval is not set")
    return no_live_orphan(Facts(obeying(facts.config)))


def ttl_cap_suffices(facts: Facts) -> Outcome:
    """`ttl-cap-suffices`: a client that treats ttlMs as an upper bound on its backoff is never reclaimed while live."""
    if facts.config.advertised_ttl_ms_effective is None:
        return NotApplicable("no advertised ttl: server.advertised_ttl is not set")
    return no_live_orphan(Facts(facts.config.replace({"client.ttl_mode": "cap-gap"})))
