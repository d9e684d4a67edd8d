"""A task store of twenty lines, as one finds them: it keeps a status a task, and does what it is told."""


class Store:
    """Tasks by id."""

    def __init__(self) -> None:
        self.statuses: dict[str, str] = {}

    def create(self, task: str) -> None:
        """Make a task that works."""
        self.statuses[task] = "working"

    def finish(self, task: str, status: str) -> None:
        """Write the outcome of the work."""
        self.statuses[task] = status

    def cancel(self, task: str) -> None:
        """Cancel a task."""
        self.statuses[task] = "cancelled"
