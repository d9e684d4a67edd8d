"""The client's poll schedule as exact arithmetic (`docs/reference/semantics.md`, section 2).

A *gap* runs at the client, from the reply (or the noticed failure) to the next poll.
A *silence* runs at the server, from one contact to the next; it is a gap plus what the network adds.
Every number is an `int` or a `Fraction` of milliseconds: nothing is rounded.
"""

from collections.abc import Iterator
from fractions import Fraction

import attrs

from ..config import Config

Ms = int | Fraction
"""Milliseconds, exact."""

RAMP_LIMIT = 300
"""Longest ramp that is unrolled: a multiplier of 1.05 grows two million-fold in it."""


class RampTooLong(ValueError):
    """The nominal delay takes more than `RAMP_LIMIT` polls to stop growing: nothing is said about such a client."""


@attrs.frozen
class Span:
    """A closed range of milliseconds, `lo` to `hi`; `hi` is None where nothing bounds it."""

    lo: Ms
    hi: Ms | None

    def __add__(self, other: "Span") -> "Span":
        hi = None if self.hi is None or other.hi is None else self.hi + other.hi
        return Span(self.lo + other.lo, hi)


@attrs.frozen
class Schedule:
    """Gaps and silences of one client against one server's hint and ttl.

    `hint_ms` and `cap_ms` are what the client has been told: the advertised poll interval, and the advertised ttl
    where `ttl_mode = "cap-gap"` makes it a bound on the gap (otherwise None).
    """

    initial_ms: Ms | None
    multiplier: Fraction
    max_ms: Ms | None
    jitter: tuple[Fraction, Fraction]
    hint_mode: str
    hint_ms: Ms | None
    min_ms: Ms | None
    cap_ms: Ms | None
    error_initial_ms: Ms | None
    error_multiplier: Fraction
    error_max_ms: Ms | None
    request_timeout_ms: Ms | None
    failures: int
    errors_max: int | None
    restart_ms: Ms
    latency: Span

    @classmethod
    def of(cls, config: Config) -> "Schedule | None":
        """Schedule of the configuration's client, or None where the file says too little for one to exist.

        A client that obeys a hint alone (`replace`, `clamp`) needs no delay of its own.
        """
        client = config.client
        hint = config.server.poll_interval_ms
        initial, ceiling = client.initial_delay_ms, client.max_delay_ms
        if initial is None and ceiling is None:
            if hint is None or client.hint_mode not in ("replace", "clamp", "floor"):
                return None
            # A client told to wait for the hint and given no delay of its own waits for the hint.
            initial = ceiling = 0
        elif initial is None:
            initial = ceiling
        elif ceiling is None and client.multiplier == 1:
            ceiling = initial
        ttl = config.advertised_ttl_ms_effective
        return cls(
            initial_ms=initial,
            multiplier=client.multiplier,
            max_ms=ceiling,
            jitter=client.jitter,
            hint_mode=client.hint_mode,
            hint_ms=hint,
            min_ms=client.min_delay_ms,
            cap_ms=ttl if client.ttl_mode == "cap-gap" else None,
            error_initial_ms=client.error_initial_delay_ms,
            error_multiplier=client.error_multiplier,
            error_max_ms=client.error_max_delay_ms,
            request_timeout_ms=client.request_timeout_ms,
            failures=config.network.max_consecutive_failures,
            errors_max=client.max_consecutive_errors,
            restart_ms=client.restart_gap_ms or 0,
            latency=Span(*config.network.latency_ms),
        )

    # -- gaps -------------------------------------------------------------------------------------------------

    def nominal(self) -> Iterator[Ms]:
        """Nominal delay before poll 1, 2, ...; constant once the ceiling is reached."""
        assert self.initial_ms is not None
        delay: Ms = self.initial_ms if self.max_ms is None else min(self.initial_ms, self.max_ms)
        while True:
            yield delay
            if self.multiplier != 1 and (self.max_ms is None or delay < self.max_ms):
                grown = delay * self.multiplier
                delay = grown if self.max_ms is None else min(grown, self.max_ms)

    def bound(self, delay: Ms) -> Ms:
        """The gap that a delay of `delay` becomes once hint, `min_delay` and the ttl cap have bound it."""
        hint = self.hint_ms
        if hint is None or self.hint_mode == "ignore":
            gap = delay
        elif self.hint_mode == "floor":
            gap = max(hint, delay)
        elif self.hint_mode == "replace":
            gap = hint
        elif self.hint_mode == "ceiling":
            gap = min(hint, delay)
        else:
            gap = hint if self.min_ms is None else max(hint, self.min_ms)
            gap = gap if self.max_ms is None else min(gap, self.max_ms)
        if self.min_ms is not None:
            gap = max(gap, self.min_ms)
        if self.cap_ms is not None:
            gap = min(gap, self.cap_ms)
        return gap

    def gaps(self) -> Iterator[Span]:
        """Range of the gap before poll 1, 2, ... when the poll before it succeeded."""
        low, high = self.jitter
        for delay in self.nominal():
            yield Span(self.bound(delay * low), self.bound(delay * high))

    def error_gap(self, in_a_row: int, ordinary: Span) -> Span:
        """Range of the gap after the `in_a_row`-th failure; `ordinary` is what it is without an error backoff."""
        if self.error_initial_ms is None:
            return ordinary
        delay = self.error_initial_ms * self.error_multiplier ** (in_a_row - 1)
        if self.error_max_ms is not None:
            delay = min(delay, self.error_max_ms)
        gap = self.bound(delay)
        return Span(gap, gap)

    @property
    def ceiling_reached(self) -> bool:
        """Whether the nominal delay stops growing at all."""
        return self.multiplier == 1 or self.max_ms is not None or not self.initial_ms
