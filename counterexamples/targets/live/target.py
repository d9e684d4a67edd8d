"""The target `mcp:URL#tool=NAME&args=JSON`: any live server, of which nothing is known but what it answers.

A fixture can be replayed there as far as it creates, reads, cancels and lists; how the work goes on is the tool's own
business, so that a fixture in which a worker writes is not applicable.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit, urlunsplit

from ....model.spelling import SpellingError
from ..errors import CannotDo
from ..events import GONE, Answer, Call
from ..protocol import Clock, Session, Table
from .talk import Talk, begin, task_of
from .wire import Wire, bad_url

TABLE: Final = Table(
    events=frozenset({"create", "get", "cancel", "list"}),
    clock=Clock("none"),
    fuses=True,
    workers=0,
    negotiates=True,
    cannot_observe=("versions of a record", "what its worker does", "when a record is written", "other callers"),
)


class LiveTarget:
    """A live server at an address."""

    def __init__(self, address: str) -> None:
        self.name = f"mcp:{address}"
        self._url, self._tool, self._arguments = parsed(address)

    @property
    def table(self) -> Table:
        """What can be asked of any server."""
        return TABLE

    def missing(self) -> tuple[str, ...]:
        """The library that asks, where it is not there; whether the server is, is seen when it is asked."""
        from importlib.util import find_spec

        return () if find_spec("httpx") else ("httpx: run `pip install 'latchcheck[live]'`",)

    def open(self) -> Session:
        """A conversation. Raises TargetError where there is no MCP server."""
        return LiveSession(begin(Wire(self._url)), self._tool, self._arguments)


def parsed(address: str) -> tuple[str, str, Mapping[str, Any]]:
    """The address of a server, its tool and the arguments of it. Raises SpellingError."""
    parts = urlsplit(address)
    url = urlunsplit(parts._replace(fragment=""))
    if wrong := bad_url(url):
        raise SpellingError(f"mcp:{address}: {wrong}", "")
    given = parse_qs(parts.fragment)
    tool, text = given.get("tool", [""])[0], given.get("args", ["{}"])[0]
    if not tool:
        raise SpellingError(f"mcp:{url} names no tool", f"write it behind the address: mcp:{url}#tool=NAME&args={{}}")
    try:
        arguments = json.loads(text)
    except ValueError as error:
        raise SpellingError(f"mcp:{url}: args is no JSON: {error}", 'write an object, such as {"seconds": 1}') from None
    if not isinstance(arguments, dict):
        raise SpellingError(f"mcp:{url}: args is no object", 'write an object, such as {"seconds": 1}')
    return url, tool, arguments


class LiveSession:
    """One conversation; what it created stays on the server."""

    def __init__(self, talk: Talk, tool: str, arguments: Mapping[str, Any]) -> None:
        self._talk, self._tool, self._arguments = talk, tool, arguments
        self._ids: dict[str, str] = {}

    def perform(self, call: Call) -> Answer:
        """Do a call over the wire."""
        return getattr(self, f"_{call.kind}", self._cannot)(call)

    def close(self) -> None:
        """End the conversation."""
        self._talk.wire.close()

    def _cannot(self, call: Call) -> Answer:
        raise CannotDo(f"it cannot do {call.kind!r}")

    def _create(self, call: Call) -> Answer:
        if "tool" in call.args and call.args["tool"] != "optional":
            raise CannotDo(f"its tool is not known to be {call.args['tool']!r}")
        reply = self._talk.call(self._tool, self._arguments, declares=call.args.get("capabilities") != "nothing")
        if reply.error is not None:
            return Answer(refused=True, why=str(reply.code), raw={"error": dict(reply.error)})
        task = task_of(reply, self._talk.offer.era)
        if task is None:
            return Answer(why="answered directly", raw={"result": dict(reply.result or {})})
        self._ids[str(call.task)] = task["taskId"]
        return Answer(status=str(task.get("status")), raw={"task": dict(task)})

    def _get(self, call: Call) -> Answer:
        reply = self._talk.get(self._id(call), declares=call.args.get("capabilities") != "nothing")
        if reply.error is not None:
            return Answer(refused=True, why=str(reply.code), status=GONE, raw={"error": dict(reply.error)})
        return Answer(status=str((reply.result or {}).get("status")), raw={"task": dict(reply.result or {})})

    def _cancel(self, call: Call) -> Answer:
        reply = self._talk.cancel(self._id(call), declares=call.args.get("capabilities") != "nothing")
        if reply.error is not None:
            return Answer(refused=True, why=str(reply.code), raw={"error": dict(reply.error)})
        return Answer(raw={"result": dict(reply.result or {})})

    def _list(self, call: Call) -> Answer:
        del call
        if self._talk.modern:
            raise CannotDo("this era has no tasks/list")
        reply = self._talk.list()
        if reply.error is not None:
            return Answer(refused=True, why=str(reply.code), raw={"error": dict(reply.error)})
        labels = {ident: label for label, ident in self._ids.items()}
        rows = (reply.result or {}).get("tasks", [])
        return Answer(
            tasks=tuple(labels.get(str(one.get("taskId")), "another") for one in rows if isinstance(one, dict))
        )

    def _id(self, call: Call) -> str:
        return self._ids.get(str(call.task), f"no-such-task-{call.task}")
