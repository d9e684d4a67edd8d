"""A cancel kept in a marker of its own: `cancel-marker-outlives-record`.

The cancel is acknowledged at x. As long as the worker goes on the record reads working, and completed once it has
written; what hides that is the marker, until x + its retention. So the marker must outlive the last instant at which
the record can be read and does not read cancelled itself, counted from x.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction

import attrs

from latchcheck.kernel import Trace
from latchcheck.kernel.duration import told
from latchcheck.model.timing.marker import run_marker
from latchcheck.model.timing.schedule import Ms

from .answers import Answer, NotApplicable, Outcome
from .bounds import NEVER, Upper, instant_between
from .facts import Facts
from .orphan import harmful_errors


@attrs.frozen
class Work:
    """How long cancelled work can go on.

    `goes_on_ms` after the cancel (None: until it is done), and it is written in `[first, last]` after creation.
    """

    goes_on_ms: Ms | None
    first: Ms
    last: Ms | None

    @classmethod
    def of(cls, facts: Facts) -> "Work":
        """The work of a configuration."""
        on = facts.config.workload.works_on_after_cancel
        return cls(None if on is True else int(on), *facts.ends)

    @property
    def longest(self) -> Ms | None:
        """Longest time from a cancel to the late write (None: no bound)."""
        found = [limit for limit in (self.goes_on_ms, self.last) if limit is not None]
        return min(found, default=None)

    def cancelled_at(self, written: Ms) -> Ms:
        """The earliest cancel after which the worker still writes at `written`."""
        return 0 if self.goes_on_ms is None else max(0, written - self.goes_on_ms)


def cancel_marker_outlives_record(facts: Facts) -> Outcome:
    """`cancel-marker-outlives-record`: while any record of a cancelled task can be read, it reads cancelled."""
    marker = facts.config.server.cancel_marker_retention_ms
    if marker is None:
        return NotApplicable(
            "no marker with a life of its own: server.cancel_marker_retention is not set, so the cancel lives "
            "as long as the record"
        )
    if facts.config.workload.works_on_after_cancel is False:
        return Answer(safe=True, clause="work stops at its cancel, so the record itself reads cancelled at once")
    work = Work.of(facts)
    last = readable(facts, work)
    until = "for ever" if last.at is None else f"until {told(last.at)} after the cancel"
    return Answer(
        safe=not last.leaves(marker),
        clause=(
            f"the cancel marker ({told(marker)}) outlives every record whose work ignored the cancel, which can be "
            f"read {until}{_counted(facts, work)}"
        ),
        margin_ms=None if last.at is None else marker - last.at,
        binding=("server.cancel_marker_retention_ms", *facts.ttl_knobs),
        runs=_runs(facts, work, last, marker),
        harm="read_uncancelled",
    )


def _counted(facts: Facts, work: Work) -> str:
    if facts.ttl_ms is None:
        return ": no ttl removes it"
    if not facts.ended_expires:
        return ": nothing removes a terminal record"
    if facts.anchor == "activity":
        return ": each poll keeps it for another ttl"
    if facts.spacing_ms is None and not facts.lazy:
        return ": no sweep is promised to remove it"
    if work.longest is None:
        return f" (ttl {told(facts.ttl_ms)} from {facts.anchor}; the work has no declared end)"
    return f" (ttl {told(facts.ttl_ms)} from {facts.anchor})"


def readable(facts: Facts, work: Work) -> Upper:
    """How long after its cancel a record can be read while it does not read cancelled itself."""
    spacing = 0 if facts.lazy else facts.spacing_ms
    if facts.ttl_ms is None or facts.anchor == "activity" or spacing is None:
        return NEVER
    sure = facts.ttl + facts.skew_ms
    kept = sure + spacing
    if not facts.ended_expires:
        return NEVER if _ends_uncancelled(facts, work, sure, kept) else _until_expired(work, kept)
    exempt = not facts.running_expires
    if facts.lazy and not exempt and work.cancelled_at(work.first) >= sure:
        # By the time of a cancel that leads to a late write, the task has expired.
        return _until_expired(work, kept)
    if facts.anchor == "terminal" or (facts.anchor == "creation-then-terminal" and (exempt or facts.lazy)):
        return Upper(None if work.longest is None else work.longest + kept, closed=False)
    restarts = facts.anchor == "creation-then-terminal"
    return _restarted(facts, work, sure, kept) if restarts else _from_creation(facts, work, spacing, kept)


def _from_creation(facts: Facts, work: Work, spacing: Ms, kept: Ms) -> Upper:
    """Anchor `creation`: a late write as late as can be, and work that runs past the ttl."""
    found = [_running(facts, work, spacing, kept)]
    if work.first < kept or (work.first == kept == 0):
        found.append(Upper(kept - work.cancelled_at(work.first), closed=False))
    if any(one.at is None for one in found):
        return NEVER
    return max(found, key=lambda one: (one.at, one.closed))


def _ends_uncancelled(facts: Facts, work: Work, sure: Ms, kept: Ms) -> bool:
    """Whether the record of cancelled work can end otherwise than cancelled."""
    if not facts.running_expires:
        return True
    if facts.config.server.expiry_action == "fail" and (work.last is None or work.last >= facts.ttl - facts.skew_ms):
        return True
    # Lazily only accesses judge: the cancel is one, the late write is none.
    return work.cancelled_at(work.first) < sure if facts.lazy else work.first < kept


def _until_expired(work: Work, kept: Ms) -> Upper:
    """How long running work reads working: until it ends, and not until its expiry has surely come."""
    longest = work.longest
    return Upper(kept, closed=False) if longest is None or longest >= kept else Upper(longest)


def _restarted(facts: Facts, work: Work, sure: Ms, kept: Ms) -> Upper:
    """Anchor `creation-then-terminal`: one grid of sweeps must both miss the running record and remove it late."""
    assert facts.period_ms is not None
    latest = -(-(sure + facts.lateness_ms) // facts.period_ms) * facts.period_ms
    if work.first >= kept:
        # It expires before it can be written.
        return _until_expired(work, kept)
    written = latest if work.longest is None else min(work.longest, latest)
    return Upper(written + kept, closed=False)


def _running(facts: Facts, work: Work, spacing: Ms, kept: Ms) -> Upper:
    """Anchor `creation`: how long the record can be read because its work runs past the ttl, or until it does."""
    sure, longest = facts.ttl + facts.skew_ms, work.longest
    if not facts.running_expires:
        if work.last is not None and work.last < sure:
            return Upper(0)
        return Upper(None if longest is None else longest + spacing)
    if facts.config.server.expiry_action == "fail" and (work.last is None or work.last >= facts.ttl - facts.skew_ms):
        # A failed record is read as such until the next sweep removes it; lazily, until somebody asks for it.
        if facts.lazy:
            return Upper(longest)
        failed = kept + (facts.period_ms or 0)
        return Upper(failed if longest is None else min(failed, longest + spacing), closed=False)
    return _until_expired(work, kept)


# -- runs ---------------------------------------------------------------------------------------------------------


def _runs(facts: Facts, work: Work, last: Upper, marker: Ms) -> Iterator[Callable[[], Trace]]:
    """Runs that read the record once the marker is gone: as soon as can be, and as late as can be."""
    for soon in dict.fromkeys((marker, instant_between(Fraction(marker), last))):
        for written in _written(facts, work, soon):
            x = 0 if written is None else work.cancelled_at(written)
            after = soon if written is None else max(soon, written - x)
            for read in dict.fromkeys((soon, after)):
                yield from _attempts(facts, x, written, x + read)


def _attempts(facts: Facts, cancelled: Ms, written: Ms | None, read: Ms) -> Iterator[Callable[[], Trace]]:
    """Runs with these instants, the sweeps at will."""
    if facts.anchor == "activity" and facts.ttl_ms is not None:
        yield lambda: _polled(facts, cancelled, written, read)
    for phase in _phases(facts, written, read):
        for failed in (None, phase) if facts.config.server.expiry_action == "fail" else (None,):
            yield lambda phase=phase, failed=failed: _read(facts, (cancelled, written, read), phase, failed)


def _written(facts: Facts, work: Work, read: Ms) -> list[Ms | None]:
    """When the worker may write, if it does: never before the read, as early and as late as it can."""
    found: list[Ms | None] = [None, work.first]
    if work.longest is not None and work.longest >= work.first:
        found.append(work.longest)
    if work.last is not None:
        found.append(work.last)
    if facts.period_ms is not None and facts.ttl_ms is not None:
        sure = facts.ttl_ms + facts.skew_ms + facts.lateness_ms
        found += [-(-sure // facts.period_ms) * facts.period_ms, sure]
    if work.last is None:
        found.append(work.first + read)
    return list(dict.fromkeys(found))


def _phases(facts: Facts, written: Ms | None, read: Ms) -> list[Ms | None]:
    """The sweep of the grid that removes the record comes at the very read, or at the very write."""
    if facts.period_ms is None:
        return [None]
    ends = [read, *([written, written + facts.lateness_ms] if written is not None else [])]
    return list(dict.fromkeys((at - facts.lateness_ms) % facts.period_ms for at in ends))


def _read(facts: Facts, instants: tuple[Ms, Ms | None, Ms], phase: Ms | None, failed: Ms | None) -> Trace:
    cancelled, written, read = instants
    errors = harmful_errors(facts)
    access = errors if facts.lazy else {}
    events: list = [(0, "create", {} if phase is None else {"sweep_phase": phase})]
    if written is None or written > read:
        events.append((cancelled, "tasks/cancel", access))
    else:
        events += [(cancelled, "tasks/cancel", access), (written, "write_terminal", {})]
    if failed is not None and facts.period_ms is not None and facts.ttl_ms is not None:
        sure = facts.ttl_ms + facts.skew_ms
        due = failed + max(0, -((failed - sure) // facts.period_ms)) * facts.period_ms + facts.lateness_ms
        events.append((due, "sweep", errors))
        # The work must run until then, so the cancel may have to come later.
        later = max(0, Work.of(facts).cancelled_at(due) - cancelled)
        events[1], read = (cancelled + later, *events[1][1:]), read + later
    events = [*sorted(events, key=lambda event: event[0]), (read, "tasks/get", access)]
    return run_marker(facts.config, events)


def _polled(facts: Facts, cancelled: Ms, written: Ms | None, read: Ms) -> Trace:
    """Somebody polls all the while, which keeps the record."""
    errors = harmful_errors(facts)
    access = errors if facts.lazy else {}
    start: list = [(0, "create", {} if facts.period_ms is None else {"sweep_phase": 0})]
    quick = [(0, "polls", {"until": cancelled}), (cancelled, "polls_end", {})] if cancelled else []
    middle: list = [(cancelled, "tasks/cancel", access)]
    middle += [(written, "write_terminal", {})] if written is not None and written <= read else []
    before = middle[-1][0]
    more = [(before, "polls", {"until": read}), (read, "polls_end", {}), (read, "tasks/get", access)]
    if written is None or written <= cancelled or written > read:
        return run_marker(facts.config, [*start, *quick, *middle, *more])
    between = [(cancelled, "polls", {"until": written}), (written, "polls_end", {})]
    return run_marker(facts.config, [*start, *quick, middle[0], *between, middle[1], *more])
