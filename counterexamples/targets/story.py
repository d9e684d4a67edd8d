"""A fixture as it is told to one target: what its earlier steps said of who asks, with which keys, who read what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from latchcheck.kernel import State

from ..fixture import Event, Fixture
from .errors import CannotDo
from .events import Call
from .outside import CALLS, timeline
from .protocol import Table, Target
from .timeline import Timeline


@attrs.define
class Story:
    """What is known of a fixture, for a target with this table, at the step that is told next.

    `keyed`: more than one call of the fixture carries a key; a key that is used once says nothing.
    `before` of a method is the state of the fixture's own model before the step: who holds which job, who was told
    which task.
    """

    table: Table
    timeline: Timeline
    tenants: int = 1
    attempts: int = 0
    era: str | None = None
    keyed: bool = True
    lag: int = 0
    _capabilities: dict[str, str] = attrs.field(factory=dict)
    _digests: dict[str, str] = attrs.field(factory=dict)
    _tools: dict[str, str] = attrs.field(factory=dict)
    _begun: set[str] = attrs.field(factory=set)
    _created: set[str] = attrs.field(factory=set)
    # How often each client has called with a key of its own making.
    _keys: dict[str, int] = attrs.field(factory=dict)
    _read: dict[tuple[str, str], int] = attrs.field(factory=dict)

    def note(self, event: Event, policy: Mapping[str, Any]) -> None:
        """Note what a step says of the client that takes it: what it declares, with what it calls."""
        client = event.args.get("client")
        if event.action == "declare":
            self._capabilities[str(client)] = str(event.args["capabilities"])
        if event.action in CALLS:
            self._digests[str(client)] = str(event.args.get("digest", "d1"))
            self._tools[str(client)] = str(event.args.get("tool", "optional"))
            self._begun.discard(str(client))
            fresh = event.action == "call" or policy.get("client_reissue") == "new-key"
            self._keys[str(client)] = self._keys.get(str(client), 0) + fresh

    def saw(self, by: str, task: str, version: int | None) -> None:
        """Note the version that somebody was told; a later write by the same one carries it."""
        if version is not None:
            self._read[by, task] = version

    def client(self, event: Event) -> dict[str, Any]:
        """Who asks, as far as the fixture says."""
        name = event.args.get("client")
        if name is None:
            return {}
        args: dict[str, Any] = {}
        if self.tenants > 1:
            args["tenant"] = (int(str(name)[1:]) - 1) % self.tenants + 1
        if str(name) in self._capabilities:
            args["capabilities"] = self._capabilities[str(name)]
            args["era"] = self.era or "2026-07-28"
        return args

    def create(self, event: Event, before: State) -> Call | None:
        """A request that asks for a task, whatever becomes of it. Raises CannotDo for the id of an older task."""
        client = str(event.args.get("client", "c1"))
        if event.action != "create":  # several steps may stand for one answer to one call
            if client in self._begun:
                return None
            self._begun.add(client)
        task = str(event.args.get("task") or next_unborn(before))
        if event.action == "create" and task in self._created:
            raise CannotDo("it makes its own ids, so that a second task cannot be asked to have that of the first")
        self._created.add(task)
        args = {**self.client(event), **self.timeline.windows(task, self.table)}
        if self.attempts and self.table.fails:
            args["attempts_max"] = self.attempts
        if client in self._digests:
            args |= {"tool": self._tools[client]} if self.table.negotiates else {}
            if any(name.startswith("entry_") for name in before) and (self.keyed or self.table.keys):
                args |= {"key": self._key(client), "digest": self._digests[client]}
        return Call("create", task, client, args)

    def _key(self, client: str) -> str:
        """The idempotency key of a call: clients of one tenant have their own, those of two tenants may coincide."""
        return f"key-{(int(client[1:]) - 1) // self.tenants + 1}-{self._keys[client]}"

    def write(self, event: Event, before: State, **args: Any) -> Call:
        """A write by the worker of the task that it has."""
        worker = str(event.args["worker"])
        task = str(before[f"job_{worker}"])
        version = self._read.get((worker, task)) if self.table.versions else None
        return Call("worker_write", task, worker, args if version is None else {**args, "expected_version": version})


def story_of(fixture: Fixture, target: Target) -> Story:
    """A fixture, before its first step is told to a target."""
    scope, table = fixture.scope, target.table
    attempts = int(scope.get("attempts", 0))
    tenants = int(scope.get("tenants", 1))
    keyed = sum(step.action in CALLS for step in fixture.steps) > 1
    instants = timeline(fixture.steps).with_clock(table.clock)
    return Story(table, instants, tenants, attempts, fixture.era, keyed, int(scope.get("lag", 0)))


def next_unborn(before: State) -> str:
    """The label of the first task that is not created yet; one more where all are."""
    labels = [name.removeprefix("status_") for name in before if name.startswith("status_")]
    return next((one for one in labels if before[f"status_{one}"] == "none"), f"t{len(labels) + 1}")
