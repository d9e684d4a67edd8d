"""Somebody's own target, held to what a target must do: a mistake is one message that names file, class and method.

A target that a program or a `conftest.py` has registered is written by people who see this interface for the first
time. What they return is looked at, and what their code raises is told as theirs, with the line that raised it.
"""

from __future__ import annotations

import inspect
import sysconfig
import traceback
from asyncio import CancelledError
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NoReturn

from ...model.record import TRANSITIONS
from ...model.spelling import SpellingError
from .errors import CannotDo, TargetError, TargetFault
from .events import GONE, Answer, Call
from .protocol import Session, Table

STATUSES: Final = (*TRANSITIONS, GONE)
_OTHERS: Final = tuple(
    str(Path(path).resolve())
    for path in (*(sysconfig.get_path(name) for name in ("stdlib", "purelib")), Path(__file__).parents[1])
)
_TARGET: Final = {
    "table": "table is a Table: what the target can do",
    "missing": "missing() returns a tuple of texts, one for each thing that is not there; () where it is ready",
    "open": "open() returns a session: an object with perform(call) and close()",
}
_PERFORM: Final = "perform(call) returns an Answer, or raises CannotDo for what the target has no way to do"


class Checked:
    """A target of somebody's own. Raises TargetFault for a mistake in it, with what to write instead."""

    def __init__(self, name: str, made: Any) -> None:
        self.name, self._made = name, made
        lacks = [part for part in _TARGET if not hasattr(made, part)]
        if lacks:
            _fault(name, made, f"it has no {lacks[0]}", _TARGET[lacks[0]])

    @property
    def table(self) -> Table:
        """What it can do."""
        found = self._call("table", lambda: self._made.table)
        if not isinstance(found, Table):
            _fault(self.name, self._made, f"table is {found!r}", _TARGET["table"])
        return found

    def missing(self) -> tuple[str, ...]:
        """What it says is not there."""
        found = self._call("missing", self._made.missing)
        if not isinstance(found, (tuple, list)) or not all(isinstance(one, str) for one in found):
            _fault(self.name, self._made, f"missing() returned {found!r}", _TARGET["missing"])
        return tuple(found)

    def open(self) -> Session:
        """A session, held to the same."""
        found = self._call("open", self._made.open)
        if isinstance(found, type) or not all(callable(getattr(found, one, None)) for one in ("perform", "close")):
            _fault(self.name, self._made, f"open() returned {found!r}", _TARGET["open"])
        return CheckedSession(self.name, found)

    def install(self) -> tuple[str, ...]:
        """What it does to be ready, where it has a way."""
        made = getattr(self._made, "install", None)
        return (f"{self.name}: nothing to install",) if made is None else tuple(self._call("install", made))

    def stop(self) -> None:
        """End what it has started beside its sessions."""
        stop = getattr(self._made, "stop", None)
        if stop is not None:
            self._call("stop", stop)

    def _call(self, part: str, work: Callable[[], Any]) -> Any:
        return _theirs(self.name, self._made, part, _TARGET.get(part, ""), work)


class CheckedSession:
    """A session of somebody's own."""

    def __init__(self, name: str, session: Any) -> None:
        self._name, self._session = name, session

    def perform(self, call: Call) -> Answer:
        """Do a call. Raises CannotDo, TargetError, and TargetFault for a mistake."""
        answer = _theirs(self._name, self._session, "perform", _PERFORM, lambda: self._session.perform(call), call)
        if inspect.iscoroutine(answer):
            answer.close()
            instead = "it is async: let perform be a plain function that returns asyncio.run(...) of it"
            _fault(self._name, self._session, f"perform({call}) returned a coroutine", instead)
        if not isinstance(answer, Answer):
            _fault(self._name, self._session, f"perform({call}) returned {answer!r}", _PERFORM)
        if answer.status is not None and answer.status not in STATUSES:
            known = ", ".join(STATUSES)
            what = f"perform({call}) returned the status {answer.status!r}"
            _fault(self._name, self._session, what, f"write one of {known}, or None where the answer tells none")
        return answer

    def close(self) -> None:
        """Close it."""
        _theirs(self._name, self._session, "close", "close() returns nothing", self._session.close)


def made(name: str, make: object) -> Checked:
    """The target that a class or a function makes. Raises TargetFault, and SpellingError for what makes none."""
    if wrong := no_maker(name, make):
        raise SpellingError(wrong, "")
    assert callable(make)
    return Checked(name, _theirs(name, make, "", "make it without arguments", make))


def no_maker(name: str, make: object) -> str | None:
    """Why something cannot make a target, and what to give instead; None where it may."""
    if hasattr(make, "open") and not isinstance(make, type):
        kind = type(make).__name__
        return f"the target {name!r} is an object, {kind}(...); give its class, {{{name!r}: {kind}}}"
    if not callable(make):
        return f"the target {name!r} is {make!r}; give a class, or a function that makes a target"
    return None


def _theirs(name: str, of: object, part: str, rule: str, work: Callable[[], Any], call: Call | None = None) -> Any:
    """What their code returns; what it raises, told as theirs."""
    try:
        return work()
    except (CannotDo, TargetError):
        raise
    # Their code may raise anything; what ends a process, or a coroutine, is a mistake in a target as well.
    except (Exception, SystemExit, GeneratorExit, CancelledError) as error:  # noqa: BLE001
        what = f"{part or 'making it'} raised {type(error).__name__}: {error}"
        if call is not None:
            what = f"perform({call}) raised {type(error).__name__}: {error}"
        if isinstance(error, NotImplementedError):
            rule = "raise CannotDo, with the reason, for what the target has no way to do"
        _fault(name, of, what, rule, line_of(error), error)


def _fault(
    name: str, of: object, what: str, rule: str, line: str | None = None, cause: BaseException | None = None
) -> NoReturn:
    place = ", ".join(filter(None, (line or _file(of), _class(of))))
    raise TargetFault(f"{name}: {place}: {what}" + (f"\n  {rule}" if rule else "")) from cause


def line_of(error: BaseException) -> str | None:
    """The file and line that raised an error, in code that is neither ours, nor Python's, nor installed."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [one for one in frames if not str(Path(one.filename).resolve()).startswith(_OTHERS)]
    return f"{shown(own[-1].filename)}:{own[-1].lineno}" if own else None


def shown(file: str) -> str:
    """A file as one would name it from here."""
    with suppress(ValueError):
        return str(Path(file).resolve().relative_to(Path.cwd()))
    return file


def _class(of: object) -> str:
    kind = of if isinstance(of, type) else type(of)
    return f"class {kind.__name__}" if kind.__module__ != "builtins" else ""


def _file(of: object) -> str | None:
    kind: Any = of if inspect.isclass(of) or inspect.isfunction(of) else type(of)
    with suppress(TypeError, OSError):
        return f"{shown(inspect.getfile(kind))}:{inspect.getsourcelines(kind)[1]}"
    return None
