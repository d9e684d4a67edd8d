"""Runs that tell two readings apart, worked out by hand: each with the reason why none is shorter.

Of each, the file, the reading that the run obeys or uses, the one that it breaks, and the model.
A step is an action with what it picks; in a model with a clock it begins with its instant in milliseconds.
"""

from __future__ import annotations

from typing import Any

import attrs


@attrs.frozen
class Hand:
    """One run."""

    file: str
    obeyed: str
    broken: str
    model: str
    steps: tuple[tuple[Any, ...], ...]
    why: str


T = {"task": "t1"}
W = {"worker": "w1"}
TAKEN = (("create", T), ("deliver", {**W, **T}))
DONE = (*TAKEN, ("report", {**W, "status": "completed"}))
CALLED = (("call", {"client": "c1"}), ("admit", {"client": "c1", "task": "t1"}), ("reply", {"client": "c1"}))
BEGUN = ((0, "create", {"call_latency": 0, "sweep_phase": 0}), (0, "handle_arrives", {}))
POLLED = (*BEGUN, (2, "poll", {}), (2, "tasks/get", {}), (2, "reply_arrives", {}))

HANDS = (
    Hand("asks-after-cancel", "may-ask", "no-new-questions", "guarded",
         (TAKEN[0], ("cancel", {**T, "applied": False}), TAKEN[1], ("ask", W)),
         "a question takes a record and a worker that has it, three steps; the cancel before it is the fourth"),
    Hand("cancel-of-terminal", "acknowledged", "refused", "guarded", (*DONE, ("cancel", {**T, "applied": False})),
         "the scope has one cancel, so that somebody else has ended the task: the work, in three steps"),
    Hand("cancel-of-terminal", "refused", "acknowledged", "era=2025-11-25", (*DONE, ("cancel", T)),
         "as above; in 2025-11-25 the same cancel is an error"),
    Hand("latch", "outcome", "status", "guarded",
         (TAKEN[0], ("cancel", {**T, "applied": True}), ("ttl_passes", T), ("delete_expired", T)),
         "born, ended, expired, deleted: the status leaves a terminal one by deletion alone, and that needs the ttl"),
    Hand("durable-creation", "resolves", "on-disk", "create_durability=after-reply",
         (("create", T), ("reply", T)), "the reply needs a record, and nothing more happens: no crash shows the fault"),
    Hand("durable-creation", "on-disk", "resolves", "store=volatile",
         (("create", T), ("reply", T), ("crash_server", {})),
         "what a reply has named is lost by a crash alone, so all three are needed"),
    Hand("late-completion", "legal", "editorial", "expiry_check=off",
         (*TAKEN, ("ttl_passes", T), ("report", {**W, "status": "completed"})),
         "a write takes a record, a worker and the write; the ttl passes between them"),
    Hand("replayed-question", "new-key", "not-asked-again", "guarded",
         (TAKEN[0], ("crash_server", {}), ("open_server", {}), TAKEN[1], ("ask", W)),
         "after the crash the server must be up and a worker must have the task; before it there must be a record"),
    Hand("notification", "best-effort", "exact", "notifications=lossy",
         (*TAKEN, ("notify", T), DONE[2], ("see_notification", T)),
         "the status changes between sending and reading, and that change takes a worker"),
    Hand("is-error", "failed", "completed", "guarded", (*TAKEN, ("fail_attempt", {**W, "kind": "permanent"})),
         "an attempt that fails was begun"),
    Hand("is-error", "failed-or-tried-again", "failed", "guarded",
         (*TAKEN, ("fail_attempt", {**W, "kind": "transient"})),
         "the first attempt of two may be tried again, so that its failure does not end the task"),
    Hand("lost-create-reply", "duplicate-allowed", "no-duplicate", "idempotency=none,client_reissue=new-key",
         (*CALLED, ("lose_reply", {"client": "c1"}), ("reissue", {"client": "c1"}),
          ("admit", {"client": "c1", "task": "t2"})),
         "two calls are admitted; the client calls again only without a handle, so that a reply was sent and lost"),
    Hand("denial", "restore-the-old-text", "inherit-core", "tenant_check=off",
         (("create", {"client": "c1", "task": "t1"}), ("get", {"client": "c2", "task": "t1"})),
         "there is something to read, and somebody else reads it"),
    Hand("unusable", "no-condition", "own-update", "guarded", (("create", T), ("ttl_passes", T)),
         "a ttl passes of what there is; no answer is under way"),
    Hand("unusable", "no-condition", "any-end", "guarded", (*DONE, ("ttl_passes", T)),
         "the task is over before its ttl is: three steps of work, and the ttl"),
    Hand("blocked-result", "returns-the-outcome", "error", "era=2025-11-25",
         (("create", T), ("ask_result", T), ("cancel", T), ("return_result", T)),
         "the call is held while the task is open, and returns once it is cancelled"),
    Hand("vanish", "may-vanish", "through-failed", "as configured", (*POLLED, (3, "sweep", {})),
         "the ttl is 3 ms; by then the handle has arrived, at 0 ms, and the poll that is due at 2 ms is answered"),
    Hand("hint-first-poll", "from-the-first-poll", "from-the-create-reply", "as configured",
         (*BEGUN, (2, "poll", {"fate": "answered"})),
         "the first delay is 2 ms, below the hint of 3 ms, and the next is 4 ms: only the first poll is too soon"),
    Hand("whose-clock", "margin", "one-clock", "as configured",
         (*BEGUN, (2, "poll", {}), (3, "sweep", {"error_created": 0, "error_contact": 0, "error_anchor": 1}),
          (3, "tasks/get", {})),
         "with a clock that is 1 ms ahead a ttl of 4 ms is over at 3 ms; the poll of 2 ms is on the wire until then"),
    Hand("ttl-unit", "milliseconds", "seconds", "as configured", (*POLLED, (4, "sweep", {})),
         "the ttl of 4 ms ends when the second poll is due, and may act before it is sent; the first was due at 2 ms"),
)  # fmt: skip
