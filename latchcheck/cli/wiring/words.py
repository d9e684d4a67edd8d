"""The words in which the run of a saved counterexample is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from latchcheck.counterexamples import Fixture
    from latchcheck.kernel.telling import Telling


def fixture_telling(fixture: Fixture) -> Telling:
    """The words for the run of a fixture; those of the timed model where it has a configuration."""
    from latchcheck.kernel.telling import PLAIN
    from latchcheck.model.config import Config
    from latchcheck.model.timing.telling import telling

    return PLAIN if fixture.config is None else telling(Config().replace(fixture.config))
