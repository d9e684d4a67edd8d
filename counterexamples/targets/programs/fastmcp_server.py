"""A server of FastMCP with background tasks, to be driven by latchcheck; runs in an environment of its own.

    python fastmcp_server.py --port 0 --backend memory:// --life-s 2

FastMCP 4 where fastmcp_tasks is installed, else FastMCP 3. It prints one JSON line with its port when it answers.
The tools end when `POST /control` tells them to; they ignore a cancellation and return late, as a tool may where
cancelling is cooperative. The tokens p1 and p2 are two principals.
"""

import argparse
import asyncio
import os
from datetime import timedelta

from serving import Bench, serve

INTERNAL_ERROR = -32603


def build(backend, *, auth):
    """The server and its bench."""
    os.environ["FASTMCP_DOCKET_URL"] = backend  # before fastmcp reads its settings
    from fastmcp import FastMCP
    from fastmcp.server.auth.providers.jwt import StaticTokenVerifier
    from starlette.responses import JSONResponse

    bench = Bench()
    tokens = {name: {"client_id": name, "scopes": []} for name in ("p1", "p2")}
    server = FastMCP("latchcheck-fastmcp", auth=StaticTokenVerifier(tokens=tokens) if auth else None)
    try:
        from fastmcp_tasks import TasksExtension
    except ImportError:
        pass
    else:
        server.add_extension(TasksExtension(url=backend))
    add_tools(server, bench)

    @server.custom_route("/control", methods=["POST"])
    async def control(request):
        return JSONResponse(bench.told(await request.json()))

    return server, bench


def add_tools(server, bench):
    """Two tools that end when they are told to, and those that end by themselves."""
    from fastmcp.utilities.tasks import TaskConfig

    async def work(label: str):
        end = await bench.until_told(label)
        if end["status"] == "failed":
            raise protocol_error()
        return question(end["key"]) if end["status"] == "input_required" else f"{label} is done"

    ours = [(mode, work, mode) for mode in ("optional", "required")]
    for name, tool, mode in [*ours, *((tool.__name__, tool, mode) for tool, mode in ending_tools())]:
        task = {} if mode is None else {"task": TaskConfig(mode=mode, poll_interval=timedelta(milliseconds=500))}
        server.tool(name=name, **task)(tool)


def ending_tools():
    """Tools that end by themselves, as the official suite asks for them; each with its mode, None for no task."""

    async def greet(name: str = "world") -> str:
        return f"Hello, {name}!"

    async def slow_compute(seconds: float = 0.2, label: str = "") -> str:
        await asyncio.sleep(seconds)
        return f"computed {label}"

    async def failing_job() -> str:
        await asyncio.sleep(0.2)
        raise RuntimeError("the tool failed")

    async def protocol_error_job() -> str:
        await asyncio.sleep(0.2)
        raise protocol_error()

    async def quick(seconds: float = 0.2) -> str:
        await asyncio.sleep(seconds)
        return "done"

    return (
        (greet, None),
        (slow_compute, "optional"),
        (failing_job, "required"),
        (protocol_error_job, "optional"),
        (quick, "optional"),
    )


def question(key):
    """What a tool of version 4 returns to ask something; it is called again with the answer."""
    import mcp_types

    schema = {"type": "object", "properties": {"answer": {"type": "string"}}}
    asked = mcp_types.ElicitRequest(params=mcp_types.ElicitRequestFormParams(message=key, requested_schema=schema))
    return mcp_types.InputRequiredResult(input_requests={key: asked})


def protocol_error():
    """An error of JSON-RPC, which fails a task; what else a tool raises may complete it."""
    from mcp.shared import exceptions

    if hasattr(exceptions, "MCPError"):
        return exceptions.MCPError(code=INTERNAL_ERROR, message="told to fail")
    from mcp.types import ErrorData

    return exceptions.McpError(ErrorData(code=INTERNAL_ERROR, message="told to fail"))


def shorten_life(life):
    """Give docket's records another life than their 15 minutes, which no public setting changes; None restores them."""
    from docket import docket

    original = getattr(docket.Docket.__init__, "original", docket.Docket.__init__)

    def shortened(self, *args, **kwargs):
        original(self, *args, **{**kwargs, "execution_ttl": life})

    shortened.original = original
    docket.Docket.__init__ = shortened if life else original


def main():
    """Serve until killed."""
    options = argparse.ArgumentParser()
    options.add_argument("--port", type=int, default=0)
    options.add_argument("--backend", default="memory://")
    options.add_argument("--life-s", type=float, default=0, help="life of a finished record; its default is 15 minutes")
    options.add_argument("--no-auth", action="store_true", help="serve anybody")
    given = options.parse_args()
    if given.life_s:
        shorten_life(timedelta(seconds=given.life_s))
    server, _ = build(given.backend, auth=not given.no_auth)
    serve(server.http_app(path="/mcp"), given.port)


if __name__ == "__main__":
    main()
