"""Measures what the sampled search finds, into sampled.json, from which the kill table has its section; takes minutes.

For every property and every mutant that it catches, and for faults deeper than those: with several seeds the run in
which it is found, how long that run is as drawn, and how long it is left.
Run it after a change of the model, of the engine or of Hypothesis: `python docs/reference/measure_sampled.py`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from latchcheck.cli.wiring import reducer
from latchcheck.engines.explicit import explore
from latchcheck.engines.stateful import RUNS_MAX, STEPS_MAX, fuzz
from latchcheck.model.policy import Policy
from latchcheck.model.scope import Scope
from latchcheck.properties.lifecycle.catalogue import RULES, model
from latchcheck.properties.lifecycle.killing import kill_table

FILE = Path(__file__).with_name("sampled.json")
SEEDS = (0, 1, 2)
CI = "ci"
# Faults that more attempts put deeper: each attempt is two steps further from the start.
DEEPER = tuple(
    ("failures-are-classified", f"{mutant}", f"workers=1,attempts={attempts}")
    for mutant in ("attempt_ceiling=off", "exhausted=permanent")
    for attempts in (4, 6, 8)
)
# Deeper faults may take this many runs, of so many steps.
DEEPER_RUNS_MAX = 20_000
DEEPER_STEPS_MAX = 40


def measured(
    name: str, mutant: str, scope: str, shortest: int, runs_max: int = RUNS_MAX, steps_max: int = STEPS_MAX
) -> dict[str, Any]:
    """One row: a property, a mutant, and what each seed finds; None where it finds nothing.

    The delta debugger gets each run as it was drawn, without what Hypothesis would take away before.
    """
    system, asked = model(name, Scope.parse(scope), Policy.parse(mutant))
    reduce = reducer(system)
    found = [
        fuzz(system, [asked], seed=seed, runs_max=runs_max, steps_max=steps_max, reduce=reduce, shrink=False)
        for seed in SEEDS
    ]
    return {
        "property": name,
        "mutant": mutant,
        "scope": scope,
        "shortest": shortest,
        "runs": [one.runs if one.violated else None for one in found],
        "drawn": [one.found_steps for one in found],
        "left": [None if one.counterexample is None else len(one.counterexample) for one in found],
    }


def rows() -> Iterator[dict[str, Any]]:
    """Every row, those of the kill table first."""
    table = kill_table(Scope.parse(CI))
    for rule in RULES:
        for mutant, steps in table[rule.id].items():
            if steps is not None:
                yield measured(rule.id, mutant, CI, steps)
    for name, mutant, scope in DEEPER:
        system, asked = model(name, Scope.parse(scope), Policy.parse(mutant))
        shortest = explore(system, [asked]).counterexample
        assert shortest is not None, (name, mutant, scope)
        yield measured(name, mutant, scope, len(shortest), DEEPER_RUNS_MAX, DEEPER_STEPS_MAX)


def main() -> None:
    """Measure and write."""
    import hypothesis

    found = []
    for row in rows():
        found.append(row)
        sys.stderr.write(f"{row['property']} {row['mutant']} {row['scope']} {row['runs']} {row['left']}\n")
    document = {"hypothesis": hypothesis.__version__, "seeds": SEEDS, "rows": found}
    lines = ",\n".join(f"    {json.dumps(row)}" for row in found)
    head = f'{{\n  "hypothesis": {json.dumps(document["hypothesis"])},\n  "seeds": {json.dumps(SEEDS)},\n  "rows": [\n'
    FILE.write_text(f"{head}{lines}\n  ]\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
