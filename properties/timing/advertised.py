"""What is told of the ttl against what happens: `advertised-ttl-is-enforced`.

Told and enforced end are compared in every run: where the told one comes first, a believer gives up on a task that
still lives; where the enforced one does, a believer reads a task that is already gone. A run is the instant e of the
terminal write, how far the clocks are off, and, where an anchor is `activity`, who polls when. Both ends are linear in
e between a few instants, so these instants, the points between them and the limits there are all there is to look at.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise

import attrs

from latchcheck.kernel import Trace
from latchcheck.kernel.duration import told as worded
from latchcheck.model.timing.believed import believed_system
from latchcheck.model.timing.schedule import Ms
from latchcheck.model.timing.small import run_small

from .answers import Answer, NotApplicable, Outcome
from .facts import Facts

Instant = Ms | None
"""None: never."""


@attrs.frozen
class Ends:
    """One run: when told and enforced end come, and what leads there.

    `written` is the terminal write (None: none), `contact` a poll after creation (None: none), `error` the clock's.
    """

    told: Instant
    kept: Instant
    written: Instant
    contact: Instant = None
    error: Ms = 0

    @property
    def gives_up(self) -> bool:
        """The told end comes first."""
        return self.told is not None and (self.kept is None or self.told < self.kept)

    @property
    def reads_gone(self) -> bool:
        """The enforced end comes first."""
        return self.kept is not None and (self.told is None or self.kept < self.told)


@attrs.frozen
class Ttls:
    """Both ttls with their anchors (a ttl of None never ends), as numbers."""

    told: Ms | None
    told_anchor: str
    kept: Ms | None
    kept_anchor: str
    exempt: bool
    skew: Ms

    @classmethod
    def of(cls, facts: Facts) -> "Ttls":
        """The ttls of a configuration."""
        server = facts.config.server
        return cls(
            told=facts.config.advertised_ttl_ms_effective,
            told_anchor=server.advertised_anchor,
            kept=facts.ttl_ms,
            kept_anchor=facts.anchor,
            exempt=not facts.running_expires,
            skew=facts.skew_ms,
        )

    @property
    def active(self) -> tuple[bool, bool]:
        """Whether told and enforced end move with the last contact."""
        return (
            self.told_anchor == "activity" and self.told is not None,
            self.kept_anchor == "activity" and self.kept is not None,
        )

    def runs(self, e: Instant, contact: Instant = None) -> Iterator[Ends]:
        """The runs in which the worker would write at `e` (None: never) and somebody polls once at `contact`."""
        errors = (self.skew, -self.skew) if self.skew else (0,)
        for error in errors:
            for again in errors:
                expires = self._expires_running(error, contact)
                written = e if expires is None or (e is not None and e < expires) else None
                kept = self._kept(written, again, contact) if written is not None or expires is None else expires
                for told in self._told(written, contact):
                    yield Ends(told, kept, written, contact, error if written is None else again)

    def _expires_running(self, error: Ms, contact: Instant) -> Instant:
        """When the enforced ttl ends a running task; `error` is how much too old it is thought."""
        if self.exempt or self.kept is None:
            return None
        since = contact or 0 if self.kept_anchor == "activity" else 0
        return max(0, since + self.kept - error)

    def _kept(self, written: Instant, error: Ms, contact: Instant) -> Instant:
        """When the enforced ttl ends a task that is terminal since `written`."""
        if self.kept is None or written is None:
            return None
        since = {"creation": 0, "activity": max(contact or 0, written)}.get(self.kept_anchor, written)
        return max(written, since + self.kept - error)

    def _told(self, written: Instant, contact: Instant) -> tuple[Instant, ...]:
        """When the told ttl ends; at a tie of its end with the write both orders are possible."""
        if self.told is None:
            return (None,)
        if self.told_anchor == "terminal":
            return (None,) if written is None else (written + self.told,)
        if self.told_anchor == "creation":
            return (self.told,)
        # The terminal write restarts it, unless it has ended before.
        since = contact or 0 if self.told_anchor == "activity" else 0
        if written is None or written > since + self.told:
            return (since + self.told,)
        restarted = max(since, written) + self.told
        return (restarted,) if written < since + self.told else (since + self.told, restarted)

    def points(self, first: Ms, last: Instant) -> list[Ms]:
        """Instants of the write between which both ends are linear, the ends of the declared range among them."""
        found = {first, first if last is None else last}
        for ttl in (self.told, self.kept):
            if ttl is not None:
                found |= {ttl - self.skew, ttl, ttl + self.skew}
        return sorted(at for at in found if at >= first and (last is None or at <= last))


def advertised_ttl_is_enforced(facts: Facts) -> Outcome:
    """`advertised-ttl-is-enforced`: the advertised ttl ends when the enforced one does, in every run."""
    config = facts.config
    told = config.server.advertised_ttl_ms
    if told is None and not config.server.honours_requested_ttl:
        return NotApplicable("nothing is told of a ttl: server.advertised_ttl is not set")
    if told is None and config.client.requested_ttl_ms is None:
        return NotApplicable("no ttl to honour: client.requested_ttl is not set, nor server.advertised_ttl")
    ttls = Ttls.of(facts)
    differing = sorted((run for run in _all(facts, ttls) if run.gives_up or run.reads_gone), key=_events)
    harm = "gave_up_on_live" if differing and differing[0].gives_up else "read_gone"
    shown = [run for run in differing if run.gives_up == (harm == "gave_up_on_live")]
    return Answer(
        safe=not differing,
        clause=_clause(ttls, differing),
        margin_ms=_margin(facts, ttls, differing),
        binding=("server.enforced_ttl_ms", "server.advertised_ttl_ms"),
        runs=(_shown(facts, run) for run in shown),
        harm=harm,
    )


def _clause(ttls: Ttls, differing: list[Ends]) -> str:
    def named(ttl: Ms | None, anchor: str) -> str:
        return "never" if ttl is None else f"{worded(ttl)} from {anchor}"

    exempt = ", but not of a running task" if ttls.exempt and ttls.kept_anchor != "terminal" and ttls.kept else ""
    skew = f", the clocks {worded(ttls.skew)} apart at most" if ttls.skew else ""
    broken = []
    if any(run.gives_up for run in differing):
        broken.append("gives up on a task that still lives")
    if any(run.reads_gone for run in differing):
        broken.append("reads a task that is already gone")
    found = f"; a believer {' or '.join(broken)}" if broken else ""
    return (
        f"the ttl ends as advertised ({named(ttls.told, ttls.told_anchor)}) in every run, "
        f"where enforced is {named(ttls.kept, ttls.kept_anchor)}{exempt}{skew}{found}"
    )


def _all(facts: Facts, ttls: Ttls) -> Iterator[Ends]:
    """Runs enough to find a difference wherever there is one."""
    for e in _writes(facts, ttls):
        yield from ttls.runs(e)
        for contact in _contacts(ttls, e):
            yield from ttls.runs(e, contact)


def _writes(facts: Facts, ttls: Ttls) -> list[Instant]:
    first, last = facts.ends
    points = ttls.points(first, last)
    between = [Fraction(a + b, 2) for a, b in pairwise(points)]
    open_above: list[Instant] = [None, points[-1] + 1] if last is None else []
    return [*points, *between, *open_above]


def _contacts(ttls: Ttls, e: Instant) -> list[Ms]:
    """Instants of one poll, where it matters: it moves one end and not the other."""
    told, kept = ttls.active
    if told == kept:
        return []
    ttl = ttls.kept if kept else ttls.told
    assert ttl is not None
    found = {Fraction(ttl, 2), Fraction(ttl, 3)}
    if e is not None:
        found |= {e, Fraction(e, 2), e + Fraction(ttl, 2)}
    return sorted(found)


def _margin(facts: Facts, ttls: Ttls, differing: list[Ends]) -> Ms | None:
    """Minus the largest difference of the two ends, or None where it has no bound."""
    last = facts.ends[1]
    if not differing:
        return 0
    if ttls.active[0] != ttls.active[1] or any(run.told is None or run.kept is None for run in differing):
        return None
    found = [abs(run.told - run.kept) for run in differing if run.told is not None and run.kept is not None]
    points = ttls.points(*facts.ends)
    for a, b in pairwise(points):
        found += _limits(ttls, a, b)
    if last is None and _differences(ttls, points[-1] + 1) != _differences(ttls, points[-1] + 2):
        return None
    return -max(found)


def _limits(ttls: Ttls, a: Ms, b: Ms) -> Iterator[Ms]:
    """The differences as e comes close to either end of an interval inside which they are linear."""
    third = Fraction(b - a, 3)
    for one, two in zip(_differences(ttls, a + third), _differences(ttls, b - third), strict=True):
        if one is not None and two is not None:
            yield abs(2 * one - two)
            yield abs(2 * two - one)


def _differences(ttls: Ttls, e: Ms) -> list[Ms | None]:
    """Told less enforced end of the runs with the write at `e`, the runs always in the same order."""
    return [None if run.told is None or run.kept is None else run.told - run.kept for run in ttls.runs(e)]


# -- runs ---------------------------------------------------------------------------------------------------------


def _events(run: Ends) -> int:
    return (run.written is not None) + (run.contact is not None)


def _shown(facts: Facts, run: Ends) -> Callable[[], Trace]:
    events = _giving_up(run) if run.gives_up else _reading(run)
    return lambda: run_small(believed_system, facts.config, events, {})


def _before(run: Ends, limit: Ms, *, at_limit: bool) -> list:
    """The poll and the terminal write as far as they come before `limit`."""
    events: list = []
    if run.contact is not None:
        events.append((run.contact, "tasks/get", {}))
    if run.written is not None:
        events.append((run.written, "write_terminal", {}))
    return sorted(
        (event for event in events if event[0] < limit or (at_limit and event[0] == limit)), key=lambda e: e[0]
    )


def _reading(run: Ends) -> list:
    assert run.kept is not None
    ends = (run.kept, "ttl_ends", {"error_anchor": run.error})
    return [(0, "create", {}), *_before(run, run.kept, at_limit=True), ends, (run.kept, "read", {})]


def _giving_up(run: Ends) -> list:
    assert run.told is not None
    told = run.told
    sees = told + 1 if run.kept is None else min(told + 1, run.kept)
    # The write at the instant of the told end comes after the giving up where it would have moved that end.
    early = _before(run, told, at_limit=False)
    late = [event for event in _before(run, sees, at_limit=True) if event not in early]
    return [(0, "create", {}), *early, (told, "give_up", {}), *late, (sees, "lives_on", {})]
