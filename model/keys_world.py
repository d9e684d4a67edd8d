"""Rows of the key table: `[network]` and `[workload]`, what neither party chooses."""

from typing import Final

ROWS: Final[dict[str, tuple[dict[str, object], ...]]] = {
    "network": (
        {
            "name": "latency",
            "kind": "range",
            "meaning": "How long a request and a reply take, each way, between the two ends. "
            "A single duration stands for both.",
            "assumed": "A message takes no time.",
            "why": "It is the least said about an undescribed network; the margin must hold what it really takes.",
            "source": "section 1, rule 4",
        },
        {
            "name": "max_consecutive_failures",
            "kind": "count",
            "meaning": "At most so many polls in a row fail, on their way in or on their way out. "
            "Needs client.request_timeout. 100 at most: what loses more in a row is an outage.",
            "most": 100,
            "beyond": "so many polls lost in a row are an outage, not a network: "
            "state the longest run of failures, or the outage as client.restart_gap",
            "assumed": "No poll fails.",
            "why": "Failures without a stated number would be unlimited, and no configuration survives that.",
            "source": "section 2, rule 8",
        },
    ),
    "workload": (
        {
            "name": "execution",
            "kind": "open-range",
            "meaning": "When the work writes its terminal status after creation, if nobody stops it: at any moment "
            'between the two ends. A single duration stands for both; an upper end of "none" is unbounded.',
            "assumed": "It is not known how long the work takes.",
            "why": "Only the operator knows; what speaks about the execution time is then not applicable.",
            "source": "section 3, rule 11",
        },
        {
            "name": "human_answer",
            "kind": "range",
            "meaning": "How long a human takes to answer, between the two ends. A single duration stands for both.",
            "assumed": "It is not known how long a human takes.",
            "why": "Only the operator knows; what speaks about human answers is then not applicable.",
            "source": "section 3, Keys",
        },
        {
            "name": "stall",
            "kind": "duration",
            "meaning": "For how long a live worker may fail to renew its lease (a pause, a blocked loop).",
            "assumed": "A live worker never stalls.",
            "why": "A stall that nobody stated would be unlimited, and no lease survives that.",
            "source": "section 3, rule 17",
        },
        {
            "name": "works_on_after_cancel",
            "kind": "flag-or-duration",
            "meaning": "Whether the work goes on after a cancel: true until it is done, false not at all, "
            "or for at most a duration.",
            "assumed": "The work does not stop when it is told to.",
            "why": "Cancellation is cooperative: the protocol promises nothing about the work.",
            "source": "section 3, Keys",
        },
    ),
}
