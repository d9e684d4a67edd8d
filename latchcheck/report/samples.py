"""What `fuzz` answers, as plain data (`latchcheck/samples/1`, with a schema in docs/reference) and in words.

A sample never passes anything: a property is violated, or it is inconclusive.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from latchcheck.kernel.telling import PLAIN, Telling

from .envelope import steps, versions
from .timeline import lines_of

if TYPE_CHECKING:
    from latchcheck.engines.questions import Search
    from latchcheck.engines.stateful import Fuzzed
    from latchcheck.kernel import Property, Trace
    from latchcheck.kernel.verdict import PropertyVerdict

SCHEMA = "latchcheck/samples/1"
CERTAIN = ("proved", "holds")


@attrs.frozen
class Found:
    """A run that breaks a property with its last step: drawn in a search, or known from a saved counterexample."""

    clause: str
    trace: Trace
    drawn: Fuzzed | None = None
    fixture: str | None = None
    saved: Path | None = None


@attrs.frozen
class Row:
    """The answer to one property.

    `verified` is what `verify` says of the same question, where it is about a configuration.
    """

    asked: Property
    searches: tuple[Fuzzed, ...]
    found: Found | None = None
    verified: PropertyVerdict | None = None

    @property
    def disagrees(self) -> bool:
        """Whether a run was found that breaks what `verify` says holds: one of the two engines is wrong."""
        return self.found is not None and self.verified is not None and self.verified.verdict in CERTAIN

    @property
    def runs(self) -> int:
        """How many runs were drawn in searches that asked for the property."""
        return sum(one.runs for one in self.searches)

    @property
    def reached(self) -> int:
        """In how many states of them the property had something to say."""
        return sum(one.reached[self.asked.id] for one in self.searches)

    @property
    def shortest(self) -> bool | None:
        """Whether every shorter run was looked at and breaks nothing; None where no run was drawn."""
        drawn = None if self.found is None else self.found.drawn
        return None if drawn is None else drawn.shortest

    def reason(self, steps_max: int) -> str | None:
        """Why there is no answer; None where there is one."""
        if self.found is not None:
            return None
        if self.asked.expectation == "leads-to":
            return "a sample of runs that end says nothing about what comes in the end; explore does"
        if not self.runs:
            return "no runs were left for it"
        what = f"{self.runs} runs of up to {steps_max} steps, no violation: a sample proves nothing"
        return what if self.reached else f"{what}, and what the property speaks about never happened"


def absent(one: PropertyVerdict) -> dict[str, Any]:
    """A property that nothing was drawn for, as plain data."""
    return {
        "id": one.id,
        "keyword": one.keyword,
        "verdict": one.verdict,
        "engine": None,
        "sentence": {"text": one.sentence.text, "source": one.sentence.source, "where": one.sentence.where},
        "clause": None,
        "reason": one.reason,
        "runs": 0,
        "reached": 0,
        "verify": None,
        "disagreement": False,
        "found_by": None,
        "found_steps": None,
        "shrunk_steps": None,
        "shortest": None,
        "witness": None,
    }


def data(row: Row, steps_max: int) -> dict[str, Any]:
    """The answer to a property as plain data."""
    asked, found = row.asked, row.found
    drawn = None if found is None else found.drawn
    answer: dict[str, Any] = {
        "id": asked.id,
        "keyword": asked.keyword,
        "verdict": "inconclusive" if found is None else "violated",
        "engine": "stateful",
        "sentence": {"text": asked.sentence.text, "source": asked.sentence.source, "where": asked.sentence.where},
        "clause": None if found is None else found.clause,
        "reason": row.reason(steps_max),
        "runs": row.runs,
        "reached": row.reached,
        "verify": None if row.verified is None else row.verified.verdict,
        "disagreement": row.disagrees,
        "found_by": None,
        "found_steps": None if drawn is None else drawn.found_steps,
        "shrunk_steps": None if drawn is None else drawn.shrunk_steps,
        "shortest": row.shortest,
        "witness": None,
    }
    if found is not None:
        answer["found_by"] = {
            "seed": None if drawn is None else drawn.seed,
            "run": None if drawn is None else drawn.runs,
            "fixture": found.fixture,
        }
        answer["witness"] = {
            "steps": steps(found.trace),
            "fixture": None if found.saved is None else str(found.saved),
            "told": [str(step) for step in found.trace],
        }
    return answer


def told(row: Row, steps_max: int, telling: Telling = PLAIN) -> list[str]:
    """The answer to a property in words."""
    if row.found is None:
        lines = [f"{'inconclusive':14}  {row.asked.id}: {row.reason(steps_max)}"]
        if row.verified is not None:
            lines.append(f"  verify says: {row.verified.verdict}")
        return lines
    found, lines = row.found, [f"{'violated':14}  {row.asked.id}: {row.found.clause}"]
    count = len(found.trace)
    if found.drawn is not None:
        least = "; no run is shorter" if row.shortest else ""
        lines.append(f"  {count} steps, found as {found.drawn.found_steps} in run {found.drawn.runs}{least}")
    else:
        lines.append(f"  {count} steps, known from the saved counterexample {found.fixture}")
    lines += [f"  {line}" for line in lines_of(found.trace, telling)]
    if row.disagrees and row.verified is not None:
        lines.append(f"  verify says: {row.verified.verdict}; the engines disagree, and one of them is wrong")
    elif row.verified is not None:
        lines.append(f"  verify says: {row.verified.verdict}")
    if found.saved is not None:
        lines.append(f"  saved as {found.saved}")
    return lines


def told_absent(one: PropertyVerdict) -> list[str]:
    """A property that nothing was drawn for, in words."""
    return [f"{one.verdict:14}  {one.id}: {one.reason}"]


def summary(searches: Sequence[Fuzzed], seed: int) -> list[str]:
    """What the whole sample did, in words."""
    runs, done = sum(one.runs for one in searches), sum(one.steps for one in searches)
    pairs = sum(one.pairs for one in searches)
    lines = [f"seed {seed}: {runs} runs, {done} steps, {pairs} pairs of action and situation"]
    fired = {name for one in searches for name, count in one.fired.items() if count}
    never = dict.fromkeys(name for one in searches for name in one.fired if name not in fired)
    return [*lines, f"never happened: {', '.join(never)}"] if never else lines


def search_data(search: Search, found: Fuzzed) -> dict[str, Any]:
    """What one search did, as plain data."""
    return {
        "scope": search.scope,
        "properties": [one.id for one in search.properties],
        "runs": found.runs,
        "steps": found.steps,
        "cells": found.cells,
        "pairs": found.pairs,
        "actions": dict(found.fired),
        "reached": dict(found.reached),
    }


def envelope(**parts: Any) -> dict[str, Any]:
    """The whole document."""
    return {"schema": SCHEMA, "versions": versions(), **parts}
