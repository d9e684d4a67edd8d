"""Figures of a study, drawn with matplotlib, which is imported only here and only when something is drawn."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO, StringIO
from typing import Any, Final

import attrs

INK, MUTED, LINE = "#1f2933", "#616e7c", "#d5dbe1"
BLUE, AMBER, RED, GREEN = "#1d5fa8", "#b7791f", "#b42318", "#2f7d4f"
COLOURS: Final = (BLUE, AMBER, RED, GREEN)
DOTS_PER_INCH: Final = 120
STYLE: Final[dict[Any, Any]] = {
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
    """A line through points: `names` are written beside them where they are given, and those in `filled` stand out."""

    label: str
    points: Sequence[tuple[float, float]]
    names: Sequence[str] = ()
    filled: Collection[str] = ()


def drawer() -> Any:
    """Import matplotlib. Raises NeedsMatplotlib."""
    try:
        import matplotlib as mpl
    except ImportError as missing:
        raise NeedsMatplotlib("figures need matplotlib: pip install 'latchcheck[study]'") from missing
    return mpl


@contextmanager
def _figure(title: str, panels: int = 1, height: float = 4.4) -> Iterator[tuple[list[Any], list[Picture]]]:
    """Axes to draw on; on leaving, the second list holds the picture."""
    mpl = drawer()
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
    with _figure("What a poll buys: polls against staleness", len(panels), height=4.8) as (axes, made):
        for axis, (title, curves) in zip(axes, panels.items(), strict=True):
            for curve, colour, mark in zip(curves, (MUTED, BLUE), ("s", "o"), strict=True):
                xs, ys = zip(*curve.points, strict=True)
                axis.plot(xs, ys, color=colour, linewidth=1.4, label=curve.label, marker=mark, markersize=0)
                for name, at in zip(curve.names, curve.points, strict=True):
                    fill = colour if name in curve.filled else "white"
                    axis.plot(*at, mark, markersize=5.5, markerfacecolor=fill, markeredgecolor=colour)
                    _name(axis, name, at, colour, above=colour == BLUE)
            axis.set_xscale("log")
            axis.set_yscale("symlog", linthresh=0.1, linscale=0.6)
            axis.set_ylim(-0.04, 60)
            axis.set_yticks([0, 0.1, 1, 10], ["0", "0.1", "1", "10"])
            axis.margins(x=0.3)
            axis.xaxis.set_major_formatter("{x:g}")
            axis.set_title(title, fontsize=10.5)
            axis.set_xlabel("polls per task (mean, log)")
        axes[0].set_ylabel("staleness at the end (median, s)")
        handles, labels = axes[0].get_legend_handles_labels()
        for handle in handles:
            handle.set_markersize(5.5)
        title = "filled: rows of Table 2"
        axes[0].figure.legend(handles, labels, loc="outside lower center", ncols=2, title=title, title_fontsize=8.5)
    return made[0]


def _name(axis: Any, name: str, at: tuple[float, float], colour: str, *, above: bool) -> None:
    """Write a name beside a point; where there is no staleness, points stand close, and names stand on end."""
    if at[1] == 0:
        axis.annotate(name, at, xytext=(1, 8), textcoords="offset points", fontsize=8, color=colour, rotation=70)
        return
    offset, side = ((5, 4), "left") if above else ((-5, -11), "right")
    axis.annotate(
        name, at, xytext=offset, textcoords="offset points", fontsize=8.5, color=colour, horizontalalignment=side
    )


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
            axis.set_xlabel("unknowns that a retry would cure (%)")
            axis.set_ylim(0, 1.4 * max(y for curve in curves for _, y in curve.points))
            axis.legend(loc="upper center")
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
    with _figure("Where a client that backs off loses its live task", height=6.2) as ((axis,), made):
        low, high = of.windows
        axis.set_xscale("log")
        axis.set_yscale("log")
        _boundaries(axis, of)
        for number, (ceiling, windows) in enumerate(of.sampled):
            inside = [one for one in windows if low <= one <= high]
            name = "longest silence a sweep saw, 20 seeds" if number == 0 else None
            axis.plot([ceiling] * len(inside), inside, "_", color=INK, markersize=7, alpha=0.55, label=name)
        for orphaned, mark, colour, name in (
            (False, "o", GREEN, "Table 5: survived"),
            (True, "X", RED, "Table 5: orphaned"),
        ):
            xs, ys = zip(*((x, y) for x, y, lost in of.cells if lost is orphaned), strict=True)
            axis.scatter(xs, ys, marker=mark, s=75, color=colour, edgecolor="white", zorder=5, label=name)
        axis.set_xlim(of.can[0][0] * 0.88, of.can[-1][0] * 1.12)
        axis.set_ylim(low, high * 1.12)
        ticks = [10, 30, 60, 120, 300, 900, 3600]
        axis.set_xticks(ticks, [f"{tick}" for tick in ticks])
        axis.set_yticks(ticks[1:], [f"{tick}" for tick in ticks[1:]])
        axis.minorticks_off()
        axis.set_xlabel("client's backoff ceiling (s, log scale)")
        axis.set_ylabel("server's orphan window (s, log scale)")
        axis.figure.legend(loc="outside lower center", ncols=2, fontsize=9)
    return made[0]


def _boundaries(axis: Any, of: Map) -> None:
    """The two exact lines, and the three regions between them with their names."""
    low, high = of.windows
    xs, ys = zip(*of.can, strict=True)
    must_x, must_y = zip(*of.must, strict=True)
    foot = [max(y, low) for y in ys]
    axis.fill_between(xs, foot, high, color=GREEN, alpha=0.10, linewidth=0)
    axis.fill_between(xs, low, foot, color=AMBER, alpha=0.16, linewidth=0)
    axis.fill_betweenx(must_y, must_x, xs[-1], color=RED, alpha=0.16, linewidth=0)
    axis.plot(xs, ys, color=GREEN, linewidth=2.2, label="exact: longest silence in the hour")
    axis.plot(must_x, must_y, color=RED, linewidth=1.6, label="exact: no gap dodges every sweep")
    for x, y, words, colour, turn in (
        (35, 400, "no run is orphaned", GREEN, 0),
        (370, 262, "some runs are", AMBER, 41),
        (1000, 60, "every run is,\nif the work lasts", RED, 0),
    ):
        axis.text(x, y, words, color=colour, fontsize=11, weight="bold", ha="center", va="center", rotation=turn)
