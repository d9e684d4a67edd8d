"""The JSON envelope of `verify`: a report as programs read it.

Schema: docs/reference/verdicts.schema.json.
Its shape is a contract and changes only with the version in `SCHEMA`; the text form may change at any time.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from latchcheck.kernel.verdict import Configuration, PropertyVerdict, Repair, Report

if TYPE_CHECKING:
    from latchcheck.kernel.trace import Step, Trace

SCHEMA = "latchcheck/verdicts/1"
CONTROL = re.compile("[\x7f-\x9f]")
"""Control characters that JSON leaves as they are, although a terminal obeys them."""
EXACT = re.compile(r"[0-9]+(\.[0-9]+|/[0-9]+)")
"""A factor of a configuration, which stands there as exact text."""


def envelope(report: Report) -> dict[str, Any]:
    """The report as plain dictionaries, lists, strings, numbers, booleans and None.

    A number is an integer where it is whole, else the nearest float.
    """
    return {
        "schema": SCHEMA,
        "versions": versions(),
        "source": report.source,
        "config": _config(report.config),
        "assumptions": list(report.assumptions),
        "properties": [_property(one) for one in report.properties],
        "exit": report.exit,
    }


def dump(report: Report, *, one_line: bool = False) -> str:
    """The envelope as JSON text, without a line end: indented for a single report, on one line for a stream."""
    return json_text(envelope(report), one_line=one_line)


def versions() -> dict[str, str | None]:
    """The versions an answer depends on; None for a package that is not installed."""
    import platform

    import z3

    from latchcheck import __version__

    return {
        "latchcheck": __version__,
        "z3": z3.get_version_string(),
        "hypothesis": _installed("hypothesis"),
        "python": platform.python_version(),
    }


def plain(value: Any) -> Any:
    """A value of a state or of a knob as JSON can hold it."""
    if isinstance(value, Fraction):
        far = abs(value) > sys.float_info.max  # there the nearest integer is near enough
        return value.numerator if value.denominator == 1 else round(value) if far else float(value)
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    return value


def measure(value: int | Fraction | None) -> int | float | None:
    """A margin or a bound as JSON can hold it; None for one beyond the numbers that programs compute with."""
    return None if value is None or abs(value) > sys.float_info.max else plain(value)


def steps(trace: Iterable[Step]) -> list[dict[str, Any]]:
    """The events of a run as JSON can hold them."""
    return [
        {
            "at_ms": plain(step.at_ms),
            "party": step.party,
            "action": step.action,
            "args": plain(step.args),
            "changed": {name: [plain(old), plain(new)] for name, (old, new) in step.changed.items()},
        }
        for step in trace
    ]


def json_text(value: Any, *, one_line: bool = True) -> str:
    """The value as JSON text, in which no control character stands as itself."""
    text = json.dumps(value, indent=None if one_line else 2, ensure_ascii=False, allow_nan=False)
    return CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


@cache
def _installed(package: str) -> str | None:
    """The version of a package as its metadata says, since importing it would cost more than the proof."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _config(config: Configuration) -> dict[str, Any]:
    origins = config.origins
    settings: dict[str, Any] = {}
    for key, value in config.flat().items():
        origin = origins.get(key)
        settings[key] = {
            "value": knob_value(value),
            "from": "default" if origin is None else origin.kind,
            "where": None if origin is None or origin.kind == "default" else origin.where,
        }
    return settings


def knob_value(value: Any) -> Any:
    """A value of a configuration, whose factors become numbers that programs compute with."""
    if isinstance(value, list):
        return [knob_value(one) for one in value]
    return plain(Fraction(value)) if isinstance(value, str) and EXACT.fullmatch(value) else plain(value)


def answer(one: PropertyVerdict) -> dict[str, Any]:
    """The answer to one property without what shows it and what removes it."""
    return {
        "id": one.id,
        "keyword": one.keyword,
        "verdict": one.verdict,
        "engine": one.engine,
        "scope": one.scope,
        "margin_ms": measure(one.margin_ms),
        "binding": list(one.binding),
        "bound_ms": measure(one.bound_ms),
        "clause": one.clause,
        "reason": one.reason,
    }


def _property(one: PropertyVerdict) -> dict[str, Any]:
    return {
        **answer(one),
        "sentence": {"text": one.sentence.text, "source": one.sentence.source, "where": one.sentence.where},
        "witness": None if one.witness is None else _witness(one.witness, one.fixture),
        "repairs": [_repair(repair) for repair in one.repairs],
        "cost": {"seconds": one.cost.seconds, "rlimit": one.cost.rlimit},
    }


def _witness(trace: Trace, fixture: str | None) -> dict[str, Any]:
    return {"steps": steps(trace), "fixture": fixture}


def _repair(repair: Repair) -> dict[str, Any]:
    return {"set": plain(repair.set), "verified": repair.verified, "cost_ms": measure(repair.cost_ms)}
