"""The five tables of the paper as it prints them: labels and figures, nothing of ours.

Where the paper's head has two lines (Tables 2 and 5), a column is called by both.
A row of Table 4 is called by its first two cells.
"""

from __future__ import annotations

from typing import Final

from latchcheck.kernel.figures import Table

PAPER: Final = "Ajin Baby, Stateless Protocol, Stateful Problem, 2026"


DURATIONS: Final = {"~60 s": 60, "~300 s": 300, "~1800 s": 1800}
"""Length of the task in seconds by the label of its column."""

TABLE_1: Final = Table(
    1,
    "Handle survival across a restart (20 handles, 12 completed, 8 in flight)",
    "store",
    ("resolve after restart", "lost", "resumable", "survival"),
    {"in-memory": ("0", "20", "0", "0%"), "SQLite (WAL, synchronous=FULL)": ("20", "0", "8", "100%")},
)
TABLE_2: Final = Table(
    2,
    "Polls issued and staleness, by policy and task duration",
    "policy",
    tuple(f"{label} task {what}" for label in DURATIONS for what in ("polls", "stale p50")),
    {
        "fixed 250 ms": ("240.4", "0.10 s", "1200.0", "0.00 s", "7200.2", "0.00 s"),
        "fixed 1000 ms": ("60.4", "0.40 s", "300.0", "0.00 s", "1800.2", "0.00 s"),
        "fixed 5000 ms": ("12.5", "2.40 s", "60.4", "2.00 s", "360.5", "2.00 s"),
        "adaptive, max 10 s": ("15.0", "3.98 s", "46.7", "3.97 s", "247.1", "3.40 s"),
        "adaptive, max 30 s": ("11.9", "12.98 s", "22.4", "11.60 s", "89.3", "11.60 s"),
        "adaptive, max 60 s": ("11.8", "21.65 s", "17.3", "22.01 s", "50.4", "22.69 s"),
    },
)
TABLE_3: Final = Table(
    3,
    "Median staleness as a fraction of task duration",
    "policy",
    tuple(DURATIONS),
    {
        "fixed 5000 ms": ("4.0%", "0.7%", "0.1%"),
        "adaptive, max 10 s": ("6.6%", "1.3%", "0.2%"),
        "adaptive, max 30 s": ("21.6%", "3.9%", "0.6%"),
        "adaptive, max 60 s": ("36.1%", "7.3%", "1.3%"),
    },
)
TABLE_4: Final = Table(
    4,
    "Cost of each default, by how retryable the unknowns really are",
    "truly transient, default",
    ("attempts", "recovered", "wasted retries", "lost work", "dead-letters"),
    {
        "0% permanent": ("120", "20", "0", "0", "0"),
        "0% transient": ("240", "20", "120", "0", "60"),
        "25% permanent": ("120", "20", "0", "15", "0"),
        "25% transient": ("225", "35", "90", "0", "45"),
        "50% permanent": ("120", "20", "0", "30", "0"),
        "50% transient": ("210", "50", "60", "0", "30"),
        "75% permanent": ("120", "20", "0", "45", "0"),
        "75% transient": ("195", "65", "30", "0", "15"),
        "100% permanent": ("120", "20", "0", "60", "0"),
        "100% transient": ("180", "80", "0", "0", "0"),
    },
)
TABLE_5: Final = Table(
    5,
    "Task outcome by client backoff ceiling and server orphan window",
    "client max backoff",
    ("orphan window 900 s", "orphan window 120 s"),
    {
        "10 s": ("survived", "survived"),
        "60 s": ("survived", "survived"),
        "300 s": ("survived", "orphaned at 780 s"),
        "900 s": ("survived", "orphaned at 780 s"),
    },
)
TABLES: Final = {table.number: table for table in (TABLE_1, TABLE_2, TABLE_3, TABLE_4, TABLE_5)}
