"""Figures of a study, drawn with matplotlib, which is imported only here and only when something is drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO, StringIO
from typing import Any, Final

import attrs

INK, MUTED, LINE = "#1f2933", "#616e7c", "#d5dbe1"
BLUE, AMBER, RED, GREEN = "#1d5fa8", "#b7791f", "#b42318", "#2f7d4f"
COLOURS: Final = (BLUE, AMBER, RED, GREEN)
DOTS_PER_INCH: Final = 120
STYLE: Final = {
    "font.size": 10.5,
    "font.family": "DejaVu Sans",
    "text.color": INK,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.grid": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": LINE,
    "grid.linewidth": 0.7,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "legend.frameon": False,
    "svg.fonttype": "none",  # text stays text: it can be read, searched and translated
    "svg.hashsalt": "latchcheck",
    "figure.facecolor": "white",
}


class NeedsMatplotlib(Exception):
    """Figures are drawn with matplotlib, which is not installed; the text says what to install."""


@attrs.frozen
class Picture:
    """A drawn figure in both formats."""

    svg: bytes
    png: bytes


@attrs.frozen
class Curve:
    """A line through points: `names` are written beside them where they are given."""

    label: str
    points: Sequence[tuple[float, float]]
    names: Sequence[str] = ()


@contextmanager
def _figure(title: str, panels: int = 1, height: float = 4.4) -> Iterator[tuple[list[Any], list[Picture]]]:
    """Axes to draw on; on leaving, the second list holds the picture."""
    try:
        import matplotlib as mpl
    except ImportError as missing:
        raise NeedsMatplotlib("figures need matplotlib: pip install 'latchcheck[study]'") from missing
    mpl.use("svg")
    from matplotlib.figure import Figure

    made: list[Picture] = []
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8, height), layout="constrained")
        axes = figure.subplots(1, panels, squeeze=False)[0]
        figure.suptitle(title, fontsize=12.5, fontweight="bold", x=0.01, horizontalalignment="left")
        yield list(axes), made
        svg, png = StringIO(), BytesIO()
        figure.savefig(svg, format="svg", metadata={"Date": None})
        figure.savefig(png, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
    made.append(Picture(svg.getvalue().encode(), png.getvalue()))


def frontier(panels: Mapping[str, Sequence[Curve]]) -> Picture:
    """Polls against staleness, one panel a length of task, a curve a kind of policy."""
    with _figure("What a poll buys: polls against staleness", len(panels), height=4.6) as (axes, made):
        for axis, (title, curves) in zip(axes, panels.items(), strict=True):
            for curve, colour, mark in zip(curves, (MUTED, BLUE), ("s", "o"), strict=True):
                xs, ys = zip(*curve.points, strict=True)
                axis.plot(xs, ys, color=colour, marker=mark, markersize=5, label=curve.label)
                above = colour == BLUE
                for name, at in zip(curve.names, curve.points, strict=True):
                    axis.annotate(
                        name,
                        at,
                        xytext=(5, 5) if above else (-5, -11),
                        textcoords="offset points",
                        fontsize=8.5,
                        color=colour,
                        horizontalalignment="left" if above else "right",
                    )
            axis.set_xscale("log")
            axis.set_yscale("symlog", linthresh=0.1, linscale=0.4)
            axis.set_ylim(-0.03, 60)
            axis.set_yticks([0, 0.1, 1, 10], ["0", "0.1", "1", "10"])
            axis.margins(x=0.28)
            axis.set_title(title, fontsize=10.5)
            axis.set_xlabel("polls per task (mean)")
        axes[0].set_ylabel("staleness at the end (median, s)")
        handles, labels = axes[0].get_legend_handles_labels()
        axes[0].figure.legend(handles, labels, loc="outside lower center", ncols=2)
    return made[0]


def fractions(curves: Sequence[Curve], marked: Sequence[float]) -> Picture:
    """Staleness in percent of the task's length against that length; `marked` lengths are those of a table."""
    with _figure("The length of the task decides, not the policy") as ((axis,), made):
        for curve, colour in zip(curves, COLOURS, strict=True):
            xs, ys = zip(*curve.points, strict=True)
            every = [i for i, x in enumerate(xs) if x in marked]
            axis.plot(xs, ys, color=colour, marker="o", markevery=every, label=curve.label)
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_xticks(list(curves[0].points and [x for x, _ in curves[0].points]))
        axis.set_xticklabels([f"{x:g}" for x, _ in curves[0].points])
        axis.minorticks_off()
        axis.set_yticks([0.1, 1, 10, 100], ["0.1%", "1%", "10%", "100%"])
        axis.set_xlabel("length of the task (s, log scale); dots: lengths of Table 3")
        axis.set_ylabel("median staleness, % of the task's length")
        axis.legend(loc="upper right")
    return made[0]


