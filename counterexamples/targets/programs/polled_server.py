"""A server of FastMCP 4 whose work ends by itself, and which counts the polls that reach it.

    python polled_server.py --port 0

It prints one JSON line with its port when it answers. `POST /seen` with a task's id and the label of its work tells
when each `tasks/get` for it arrived and when the work began and ended, in seconds of this system's monotonic clock.
"""

import argparse
import asyncio
import time
from datetime import timedelta

from serving import serve


class Counted:
    """Notes the arrival of every `tasks/get`, before anything of the product has seen it."""

    def __init__(self, app, polls):
        self.app = app
        self.polls = polls

    async def __call__(self, scope, receive, send):
        """Note the poll, and pass the request on."""
        if scope["type"] == "http":
            headers = dict(scope["headers"])
            if headers.get(b"mcp-method") == b"tasks/get":
                self.polls.setdefault(headers.get(b"mcp-name", b"").decode(), []).append(time.monotonic())
        await self.app(scope, receive, send)


def build(polls):
    """The server, with one tool that works for as long as it is asked to."""
    from fastmcp import FastMCP
    from fastmcp.utilities.tasks import TaskConfig
    from fastmcp_tasks import TasksExtension
    from starlette.responses import JSONResponse

    server, worked = FastMCP("latchcheck-polled"), {}
    server.add_extension(TasksExtension(url="memory://"))

    async def work(label: str, seconds: float) -> str:
        began = time.monotonic()
        await asyncio.sleep(seconds)
        worked[label] = (began, time.monotonic())
        return "done"

    server.tool(name="work", task=TaskConfig(mode="required", poll_interval=timedelta(milliseconds=1)))(work)

    @server.custom_route("/seen", methods=["POST"])
    async def seen(request):
        asked = await request.json()
        return JSONResponse({"polls": polls.get(asked["task"], []), "work": worked.get(asked["label"])})

    return server


def main():
    """Serve until killed."""
    options = argparse.ArgumentParser()
    options.add_argument("--port", type=int, default=0)
    given = options.parse_args()
    polls = {}
    app = build(polls).http_app(path="/mcp")
    serve(Counted(app, polls), given.port)


if __name__ == "__main__":
    main()
