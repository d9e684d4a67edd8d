"""Poller, network, worker, record and reaper as one transition system."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

import attrs

from latchcheck.kernel import System, Trace, record

from ..config import Config
from .poller import Poller
from .record import Windows
from .server import FINEST_PERIOD_MS, phase_choice, polls, sweep, sweeps_happen, tasks_get, work_ends, write_terminal
from .terms import VARIABLES, Numbers

Event = tuple[int | Fraction, str, Mapping[str, Any]]


def timed_system(config: Config, *, symbolic: bool = False) -> System:
    """The timed model of a configuration; with `symbolic` its numbers are parameters, its modes stay as they are.

    Source: docs/reference/semantics.md, sections 1 to 3.
    """
    return _built(Numbers(config, symbolic))


def run(config: Config, events: Iterable[Event]) -> Trace:
    """Execute events on the timed model of a configuration; raises NotAStep at the first that it does not allow.

    Configurations that differ in numbers alone share one compiled system.
    """
    system = _of_shape(Shape(config))
    return record(system, events, at={name: numbers(config)[name] for name in system.parameters})


def _built(numbers: Numbers) -> System:
    poller, windows = Poller(numbers), Windows.of(numbers)
    phase, in_phase = phase_choice(numbers)
    actions = (
        poller.create(phase, in_phase),
        poller.handle_arrives(),
        poller.leave(),
        poller.poll(),
        tasks_get(poller, windows),
        *polls(poller, windows),
        poller.reply_arrives(),
        poller.failure_noticed(),
        poller.give_up(),
        write_terminal(numbers),
        sweep(poller, windows),
    )
    urgency = (*poller.urgency(), *work_ends(numbers), *sweeps_happen(numbers, windows))
    return System(
        name="timed",
        variables=VARIABLES,
        actions=tuple(action for action in actions if action is not None),
        clock="now",
        urgency=urgency,
        parameters=dict(numbers.symbols),
    )


class Shape:
    """A configuration seen without its numbers: two of one shape have the same actions."""

    __slots__ = ("config", "key")

    def __init__(self, config: Config) -> None:
        self.config = config
        self.key = _shape(config)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shape) and self.key == other.key


@lru_cache(maxsize=256)
def _of_shape(shape: Shape) -> System:
    return _built(Numbers(shape.config, symbolic=True))


def _shape(config: Config) -> tuple[object, ...]:
    parts: list[object] = [
        config.advertised_ttl_ms_effective is None,
        config.enforced_ttl_ms_effective is None,
        config.enforced_anchor_effective,
        config.server.clock_skew_ms == 0,
    ]
    for section in (config.client, config.server, config.network, config.workload):
        for field in attrs.fields(type(section)):
            value = getattr(section, field.name)
            if not field.name.endswith("_ms") or isinstance(value, str):
                parts.append(value)
            elif isinstance(value, tuple):
                parts.append((value[0] == value[1], value[1] is None))
            else:
                parts.append(value is None)
    return tuple(parts)


def numbers(config: Config) -> dict[str, int | Fraction]:
    """The value of every number that the timed model of some configuration may name, in milliseconds."""
    client, server = config.client, config.server
    first, last = config.workload.execution_ms or (0, None)
    low, high = config.network.latency_ms
    ceiling = client.max_delay_ms
    period = server.sweep_period_ms
    found = {
        "initial_delay": (ceiling or 0) if client.initial_delay_ms is None else client.initial_delay_ms,
        "max_delay": ceiling,
        "min_delay": client.min_delay_ms,
        "poll_interval": server.poll_interval_ms,
        "advertised_ttl": config.advertised_ttl_ms_effective,
        "enforced_ttl": config.enforced_ttl_ms_effective,
        "error_initial_delay": client.error_initial_delay_ms,
        "error_max_delay": client.error_max_delay_ms,
        "request_timeout": client.request_timeout_ms or 0,
        "restart_gap": client.restart_gap_ms,
        "overall_timeout": client.overall_timeout_ms,
        "sweep_period": max(period, FINEST_PERIOD_MS) if isinstance(period, int) else None,
        "sweep_lateness": server.sweep_lateness_ms,
        "orphan_window": server.orphan_window_ms,
        "execution_deadline": server.execution_deadline_ms,
        "clock_skew": server.clock_skew_ms,
        "latency": low,
        "latency_lo": low,
        "latency_hi": high,
        "execution": first,
        "execution_lo": first,
        "execution_hi": last,
    }
    return {name: value for name, value in found.items() if value is not None}
