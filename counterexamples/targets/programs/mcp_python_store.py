"""The task store of the MCP Python SDK 1.x, in process, driven by JSON lines: one call in, one answer out.

Its clock is the `datetime` of the two modules that read it, replaced by one that moves when it is told to.
Two workers are two contexts on one store, as the SDK's own example of distributed workers has it.
"""

import asyncio
import datetime as dt
import json
import sys

from mcp.shared.exceptions import McpError
from mcp.shared.experimental.tasks import helpers, in_memory_task_store
from mcp.shared.experimental.tasks.context import TaskContext
from mcp.types import CallToolResult, TaskMetadata

EPOCH = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


class Clock(dt.datetime):
    """`datetime` whose `now` is told."""

    elapsed = dt.timedelta()

    @classmethod
    def now(cls, tz=None):
        """The instant that was told last."""
        return (EPOCH + cls.elapsed).astimezone(tz)


class Driver:
    """One store with its tasks."""

    def __init__(self):
        in_memory_task_store.datetime = helpers.datetime = Clock
        self.store = in_memory_task_store.InMemoryTaskStore()
        self.ids, self.contexts = {}, {}

    async def perform(self, call):
        """Do a call; whatever the SDK refuses with is a refusal."""
        try:
            return await getattr(self, call["kind"])(call)
        except (McpError, ValueError) as refused:
            return {"refused": True, "why": str(refused)}

    def task(self, call):
        """The store's own id of a label."""
        return self.ids.get(call["task"], call["task"])

    async def create(self, call):
        """`create_task`, with a ttl."""
        task = await self.store.create_task(TaskMetadata(ttl=call["args"].get("ttl_ms")))
        self.ids[call["task"]] = task.taskId
        return {"status": task.status}

    async def dispatch(self, call):
        """A context for a worker, which is all that a worker has."""
        task = await self.store.get_task(self.task(call))
        if task is None:
            return {"refused": True, "status": "gone"}
        if any(label == call["task"] for _, label in self.contexts):
            return {"cannot": "the store hands work to nobody, so that nothing is delivered again"}
        self.contexts[call["by"], call["task"]] = TaskContext(task, self.store)
        return {"status": task.status}

    async def worker_write(self, call):
        """What a worker does at its end, through its context."""
        context = self.contexts.get((call["by"], call["task"]))
        if context is None:
            return {"cannot": "nothing was dispatched to this worker"}
        status = call["args"]["status"]
        if status == "completed":
            await context.complete(CallToolResult(content=[]))
        elif status == "failed":
            await context.fail("told to fail")
        else:
            await self.store.update_task(context.task_id, status=status)
        return {}

    async def cancel(self, call):
        """The SDK's own helper for `tasks/cancel`."""
        await helpers.cancel_task(self.store, self.task(call))
        return {}

    async def get(self, call):
        """`get_task`."""
        task = await self.store.get_task(self.task(call))
        return {"refused": True, "status": "gone"} if task is None else {"status": task.status}

    async def advance_clock(self, call):
        """Set the clock."""
        Clock.elapsed = dt.timedelta(milliseconds=call["args"]["to_ms"])
        return {}

    async def reap(self, _call):
        """Look at all tasks, which removes the expired ones."""
        self.store.get_all_tasks()
        return {}

    async def restart_server(self, _call):
        """Another store, as another process would have."""
        self.store = in_memory_task_store.InMemoryTaskStore()
        return {}


async def main():
    """Answer each line until the input ends."""
    driver = Driver()
    for line in sys.stdin:
        print(json.dumps(await driver.perform(json.loads(line))), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
