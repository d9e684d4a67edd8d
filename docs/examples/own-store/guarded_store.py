"""The same store, in which an outcome is written once."""

TERMINAL = ("completed", "failed", "cancelled")


class Store:
    """Tasks by id."""

    def __init__(self) -> None:
        self.statuses: dict[str, str] = {}

    def create(self, task: str) -> None:
        """Make a task that works."""
        self.statuses[task] = "working"

    def finish(self, task: str, status: str) -> None:
        """Write the outcome of the work, unless there is one."""
        if self.statuses[task] not in TERMINAL:
            self.statuses[task] = status

    def cancel(self, task: str) -> None:
        """Cancel a task that has not ended."""
        self.finish(task, "cancelled")
