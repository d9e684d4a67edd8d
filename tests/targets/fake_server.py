"""A small MCP server for tests: what it answers to each method is a function that the test can replace."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[Mapping[str, Any]], dict[str, Any]]
LOOK_S = 0.01
"""How often a server looks whether it is to end."""
CREATED = "2026-01-01T00:00:00+00:00"
DISCOVERED = {
    "supportedVersions": ["2026-07-28"],
    "capabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}},
    "serverInfo": {"name": "fake", "version": "1"},
}


class Clock:
    """In the place of the module `time`: it passes where somebody waits, so that no answer depends on the machine."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def monotonic(self) -> float:
        """Seconds."""
        return self.now_s

    def sleep(self, seconds: float) -> None:
        """Wait, at once."""
        self.now_s += seconds


class Fake:
    """One task that finishes at its second reading, as a correct server of 2026-07-28 has it."""

    def __init__(self) -> None:
        self.reads = 0
        self.asked: list[Mapping[str, Any]] = []
        self.answers: dict[str, Answer] = {
            "server/discover": lambda _: {"result": DISCOVERED},
            "tools/list": lambda _: {"result": {"tools": [{"name": "quick"}]}},
            "tools/call": self.call,
            "tasks/get": self.get,
            "tasks/cancel": lambda asked: self.guarded(asked) or {"result": {"resultType": "complete"}},
            "tasks/update": lambda asked: self.guarded(asked) or {"result": {"resultType": "complete"}},
        }
        self.looks = True
        self.raw: Callable[[BaseHTTPRequestHandler, Mapping[str, Any]], bool] = lambda _handler, _asked: False

    def task(self, status: str, **more: Any) -> dict[str, Any]:
        """The task as it is told."""
        ident = "0123456789abcdef0123456789abcdef"
        times = {"createdAt": CREATED, "lastUpdatedAt": CREATED, "ttlMs": None, "pollIntervalMs": 1}
        return {"taskId": ident, "status": status, **times, **more}

    def declares(self, asked: Mapping[str, Any]) -> bool:
        """Whether a request declares the extension, for a server that looks."""
        return not self.looks or bool(asked["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"])

    def guarded(self, asked: Mapping[str, Any]) -> dict[str, Any] | None:
        """The refusal of a request that is not allowed, None where it is."""
        if not self.declares(asked):
            return {"error": {"code": -32021, "message": "declare it"}}
        if asked["params"]["taskId"] != self.task("working")["taskId"]:
            return {"error": {"code": -32602, "message": "not found"}}
        return None

    def call(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """A task for who declares the extension, a result for who does not."""
        if not self.declares(asked):
            return {"result": {"resultType": "complete", "content": []}}
        return {"result": {"resultType": "task", **self.task("working")}}

    def get(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Working once, then completed."""
        refused = self.guarded(asked)
        if refused is not None:
            return refused
        self.reads += 1
        done = {"result": {"content": []}} if self.reads > 1 else {}
        return {"result": {"resultType": "complete", **self.task("completed" if done else "working", **done)}}


@contextmanager
def served(fake: Fake) -> Iterator[str]:
    """The address of the server while it answers."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            fake.asked.append(asked)
            if fake.raw(self, asked):
                return
            answer = fake.answers.get(asked["method"], lambda _: {"error": {"code": -32601, "message": "no method"}})
            self.say(200, json.dumps({"jsonrpc": "2.0", "id": asked.get("id"), **answer(asked)}).encode())

        def say(self, status: int, body: bytes, **headers: str) -> None:
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
            del format, args

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(LOOK_S,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/mcp"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
