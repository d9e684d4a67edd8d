"""A task whose cancel does not look whether it is finished, as a state machine of Hypothesis: what it prints."""

from hypothesis import Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test


class Task(RuleBasedStateMachine):
    """One task, one worker, one cancel; `outcomes` counts the terminal writes."""

    def __init__(self):
        super().__init__()
        self.status, self.queued, self.held, self.cancels, self.outcomes = "none", False, False, 1, 0

    @precondition(lambda self: self.status == "none")
    @rule()
    def create(self):
        """The task is created, its message is queued."""
        self.status, self.queued = "working", True

    @precondition(lambda self: self.queued)
    @rule()
    def deliver(self):
        """A worker takes the message."""
        self.queued, self.held = False, True

    @precondition(lambda self: self.held and self.status == "working")
    @rule()
    def report(self):
        """It stores its outcome, if there is none."""
        self.held, self.status = False, "completed"
        self.outcomes += 1

    @precondition(lambda self: self.status != "none" and self.cancels)
    @rule()
    def cancel(self):
        """The guard that is missing: `self.status == "working"`."""
        self.status = "cancelled"
        self.cancels -= 1
        self.outcomes += 1

    @rule()
    def wait(self):
        """Hypothesis refuses a machine in which nothing can happen any more."""

    @invariant()
    def one_terminal_outcome(self):
        """What is asked."""
        assert self.outcomes <= 1


if __name__ == "__main__":
    phases = (Phase.generate, Phase.shrink)
    run_state_machine_as_test(Task, settings=settings(derandomize=True, database=None, phases=phases, print_blob=False))
