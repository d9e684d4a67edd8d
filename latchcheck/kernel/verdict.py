"""Verdicts: what a checker answers, and the report that carries the answers.

These records are what every consumer (text, JSON) reads and all that it reads.
The words and their meaning are part of the contract: docs/reference/exit-codes.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

from attrs import field, frozen
from attrs.validators import in_

from .exits import exit_code
from .verdict_words import VERDICTS, Verdict

if TYPE_CHECKING:
    from .records import Keyword, Sentence
    from .trace import Trace

Milliseconds = int | Fraction


class Origin(Protocol):
    """Where one value of a configuration came from."""

    @property
    def kind(self) -> str:
        """One of `file`, `preset`, `task`, `set` and `default`."""
        ...

    @property
    def where(self) -> str | None:
        """What to open or to look up: `op.toml:7`, the id of a preset."""
        ...


class Configuration(Protocol):
    """What a report needs of a configuration, whatever its sections mean."""

    @property
    def origins(self) -> Mapping[str, Any]:
        """The `Origin` of each key; a key without one has its default."""
        ...

    def flat(self) -> Mapping[str, Any]:
        """Every key with its value, as JSON can write it; durations in ms, their keys ending in `_ms`."""
        ...


@frozen
class Repair:
    """A change of the configuration after which a violated property holds.

    `set` maps keys to new values, durations in ms.
    `verified` says that the repaired configuration was proved again and that nothing that held before broke.
    `cost_ms` is the sum of the changes, in ms, or None where a change is no duration.
    """

    set: Mapping[str, Any]
    verified: bool
    cost_ms: Milliseconds | None = None


@frozen
class Cost:
    """What an answer took: wall-clock seconds, and the solver's own count of its work (z3's rlimit)."""

    seconds: float = 0.0
    rlimit: int = 0


@frozen
class PropertyVerdict:
    """The answer to one property on one configuration.

    `margin_ms` is the signed slack: how far the binding knob may still move, or, when negative, must move.
    It is None where the property has no number.
    `clause` is the part of the property that decides, stated as it must hold, with the numbers it read.
    `reason` says what is missing (`not-applicable`), what shadows it (`vacuous`) or what ran out (`inconclusive`).
    `binding` names the keys that the margin is about.
    `bound_ms` is a bound that the property promises to report.
    `witness` is a run that shows a violation, already re-executed by the stepper.
    `scope` is what a `holds` is exhaustive within.
    `fixture` is the file in which the witness is saved, if it is.
    """

    id: str
    keyword: Keyword
    verdict: Verdict = field(validator=in_(VERDICTS))
    engine: str
    sentence: Sentence
    margin_ms: Milliseconds | None = None
    clause: str | None = None
    reason: str | None = None
    binding: tuple[str, ...] = ()
    bound_ms: Milliseconds | None = None
    witness: Trace | None = None
    repairs: tuple[Repair, ...] = ()
    cost: Cost = Cost()
    scope: str | None = None
    fixture: str | None = None


@frozen
class Report:
    """The answers for one configuration.

    `source` tells people what was verified: file names, presets.
    `assumptions` are the values that nobody stated and the answers rest on, one sentence each.
    `interrupted`: the user ended it, and what was not answered by then is inconclusive.
    """

    config: Configuration
    assumptions: tuple[str, ...]
    properties: tuple[PropertyVerdict, ...]
    source: str
    interrupted: bool = False

    @property
    def exit(self) -> int:
        """The exit code of a process that answers this report alone."""
        return exit_code(one.verdict for one in self.properties)
