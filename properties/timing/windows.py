"""Limits that another limit always beats: `every-window-can-fire`.

Limits are safety nets, so they are judged in a world where the client may vanish or poll for ever, the work may hang
and a human may never answer. A limit is dead when even there something else always acts first.
"""

from collections.abc import Callable, Iterator

import attrs

from latchcheck.kernel.duration import told
from latchcheck.model.timing.schedule import Ms

from .answers import Answer, NotApplicable, Outcome, Vacuous
from .bounds import Upper
from .facts import Facts

_DEADLINE, _WINDOW, _TTL = "server.execution_deadline_ms", "server.orphan_window_ms", "server.enforced_ttl_ms"
_OVERALL, _GIVE_UP = "client.overall_timeout_ms", "server.advertised_ttl_ms"
_SWEPT = {_DEADLINE, _WINDOW, _TTL}
_INPUT, _RETENTION = "server.input_window_ms", "server.input_state_retention_ms"


@attrs.frozen
class Window:
    """A limit of the configuration, and whether it can be the one that acts."""

    key: str
    limit_ms: Ms
    fires: Callable[[Facts], bool]

    @property
    def words(self) -> str:
        """The limit by its key and value."""
        return f"{self.key} ({told(self.limit_ms)})"


def every_window_can_fire(facts: Facts) -> Outcome:
    """`every-window-can-fire`: no configured limit is dead, each can be the one that acts."""
    found = list(windows(facts))
    if not found:
        return NotApplicable("no limit is set: no deadline, window, ttl, lease nor limit on the client's wait")
    dead = [window for window in found if not window.fires(facts)]
    if dead:
        return Vacuous(
            "; ".join(f"{window.words} can never be the one that acts: {_shadow(facts, window)}" for window in dead)
        )
    return Answer(safe=True, clause=f"each of these can be the one that acts: {', '.join(one.words for one in found)}")


def windows(facts: Facts) -> Iterator[Window]:
    """Every limit that the configuration sets."""
    client, server = facts.config.client, facts.config.server
    if facts.deadline_ms is not None:
        yield Window(_DEADLINE, facts.deadline_ms, _deadline_fires)
    if facts.window_ms is not None:
        yield Window(_WINDOW, facts.window_ms, _window_fires)
    if facts.ttl_ms is not None:
        yield Window(_TTL, facts.ttl_ms, _ttl_fires)
    if client.overall_timeout_ms is not None:
        yield Window(_OVERALL, client.overall_timeout_ms, _overall_fires)
    if facts.give_up_ttl_ms is not None:
        yield Window(_GIVE_UP, facts.give_up_ttl_ms, _give_up_fires)
    if server.input_window_ms is not None:
        yield Window(_INPUT, server.input_window_ms, _input_fires)
    # The shorter of two limits on one wait acts, and state is rightly kept for longer than an answer is accepted;
    # a lease ends whenever its worker dies, and attempts run out whenever they fail.
    for key, limit in (
        (_RETENTION, server.input_state_retention_ms),
        ("server.lease_timeout_ms", server.lease_timeout_ms),
    ):
        if limit is not None:
            yield Window(key, limit, lambda _: True)


# -- whether one can act ------------------------------------------------------------------------------------------


def _deadline_fires(facts: Facts) -> bool:
    assert facts.deadline_ms is not None
    first = facts.deadline_ms - facts.skew_ms
    return facts.alive_until("timeouts").leaves(max(0, first), closed=first < 0)


def _window_fires(facts: Facts) -> bool:
    """The client vanishes at once: its silence then runs beside every limit that counts from creation."""
    assert facts.window_ms is not None
    first = facts.window_ms - facts.skew_ms
    closed = facts.window_inclusive or first < 0
    return facts.alive_until("orphans", last_contact=0).leaves(max(0, first), closed=closed)


def _ttl_fires(facts: Facts) -> bool:
    """It removes a terminal record; where it keeps those, it must find a task that still works."""
    assert facts.ttl_ms is not None
    if facts.ended_expires:
        return True
    if not facts.running_expires:
        return False
    last_contact = 0 if facts.anchor == "activity" else None
    return facts.alive_until("expiry", last_contact=last_contact).leaves(max(0, facts.ttl_ms - facts.skew_ms))


def _waits_until(facts: Facts) -> Upper:
    """Latest instant at which the client can still wait: the task has ended, and the next poll tells of it."""
    alive, legs = facts.alive_until(), facts.legs
    longest = None if legs is None else legs.leg(legs.steady, legs.failures_followed).hi
    if legs is None or longest is None:
        return Upper(None)
    return alive.plus(longest + legs.schedule.restart_ms + facts.latency[1])


def _overall(facts: Facts) -> tuple[Ms, Ms]:
    """Earliest and latest instant of the client's overall timeout."""
    (low, high), client = facts.latency, facts.config.client
    assert client.overall_timeout_ms is not None
    if client.overall_timeout_from == "call":
        return client.overall_timeout_ms - high, client.overall_timeout_ms - low
    return client.overall_timeout_ms + low, client.overall_timeout_ms + high


def _overall_fires(facts: Facts) -> bool:
    first, _ = _overall(facts)
    gives_up = facts.give_up_ttl_ms
    return _waits_until(facts).admits(first) and (gives_up is None or first <= gives_up)


def _give_up_fires(facts: Facts) -> bool:
    gives_up = facts.give_up_ttl_ms
    assert gives_up is not None
    if facts.config.client.overall_timeout_ms is not None and gives_up > _overall(facts)[1]:
        return False
    return _waits_until(facts).admits(gives_up)


def _input_fires(facts: Facts) -> bool:
    """A question asked at once is the one that waits longest."""
    server = facts.config.server
    assert server.input_window_ms is not None
    kept = server.input_state_retention_ms
    return facts.alive_until().leaves(server.input_window_ms) and (kept is None or server.input_window_ms <= kept)


# -- what shadows it ----------------------------------------------------------------------------------------------

_REMOVED: dict[str, dict[str, object]] = {
    _DEADLINE: {_DEADLINE: None},
    _WINDOW: {_WINDOW: None},
    # The server goes on telling its ttl and only stops enforcing it.
    _TTL: {_TTL: "none"},
    _OVERALL: {_OVERALL: None},
    _GIVE_UP: {"client.ttl_mode": "ignore"},
    _RETENTION: {_RETENTION: None},
}


def _shadow(facts: Facts, dead: Window) -> str:
    """The limit that always acts first: without it, the dead one can act."""
    others = [one for one in windows(facts) if one.key != dead.key and one.key in _REMOVED]
    without = {one.key: Facts(facts.config.replace(_REMOVED[one.key])) for one in others}
    found = [one for one in others if dead.fires(without[one.key])] or [
        one for one in others if not dead.fires(_only(facts, dead, one, others))
    ]
    if not found:
        return "no task is ever in the state that it acts on"
    swept = {dead.key, *(one.key for one in found)} <= _SWEPT
    sweep = f", at the next sweep within {told(facts.spacing_ms)} of its end" if swept and facts.spacing_ms else ""
    names = " or ".join(one.words for one in found)
    return f"{names} always comes first{sweep}"


def _only(facts: Facts, dead: Window, one: Window, others: list[Window]) -> Facts:
    """The configuration with two of its limits: the dead one and one other."""
    removed: dict[str, object] = {}
    for other in others:
        if other.key not in (dead.key, one.key):
            removed.update(_REMOVED[other.key])
    return Facts(facts.config.replace(removed))
