"""The text form: what people see, whole, at 80 columns."""

from __future__ import annotations

import re
from pathlib import Path

from attrs import evolve

from latchcheck.kernel.trace import Step, Trace
from latchcheck.report.layout import columns, glue, wrap
from latchcheck.report.text import render, summary
from latchcheck.report.values import setting
from tests.unit.report.sample import ABSENT, EVERY_VERDICT, PROVED, VIOLATED, report

SNAPSHOT = Path(__file__).with_name("every_verdict.txt")


def test_a_report_with_every_verdict_reads_as_saved() -> None:
    """The whole text form is a snapshot, so that a change of wording is a readable diff."""
    assumptions = (
        "Work of no declared length may end at any moment.",
        "A sweep may come at any moment, and none is promised, since server.sweep_period says nothing about it.",
    )
    text = render(report(*EVERY_VERDICT, assumptions=assumptions, source="op.toml over client patient-client"))
    assert SNAPSHOT.read_text(encoding="utf-8") == text


def test_no_line_is_wider_than_asked() -> None:
    """At any width that leaves room for the columns no line is longer than the width."""
    for width in (80, 100, 120):
        lines = render(report(*EVERY_VERDICT), width=width).splitlines()
        assert [line for line in lines if len(line) > width] == []


def test_without_colour_there_is_no_escape() -> None:
    """The plain form has no control character but the line end."""
    assert re.findall(r"[^\n -~]", render(report(*EVERY_VERDICT))) == []


def test_colour_changes_nothing_but_colour() -> None:
    """Taking the escape sequences out of the coloured form gives the plain one."""
    coloured = render(report(*EVERY_VERDICT), colour=True)
    assert "\x1b[1;31mviolated" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == render(report(*EVERY_VERDICT))


def test_the_table_keeps_the_order_of_the_catalogue() -> None:
    """Decided properties come in the order given, those that do not apply after them in the order given."""
    text = render(report(ABSENT, PROVED, VIOLATED))
    assert text.index(PROVED.id) < text.index(VIOLATED.id) < text.index(ABSENT.id)


def test_what_does_not_apply_is_one_list_unless_asked_for() -> None:
    """Properties that do not apply are named together; why each does not is said where somebody asked."""
    short = render(report(ABSENT, evolve(ABSENT, id="hint-honoured")))
    names = "  Not applicable, 2 (--property ID says what is missing): lease-outlives-stall,\n  hint-honoured\n"
    assert names in short
    assert "server.lease_timeout is not set" not in short
    assert "  not-applicable  lease-outlives-stall  server.lease_timeout is not set\n" in render(
        report(ABSENT), reasons=True
    )


def test_a_key_is_spelled_as_in_a_file_wherever_it_stands() -> None:
    """A reason or a clause that names a key by its name in the envelope names it in text as a file does."""
    clause = "server.orphan_window_ms (2m) is too short"
    assert "server.orphan_window (2m) is too short" in render(report(evolve(VIOLATED, clause=clause)))
    assert "server.orphan_window (2m) is too short" in render(report(evolve(PROVED, reason=clause)), width=120)


def test_assumptions_stand_in_groups() -> None:
    """Assumptions of one group make one paragraph, in the order in which the groups appear."""
    groups = {"No delay grows.": "client", "No poll fails.": "network", "No ttl ends.": "client"}
    text = render(report(PROVED, assumptions=tuple(groups)), groups=groups)
    assert "  client   No delay grows. No ttl ends.\n  network  No poll fails.\n" in text


def test_a_long_run_is_cut_in_the_middle_and_says_so() -> None:
    """A run of 100 events shows its first 20 and its last 40 and names the number of those left out."""
    steps = tuple(Step(at_ms=k * 1000, party="client", action="send_poll", args={"k": k}) for k in range(100))
    text = render(report(evolve(VIOLATED, witness=Trace(system="orphans", steps=steps))))
    shown = [int(number) for number in re.findall(r"send_poll k=(\d+)", text)]
    assert shown == [*range(20), *range(60, 100)]
    assert "... 40 more events; all of them are in the JSON form" in text
    assert "A run that shows it, 100 events, replayed:" in text


def test_a_run_without_a_clock_has_no_time_column() -> None:
    """Where no step has an instant the timeline has no column for it."""
    run = Trace(system="toy", steps=(Step(at_ms=None, party="clock", action="tick", changed={"b": (0, 1)}),))
    text = render(report(evolve(VIOLATED, witness=run)))
    assert re.search(r"^    party  event +what changed\n    clock  tick +b: 0 -> 1$", text, re.MULTILINE)
    assert "A run that shows it, 1 event, replayed:" in text


def test_the_last_line_counts_and_names_the_exit_code() -> None:
    """The last line says how many properties got which verdict, violations first, and the exit code."""
    assert "2 properties: 1 violated, 1 proved. Exit code 1." == wrap(summary(report(PROVED, VIOLATED)), 80)[0]
    assert "1 property: 1 proved. Exit code 0." == wrap(summary(report(PROVED)), 80)[0]


def test_a_setting_is_written_as_in_a_file() -> None:
    """A duration has its unit even when it is zero, an absent value is none, a factor stays a number."""
    assert setting("server.orphan_window_ms", 900_000) == "server.orphan_window = 15m"
    assert setting("server.sweep_lateness_ms", 0) == "server.sweep_lateness = 0ms"
    assert setting("server.enforced_ttl_ms", None) == "server.enforced_ttl = none"
    assert setting("client.multiplier", "1.5") == "client.multiplier = 1.5"
    assert setting("network.max_consecutive_failures", 2) == "network.max_consecutive_failures = 2"
    assert setting("client.polls_while_waiting", value=True) == "client.polls_while_waiting = true"


def test_columns_share_the_width() -> None:
    """A wrapped column takes what the others leave, and its lines stay under its first."""
    lines = columns([("a", "bb", "one two three four five"), ("aaa", "b", "six")], align="<>w", width=28)
    assert lines == ["  a    bb  one two three", "           four five", "  aaa   b  six"]


def test_what_is_glued_stays_on_a_line_that_can_hold_it() -> None:
    """Glued words break only where the line is too short for them together."""
    assert wrap("set " + glue("a = 1"), 6) == ["set", "a = 1"]
    assert wrap("set " + glue("a = 1"), 4) == ["set", "a =", "1"]
