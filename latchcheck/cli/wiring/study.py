"""The tables of the source paper, recomputed; and what is drawn of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # each function imports what it needs, so that --help does not pay for the solver
    from latchcheck.kernel.figures import Recomputed
    from latchcheck.properties.study.curves import Region
    from latchcheck.properties.study.orphans import Map
    from latchcheck.report.study import drawing
    from latchcheck.report.study.drawing import Picture

Step = Callable[[], None]


def table_steps(tables: Sequence[int]) -> int:
    """How often `recompute` calls its `step` for these tables."""
    from latchcheck.properties.study import frontier, orphans

    grids = 2 * frontier.STEPS if {2, 3} & set(tables) else 0
    return grids + 2 * (1 in tables) + (4 in tables) + (orphans.STEPS if 5 in tables else 0)  # noqa: PLR2004 - numbers of tables


def recompute(tables: Sequence[int], step: Step) -> Iterator[Recomputed]:
    """These tables of the paper, recomputed, in their order; `step` is called as the work goes on.

    Raises ClickException where the stores of Table 1 cannot be had, on a full disk for instance.
    """
    if 1 in tables:
        yield _restarts(step)
    if {2, 3} & set(tables):
        yield from _frontier(tables, step)
    if 4 in tables:  # noqa: PLR2004 - the number of a table
        yield _defaults(step)
    if 5 in tables:  # noqa: PLR2004 - the number of a table
        yield _orphans(step)


def _restarts(step: Step) -> Recomputed:
    import click

    from latchcheck.counterexamples.targets.restarting import restart_once
    from latchcheck.counterexamples.targets.stores.connection import Lost
    from latchcheck.counterexamples.targets.stores.process import Died
    from latchcheck.kernel.figures import Recomputed, cells
    from latchcheck.properties.study import published

    stores = dict(zip(published.TABLE_1.rows, ("volatile", "sqlite"), strict=True))

    def row(label: str) -> list[str]:
        try:
            after = restart_once(stores[label])
        except (Died, Lost) as gone:
            raise click.ClickException(f"the store of Table 1: {gone}") from gone
        resolve = after.readable + after.resumed + after.failed
        step()
        return [
            str(resolve),
            str(after.forgotten + after.lost),
            str(after.resumed),
            f"{100 * resolve // after.handles}%",
        ]

    note = (
        "Each row is a real store in a process of its own, killed by SIGKILL with eight attempts under way and started "
        "again; then every handle is asked for, and a worker tries to take up what was in flight."
    )
    return Recomputed(published.TABLE_1, cells(published.TABLE_1, row), notes=(note,))


def _frontier(tables: Sequence[int], step: Step) -> list[Recomputed]:
    from latchcheck.kernel.figures import Recomputed
    from latchcheck.properties.study import frontier, published
    from latchcheck.properties.study.telling import about_arithmetic

    binary, exact = frontier.grid("binary", step), frontier.grid("exact", step)
    made = {2: frontier.table_2(binary, exact), 3: frontier.table_3(binary, exact)}
    return [
        Recomputed(published.TABLES[number], figures, "exact", tuple(about_arithmetic(figures)))
        for number, figures in made.items()
        if number in tables
    ]


def _defaults(step: Step) -> Recomputed:
    from latchcheck.kernel.figures import Recomputed
    from latchcheck.properties.study import defaults, published
    from latchcheck.properties.study.telling import about_defaults

    figures = defaults.table_4()
    step()
    return Recomputed(published.TABLE_4, figures, notes=tuple(about_defaults()))


def _orphans(step: Step) -> Recomputed:
    from latchcheck.kernel.figures import Recomputed
    from latchcheck.properties.study import orphans, published
    from latchcheck.properties.study.telling import about_edges, about_stepping

    found = orphans.grid(step)
    notes = (*about_stepping(found), *about_edges())
    return Recomputed(published.TABLE_5, orphans.table_5(found), "event-exact", notes)


def picture_steps() -> int:
    """How often `pictures` calls its `step`."""
    from latchcheck.properties.study import curves

    return curves.FRONTIER_STEPS + curves.FRACTION_STEPS + curves.REGION_STEPS


def pictures(step: Step) -> dict[str, Picture]:
    """The figures of the study by the stem of their file names; raises NeedsMatplotlib."""
    from latchcheck.properties.study import curves, orphans
    from latchcheck.properties.study.published import DURATIONS
    from latchcheck.report.study import drawing

    drawing.drawer()  # to fail before the work is done
    panels = {
        f"{label} task": [
            drawing.Curve(
                kind,
                [(one.polls, one.staleness_s) for one in points],
                [one.name for one in points],
                curves.PUBLISHED[kind],
            )
            for kind, points in curves.frontier(length, step).items()
        ]
        for label, length in DURATIONS.items()
    }
    shares = [drawing.Curve(policy, points) for policy, points in curves.fractions_of_duration(step).items()]
    return {
        "frontier": drawing.frontier(panels),
        "staleness": drawing.fractions(shares, list(DURATIONS.values())),
        "defaults": _prices(),
        "orphan-map": drawing.orphan_map(_map(curves.region(step), orphans.grid())),
    }


def _prices() -> Picture:
    from latchcheck.properties.study import curves
    from latchcheck.report.study import drawing

    found = curves.prices()
    attempts = [
        drawing.Curve(f"default {default}", [(share, price.attempts) for share, price in rows])
        for default, rows in found.items()
    ]
    lost = [(share, price.lost_work) for share, price in found["permanent"]]
    dead = [(share, price.dead_letters) for share, price in found["transient"]]
    losses = [
        drawing.Curve("default permanent: lost work", lost),
        drawing.Curve("default transient: dead letters", dead),
    ]
    return drawing.prices(attempts, losses, "100 failures")


def _map(region: Region, found: Map) -> drawing.Map:
    from latchcheck.properties.study.curves import MAP_WINDOWS_S
    from latchcheck.report.study import drawing

    return drawing.Map(
        can=[(ceiling, float(window)) for ceiling, window in region.can],
        must=region.must,
        sampled=[(ceiling, [float(one) for one in windows]) for ceiling, windows in region.sampled],
        cells=[(*key, cell.stepped.orphaned_at_s is not None) for key, cell in found.items()],
        windows=MAP_WINDOWS_S,
    )
