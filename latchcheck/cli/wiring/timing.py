"""The timing properties: their answers, the words of their runs, and the theorems behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # each function imports what it needs, so that --help does not pay for the solver
    from latchcheck.engines.obligations import Theorem
    from latchcheck.kernel.telling import Telling
    from latchcheck.kernel.verdict import Configuration, Report
    from latchcheck.model.config import Config


def verify(config: Config, only: Sequence[str] | None, *, repairs: bool = True) -> Report:
    """The answers to the timing properties, all of them or those named, with what repairs them if that is wanted."""
    from latchcheck.properties.timing import verify as answer

    return answer(config, only, repairs=repairs)


def telling(config: Configuration) -> Telling:
    """The words in which the runs of a configuration are told to people."""
    from latchcheck.model.config import Config
    from latchcheck.model.timing.telling import telling as words

    assert isinstance(config, Config)
    return words(config)


def theorems() -> Sequence[Theorem]:
    """Every theorem behind the exact conditions, then those of the lifecycle model.

    Each has an id, its property, what it `says`, and `prove`, which yields its proofs.
    """
    from latchcheck.properties.lifecycle.proofs import theorems as proved
    from latchcheck.properties.timing.proofs.registry import theorems as registered

    return (*registered(), *proved())
