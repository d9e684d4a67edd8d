"""Logs of real servers, checked against the model: whether what happened is a run of it."""

from .judging import Audit, Unexplained, audit
from .log import Entry, LogError, entries
from .meaning import KINDS, STATUSES, Occurrence, Reading
from .shapes import OTEL, OWN, SHAPES, Shape, ShapeError, mapped

__all__ = [
    "KINDS",
    "OTEL",
    "OWN",
    "SHAPES",
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
]
