"""A task store in memory that can do all that the driver protocol has but lag, and shows all that it may show.

Run: latchcheck targets check "driver:python docs/examples/driver/whole_store.py"

Time is what it is told. A record is a dict; beside it are messages for workers, the keys of calls, and side effects.
"""

import json
import sys

TERMINAL = ("completed", "failed", "cancelled")
FOREVER = float("inf")
WINDOWS = ("ttl", "deadline", "silence", "lease")
EVENTS = "create dispatch worker_write cancel get update list advance_clock restart_server crash_worker reap act"
TABLE = {
    "latchcheck": 1,
    "name": "whole_store.py",
    "events": EVENTS.split(),
    "clock": {"kind": "injected"},
    "workers": 9,
    "tenants": 9,
    "versions": True,
    "statuses": list(TERMINAL),
    "keys": True,
    "negotiates": True,
    "inputs": True,
    "fails": True,
    "windows": list(WINDOWS),
    "shows": ["asks", "decision", "effects", "holds", "left", "verdict", "work"],
}


class Store:
    """Tasks by label, and what belongs to them."""

    def __init__(self):
        self.now = 0
        self.tasks, self.messages, self.calls, self.effects = {}, set(), {}, {}

    # What clients ask for.

    def create(self, task, args, **_):
        """A record and its message, at once; for a key that is known the task that it named."""
        if "capabilities" in args and (args["capabilities"] == "nothing" or args.get("tool") == "forbidden"):
            return {"refused": args.get("tool") == "required", "why": "no tasks for this call"}
        tenant, key = args.get("tenant", 1), args.get("key")
        if key is not None and (tenant, key) in self.calls:
            known, digest = self.calls[tenant, key]
            if digest != args.get("digest"):
                return {"refused": True, "why": "the key was used for another request"}
            return {**self.told(known), "same_as": known}
        ends = {name: self.now + args.get(f"{name}_ms", FOREVER) for name in WINDOWS}
        self.tasks[task] = {
            "status": "working", "version": 1, "tenant": tenant, "windows": args, "ends": ends, "contact": self.now,
            "holder": None, "attempt": 0, "attempts": args.get("attempts_max", FOREVER), "asks": None, "asked": set(),
            "verdict": None,
        }  # fmt: skip
        self.messages.add(task)
        if key is not None:
            self.calls[tenant, key] = (task, args.get("digest"))
        return self.told(task)

    def get(self, task, by, args):
        """What a reader is told; a client's reading is a contact, and the record is its owner's."""
        record = self.record(task, args)
        if record is None:
            there = task in self.messages
            return {"refused": True, "status": "gone", "work": there, "left": there, "effects": len(self.acts(task))}
        if by.startswith("c"):
            record["contact"] = self.now
        found = self.told(task) | {"asks": [record["asks"]] if record["asks"] else [], "work": self.has_work(task)}
        found |= {"effects": len(self.acts(task)), "holds": self.holds(by, record)}
        return found | ({"verdict": record["verdict"]} if record["verdict"] else {})

    def cancel(self, task, args, **_):
        """An open task is cancelled; a finished one is acknowledged, and stays as it is."""
        record = self.record(task, args)
        if record is None or (record["ends"]["ttl"] <= self.now and record["status"] not in TERMINAL):
            return {"refused": True, "why": "missing"}
        if record["status"] not in TERMINAL:
            self.end(task, "cancelled")
        return self.told(task)

    def update(self, task, args, **_):
        """An answer is taken if its key is outstanding, and ignored otherwise."""
        record = self.record(task, args)
        if record is None:
            return {"refused": True, "why": "missing"}
        if record["status"] == "input_required" and record["asks"] == args["key"]:
            record.update(status="working", version=record["version"] + 1, asks=None)
        return self.told(task)

    def list(self, args, **_):
        """The tasks of the caller."""
        return {"tasks": [task for task in self.tasks if self.tasks[task]["tenant"] == args.get("tenant", 1)]}

    # What workers do.

    def dispatch(self, task, by, **_):
        """Hand the message of an open task to a worker, with a lease, where no other has one."""
        record = self.tasks.get(task)
        free = record and (record["holder"] is None or record["ends"]["lease"] <= self.now)
        if not free or task not in self.messages or record["status"] in TERMINAL:
            return {"refused": True, "why": "nothing to do", **self.told(task)}
        if record["attempt"] >= record["attempts"]:
            return {"refused": True, "why": "its attempts are spent", **self.told(task)}
        record.update(holder=by, attempt=record["attempt"] + 1)
        record["ends"]["lease"] = self.now + record["windows"].get("lease_ms", FOREVER)
        return self.told(task)

    def act(self, task, by, **_):
        """The side effect, keyed by the task: the outside world does it once."""
        record = self.tasks.get(task)
        if record is None or record["holder"] != by:
            return {"refused": True, "why": "the worker has no such task"}
        self.acts(task).add(task)
        return {}

    def worker_write(self, task, by, args):
        """Compare all that the writer believes, then swap."""
        record = self.record(task, args)
        why = self.obstacle(record, by, args)
        if why:
            return {"refused": why != "repeated", "why": why, **self.told(task)}
        if args.get("kind") == "transient" and record["attempt"] < record["attempts"]:
            record["holder"] = None
            return self.told(task)
        if args["status"] == "input_required":
            record.update(status="input_required", version=record["version"] + 1, asks=args["key"])
            record["asked"].add(args["key"])
            return self.told(task)
        self.end(task, args["status"], {"transient": "poisoned"}.get(args.get("kind"), args.get("kind") and "failed"))
        return self.told(task)

    def obstacle(self, record, by, args):
        """Why a write does not apply, None where it does."""
        if record is None:
            return "missing"
        if record["ends"]["ttl"] <= self.now:
            return "expired"
        if record["status"] in TERMINAL:
            return "repeated" if record["status"] == args["status"] else "terminal"
        if by.startswith("w") and record["holder"] != by:
            return "fenced"
        if args.get("expected_version") not in (None, record["version"]):
            return "stale version"
        return "the key was used before" if args.get("key") in record["asked"] else None

    def crash_worker(self, **_):
        """A worker keeps nothing here but its lease, which runs out by itself."""
        return {}

    # What the server does by itself.

    def advance_clock(self, args, **_):
        """Time passes."""
        self.now = args["to_ms"]
        return {}

    def reap(self, **_):
        """What is late fails, what nobody asks for is cancelled, and what is over goes with all that belongs to it."""
        self.fail_late()
        for task, record in list(self.tasks.items()):
            silent = self.now - record["contact"] > record["windows"].get("silence_ms", FOREVER)
            if silent and record["status"] not in TERMINAL:
                self.end(task, "cancelled")
            if record["ends"]["ttl"] <= self.now:
                del self.tasks[task]
                self.messages.discard(task)
                self.calls = {key: named for key, named in self.calls.items() if named[0] != task}
        return {}

    def restart_server(self, **_):
        """Everything here is durable; leases of the dead go, what is late or spent fails, the rest goes on."""
        for record in self.tasks.values():
            record["holder"] = None
        self.fail_late()
        self.messages |= {task for task, record in self.tasks.items() if record["status"] not in TERMINAL}
        return {}

    def fail_late(self):
        """Fail the open tasks whose deadline is over, or whose attempts are spent with nobody at work."""
        for task, record in self.tasks.items():
            idle = record["holder"] is None or record["ends"]["lease"] <= self.now
            spent = idle and record["attempt"] >= record["attempts"]
            if record["status"] not in TERMINAL and (spent or record["ends"]["deadline"] < self.now):
                self.end(task, "failed", "poisoned" if spent else None)

    # What the above have in common.

    def end(self, task, status, verdict=None):
        """Store an outcome, once and for all; its message goes with it, and its life begins anew."""
        record = self.tasks[task]
        record.update(status=status, version=record["version"] + 1, holder=None, asks=None, verdict=verdict)
        record["ends"]["ttl"] = self.now + record["windows"].get("ttl_ms", FOREVER)
        self.messages.discard(task)

    def record(self, task, args):
        """The record, for its owner."""
        record = self.tasks.get(task)
        return record if record and args.get("tenant", record["tenant"]) == record["tenant"] else None

    def acts(self, task):
        """The side effects of a task."""
        return self.effects.setdefault(task, set())

    def has_work(self, task):
        """Whether a worker has the task, or will get it."""
        return task in self.messages or self.tasks[task]["holder"] is not None

    def holds(self, by, record):
        """Whether a worker has its task still."""
        return record["holder"] == by and record["ends"]["lease"] > self.now

    def told(self, task):
        """Status and version."""
        record = self.tasks.get(task)
        return {"status": record["status"], "version": record["version"]} if record else {"status": "gone"}


NEEDS = {"cancel": {"2025-11-25": "cancel"}, "list": {"2025-11-25": "list"}}


def declared(asked):
    """Whether the request has declared what it needs; a create is judged by its tool."""
    said, event = asked["args"].get("capabilities"), asked["event"]
    if said is None or event == "create":
        return True
    return NEEDS.get(event, {}).get(asked["args"].get("era"), "tasks") in said.split("+")


def main():
    """Answer every line."""
    store = Store()
    for line in sys.stdin:
        asked = json.loads(line)
        reply = {"id": asked["id"]}
        if asked["do"] == "hello":
            reply |= TABLE
        elif asked["do"] == "open":
            store = Store()
        elif asked["do"] == "event" and not declared(asked):
            reply["answer"] = {"refused": True, "why": "not declared"}
        elif asked["do"] == "event":
            reply["answer"] = getattr(store, asked["event"])(task=asked["task"], by=asked["by"], args=asked["args"])
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
