"""Which analysis answers which property."""

from collections.abc import Callable

from .answers import Outcome
from .facts import Facts
from .orphan import hint_inside_orphan_window, no_live_orphan, restart_inside_orphan_window, ttl_cap_suffices
from .patience import patience_covers_execution
from .retention import result_reaches_client, timeout_is_seen
from .ttl import ttl_covers_execution

Analysis = Callable[[Facts], Outcome]

ANALYSES: dict[str, Analysis] = {
    "no-live-orphan": no_live_orphan,
    "result-reaches-client": result_reaches_client,
    "ttl-covers-execution": ttl_covers_execution,
    "patience-covers-execution": patience_covers_execution,
    "hint-inside-orphan-window": hint_inside_orphan_window,
    "restart-inside-orphan-window": restart_inside_orphan_window,
    "timeout-is-seen": timeout_is_seen,
    "ttl-cap-suffices": ttl_cap_suffices,
}
