"""Tells latchcheck how to drive the store."""

from store import Store

from latchcheck.counterexamples.targets import Answer, Call, CannotDo, Table


class Session:
    """One store without tasks, to which abstract events are done."""

    def __init__(self) -> None:
        self.store = Store()

    def perform(self, call: Call) -> Answer:
        """Do one event, and tell the status that a reader would see."""
        task = call.task or ""
        if call.kind == "create":
            self.store.create(task)
        elif call.kind == "worker_write":
            self.store.finish(task, call.args["status"])
        elif call.kind == "cancel":
            self.store.cancel(task)
        elif call.kind not in ("dispatch", "get"):
            raise CannotDo(f"the store has no {call.kind}")
        return Answer(status=self.store.statuses.get(task, "gone"))

    def close(self) -> None:
        """Nothing was started."""


class MyStore:
    """The store as a target: what it can do, and how to begin."""

    name = "my-store"
    # It has no queue: a task is with its worker as soon as it is created.
    table = Table(events={"create", "worker_write", "cancel", "get"}, fuses=True)

    def missing(self) -> tuple[str, ...]:
        """It needs nothing."""
        return ()

    def open(self) -> Session:
        """A new store."""
        return Session()


def pytest_latchcheck_targets() -> dict[str, type[MyStore]]:
    """The targets of this project."""
    return {"my-store": MyStore}
