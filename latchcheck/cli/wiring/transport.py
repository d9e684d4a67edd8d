"""The poll frontier against a real server, beside the model's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # each function imports what it needs, so that --help does not pay for the solver
    from latchcheck.counterexamples.targets.polling import Polled
    from latchcheck.properties.study.transport import Compared, Observed
    from latchcheck.report.study.transport import Row

Step = Callable[[], None]


def transport_steps() -> int:
    """How often `transport` calls its `step`."""
    from latchcheck.properties.study.transport import plan

    return len(plan())


def measure_transport(step: Step) -> tuple[list[Row], Mapping[str, str], list[str]]:
    """The cells measured on a real server, with what it was measured on, and what follows.

    Raises ClickException where the server is not installed, does not start, or answers nonsense.
    """
    import click

    from latchcheck.counterexamples.targets.errors import TargetError

    try:
        return _measured(step)
    except TargetError as error:
        raise click.ClickException(str(error)) from error


def _measured(step: Step) -> tuple[list[Row], Mapping[str, str], list[str]]:
    from latchcheck.counterexamples.targets.environments import needed
    from latchcheck.counterexamples.targets.polling import ENVIRONMENT, Asked, PolledServer
    from latchcheck.properties.study.transport import compare, notes, plan

    environment, cells = needed(ENVIRONMENT), []
    with PolledServer() as server:
        for planned in plan():
            asked = [Asked(one.work_s, one.gaps_s) for one in planned]
            cells.append(compare(planned, [_observed(one) for one in server.poll_all(asked, len(asked))]))
            step()
    shown = {name: environment.versions[name] for name in environment.recipe.shown if name in environment.versions}
    return [_row(one) for one in cells], shown, list(notes(cells))


def _observed(seen: Polled) -> Observed:
    from latchcheck.properties.study.transport import Observed

    return Observed(
        polls=len(seen.arrivals_s),
        staleness_s=seen.staleness_s,
        handle_s=seen.handle_s,
        round_trip_s=seen.round_trip_s,
        overslept_s=seen.overslept_s,
        ended_s=seen.ended_s,
    )


def _row(one: Compared) -> Row:
    from latchcheck.report.study.transport import Row

    return Row(
        policy=one.policy,
        duration_s=one.duration_s,
        scale=one.scale,
        runs=one.runs,
        model_polls=one.model_polls,
        server_polls=one.server_polls,
        off_percent=one.off,
        with_network_polls=one.explained_polls,
        with_network_off_percent=one.unexplained,
        model_staleness_s=one.model_staleness_s,
        server_staleness_s=one.server_staleness_s,
        round_trip_ms=one.round_trip_ms,
    )
