"""Where the events and the bars of a run stand on the page: worked out by hand."""

from __future__ import annotations

from fractions import Fraction

from latchcheck.kernel.telling import PLAIN, Span, moments
from latchcheck.kernel.trace import Step, Trace
from latchcheck.report.html.lanes import drawing
from latchcheck.report.timeline import every_row

RUN = Trace(
    "toy",
    (
        Step(0, "client", "create"),
        Step(1_000, "client", "poll"),
        Step(1_000, "server", "answer"),
        Step(100_000, "reaper", "sweep", {}, {"gone": (False, True)}),
    ),
)
SPANS = (
    Span("window", "server", Fraction(1_000), Fraction(51_000)),
    Span("ttl", "server", Fraction(0), Fraction(50_000)),
    Span("work", "worker", Fraction(0), None),
    Span("late", "server", Fraction(60_000), Fraction(70_000), harm=True),
)


def test_linear_places_are_shares_of_the_longest_time() -> None:
    """In a run of 100 s an event after 1 s stands at one per cent, the last at a hundred."""
    drawn = drawing(moments(RUN.steps), every_row(RUN, PLAIN), ())
    assert [0.0, 1.0, 1.0, 100.0] == [mark.spot.linear for mark in drawn.marks]


def test_log_places_keep_their_order_and_their_ends() -> None:
    """Of 0, 1 s and 100 s the middle one stands at log(2)/log(101) of the logarithmic axis, which is 15.019 %."""
    drawn = drawing(moments(RUN.steps), every_row(RUN, PLAIN), ())
    assert [0.0, 15.019, 15.019, 100.0] == [mark.spot.log for mark in drawn.marks]


def test_lanes_go_from_the_user_to_the_store() -> None:
    """Parties have a fixed order, and a party that only has a bar has a lane too."""
    drawn = drawing(moments(RUN.steps), every_row(RUN, PLAIN), SPANS)
    assert ("client", "server", "worker", "reaper") == drawn.lanes
    assert [0, 0, 1, 3] == [mark.lane for mark in drawn.marks]


def test_bars_that_overlap_lie_below_one_another() -> None:
    """The ttl (0 to 50 s) and the window (1 to 51 s) need two rows; a bar from 60 s on takes the first again."""
    drawn = drawing(moments(RUN.steps), every_row(RUN, PLAIN), SPANS)
    assert {"ttl": 0, "window": 1, "late": 0, "work": 0} == {bar.label: bar.row for bar in drawn.bars}
    assert (0, 2, 1, 0) == drawn.rows


def test_a_bar_without_end_reaches_the_end_of_the_run() -> None:
    """What has not ended when the run does is drawn to its end, and marked open."""
    (work,) = (bar for bar in drawing(moments(RUN.steps), every_row(RUN, PLAIN), SPANS).bars if bar.label == "work")
    assert (0.0, 100.0, True) == (work.start.linear, work.end.linear, work.open)


def test_a_run_without_clock_has_even_distances() -> None:
    """Four steps without time stand at 0, 1, 2 and 3 of 3, and there is no logarithmic axis."""
    bare = Trace("toy", tuple(Step(None, step.party, step.action) for step in RUN))
    drawn = drawing(moments(bare.steps), every_row(bare, PLAIN), SPANS)
    assert [0.0, 33.333, 66.667, 100.0] == [mark.spot.linear for mark in drawn.marks]
    assert (False, (), ()) == (drawn.timed, drawn.log, drawn.bars)


def test_ticks_are_few_and_readable() -> None:
    """A run of 100 s has a tick every 30 s: at 15 s, the readable distance below, there would be more than six."""
    drawn = drawing(moments(RUN.steps), every_row(RUN, PLAIN), ())
    assert ["0", "30s", "1m", "1m30s"] == [tick.label for tick in drawn.linear]
