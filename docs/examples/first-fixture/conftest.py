"""Tells latchcheck how to drive the store."""

from store import Store

from latchcheck.counterexamples.targets import Answer, Call, CannotDo, Clock, Table


class Session:
    """One store without tasks, and a clock of its own."""

    def __init__(self) -> None:
        self.store, self.now = Store(), 0.0

    def perform(self, call: Call) -> Answer:
        """Do one event to the store, and tell what a reader would then see."""
        if call.kind == "create":
            self.store.create(call.task, self.now, call.args.get("ttl_ms", 3_600_000) / 1000)
        elif call.kind == "worker_write":
            self.store.finish(call.task, call.args["status"], self.now)
        elif call.kind == "advance_clock":
            self.now = call.args["to_ms"] / 1000
        elif call.kind == "reap":
            self.store.sweep(self.now)
        elif call.kind not in ("dispatch", "get"):  # a created task is with its worker at once
            raise CannotDo(f"the store has no {call.kind}")
        return Answer(status=self.store.status(call.task) or "gone" if call.task else None)

    def close(self) -> None:
        """Let go of the database."""
        self.store.db.close()


class MyStore:
    """The store as a target: what it can do, and how to begin."""

    name = "my-store"
    table = Table(
        events={"create", "worker_write", "advance_clock", "reap", "get"},
        clock=Clock("injected"),
        windows={"ttl"},
        fuses=True,
    )

    def missing(self) -> tuple[str, ...]:
        """It needs nothing."""
        return ()

    def open(self) -> Session:
        """A new store."""
        return Session()


def pytest_latchcheck_targets() -> dict[str, type[MyStore]]:
    """The targets of this project."""
    return {"my-store": MyStore}
