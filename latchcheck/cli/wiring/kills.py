"""Which missing guards the properties of a search notice, from the saved counterexamples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # each function imports what it needs, so that --help does not pay for the solver
    from latchcheck.report.findings import Kill


def kill_rows(names: Sequence[str]) -> tuple[Kill, ...]:
    """For each mutant that some of these properties catch, which do, after so many steps.

    Of each pair one run is saved, a shortest in the scope ci, and `latchcheck fixtures check` executes them all again.
    """
    from latchcheck.properties.lifecycle.catalogue import CATALOGUE
    from latchcheck.report.findings import Caught, Kill

    from .fixtures import saved_fixtures

    wanted, rows = set(names), dict[str, list[Caught]]()
    for _, one in saved_fixtures():
        if one.property not in wanted or one.config is not None or one.repeats_from is not None:
            continue
        switches = {**({} if one.era in (None, "2026-07-28") else {"era": one.era}), **one.policy}
        mutant = ",".join(f"{name}={value}" for name, value in switches.items())
        own = mutant in CATALOGUE[one.property].mutants
        rows.setdefault(mutant, []).append(Caught(one.property, len(one.steps), own))
    return tuple(
        Kill(mutant, tuple(sorted(caught, key=lambda one: (one.steps, one.property))))
        for mutant, caught in sorted(rows.items())
    )
