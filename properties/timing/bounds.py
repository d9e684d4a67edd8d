"""Upper bounds on an instant that may or may not be reached themselves."""

from fractions import Fraction

import attrs

from latchcheck.model.timing.schedule import Ms


@attrs.frozen
class Upper:
    """At most `at` (closed) or before it (open); `at` None is no bound."""

    at: Ms | None
    closed: bool = True

    def plus(self, span: Ms) -> "Upper":
        """The bound moved later by `span`."""
        return self if self.at is None else Upper(self.at + span, self.closed)

    def admits(self, instant: Ms) -> bool:
        """Whether `instant` keeps to the bound."""
        return self.at is None or instant < self.at or (self.closed and instant == self.at)

    def leaves(self, lower: Ms, *, closed: bool = True) -> bool:
        """Whether anything lies between `lower` (itself included if `closed`) and this bound."""
        if self.at is None or lower < self.at:
            return True
        return lower == self.at and self.closed and closed


NEVER = Upper(None)
"""No bound at all."""


def earliest(bounds: "list[Upper] | tuple[Upper, ...]") -> Upper:
    """The tightest of some bounds."""
    result = NEVER
    for bound in bounds:
        if bound.at is None:
            continue
        if result.at is None or bound.at < result.at or (bound.at == result.at and not bound.closed):
            result = bound
    return result


def instant_between(lower: Ms, upper: Upper, *, closed: bool = True) -> Ms:
    """An instant from `lower` to `upper`, as early and as round as it can be; `closed` admits `lower` itself.

    The caller has made sure with `leaves` that there is one.
    """
    if closed and lower == int(lower):
        return lower
    whole = int(lower) + 1
    if upper.admits(whole):
        return whole
    if closed:
        return lower
    return Fraction(lower + upper.at) / 2 if upper.at is not None else whole
