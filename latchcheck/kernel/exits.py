"""Exit codes of the command line, and the one function that chooses among them.

The codes are part of the contract: docs/reference/exit-codes.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from .verdict_words import VERDICTS, Verdict


class Exit(IntEnum):
    """What a process says by its exit code."""

    FINE = 0
    """Every property asked for is proved, holds or is not applicable."""
    VIOLATED = 1
    """Some property has a run that breaks it."""
    USAGE = 2
    """The command line, a configuration, a property or a fixture is wrong."""
    INTERNAL = 3
    """The checker itself failed, or two engines disagree."""
    INCONCLUSIVE = 4
    """Some question has no answer: a budget ran out, or the run was interrupted."""
    VACUOUS = 5
    """Some property speaks about nothing that can happen, or a saved fixture is stale."""


PRECEDENCE = (Exit.INTERNAL, Exit.VIOLATED, Exit.USAGE, Exit.VACUOUS, Exit.INCONCLUSIVE, Exit.FINE)
"""Which code is given when several apply: the first of these.

An internal error comes first because nothing else that was printed can be trusted then.
"""

_BY_VERDICT: dict[Verdict, Exit] = {
    "proved": Exit.FINE,
    "holds": Exit.FINE,
    "not-applicable": Exit.FINE,
    "violated": Exit.VIOLATED,
    "vacuous": Exit.VACUOUS,
    "inconclusive": Exit.INCONCLUSIVE,
}


def worst(*codes: int) -> int:
    """The code to give when several apply: the first of them in the order of `PRECEDENCE`."""
    return int(min((Exit(code) for code in codes), key=PRECEDENCE.index))


def exit_code(
    verdicts: Iterable[Verdict],
    *,
    internal_error: bool = False,
    usage_error: bool = False,
    stale: bool = False,
) -> int:
    """The exit code of a run that ended with these verdicts and these mishaps.

    Raises ValueError for a word that is no verdict, since a misspelt one must not pass as fine.
    """
    apply = {Exit.FINE}
    for verdict in verdicts:
        if verdict not in _BY_VERDICT:
            raise ValueError(f"{verdict!r} is no verdict; write one of {', '.join(VERDICTS)}")
        apply.add(_BY_VERDICT[verdict])
    if internal_error:
        apply.add(Exit.INTERNAL)
    if usage_error:
        apply.add(Exit.USAGE)
    if stale:
        apply.add(Exit.VACUOUS)
    return int(next(code for code in PRECEDENCE if code in apply))
