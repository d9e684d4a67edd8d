"""What an analysis of one property hands over, before anything is executed."""

from collections.abc import Callable, Iterable

import attrs

from latchcheck.kernel import Trace
from latchcheck.model.config import Config
from latchcheck.model.timing.schedule import Ms

Runs = Iterable[Callable[[], Trace]]
"""Attempts at a run that shows the harm; each executes its script and raises NotAStep where the model forbids it."""


@attrs.frozen(kw_only=True)
class Answer:
    """The outcome of an exact condition.

    `safe` says that no run shows the harm.
    Otherwise `runs` are attempts to show it, fewest events first, and only an executed one makes a violation.
    `margin_ms` is how far the binding knob may still move (negative: must move).
    `harm` is the variable of the model that records the harm.
    `config` is the configuration the question was asked of, where it is not the given one (another client, fewer
    parties).
    """

    safe: bool
    clause: str
    margin_ms: Ms | None = None
    binding: tuple[str, ...] = ()
    runs: Runs = ()
    harm: str | None = None
    bound_ms: Ms | None = None
    reason: str | None = None
    config: Config | None = None


@attrs.frozen
class NotApplicable:
    """The configuration lacks what the property speaks about."""

    missing: str


@attrs.frozen
class Vacuous:
    """Nothing the property speaks about can happen."""

    why: str


Outcome = Answer | NotApplicable | Vacuous

NO_POLLER = (
    "the client's polling is not stated: give client.initial_delay (and multiplier, max_delay), "
    "or a server.poll_interval for it to follow (and not 0 without any latency: no time would pass between polls)"
)
