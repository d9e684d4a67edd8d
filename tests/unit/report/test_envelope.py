"""The JSON envelope keeps its contract."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from jsonschema import Draft202012Validator, ValidationError

from latchcheck.report.envelope import dump, envelope, plain
from tests.unit.report.sample import CONFIG, EVERY_VERDICT, HOLDS, PROVED, VACUOUS, VIOLATED, report

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / "docs/reference/verdicts.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)


def test_the_schema_is_one() -> None:
    """The published schema is itself valid JSON Schema, draft 2020-12."""
    Draft202012Validator.check_schema(SCHEMA)


def test_a_report_with_every_verdict_is_valid() -> None:
    """What is written for each verdict satisfies the published schema."""
    VALIDATOR.validate(json.loads(dump(report(*EVERY_VERDICT, assumptions=("a",)))))


def test_every_field_is_published() -> None:
    """The schema names each field that is written, and requires it: none is left to guessing."""

    def fields(part: dict[str, Any]) -> list[str]:
        assert sorted(part["required"]) == sorted(part["properties"])
        return sorted(part["properties"])

    written = envelope(report(VIOLATED))
    one = written["properties"][0]
    parts = SCHEMA["$defs"]
    assert fields(SCHEMA) == sorted(written)
    assert fields(SCHEMA["properties"]["versions"]) == sorted(written["versions"])
    assert fields(parts["setting"]) == sorted(written["config"]["server.orphan_window_ms"])
    assert fields(parts["property"]) == sorted(one)
    assert fields(parts["property"]["properties"]["sentence"]) == sorted(one["sentence"])
    assert fields(parts["property"]["properties"]["cost"]) == sorted(one["cost"])
    assert fields(parts["witness"]) == sorted(one["witness"])
    assert fields(parts["step"]) == sorted(one["witness"]["steps"][0])
    assert fields(parts["repair"]) == sorted(one["repairs"][0])


def test_a_violation_is_written_as_designed() -> None:
    """Numbers are integers where they are whole, else floats; a change is the pair of before and after."""
    one = envelope(report(VIOLATED))["properties"][0]
    assert one["id"] == "no-live-orphan"
    assert one["verdict"] == "violated"
    assert one["margin_ms"] == -780_000
    assert one["witness"]["steps"][1] == {
        "at_ms": 1638.4,
        "party": "client",
        "action": "send_poll",
        "args": {"k": 1},
        "changed": {},
    }
    assert one["witness"]["steps"][2]["changed"] == {
        "status": ["working", "cancelled"],
        "last_contact_ms": [1638.5, 780_000],
    }
    assert one["witness"]["steps"][2]["args"] == {"lateness_ms": 0, "first": True}
    assert one["repairs"][0] == {"set": {"server.orphan_window_ms": 900_000}, "verified": True, "cost_ms": 780_000}


def test_a_whole_number_is_an_integer() -> None:
    """A whole fraction is written without a decimal point, so that readers may compare it exactly."""
    text = dump(report(evolve(PROVED, margin_ms=Fraction(6, 2), bound_ms=Fraction(1, 2))), one_line=True)
    assert '"margin_ms": 3,' in text
    assert '"bound_ms": 0.5,' in text


def test_every_number_is_one_that_programs_compute_with() -> None:
    """A margin is the nearest float where it is not whole; one beyond all floats is null, and no crash."""
    far = Fraction(10**400, 3)
    for given, written in ((Fraction(1, 3), 1 / 3), (far, None), (-far, None), (10**400, None), (10**20, 10**20)):
        one = envelope(report(evolve(VIOLATED, margin_ms=given, bound_ms=given)))["properties"][0]
        assert one["margin_ms"] == one["bound_ms"] == written
    assert plain(far) == 10**400 // 3


def test_every_setting_says_where_it_came_from() -> None:
    """A value carries its origin; one that nobody set is a default."""
    config = envelope(report())["config"]
    assert config["server.orphan_window_ms"] == {"value": 120_000, "from": "file", "where": "op.toml:7"}
    assert config["client.initial_delay_ms"] == {"value": 1000, "from": "preset", "where": "patient-client"}
    assert config["client.multiplier"] == {"value": 1.5, "from": "default", "where": None}


def test_factors_are_numbers() -> None:
    """A factor that is no integer is a number like one that is; words, absence and milliseconds stay what they are."""
    values = {
        "client.jitter": ["0.5", 1],
        "client.multiplier": "1/3",
        "server.sweep_period_ms": "lazy",
        "server.orphan_comparison": ">=",
        "server.enforced_ttl_ms": None,
        "server.orphan_window_ms": 5,
    }
    config = envelope(evolve(report(), config=evolve(CONFIG, values=values)))["config"]
    assert [0.5, 1] == config["client.jitter"]["value"]
    assert 1 / 3 == config["client.multiplier"]["value"]
    assert ["lazy", ">=", None, 5] == [one["value"] for one in config.values()][2:]


def test_one_line_is_one_line() -> None:
    """In a stream an envelope is one line, and the same document as the indented one."""
    whole = report(*EVERY_VERDICT)
    assert "\n" not in dump(whole, one_line=True)
    assert json.loads(dump(whole, one_line=True)) == json.loads(dump(whole))


@pytest.mark.parametrize(
    "broken",
    [
        evolve(VIOLATED, witness=None),
        evolve(HOLDS, scope=None),
        evolve(VACUOUS, reason=None),
        evolve(PROVED, id="Not An Id"),
        evolve(PROVED, keyword="COULD"),  # pyright: ignore[reportArgumentType]
    ],
    ids=["violated-without-run", "holds-without-scope", "vacuous-without-reason", "id", "keyword"],
)
def test_a_verdict_without_its_evidence_is_invalid(broken: Any) -> None:
    """A violation has a run, a bounded pass has its scope, and every verdict that is no answer has a reason."""
    with pytest.raises(ValidationError):
        VALIDATOR.validate(envelope(report(broken)))
