"""What the server programs here have in common: a bench whose work ends when it is told to, and a port on loopback."""

import asyncio
import json
import socket

import uvicorn


class Bench:
    """What the tools wait for, by label: how each is to end, and how often each has begun and ended."""

    def __init__(self):
        self.ends = {}
        self.begun = {}
        self.ended = {}
        self.over = False

    async def until_told(self, label):
        """Wait to be told how to end, and return what was told; a cancellation changes nothing."""
        self.begun[label] = self.begun.get(label, 0) + 1
        while label not in self.ends and not self.over:
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                continue
        self.ended[label] = self.ended.get(label, 0) + 1
        return self.ends.pop(label, {"status": "completed"})

    def told(self, asked):
        """Obey a request to `/control` and tell how often the work of its label has begun and ended.

        It ends with a `status`; with `input_required`, and the `key` of a question, it has another leg to come.
        """
        if "finish" in asked:
            self.ends[asked["finish"]] = asked
        label = asked.get("label", asked.get("finish"))
        return {"begun": self.begun.get(label, 0), "ended": self.ended.get(label, 0)}


def serve(app, port):
    """Serve an ASGI application on loopback until killed; its port is told on stdout as soon as it listens."""
    # Named as TCP, since asyncio turns delays off only for what says so: each answer else waits 40 ms for an ACK.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", port))

    class Told(uvicorn.Server):
        async def startup(self, sockets=None):
            await super().startup(sockets=sockets)
            print(json.dumps({"port": listening.getsockname()[1]}), flush=True)

    Told(uvicorn.Config(app, log_level="critical")).run(sockets=[listening])
