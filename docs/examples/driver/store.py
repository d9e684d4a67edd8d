"""A task store in memory, and the driver that latchcheck talks to: JSON lines, one reply to each message.

Run: latchcheck targets check "driver:python docs/examples/driver/store.py"
"""

import json
import sys

TERMINAL = ("completed", "failed", "cancelled")
TABLE = {
    "latchcheck": 1,
    "name": "store.py",
    "events": ["create", "dispatch", "worker_write", "cancel", "get"],
    "clock": {"kind": "none"},
    "workers": 9,
    "versions": True,
    "statuses": ["completed", "failed", "cancelled"],
}


class Store:
    """Tasks by label: a status and a version; and which worker has which task."""

    def __init__(self) -> None:
        self.tasks: dict[str, dict] = {}
        self.taken: dict[str, str] = {}

    def create(self, task: str, **_) -> dict:
        """A new task."""
        self.tasks[task] = {"status": "working", "version": 1}
        return self.get(task)

    def dispatch(self, task: str, by: str, **_) -> dict:
        """A worker takes an open task that no other has, and reads the record that it will write to."""
        open_ = task in self.tasks and self.tasks[task]["status"] not in TERMINAL
        if not open_ or self.taken.setdefault(task, by) != by:
            return {"refused": True, "why": "taken" if open_ else "not open", **self.get(task)}
        return self.get(task)

    def get(self, task: str, **_) -> dict:
        """What a reader is told."""
        return dict(self.tasks.get(task, {"status": "gone"}))

    def worker_write(self, task: str, status: str, expected_version: int | None = None, **_) -> dict:
        """Compare, then swap: nothing happens in between, as this program does one thing at a time."""
        record = self.tasks.get(task)
        if record is None:
            return {"refused": True, "why": "missing", "status": "gone"}
        if record["status"] in TERMINAL:
            same = record["status"] == status
            return {"refused": not same, "why": "repeated" if same else "terminal", **self.get(task)}
        if expected_version not in (None, record["version"]):
            return {"refused": True, "why": "stale version", **self.get(task)}
        record.update(status=status, version=record["version"] + 1)
        return self.get(task)

    def cancel(self, task: str, **_) -> dict:
        """An open task is cancelled; a finished one is acknowledged, and stays as it is."""
        record = self.tasks.get(task)
        if record is None:
            return {"refused": True, "why": "missing", "status": "gone"}
        if record["status"] not in TERMINAL:
            record.update(status="cancelled", version=record["version"] + 1)
        return self.get(task)


def main() -> None:
    """Answer every line."""
    store = Store()
    for line in sys.stdin:
        asked = json.loads(line)
        reply: dict = {"id": asked["id"]}
        if asked["do"] == "hello":
            reply |= TABLE
        elif asked["do"] == "open":
            store = Store()
        elif asked["do"] == "event" and asked["event"] in TABLE["events"]:
            args = {**asked["args"], "task": asked["task"], "by": asked["by"]}
            reply["answer"] = getattr(store, asked["event"])(**args)
        elif asked["do"] == "event":
            reply["cannot"] = f"it has no {asked['event']}"
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
