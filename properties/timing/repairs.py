"""The smallest changes that make a violated property hold, each proved again before it is offered.

Single knobs first: for every number that the property reads, the smallest change after which it holds and nothing that
held before is broken. Where a number alone would break something, a mode is changed with it. Then modes alone, and one
joint change of a client's and a server's number: the one in which the larger of the two relative changes is as small
as can be, in steps of a thousandth. What the world does (`network`, `workload`) and how far clocks are off is no knob.
Where nothing stops abandoned work there may be no number to change: then what is missing is offered.

Smallest means this, for each that is offered: nothing in it can be left out, and no number in it can be a millisecond
nearer to what it is now, while the rest of it stays.
"""

from collections.abc import Callable, Collection, Iterator
from itertools import islice
from math import ceil

import attrs

from latchcheck.kernel.verdict import Repair
from latchcheck.model.config import Config
from latchcheck.model.keys import BY_FLAT
from latchcheck.model.timing.schedule import Ms, RampTooLong

from .abandoned_repairs import choices
from .analyses import ANALYSES
from .answers import Answer, NotApplicable
from .facts import Facts

NO_KNOBS = frozenset({"server.clock_skew_ms", "server.sweep_lateness_ms", "client.initial_delay_ms"})
LONGEST_MS = 100 * 365 * 24 * 3_600_000
RELATIVE_STEPS = 1_000
"""A joint change is looked for in steps of a thousandth."""

CHOICES_MAX = 3
"""How many changes of several settings together are offered."""

PAIR_FACTOR = 4
"""Where a number is moved out of the way of another, it is moved to so many times the sum of all."""

GUESSES_MAX = 5
"""How often the margin is followed before the value is looked for by halves."""

Probe = Callable[[int], tuple[bool, Ms | None]]
"""Whether the property holds with a value (or at a distance), and its margin there."""


def repairs_of(
    name: str, config: Config, held: Collection[str], margin_ms: Ms | None, knobs: Collection[str] | None = None
) -> tuple[Repair, ...]:
    """Repairs of one violated property; `held` are the properties that must go on holding.

    With `knobs`, flat names, nothing else is changed.
    """
    search = _Search(name, config, frozenset(held), margin_ms, None if knobs is None else frozenset(knobs))
    found = (*search.numbers(), *search.joint(), *search.modes())
    if not found and name == "abandoned-work-is-bounded":
        known = (one for one in choices(config) if search.may(*one))
        return tuple(islice(search.together(known), CHOICES_MAX))
    return found


def pairs_of(name: str, config: Config, knobs: Collection[str] | None = None) -> Iterator[Repair]:
    """Changes of two numbers that repair one violated property, where no number alone does.

    One number is moved out of the way, the other as far as needed, and then both back as far as they may.
    Every number of the client and the server is tried, whatever the property is said to be about.
    """
    search = _Search(name, config, frozenset(), None, frozenset(BY_FLAT if knobs is None else knobs))
    return islice(search.pairs(), CHOICES_MAX)


def _modes(config: Config) -> Iterator[tuple[str, object]]:
    """Modes that a repair may set, with the value it would set."""
    yield "client.hint_mode", "floor"
    yield "client.polls_while_waiting", True
    yield "client.cancel_on_abandon", True
    yield "server.advertised_anchor", config.enforced_anchor_effective
    yield "server.enforced_anchor", "terminal"
    yield "server.expire_running", False
    yield "server.expiry_stops_work", True


