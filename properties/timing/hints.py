"""The server's hint, honoured and honourable: `hint-honoured` and `hint-inside-ttl`.

A gap that can be sent and is shorter than the hint breaks the first. Delays never shrink (a multiplier is at least 1),
so the first gap is the shortest ordinary one, and the gap after the first failure the shortest after a failure.
The second asks of a client that waits exactly the hint whether its first poll still finds the ttl running.
"""

from collections.abc import Callable, Iterator

import attrs

from latchcheck.kernel import Trace
from latchcheck.kernel.duration import told
from latchcheck.model.timing.hinted import obeying_system, polling_system
from latchcheck.model.timing.legs import Legs
from latchcheck.model.timing.schedule import Ms
from latchcheck.model.timing.small import run_small

from .answers import NO_POLLER, Answer, NotApplicable, Outcome
from .facts import Facts

NO_HINT = "no hint: server.poll_interval is not set"
NO_TTL = "no enforced ttl: server.advertised_ttl and server.enforced_ttl are not set"


@attrs.frozen
class Gap:
    """A gap that the client's pauses can have: its least length, and what stands before it."""

    length_ms: Ms
    after_failure: bool


def gaps(facts: Facts, legs: Legs) -> Iterator[Gap]:
    """The shortest ordinary gap and the shortest after a failure, where the client gets as far as sending a poll."""
    first = legs.gap(1).lo
    if _sent(facts, first):
        yield Gap(first, after_failure=False)
    if legs.failures_followed:
        second = legs.error_gap(2, 1).lo
        if _sent(facts, first + (legs.schedule.request_timeout_ms or 0) + second):
            yield Gap(second, after_failure=True)


def _sent(facts: Facts, paused: Ms) -> bool:
    """Whether the client can still wait `paused` after the handle; at a tie with its limit the poll comes first."""
    client, low, ttl = facts.config.client, facts.latency[0], facts.give_up_ttl_ms
    if ttl is not None and low + paused > ttl:
        return False
    if client.overall_timeout_ms is None:
        return True
    # From the call the limit counts before creation; from the handle it starts with the pause itself.
    spent = 2 * low if client.overall_timeout_from == "call" else 0
    return spent + paused <= client.overall_timeout_ms


def hint_honoured(facts: Facts) -> Outcome:
    """`hint-honoured`: the client never polls sooner than the hint."""
    hint = facts.config.server.poll_interval_ms
    if hint is None:
        return NotApplicable(NO_HINT)
    legs = facts.legs
    if legs is None:
        return NotApplicable(NO_POLLER)
    found = list(gaps(facts, legs))
    if not found:
        return Answer(safe=True, clause="the client's limit stops it before its first poll")
    least = min(found, key=lambda gap: gap.length_ms)
    soon = [gap for gap in found if gap.length_ms < hint]
    which = "the shortest gap after a failed poll" if least.after_failure else "the shortest gap between polls"
    cap = legs.schedule.cap_ms
    return Answer(
        safe=not soon,
        clause=f"{which} ({told(least.length_ms)}) is at least the hint ({told(hint)})",
        margin_ms=least.length_ms - hint,
        # A gap that the ttl caps below the hint is not made longer by anything the client does.
        binding=(("server.advertised_ttl_ms",) if cap is not None and cap < hint else ("client.min_delay_ms",))
        + ("server.poll_interval_ms",),
        runs=(_too_soon(facts, legs, gap) for gap in soon),
        harm="polled_too_soon",
    )


def _too_soon(facts: Facts, legs: Legs, gap: Gap) -> Callable[[], Trace]:
    low, first = facts.latency[0], legs.gap(1).lo
    heard = {"becomes": "answered"} if legs.schedule.failures else {}
    events: list = [(0, "create", {"call_latency": low}), (low, "handle_arrives", {})]
    if gap.after_failure:
        noticed = low + first + (legs.schedule.request_timeout_ms or 0)
        events += [(low + first, "poll", {"becomes": "request_lost"}), (noticed, "failure_noticed", {})]
        events.append((noticed + gap.length_ms, "poll", heard))
    else:
        events.append((low + gap.length_ms, "poll", heard))
    return lambda: run_small(polling_system, facts.config, events, {})


# -- the hint inside the ttl --------------------------------------------------------------------------------------


def hint_inside_ttl(facts: Facts) -> Outcome:
    """`hint-inside-ttl`: the first hinted poll comes before the ttl ends (at a tie the ttl ends first)."""
    hint, ttl = facts.config.server.poll_interval_ms, facts.ttl_ms
    if hint is None:
        return NotApplicable(NO_HINT)
    if ttl is None:
        return NotApplicable(NO_TTL)
    arrives = facts.latency[1] + hint + facts.latency[1]
    ends, written = earliest_end(facts)
    return Answer(
        safe=arrives < ends,
        clause=(
            f"the ttl ({told(ttl)} from {facts.anchor}) ends {told(ends)} after creation at the earliest, "
            f"later than the first hinted poll, which arrives {told(arrives)} after creation at the latest"
        ),
        margin_ms=_margin(facts, arrives),
        binding=(*facts.ttl_knobs, "server.poll_interval_ms"),
        runs=(lambda: _too_late(facts, written, ends, arrives),),
        harm="hint_too_late",
    )


def earliest_end(facts: Facts) -> tuple[Ms, Ms | None]:
    """When the ttl can end at the earliest, nobody having polled, and the terminal write before it if there is one."""
    first, last = facts.ends
    kept = max(0, facts.ttl - facts.skew_ms)
    if facts.running_expires and (last is None or last >= kept):
        return kept, None
    if facts.anchor == "creation":
        return max(first, kept), first
    return first + kept, first


def _margin(facts: Facts, arrives: Ms) -> Ms | None:
    """How much shorter the ttl may be, or must be longer (None: it may be as short as you like)."""
    first, last = facts.ends
    needed: Ms | None = arrives - first
    if facts.anchor == "creation":
        needed = arrives if facts.running_expires or first <= arrives else None
    elif facts.running_expires:
        # Work that surely ends before its ttl restarts it.
        needed = arrives if last is None or arrives < last else max(last, arrives - first)
    return None if needed is None else facts.ttl - facts.skew_ms - needed


def _too_late(facts: Facts, written: Ms | None, ends: Ms, arrives: Ms) -> Trace:
    high, late = facts.latency[1], {"error_anchor": facts.skew_ms}
    own = [(0, "create", {}), (high, "handle_arrives", {}), (arrives - high, "poll", {}), (arrives, "tasks/get", {})]
    other: list = [] if written is None else [(written, "write_terminal", {})]
    other.append((ends, "ttl_ends", late))
    # What ends the task comes before the client's events of its instant, but for the creation.
    keyed = [(at, 2 if name != "create" else 0, (at, name, args)) for at, name, args in own]
    keyed += [(at, 1, (at, name, args)) for at, name, args in other]
    keyed.sort(key=lambda item: item[:2])
    return run_small(obeying_system, facts.config, [item[2] for item in keyed], {})
