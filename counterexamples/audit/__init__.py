"""Logs of real servers, checked against the model: whether what happened is a run of it."""

from .judging import SLACK_MS, Audit, Unexplained, audit
from .lines import LogError, opened
from .log import Entry, entries
from .meaning import KINDS, STATUSES, Occurrence, Reading
from .shapes import OTEL, OWN, SHAPES, Shape, ShapeError, mapped

__all__ = [
    "KINDS",
    "OTEL",
    "OWN",
    "SHAPES",
    "SLACK_MS",
    "STATUSES",
    "Audit",
    "Entry",
    "LogError",
    "Occurrence",
    "Reading",
    "Shape",
    "ShapeError",
    "Unexplained",
    "audit",
    "entries",
    "mapped",
    "opened",
]
