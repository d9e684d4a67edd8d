"""The whole system once more, one event at a time: slow, literal, and without a clever thought.

It exists to check `brute_search.py`.  Each instant is a set of states; the events of an instant are
taken in every order, then the clock moves one step, unless something must happen first.
"""

from collections.abc import Iterator
from itertools import chain

from attrs import evolve, frozen

from tests.agreement.brute_grid import World
from tests.agreement.brute_poller import limit_choices
from tests.agreement.brute_reaper import NEVER, Judge
from tests.agreement.brute_search import EXPIRED, LOST, LOST_TIMEOUT, ORPHANED, ORPHANED_AWAY, UNSEEN


@frozen(slots=True)
class State:
    """Everything that is true at one instant.

    `client`: waiting, sent, lost (a failed poll not yet noticed), back (a reply travels),
    gone (stopped), left (stopped, its last poll still travels).  `timer`: since the client
    entered that state; `sent`: since it sent the poll.  `record`: running, terminal, removed, or
    read (a poll has taken the outcome along).  `unread`: which outcome nobody has read yet.
    """

    client: str
    timer: int
    sent: int
    poll: int
    failures: int
    used: bool
    crashed: bool
    away: bool
    terminal_reply: bool
    record: str
    unread: str
    silence: int
    terminal: int
    windows: tuple[int, ...]


STOPPED = ("gone", "left")


