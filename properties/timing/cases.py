"""The system in which each timing property can be seen broken, and the variables of it that record the harm.

An analysis of a property knows without any search whether its harm can happen; this is what a sampled run or a saved
one is executed on to see it happen.
"""

from collections.abc import Callable, Mapping
from typing import Final

import attrs
import z3

from latchcheck.kernel import Clause, Property, System
from latchcheck.model.config import Config
from latchcheck.model.timing.believed import believed_system
from latchcheck.model.timing.hinted import obeying_system, polling_system
from latchcheck.model.timing.idempotency import idempotency_system
from latchcheck.model.timing.lease import lease_system, recovery_system
from latchcheck.model.timing.marker import marker_system
from latchcheck.model.timing.system import timed_system

from .abandoned import work_system
from .abandoned_found import left_alone_system
from .catalogue import CATALOGUE
from .facts import Facts
from .human import waiting_system
from .retries import attempts_system

Build = Callable[[Facts], System]


def _plain(build: Callable[[Config], System]) -> Build:
    return lambda facts: build(facts.config)


_TIMED: Final = _plain(timed_system)
# Property: what builds its system, and the variables that record its harm.
SYSTEMS: Final[Mapping[str, tuple[Build, tuple[str, ...]]]] = {
    "no-live-orphan": (_TIMED, ("orphaned_live",)),
    "result-reaches-client": (_TIMED, ("outcome_lost",)),
    "ttl-covers-execution": (_TIMED, ("expired_live",)),
    "patience-covers-execution": (_TIMED, ("gave_up_early",)),
    "advertised-ttl-is-enforced": (_plain(believed_system), ("gave_up_on_live", "read_gone")),
    "hint-inside-orphan-window": (_TIMED, ("orphaned_live",)),
    "hint-inside-ttl": (_plain(obeying_system), ("hint_too_late",)),
    "hint-honoured": (_plain(polling_system), ("polled_too_soon",)),
    "restart-inside-orphan-window": (_TIMED, ("orphaned_away",)),
    "orphans-found-in-time": (left_alone_system, ("found_late",)),
    "timeout-is-seen": (_TIMED, ("timeout_lost",)),
    "retries-inside-deadline": (attempts_system, ("cut_short",)),
    "lease-outlives-stall": (_plain(lease_system), ("overlap",)),
    "recovery-inside-patience": (_plain(recovery_system), ("recovery_missed",)),
    "idempotency-outlives-retries": (_plain(idempotency_system), ("second_task",)),
    "input-window-covers-human": (waiting_system, ("unheard",)),
    "cancel-marker-outlives-record": (_plain(marker_system), ("read_uncancelled",)),
    "abandoned-work-is-bounded": (work_system, ("works_on",)),
    "ttl-cap-suffices": (_TIMED, ("orphaned_live",)),
}
"""Every property but `every-window-can-fire`, of which no run is a counterexample."""


@attrs.frozen
class TimedCase:
    """A property of a configuration as a question about runs: no run of the system makes a harm true."""

    system: System
    asked: Property
    config: Config

    @property
    def harms(self) -> tuple[str, ...]:
        """The variables that record the harm."""
        return SYSTEMS[self.asked.id][1]


def clause_of(harm: str) -> Clause:
    """The clause that a harm breaks: it says "never" and the variable that records it."""
    return Clause(f"never {harm}", z3.Not(z3.Bool(harm)))


def case_of(name: str, config: Config) -> TimedCase:
    """The case of a property and of the very configuration that it is asked of.

    Raises KeyError for a property without one, AssertionError where the configuration lacks what it speaks about.
    """
    build, harms = SYSTEMS[name]
    known = CATALOGUE[name]
    asked = Property(name, known.keyword, known.sentence, tuple(clause_of(harm) for harm in harms))
    return TimedCase(build(Facts(config)), asked, config)
