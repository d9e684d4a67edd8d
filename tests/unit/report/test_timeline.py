"""A run as people read it: words, rounds told as one, quiet variables, the harm."""

from __future__ import annotations

from fractions import Fraction

from latchcheck.kernel.telling import Moment, Round, Telling, moments
from latchcheck.kernel.trace import Step, Trace
from latchcheck.report.timeline import IN_FULL, changes, harm, rows_of, timeline

QUIET = frozenset({"count", "phase"})


def step(at_ms: Fraction | int, action: str, **changed: tuple[object, object]) -> Step:
    """A step of a lamp that is switched on and off."""
    return Step(at_ms=at_ms, party="hand", action=action, changed=changed)  # pyright: ignore[reportArgumentType]


def flashes(count: int) -> tuple[Step, ...]:
    """The lamp goes on and off again so many times, one second apart."""
    return tuple(
        step(1000 * k + 100 * (name == "off"), name, count=(2 * k + (name == "off"), 2 * k + 1 + (name == "off")))
        for k in range(count)
        for name in ("on", "off")
    )


TELLING = Telling(
    phrases={"on": lambda _moment: "switched on", "burst": lambda moment: f"bursts after {moment.old('count')}"},
    quiet=QUIET,
    rounds=(Round(("on", "off"), lambda _moments: "a flash", lambda rounds: f"{len(rounds)} more flashes"),),
    harms={"dark": "it stays dark."},
    meanwhile=lambda before, after: "a pause" if after.at_ms - before.at_ms > 5000 else None,
)
BURST = step(20_000, "burst", dark=(False, True), lit=(True, False), phase=(0, 1))


def test_every_moment_knows_the_values_before_it() -> None:
    """A variable that changes later is known from the start with the value that it has before it changes."""
    first, second = moments((step(0, "on", a=(1, 2)), step(1, "off", a=(2, 3), b=(False, True))))
    assert {"a": 1, "b": False} == first.before
    assert {"a": 2, "b": False} == second.before
    assert (2, 3, False, True) == (second.old("a"), second.new("a"), second.old("b"), second.becomes("b"))
    assert Moment(first.step, first.before).new("c", 7) == 7


def test_rounds_are_told_as_one_and_many_rounds_in_one_row() -> None:
    """Two rounds stand at the head, one at the tail, and one row tells the rest; the last events are never folded."""
    rows = rows_of(Trace("lamp", (*flashes(10), BURST)), TELLING)
    told = [(row.time, row.event, row.steps) for row in rows]
    assert told == [
        ("0", "a flash", 2),
        ("1s", "a flash", 2),
        ("...", "5 more flashes", 10),
        ("7s", "a flash", 2),
        ("8s", "switched on", 1),
        ("8.1s", "off", 1),
        ("9s", "switched on", 1),
        ("9.1s", "off", 1),
        ("...", "a pause", 0),
        ("20s", "bursts after 20", 1),
    ]
    assert sum(row.steps for row in rows) == 21
    assert all(row.steps <= 1 for row in rows[-IN_FULL:])


def test_a_round_that_changes_something_to_be_seen_is_told_in_full() -> None:
    """Rounds are folded only where nothing but bookkeeping changes in them."""
    seen = (step(0, "on", lit=(False, True)), step(1, "off"), *flashes(3))
    assert ["switched on", "off"] == [row.event for row in rows_of(Trace("lamp", seen), TELLING)][:2]


def test_bookkeeping_and_harm_are_no_changes_and_a_raised_flag_is_its_name() -> None:
    """Quiet variables and the flags of a harm are left out; a flag that becomes true is told by its name."""
    assert changes(BURST, TELLING) == ("lit: true -> false",)
    raised = step(0, "x", record_gone=(False, True), delay_ms=(0, 1500))
    assert changes(raised, TELLING) == ("record gone", "delay: 0ms -> 1.5s")


def test_the_harm_is_marked_and_said_in_words() -> None:
    """The row in which a harm happens bears a mark, and the harm has a sentence."""
    run = Trace("lamp", (step(0, "on"), BURST))
    assert [False, False, True] == [row.marked for row in rows_of(run, TELLING)]
    assert harm(run, TELLING) == "it stays dark."
    assert harm(Trace("lamp", (step(0, "on"),)), TELLING) is None
    assert timeline(run, TELLING, 80) == [
        "    time  party  event                           what changed",
        "       0  hand   switched on",
        "     ...         a pause",
        "  >  20s  hand   bursts after None               lit: true -> false",
    ]


def test_a_time_is_shortened_and_says_so() -> None:
    """Instants are shown to the millisecond, with a mark where that is not exact."""
    rows = rows_of(Trace("lamp", (step(Fraction("149911.6542456832"), "on"), step(149_912, "off"))), TELLING)
    assert ["~2m29.912s", "2m29.912s"] == [row.time for row in rows]


def test_what_changed_goes_below_where_it_does_not_fit_beside() -> None:
    """A change too wide for its column stands on a line of its own, and no line is wider than asked."""
    long = step(0, "a long name of an action", name=("a value of some length", "another value"))
    lines = timeline(Trace("lamp", (long,)), TELLING, 56)
    assert lines == [
        "    time  party  event",
        "       0  hand   a long name of an action",
        "                   name: a value of some length ->",
        "                   another value",
    ]
