"""The five tables as the paper prints them, typed from it for the tests; nothing here comes from this program.

Source: Ajin Baby, *Stateless Protocol, Stateful Problem*, 2026, Tables 1 to 5. Cells are separated by bars.
"""

from __future__ import annotations

TABLE_1 = """
in-memory | 0 | 20 | 0 | 0%
SQLite (WAL, synchronous=FULL) | 20 | 0 | 8 | 100%
"""
TABLE_2 = """
fixed 250 ms | 240.4 | 0.10 s | 1200.0 | 0.00 s | 7200.2 | 0.00 s
fixed 1000 ms | 60.4 | 0.40 s | 300.0 | 0.00 s | 1800.2 | 0.00 s
fixed 5000 ms | 12.5 | 2.40 s | 60.4 | 2.00 s | 360.5 | 2.00 s
adaptive, max 10 s | 15.0 | 3.98 s | 46.7 | 3.97 s | 247.1 | 3.40 s
adaptive, max 30 s | 11.9 | 12.98 s | 22.4 | 11.60 s | 89.3 | 11.60 s
adaptive, max 60 s | 11.8 | 21.65 s | 17.3 | 22.01 s | 50.4 | 22.69 s
"""
TABLE_3 = """
fixed 5000 ms | 4.0% | 0.7% | 0.1%
adaptive, max 10 s | 6.6% | 1.3% | 0.2%
adaptive, max 30 s | 21.6% | 3.9% | 0.6%
adaptive, max 60 s | 36.1% | 7.3% | 1.3%
"""
TABLE_4 = """
0% permanent | 120 | 20 | 0 | 0 | 0
0% transient | 240 | 20 | 120 | 0 | 60
25% permanent | 120 | 20 | 0 | 15 | 0
25% transient | 225 | 35 | 90 | 0 | 45
50% permanent | 120 | 20 | 0 | 30 | 0
50% transient | 210 | 50 | 60 | 0 | 30
75% permanent | 120 | 20 | 0 | 45 | 0
75% transient | 195 | 65 | 30 | 0 | 15
100% permanent | 120 | 20 | 0 | 60 | 0
100% transient | 180 | 80 | 0 | 0 | 0
"""
TABLE_5 = """
10 s | survived | survived
60 s | survived | survived
300 s | survived | orphaned at 780 s
900 s | survived | orphaned at 780 s
"""
COLUMNS = {
    1: ["resolve after restart", "lost", "resumable", "survival"],
    2: [f"~{length} s task {what}" for length in (60, 300, 1800) for what in ("polls", "stale p50")],
    3: ["~60 s", "~300 s", "~1800 s"],
    4: ["attempts", "recovered", "wasted retries", "lost work", "dead-letters"],
    5: ["orphan window 900 s", "orphan window 120 s"],
}
TABLES = {1: TABLE_1, 2: TABLE_2, 3: TABLE_3, 4: TABLE_4, 5: TABLE_5}


def figures(table: int) -> dict[tuple[str, str], str]:
    """The printed figures of a table by row and column."""
    found: dict[tuple[str, str], str] = {}
    for line in TABLES[table].strip().splitlines():
        row, *cells = (cell.strip() for cell in line.split(" | "))
        found |= {(row, column): cell for column, cell in zip(COLUMNS[table], cells, strict=True)}
    return found


def number(printed: str) -> float | str:
    """A printed figure without its unit, or the words."""
    bare = printed.removesuffix("%").removesuffix(" s")
    return float(bare) if bare.replace(".", "", 1).isdigit() else printed
