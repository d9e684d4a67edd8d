"""`every-window-can-fire`: a limit beside another that counts from creation, each swept on one grid.

A pass that stands later in the order than another, or whose own instant comes later, acts exactly when it can find the
task still working: at an instant after its limit - skew up to which the other can be dodged (its limit + skew + a sweep
period + lateness, or without the last two where it stands earlier in the order). The client may vanish at once and the
work may hang, since a limit is a safety net.
"""

from typing import Any

import z3

from latchcheck.engines.obligations import Proof
from latchcheck.engines.smt import Event, inductive, valid_run
from latchcheck.kernel import Clause
from latchcheck.model.config import Config
from latchcheck.model.timing.terms import CAUSE, V

from .followed import Followed
from .ttl import Grid, stopped

ERRORS = {"timeouts": "error_created", "orphans": "error_contact", "expiry": "error_anchor"}
NUMBERS = {"timeouts": "execution_deadline", "orphans": "orphan_window", "expiry": "enforced_ttl"}


def can_act(config: Config, name: str, beside: str) -> list[Proof]:
    """Whether the pass `name` can ever be the one that ends a task, the only other limit being `beside`.

    Both implications.
    The passes stand in the order in which `beside` comes after it; the other order has no grid in it and is the case
    of a pass that fires in the very sweep, which `ttl.covered` and `orphan.never` show.
    """
    shape = Followed(config)
    grid = Grid(shape, beside)
    due = shape.number(NUMBERS[name]) - shape.skew
    at, placed = grid.last_sweep()
    strict = not (name == "expiry" or (name == "orphans" and shape.windows.inclusive))
    # Some instant is late enough for the one and not too late for the other, which is dodged up to `top`.
    top, closed = grid.dodged, z3.BoolVal(not grid.inclusive)
    first = z3.If(due > 0, due, z3.RealVal(0))
    room = z3.Or(due < 0, z3.BoolVal(not strict))
    fires = z3.Or(first < top, z3.And(first == top, closed, room))
    acted = V["expired_live"] if name == "expiry" else V["cause"] == CAUSE[name]
    invariant = [*grid.lemmas(), Clause("the pass never acted", z3.Not(acted))]
    known = [*grid.sane, grid.limit > 0]
    never = inductive(grid.system, [*known, z3.Not(fires)], invariant, acted)
    errors = {
        choice.name: shape.skew if choice.name == ERRORS[name] else -shape.skew for choice in shape.windows.errors
    }
    late = [at > due if strict else at >= due, at >= 0, grid.alive(at), V["last_contact"] == 0]
    if shape.work_ends is not None:
        late.append(at <= shape.work_ends)
    events: list[Event] = [(at, "sweep", errors)]
    acts = valid_run(grid.system, [*known, *placed, *late], events, acted, start=[*stopped(), *_nothing()])
    return [never, acts]


def _nothing() -> list[Clause]:
    ended: Any = V["cause"] == CAUSE["none"]
    return [Clause("nothing ended the task", ended), Clause("no expiry either", z3.Not(V["expired_live"]))]
