"""The properties that need only a few of the clocks: each its own little system, enumerated.

Times are Fractions of a millisecond; where a sweep's phase matters it is enumerated on the grid.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from attrs import frozen

from tests.agreement.brute_grid import (
    Incomplete,
    anchor_of,
    error_intervals,
    gap_intervals,
    pair,
    section,
    ttl_of,
    world,
)
from tests.agreement.brute_search import ORPHANED, Search

Config = dict[str, Any]
STEP = Fraction(1, 2)
FOREVER = Fraction(10**9)


@frozen(slots=True)
class Outcome:
    """What the search says of one property at one configuration.

    `missing`: what the configuration lacks, empty when the property applies.  `tried`: some run
    meets its antecedent.  `violated`: some run breaks it.  `bound_ms`: the least upper bound, for
    the properties that report one (None: there is none).
    """

    missing: tuple[str, ...] = ()
    tried: bool = True
    violated: bool = False
    bound_ms: Fraction | None = None


def lacking(config: Config, *keys: str) -> tuple[str, ...]:
    """Those of the `section.key` names that are absent or "none"."""
    found = []
    for key in keys:
        part, name = key.split(".")
        if section(config, part).get(name) in (None, "none"):
            found.append(key)
    return tuple(found)


def steps(low: Fraction | int, high: Fraction | int) -> Iterator[Fraction]:
    """The half-millisecond instants of [low, high]."""
    instant = Fraction(low)
    while instant <= high:
        yield instant
        instant += STEP


def orphaned(config: Config, client: Config, network: Config) -> Outcome:
    """`no-live-orphan` with another client and network in the same system."""
    found = Search(world({**config, "client": client, "network": network})).run()
    return Outcome(tried=ORPHANED in found.tried, violated=ORPHANED in found.harm)


def hint_inside_orphan_window(config: Config) -> Outcome:
    """A client that polls exactly one hint after each reply, over a network that loses nothing."""
    missing = lacking(config, "server.poll_interval", "server.orphan_window")
    if missing:
        return Outcome(missing)
    hint = section(config, "server")["poll_interval"]
    network = {"latency": section(config, "network").get("latency", (0, 0))}
    return orphaned(config, {"initial_delay": hint, "max_delay": hint, "hint_mode": "ignore"}, network)


def ttl_cap_suffices(config: Config) -> Outcome:
    """The client of the configuration with its gaps capped at the advertised ttl."""
    missing = lacking(config, "server.advertised_ttl", "server.orphan_window")
    if missing:
        return Outcome(missing)
    return orphaned(config, {**section(config, "client"), "ttl_mode": "cap-gap"}, section(config, "network"))


def ttl_end(ttl: Fraction, anchor: str, terminal: Fraction, activity: Fraction, *, exempt: bool) -> Fraction:
    """When a ttl ends for a task that turns terminal then, its last contact being `activity`."""
    if anchor == "terminal":
        return terminal + ttl
    if anchor == "creation":
        return max(terminal, ttl) if exempt else ttl
    if anchor == "activity":
        idle = min(activity, terminal) + ttl
        return idle if idle <= terminal and not exempt else max(activity, terminal) + ttl
    return ttl if ttl <= terminal and not exempt else terminal + ttl


def hint_inside_ttl(config: Config) -> Outcome:
    """The first poll, one hint after the create reply, arrives before the enforced ttl ends."""
    server = section(config, "server")
    ttl = ttl_of(server, "enforced")
    missing = lacking(config, "server.poll_interval", "workload.execution")
    if ttl is None:
        missing = (*missing, "server.enforced_ttl")
    if missing or ttl is None:
        return Outcome(missing)
    arrival = server["poll_interval"] + 2 * pair(section(config, "network").get("latency", 0))[1]
    skew, anchor = server.get("clock_skew", 0), anchor_of(server, "enforced")
    exempt = not server.get("expire_running", True)
    ends = [
        ttl_end(Fraction(ttl - skew), anchor, terminal, Fraction(0), exempt=exempt)
        for terminal in steps(*pair(section(config, "workload")["execution"]))
    ]
    return Outcome(violated=any(arrival >= end for end in ends))


def hint_honoured(config: Config) -> Outcome:
    """No gap, error backoffs included, can be shorter than the hint."""
    missing = lacking(config, "server.poll_interval", "client.initial_delay")
    if missing:
        return Outcome(missing)
    client, server = section(config, "client"), section(config, "server")
    lows = [low for low, _ in gap_intervals(client, server, 1)]
    failures = section(config, "network").get("max_consecutive_failures", 0)
    if failures:
        lows += error_intervals(client, server, failures) or []
    return Outcome(violated=min(lows) < server["poll_interval"])


def advertised_ttl_is_enforced(config: Config) -> Outcome:
    """The told end and the real end of the ttl agree, whenever the task ends and is last asked for.

    A record that waits for its sweep does not count as living, nor does one that skew keeps longer;
    one that skew removes early counts as gone.
    """
    server = section(config, "server")
    told, kept = ttl_of(server, "advertised"), ttl_of(server, "enforced")
    missing = lacking(config, "workload.execution")
    if told is None:
        return Outcome(("server.advertised_ttl", *missing))
    if missing:
        return Outcome(missing)
    kept = FOREVER if kept is None else Fraction(kept)
    skew, exempt = server.get("clock_skew", 0), not server.get("expire_running", True)
    violated = False
    for terminal in steps(*pair(section(config, "workload")["execution"])):
        for activity in steps(0, terminal + told):
            believed = ttl_end(Fraction(told), anchor_of(server, "advertised"), terminal, activity, exempt=False)
            real = ttl_end(kept, anchor_of(server, "enforced"), terminal, activity, exempt=exempt)
            violated = violated or real > believed or real - skew < believed
    return Outcome(violated=violated)


def latest_sweep(after: Fraction, server: Config) -> Fraction | None:
    """The supremum of the first sweep that finds `after` passed, over phases and lateness; None: never."""
    period, lateness = server.get("sweep_period"), server.get("sweep_lateness", 0)
    if period in (None, "lazy"):
        return None
    latest = Fraction(0)
    for phase in steps(0, period):
        first = phase
        while first <= after:
            first += period
        latest = max(latest, first + lateness)
    return latest


def orphans_found_in_time(config: Config) -> Outcome:
    """The longest time from the last contact to the sweep that reclaims; lazily there is none."""
    missing = lacking(config, "server.orphan_window")
    if missing:
        return Outcome(missing)
    server = section(config, "server")
    bound = latest_sweep(Fraction(server["orphan_window"] + server.get("clock_skew", 0)), server)
    stated = server.get("orphan_bound")
    return Outcome(violated=bound is None or (stated is not None and bound > stated), bound_ms=bound)


def lease_outlives_stall(config: Config) -> Outcome:
    """One stall, anywhere, against the lease of a worker that works to the end of its execution."""
    missing = lacking(config, "server.lease_timeout", "workload.execution")
    if missing:
        return Outcome(missing)
    server, load = section(config, "server"), section(config, "workload")
    lease, renewal = server["lease_timeout"], server.get("lease_renewal")
    stall, end = load.get("stall", 0), pair(load["execution"])[1]
    if renewal is None:
        return Outcome(violated=lease <= end)
    for stalled in steps(0, end):
        held, due = Fraction(0), Fraction(renewal)
        while held <= end:
            renewed = stalled + stall if stalled <= due <= stalled + stall else due
            if held + lease <= min(renewed, end):
                return Outcome(violated=True)
            held, due = renewed, renewed + renewal
    return Outcome()


def retries_inside_deadline(config: Config) -> Outcome:
    """Every attempt as long as it may be, and the delays between them, before the deadline acts."""
    missing = lacking(config, "server.execution_deadline", "server.max_attempts", "workload.execution")
    if missing:
        return Outcome(missing)
    server = section(config, "server")
    total = Fraction(0)
    for attempt in range(server["max_attempts"]):
        total += pair(section(config, "workload")["execution"])[1]
        if attempt + 1 < server["max_attempts"]:
            growth = Fraction(server.get("retry_multiplier", 1)) ** attempt
            delay = Fraction(server.get("retry_initial_delay") or 0) * growth
            ceiling = server.get("retry_max_delay")
            total += delay if ceiling is None else min(delay, Fraction(ceiling))
    return Outcome(violated=total > server["execution_deadline"] - server.get("clock_skew", 0))


def idempotency_outlives_retries(config: Config) -> Outcome:
    """The last reissue, sent one horizon after the call, arrives before the key is forgotten."""
    missing = lacking(config, "server.idempotency_retention", "client.retry_horizon")
    if missing:
        return Outcome(missing)
    low, high = pair(section(config, "network").get("latency", 0))
    arrival = section(config, "client")["retry_horizon"] + high - low
    return Outcome(violated=arrival >= section(config, "server")["idempotency_retention"])


def input_window_covers_human(config: Config) -> Outcome:
    """The question goes out at once, the human takes the longest declared time, the answer travels."""
    missing = lacking(config, "workload.human_answer")
    client, server = section(config, "client"), section(config, "server")
    limits = [server.get("input_window"), server.get("input_state_retention")]
    limits = [limit for limit in limits if limit not in (None, "none")]
    call = client.get("input_request_timeout")
    if not limits and call is None:
        missing = (*missing, "server.input_window")
    if missing:
        return Outcome(missing)
    answer = pair(section(config, "workload")["human_answer"])[1]
    arrival = answer + 2 * pair(section(config, "network").get("latency", 0))[1]
    return Outcome(violated=any(arrival >= limit for limit in limits) or (call is not None and answer >= call))


def cancel_marker_outlives_record(config: Config) -> Outcome:
    """The record, cancelled as early as can be, against the marker that says so."""
    missing = lacking(config, "server.cancel_marker_retention")
    if missing:
        return Outcome(missing)
    server = section(config, "server")
    marker, ttl = server["cancel_marker_retention"], ttl_of(server, "enforced")
    keeps = server.get("expiry_action") in ("fail", "cancel") and server.get("expired_terminal") == "keep"
    if ttl is None or keeps:
        return Outcome(violated=True)
    ripe = Fraction(ttl + server.get("clock_skew", 0))
    readable = latest_sweep(ripe, server) or ripe
    return Outcome(violated=marker < readable)


def abandoned_work_is_bounded(config: Config) -> Outcome:
    """The least of the bounds that orphan pass, deadline and expiry put on work without a client.

    From the last contact, which may be creation; the work's own end is not counted.
    """
    server, load = section(config, "server"), section(config, "workload")
    skew, after = server.get("clock_skew", 0), load.get("works_on_after_cancel", True)
    bounds = []
    for name in ("orphan_window", "execution_deadline"):
        limit = server.get(name)
        if limit is not None and after is not True:
            stopped = latest_sweep(Fraction(limit + skew), server)
            bounds += [] if stopped is None else [stopped + (after or 0)]
    ttl = ttl_of(server, "enforced")
    exempt = anchor_of(server, "enforced") == "terminal" or not server.get("expire_running", True)
    if ttl is not None and not exempt and server.get("expiry_stops_work"):
        stopped = latest_sweep(Fraction(ttl + skew), server)
        bounds += [] if stopped is None else [stopped]
    return Outcome(violated=not bounds, bound_ms=min(bounds, default=None))


SMALL: dict[str, Callable[[Config], Outcome]] = {
    "hint-inside-orphan-window": hint_inside_orphan_window,
    "hint-inside-ttl": hint_inside_ttl,
    "ttl-cap-suffices": ttl_cap_suffices,
    "hint-honoured": hint_honoured,
    "advertised-ttl-is-enforced": advertised_ttl_is_enforced,
    "orphans-found-in-time": orphans_found_in_time,
    "lease-outlives-stall": lease_outlives_stall,
    "retries-inside-deadline": retries_inside_deadline,
    "idempotency-outlives-retries": idempotency_outlives_retries,
    "input-window-covers-human": input_window_covers_human,
    "cancel-marker-outlives-record": cancel_marker_outlives_record,
    "abandoned-work-is-bounded": abandoned_work_is_bounded,
}

__all__ = ["SMALL", "Incomplete", "Outcome"]
