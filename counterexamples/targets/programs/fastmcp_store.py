"""FastMCP 4 with its background tasks, in process, as a driver (docs/reference/driver-protocol.md).

Server, worker and client share this process; the client is the product's own, over its transport in memory.
The clock is the real one. The life of a record is a setting of the whole server, so that it starts with the first
create, which says how long; the product's default is 15 minutes.
"""

import asyncio
import contextlib
import time
from datetime import timedelta

from fastmcp_server import build, shorten_life
from speaking import Cannot, speak

WORK_S = 5.0
SETTLE_S = 0.25
GONE = {"refused": True, "status": "gone"}


class Session:
    """One server with its tasks, and two clients of it: one that declares the extension, one that does not."""

    def __init__(self):
        self.ids, self.keys = {}, {}
        self.stack = contextlib.AsyncExitStack()
        self.bench = self.client = self.bare = self.life_s = None
        self.zero = time.monotonic()

    async def close(self):
        """End the server, and the work first: it would not be cancelled."""
        if self.bench is not None:
            self.bench.over = True
        await self.stack.aclose()

    async def start(self, args):
        """The server, with the life of its records."""
        from fastmcp import Client
        from mcp import Client as Bare

        self.life_s = max(1, round(args["marker_ms"] / 1000)) if "marker_ms" in args else None
        shorten_life(self.life_s and timedelta(seconds=self.life_s))
        server, self.bench = build("memory://", auth=False)
        self.client = await self.stack.enter_async_context(Client(server))
        # The SDK's client, to which fastmcp_tasks adds nothing, and thus no capability.
        self.bare = await self.stack.enter_async_context(Bare(server._mcp_server))  # noqa: SLF001 - no other way to it

    async def session(self, asked):
        """The client that the request comes from."""
        if self.client is None:
            await self.start(asked["args"])
        return (self.bare if self.is_bare(asked) else self.client).session

    async def until(self, holds):
        """Whether something comes true while work begins or ends."""
        last = time.monotonic() + WORK_S
        while not holds() and time.monotonic() < last:  # noqa: ASYNC110 - what it waits for is polled
            await asyncio.sleep(0.02)
        return holds()

    async def create(self, asked):
        """`tools/call` of a tool that is a task, where the client may have one."""
        tool, label = asked["args"].get("tool", "optional"), asked["task"]
        if tool == "forbidden":
            raise Cannot("it has no tool that forbids tasks")
        if self.is_bare(asked) and tool == "optional":
            raise Cannot("a direct call would last until the work is told to end")
        session, claimed = await self.session(asked), {} if self.is_bare(asked) else {"allow_claimed": True}
        if "marker_ms" in asked["args"] and self.life_s is None:
            raise Cannot("the server has started, and the life of its records is its setting")
        told = await refusing(session.call_tool(tool, {"label": label}, **claimed))
        if isinstance(told, dict):
            return told
        if not hasattr(told, "task_id"):
            return {"why": "answered directly"}
        self.ids[label], self.keys[label] = told.task_id, []
        if not await self.until(lambda: self.bench.begun.get(label)):
            raise TimeoutError(f"the work of {label} did not begin in {WORK_S:g} s")
        if len(self.ids) == 1:  # the instants of a fixture are counted from its first event
            self.zero = time.monotonic()
        return {"status": told.status}

    def is_bare(self, asked):
        """Whether the request declares nothing."""
        return asked["args"].get("capabilities") == "nothing"

    async def dispatch(self, asked):
        """The work has begun with the create; another delivery cannot be asked for."""
        if asked["by"] != "w1" or asked["task"] not in self.ids:
            raise Cannot("work begins with the create, and once")
        return {}

    async def worker_write(self, asked):
        """The tool returns, raises, or asks."""
        label, bench = asked["task"], self.bench
        if bench is None or bench.begun.get(label, 0) <= bench.ended.get(label, 0):
            raise Cannot("the work is not under way: it has ended, or waits for its answer")
        ended = bench.ended.get(label, 0)
        bench.told({"finish": label, "status": asked["args"]["status"], "key": asked["args"].get("key")})
        if not await self.until(lambda: bench.ended.get(label, 0) > ended):
            raise TimeoutError(f"the work of {label} did not end in {WORK_S:g} s")
        await asyncio.sleep(SETTLE_S)
        if asked["args"]["status"] == "input_required":
            self.keys[label] += await self.outstanding(label)
        return {}

    async def outstanding(self, label):
        """The keys of the questions that `tasks/get` tells."""
        told = await refusing(self.sent("get", self.client.session, self.ids[label]))
        return [] if isinstance(told, dict) else sorted(told.input_requests or {})

    async def get(self, asked):
        """`tasks/get`."""
        told = await refusing(self.sent("get", await self.session(asked), self.id(asked)))
        if isinstance(told, dict):
            # Of a call that was refused the bench tells whether its work has begun.
            work = {} if asked["task"] in self.ids else {"work": self.bench.begun.get(asked["task"], 0) > 0}
            return {**told, **GONE, **work}
        return {"status": told.status, "asks": sorted(told.input_requests or {})}

    async def cancel(self, asked):
        """`tasks/cancel`."""
        told = await refusing(self.sent("cancel", await self.session(asked), self.id(asked)))
        return told if isinstance(told, dict) else {}

    async def update(self, asked):
        """`tasks/update`: the answer to the question that its author has read, under the key that the server made."""
        keys, number = self.keys.get(asked["task"], []), asked["args"].get("question", 1)
        if number > len(keys):
            raise Cannot("nobody was told the key of that question")
        answer = {keys[number - 1]: {"action": "accept", "content": {"answer": "yes"}}}
        begun = self.bench.begun.get(asked["task"], 0)
        told = await refusing(self.sent("update", await self.session(asked), self.id(asked), input_responses=answer))
        await asyncio.sleep(SETTLE_S)
        if isinstance(told, dict):
            return told
        went_on = self.bench.begun.get(asked["task"], 0) > begun
        return {"why": "the work goes on" if went_on else "nothing was waiting for it"}

    def id(self, asked):
        """The server's own id of a label."""
        return self.ids.get(asked["task"], f"no-such-task-{asked['task']}")

    async def sent(self, verb, session, ident, **more):
        """A request of the extension, over a client's session."""
        import mcp_types
        from fastmcp_tasks import client_models as models

        name = verb.capitalize()
        params = getattr(models, f"{name}TaskRequestParams")(task_id=ident, **more)
        answer = models.ClientGetTaskResult if verb == "get" else mcp_types.Result
        return await session.send_request(getattr(models, f"{name}TaskRequest")(params=params), answer)

    async def advance_clock(self, asked):
        """Wait until an instant."""
        await asyncio.sleep(max(0.0, self.zero + asked["args"]["to_ms"] / 1000 - time.monotonic()))
        return {}


async def refusing(request):
    """The result of a request, or the answer that it was refused, by its code."""
    from mcp.shared.exceptions import MCPError

    try:
        return await request
    except MCPError as refused:
        return {"refused": True, "why": str(refused.error.code)}


if __name__ == "__main__":
    asyncio.run(speak(__file__, Session))
