"""The sentences that a live server is held to, word by word, and those that nobody can see from outside.

A check has the name of its sentence here. Where two eras say it differently each has its own words.
"""

from __future__ import annotations

from typing import Final, Literal

import attrs

from latchcheck.kernel import Sentence

from .talk import LEGACY, MODERN, Era

DRAFT: Final = "MCP Tasks extension, draft"
MCP_2025: Final = "MCP 2025-11-25, Tasks"
Keyword = Literal["MUST", "SHOULD", "MAY", "defines"]
"""`defines` where the document says what something is, in a comment or a diagram, and has no keyword for it."""


@attrs.frozen
class Rule:
    """What one era says about one thing that can be seen from outside."""

    id: str
    era: Era
    keyword: Keyword
    sentence: Sentence


def _modern(ident: str, keyword: Keyword, where: str, text: str) -> Rule:
    return Rule(ident, MODERN, keyword, Sentence(text, DRAFT, where))


def _legacy(ident: str, keyword: Keyword, where: str, text: str) -> Rule:
    return Rule(ident, LEGACY, keyword, Sentence(text, MCP_2025, where))


RULES: Final[tuple[Rule, ...]] = (
    _modern(
        "no-task-without-capability",
        "MUST",
        "Capability Negotiation",
        "A server MUST NOT return CreateTaskResult to a client that did not include the extension capability on its "
        "request, regardless of prior declarations.",
    ),
    _modern(
        "methods-need-capability",
        "MUST",
        "Protocol Errors",
        "Servers MUST return this error for non-declaring clients issuing tasks/get, tasks/update, and tasks/cancel "
        "requests.",
    ),
    _modern(
        "durable-before-reply",
        "MUST",
        "Task Creation",
        "A server MUST NOT return CreateTaskResult until the task is durably created — that is, until a tasks/get for "
        "the returned taskId would resolve.",
    ),
    _modern(
        "result-type-complete",
        "MUST",
        "Task Polling",
        'The resultType field MUST be set to "complete" on this object as it is the standard result shape for the '
        "tasks/get request.",
    ),
    _modern(
        "status-brings-its-payload",
        "MUST",
        "Task Polling",
        "If the status is completed, the server MUST return a Task object with status completed and a result field "
        "containing the final result of the task.",
    ),
    _modern("unknown-id-of-get", "MUST", "Protocol Errors", "Servers MUST return this error for tasks/get."),
    _modern(
        "unknown-id-of-update-and-cancel",
        "SHOULD",
        "Protocol Errors",
        "Servers SHOULD return this error for tasks/update and tasks/cancel.",
    ),
    _modern(
        "unknown-key-ignored",
        "SHOULD",
        "Task Update Requests",
        "A server SHOULD ignore any inputResponses responses mapped to a key that is not currently outstanding for the "
        "task — including keys that were never issued, keys that have already been answered, and keys whose "
        "corresponding request has been superseded.",
    ),
    _modern(
        "key-names-one-question",
        "MUST",
        "Task Update Requests",
        "Each request key in inputRequests MUST be unique over the lifetime of a single task.",
    ),
    _modern(
        "cancel-of-finished",
        "MUST",
        "Task Cancellation",
        "On success, the server MUST acknowledge the request with an empty result.",
    ),
    _modern("terminal-stays", "defines", "Task Status, state diagram", "terminal --> [*]"),
    _modern(
        "last-updated-tells-updates",
        "defines",
        "Tasks",
        "ISO 8601 timestamp when the task was last updated.",
    ),
    _modern(
        "alive-until-ttl",
        "defines",
        "Tasks",
        "The server may discard the task after the TTL elapses.",
    ),
    _modern(
        "other-caller-refused",
        "MUST",
        "Security Considerations",
        "Servers MUST perform authentication and authorization checks on each task-related request to ensure that the "
        "client has permission to access a task.",
    ),
    _modern(
        "id-is-not-guessed",
        "MUST",
        "Security Considerations",
        "Servers MUST generate them with sufficient entropy that a third party cannot enumerate or guess them.",
    ),
    _legacy("begins-working", "MUST", "Task Status Lifecycle", "Tasks MUST begin in the working status when created."),
    _legacy(
        "ttl-is-told",
        "MUST",
        "TTL and Resource Management",
        "Receivers MUST include the actual ttl duration (or null for unlimited) in tasks/get responses.",
    ),
    _legacy(
        "unknown-id-of-get",
        "MUST",
        "Protocol Errors",
        "Invalid or nonexistent taskId in tasks/get, tasks/result, or tasks/cancel: -32602 (Invalid params)",
    ),
    _legacy(
        "cancel-of-finished",
        "MUST",
        "Task Cancellation",
        "Receivers MUST reject cancellation requests for tasks already in a terminal status (completed, failed, or "
        "cancelled) with error code -32602 (Invalid params).",
    ),
    _legacy(
        "cancelled-before-reply",
        "MUST",
        "Task Cancellation",
        "Upon receiving a valid cancellation request, receivers SHOULD attempt to stop the task execution and MUST "
        "transition the task to cancelled status before sending the response.",
    ),
    _legacy(
        "terminal-stays",
        "MUST",
        "Task Status Lifecycle",
        "Tasks with a completed, failed, or cancelled status are in a terminal state and MUST NOT transition to any "
        "other status",
    ),
    _legacy(
        "last-updated-tells-updates",
        "MUST",
        "TTL and Resource Management",
        "Receivers MUST include a lastUpdatedAt ISO 8601-formatted timestamp in all task responses to indicate when "
        "the task was last updated.",
    ),
    _legacy(
        "alive-until-ttl",
        "MAY",
        "TTL and Resource Management",
        "After a task's ttl lifetime has elapsed, receivers MAY delete the task and its results, regardless of the "
        "task status.",
    ),
    _legacy(
        "other-caller-refused",
        "MUST",
        "Task Isolation and Access Control",
        "If context-binding is available, receivers MUST reject tasks/get, tasks/result, and tasks/cancel requests for "
        "tasks that do not belong to the same authorization context as the requestor.",
    ),
    _legacy(
        "id-is-not-guessed",
        "MUST",
        "Task Isolation and Access Control",
        "If context-binding is unavailable, receivers MUST generate cryptographically secure task IDs with enough "
        "entropy to prevent guessing and should consider using shorter TTL durations to reduce the exposure window.",
    ),
)


