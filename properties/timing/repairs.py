"""The smallest changes that make a violated property hold, each proved again before it is offered.

Single knobs first: for every number that the property reads, the smallest change after which it holds and nothing that
held before is broken. Where a number alone would break something, a mode is changed with it. Then modes alone, and one
joint change of a client's and a server's number: the one in which the larger of the two relative changes is as small
as can be. What the world does (`network`, `workload`) and how far clocks are off is no knob.
"""

from collections.abc import Callable, Collection, Iterator
from math import ceil

import attrs

from latchcheck.kernel.verdict import Repair
from latchcheck.model.config import Config
from latchcheck.model.keys import BY_FLAT
from latchcheck.model.timing.schedule import Ms

from .analyses import ANALYSES
from .answers import Answer, NotApplicable
from .facts import Facts

NO_KNOBS = frozenset({"server.clock_skew_ms", "server.sweep_lateness_ms", "client.initial_delay_ms"})
LONGEST_MS = 100 * 365 * 24 * 3_600_000
RELATIVE_STEPS = 1_000
"""A joint change is looked for in steps of a thousandth."""


def repairs_of(name: str, config: Config, held: Collection[str], margin_ms: Ms | None) -> tuple[Repair, ...]:
    """Repairs of one violated property; `held` are the properties that must go on holding."""
    search = _Search(name, config, frozenset(held), margin_ms)
    return (*search.numbers(), *search.joint(), *search.modes())


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
    singles: dict[str, int] = attrs.field(factory=dict, init=False)

    def _good(self, changes: dict[str, object]) -> bool:
        outcome = ANALYSES[self.name](Facts(self.config.replace(changes)))
        return isinstance(outcome, Answer) and outcome.safe

    def _keeps(self, changes: dict[str, object]) -> bool:
        """Whether everything that held before still does."""
        facts = Facts(self.config.replace(changes))
        return all(_fine(ANALYSES[other](facts)) for other in self.held)

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
        for knob in self._knobs():
            value = self._smallest(knob)
            if not value:
                continue
            self.singles[knob] = value
            changes: dict[str, object] = {knob: value}
            if self._keeps(changes):
                found.append(self._repair(changes))
                continue
            for mode, setting in _modes(self.config):
                both = {**changes, mode: setting}
                if self.config.flat()[mode] != setting and self._good(both) and self._keeps(both):
                    found.append(self._repair(both))
                    break
        return sorted(found, key=lambda repair: (len(repair.set), repair.cost_ms or 0))

    def _knobs(self) -> Iterator[str]:
        """Flat names of the client's and the server's numbers of milliseconds that the property reads."""
        for field, value in self.config.flat().items():
            numeric = isinstance(value, int) and not isinstance(value, bool)
            if not numeric or not field.startswith(("client.", "server.")) or field in NO_KNOBS:
                continue
            if field.endswith("_ms") and self.name in BY_FLAT[field].properties:
                yield field

    def _smallest(self, knob: str) -> int | None:
        """The value nearest to the present one with which the property holds; None where no value does."""
        old = self.config.flat()[knob]
        assert isinstance(old, int)
        tried: dict[int, bool] = {}

        def holds(value: int) -> bool:
            if value not in tried:
                tried[value] = self._good({knob: value})
            return tried[value]

        found = [value for value in (self._first(old, +1, holds), self._first(old, -1, holds)) if value is not None]
        return min(found, key=lambda value: abs(value - old)) if found else None

    def _first(self, old: int, sign: int, holds: Callable[[int], bool]) -> int | None:
        """The first value above (`sign` 1) or below `old` that holds, the condition being monotone in the knob."""
        limit = old - 1 if sign < 0 else LONGEST_MS - old
        if limit <= 0 or not holds(old + sign * limit):
            # Not even the extreme helps.
            return None
        # Most knobs move the margin one to one, so the margin itself is the first guess.
        for guess in self._guesses():
            if guess <= limit and holds(old + sign * guess) and (guess == 1 or not holds(old + sign * (guess - 1))):
                return old + sign * guess
        bad, step = 0, 1
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

    def _guesses(self) -> tuple[int, ...]:
        if self.margin_ms is None or self.margin_ms > 0:
            return ()
        missing = ceil(-self.margin_ms)
        return tuple(guess for guess in (missing, missing + 1) if guess > 0)

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
        if any(changes[knob] == self.singles[knob] for knob in pair):
            # One of the two alone would do.
            return []
        return [self._repair(changes)] if self._keeps(changes) else []

    def modes(self) -> list[Repair]:
        """Modes that alone make the property hold."""
        found = []
        for mode, setting in _modes(self.config):
            changes = {mode: setting}
            relevant = self.name in BY_FLAT[mode].properties and self.config.flat()[mode] != setting
            if relevant and self._good(changes) and self._keeps(changes):
                found.append(self._repair(changes))
        return found


def _fine(outcome: object) -> bool:
    return isinstance(outcome, NotApplicable) or (isinstance(outcome, Answer) and outcome.safe)


def _moved(old: int, target: int, thousandths: int) -> int:
    """`old` moved towards `target` by a share of itself, but not beyond it."""
    share = -(-old * thousandths // RELATIVE_STEPS)
    return min(old + share, target) if target > old else max(old - share, target)
