"""The timed model of a configuration with its numbers left open: what is proved there holds for other numbers too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

import attrs

from latchcheck.kernel import System
from latchcheck.wording.words import Opened, World

from ...model.config import Config
from ...model.timing.system import numbers, timed_system
from ...model.timing.terms import Numbers
from . import timing as timing_words

NAMES: Final[Mapping[str, str]] = {
    **{name: f"client.{name}" for name in (
        "initial_delay", "max_delay", "min_delay", "error_initial_delay", "error_max_delay", "request_timeout",
        "restart_gap", "overall_timeout")},
    **{name: f"server.{name}" for name in (
        "poll_interval", "advertised_ttl", "enforced_ttl", "sweep_period", "sweep_lateness", "orphan_window",
        "execution_deadline", "clock_skew")},
    "latency_lo": "network.latency[0]", "latency_hi": "network.latency[1]",
    "execution_lo": "workload.execution[0]", "execution_hi": "workload.execution[1]",
}  # fmt: skip
"""What each number of the timed model is called in a configuration."""
SMALL: Final = ("latency_lo", "latency_hi", "clock_skew", "sweep_lateness")
GRID: Final = ("sweep_period", "sweep_lateness")


def narrow(system: System) -> System:
    """Without the shorthand for many polls, which adds no behaviour."""
    actions = tuple(action for action in system.actions if action.name not in ("polls", "polls_end"))
    return attrs.evolve(system, actions=actions)


def opened_worlds(name: str, config: Config) -> Iterator[Opened]:
    """The ways to leave the numbers of a configuration open: with sweeps at any instants, and at its own period."""
    if isinstance(config.server.sweep_period_ms, int):
        # A reaper that may sweep at any instant, and need not, has every run of each period.
        yield _opened(name, config, config.replace({"server.sweep_period_ms": None}), ())
    yield _opened(name, config, config, GRID)


def _opened(name: str, config: Config, shape: Config, kept: tuple[str, ...]) -> Opened:
    shape = shape.replace({"network.latency_ms": _apart(config.network.latency_ms)})
    if config.workload.execution_ms is not None and config.workload.execution_ms[1] is not None:
        shape = shape.replace({"workload.execution_ms": _apart(config.workload.execution_ms)})
    system = narrow(timed_system(shape, symbolic=True))
    every = {one: Fraction(value) for one, value in numbers(config).items()}
    held = {one: every[one] for one in kept if one in system.parameters}
    system = system.at(held)
    # The words of a sentence may speak about numbers that the model does not read.
    open_ = Numbers(shape, symbolic=True)
    spoken = [one for one in ("advertised_ttl", "enforced_ttl", "orphan_window", "poll_interval", "execution_deadline")
              if one in every]  # fmt: skip
    terms: dict[str, Any] = dict(system.parameters) | {one: open_.real(one, 0) for one in spoken}
    terms = {one: term for one, term in terms.items() if one in NAMES}
    system = attrs.evolve(system, parameters=terms)
    world = World(
        name,
        system,
        timing_words.Bound(shape, open_, system),
        timing_words.vocabulary(),
        "every configuration",
        assumed=tuple(_sane(terms)),
    )
    values = {one: every[one] for one in terms}
    fixed = tuple(f"{NAMES[one]} = {value}ms" for one, value in held.items())
    return Opened(world, values, NAMES, tuple(one for one in SMALL if one in terms), fixed)


def _apart(ends: tuple[Any, Any]) -> tuple[Any, Any]:
    """A range whose ends are two numbers: where they are one, its ends are the same in every configuration."""
    low, high = ends
    return (low, high + 1) if low == high else ends


def _sane(terms: Mapping[str, Any]) -> Iterator[Any]:
    """What is true of the numbers of every configuration."""
    yield from (term >= 0 for term in terms.values())
    for part in ("latency", "execution"):
        if f"{part}_hi" in terms:
            yield terms[f"{part}_lo"] <= terms[f"{part}_hi"]