@attrs.frozen(slots=False)
class _Search:
    """The search for repairs of one violated property of one configuration."""

    name: str
    config: Config
    held: frozenset[str]
    margin_ms: Ms | None
    knobs: frozenset[str] | None = None
    singles: dict[str, int] = attrs.field(factory=dict, init=False)

    def may(self, *keys: str) -> bool:
        """Whether these keys may be changed."""
        return self.knobs is None or self.knobs.issuperset(keys)

    def _good(self, changes: dict[str, object]) -> bool:
        return self._tried(changes)[0]

    def _tried(self, changes: dict[str, object]) -> tuple[bool, Ms | None]:
        """Whether the property holds after the changes, and its margin."""
        try:
            outcome = ANALYSES[self.name](Facts(self.config.replace(changes)))
        except RampTooLong:
            return False, None
        return (outcome.safe, outcome.margin_ms) if isinstance(outcome, Answer) else (False, None)

    def _keeps(self, changes: dict[str, object]) -> bool:
        """Whether everything that held before still does."""
        facts = Facts(self.config.replace(changes))
        return all(is_met(other, facts) for other in self.held)

    def _cost(self, changes: dict[str, object]) -> Ms | None:
        flat, total = self.config.flat(), 0
        for knob, value in changes.items():
            old = flat[knob]
            if not isinstance(old, int) or not isinstance(value, int) or isinstance(old, bool):
                return None
            total += abs(value - old)
        return total

    def _repair(self, changes: dict[str, object]) -> Repair:
        return Repair(changes, verified=True, cost_ms=self._cost(changes))

    # -- single numbers ---------------------------------------------------------------------------------------

    def numbers(self) -> list[Repair]:
        """The smallest change of each single number, cheapest first."""
        found: list[Repair] = []
        for knob in self.numbers_about():
            value = self.smallest(knob)
            if not value:
                continue
            self.singles[knob] = value
            changes: dict[str, object] = {knob: value}
            if self._keeps(changes):
                found.append(self._repair(changes))
                continue
            modes = (mode for mode in _modes(self.config) if self.may(mode[0]))
            both = next(filter(None, (self._with_mode(changes, *mode) for mode in modes)), None)
            if both is not None:
                found.append(self._repair(both))
        return sorted(found, key=lambda repair: (len(repair.set), repair.cost_ms or 0))

    def _with_mode(self, changes: dict[str, object], mode: str, setting: object) -> dict[str, object] | None:
        """The changes with a mode, made as small as can be; None where that is no repair, or one without the number."""
        both = {**changes, mode: setting}
        if self.config.flat()[mode] == setting or not self._good(both) or not self._keeps(both):
            return None
        least = self._least(both)
        return least if least is not None and least.keys() == both.keys() else None

    def _least(self, changes: dict[str, object]) -> dict[str, object] | None:
        """The changes without what they can do without, each number as near to what it is now as the others allow.

        None where they are no repair.
        """
        for fits in (self._good, lambda one: self._good(one) and self._keeps(one)):  # the first is far cheaper
            least = self._nearer(changes, fits)
            if self._good(least) and self._keeps(least):
                return least
        return None

    def _nearer(self, changes: dict[str, object], fits: Callable[[dict[str, object]], bool]) -> dict[str, object]:
        """The changes, in which each number is moved back as far as they still fit, and left out where it may be."""
        now, least = self.config.flat(), dict(changes)
        for knob, value in changes.items():
            rest = {name: other for name, other in least.items() if name != knob}
            if rest and fits(rest):
                least = rest
                continue
            old = now[knob]
            if isinstance(value, bool) or not isinstance(value, int) or not isinstance(old, int):
                continue
            sign = 1 if value > old else -1
            steps = by_halves(_moving(least, knob, old, sign, fits), abs(value - old))
            least[knob] = old + sign * steps
        return least

    def numbers_about(self) -> Iterator[str]:
        """Flat names of the client's and the server's numbers of milliseconds that the property reads."""
        for field, value in self.config.flat().items():
            numeric = isinstance(value, int) and not isinstance(value, bool)
            if not numeric or not field.startswith(("client.", "server.")) or field in NO_KNOBS:
                continue
            if field.endswith("_ms") and self._is_about(field):
                yield field

    def _is_about(self, key: str) -> bool:
        """Whether a change of the key is tried: it is one that may change, or that the property is said to be about."""
        return key in self.knobs if self.knobs is not None else self.name in BY_FLAT[key].properties

    def smallest(self, knob: str) -> int | None:
        """The value nearest to the present one with which the property holds; None where no value does."""
        old = self.config.flat()[knob]
        assert isinstance(old, int)
        tried: dict[int, tuple[bool, Ms | None]] = {}

        def probe(value: int) -> tuple[bool, Ms | None]:
            if value not in tried:
                tried[value] = self._tried({knob: value})
            return tried[value]

        found = [value for value in (self._first(old, +1, probe), self._first(old, -1, probe)) if value is not None]
        return min(found, key=lambda value: abs(value - old)) if found else None

    def _first(self, old: int, sign: int, probe: Probe) -> int | None:
        """The first value above (`sign` 1) or below `old` that holds, the condition being monotone in the knob."""
        limit = old - 1 if sign < 0 else LONGEST_MS - old
        if limit <= 0:
            return None
        step = self._by_margin(lambda distance: probe(old + sign * distance), limit)
        if step is None and probe(old + sign * limit)[0]:
            step = by_halves(lambda distance: probe(old + sign * distance)[0], limit)
        return None if step is None else old + sign * step

    def _by_margin(self, probe: Probe, limit: int) -> int | None:
        """The least distance that helps, where the margin, which is piecewise linear, leads to it in a few steps."""
        missing = self.margin_ms
        if missing is None or missing > 0:
            return None
        distance = max(1, ceil(-missing))
        for _ in range(GUESSES_MAX):
            distance = min(distance, limit)
            good, margin = probe(distance)
            if good and (distance == 1 or not probe(distance - 1)[0]):
                return distance
            if margin is None or margin <= missing:
                return None
            needed = ceil(-missing * distance / (margin - missing))
            if needed == distance:
                needed += -1 if good else 1
            distance = max(1, needed)
        return None

    def _numbers_now(self) -> dict[str, int]:
        """The present value of every number."""
        return {name: value for name, value in self.config.flat().items() if isinstance(value, int)}

    # -- two numbers, and modes -------------------------------------------------------------------------------

    def joint(self) -> list[Repair]:
        """A change of one client's and one server's number, the larger relative change as small as can be."""
        flat = self._numbers_now()
        sides = [
            [knob for knob in self.singles if knob.startswith(side) and flat[knob]] for side in ("client.", "server.")
        ]
        if not all(sides):
            return []

        def relative(knob: str) -> float:
            return abs(self.singles[knob] - flat[knob]) / flat[knob]

        pair = [min(side, key=relative) for side in sides]

        def at(thousandths: int) -> dict[str, object]:
            return {knob: _moved(flat[knob], self.singles[knob], thousandths) for knob in pair}

        low, high = 0, int(max(relative(knob) for knob in pair) * RELATIVE_STEPS) + 1
        if not self._good(at(high)):
            return []
        while high - low > 1:
            middle = (low + high) // 2
            if self._good(at(middle)):
                high = middle
            else:
                low = middle
        changes = at(high)
        if any(changes[knob] == self.singles[knob] for knob in pair) or not self._keeps(changes):
            # One of the two alone would do, or something else would break.
            return []
        least = self._least(changes)
        return [self._repair(least)] if least is not None and least.keys() == changes.keys() else []

    def pairs(self) -> Iterator[Repair]:
        """Two numbers of which each needs the other, as small as can be."""
        flat, told = self._numbers_now(), list[dict[str, object]]()
        far = min(LONGEST_MS, sum(value for key, value in flat.items() if key.endswith("_ms")) * PAIR_FACTOR)
        for first in self.numbers_about():
            for away in (far, 1):
                moved = attrs.evolve(self, config=self.config.replace({first: away}))
                for second in moved.numbers_about():
                    value = None if second == first else moved.smallest(second)
                    if not value:
                        continue
                    least = self._nearer({first: away, second: value}, self._good)
                    if len(least) > 1 and least not in told and self._good(least):
                        told.append(least)
                        yield self._repair(least)

    def modes(self) -> list[Repair]:
        """Modes that alone make the property hold."""
        found = []
        for mode, setting in _modes(self.config):
            changes = {mode: setting}
            relevant = self._is_about(mode) and self.config.flat()[mode] != setting
            if relevant and self._good(changes) and self._keeps(changes):
                found.append(self._repair(changes))
        return found

    def together(self, choices: Iterator[dict[str, object]]) -> Iterator[Repair]:
        """Those of several changes together that make the property hold, none with more in it than another."""
        found: list[dict[str, object]] = []
        for changes in choices:
            fewer = any(one.items() <= changes.items() for one in found)
            if not fewer and self._good(changes) and self._keeps(changes):
                found.append(changes)
                yield self._repair(changes)


def _moving(
    changes: dict[str, object], knob: str, old: int, sign: int, fits: Callable[[dict[str, object]], bool]
) -> Callable[[int], bool]:
    """Whether the changes fit with one number so many milliseconds away from what it is now."""
    return lambda distance: fits({**changes, knob: old + sign * distance})


def by_halves(holds: Callable[[int], bool], limit: int) -> int:
    """The least distance up to `limit` that helps, `limit` itself being known to."""
    bad, step = 0, 1
    while step < limit and not holds(step):
        bad, step = step, step * 4
    step = min(step, limit)
    while step - bad > 1:
        middle = (bad + step) // 2
        if holds(middle):
            step = middle
        else:
            bad = middle
    return step


def is_met(name: str, facts: Facts) -> bool:
    """Whether the condition of a property is met, or it is not applicable."""
    try:
        outcome = ANALYSES[name](facts)
    except RampTooLong:
        return False
    return isinstance(outcome, NotApplicable) or (isinstance(outcome, Answer) and outcome.safe)


def _moved(old: int, target: int, thousandths: int) -> int:
    """`old` moved towards `target` by a share of itself, but not beyond it."""
    share = -(-old * thousandths // RELATIVE_STEPS)
    return min(old + share, target) if target > old else max(old - share, target)