def prices(attempts: Sequence[Curve], losses: Sequence[Curve], unit: str) -> Picture:
    """What each default costs: attempts on the left, what is lost and what is left to people on the right."""
    with _figure("What each default for unrecognised errors costs", 2) as ((left, right), made):
        for axis, curves in ((left, attempts), (right, losses)):
            for curve, colour, dash in zip(curves, (BLUE, RED), ("-", "--"), strict=True):
                xs, ys = zip(*curve.points, strict=True)
                every = [i for i, x in enumerate(xs) if x % 25 == 0]
                axis.plot(xs, ys, color=colour, linestyle=dash, marker="o", markevery=every, label=curve.label)
            axis.set_xlabel("unrecognised errors that a retry would cure (%)")
            axis.set_ylim(bottom=0)
            axis.legend(loc="best")
        left.set_ylabel(f"attempts per {unit}")
        right.set_ylabel(f"calls per {unit}")
    return made[0]


@attrs.frozen
class Map:
    """An orphan map: the two exact boundaries, what runs of drawn schedules did, and the cells of a table.

    All in seconds. `sampled` are, by ceiling, the windows up to which each drawn run is orphaned. `cells` are
    `(ceiling, window, orphaned)`.
    """

    can: Sequence[tuple[float, float]]
    must: Sequence[tuple[float, float]]
    sampled: Sequence[tuple[float, Sequence[float]]]
    cells: Sequence[tuple[float, float, bool]]
    windows: tuple[float, float]


def orphan_map(of: Map) -> Picture:
    """Ceilings against windows: where no run is orphaned, where some are, and where all are."""
    with _figure("Where a client that backs off loses its live task", height=5.4) as ((axis,), made):
        low, high = of.windows
        xs, ys = zip(*of.can, strict=True)
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.fill_between(xs, ys, high, color=GREEN, alpha=0.10, linewidth=0)
        axis.fill_between(xs, low, ys, color=AMBER, alpha=0.16, linewidth=0)
        must_x, must_y = zip(*of.must, strict=True)
        axis.fill_betweenx(must_y, must_x, xs[-1], color=RED, alpha=0.16, linewidth=0)
        axis.plot(xs, ys, color=GREEN, linewidth=2.2, label="exact: above it no run is orphaned")
        axis.plot(must_x, must_y, color=RED, linewidth=1.6, label="exact: right of it every run is, if work lasts")
        for number, (ceiling, windows) in enumerate(of.sampled):
            inside = [one for one in windows if low <= one <= high]
            name = "sampled: longest silence a sweep saw, by seed" if number == 0 else None
            axis.plot([ceiling] * len(inside), inside, "_", color=INK, markersize=7, alpha=0.55, label=name)
        for orphaned, mark, colour, name in (
            (False, "o", GREEN, "Table 5: survived"),
            (True, "X", RED, "Table 5: orphaned"),
        ):
            at = [(x, y) for x, y, lost in of.cells if lost is orphaned]
            axis.scatter(*zip(*at, strict=True), marker=mark, s=75, color=colour, edgecolor="white", zorder=5, label=name)
        axis.set_xlim(xs[0], xs[-1])
        axis.set_ylim(low, high)
        for set_ticks, ticks in (
            (axis.set_xticks, [10, 30, 60, 120, 300, 900, 1800]),
            (axis.set_yticks, [30, 60, 120, 300, 900, 1800]),
        ):
            set_ticks(ticks, [f"{tick}" for tick in ticks])
        axis.minorticks_off()
        axis.set_xlabel("client's backoff ceiling (s)")
        axis.set_ylabel("server's orphan window (s)")
        axis.legend(loc="upper left", fontsize=8.5, frameon=True, framealpha=0.9, edgecolor="none")
    return made[0]
