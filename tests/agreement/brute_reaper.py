"""What a sweep may do and must do (semantics.md section 3), as thresholds on the grid.

With a clock skew s a comparison ``now - stamp > limit`` reads anything in [-s, s] beside the
truth: below ``limit - s`` it cannot fire, above ``limit + s`` it must, between it may.  Each
comparison of each sweep errs on its own.
"""

from attrs import frozen

from tests.agreement.brute_grid import INF, World

PASSES = ("timeouts", "orphans", "expiry")


@frozen(slots=True)
class Threshold:
    """A guard fires at the earliest at `may`, and certainly from `must` on (grid steps, INF never)."""

    may: int
    must: int

    @classmethod
    def of(cls, limit: int, skew: int, *, strict: bool) -> "Threshold":
        """The thresholds of ``elapsed > limit`` (strict) or ``elapsed >= limit``."""
        if limit >= INF:
            return cls(INF, INF)
        return cls(max(0, limit - skew + strict), max(0, limit + skew + strict))


NEVER = Threshold(INF, INF)


@frozen(slots=True)
class Judge:
    """The three guards over a running record, split by what they measure.

    `age` guards measure since creation, `silence` guards since the last contact.
    """

    age: dict[str, Threshold]
    silence: dict[str, Threshold]
    removal: Threshold
    anchor: str
    order: tuple[str, ...]
    removes_terminal: bool

    @classmethod
    def of(cls, world: World) -> "Judge":
        """The guards of a world."""
        timeouts = Threshold.of(world.deadline, world.skew, strict=True)
        orphans = Threshold.of(world.orphan_window, world.skew, strict=world.orphan_strict)
        expiry = Threshold.of(world.ttl, world.skew, strict=False)
        sliding = world.anchor == "activity"
        running = NEVER if world.exempt else expiry
        return cls(
            age={
                "timeouts": timeouts,
                "orphans": NEVER,
                "expiry": NEVER if sliding else running,
            },
            silence={
                "timeouts": NEVER,
                "orphans": orphans,
                "expiry": running if sliding else NEVER,
            },
            removal=expiry,
            anchor=world.anchor,
            order=world.order,
            removes_terminal=world.removes_terminal,
        )

    @property
    def age_forced(self) -> int:
        """From this age on no sweep leaves a running record alone."""
        return min(t.must for t in self.age.values())

    @property
    def silence_forced(self) -> int:
        """From this silence on no sweep leaves a running record alone."""
        return min(t.must for t in self.silence.values())

    def earlier(self, name: str) -> tuple[str, ...]:
        """The passes that run before `name` in one sweep."""
        return self.order[: self.order.index(name)]

    def expiry_follows(self, name: str) -> bool:
        """Whether the expiry pass still runs after `name` in the same sweep."""
        return self.order.index("expiry") > self.order.index(name)

    def removal_from(self, terminal: int) -> int:
        """The earliest instant at which the expiry pass may remove a record terminal since then.

        No contact later than `terminal` is assumed; anchor `activity` then starts at the write.
        """
        if not self.removes_terminal:
            return INF
        start = 0 if self.anchor == "creation" else terminal
        return max(terminal, start + self.removal.may)
