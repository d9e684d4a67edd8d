"""What the clients and workers of a rolling restart were told of their tasks, and what of it goes back on itself.

Only the order in which answers were heard counts; nothing here asks a store.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import attrs

from .stores.records import TERMINAL

_COUNTED: Final = (
    *("restarts", "unknown", "refused", "resumed", "late", "spent"),
    *("reads", "stale", "missing", "backwards", "reopened"),
)


@attrs.frozen
class Before:
    """What had been told of a task when a read was sent: its newest version, and its outcome if any."""

    newest: int
    outcome: str | None


@attrs.define
class Told:
    """Everything that anybody was told so far.

    `accepted` tasks were named by a reply, `outcomes` were told as stored, `otherwise` with another outcome before, and
    `overwritten` are those that a write replaced which was sent after they had been told.
    `counts` are the figures of RollingRestart of the same names; `shown` is the first read that went back, in words.
    """

    accepted: dict[str, None] = attrs.field(factory=dict)
    outcomes: dict[str, str] = attrs.field(factory=dict)
    newest: dict[str, int] = attrs.field(factory=dict)
    otherwise: set[str] = attrs.field(factory=set)
    overwritten: set[str] = attrs.field(factory=set)
    counts: dict[str, int] = attrs.field(factory=lambda: dict.fromkeys(_COUNTED, 0))
    shown: str = ""
    _story: dict[str, list[str]] = attrs.field(factory=dict)

    def before(self, task: str) -> Before:
        """What has been told of a task until now."""
        return Before(self.newest.get(task, 0), self.outcomes.get(task))

    def hear(self, task: str, told: Mapping[str, Any], who: str) -> None:
        """Remember what somebody was told of a task, and whether somebody was told another outcome before."""
        if told["status"] in TERMINAL and self.outcomes.setdefault(task, told["status"]) != told["status"]:
            self.otherwise.add(task)
        self.newest[task] = max(told["version"] or 0, self.newest.get(task, 0))
        version = "" if told["version"] is None else f", version {told['version']}"
        told_now = f"{told['decision']}, {told['status'] or 'not found'}{version}"
        story = self._story.setdefault(task, [])
        # What says no more than what was told before it is left out.
        if not story or story[-1].split(", ")[1:] != told_now.split(", ")[1:]:
            story.append(f"{who}: {told_now}")

    def wrote(self, task: str, told: Mapping[str, Any], who: str, outcome: str | None) -> None:
        """Remember the answer to a write or cancel; `outcome` is what had been told when it was sent."""
        if told["decision"] in ("APPLY", "CANCELLED") and outcome not in (None, told["status"]):
            self.overwritten.add(task)
        if told["decision"].startswith("BLOCK"):
            self.counts["refused"] += 1
        self.hear(task, told, who)

    def read(self, task: str, told: Mapping[str, Any], who: str, sent: Before, stored: int) -> None:
        """Remember the answer to a read; `sent` had been told, and version `stored` was there, when it was sent."""
        version = told["version"] or 0
        reopened = sent.outcome is not None and told["status"] not in (None, *TERMINAL)
        backwards = reopened or 0 < version < sent.newest
        self.counts["reads"] += 1
        self.counts["stale"] += version < stored
        self.counts["missing"] += told["decision"] == "BLOCK_MISSING"
        self.counts["backwards"] += backwards
        self.counts["reopened"] += reopened
        self.hear(task, told, who)
        if backwards and not self.shown:
            self.shown = f"{task}: {'; '.join(self._story[task])}"
