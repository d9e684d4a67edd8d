"""The task store of the MCP Python SDK 1.x, in process, as a driver (docs/reference/driver-protocol.md).

Its clock is the `datetime` of the two modules that read it, replaced by one that moves when it is told to.
Two workers are two contexts on one store, as the SDK's own example of distributed workers has it.
"""

import asyncio
import datetime as dt

from mcp.shared.exceptions import McpError
from mcp.shared.experimental.tasks import helpers, in_memory_task_store
from mcp.shared.experimental.tasks.context import TaskContext
from mcp.types import CallToolResult, TaskMetadata
from speaking import Cannot, speak

EPOCH = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


class Clock(dt.datetime):
    """`datetime` whose `now` is told."""

    elapsed = dt.timedelta()

    @classmethod
    def now(cls, tz=None):
        """The instant that was told last."""
        return (EPOCH + cls.elapsed).astimezone(tz)


def refusing(event):
    """An event whose refusals are the SDK's: what it raises is its reason."""

    async def perform(self, asked):
        try:
            return await event(self, asked)
        except (McpError, ValueError) as refused:
            return {"refused": True, "why": str(refused)}

    return perform


class Session:
    """One store with its tasks."""

    def __init__(self):
        in_memory_task_store.datetime = helpers.datetime = Clock
        Clock.elapsed = dt.timedelta()
        self.store = in_memory_task_store.InMemoryTaskStore()
        self.ids, self.contexts = {}, {}

    def task(self, asked):
        """The store's own id of a label."""
        return self.ids.get(asked["task"], asked["task"])

    @refusing
    async def create(self, asked):
        """`create_task`, with a ttl."""
        task = await self.store.create_task(TaskMetadata(ttl=asked["args"].get("ttl_ms")))
        self.ids[asked["task"]] = task.taskId
        return {"status": task.status}

    @refusing
    async def dispatch(self, asked):
        """A context for a worker, which is all that a worker has."""
        task = await self.store.get_task(self.task(asked))
        if task is None:
            return {"refused": True, "status": "gone"}
        if any(label == asked["task"] for _, label in self.contexts):
            raise Cannot("the store hands work to nobody, so that nothing is delivered again")
        self.contexts[asked["by"], asked["task"]] = TaskContext(task, self.store)
        return {"status": task.status}

    @refusing
    async def worker_write(self, asked):
        """What a worker does at its end, through its context."""
        context = self.contexts.get((asked["by"], asked["task"]))
        if context is None:
            raise Cannot("nothing was dispatched to this worker")
        status = asked["args"]["status"]
        if status == "completed":
            await context.complete(CallToolResult(content=[]))
        elif status == "failed":
            await context.fail("told to fail")
        else:
            await self.store.update_task(context.task_id, status=status)
        return {}

    @refusing
    async def cancel(self, asked):
        """The SDK's own helper for `tasks/cancel`."""
        await helpers.cancel_task(self.store, self.task(asked))
        return {}

    @refusing
    async def get(self, asked):
        """`get_task`."""
        task = await self.store.get_task(self.task(asked))
        return {"refused": True, "status": "gone"} if task is None else {"status": task.status}

    async def advance_clock(self, asked):
        """Set the clock."""
        Clock.elapsed = dt.timedelta(milliseconds=asked["args"]["to_ms"])
        return {}

    async def reap(self, _asked):
        """Look at all tasks, which removes the expired ones."""
        self.store.get_all_tasks()
        return {}

    async def restart_server(self, _asked):
        """Another store, as another process would have."""
        self.store = in_memory_task_store.InMemoryTaskStore()
        return {}


if __name__ == "__main__":
    asyncio.run(speak(__file__, Session))
