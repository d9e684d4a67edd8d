"""What is said to a server about tasks, in either era: `Talk` is one caller's conversation.

2026-07-28: every request stands alone and declares its capabilities in `_meta`.
2025-11-25: `initialize` opens a session, tasks are asked for with `task` in the params, `tasks/list` exists.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

import attrs

from ..errors import TargetError, TargetGarbage
from .wire import Reply, Wire, shorten

Era = Literal["2026-07-28", "2025-11-25"]
MODERN: Final = "2026-07-28"
LEGACY: Final = "2025-11-25"
ERAS: Final[tuple[Era, ...]] = (MODERN, LEGACY)
EXTENSION: Final = "io.modelcontextprotocol/tasks"
META: Final = "io.modelcontextprotocol/"
METHOD_NOT_FOUND, INVALID_PARAMS, MISSING_CAPABILITY = -32601, -32602, -32021
CLIENT: Final = {"name": "latchcheck", "version": "1"}


@attrs.frozen
class Offer:
    """What a server says of itself: its era, name and version, whether it has tasks, and which parts of them."""

    era: Era
    server: str
    tasks: bool
    parts: frozenset[str] = frozenset()


class Talk:
    """One caller's conversation with a server. Raises TargetError where no conversation comes about."""

    def __init__(self, wire: Wire, offer: Offer, session: str | None = None) -> None:
        self.wire, self.offer, self.session = wire, offer, session

    @property
    def modern(self) -> bool:
        """Whether the extension of 2026-07-28 is spoken."""
        return self.offer.era == MODERN

    def ask(self, method: str, params: Mapping[str, Any], *, name: str | None = None, declares: bool = True) -> Reply:
        """Send a request of this era; without `declares` the client says that it knows no tasks."""
        if not self.modern:
            return self.wire.request(method, params, _headers(LEGACY, self.session))
        headers = {**_headers(MODERN), "Mcp-Method": method, **({} if name is None else {"Mcp-Name": name})}
        return self.wire.request(method, {**params, "_meta": _meta(declares=declares)}, headers)

    def call(
        self, tool: str, arguments: Mapping[str, Any], *, declares: bool = True, ttl_ms: int | None = None
    ) -> Reply:
        """Call a tool, as a task where the era lets the client say so."""
        params: dict[str, Any] = {"name": tool, "arguments": dict(arguments)}
        if not self.modern and declares:
            params["task"] = {} if ttl_ms is None else {"ttl": ttl_ms}
        return self.ask("tools/call", params, name=tool, declares=declares)

    def get(self, task_id: str, *, declares: bool = True) -> Reply:
        """`tasks/get`."""
        return self.ask("tasks/get", {"taskId": task_id}, name=task_id, declares=declares)

    def cancel(self, task_id: str, *, declares: bool = True) -> Reply:
        """`tasks/cancel`."""
        return self.ask("tasks/cancel", {"taskId": task_id}, name=task_id, declares=declares)

    def update(self, task_id: str, answers: Mapping[str, Any], *, declares: bool = True) -> Reply:
        """`tasks/update`, which only the extension has."""
        params = {"taskId": task_id, "inputResponses": dict(answers)}
        return self.ask("tasks/update", params, name=task_id, declares=declares)

    def list(self) -> Reply:
        """`tasks/list`, which only 2025-11-25 has."""
        return self.ask("tasks/list", {})

    def result(self, task_id: str) -> Reply:
        """`tasks/result`, which only 2025-11-25 has. It blocks until the task is finished."""
        return self.ask("tasks/result", {"taskId": task_id})

    def tools(self) -> list[Mapping[str, Any]]:
        """What `tools/list` tells, as far as its first page."""
        reply = self.ask("tools/list", {})
        found = [] if reply.result is None else reply.result.get("tools", [])
        return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def begin(wire: Wire, era: Era | None = None) -> Talk:
    """Open a conversation in the newest era that both sides speak, or in the one asked for.

    Raises TargetError, with the connection closed: whoever answers neither `server/discover` nor `initialize` is no
    MCP server with tasks.
    """
    failed: list[str] = []
    for one, start in ((MODERN, _discover), (LEGACY, _initialize)):
        if era not in (None, one):
            continue
        try:
            return start(wire)
        except TargetGarbage as error:
            failed.append(str(error))
        except TargetError:
            wire.close()
            raise
    wire.close()
    raise TargetGarbage(f"{wire.url} is no MCP server that speaks {era or ' or '.join(ERAS)}: {'; '.join(failed)}")


