"""Past Table 5: where a task can be orphaned, where it must be, and the runs at the edges of the paper's sentence.

`W` is the orphan window, `P` the sweep period. Without network, failures and skew, three numbers decide:

- the longest silence that the schedule allows while the task works: some run is orphaned exactly where it is longer
  than `W` (`no-live-orphan`, proved in latchcheck.properties.timing.proofs.orphan);
- the shortest silence at the client's ceiling, `lo`;
- `M`, the least multiple of `P` that is judged too long: a client whose gaps are all `M`, each contact just before a
  sweep, is never reclaimed.

Every long enough run is orphaned exactly where `lo > M`, if the client may also wait `M` (its jitter reaches it).
For let F(c) be the first sweep that finds a silence from c too long. F does not fall when c grows, and F of a sweep
s is s + M. A client survives the silence from c exactly if its next contact c' comes by F(c), so F(c') <= F(c) + M:
where every gap is longer than M, each silence brings the client nearer to the sweep by at least lo - M.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import attrs

from latchcheck.kernel import Trace
from latchcheck.model.config import Config
from latchcheck.model.timing.schedule import Ms, Schedule, Span
from latchcheck.model.timing.system import Event, run

from ..timing.answers import Answer
from ..timing.facts import Facts
from ..timing.orphan import no_live_orphan
from .orphans import SWEEP_S
from .poller import gaps


@attrs.frozen
class Edge:
    """A run at the edge: its largest gap, its end, and how many polls were answered; milliseconds."""

    config: Config
    trace: Trace
    gap_ms: Ms
    ends_ms: Ms
    polls: int


# -- the region ---------------------------------------------------------------------------------------------------


def longest_silence_ms(config: Config) -> Ms:
    """The longest silence of the server's view while the task works: a smaller window can orphan a live task."""
    answer = no_live_orphan(Facts(config))
    window = config.server.orphan_window_ms
    assert isinstance(answer, Answer)
    assert answer.margin_ms is not None
    assert window is not None
    return window - answer.margin_ms


def tolerated_ms(config: Config) -> int:
    """`M`, the least multiple of the sweep period that is judged too long a silence."""
    window, period = config.server.orphan_window_ms, config.server.sweep_period_ms
    assert window is not None
    assert isinstance(period, int)
    inclusive = config.server.orphan_comparison == ">="
    return period * (-(-window // period) if inclusive else window // period + 1)


def certain(config: Config) -> bool:
    """Whether every run is orphaned, the work being long enough; for clients whose jitter reaches `M` from below."""
    return final_gap(config).lo > tolerated_ms(config)


def silences_survived_max(config: Config) -> int:
    """How many silences at the ceiling any run can survive, where in the end none does."""
    window, period = config.server.orphan_window_ms, config.server.sweep_period_ms
    assert window is not None
    assert isinstance(period, int)
    room, step = window + period - final_gap(config).lo, final_gap(config).lo - tolerated_ms(config)
    if room < 0 or (room == 0 and config.server.orphan_comparison == ">="):
        return 0
    # Under `>=` the sweep comes sooner than W + P after any contact, so a whole number of steps is one too many.
    whole = -(-Fraction(room, step) // 1) if config.server.orphan_comparison == ">=" else Fraction(room, step) // 1 + 1
    return int(whole)


def final_gap(config: Config) -> Span:
    """Range of the gap once the delay has reached its ceiling."""
    schedule = _schedule(config)
    ceiling = config.client.max_delay_ms
    assert ceiling is not None
    return Span(*(schedule.bound(ceiling * factor) for factor in schedule.jitter))


def seen_by_sweeps(config: Config, seeds: Sequence[int], execution_s: int) -> list[Fraction]:
    """The longest silence in seconds that a sweep sees in the event-exact run of each seed, were it never reclaimed.

    Sweeps fall on the multiples of the period. The run is orphaned, at `>=`, exactly under a window no longer than it.
    """
    found: list[Fraction] = []
    for seed in seeds:
        longest, contact = Fraction(0), Fraction(0)
        for gap in gaps(config.client, seed, "exact"):
            last = min(contact + Fraction(gap), Fraction(execution_s))
            # A poll at the instant of a sweep comes first, so the sweep sees the silence that begins with it.
            sweep = (-(-last // SWEEP_S) - 1) * SWEEP_S if last < execution_s else last // SWEEP_S * SWEEP_S
            longest = max(longest, sweep - contact)
            contact += Fraction(gap)
            if contact > execution_s:
                break
        found.append(longest)
    return found


# -- runs at the edges ----------------------------------------------------------------------------------------------


def orphaned_just_above(config: Config) -> Edge:
    """The shortest run that is orphaned although its largest gap exceeds the window by a millisecond.

    No earlier gap can outlast the window, and all of them are as short as they can be; a sweep falls on the first
    instant at which the silence is too long, and the client learns of it from its next poll.
    """
    window, period = config.server.orphan_window_ms, config.server.sweep_period_ms
    assert window is not None
    assert isinstance(period, int)
    taken: list[Ms] = []
    for span in _schedule(config).gaps():
        assert span.hi is not None
        if span.hi > window:
            break
        taken.append(span.lo)
    contact, gap = sum(taken), window + 1
    judged = contact + window + (config.server.orphan_comparison == ">")
    events = [*_begin(judged % period), *_polls(taken), (judged, "sweep", {}), *_poll(contact + gap)]
    return Edge(config, run(config, events), gap, judged, len(taken))


def survives_above(config: Config) -> Edge | None:
    """The run that survives with the largest gaps above the window: each is `M`, its poll just ahead of the sweep.

    None where the client cannot wait `M` at its ceiling.
    """
    period, execution, tolerated = config.server.sweep_period_ms, config.workload.execution_ms, tolerated_ms(config)
    final = final_gap(config)
    assert isinstance(period, int)
    assert execution is not None
    assert final.hi is not None
    if not final.lo <= tolerated <= final.hi:
        return None
    end = execution[0]
    taken: list[Ms] = []
    fits = False
    for span in _schedule(config).gaps():
        assert span.hi is not None
        fits = fits or span.lo <= tolerated <= span.hi
        taken.append(tolerated if fits else span.lo)
        if sum(taken) > end:
            break
    first = next(i for i, gap in enumerate(taken) if gap == tolerated)
    events = [*_begin(sum(taken[:first]) % period), *_polls(taken[:-1]), (end, "write_terminal", {})]
    return Edge(config, run(config, [*events, *_poll(sum(taken))]), tolerated, end, len(taken) - 1)


def _schedule(config: Config) -> Schedule:
    schedule = Schedule.of(config)
    assert schedule is not None
    return schedule


def _begin(phase_ms: Ms) -> list[Event]:
    return [(0, "create", {"call_latency": 0, "sweep_phase": phase_ms}), (0, "handle_arrives", {})]


def _polls(taken: Sequence[Ms]) -> list[Event]:
    events: list[Event] = []
    at: Ms = 0
    for gap in taken:
        at += gap
        events += _poll(at)
    return events


def _poll(at_ms: Ms) -> list[Event]:
    nothing: Mapping[str, object] = {}
    return [(at_ms, action, nothing) for action in ("poll", "tasks/get", "reply_arrives")]
