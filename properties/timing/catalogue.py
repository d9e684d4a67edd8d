"""The twenty timing properties: id, keyword, sentence and source (`docs/reference/semantics.md`, section 4)."""

from typing import Literal

from latchcheck.kernel import Property, Sentence

PAPER = "A. Baby, Stateless Protocol, Stateful Problem (2026)"
EXTENSION = "MCP Tasks extension (2026-07-28)"
EXPORT = "MCP Tasks: The Export That Finished Twice (2026)"
HANDLES = "D. Mareno, How to Not Orphan an MCP Task (2026)"
CATALOGUE_PAGE = "latchcheck, docs/reference/semantics.md"

Keyword = Literal["MUST", "SHOULD", "MAY"]


def _property(name: str, text: str, source: str, where: str, keyword: Keyword = "MUST") -> Property:
    return Property(name, keyword, Sentence(text, source, where))


_ALL = (
    _property(
        "no-live-orphan",
        "A task whose client still follows its polling schedule is never reclaimed as an orphan.",
        PAPER,
        "section 6.4",
    ),
    _property(
        "result-reaches-client",
        "Every terminal outcome is still readable when the first successful poll after it arrives.",
        PAPER,
        "sections 5.1 and 6.1",
    ),
    _property(
        "ttl-covers-execution",
        "Live work inside its declared execution time is never expired.",
        EXTENSION,
        "ttlMs of a task",
    ),
    _property(
        "patience-covers-execution",
        "A client that waits to its limit sees the end of every execution inside its declared time.",
        HANDLES,
        "Poll with backoff, and reconcile on boot",
    ),
    _property(
        "advertised-ttl-is-enforced",
        "Nobody who believes the advertised ttl gives up on a task that still lives, "
        "or reads a task that is already gone.",
        EXTENSION,
        "ttlMs of a task",
    ),
    _property(
        "hint-inside-orphan-window",
        "A client that obeys the server's own hint exactly is never reclaimed by that server.",
        PAPER,
        "section 6.4",
    ),
    _property(
        "hint-inside-ttl", "The first hinted poll comes before the ttl ends.", EXTENSION, "pollIntervalMs and ttlMs"
    ),
    _property("hint-honoured", "The client never polls sooner than the hint.", EXTENSION, "pollIntervalMs", "SHOULD"),
    _property(
        "restart-inside-orphan-window",
        "A client away for its declared restart gap finds its task alive.",
        HANDLES,
        "Poll with backoff, and reconcile on boot",
    ),
    _property(
        "orphans-found-in-time",
        "An abandoned task is reclaimed within a stated bound, and that bound is reported.",
        PAPER,
        "section 5.1",
    ),
    _property(
        "timeout-is-seen",
        "A task failed by its deadline stays readable until the first successful poll after it.",
        PAPER,
        "section 5.1",
    ),
    _property(
        "retries-inside-deadline",
        "All attempts and the delays between them fit inside the execution deadline.",
        PAPER,
        "sections 4.1 and 4.3",
    ),
    _property(
        "lease-outlives-stall",
        "A worker that is alive never loses its lease: at most one execution at a time.",
        EXPORT,
        "The restart exposed the real unit of durability",
    ),
    _property(
        "recovery-inside-patience",
        "After a worker crash, redelivery and the work end inside the client's patience.",
        EXPORT,
        "The restart exposed the real unit of durability",
        "SHOULD",
    ),
    _property(
        "idempotency-outlives-retries",
        "An idempotency key is remembered for as long as a client may still reissue it.",
        EXPORT,
        "The restart exposed the real unit of durability",
    ),
    _property(
        "input-window-covers-human",
        "A human who answers inside the declared time is heard, through every nested limit.",
        EXTENSION,
        "input_required and tasks/update",
    ),
    _property(
        "cancel-marker-outlives-record",
        "While any record of a cancelled task can be read, it reads cancelled.",
        EXPORT,
        "One terminal write gets the latch",
    ),
    _property(
        "abandoned-work-is-bounded",
        "Work whose client has left for good is stopped within a stated bound.",
        HANDLES,
        "Three things first cuts forget",
    ),
    _property(
        "every-window-can-fire",
        "No configured limit is dead: each can be the one that acts.",
        CATALOGUE_PAGE,
        "section 4",
    ),
    _property(
        "ttl-cap-suffices",
        "A client that treats ttlMs as an upper bound on its own backoff is never reclaimed while live.",
        PAPER,
        "sections 6.4 and 8",
    ),
)

CATALOGUE: dict[str, Property] = {one.id: one for one in _ALL}
"""Every timing property by id, in the order of the reference page."""
