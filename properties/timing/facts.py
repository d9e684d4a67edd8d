"""What a configuration comes to, worked out once and read by every property.

The notation of the reference page (`docs/reference/semantics.md`) in names: `skew_ms` is s, `spacing` the longest time
between two sweeps, `ends` the range of the worker's terminal write.
"""

from functools import cached_property, lru_cache

import attrs

from latchcheck.model.config import Config
from latchcheck.model.timing.legs import Legs
from latchcheck.model.timing.schedule import Ms, Schedule

from .bounds import NEVER, Upper, earliest


@attrs.frozen(slots=False)
class Facts:
    """Derived numbers of one configuration; everything is exact."""

    config: Config

    # -- sizes ------------------------------------------------------------------------------------------------

    @cached_property
    def horizon_ms(self) -> Ms:
        """A length that no limit of the configuration exceeds."""
        numbers = [value for value in durations(self.config) if value is not None]
        return 4 * sum(numbers) + 1_000

    @cached_property
    def legs(self) -> Legs | None:
        """The client's legs, or None where the configuration says too little about its polling."""
        schedule = Schedule.of(self.config)
        if schedule is None:
            return None
        legs = _legs(schedule, 0 if schedule.ceiling_reached else self.horizon_ms)
        # Polls without any pause over a network without latency leave time no way to pass.
        return None if legs.leg(legs.steady).hi == 0 else legs

    @property
    def latency(self) -> tuple[int, int]:
        """Least and greatest time that a message takes."""
        return self.config.network.latency_ms

    @property
    def skew_ms(self) -> int:
        """How far two clocks can be apart."""
        return self.config.server.clock_skew_ms

    # -- the work ---------------------------------------------------------------------------------------------

    @property
    def execution_declared(self) -> bool:
        """Whether anybody said how long the work takes."""
        return self.config.workload.execution_ms is not None

    @property
    def ends(self) -> tuple[Ms, Ms | None]:
        """Earliest and latest instant of the worker's terminal write; undeclared work may take any time."""
        return self.config.workload.execution_ms or (0, None)

    # -- the server's limits ----------------------------------------------------------------------------------

    @property
    def deadline_ms(self) -> Ms | None:
        """The execution deadline, or None."""
        return self.config.server.execution_deadline_ms

    @property
    def window_ms(self) -> Ms | None:
        """The orphan window, or None."""
        return self.config.server.orphan_window_ms

    @property
    def window_inclusive(self) -> bool:
        """Whether a silence of exactly the window is already too long."""
        return self.config.server.orphan_comparison == ">="

    @property
    def ttl_ms(self) -> Ms | None:
        """The enforced ttl, or None where nothing expires."""
        return self.config.enforced_ttl_ms_effective

    @property
    def window(self) -> Ms:
        """The orphan window, for those who know that there is one."""
        assert self.window_ms is not None
        return self.window_ms

    @property
    def ttl(self) -> Ms:
        """The enforced ttl, for those who know that there is one."""
        assert self.ttl_ms is not None
        return self.ttl_ms

    @property
    def ttl_knobs(self) -> tuple[str, ...]:
        """The key that sets the enforced ttl: its own, the advertised one, or what the client requests."""
        server, client = self.config.server, self.config.client
        if server.enforced_ttl_ms is not None:
            return ("server.enforced_ttl_ms",)
        if server.honours_requested_ttl and client.requested_ttl_ms is not None:
            return ("client.requested_ttl_ms",)
        return ("server.advertised_ttl_ms",)

    @property
    def anchor(self) -> str:
        """From when the enforced ttl counts."""
        return self.config.enforced_anchor_effective

    @property
    def running_expires(self) -> bool:
        """Whether the expiry pass touches a task that is not terminal."""
        return self.ttl_ms is not None and self.config.server.expire_running and self.anchor != "terminal"

    @property
    def ended_expires(self) -> bool:
        """Whether the expiry pass ever removes a terminal record."""
        server = self.config.server
        return self.ttl_ms is not None and (
            server.expiry_action in ("hide", "delete") or server.expired_terminal == "delete"
        )

    @property
    def lazy(self) -> bool:
        """Whether the server judges at each access instead of sweeping."""
        return self.config.server.sweep_period_ms == "lazy"

    @property
    def exact(self) -> bool:
        """Whether the server acts by an exact timer instead of sweeping: at once, where something is due."""
        return self.config.server.sweep_period_ms == 0

    @property
    def period_ms(self) -> Ms | None:
        """Sweep period, or None where no grid of sweeps is promised; an exact timer is a sweep every millisecond."""
        period = self.config.server.sweep_period_ms
        return max(period, 1) if isinstance(period, int) else None

    @property
    def lateness_ms(self) -> Ms:
        """How late a sweep can come."""
        return self.config.server.sweep_lateness_ms

    @property
    def spacing_ms(self) -> Ms | None:
        """Longest time between two sweeps: the earlier one on time, the later one as late as it may be."""
        period = self.config.server.sweep_period_ms
        return period + self.lateness_ms if isinstance(period, int) else None

    def runs_before(self, first: str, second: str) -> bool:
        """Whether the pass `first` comes before `second` in one sweep."""
        order = self.config.server.sweep_order
        return order.index(first) < order.index(second)

    # -- how long a task can stay alive -----------------------------------------------------------------------

    def alive_until(self, by: str | None = None, *, last_contact: Ms | None = None) -> Upper:
        """Latest instant at which a task can still be working, when `by` (a pass, or None for the worker) acts on it.

        A pass that must fire ends the task at its next sweep; it cannot be dodged longer than from one sweep to the
        next. A pass that stands earlier in the order than `by` fires in the very sweep of `by`.
        `last_contact` is where silence, or an activity anchor, counts from; None leaves those limits out.
        """
        found = [self._forced("timeouts", Upper(self._plus(self.deadline_ms), closed=True), by)]
        if self.running_expires and self.anchor in ("creation", "creation-then-terminal"):
            found.append(self._forced("expiry", Upper(self._plus(self.ttl_ms), closed=False), by))
        if self.running_expires and self.anchor == "activity" and last_contact is not None:
            limit = Upper(last_contact + self.ttl + self.skew_ms, closed=False)
            found.append(self._forced("expiry", limit, by))
        if self.window_ms is not None and by != "orphans" and last_contact is not None:
            limit = Upper(last_contact + self.window + self.skew_ms, closed=not self.window_inclusive)
            found.append(self._forced("orphans", limit, by))
        return earliest(found)

    def _plus(self, limit: Ms | None) -> Ms | None:
        return None if limit is None else limit + self.skew_ms

    def _forced(self, name: str, limit: Upper, by: str | None) -> Upper:
        if limit.at is None or name == by:
            return NEVER
        if by is not None and self.runs_before(name, by):
            return limit
        if self.lazy:
            # No sweep comes by itself: the access before must not have found anything to do.
            step = self.legs.longest(self.legs.steady) if self.legs is not None else None
            # The creation, which nothing judges, is the access before a limit of 0.
            return NEVER if step is None else Upper(limit.at + step, limit.closed or limit.at == 0)
        if self.spacing_ms is None:
            return NEVER
        # A sweep just before the limit puts the next one off, but not for as long as the sweeps are apart. A limit of 0
        # has no sweep before it, and a timer none at all: what comes first at the last instant bounds it, inclusively.
        return Upper(limit.at + self.spacing_ms, limit.closed or limit.at == 0 or self.exact)

    # -- the client's patience --------------------------------------------------------------------------------

    @property
    def give_up_ttl_ms(self) -> Ms | None:
        """The ttl at which the client gives up, or None."""
        return self.config.advertised_ttl_ms_effective if self.config.client.ttl_mode == "give-up" else None

    @property
    def limited(self) -> bool:
        """Whether any limit stops the client."""
        return self.config.client.overall_timeout_ms is not None or self.give_up_ttl_ms is not None

    def stops(self) -> tuple[Ms | None, Ms | None]:
        """Earliest and latest instant at which the client's limit stops it (None: nothing does)."""
        low, high = self.latency
        client, ttl = self.config.client, self.give_up_ttl_ms
        if client.overall_timeout_ms is None:
            return ttl, ttl
        if client.overall_timeout_from == "call":
            first, last = client.overall_timeout_ms - high, client.overall_timeout_ms - low
        else:
            first, last = client.overall_timeout_ms + low, client.overall_timeout_ms + high
        return (first, last) if ttl is None else (min(first, ttl), min(last, ttl))

    @property
    def last_arrival_ms(self) -> Ms | None:
        """Latest instant at which a poll of the client can reach the server: sent just as the client stops."""
        stop = self.stops()[1]
        return None if stop is None else stop + self.latency[1]


@lru_cache(maxsize=256)
def _legs(schedule: Schedule, horizon_ms: Ms) -> Legs:
    """Configurations that poll alike share their legs, which take longer to work out than any condition."""
    return Legs(schedule, horizon_ms)


def durations(config: Config) -> list[int | None]:
    """Every duration of a configuration, flat."""
    found: list[int | None] = []
    for name, value in config.flat().items():
        if not name.endswith("_ms"):
            continue
        values = value if isinstance(value, list) else [value]
        found.extend(item for item in values if isinstance(item, int) and not isinstance(item, bool))
    return found
