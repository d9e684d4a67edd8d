"""What can go wrong with a target, apart from a wrong answer. None of it is ever a pass."""

from __future__ import annotations


class TargetError(Exception):
    """The target could not be driven: nothing can be said about what it would have answered."""

    outcome = "error"


class TargetMissing(TargetError):
    """The target cannot start here: something is not installed; the text says what, and how to get it."""

    outcome = "missing"


class TargetTimeout(TargetError):
    """The target did not answer in time."""

    outcome = "timeout"


class TargetCrashed(TargetError):
    """The target ended, or broke the connection, although nobody told it to."""

    outcome = "crash"


class TargetGarbage(TargetError):
    """The target answered with something that is no answer."""

    outcome = "garbage"


class TargetFault(TargetError):
    """The target itself is wrong: it raised what it must not, or returned what is no answer; the text says where."""

    outcome = "fault"


class CannotDo(Exception):
    """The target cannot do this event, or not so; the fixture is not applicable there, and the text says why."""


class CannotYet(CannotDo):
    """The target cannot do this event so early in a run; later it can."""