@attrs.frozen
class Unseen:
    """A normative sentence that the official suite excludes as not observable, and what of the model covers it."""

    keyword: Keyword
    sentence: Sentence
    properties: tuple[str, ...]


def _unseen(keyword: Keyword, where: str, text: str, *properties: str) -> Unseen:
    return Unseen(keyword, Sentence(text, DRAFT, where), properties)


UNSEEN: Final[tuple[Unseen, ...]] = (
    _unseen(
        "SHOULD",
        "Task Polling",
        "Clients SHOULD respect the pollIntervalMs provided in responses when determining polling frequency.",
        "hint-honoured",
        "hint-inside-orphan-window",
        "hint-inside-ttl",
    ),
    _unseen(
        "SHOULD",
        "Task Polling",
        "Clients SHOULD continue polling until the task reaches a terminal status or until invoking tasks/cancel.",
        "client-converges",
        "patience-covers-execution",
        "result-reaches-client",
    ),
    _unseen(
        "SHOULD",
        "Task Polling",
        "Clients SHOULD persist task IDs to durable storage so that polling can resume after a crash or restart.",
        "handle-never-lost",
        "restart-inside-orphan-window",
    ),
    _unseen(
        "SHOULD",
        "Task Update Requests",
        "Clients SHOULD deduplicate inputRequests keys across consecutive polls to avoid presenting the same "
        "request to the user or model more than once.",
        "input-key-names-one-question",
        "answered-input-is-consumed",
    ),
    _unseen(
        "SHOULD",
        "Task Update Requests",
        "Clients SHOULD track inputRequests keys to avoid responding to requests more than once.",
        "input-key-names-one-question",
        "answered-input-is-consumed",
    ),
    _unseen(
        "MUST",
        "Security Considerations",
        "Servers MUST perform authentication and authorization checks on each task-related request to ensure that "
        "the client has permission to access a task.",
        "tenant-isolation",
    ),
)


def rules_of(era: Era) -> dict[str, Rule]:
    """The rules of an era by their ids, in their order."""
    return {one.id: one for one in RULES if one.era == era}
