"""From one contact to the next: what a silence at the server is made of.

A *leg* starts at a contact that the client hears of (the creation or a successful `tasks/get`) and ends at the arrival
of the next successful one. In between lie the reply's way back, one gap, any number of failed polls with the gaps after
them, and the request's way in.
"""

from collections.abc import Iterator
from functools import cached_property

import attrs

from .schedule import RAMP_LIMIT, Ms, RampTooLong, Schedule, Span


@attrs.frozen(slots=False)
class Legs:
    """The legs of a schedule, by the number `k` of the poll that the leg starts with.

    `horizon_ms` is a length that no limit of the configuration exceeds: a ramp without a ceiling is unrolled to it.
    """

    schedule: Schedule
    horizon_ms: Ms

    @cached_property
    def ramp(self) -> tuple[Span, ...]:
        """Gaps before poll 1, 2, ..., K; the gap before every later poll is that before poll K.

        Raises RampTooLong where K is beyond what is unrolled.
        """
        schedule, spans = self.schedule, []
        for delay, span in zip(schedule.nominal(), schedule.gaps(), strict=False):
            spans.append(span)
            grown = delay * schedule.multiplier
            if grown == delay or (schedule.max_ms is not None and delay >= schedule.max_ms):
                break
            if schedule.max_ms is None and delay * schedule.jitter[1] > self.horizon_ms:
                # One silence is now longer than anything that could end it, so later ones make no difference.
                break
            if len(spans) == RAMP_LIMIT:
                raise RampTooLong(
                    f"the client's delay grows for more than {RAMP_LIMIT} polls, which are not unrolled; "
                    "a larger multiplier or a nearer max_delay can be answered"
                )
        while len(spans) > 1 and spans[-1] == spans[-2]:
            spans.pop()
        return tuple(spans)

    @property
    def steady(self) -> int:
        """Number K of the poll from which on all gaps are alike."""
        return len(self.ramp)

    def gap(self, k: int) -> Span:
        """Range of the gap before poll `k` when the poll before it succeeded."""
        return self.ramp[min(k, self.steady) - 1]

    @property
    def grows_on(self) -> bool:
        """Whether gaps grow without end, so that the last of the ramp stands for all that are longer."""
        longest = self.gap(self.steady).hi
        return not self.schedule.ceiling_reached and longest is not None and longest > self.horizon_ms

    @property
    def failures_followed(self) -> int:
        """Most failures in a row after which the client still follows its schedule."""
        schedule = self.schedule
        if schedule.errors_max is None:
            return schedule.failures
        return min(schedule.failures, schedule.errors_max - 1)

    @property
    def failures_can_stop(self) -> bool:
        """Whether `max_consecutive_errors` can be reached at all."""
        schedule = self.schedule
        return schedule.errors_max is not None and schedule.errors_max <= schedule.failures

    @cached_property
    def _error_gaps(self) -> tuple[Span, ...]:
        schedule = self.schedule
        return tuple(schedule.error_gap(f, Span(0, 0)) for f in range(1, schedule.failures + 1))

    def error_gap(self, k: int, in_a_row: int) -> Span:
        """Gap after the `in_a_row`-th failure in a row, when the poll that comes next is number `k`."""
        if self.schedule.error_initial_ms is None:
            return self.gap(k)
        return self._error_gaps[in_a_row - 1]

    @cached_property
    def _known(self) -> dict[tuple[int, int], Span]:
        return {}

    def _until_sent(self, k: int, failed: int) -> Span:
        """From a contact to the sending of a poll, `failed` polls in a row having failed before it."""
        k = min(k, self.steady)
        if (k, failed) not in self._known:
            if failed == 0:
                span = self.schedule.latency + self.gap(k)
            else:
                span = self.until_noticed(k, failed) + self.error_gap(k + failed, failed)
            self._known[k, failed] = span
        return self._known[k, failed]

    def until_noticed(self, k: int, failed: int) -> Span:
        """From a contact to the moment when the client notices the `failed`-th failure in a row."""
        timeout = self.schedule.request_timeout_ms or 0
        return self._until_sent(k, failed - 1) + Span(timeout, timeout)

    def leg(self, k: int, failed: int = 0) -> Span:
        """From a contact to the arrival of the next successful poll, `failed` polls having failed before it."""
        return self._until_sent(k, failed) + self.schedule.latency

    def longest(self, k: int) -> Ms | None:
        """Longest silence that starts before poll `k`, the client following its schedule and once being away."""
        followed = self.leg(k, self.failures_followed).hi
        if followed is None:
            return None
        if self.failures_can_stop and self.schedule.errors_max is not None:
            noticed = self.until_noticed(k, self.schedule.errors_max).hi
            followed = noticed if noticed is None else max(followed, noticed)
        return None if followed is None else followed + self.schedule.restart_ms

    @cached_property
    def earliest(self) -> tuple[tuple[Ms, tuple[int, ...]], ...]:
        """For k = 1 ... K: the earliest contact from which the next poll is number k (the last: k or later).

        Each with the failures of the legs that lead there; a failed poll counts in k and may cost less than a
        successful one. Poll 1 is preceded by the creation, at 0.
        """
        best: list[tuple[Ms, tuple[int, ...]] | None] = [None] * self.steady
        best[0] = (0, ())
        for k in range(1, self.steady):
            here = best[k - 1]
            if here is None:
                continue
            for failed in range(self.failures_followed + 1):
                at = here[0] + self.leg(k, failed).lo
                index = min(k + failed + 1, self.steady) - 1
                there = best[index]
                if there is None or at < there[0]:
                    best[index] = (at, (*here[1], failed))
        return tuple(found for found in best if found is not None)

    def starts(self) -> Iterator[tuple[int, Ms, tuple[int, ...]]]:
        """`(k, earliest contact before poll k, failures of the legs up to it)` for k = 1 ... K."""
        for k, (at, failures) in enumerate(self.earliest, start=1):
            yield k, at, failures
