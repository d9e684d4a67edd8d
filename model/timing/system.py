"""Poller, network, worker, record and reaper as one transition system."""

from latchcheck.kernel import System

from ..config import Config
from .poller import Poller
from .record import Windows
from .server import phase_choice, polls, sweep, sweeps_happen, tasks_get, work_ends, write_terminal
from .terms import VARIABLES, Numbers


def timed_system(config: Config, *, symbolic: bool = False) -> System:
    """The timed model of a configuration; with `symbolic` its numbers are parameters, its modes stay as they are.

    Source: docs/reference/semantics.md, sections 1 to 3.
    """
    numbers = Numbers(config, symbolic)
    poller, windows = Poller(numbers), Windows.of(numbers)
    phase, in_phase = phase_choice(numbers)
    actions = (
        poller.create(phase, in_phase),
        poller.handle_arrives(),
        poller.poll(),
        tasks_get(poller, windows),
        polls(poller, windows),
        poller.reply_arrives(),
        poller.failure_noticed(),
        poller.give_up(),
        write_terminal(numbers),
        sweep(poller, windows),
    )
    urgency = (*poller.urgency(), *work_ends(numbers), *sweeps_happen(numbers, windows))
    return System(
        name="timed",
        variables=VARIABLES,
        actions=tuple(action for action in actions if action is not None),
        clock="now",
        urgency=urgency,
        parameters=dict(numbers.symbols),
    )
