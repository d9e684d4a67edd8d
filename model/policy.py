"""The switches of the lifecycle model: which guards are in force, which era, which variant.

The first value of every switch is the guarded one; every mutant is some switches set to another value.
Names and values of docs/reference/semantics.md section 6 come first, then those that a property needs beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any, Final

import attrs

from latchcheck.naming import instead

from .spelling import LISTS, SpellingError, assignments

GUARDED: Final = "guarded"
PASSES: Final = ("timeouts", "orphans", "expiry")
# The published order first, as it is the guarded one.
ORDERS: Final = tuple("-".join(order) for order in permutations(PASSES))


def _switch(*values: str, meaning: str) -> Any:
    """A switch: its values, the guarded one first, and what it decides."""
    return attrs.field(
        default=values[0],
        validator=attrs.validators.in_(values),
        metadata={"values": values, "meaning": meaning},
    )


@attrs.frozen(kw_only=True)
class Policy:
    """One setting of every switch; `Policy()` is the guarded model."""

    era: str = _switch("2026-07-28", "2025-11-25", meaning="the revision of the protocol that is spoken")
    terminal_guard: str = _switch(
        "cas", "check-then-set", "none", meaning="how a write makes sure that the record is not terminal"
    )
    version_check: str = _switch("on", "off", meaning="whether a write must carry the version of the record")
    expiry_check: str = _switch(
        "on-write", "off", meaning="whether an expired record is refused to writes, and to reads by id"
    )
    tenant_check: str = _switch(
        "every-operation", "reads-only", "off", meaning="which operations compare the caller with the owner"
    )
    capability_check: str = _switch(
        "before-work", "after-work", "off", meaning="when a request is judged against what was negotiated"
    )
    idempotency: str = _switch(
        "key-and-digest", "key-only", "none", meaning="what makes a repeated create the same request"
    )
    create_durability: str = _switch(
        "before-reply", "after-reply", meaning="when a new record is durable, next to the reply that names it"
    )
    store: str = _switch("durable", "volatile", meaning="whether records outlive a restart of the server")
    dispatch: str = _switch(
        "outbox", "before-commit", "after-commit", meaning="how the message for the workers relates to the record"
    )
    lease: str = _switch(
        "fenced", "unfenced", "none", meaning="what keeps a message from a second worker, and a late worker out"
    )
    side_effect: str = _switch("idempotent", "plain", meaning="whether the business effect is keyed by the task")
    restart: str = _switch("triage", "resume-all", "drop", meaning="what a starting server does with open tasks")
    sweep_order: str = _switch(*ORDERS, meaning="the order of the passes of one sweep")
    handle_store: str = _switch(
        "before-return", "after-return", "none", meaning="when the client has its call and its handle on disk"
    )
    client_reissue: str = _switch(
        "same-key", "new-key", "never", meaning="what a client does with a call whose handle it does not have"
    )
    unknown_id: str = _switch("terminal", "retry", meaning="how a client reads `unknown task`")
    unknown_status: str = _switch("not-terminal", "terminal", meaning="how a client reads a status it does not know")
    notifications: str = _switch("none", "lossy", "reordered", meaning="what may happen to status notifications")
    view: str = _switch("newest-wins", "last-arrival-wins", meaning="which snapshot a client keeps")
    cancel_marker: str = _switch(
        "with-record", "own-life", meaning="whether `cancelled` is stored in the record or beside it"
    )
    failure_default: str = _switch("permanent", "transient", meaning="the class of a failure nobody recognises")
    input_keys: str = _switch("unique", "reused", meaning="whether a key may name a second question")
    cleanup: str = _switch("atomic", "piecewise", meaning="whether all of a record goes at one instant")
    # Beside those of section 6.
    seed_status: str = _switch("working", "non-terminal", "any", meaning="the statuses in which a task may begin")
    terminal_repeat: str = _switch(
        "succeeds", "refused", "rewritten", meaning="the answer to a report of the fact that is already stored"
    )
    missing_record: str = _switch("refused", "upsert", meaning="what a write to a deleted record does")
    delivery: str = _switch(
        "at-least-once", "at-most-once", meaning="whether a message is acknowledged after the work or before it"
    )
    attempt_ceiling: str = _switch("enforced", "off", meaning="whether the number of attempts is limited")
    exhausted: str = _switch("poison", "permanent", meaning="the class of a failure whose attempts are spent")
    cancel_ack: str = _switch("intent", "outcome", meaning="what a client makes of an acknowledged cancel")
    ttl_span: str = _switch(
        "outlasts-limits", "any", meaning="whether the ttl of a task ends after its deadline or its silence"
    )
    retention: str = _switch("from-terminal", "from-creation", meaning="whether a terminal write starts the ttl again")
    key_insert: str = _switch(
        "unique", "check-then-insert", meaning="whether a key is looked up and entered in one transaction"
    )
    key_namespace: str = _switch("per-tenant", "global", meaning="whose calls a key is remembered for")
    create_visibility: str = _switch(
        "every-instance", "one-instance", meaning="whether a create reply waits until every instance can read the task"
    )
    result_while_open: str = _switch(
        "blocks", "answers-wait", "returns", meaning="what tasks/result of 2025-11-25 does while the task is open"
    )
    guard_reads: str = _switch("primary", "replica", meaning="which copy of the record the guard of a write looks at")
    replica_reads: str = _switch(
        "every-read",
        "tasks-get",
        "tasks-list",
        "tasks-result",
        "none",
        meaning="which reads an instance may answer from a replica that is behind",
    )
    task_ids: str = _switch("unique", "reused", meaning="whether the id of a deleted task may name another task")
    input_dedup: str = _switch("by-key", "off", meaning="whether a client answers the question of a key only once")
    lease_renewal: str = _switch("while-alive", "never", meaning="whether a worker that is alive renews its lease")

    @classmethod
    def parse(cls, text: str, *, named: Sequence[str] = ()) -> Policy:
        """Read `guarded` or `switch=value,switch=value`; SpellingError says what to write instead.

        `named` are the names of other policies that may stand where this one is read.
        """
        if text.strip() == GUARDED:
            return cls()
        if "=" not in text:
            raise _no_policy(text.strip(), named)
        given: dict[str, str] = {}
        for name, value in assignments("policy", text, SWITCHES):
            values = SWITCHES[name].values
            if value not in values:
                raise SpellingError(f"policy: {name} cannot be {value!r}", instead(value, values))
            given[name] = value
        return cls(**given)

    @property
    def changed(self) -> dict[str, str]:
        """The switches that are not at their guarded value."""
        return {name: getattr(self, name) for name, switch in SWITCHES.items() if getattr(self, name) != switch.guarded}

    def __str__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self.changed.items()) or GUARDED

    def __repr__(self) -> str:
        return f"Policy.parse({str(self)!r})"


@attrs.frozen
class Switch:
    """One row of the table of switches."""

    name: str
    values: tuple[str, ...]
    meaning: str

    @property
    def guarded(self) -> str:
        """The value of the guarded model."""
        return self.values[0]


SWITCHES: Final = {
    field.name: Switch(field.name, field.metadata["values"], field.metadata["meaning"])
    for field in attrs.fields(Policy)
}


def _no_policy(text: str, named: Sequence[str]) -> SpellingError:
    """The error for a policy that is no assignment and no name."""
    if text in SWITCHES:
        return SpellingError(f"policy: {text!r} is no name=value", f"write {text}={'|'.join(SWITCHES[text].values)}")
    meant = instead(text, [GUARDED, *named, *SWITCHES], LISTS["policy"])
    return SpellingError(f"policy: there is no {text!r}", f"{meant} or spell it out: lease=none")
