"""The whole system, searched exhaustively on the grid: client, network, work and sweeps together.

The search goes from contact to contact.  While the record runs, the client's polls do not depend
on the server, so a contact leaves behind only: its instant, the client's stance, and which sweeps
are still owed.  Three facts keep that small, and each follows from the rules alone:

* A sweep that may leave the record alone at the start of its window is best done there, and one
  that must not (the silence is too long) is best done right after the next contact, if that still
  falls into its window: silence is shortest there, and age only grows.  A sweep that can do neither
  is *owed*: the record must turn terminal before its window ends.  (`deadline` below.)
* A poll that fails on its way in costs the client the same time as one that fails on its way out,
  and touches nothing on the server.  So between a terminal write and its first successful reader
  only the former need be tried.
* A terminal write never harms a later reader less by coming earlier in a silence: every removal is
  counted from creation, from the write, or from the later of write and contact.

`tests/agreement/brute_naive.py` uses none of them and must agree.
"""

from collections import defaultdict

from attrs import Factory, define, field

from tests.agreement.brute_grid import HARD_STOP, INF, World
from tests.agreement.brute_packing import Packing
from tests.agreement.brute_poller import Poller, Silence, Stance, limit_choices
from tests.agreement.brute_reaper import Judge

ORPHANED = "no-live-orphan"
ORPHANED_AWAY = "restart-inside-orphan-window"
LOST = "result-reaches-client"
LOST_TIMEOUT = "timeout-is-seen"
EXPIRED = "ttl-covers-execution"
UNSEEN = "patience-covers-execution"


@define(slots=True)
class Found:
    """What some run does: `harm` the properties it breaks, `tried` those whose antecedent it meets."""

    harm: set[str] = Factory(set)
    tried: set[str] = Factory(set)

    def note(self, name: str, tried: int, harm: int) -> None:
        """Record that some environment tries, or harms, a property."""
        if tried or harm:
            self.tried.add(name)
        if harm:
            self.harm.add(name)


def longest_silence(world: World) -> int:
    """No silence of a client that still follows its schedule lasts longer (grid steps)."""
    gap = max(high for _, high in world.gaps.after)
    gap = max(gap, *(world.gaps.error or (0,)))
    timeout = world.request_timeout if world.failures_max else 0
    one = gap + max(world.latency[1], timeout)
    return world.latency[1] + (world.failures_max + 1) * one + timeout + world.restart_gap + 2


