"""What the tables cannot say themselves, in sentences that are made from the results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from latchcheck.kernel.duration import readable
from latchcheck.kernel.figures import Figure

from . import beyond, defaults, orphans
from .frontier import PHASES, SEEDS
from .poller import SECOND_MS


def about_arithmetic(figures: Sequence[Figure]) -> Iterator[str]:
    """Where exact arithmetic gives another figure than the paper's floating point, and why."""
    yield (
        f"{len(SEEDS)} seeds x {PHASES} phases an adaptive cell, {PHASES} phases a fixed one; "
        "each task ends between 0.90 and 1.10 of its nominal length."
    )
    moved = [one for one in figures if one.beside != one.ours]
    if not moved:
        yield "Exact arithmetic gives the same figures."
        return
    cells = ", ".join(f"{one.row}, {one.column}: {one.beside}" for one in moved)
    yield (
        f"Exact arithmetic differs in {len(moved)} of {len(figures)} figures ({cells}): the paper's phases are sums in "
        "binary floating point, 0.9 + 0.02 * i, some of which end the task a hair after the poll that is due exactly "
        "then, so that one more poll is counted."
    )


def about_defaults() -> Iterator[str]:
    """What Table 4 comes down to: the price of one more recovered call, by how many unknowns are retryable."""
    yield (
        f"One call of each sort is run on the lifecycle model with a ceiling of {defaults.ATTEMPTS_MAX} attempts, and "
        "counted as often as the workload has it."
    )
    for share in (25, 50, 75, 100):
        truly = defaults.UNRECOGNISED * share // 100
        permanent, transient = defaults.price("permanent", truly), defaults.price("transient", truly)
        more, recovered = transient.attempts - permanent.attempts, transient.recovered - permanent.recovered
        yield (
            f"Truly transient {share}%: default transient recovers {recovered} more calls for {more} more attempts, "
            f"{float(Fraction(more, recovered)):g} each, and leaves {transient.dead_letters} dead letters."
        )


def about_stepping(found: orphans.Map) -> Iterator[str]:
    """Why the published instants are those of a clock in steps, and what happens without."""
    for (ceiling, window), cell in found.items():
        if cell.stepped.orphaned_at_s is None:
            continue
        yield (
            f"Ceiling {ceiling} s, window {window} s, seed {orphans.SEED}: {cell.stepped.told} with a clock that "
            f"advances by {orphans.SWEEP_S} s, {cell.exact.told} event by event, from the same gaps. "
            f"A poll that falls between two steps is seen at the later one, so even a gap of a quarter of a second "
            f"takes a whole step, and the {cell.stepped.polls} polls before the silence take "
            f"{readable(_begins(cell.stepped))} instead of {readable(_begins(cell.exact))}."
        )


def _begins(run: orphans.Run) -> int:
    """When the last silence of a run begins, in whole milliseconds."""
    return round(sum(run.silences_s[:-1]) * SECOND_MS)


def about_edges() -> Iterator[str]:
    """The region, and the two runs at its edges, for the cell of 300 s against 120 s."""
    cell = orphans.configuration(300, 120, stepped=False)
    above = beyond.orphaned_just_above(cell)
    yield (
        f"Shortest run that is orphaned although its largest gap exceeds the window by less than one sweep period: "
        f"{above.polls} polls, then a gap of {readable(above.gap_ms)} against a window of 2m; "
        f"cancelled at {readable(round(above.ends_ms))}."
    )
    strict = orphans.configuration(300, 120, stepped=False, comparison=">")
    survivor = beyond.survives_above(strict)
    assert survivor is not None
    yield (
        f"Largest gap above the window that survives: {readable(survivor.gap_ms)}, the window and a whole sweep "
        f"period, in each of its last {_long(survivor)} polls, the hour through, where a silence of the window "
        "itself is allowed (>). "
        f"Judged by >=, as in the paper, no run of this cell survives: its gaps at the ceiling are at least "
        f"{readable(beyond.final_gap(cell).lo)}, and {readable(beyond.tolerated_ms(cell))} is the most that can dodge "
        "every sweep."
    )
    yield "The condition, and what ttl-cap-suffices needs: docs/explanation/beyond-the-tables.md."


def _long(edge: beyond.Edge) -> int:
    instants = [step.at_ms for step in edge.trace.steps if step.action in ("create", "tasks/get")]
    gaps = [(after or 0) - (before or 0) for before, after in pairwise(instants)]
    return sum(gap == edge.gap_ms for gap in gaps)
