"""A server of the MCP Python SDK 1.x with its experimental tasks, to be driven by latchcheck; its own environment.

    python mcp_python_server.py --port 0

It prints one JSON line with its port when it answers. The tools end when `POST /control` tells them to.
"""

import argparse
import asyncio
import contextlib

from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import McpError
from serving import Bench, serve
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route

LABEL = {"type": "object", "properties": {"label": {"type": "string"}}}


def build():
    """The server and its bench."""
    server, bench = Server("latchcheck-mcp-python"), Bench()
    server.experimental.enable_tasks()

    @server.list_tools()
    async def tools():
        execution = types.ToolExecution(taskSupport="optional")
        required = types.ToolExecution(taskSupport="required")
        return [
            types.Tool(name="optional", inputSchema=LABEL, execution=execution),
            types.Tool(name="required", inputSchema=LABEL, execution=required),
            types.Tool(name="quick", inputSchema={"type": "object"}, execution=execution),
        ]

    @server.call_tool()
    async def call(name, arguments):
        async def work(_task):
            if name == "quick":
                await asyncio.sleep(arguments.get("seconds", 0.2))
            elif (await bench.until_told(arguments["label"]))["status"] == "failed":
                raise RuntimeError("told to fail")
            return types.CallToolResult(content=[types.TextContent(type="text", text="done")])

        asked = server.request_context.experimental
        if not asked.is_task:
            if name == "required":
                raise McpError(types.ErrorData(code=types.METHOD_NOT_FOUND, message="only as a task"))
            return await work(None)
        return await asked.run_task(work)

    return server, bench


def application():
    """The ASGI application: the server at /mcp, and the bench at /control."""
    server, bench = build()
    manager = StreamableHTTPSessionManager(app=server)

    async def control(request):
        return JSONResponse(bench.told(await request.json()))

    @contextlib.asynccontextmanager
    async def lifespan(_app):
        async with manager.run():
            yield

    routes = [Route("/control", control, methods=["POST"]), Mount("/mcp", app=manager.handle_request)]
    return Starlette(routes=routes, lifespan=lifespan)


def main():
    """Serve until killed."""
    options = argparse.ArgumentParser()
    options.add_argument("--port", type=int, default=0)
    serve(application(), options.parse_args().port)


if __name__ == "__main__":
    main()