def _discover(wire: Wire) -> Talk:
    headers = {**_headers(MODERN), "Mcp-Method": "server/discover"}
    reply = wire.request("server/discover", {"_meta": _meta(declares=True)}, headers)
    if reply.result is None:
        raise TargetGarbage(f"server/discover: {reply.told()}")
    versions = reply.result.get("supportedVersions")
    if not isinstance(versions, list):
        raise TargetGarbage(f"server/discover: supportedVersions is {shorten(repr(versions))}, not a list")
    if MODERN not in versions:
        raise TargetGarbage(f"server/discover: it supports {shorten(', '.join(map(str, versions)))}, not {MODERN}")
    extensions = _object(_object(reply.result, "capabilities"), "extensions")
    meta = _object(reply.result, "_meta")
    info = _object(reply.result, "serverInfo") or _object(meta, META + "serverInfo")
    return Talk(wire, Offer(MODERN, _called(info), EXTENSION in extensions))


def _initialize(wire: Wire) -> Talk:
    params = {"protocolVersion": LEGACY, "capabilities": {"tasks": {}}, "clientInfo": CLIENT}
    reply = wire.request("initialize", params, _headers(None))
    if reply.result is None:
        raise TargetGarbage(f"initialize: {reply.told()}")
    version = reply.result.get("protocolVersion")
    if version != LEGACY:
        raise TargetGarbage(f"initialize: it answers with version {shorten(repr(version))}, not {LEGACY!r}")
    capabilities = _object(reply.result, "capabilities")
    tasks = capabilities.get("tasks")
    parts = [one for one in ("list", "cancel") if one in _object(capabilities, "tasks")]
    session = reply.headers.get("mcp-session-id")
    talk = Talk(
        wire,
        Offer(LEGACY, _called(_object(reply.result, "serverInfo")), isinstance(tasks, dict), frozenset(parts)),
        session,
    )
    status = wire.notify("notifications/initialized", _headers(LEGACY, session))
    if status >= 400:  # noqa: PLR2004 - the errors of HTTP
        raise TargetGarbage(f"notifications/initialized: HTTP {status}")
    return talk


def _headers(version: str | None, session: str | None = None) -> dict[str, str]:
    found = {} if version is None else {"MCP-Protocol-Version": version}
    return found if session is None else {**found, "Mcp-Session-Id": session}


def _meta(*, declares: bool) -> dict[str, Any]:
    capabilities = {"extensions": {EXTENSION: {}}} if declares else {}
    return {
        META + "protocolVersion": MODERN,
        META + "clientInfo": CLIENT,
        META + "clientCapabilities": capabilities,
    }


def _object(holder: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = holder.get(name)
    return found if isinstance(found, dict) else {}


def _called(info: Mapping[str, Any]) -> str:
    name, version = (shorten(str(info.get(part, "?"))) for part in ("name", "version"))
    return f"{name} {version}"


def task_of(reply: Reply, era: Era) -> Mapping[str, Any] | None:
    """The task that answers a call, None where the call was answered with something else.

    Raises TargetGarbage for a task without an id.
    """
    result = reply.result or {}
    found = result if era == MODERN and result.get("resultType") == "task" else result.get("task")
    if not isinstance(found, dict):
        return None
    if not isinstance(found.get("taskId"), str) or not found["taskId"]:
        raise TargetGarbage(f"tools/call: a task without a taskId: {reply.told()}")
    return found