class Naive:
    """One run of the search for one choice of sweep phase, limit and create reply."""

    def __init__(self, world: World, phase: int | None, limit: int, reply: int, harm: set[str]) -> None:
        """Search all runs with this sweep phase, this limit and this latency of the create reply."""
        self.world, self.judge, self.harm = world, Judge.of(world), harm
        self.phase, self.limit, self.reply = phase, limit, reply
        self.now = 0

    def run(self) -> None:
        """Breadth first, instant by instant, until nothing is left to follow."""
        first = State("back", 0, 0, 0, 0, False, False, False, False, "running", "", 0, 0, ())
        layer = {self._open(first)}
        while layer:
            layer = self._close(layer)
            self.now += 1
            layer = {self._open(self._tick(s)) for s in layer if self._may_wait(s)}

    def _close(self, layer: set[State]) -> set[State]:
        seen, queue = set(layer), list(layer)
        while queue:
            state = queue.pop()
            for after in chain(self._client(state), self._server(state)):
                if after not in seen and self._matters(after):
                    seen.add(after)
                    queue.append(after)
        return seen

    def _matters(self, state: State) -> bool:
        if state.record == "running":
            return True
        if state.record == "read":
            return state.client == "back"
        return bool(state.unread) and state.client != "gone"

    def _gap(self, state: State) -> tuple[int, int]:
        low, high = self.world.gaps.before(state.poll, state.failures)
        return low, high + (self.world.restart_gap if state.crashed else 0)

    def _may_wait(self, state: State) -> bool:
        """Whether the clock may pass this instant."""
        now, world = self.now - 1, self.world
        ends = state.record == "running" and now == world.execution[1]
        sweeps = any(age == world.lateness for age in state.windows)
        if ends or sweeps or (now >= self.limit and state.client not in STOPPED):
            return False
        if state.client in ("sent", "left"):
            return state.sent < world.latency[1]
        if state.client == "lost":
            return state.sent < world.request_timeout
        if state.client == "back":
            return state.timer < (self.reply if state.poll == 0 else world.latency[1])
        return state.client != "waiting" or state.timer < self._gap(state)[1]

    def _tick(self, s: State) -> State:
        return evolve(
            s,
            timer=0 if s.client in STOPPED else s.timer + 1,
            sent=s.sent + 1,
            silence=s.silence + 1,
            terminal=s.terminal + 1 if s.record == "terminal" else 0,
            windows=tuple(age + 1 for age in s.windows),
        )

    def _open(self, state: State) -> State:
        if self.phase is None or self.now < self.phase or (self.now - self.phase) % self.world.period:
            return state
        return evolve(state, windows=(*state.windows, 0))

    def _client(self, s: State) -> Iterator[State]:
        world = self.world
        if self.now >= self.limit and s.client not in STOPPED:
            self.harm.add(UNSEEN)
            yield evolve(s, client="left" if s.client == "sent" else "gone", timer=0)
        if s.client == "waiting":
            low, high = self._gap(s)
            if world.restart_gap and not s.used and s.timer <= high:
                yield evolve(s, used=True, crashed=True, away=True)
            if low <= s.timer <= high and self.now <= self.limit:
                out = evolve(s, timer=0, sent=0, crashed=False)
                yield evolve(out, client="sent")
                if s.failures < world.failures_max:
                    yield evolve(out, client="lost")
        if s.client in ("sent", "left") and world.latency[0] <= s.sent <= world.latency[1]:
            yield from self._arrive(s)
        if s.client == "lost" and s.sent == world.request_timeout:
            failures = s.failures + 1
            stops = failures >= world.errors_max
            yield self._next_gap(evolve(s, failures=failures), "gone" if stops else "waiting")
        if s.client == "back":
            low, high = (self.reply, self.reply) if s.poll == 0 else world.latency
            if low <= s.timer <= high:
                done = s.terminal_reply
                yield self._next_gap(evolve(s, failures=0), "gone" if done else "waiting")

    def _next_gap(self, s: State, client: str) -> State:
        poll = min(s.poll + 1, len(self.world.gaps.after))
        return evolve(s, client=client, timer=0, sent=0, poll=poll)

    def _arrive(self, s: State) -> Iterator[State]:
        """A poll reaches the server: judged first where lazy, then it is a contact, then read."""
        for judged in self._sweep(s) if self.world.lazy else [s]:
            touched = evolve(judged, silence=0, away=False)
            left = s.client == "left"
            if s.failures < self.world.failures_max:
                yield evolve(touched, client="gone" if left else "lost")
            if judged.record == "removed" and judged.unread:
                self.harm.add(LOST)
                if judged.unread == "timeouts":
                    self.harm.add(LOST_TIMEOUT)
            ended = judged.record != "running"
            yield evolve(
                touched,
                client="gone" if left else "back",
                timer=0,
                sent=0,
                terminal_reply=judged.record == "terminal",
                record="read" if ended else "running",
                unread="",
            )

    def _server(self, s: State) -> Iterator[State]:
        low, high = self.world.execution
        if s.record == "running" and low <= self.now <= high:
            yield evolve(s, record="terminal", unread="work", terminal=0)
        for index in range(len(s.windows)):
            rest = s.windows[:index] + s.windows[index + 1 :]
            yield from self._sweep(evolve(s, windows=rest))

    def _sweep(self, s: State) -> list[State]:
        """Every outcome of the three passes in order."""
        states = [s]
        for name in self.world.order:
            states = [after for state in states for after in self._pass(name, state)]
        return states

    def _pass(self, name: str, s: State) -> Iterator[State]:
        if s.record == "running":
            age, quiet = self.judge.age[name], self.judge.silence[name]
            must = self.now >= age.must or s.silence >= quiet.must
            if self.now >= age.may or s.silence >= quiet.may:
                yield self._act(name, s)
            if not must:
                yield s
            return
        threshold = self.judge.removal if name == "expiry" and self.judge.removes_terminal else NEVER
        elapsed = s.terminal
        if self.judge.anchor == "creation":
            elapsed = self.now
        elif self.judge.anchor == "activity":
            elapsed = min(s.terminal, s.silence)
        if s.record == "terminal" and elapsed >= threshold.may:
            yield evolve(s, record="removed", terminal=0)
        if s.record != "terminal" or elapsed < threshold.must:
            yield s

    def _act(self, name: str, s: State) -> State:
        if name == "orphans" and s.client not in STOPPED:
            self.harm.add(ORPHANED_AWAY if s.away else ORPHANED)
        if name == "expiry":
            self.harm.add(EXPIRED)
            if self.world.action in ("hide", "delete"):
                return evolve(s, record="removed", unread="", terminal=0)
        return evolve(s, record="terminal", unread=name, terminal=0)


def naive(world: World) -> set[str]:
    """The properties that some run breaks (`patience-covers-execution` in the reading with a server)."""
    harm: set[str] = set()
    phases = range(world.period + 1) if world.period else [None]
    for phase in phases:
        for limit, reply in limit_choices(world):
            low, high = world.latency if reply is None else (reply, reply)
            for latency in range(low, high + 1):
                Naive(world, phase, limit, latency, harm).run()
    return harm
