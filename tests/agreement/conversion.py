"""From a drawn configuration (plain keys, small integers) to the records that `verify` takes."""

from fractions import Fraction
from typing import Any

from latchcheck.model.config import Client, Config, Network, Server, Workload

RECORDS = {"client": Client, "server": Server, "network": Network, "workload": Workload}
FACTORS = {"multiplier", "error_multiplier", "retry_multiplier"}


def configuration(drawn: dict[str, Any]) -> Config:
    """The configuration of a draw; every duration is a count of milliseconds."""
    sections = {}
    for section, record in RECORDS.items():
        values = {}
        for name, value in drawn.get(section, {}).items():
            field = f"{name}_ms" if hasattr(record, f"{name}_ms") else name
            values[field] = _native(name, value)
        sections[section] = record(**values)
    return Config(**sections)


def _native(name: str, value: Any) -> Any:
    if name in FACTORS:
        return Fraction(value)
    if name == "jitter":
        return tuple(Fraction(item) for item in value)
    if isinstance(value, list):
        return tuple(value)
    return value
