"""Small systems, one concept each: built once a shape, with their numbers put in when a run is executed."""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import lru_cache

from latchcheck.kernel import System, Trace, record

from ..config import Config
from .system import Event, Shape, numbers

Build = Callable[..., System]
"""Builds the system of a configuration; called with `symbolic=True` its numbers are parameters."""


def run_small(build: Build, config: Config, events: Iterable[Event], given: Mapping[str, int | Fraction]) -> Trace:
    """Execute events on the small system of a configuration; NotAStep at the first that it does not allow.

    `given` are the numbers, by parameter name, that the timed system has none of.
    Configurations that differ in numbers alone share one compiled system.
    """
    system = _shaped(build, config)
    return record(system, events, at=_given(system, config, given))


def system_of(build: Build, config: Config, given: Mapping[str, int | Fraction]) -> System:
    """The small system of a configuration with its numbers in, for whoever replays or samples its runs."""
    system = _shaped(build, config)
    return system.at(_given(system, config, given))


def _shaped(build: Build, config: Config) -> System:
    # 1 == True in Python: a bound of one millisecond must not share a system with "works on for ever".
    return _of_shape(build, Shape(config), type(config.workload.works_on_after_cancel).__name__)


def _given(system: System, config: Config, given: Mapping[str, int | Fraction]) -> dict[str, int | Fraction]:
    known = {**numbers(config), **given}
    return {name: known[name] for name in system.parameters}


@lru_cache(maxsize=256)
def _of_shape(build: Build, shape: Shape, kind: str) -> System:
    del kind  # part of the key only
    return build(shape.config, symbolic=True)
