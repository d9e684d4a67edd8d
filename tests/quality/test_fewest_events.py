"""A timeline reaches its harm in the fewest events that any run takes."""

from collections import deque
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from latchcheck.kernel import Enum, System
from latchcheck.kernel.program import program
from latchcheck.model.config import Client, Config, Network, Server, Workload
from latchcheck.model.timing.system import timed_system
from latchcheck.properties.timing.facts import Facts
from latchcheck.properties.timing.search import narrowed
from latchcheck.properties.timing.verifying import answer

HORIZON_MS = 40


def fewest(system: System, harm: str) -> int:
    """The fewest events of a run in whole milliseconds that ends in `harm`; time passes for nothing."""
    compiled = program(system)
    names = [variable.name for variable in system.variables]
    now, goal = names.index("now"), names.index(harm)
    start: tuple[Any, ...] = tuple(variable.initial for variable in system.variables)
    urgency, queue, best = compiled.clauses("urgency"), deque([(start, 0)]), {start: 0}
    while queue:
        state, events = queue.popleft()
        if best[state] < events:
            continue
        if state[goal]:
            return events
        later = (*state[:now], state[now] + 1, *state[now + 1 :])
        if later[now] <= HORIZON_MS and urgency(later, ()) == -1 and best.get(later, events + 1) > events:
            best[later] = events
            queue.appendleft((later, events))
        for action in system.actions:
            run = compiled.action(action.name)
            for args in product(*(_values(choice.domain) for choice in action.choices)):
                after = run(state, args)
                if isinstance(after, tuple) and best.get(after, events + 2) > events + 1:
                    best[after] = events + 1
                    queue.append((after, events + 1))
    raise AssertionError(f"{harm} is never reached")


def _values(domain: Any) -> Any:
    return domain.values if isinstance(domain, Enum) else range(13)


CASES = {
    "the first silence is too long": (
        "no-live-orphan",
        "orphaned_live",
        Config(
            Client(initial_delay_ms=6),
            Server(orphan_window_ms=4, sweep_period_ms=3),
            Network(),
            Workload(execution_ms=(0, 20)),
        ),
    ),
    "the ramp passes the window": (
        "no-live-orphan",
        "orphaned_live",
        Config(
            Client(initial_delay_ms=1, multiplier=Fraction(2), max_delay_ms=8),
            Server(orphan_window_ms=5, sweep_period_ms=2),
            Network(),
            Workload(execution_ms=(0, 25)),
        ),
    ),
    "failures stretch the silence": (
        "no-live-orphan",
        "orphaned_live",
        Config(
            Client(initial_delay_ms=2, request_timeout_ms=2),
            Server(orphan_window_ms=7, sweep_period_ms=2),
            Network(max_consecutive_failures=2),
            Workload(execution_ms=(0, 20)),
        ),
    ),
    "the client is away": (
        "restart-inside-orphan-window",
        "orphaned_away",
        Config(
            Client(initial_delay_ms=2, restart_gap_ms=5),
            Server(orphan_window_ms=4, sweep_period_ms=2),
            Network(),
            Workload(execution_ms=(0, 20)),
        ),
    ),
    "running work expires": (
        "ttl-covers-execution",
        "expired_live",
        Config(
            Client(initial_delay_ms=5),
            Server(advertised_ttl_ms=7, sweep_period_ms=2),
            Network(),
            Workload(execution_ms=(0, 9)),
        ),
    ),
    "the outcome is removed before the next poll": (
        "result-reaches-client",
        "outcome_lost",
        Config(
            Client(initial_delay_ms=5),
            Server(advertised_ttl_ms=3, enforced_anchor="terminal", sweep_period_ms=2),
            Network(),
            Workload(execution_ms=(4, 12)),
        ),
    ),
    "the client gives up": (
        "patience-covers-execution",
        "gave_up_early",
        Config(Client(initial_delay_ms=5, overall_timeout_ms=7), Server(), Network(), Workload(execution_ms=(0, 9))),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_fewest_events(case: str) -> None:
    """No run of the model reaches the harm in fewer events than the timeline that is shown."""
    name, harm, config = CASES[case]
    witness = answer(name, Facts(config)).witness
    assert witness is not None
    assert len(witness.steps) == fewest(narrowed(timed_system(config), harm), harm)
