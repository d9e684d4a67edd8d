"""Products behind HTTP: a server of theirs as a child process, spoken to as any client speaks to it.

A program of ours (programs/*_server.py) runs in the product's environment and gives it tools that end when they are
told to. What the client sees goes over the wire; only the end of the work is told beside it, at `/control`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Final

import attrs

from .environments import found, installed, needed
from .errors import CannotDo, TargetCrashed, TargetTimeout
from .events import GONE, Answer, Call
from .live import Reply, Talk, Wire, begin, task_of
from .loopback import Child, Redis
from .protocol import Session, Table

SETTLE_S: Final = 0.25
"""From the return of a tool to its record, and what one poll more costs."""
LOOKS: Final = 3
"""How often a server must have answered in that time: one that is not given a turn has not settled."""
WORK_S: Final = 30.0
"""Long, as `loopback.START_S` is."""


@attrs.frozen
class Product:
    """What differs between products behind HTTP.

    `life`: the marker window of a fixture becomes the life of its records, `--life-s`.
    `tokens`: a bearer token tells principals apart.
    """

    environment: str
    program: str
    table: Table
    path: str = "/mcp"
    redis: bool = False
    life: bool = False
    tokens: bool = False


class Served:
    """A target that is a product behind HTTP."""

    def __init__(self, name: str, product: Product) -> None:
        self.name, self._product = name, product

    @property
    def table(self) -> Table:
        """What the product can do."""
        return self._product.table

    def missing(self) -> tuple[str, ...]:
        """What is not installed, with the command that gets it."""
        import shutil
        from importlib.util import find_spec

        lacks = []
        if found(self._product.environment) is None:
            lacks.append(f"{self._product.environment}: run `latchcheck targets install {self._product.environment}`")
        if find_spec("httpx") is None:
            lacks.append("httpx: run `pip install 'latchcheck[live]'`")
        if self._product.redis and shutil.which("redis-server") is None:
            lacks.append("redis-server: install your system's package redis-server")
        return tuple(lacks)

    def install(self) -> tuple[str, ...]:
        """Make the environment of the product; what was done, a line each. Raises TargetMissing."""
        return installed(self._product.environment)

    def open(self) -> Session:
        """A server without tasks, which starts with the first call, since its settings come with it."""
        return ServedSession(self._product, needed(self._product.environment).interpreter)


class ServedSession:
    """One server with its tasks. It starts when the first task is created: its life is a setting of the process."""

    def __init__(self, product: Product, interpreter: str) -> None:
        self._product, self._interpreter = product, interpreter
        self._child: Child | None = None
        self._redis: Redis | None = None
        self._talks: dict[int, Talk] = {}
        self._ids: dict[str, str] = {}
        self._owners: dict[str, int] = {}
        # The keys of the questions of each task, in the order in which they were asked.
        self._keys: dict[str, list[str]] = {}
        self._zero: float | None = None

    def perform(self, call: Call) -> Answer:
        """Do a call over the wire, or beside it where it is the worker's."""
        return getattr(self, f"_{call.kind}", self._cannot)(call)

    def close(self) -> None:
        """End the server, and Redis."""
        for talk in self._talks.values():
            talk.wire.close()
        self._talks.clear()
        if self._child is not None:
            self._child.kill()
        if self._redis is not None:
            self._redis.stop()

    def _cannot(self, call: Call) -> Answer:
        raise CannotDo(f"it cannot do {call.kind!r}")

    def _start(self, args: Mapping[str, Any]) -> None:
        options: list[str] = []
        if self._product.redis:
            self._redis = Redis()
            self._redis.start()
            options += ["--backend", self._redis.url]
        lives = [args[name] for name in ("marker_ms",) if name in args]
        if self._product.life and lives:
            options += ["--life-s", str(max(1, round(min(lives) / 1000)))]
        self._child = Child(self._interpreter, self._product.program, options)
        self._child.start()

    def _talk(self, tenant: int) -> Talk:
        """The conversation of a principal. Raises CannotDo before there is a server."""
        if self._child is None:
            raise CannotDo("nothing was created yet, so that there is no server")
        if tenant not in self._talks:
            headers = {"Authorization": f"Bearer p{tenant}"} if self._product.tokens else {}
            self._talks[tenant] = begin(Wire(self._url, headers))
        return self._talks[tenant]

    @property
    def _url(self) -> str:
        assert self._child is not None
        return f"http://127.0.0.1:{self._child.port}{self._product.path}"

    def _control(self, **asked: Any) -> Mapping[str, Any]:
        import httpx

        assert self._child is not None
        try:
            reply = httpx.post(
                f"http://127.0.0.1:{self._child.port}/control", json=asked, timeout=WORK_S, trust_env=False
            )
            return reply.json()
        except (httpx.HTTPError, ValueError) as error:
            raise TargetCrashed(f"the bench of the server does not answer: {error}") from None

    def _until(self, holds: Callable[[Mapping[str, Any]], bool], label: str) -> bool:
        until = time.monotonic() + WORK_S
        while time.monotonic() < until:
            if holds(self._control(label=label)):
                return True
            time.sleep(0.02)
        return False

    def _settle(self, label: str) -> None:
        """Wait until what has been done is in the record."""
        time.sleep(SETTLE_S)
        for _ in range(LOOKS):
            self._control(label=label)

    def _create(self, call: Call) -> Answer:
        if self._child is None:
            self._start(call.args)
        tenant, label = call.args.get("tenant", 1), str(call.task)
        tool = call.args.get("tool", "optional")
        if tool == "forbidden":
            raise CannotDo("it has no tool that forbids tasks")
        talk = self._talk(tenant)
        declares = call.args.get("capabilities") != "nothing"
        arguments = {"label": label}
        if not declares and tool == "optional":
            raise CannotDo("a direct call would last until the work is told to end")
        reply = talk.call(tool, arguments, declares=declares, ttl_ms=call.args.get("ttl_ms"))
        if reply.error is not None:
            begun = self._control(label=label)["begun"]
            return Answer(refused=True, why=str(reply.code), raw={"begun": begun, "error": dict(reply.error)})
        task = task_of(reply, talk.offer.era)
        if task is None:
            return Answer(why="answered directly", raw={"result": dict(reply.result or {})})
        self._ids[label], self._owners[label] = task["taskId"], tenant
        if not self._until(lambda told: told["begun"] > 0, label):
            raise TargetTimeout(f"the work of {label} did not begin in {WORK_S:g} s")
        if self._zero is None:  # the instants of a fixture are counted from its first event
            self._zero = time.monotonic()
        return Answer(status=str(task.get("status")), raw={"task": dict(task)})

    def _dispatch(self, call: Call) -> Answer:
        """The work has begun with the create; another delivery cannot be asked for."""
        if call.by != "w1" or str(call.task) not in self._ids:
            raise CannotDo("work begins with the create, and once")
        return Answer()

    def _worker_write(self, call: Call) -> Answer:
        label = str(call.task)
        if "tenant" in call.args:
            raise CannotDo("only the tool itself can end its work")
        before = self._control(label=label)
        if before["begun"] <= before["ended"]:
            raise CannotDo("the work is not under way: it has ended, or waits for its answer")
        self._control(finish=label, status=call.args["status"], key=call.args.get("key"))
        if not self._until(lambda told: told["ended"] > before["ended"], label):
            raise TargetTimeout(f"the work of {label} did not end in {WORK_S:g} s")
        self._settle(str(call.task))
        if call.args["status"] == "input_required":
            # The server makes the key of a question, and tells it to whoever asks for the task.
            self._keys.setdefault(label, []).extend(self._get(Call("get", label, "w1")).asks or ())
        return Answer()

    def _update(self, call: Call) -> Answer:
        """The answer to the question that its author has read, under the key that was told for it."""
        keys, number = self._keys.get(str(call.task), []), call.args["question"]
        if number > len(keys):
            raise CannotDo("nobody was told the key of that question")
        answers = {keys[number - 1]: {"action": "accept", "content": {"answer": "yes"}}}
        reply = self._asked(call, lambda talk, ident, declares: talk.update(ident, answers, declares=declares))
        self._settle(str(call.task))
        if reply.error is not None:
            return Answer(refused=True, why=str(reply.code), raw={"error": dict(reply.error)})
        return Answer(raw={"result": dict(reply.result or {})})

    def _get(self, call: Call) -> Answer:
        label = str(call.task)
        reply = self._asked(call, lambda talk, ident, declares: talk.get(ident, declares=declares))
        if reply.error is not None:
            # Of a call that was refused the bench tells whether its work has begun.
            work = None if label in self._ids else self._control(label=label)["begun"] > 0
            raw = {"error": dict(reply.error)}
            return Answer(refused=True, why=str(reply.code), status=GONE, work=self._shown("work", work), raw=raw)
        task = dict(reply.result or {})
        asks = task.get("inputRequests")
        keys = tuple(sorted(asks)) if isinstance(asks, dict) else ()
        return Answer(status=str(task.get("status")), asks=self._shown("asks", keys), raw={"task": task})

    def _shown(self, name: str, value: Any) -> Any:
        """What the table says is told, else nothing."""
        return value if name in self._product.table.shows else None

    def _cancel(self, call: Call) -> Answer:
        reply = self._asked(call, lambda talk, ident, declares: talk.cancel(ident, declares=declares))
        if reply.error is not None:
            return Answer(refused=True, why=str(reply.code), raw={"error": dict(reply.error)})
        return Answer(raw={"result": dict(reply.result or {})})

    def _list(self, call: Call) -> Answer:
        reply = self._talk(call.args.get("tenant", 1)).list()
        if reply.error is not None:
            return Answer(refused=True, why=str(reply.code), raw={"error": dict(reply.error)})
        rows = (reply.result or {}).get("tasks", [])
        labels = {ident: label for label, ident in self._ids.items()}
        return Answer(tasks=tuple(labels.get(str(one.get("taskId")), "another") for one in rows), raw={"tasks": rows})

    def _asked(self, call: Call, ask: Callable[[Talk, str, bool], Reply]) -> Reply:
        label = str(call.task)
        tenant = call.args.get("tenant", self._owners.get(label, 1))
        declares = call.args.get("capabilities") != "nothing"
        return ask(self._talk(tenant), self._ids.get(label, f"no-such-task-{label}"), declares)

    def _advance_clock(self, call: Call) -> Answer:
        if self._zero is None:
            self._zero = time.monotonic()
        time.sleep(max(0.0, self._zero + call.args["to_ms"] / 1000 - time.monotonic()))
        return Answer()

    def _restart_server(self, call: Call) -> Answer:
        """Kill the process and start another one on the same port; Redis stays."""
        del call
        if self._child is None:
            raise CannotDo("nothing was created yet, so that there is no server")
        self._child.kill()
        for talk in self._talks.values():
            talk.wire.close()
        self._talks.clear()
        self._child.start()
        return Answer()
