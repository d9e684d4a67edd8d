"""Decides a packet by executing the model's actions from the state that the packet stands for."""

from __future__ import annotations

from functools import cache

import attrs
import z3

from latchcheck.kernel import Compiled, ModelError, State, compile_expr
from latchcheck.kernel.program import program

from ..lifecycle import Lifecycle
from ..policy import Policy
from .packet import Packet, state_of
from .system import FREE, STORED, VERSION, packet_model
from .tables import OPERATIONS, Row, is_block, rows


class Undecided(ModelError):
    """The table has no row for a packet, or more than one, or a row is not what the action does."""


@attrs.frozen(eq=False)
class Decided:
    """What becomes of a packet: the decision, and the state before and after (the same where nothing happens)."""

    packet: Packet
    decision: str
    action: str | None
    before: State
    after: State

    @property
    def blocked(self) -> bool:
        """The request is refused."""
        return is_block(self.decision)

    @property
    def status(self) -> str | None:
        """The status of the record afterwards, of a new one where one is made; None where there is none."""
        made = self.decision == "ACCEPT_TASK"
        found = str(self.after[f"status_{FREE if made else STORED}"])
        return None if found == "none" else found

    @property
    def version(self) -> int | None:
        """The version of the record afterwards, told in the packet's own numbers; None where there is none."""
        if self.decision == "ACCEPT_TASK":
            return 1
        if self.packet.record is None:
            return None
        now = self.after[f"version_{STORED}"]
        assert isinstance(now, int)
        return self.packet.record.version + now - VERSION


def decide(packet: Packet, policy: Policy) -> Decided:
    """The decision of a policy about a packet. Raises Undecided where the model does not have exactly one."""
    built = packet_model(policy)
    before = state_of(packet, built)
    true = [row for row in rows(policy, packet.operation, packet.client) if _holds(built, row, before, packet)]
    if len(true) != 1:
        names = ", ".join(row.decision for row in true) or "none"
        raise Undecided(f"packet {packet.id!r} is decided as {names}; there should be one decision")
    (row,) = true
    after = _after(packet, built, row, before)
    return Decided(packet, row.decision, row.action.name if row.action else None, before, after)


def _holds(built: Lifecycle, row: Row, state: State, packet: Packet) -> bool:
    names = tuple(variable.name for variable in built.system.variables)
    open_ = packet.arguments
    return _compiled(row, (*names, *open_))(**state, **open_)


@cache
def _compiled(row: Row, names: tuple[str, ...]) -> Compiled:
    return compile_expr(z3.simplify(row.condition) if z3.is_expr(row.condition) else row.condition, names)


def _after(packet: Packet, built: Lifecycle, row: Row, before: State) -> State:
    """The state after the action of the row; what the row calls refused must be refused by every action."""
    state = tuple(before[variable.name] for variable in built.system.variables)
    done = None
    for entry in OPERATIONS[packet.operation]:
        action = next((one for one in built.system.actions if one.name == entry.action), None)
        if action is None:
            continue
        # What a policy leaves open beside the request (the status in which a task begins) is taken as its first value.
        args = {one.name: next(iter(one.domain.members())) for one in action.choices}
        args |= {"client": packet.client, **entry.args, **packet.arguments}
        result = program(built.system).action(action.name)(state, tuple(args[one.name] for one in action.choices))
        happens = not isinstance(result, int)
        if happens != (row.action is not None and row.action.name == action.name):
            word = "happens" if happens else "does not happen"
            raise Undecided(f"packet {packet.id!r} is decided as {row.decision}, and {action.name} {word}")
        done = result if happens else done
    if done is None:
        return before
    return State({one.name: value for one, value in zip(built.system.variables, done, strict=True)})
