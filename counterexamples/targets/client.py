"""The target `client:FILE`: a client is what is tried, and the server that it calls is played to it.

What goes wrong in some fixtures is inside a client. Their run says what the server answers, and the model what a
correct client makes of it: whether it polls on, which status it shows, whom it asks, and whether it finds its task
again after it has ended in the middle of a call.

FILE is Python. Its function `life(path, server, key, tool, args, *, ask, wait)` is one life of the client: it opens
what it keeps at `path`, carries on with what is not over, makes the call or carries on with it, and returns at its end.
`server.call(tool, args, key)` answers `{"task": id}` and `server.get(task)` `{"status": ..., "result": ...}`, as the
Server of docs/how-to/handle_store.py does; for an id that is not known it raises the file's own `UnknownTask`, or
LookupError where the file has none. A function `view(path, key)`, where there is one, is the status that it shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import attrs

from latchcheck.kernel import NotAStep, Stepper

from ..fixture import Event, Fixture
from .errors import CannotDo, TargetError, TargetFault, TargetMissing
from .events import GONE
from .leftovers import temporary_folder
from .protocol import Clock, Session, Table

TABLE: Final = Table(
    events=frozenset(), clock=Clock("none"), cannot_observe=("what a server does: it is played to the client",)
)
INSIDE: Final = frozenset({"cancel_ack", "client_reissue", "handle_store", "input_dedup", "unknown_id", "view"}) | {
    "unknown_status"
}
"""The switches of what a client does by itself."""
BESIDE: Final = INSIDE | {"replica_reads"}
"""With them a fixture is about a client still: what a stale server answers is played to it."""
UNPLAYED: Final = {
    **dict.fromkeys(("notify", "see_notification", "lose_notification"), "a life of the client hears no notifications"),
    **dict.fromkeys(("ask_result", "return_result", "list_status"), "a life of the client polls with tasks/get only"),
    "cancel": "a life of the client asks for no cancel",
}
KEY: Final = "k1"
TOOL: Final = "export"
WAITS_MAX: Final = 100
"""A life that waits so often without asking the server anything has stopped."""
UNKNOWN_STATUS: Final = "archived"


class _Ended(BaseException):
    """The process of the client ends here, as by a kill: no handler of it may run on."""


class ClientTarget:
    """The client in a file. Raises nothing until it is asked."""

    def __init__(self, file: str) -> None:
        self.name, self._file = f"client:{file}", Path(file)

    @property
    def table(self) -> Table:
        """It does no event of a server."""
        return TABLE

    def missing(self) -> tuple[str, ...]:
        """The file, where it is not there."""
        return () if self._file.is_file() else (f"{self._file}: there is no such file",)

    def open(self) -> Session:
        """There is no session: nothing can be asked of a client. Raises CannotDo."""
        raise CannotDo("a client answers nobody; it is tried by its life")

    def module(self) -> Any:
        """The file, executed. Raises TargetError."""
        from importlib.util import module_from_spec, spec_from_file_location

        spec = spec_from_file_location(f"latchcheck_client_{self._file.stem}", self._file)
        if spec is None or spec.loader is None or not self._file.is_file():
            raise TargetMissing(f"{self._file}: is no Python file")
        found = module_from_spec(spec)
        with _theirs(f"{self._file}"):
            spec.loader.exec_module(found)
        if not callable(getattr(found, "life", None)):
            raise TargetFault(f"{self._file}: has no function life(path, server, key, tool, args, *, ask, wait)")
        return found


@attrs.frozen
class Turn:
    """An answer to a poll, as it came in the run, and what the correct client and the broken one make of it.

    `stops`, `view` and `asked` (how often a person was asked by then) are each of the correct one, then the broken one;
    `asked` is None where the run does not tell.
    """

    step: int
    answer: str
    stops: tuple[bool, bool]
    view: tuple[str, str]
    asked: tuple[int, int] | None


@attrs.define
class _Made:
    """What a life made of a turn; `view` None where the file tells none."""

    stopped: bool
    view: str | None
    asked: int


def is_about_client(fixture: Fixture) -> bool:
    """Whether what goes wrong is inside a client."""
    return bool(INSIDE.intersection(fixture.policy))


def unplayed(fixture: Fixture) -> str | None:
    """Why the server of a fixture cannot be played to a client; None where it can."""
    if not is_about_client(fixture):
        return "what goes wrong is in the server, and a client is what is tried"
    if beyond := fixture.policy.keys() - BESIDE:
        return f"the server goes wrong as well ({', '.join(sorted(beyond))}), and a correct one is played"
    return next((UNPLAYED[event.action] for event in fixture.steps if event.action in UNPLAYED), None)


def replay_client(fixture: Fixture, broken: Stepper, guarded: Stepper, target: ClientTarget) -> tuple[Any, str]:
    """What becomes of a fixture on a client: the outcome, and the reason. Raises CannotDo and TargetError."""
    if (why := unplayed(fixture)) is not None:
        raise CannotDo(why)
    module = target.module()
    with temporary_folder("latchcheck-client-") as folder:
        path = str(folder / "client.db")
        if any(event.action == "crash_client" for event in fixture.steps):
            return _crashed(fixture.steps, module, path)
        return _polled(_turns(fixture.steps, broken, guarded), module, path)


class _Server:
    """A server that keeps its tasks and their keys; `answers` are what its polls say, then that all is done."""

    def __init__(self, module: Any, on_get: Callable[[str], str], dies: str | None = None) -> None:
        self._unknown = getattr(module, "UnknownTask", LookupError)
        self._on_get, self.dies = on_get, dies
        self.tasks: dict[object, str] = {}
        self.polled: list[str] = []

    def call(self, tool: str, args: dict[str, Any], key: object = None) -> dict[str, Any]:
        """The task of the key; without one, another task."""
        del tool, args
        label = self.tasks.setdefault(object() if key is None else key, f"t{len(self.tasks) + 1}")
        if self.dies == "call":
            raise _Ended
        return {"task": label}

    def get(self, task: str) -> dict[str, Any]:
        """What the run says."""
        if self.dies == "get":
            raise _Ended
        self.polled.append(task)
        status = self._on_get(task)
        if status == GONE or task not in self.tasks.values():
            raise self._unknown(task)
        status = UNKNOWN_STATUS if status == "unknown" else status
        return {"status": status, **({"result": 42} if status == "completed" else {})}


def _crashed(steps: Sequence[Event], module: Any, path: str) -> tuple[str, str]:
    """A client that ends between the acceptance of its call and the handle, and is started again."""
    received = any(event.action == "receive" for event in steps)
    server = _Server(module, lambda _: "completed", "get" if received else "call")
    _life(module, path, server, lambda _: None)
    if "t1" not in server.tasks.values():
        raise CannotDo("it has made no call in its first life")
    server.dies = None
    _life(module, path, server, lambda _: None)
    told = f"started again it asked for {', '.join(dict.fromkeys(server.polled)) or 'no task'}"
    started = len(server.tasks)
    told += f", and {started} {'task was' if started == 1 else 'tasks were'} created for its call"
    if "t1" in server.polled:
        return "conforms", f"ended before it had its handle, it found t1 again: {told}"
    return "reproduced", f"ended before it had its handle, it lost t1: {told}, as the broken model does"


def _polled(turns: Sequence[Turn], module: Any, path: str) -> tuple[str, str]:
    """A client that polls, and what it makes of each answer."""
    if not turns:
        raise CannotDo("its client is told nothing")
    made: list[_Made] = []
    asked: list[str] = []
    shows = getattr(module, "view", None)

    def on_get(_task: str) -> str:
        if made and len(made) <= len(turns):
            made[-1] = _Made(False, _view(shows, path), len(asked))
        if len(made) == len(turns):
            raise _Ended
        made.append(_Made(True, None, 0))
        return turns[len(made) - 1].answer

    _life(module, path, _Server(module, on_get), asked.append)
    if made and made[-1].stopped:
        made[-1] = _Made(True, _view(shows, path), len(asked))
    return _judged(turns, made)


def _judged(turns: Sequence[Turn], made: Sequence[_Made]) -> tuple[str, str]:
    apart = False
    for turn, one in zip(turns, made, strict=False):
        if turn.answer in ("unknown", GONE):  # no status that it could show as it was told
            one = attrs.evolve(one, view=None)  # noqa: PLW2901 - the same without its view
        seen = _told(one.stopped, one.view, None if turn.asked is None else one.asked)
        right, wrong = (
            _told(turn.stops[i], None if one.view is None else turn.view[i], turn.asked and turn.asked[i])
            for i in range(2)
        )
        what = f"step {turn.step}: told {turn.answer} it {seen}"
        if seen == wrong != right:
            return "reproduced", f"{what}, as the broken model does"
        if seen != right:
            return "differs", f"{what}; a correct one {right}"
        apart = apart or right != wrong
    if apart:
        return "conforms", "where the broken model goes wrong, it does as a correct one"
    raise CannotDo("nothing that it shows tells this run from a correct one")


def _told(stopped: bool, view: str | None, asked: int | None) -> str:  # noqa: FBT001 - one of three things seen
    parts = ["stops" if stopped else "polls on"]
    parts += [] if view is None else [f"shows {view}"]
    parts += [] if asked is None else [f"has asked {asked} time{'' if asked == 1 else 's'}"]
    return ", ".join(parts)


def _turns(steps: Sequence[Event], broken: Stepper, guarded: Stepper) -> list[Turn]:
    """The answers that the run has, and what each client makes of them."""
    turns: list[Turn] = []
    asked, asks = [0, 0], any(event.action == "update" for event in steps)
    for index, event in enumerate(steps):
        answer = str(broken.state.get("reply_t1", "none")) if event.action == "see_status" else "input_required"
        stopped = [bool(one.state.get("stopped_t1", False)) for one in (guarded, broken)]
        for place, one in enumerate((guarded, broken)):
            try:
                one.do(None, event.action, event.args)
            except NotAStep:
                continue
            asked[place] += event.action == "update"
        if event.action not in ("see_status", "update") or stopped[0]:
            continue
        stops = [bool(one.state.get("stopped_t1", False)) for one in (guarded, broken)]
        views = [str(one.state.get("view_t1", answer)) for one in (guarded, broken)]
        counts = (asked[0], asked[1]) if asks else None
        turns.append(Turn(index, answer, (stops[0], stops[1]), (views[0], views[1]), counts))
    return turns


def _view(shows: Callable[[str, str], Any] | None, path: str) -> str | None:
    if shows is None:
        return None
    with _theirs("view"):
        found = str(shows(path, KEY))
    return GONE if found == "unknown" else found


def _life(module: Any, path: str, server: _Server, ask: Callable[[str], None]) -> None:
    """One life, to its end or to where it ends."""
    waited = [0]

    def wait(_seconds: float = 0) -> None:
        waited[0] += 1
        if waited[0] > WAITS_MAX:
            raise _Ended

    try:
        with _theirs("life"):
            module.life(path, server, KEY, TOOL, {"month": 3}, ask=ask, wait=wait)
    except _Ended:
        return


@contextmanager
def _theirs(what: str) -> Iterator[None]:
    """What somebody else's code raises is told as theirs."""
    try:
        yield
    except TargetError:
        raise
    except Exception as error:
        from .checked import line_of

        raise TargetFault(f"{line_of(error) or what}: {type(error).__name__}: {error}") from error
