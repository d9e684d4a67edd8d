"""The smallest changes that make a violated property hold, each proved again before it is offered.

Single knobs first: for every number (and a few modes) that the property reads, the smallest change after which it
holds and nothing that held before is broken. Then one joint change of a client's and a server's number: the one in
which the larger of the two relative changes is as small as can be.
What the world does (`network`, `workload`) and how far clocks are off is no knob.
"""

from collections.abc import Callable, Collection, Iterator

from latchcheck.kernel.verdict import Repair
from latchcheck.model.config import Config
from latchcheck.model.keys import BY_FLAT, KEYS

from .analyses import ANALYSES
from .answers import Answer, NotApplicable
from .facts import Facts

Judge = Callable[[Config], bool]

MODES: dict[str, object] = {
    "client.hint_mode": "floor",
    "client.polls_while_waiting": True,
    "client.cancel_on_abandon": True,
    "server.enforced_anchor": "terminal",
    "server.expire_running": False,
    "server.expiry_stops_work": True,
}
"""Modes that are tried, with the value that a repair would set."""

NO_KNOBS = frozenset({"server.clock_skew", "server.sweep_lateness", "client.initial_delay"})
LONGEST_MS = 100 * 365 * 24 * 3_600_000
RELATIVE_STEPS = 1_000
"""A joint change is looked for in steps of a thousandth."""


def repairs_of(name: str, config: Config, held: Collection[str]) -> tuple[Repair, ...]:
    """Repairs of one violated property; `held` are the properties that must go on holding."""

    def good(changed: Config) -> bool:
        return _holds(name, changed)

    def kept(changed: Config) -> bool:
        facts = Facts(changed)
        return all(_fine(ANALYSES[other](facts)) for other in held)

    found: list[Repair] = []
    singles: dict[str, int] = {}
    for knob in _knobs(name, config):
        value = _smallest(config, knob, good)
        if value is None:
            continue
        singles[knob] = value
        if kept(config.replace({knob: value})):
            old = config.flat()[knob]
            found.append(Repair({knob: value}, verified=True, cost_ms=abs(value - old)))
    found.sort(key=lambda repair: repair.cost_ms or 0)
    joint = _joint(config, singles, good)
    if joint is not None and kept(config.replace(joint)):
        cost = sum(abs(value - config.flat()[knob]) for knob, value in joint.items())
        found.append(Repair(joint, verified=True, cost_ms=cost))
    for knob, value in MODES.items():
        if name in BY_FLAT[knob].properties and config.flat()[knob] != value:
            changed = config.replace({knob: value})
            if good(changed) and kept(changed):
                found.append(Repair({knob: value}, verified=True))
    return tuple(found)


def _fine(outcome: object) -> bool:
    return isinstance(outcome, NotApplicable) or (isinstance(outcome, Answer) and outcome.safe)


def _holds(name: str, config: Config) -> bool:
    outcome = ANALYSES[name](Facts(config))
    return isinstance(outcome, Answer) and outcome.safe


def _knobs(name: str, config: Config) -> Iterator[str]:
    """Flat names of the numbers that the property reads and that the configuration has."""
    flat = config.flat()
    for key in KEYS:
        if key.section not in ("client", "server") or name not in key.properties or key.path in NO_KNOBS:
            continue
        field = f"{key.section}.{key.field}"
        value = flat.get(field)
        if field.endswith("_ms") and isinstance(value, int) and not isinstance(value, bool):
            yield field


def _smallest(config: Config, knob: str, good: Judge) -> int | None:
    """The value nearest to the present one with which the property holds; None where no value does."""
    old = config.flat()[knob]
    assert isinstance(old, int)
    tried: dict[int, bool] = {}

    def holds(value: int) -> bool:
        if value not in tried:
            tried[value] = good(config.replace({knob: value}))
        return tried[value]

    found = [value for value in (_first(old, +1, holds), _first(old, -1, holds)) if value is not None]
    return min(found, key=lambda value: abs(value - old)) if found else None


def _first(old: int, sign: int, holds: Callable[[int], bool]) -> int | None:
    """The first value above (`sign` 1) or below `old` that holds, the condition being monotone in the knob."""
    bad, step = 0, 1
    limit = old if sign < 0 else LONGEST_MS
    if limit == 0:
        return None
    if not holds(old + sign * limit if sign < 0 else limit):
        # Not even the extreme helps; a knob that must not be extreme is no help here.
        return None
    while step < limit and not holds(old + sign * step):
        bad, step = step, step * 4
    step = min(step, limit)
    while step - bad > 1:
        middle = (bad + step) // 2
        if holds(old + sign * middle):
            step = middle
        else:
            bad = middle
    return old + sign * step


def _joint(config: Config, singles: dict[str, int], good: Judge) -> dict[str, int] | None:
    """A change of one client's and one server's number, the larger relative change as small as can be."""
    flat = config.flat()
    sides = [[knob for knob in singles if knob.startswith(side) and flat[knob]] for side in ("client.", "server.")]
    if not all(sides):
        return None

    def relative(knob: str) -> float:
        return abs(singles[knob] - flat[knob]) / flat[knob]

    pair = [min(side, key=relative) for side in sides]

    def at(thousandths: int) -> dict[str, int]:
        return {knob: _moved(flat[knob], singles[knob], thousandths) for knob in pair}

    low, high = 0, int(max(relative(knob) for knob in pair) * RELATIVE_STEPS) + 1
    if not good(config.replace(at(high))):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if good(config.replace(at(middle))):
            high = middle
        else:
            low = middle
    return at(high)


def _moved(old: int, target: int, thousandths: int) -> int:
    """`old` moved towards `target` by a share of itself, but not beyond it."""
    share = -(-old * thousandths // RELATIVE_STEPS)
    return min(old + share, target) if target > old else max(old - share, target)
