"""How Hypothesis is run here: quietly, by the seed alone, and so that what it finds is ours to keep."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from hypothesis import HealthCheck, Verbosity, settings

QUIET = settings(
    database=None,
    deadline=None,
    derandomize=False,
    report_multiple_bugs=False,
    suppress_health_check=tuple(HealthCheck),  # type: ignore[arg-type]  # its own annotation forgets the values
    verbosity=Verbosity.quiet,
)
"""What every search has in common; how many runs it draws, and in which phases, is its own."""
_NUMBERS = ("_get_local_constants", "CONSTANTS_CACHE")


@contextmanager
def without_numbers_from_sources() -> Iterator[None]:
    """Keep Hypothesis from drawing numbers that it reads in the sources of whatever modules are loaded.

    A seed must give the same search in a test as on the command line. There is no setting for it; should a release name
    these parts otherwise, it draws such numbers again and tests/engines/test_stateful.py says so.
    """
    providers: Any = import_module("hypothesis.internal.conjecture.providers")
    kept = {name: vars(providers)[name] for name in _NUMBERS if name in vars(providers)}
    if len(kept) == len(_NUMBERS):
        providers._get_local_constants = providers.Constants  # noqa: SLF001 - see above
        providers.CONSTANTS_CACHE = {}
    try:
        yield
    finally:
        for name, value in kept.items():
            setattr(providers, name, value)
