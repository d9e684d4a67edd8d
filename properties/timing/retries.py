"""Attempts against the deadline: `retries-inside-deadline`.

N attempts of up to e each, with delays d(1) ... d(N-1) between them, take at most N*e + d(1) + ... + d(N-1).
The deadline fires at any moment after execution_deadline - clock_skew, that moment itself not included.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, log

import attrs

from latchcheck.kernel import System, Trace
from latchcheck.kernel.duration import told
from latchcheck.model.timing.retry import retries_with, run_retries
from latchcheck.model.timing.schedule import Ms

from .answers import Answer, NotApplicable, Outcome
from .bounds import Upper, instant_between
from .facts import Facts

PLAIN_MAX = 5
"""So many failed attempts are told one by one; more are told as one."""
BEYOND_MS = 10**18
"""No deadline of a file comes near it (30 million years)."""


@attrs.frozen(slots=False)
class Attempts:
    """The attempts of a configuration: N of up to `longest_ms`, with growing delays between them."""

    count: int
    longest_ms: int
    initial_ms: int
    multiplier: Fraction
    ceiling_ms: int | None

    @classmethod
    def of(cls, facts: Facts) -> "Attempts":
        """The attempts of a configuration that says how many there are and how long one takes at most."""
        server, longest = facts.config.server, facts.ends[1]
        assert server.max_attempts is not None
        assert longest is not None
        initial = server.retry_initial_delay_ms or 0
        return cls(server.max_attempts, int(longest), initial, server.retry_multiplier, server.retry_max_delay_ms)

    @cached_property
    def first_ms(self) -> Ms:
        """The delay after the first attempt."""
        return self.initial_ms if self.ceiling_ms is None else min(self.initial_ms, self.ceiling_ms)

    @cached_property
    def ramp(self) -> int:
        """How many delays are below the ceiling; all after them equal it. Without growth every delay is the first.

        Without a ceiling, how many are below `BEYOND_MS`.
        """
        ceiling = BEYOND_MS if self.ceiling_ms is None else self.ceiling_ms
        if self.multiplier == 1 or self.initial_ms == 0 or self.initial_ms >= ceiling:
            return 0
        guess = max(0, round(log(ceiling / self.initial_ms) / log(self.multiplier)))
        while self.initial_ms * self.multiplier**guess >= ceiling:
            guess -= 1
        while self.initial_ms * self.multiplier**guess < ceiling:
            guess += 1
        return guess

    def delay(self, number: int) -> Ms:
        """The delay after attempt `number`."""
        exact = self.ramp + (self.ceiling_ms is None)
        if number > exact or self.ramp == 0:
            return self.first_ms if self.ramp == 0 else (self.ceiling_ms or BEYOND_MS)
        return self.initial_ms * self.multiplier ** (number - 1)

    def delays(self, count: int) -> Ms:
        """The delays after the first `count` attempts, summed up: a geometric series, then the ceiling."""
        below = min(count, self.ramp)
        growing = self.initial_ms * (self.multiplier**below - 1) / (self.multiplier - 1) if below else 0
        return growing + (count - below) * (self.delay(count) if count > below else 0)

    def begins(self, number: int) -> Ms:
        """The latest instant at which attempt `number` begins."""
        return (number - 1) * self.longest_ms + self.delays(number - 1)

    @property
    def total_ms(self) -> Ms:
        """How long everything takes at most; `BEYOND_MS` or more stands for any number as large."""
        return self.begins(self.count) + self.longest_ms

    def first_over(self, limit: Ms) -> int:
        """The first attempt that can still run after `limit`, if the last one can."""
        low, high = 1, self.count
        while low < high:
            middle = (low + high) // 2
            if self.begins(middle) + self.longest_ms > limit:
                high = middle
            else:
                low = middle + 1
        return low


def retries_inside_deadline(facts: Facts) -> Outcome:
    """`retries-inside-deadline`: all attempts and the delays between them fit inside the execution deadline."""
    server = facts.config.server
    if server.execution_deadline_ms is None:
        return NotApplicable("no execution deadline: server.execution_deadline is not set")
    if server.max_attempts is None:
        return NotApplicable("no number of attempts: server.max_attempts is not set")
    if facts.ends[1] is None:
        return NotApplicable("no declared greatest execution time: workload.execution is not set, or open above")
    attempts = Attempts.of(facts)
    limit, total = server.execution_deadline_ms - facts.skew_ms, attempts.total_ms
    safe = total <= limit
    return Answer(
        safe=safe,
        clause=_clause(facts, attempts, total),
        # The deadline is set in whole milliseconds, and the exact total may have thousands of digits.
        margin_ms=floor(limit - total) if total < BEYOND_MS else None,
        binding=("server.execution_deadline_ms", "server.max_attempts", "workload.execution_ms"),
        runs=() if safe else _runs(facts, attempts, limit),
        harm="cut_short",
    )


def _clause(facts: Facts, attempts: Attempts, total: Ms) -> str:
    deadline = f"the execution deadline ({told(facts.config.server.execution_deadline_ms or 0)}"
    deadline += f", less a clock skew of {told(facts.skew_ms)})" if facts.skew_ms else ")"
    takes = f"{attempts.count} attempts of up to {told(attempts.longest_ms)} and the delays between them take"
    if total >= BEYOND_MS:
        return f"{deadline} is at least what {takes}, which is longer than any deadline"
    return f"{deadline} is at least what {takes}, which is {told(ceil(total))}"


def attempts_system(facts: Facts) -> System:
    """The system in which the runs of `retries-inside-deadline` are executed, for attempts that can be cut short.

    It tells as many attempts as one as the shortest of these runs does.
    """
    attempts, deadline = Attempts.of(facts), facts.config.server.execution_deadline_ms
    assert deadline is not None
    limit = deadline - facts.skew_ms
    failed = attempts.first_over(limit) - 1
    told_as_one = failed > PLAIN_MAX and attempts.total_ms > limit
    return retries_with(facts.config, (failed, attempts.delays(failed)) if told_as_one else None)


def _runs(facts: Facts, attempts: Attempts, limit: Ms) -> Iterator[Callable[[], Trace]]:
    """The deadline fires in the first attempt, or the first wait, that reaches beyond it."""
    number = attempts.first_over(limit)
    if number - 1 > PLAIN_MAX:
        yield lambda: _told(facts, attempts, limit, number)
        return
    if number > 1 and attempts.begins(number) > limit:
        yield lambda: _plain(facts, attempts, number - 1, waiting=True, limit=limit)
    yield lambda: _plain(facts, attempts, number, waiting=False, limit=limit)


def _fires(facts: Facts, instant: Ms) -> tuple[Ms, str, dict[str, Ms]]:
    return instant, "deadline_fires", {"error_created": facts.skew_ms}


def _after(limit: Ms, earliest: Ms, latest: Ms) -> Ms:
    """An instant after `limit`, from `earliest` to `latest`."""
    if earliest > limit:
        return earliest
    return instant_between(limit, Upper(latest), closed=False)


def _plain(facts: Facts, attempts: Attempts, number: int, *, waiting: bool, limit: Ms) -> Trace:
    """Every attempt takes as long as it may; the deadline fires during attempt `number` or the wait after it."""
    events: list[tuple[Ms, str, dict[str, Ms]]] = []
    for before in range(1, number):
        events.append((attempts.begins(before) + attempts.longest_ms, "attempt_fails", {}))
        events.append((attempts.begins(before + 1), "retry", {}))
    begins, ends = attempts.begins(number), attempts.begins(number) + attempts.longest_ms
    if waiting:
        events.append((ends, "attempt_fails", {}))
        begins, ends = ends, attempts.begins(number + 1)
    events.append(_fires(facts, _after(limit, begins, ends)))
    return run_retries(facts.config, events)


def _told(facts: Facts, attempts: Attempts, limit: Ms, number: int) -> Trace:
    """The attempts before `number` told as one, together as long as it takes for whole instants where there are any."""
    delays, latest = attempts.delays(number - 1), attempts.begins(number)
    begins = floor(latest) if floor(latest) >= delays else latest
    fires = _after(limit, begins, latest + attempts.longest_ms)
    # Begun at `begins`, the attempt may be over by then: it begins later, or exactly as late as it can.
    until = begins if fires <= begins + attempts.longest_ms else latest
    events = [(0, "attempts_fail", {"until": until}), _fires(facts, fires)]
    return run_retries(facts.config, events, told=(number - 1, delays))
