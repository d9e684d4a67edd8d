"""The words in which the run of a saved counterexample is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from latchcheck.counterexamples import Fixture
    from latchcheck.kernel import Trace
    from latchcheck.kernel.telling import Telling


def fixture_telling(fixture: Fixture) -> Telling:
    """The words for the run of a fixture: those of the timed model where it has a configuration."""
    if fixture.config is None:
        from latchcheck.model.telling import telling as lifecycle

        return lifecycle()
    from latchcheck.model.config import Config
    from latchcheck.model.timing.telling import telling

    return telling(Config().replace(fixture.config))


def fixture_diagram(fixture: Fixture, trace: Trace) -> str:
    """The Mermaid sequence diagram of the run of a fixture, in the words of its model."""
    from latchcheck.model.telling import RECEIVERS
    from latchcheck.report.interchange import to_mermaid

    receivers = RECEIVERS if fixture.config is None else {}
    return to_mermaid(trace, telling=fixture_telling(fixture), receivers=receivers)
