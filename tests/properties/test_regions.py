"""The safe numbers of a key, against a look at every millisecond of a small range."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from latchcheck.model.config import Config
from latchcheck.model.keys import BY_SPELLING
from latchcheck.model.reading import read
from latchcheck.properties.timing import planes, regions, verify
from latchcheck.properties.timing.analyses import ANALYSES
from latchcheck.properties.timing.answers import Answer, NotApplicable
from latchcheck.properties.timing.facts import Facts
from latchcheck.properties.timing.monotone import why_monotone
from latchcheck.properties.timing.unread import unread
from tests.agreement.draws import draw

KEYS = (
    "server.orphan_window_ms",
    "server.advertised_ttl_ms",
    "server.poll_interval_ms",
    "client.max_delay_ms",
    "client.overall_timeout_ms",
    "server.execution_deadline_ms",
)
HI = 200
ROUGH = (0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, HI)
LOST = str(Path(__file__).parents[2] / "docs" / "examples" / "orphan-condition" / "one-lost-poll.toml")
CHOSEN = str(Path(__file__).parents[2] / "docs" / "examples" / "how-to" / "chosen.toml")


def drawn(seed: int) -> Config:
    """A small random configuration."""
    return Config().replace(
        {
            BY_SPELLING[section, name].flat: value
            for section, given in draw(seed).items()
            for name, value in given.items()
        }
    )


def outcome(name: str, config: Config) -> str:
    """What the condition of a property says, by itself."""
    found = ANALYSES[name](Facts(config))
    if isinstance(found, NotApplicable):
        return "safe"
    return ("safe" if found.safe else "unsafe") if isinstance(found, Answer) else "vacuous"


def differing(found: regions.OfProperty, config: Config, key: str, values: Iterator[int] | range) -> list[int]:
    """The values whose label is not what the condition says; undecided ones are those that no run was found for."""
    labels = {value: found.label(value) for value in values}
    truth = {value: outcome(found.name, config.replace({key: value})) for value in labels}
    return [value for value, label in labels.items() if label.replace("undecided", "unsafe") != truth[value]]


@pytest.mark.parametrize("seed", [3, 8])
@pytest.mark.parametrize("key", KEYS)
def test_the_intervals_are_those_of_every_millisecond(key: str, seed: int) -> None:
    """Whatever the evidence, in a small range each value has the label that its condition gives it, holes and all."""
    config = drawn(seed)
    for name in ANALYSES:
        found = regions.of_property(config, key, 0, HI, name)
        values = iter(ROUGH) if found.evidence == "unread" else range(HI + 1)
        assert (name, found.evidence in ("unread", "monotone", "every-value")) == (name, True)
        assert (name, differing(found, config, key, values)) == (name, [])


def test_the_evidence_is_every_value_only_where_every_value_was_decided() -> None:
    """As many values are decided as are claimed, and beyond the size of a small range only tried values are."""
    config = drawn(3)
    every = regions.of_property(config, KEYS[0], 0, HI, "every-window-can-fire")
    tried = regions.of_property(config, KEYS[0], 0, HI, "every-window-can-fire", every_max=0)
    far = regions.of_property(config, KEYS[0], 0, regions.EVERY_MAX, "every-window-can-fire")
    assert (every.evidence, every.tried) == ("every-value", HI + 1)
    assert tried.evidence == far.evidence == "tried"


CLAIMED = (
    ("no-live-orphan", "server.orphan_window_ms"),
    ("restart-inside-orphan-window", "server.orphan_window_ms"),
    ("hint-inside-orphan-window", "server.orphan_window_ms"),
    ("ttl-cap-suffices", "server.orphan_window_ms"),
    ("patience-covers-execution", "client.overall_timeout_ms"),
    ("idempotency-outlives-retries", "server.idempotency_retention_ms"),
    ("idempotency-outlives-retries", "client.retry_horizon_ms"),
    ("lease-outlives-stall", "server.lease_timeout_ms"),
    ("lease-outlives-stall", "server.lease_renewal_ms"),
    ("lease-outlives-stall", "workload.stall_ms"),
    ("recovery-inside-patience", "server.lease_sweep_ms"),
)


@pytest.mark.parametrize(("name", "key"), CLAIMED)
def test_what_is_called_monotone_changes_in_one_direction(name: str, key: str) -> None:
    """Over every millisecond of a small range no outcome comes back once it has gone, and each change is found."""
    changed = 0
    for seed in range(24):
        config = drawn(seed)
        if why_monotone(name, config, key) is None or not isinstance(config.flat()[key], int):
            continue
        labels = [outcome(name, config.replace({key: value})) for value in range(41)]
        kept = [label for label, before in zip(labels, [None, *labels], strict=False) if label != before]
        assert len(kept) == len(set(kept))
        if len(kept) > 1:
            changed += 1
            found = regions.of_property(config, key, 0, 40, name)
            assert (found.evidence, differing(found, config, key, range(41))) == ("monotone", [])
    assert changed


def test_nothing_is_claimed_of_delays_without_a_ceiling() -> None:
    """A client whose delays grow for ever is followed as far as the numbers reach, so all of them may matter."""
    growing = read([CHOSEN]).replace({"client.multiplier": 2, "client.max_delay_ms": None})
    assert why_monotone("no-live-orphan", growing, "server.orphan_window_ms") is None


def test_a_key_that_is_not_read_makes_no_difference() -> None:
    """A condition that never meets the number has one outcome for all of them, and one that needs it meets it."""
    config = read([CHOSEN])
    assert not unread("no-live-orphan", config, "server.orphan_window_ms")
    assert not unread("result-reaches-client", config, "server.advertised_ttl_ms")
    assert unread("idempotency-outlives-retries", config, "server.orphan_window_ms")
    seen = 0
    for seed in (1, 2, 5):
        for name in ANALYSES:
            for key in KEYS:
                if unread(name, drawn(seed), key):
                    seen += 1
                    assert len({outcome(name, drawn(seed).replace({key: value})) for value in ROUGH}) == 1
    assert seen


def test_both_sides_of_an_edge_are_what_verify_says() -> None:
    """At the ends of a safe interval the property is proved, at those of an unsafe one a run is attached."""
    config = read([CHOSEN])
    for name in ("no-live-orphan", "ttl-covers-execution"):
        key = "server.orphan_window_ms" if name == "no-live-orphan" else "server.advertised_ttl_ms"
        found = regions.of_property(config, key, 0, 3_600_000, name)
        assert found.moves
        for one in found.intervals:
            for value in (one.lo, one.hi):
                (answer,) = verify(config.replace({key: value}), [name]).properties
                assert (value, answer.verdict) == (value, {"safe": "proved", "unsafe": "violated"}[one.label])


def test_numbers_that_contradict_each_other_are_no_safe_numbers() -> None:
    """Where a file with the number would be refused, the label says so."""
    config = read([CHOSEN]).replace({"client.min_delay_ms": 60})
    found = regions.region(config, "client.max_delay_ms", 0, HI, ["no-live-orphan"])
    assert [(one.lo, one.hi, one.label) for one in found.intervals()] == [(0, 59, "invalid"), (60, HI, "safe")]


def test_a_plane_says_what_its_rows_say() -> None:
    """Each pair of the grid and each end of an interval has the label of its configuration."""
    config, names = read([LOST]), ["no-live-orphan", "ttl-cap-suffices", "lease-outlives-stall"]
    across, up = planes.axis(KEYS[0], 0, 20_000, 7), planes.axis("client.request_timeout_ms", 1, 3001, 4)
    found = planes.plane(config, across, up, names)
    assert [one.value for one in found.rows] == [1, 1001, 2001, 3001]
    assert {*found.moved, *found.still} == set(names)
    for one in found.rows:
        at = config.replace({up.key: one.value})
        for part in one.intervals:
            for value in (part.lo, part.hi):
                labels = [outcome(name, at.replace({across.key: value})) for name in found.moved]
                assert part.label == ("unsafe" if "unsafe" in labels else "safe")
    assert len({one.intervals for one in found.rows}) > 1


def test_a_run_is_executed_at_both_ends_of_each_unsafe_stretch_of_a_row() -> None:
    """`verify` attaches a run to each end that a plane calls unsafe, and the marks are those of the stretches."""
    config, names = read([LOST]), ["no-live-orphan", "restart-inside-orphan-window"]
    across, up = planes.axis(KEYS[0], 0, 20_000, 7), planes.axis("client.request_timeout_ms", 1, 3001, 4)
    found = planes.plane(config, across, up, names)
    ends = {
        (row.value, value)
        for row in found.rows
        for part in row.intervals
        for value in (part.lo, part.hi)
        if part.label == "unsafe"
    }
    assert found.executed == len(ends) > 0
    for second, first in ends:
        answers = verify(config.replace({across.key: first, up.key: second}), names, repairs=False).properties
        assert any(one.verdict == "violated" and one.witness is not None for one in answers)


def test_what_no_run_shows_is_undecided_in_a_plane(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no run of the harm can be executed, neither a stretch nor its marks are called unsafe."""
    monkeypatch.setattr(planes, "shown", lambda _: None)
    across, up = planes.axis(KEYS[0], 0, 20_000, 7), planes.axis("client.request_timeout_ms", 1, 3001, 4)
    found = planes.plane(read([LOST]), across, up, ["no-live-orphan"])
    labels = {label for row in found.rows for label in (*row.labels, *(part.label for part in row.intervals))}
    assert (labels, found.executed) == ({"safe", "undecided"}, 0)