@define(slots=True)
class Search:
    """One exhaustive search of a world."""

    world: World
    found: Found = Factory(Found)
    judge: Judge = field(init=False)
    packing: Packing = field(init=False)
    poller: Poller = field(init=False)
    width: int = field(init=False)
    span: int = field(init=False)
    phases: list[int | None] = field(init=False)
    replies: list[int | None] = field(init=False)
    limits: list[int] = field(init=False)
    starts: int = field(init=False)
    sweeps: int = field(init=False)
    overdue: int = field(init=False)
    pending: dict = field(init=False)
    seconds: dict[int, int] = Factory(dict)

    def __attrs_post_init__(self) -> None:
        world = self.world
        self.judge = Judge.of(world)
        self.span = max(longest_silence(world), world.execution[1]) + world.lateness + 1
        self.width = world.execution[1] + self.span + 2
        assert self.judge.silence_forced > 0, "no contact can prevent an orphan window of 0"
        assert self.width < HARD_STOP, "too long for a brute-force search"
        phases = range(world.period + 1) if world.period else [None]
        choices = [(phase, *choice) for phase in phases for choice in limit_choices(world)]
        self.phases = [phase for phase, _, _ in choices]
        self.limits = [limit for _, limit, _ in choices]
        self.replies = [reply for _, _, reply in choices]
        self.packing = Packing(len(choices))
        self.poller = Poller.of(world, self.packing, self.limits, self.width)
        self._sweep_masks()

    def _sweep_masks(self) -> None:
        """`starts`: where windows begin; `sweeps`: where a sweep may be; `overdue`: none may still run."""
        world, packing = self.world, self.packing
        self.starts = 0
        for environment, phase in enumerate(self.phases):
            if phase is not None:
                for instant in range(phase, self.width, world.period):
                    self.starts |= 1 << (instant * packing.n + environment)
        self.sweeps = packing.spread(self.starts, 0, world.lateness) & packing.all(self.width)
        aged = self.starts & packing.between(self.judge.age_forced, self.width)
        self.overdue = packing.onward(packing.later(aged, world.lateness + 1), self.width)

    def run(self) -> Found:
        """Search every run, from creation (the first contact, instant 0)."""
        packing, world = self.packing, self.world
        self.pending = defaultdict(lambda: defaultdict(int))
        for environment, reply in enumerate(self.replies):
            low, high = world.latency if reply is None else (reply, reply)
            refs = packing.spread(1 << environment, low, high)
            self.pending[0][Stance(1, 0, away_used=False), INF] |= refs
        while self.pending:
            contact = min(self.pending)
            self._visit(contact)
        return self.found

    def _visit(self, contact: int) -> None:
        """Follow every stance at `contact` until none is new, then judge the silences after it."""
        done: dict = defaultdict(int)
        silences: dict = defaultdict(Silence)
        here: dict = defaultdict(int)
        while self.pending.get(contact):
            (stance, deadline), refs = self.pending[contact].popitem()
            refs &= ~done[stance, deadline]
            if not refs:
                continue
            done[stance, deadline] |= refs
            here[deadline] |= self.packing.anywhere(refs)
            silence = self.poller.explore(contact, stance, refs)
            silences[deadline].absorb(silence)
            self._next_contacts(contact, deadline, silence)
        self.pending.pop(contact, None)
        for deadline, silence in silences.items():
            if self.world.lazy:
                LazyJudgement(self, contact, silence).all()
            else:
                Judgement(self, contact, deadline, silence, here[deadline]).all()

    def running(self, contact: int, deadline: int) -> int:
        """Offsets from `contact` at which the record may still run if no contact came between."""
        packing, world, judge = self.packing, self.world, self.judge
        if world.lazy:
            return packing.between(0, world.execution[1] - contact)
        late = packing.later(self.starts, -contact) & packing.between(judge.silence_forced, self.span)
        dead = packing.onward(packing.later(late, world.lateness + 1), self.span)
        dead |= packing.later(self.overdue, -contact)
        return packing.between(0, min(deadline, world.execution[1], contact + self.span) - contact) & ~dead

    def _next_contacts(self, contact: int, deadline: int, silence: Silence) -> None:
        """Queue every next contact that a still running record can get."""
        running = self.running(contact, deadline)
        for stance, offsets in silence.follow.items():
            for offset, refs in offsets.items():
                arrival = contact + offset
                alive = self.packing.at(running, offset)
                if self.world.lazy and self._forced_at_access(arrival, offset):
                    continue
                if not alive:
                    continue
                for owed, environments in self._owed(contact, offset, alive):
                    kept = refs & self.packing.spread(environments, 0, self.span)
                    if kept:
                        self.pending[arrival][stance, min(owed, deadline)] |= kept

    def _forced_at_access(self, arrival: int, silence: int) -> bool:
        return arrival >= self.judge.age_forced or silence >= self.judge.silence_forced

    def _owed(self, contact: int, offset: int, alive: int) -> list[tuple[int, int]]:
        """Split `alive` by the instant before which an owed sweep must find the record terminal."""
        world, judge, packing = self.world, self.judge, self.packing
        if world.lazy or contact + offset < judge.age_forced:
            return [(INF, alive)]
        late = packing.later(self.starts, -contact) & packing.between(judge.silence_forced, offset - 1)
        split = []
        for start, environments in packing.instants(late):
            owing = environments & alive
            if owing:
                split.append((contact + start + world.lateness, owing))
                alive &= ~owing
        return [*split, (INF, alive)] if alive else split

    def second_sweep(self, first: int) -> int:
        """Instants (absolute) of a sweep other than one that acts at `first`, at or after it."""
        if first not in self.seconds:
            world, packing = self.world, self.packing
            bits = 0
            for environment, phase in enumerate(self.phases):
                if phase is None:
                    continue
                behind = first - world.lateness - phase
                index = max(0, -(-behind // world.period))
                other = max(first, phase + (index + 1) * world.period)
                if other < self.width:
                    bits |= 1 << (other * packing.n + environment)
            self.seconds[first] = packing.onward(bits, self.width) & self.sweeps
        return self.seconds[first]


@define(slots=True)
class Judgement:
    """What sweeps can do in the silence after one contact."""

    search: Search
    contact: int
    deadline: int
    silence: Silence
    here: int

    def before(self, instant: int) -> int:
        """Offsets strictly before an absolute instant."""
        return self.search.packing.between(0, min(instant - self.contact, self.search.span) - 1)

    def may(self, name: str) -> int:
        """Offsets at which a pass may act on the running record, the passes before it standing back."""
        judge, packing, span = self.search.judge, self.search.packing, self.search.span
        firing = packing.between(judge.age[name].may - self.contact, span)
        firing |= packing.between(judge.silence[name].may, span)
        for earlier in judge.earlier(name):
            firing &= self.before(judge.age[earlier].must)
            firing &= packing.between(0, min(judge.silence[earlier].must, span) - 1)
        return firing

    def all(self) -> None:
        """Judge every property for this silence."""
        search, packing = self.search, self.search.packing
        running = search.running(self.contact, self.deadline)
        sweeping = running & packing.later(search.sweeps, -self.contact)
        within = packing.later(search.poller.may_send, -self.contact)
        for away, name in ((0, ORPHANED), (1, ORPHANED_AWAY)):
            judged = sweeping & self.silence.waiting[away] & within
            if search.judge.silence["orphans"].may < INF:
                search.found.note(name, judged, judged & self.may("orphans"))
        arrivals = packing.upto(self.silence.arrivals[0] | self.silence.arrivals[1])
        silent = arrivals | self.silence.waiting[0] | self.silence.waiting[1]
        silent |= packing.spread(self.silence.quiet, 0, search.span)
        judged = sweeping & silent
        search.found.note(EXPIRED, judged, judged & self.may("expiry"))
        self._work_ends(running, arrivals)
        for source in ("timeouts", "orphans", "expiry"):
            keeps = source != "expiry" or search.world.action in ("fail", "cancel")
            if keeps:
                self._sweep_ends(source, sweeping & arrivals & self.may(source), arrivals)

    def _work_ends(self, running: int, arrivals: int) -> None:
        """The work writes as early as it can in this silence; a sweep that may remove it unread is harm."""
        search, packing = self.search, self.search.packing
        written = max(self.contact, search.world.execution[0])
        if written > search.world.execution[1]:
            return
        offset = written - self.contact
        alive = packing.at(running, offset) & packing.at(arrivals, offset)
        removal = search.judge.removal_from(written) - self.contact
        removing = packing.later(search.sweeps, -self.contact) & packing.between(removal, search.span)
        harm = arrivals & removing & packing.spread(alive, 0, search.span)
        search.found.note(LOST, alive, harm)

    def _sweep_ends(self, source: str, acting: int, arrivals: int) -> None:
        """A sweep makes the record terminal; it, or another one, may remove it unread."""
        search, packing = self.search, self.search.packing
        names = (LOST, LOST_TIMEOUT) if source == "timeouts" else (LOST,)
        for offset, environments in packing.instants(acting):
            written = self.contact + offset
            removal = search.judge.removal_from(written)
            harm = search.judge.expiry_follows(source) and removal <= written
            if not harm:
                other = packing.later(search.second_sweep(written), -self.contact)
                other &= packing.between(removal - self.contact, search.span)
                harm = arrivals & other & packing.spread(environments, 0, search.span)
            for name in names:
                search.found.note(name, environments, int(harm))


@define(slots=True)
class LazyJudgement:
    """What the next access after one contact can do where conditions are judged at each access."""

    search: Search
    contact: int
    silence: Silence

    def all(self) -> None:
        """Judge every property for the arrivals that end this silence."""
        search, packing = self.search, self.search.packing
        within = packing.later(search.poller.may_send, -self.contact)
        for away, name in ((0, ORPHANED), (1, ORPHANED_AWAY)):
            for offset, environments in packing.instants(self.silence.arrivals[away]):
                following = environments & packing.at(within, offset)
                if following and self._runs(offset) and search.judge.silence["orphans"].may < INF:
                    search.found.note(name, 1, self._may("orphans", offset))
        for offset, _ in packing.instants(self.silence.arrivals[0] | self.silence.arrivals[1]):
            self._access(offset)
        self._lost_accesses()

    def _runs(self, offset: int) -> bool:
        return self.contact + offset <= self.search.world.execution[1]

    def _may(self, name: str, offset: int) -> bool:
        """Whether a pass may act at this access, the passes before it standing back."""
        judge, age = self.search.judge, self.contact + offset
        for earlier in judge.earlier(name):
            if age >= judge.age[earlier].must or offset >= judge.silence[earlier].must:
                return False
        return age >= judge.age[name].may or offset >= judge.silence[name].may

    def _access(self, offset: int) -> None:
        """A successful poll arrives."""
        search, arrival = self.search, self.contact + offset
        written = max(self.contact, search.world.execution[0])
        if written <= min(arrival, search.world.execution[1]):
            search.found.note(LOST, 1, search.judge.removal_from(written) <= arrival)
        if not self._runs(offset):
            return
        search.found.note(EXPIRED, 1, self._may("expiry", offset))
        for source in self._sources(offset):
            gone = search.judge.removal_from(arrival) <= arrival and search.judge.expiry_follows(source)
            for name in (LOST, LOST_TIMEOUT) if source == "timeouts" else (LOST,):
                search.found.note(name, 1, gone)

    def _sources(self, offset: int) -> list[str]:
        """The passes that may make the running record terminal, and keep it, at this access."""
        acts = ["timeouts", "orphans"]
        if self.search.world.action in ("fail", "cancel"):
            acts.append("expiry")
        return [source for source in acts if self._may(source, offset)]

    def _lost_accesses(self) -> None:
        """A poll that fails on its way out made the record terminal: it may be gone at the next."""
        search = self.search
        for stance, offsets in self.silence.follow.items():
            if stance.failures == 0:
                continue
            for offset, refs in offsets.items():
                sources = self._sources(offset) if self._runs(offset) else []
                if not sources:
                    continue
                written = self.contact + offset
                after = search.poller.explore(written, stance, refs)
                wait = (after.arrivals[0] | after.arrivals[1]).bit_length() - 1
                if wait < 0:
                    continue
                harm = search.judge.removal_from(written) <= written + wait // search.packing.n
                search.found.note(LOST, 1, harm)
                if "timeouts" in sources:
                    search.found.note(LOST_TIMEOUT, 1, harm)
