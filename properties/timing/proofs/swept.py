"""The symbolic system of one shape, its unit of time the sweep period: what proofs about sweeps on a grid begin with.

Dense time has no grain of its own, so nothing is lost by it, and the grid becomes the whole numbers beyond its phase.
"""

from collections.abc import Callable
from typing import Any, ClassVar, Self

import attrs
import z3

from latchcheck.kernel import System
from latchcheck.model.config import Config

PERIOD = 1
LONGEST = 10**12
"""No limit is so many sweep periods long: they are counted no farther."""


@attrs.frozen
class Swept:
    """The system of one shape, and its numbers; `build` makes the system of a configuration."""

    build: ClassVar[Callable[..., System]]
    config: Config
    system: System

    @classmethod
    def of(cls, config: Config) -> Self:
        """The system of a configuration's shape."""
        system = cls.build(config, symbolic=True)
        return cls(config, system.at({"sweep_period": PERIOD}) if "sweep_period" in system.parameters else system)

    def number(self, name: str) -> Any:
        """A number of the system; what it does not read is 0."""
        return self.system.parameters.get(name, z3.RealVal(0))

    @property
    def counted(self) -> list[Any]:
        """No number is negative or beyond what sweeps are counted to."""
        parameters: dict[str, Any] = dict(self.system.parameters)
        return [z3.And(number >= 0, number <= LONGEST) for number in parameters.values()]
