"""Configurations in which everything is as generous as the world allows: where to come from with a repair.

What the world does (`network`, `workload`, how far clocks are off and sweeps late) stays as it is. From it follow, one
after the other: polls as close together as can be, the longest silence, an orphan window beyond that, a limit on the
client's wait beyond the work, and retentions beyond all of it. Where two properties pull in two directions there are
several ways, and each is offered. Numbers that are not set stay so; settings take any value.
"""

from collections.abc import Callable, Iterator
from itertools import product

import attrs

from latchcheck.model.config import Config

POLL_MS = 1
SWEEP_MS = 1
SLACK_MS = 10
RETENTIONS = 4
ANCHORS = ("terminal", "creation-then-terminal", "creation")


@attrs.frozen
class World:
    """What nobody sets, as the greatest numbers of it."""

    latency_ms: int
    failures: int
    first_ms: int
    last_ms: int
    human_ms: int
    stall_ms: int
    skew_ms: int
    lateness_ms: int

    @classmethod
    def of(cls, config: Config) -> "World":
        """The world of a configuration; work without an end is followed for a while."""
        work = config.workload
        first, last = work.execution_ms or (0, 0)
        return cls(
            config.network.latency_ms[1],
            config.network.max_consecutive_failures,
            first,
            RETENTIONS * first + 1_000 if last is None else last,
            (work.human_answer_ms or (0, 0))[1],
            work.stall_ms,
            config.server.clock_skew_ms,
            config.server.sweep_lateness_ms,
        )


@attrs.frozen
class Way:
    """How properties that pull in two directions are decided."""

    deadline_ms: int | None
    away_ms: int
    ttl_mode: str
    anchor: str
    sweeps: bool
    expires_running: bool
    keeps_ended: bool


def starts(config: Config, may: Callable[[str], bool] = lambda _: True) -> Iterator[dict[str, object]]:
    """Changes that lead to a generous configuration, each once; only keys that `may` allows are in them."""
    now, told = config.flat(), list[dict[str, object]]()
    for way in _ways(config):
        wanted = {**_numbers(config, way), **_settings(config, way)}
        after = config.replace(wanted).flat()
        changes = {key: value for key, value in wanted.items() if may(key) and after[key] != now[key]}
        if changes and changes not in told:
            told.append(changes)
            yield changes


def _ways(config: Config) -> Iterator[Way]:
    """The deadline as it is, inside the work, just before its end, or beyond everything; the rest one by one."""
    world, server, away = World.of(config), config.server, config.client.restart_gap_ms or 0
    deadlines: list[int | None] = [server.execution_deadline_ms]
    if server.execution_deadline_ms is not None:
        beyond = 2 * (world.last_ms + world.skew_ms) + world.human_ms + away
        beyond += SLACK_MS * (world.latency_ms + 1) + (world.failures + 1) * (2 * world.latency_ms + 2)
        before = world.last_ms - 2 * world.skew_ms - SWEEP_MS - world.lateness_ms - 1
        deadlines += [max(1, world.first_ms), max(1, before), beyond]
    for choice in product(
        dict.fromkeys(deadlines),
        dict.fromkeys((away, min(away, 1))),
        dict.fromkeys(("ignore", config.client.ttl_mode)),
        ANCHORS,
        (True, False) if server.sweep_period_ms == "lazy" else (True,),
        (False, True),
        (False, True) if server.expired_terminal == "keep" else (False,),
    ):
        yield Way(*choice)


def _numbers(config: Config, way: Way) -> dict[str, object]:
    """Every number that is set, with its generous value."""
    now, world = config.flat(), World.of(config)
    request = 2 * world.latency_ms + 1
    silence = (world.failures + 1) * (POLL_MS + request) + 2 * world.latency_ms + way.away_ms + 1
    sweep = SWEEP_MS + world.lateness_ms + world.skew_ms
    ends = world.last_ms if way.deadline_ms is None else min(world.last_ms, way.deadline_ms + sweep + 1)
    again = 2 * world.last_ms + RETENTIONS * (world.stall_ms + world.latency_ms + SLACK_MS)
    patience = max(ends + silence + way.away_ms + SLACK_MS * (world.latency_ms + 1) + sweep, again)
    kept = RETENTIONS * (patience + silence + world.human_ms + sweep + SLACK_MS)
    asked = world.human_ms + silence + 2 * request + SLACK_MS
    lease = world.stall_ms + 2 if now["server.lease_renewal_ms"] else world.last_ms + 1
    found: dict[str, object] = {
        **dict.fromkeys(("client.initial_delay_ms", "client.max_delay_ms", "client.min_delay_ms"), POLL_MS),
        **dict.fromkeys(("server.poll_interval_ms", "client.error_initial_delay_ms"), POLL_MS),
        **dict.fromkeys(("client.error_max_delay_ms", "client.retry_horizon_ms"), POLL_MS),
        **dict.fromkeys(("client.multiplier", "client.error_multiplier", "server.retry_multiplier"), 1),
        "client.jitter": (1, 1),
        "client.request_timeout_ms": request,
        "client.max_consecutive_errors": world.failures + 1,
        "client.restart_gap_ms": way.away_ms,
        "client.overall_timeout_ms": patience,
        **dict.fromkeys(("client.requested_ttl_ms", "server.advertised_ttl_ms", "server.enforced_ttl_ms"), kept),
        "server.idempotency_retention_ms": kept,
        **dict.fromkeys(("server.orphan_bound_ms", "server.abandoned_work_bound_ms"), RETENTIONS * kept),
        "server.cancel_marker_retention_ms": RETENTIONS * kept,
        "server.orphan_window_ms": silence + world.skew_ms,
        "server.execution_deadline_ms": way.deadline_ms,
        "server.sweep_period_ms": SWEEP_MS,
        "server.lease_timeout_ms": lease + 1,
        **dict.fromkeys(("server.lease_renewal_ms", "server.lease_sweep_ms"), 1),
        **dict.fromkeys(("server.max_attempts", "server.retry_initial_delay_ms", "server.retry_max_delay_ms"), 1),
        **dict.fromkeys(("client.input_request_timeout_ms", "server.input_window_ms"), asked),
        "server.input_state_retention_ms": asked,
    }
    return {key: value for key, value in found.items() if now[key] is not None and not isinstance(now[key], str)} | {
        key: found[key] for key in ("client.multiplier", "client.error_multiplier", "server.retry_multiplier")
    }


def _settings(config: Config, way: Way) -> dict[str, object]:
    """Every setting that has a side which is safer, or one for each way."""
    found: dict[str, object] = {
        "client.hint_mode": "floor",
        "client.ttl_mode": way.ttl_mode,
        "client.overall_timeout_from": "handle",
        "client.polls_while_waiting": True,
        "client.cancel_on_abandon": True,
        "server.advertised_anchor": way.anchor,
        "server.enforced_anchor": way.anchor,
        "server.expire_running": way.expires_running,
        "server.expiry_stops_work": True,
        "server.expired_terminal": "keep" if way.keeps_ended else "delete",
        "server.sweep_order": ["timeouts", "orphans", "expiry"],
        "server.orphan_comparison": ">",
    }
    if way.sweeps and config.server.sweep_period_ms == "lazy":
        found["server.sweep_period_ms"] = SWEEP_MS
    return found
