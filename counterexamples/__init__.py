"""What broke it: saved counterexamples, read, written, made smaller and replayed."""

from .answering import answered, correct
from .errors import FixtureError, Stale
from .fixture import FORMAT, Event, Fixture, FoundBy, Minimal, Violation, events_of
from .generating import slug, update
from .loading import SAVED, load, loads, saved
from .minimising import minimise
from .replaying import Case, Provider, Replayed, broken_at, check, check_all, made, reproduce, run
from .shrinking import Shrinker, minimised
from .writing import dump, means_the_same, write, write_all

__all__ = [
    "FORMAT",
    "SAVED",
    "Case",
    "Event",
    "Fixture",
    "FixtureError",
    "FoundBy",
    "Minimal",
    "Provider",
    "Replayed",
    "Shrinker",
    "Stale",
    "Violation",
    "answered",
    "broken_at",
    "check",
    "check_all",
    "correct",
    "dump",
    "events_of",
    "load",
    "loads",
    "made",
    "means_the_same",
    "minimise",
    "minimised",
    "reproduce",
    "run",
    "saved",
    "slug",
    "update",
    "write",
    "write_all",
]
