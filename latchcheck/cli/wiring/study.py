"""The tables of the source paper, recomputed; and what is drawn of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # each function imports what it needs, so that --help does not pay for the solver
    from latchcheck.kernel.figures import Recomputed

Step = Callable[[], None]


def study_steps(tables: Sequence[int]) -> int:
    """How often `study` calls its `step` for these tables."""
    from latchcheck.properties.study import frontier, orphans

    grids = 2 * frontier.STEPS if {2, 3} & set(tables) else 0
    return grids + (1 in tables) + (4 in tables) + (orphans.STEPS if 5 in tables else 0)  # noqa: PLR2004 - numbers of tables


def study(tables: Sequence[int], step: Step) -> list[Recomputed]:
    """These tables of the paper, recomputed, in their order; `step` is called as the work goes on."""
    found: list[Recomputed] = []
    if {2, 3} & set(tables):
        found += _frontier(tables, step)
    if 4 in tables:  # noqa: PLR2004 - the number of a table
        found.append(_defaults(step))
    if 5 in tables:  # noqa: PLR2004 - the number of a table
        found.append(_orphans(step))
    return found


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
