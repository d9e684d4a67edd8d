"""Targets of one's own, made known to the command line and to pytest, and held to what a target must do."""

from __future__ import annotations

from typing import Any


def register_target(name: object, make: Any) -> str | None:
    """Make a target known by a name; what is wrong with the name, or with what is to make it, None where nothing is."""
    from latchcheck.counterexamples.targets import register
    from latchcheck.counterexamples.targets.checked import no_maker
    from latchcheck.model.spelling import SpellingError

    if not isinstance(name, str):
        return f"{name!r} is no name; write a text, as in {{'my-store': MyStore}}"
    if wrong := no_maker(name, make):
        return wrong
    try:
        register(name, make)
    except SpellingError as error:
        return str(error)
    return None


def checked_target(made: Any) -> Any:
    """A target that somebody has made, held to what a target must do. Raises TargetError for what is none."""
    from latchcheck.counterexamples.targets.checked import Checked
    from latchcheck.counterexamples.targets.errors import TargetFault

    if isinstance(made, type):
        kind = made.__name__
        raise TargetFault(f"the target is a class, {kind}; give an object of it, target={kind}()")
    return Checked(str(getattr(made, "name", type(made).__name__)), made)


def broken_rule(target: Any) -> str | None:
    """The first rule of targets that somebody's own target breaks, and by what; None for others, and where none is."""
    from latchcheck.counterexamples.targets.checked import Checked
    from latchcheck.counterexamples.targets.conformance import each_checked

    rows = each_checked(target) if isinstance(target, Checked) else ()
    return next((f"{row['rule']}: {row['what']}" for row in rows if row["outcome"] == "broken"), None)


def is_fault(error: BaseException) -> bool:
    """Whether an exception says that a target is not ready, cannot be driven, or is wrong."""
    from latchcheck.counterexamples.targets.errors import TargetError

    return isinstance(error, TargetError)
