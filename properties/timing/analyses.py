"""Which analysis answers which property."""

from collections.abc import Callable

from .abandoned import abandoned_work_is_bounded
from .abandoned_found import orphans_found_in_time
from .advertised import advertised_ttl_is_enforced
from .answers import Outcome
from .facts import Facts
from .hints import hint_honoured, hint_inside_ttl
from .human import input_window_covers_human
from .idempotency import idempotency_outlives_retries
from .leases import lease_outlives_stall, recovery_inside_patience
from .marker import cancel_marker_outlives_record
from .orphan import hint_inside_orphan_window, no_live_orphan, restart_inside_orphan_window, ttl_cap_suffices
from .patience import patience_covers_execution
from .retention import result_reaches_client, timeout_is_seen
from .retries import retries_inside_deadline
from .ttl import ttl_covers_execution
from .windows import every_window_can_fire

Analysis = Callable[[Facts], Outcome]

ANALYSES: dict[str, Analysis] = {
    "no-live-orphan": no_live_orphan,
    "result-reaches-client": result_reaches_client,
    "ttl-covers-execution": ttl_covers_execution,
    "patience-covers-execution": patience_covers_execution,
    "advertised-ttl-is-enforced": advertised_ttl_is_enforced,
    "hint-inside-orphan-window": hint_inside_orphan_window,
    "hint-inside-ttl": hint_inside_ttl,
    "hint-honoured": hint_honoured,
    "restart-inside-orphan-window": restart_inside_orphan_window,
    "orphans-found-in-time": orphans_found_in_time,
    "timeout-is-seen": timeout_is_seen,
    "retries-inside-deadline": retries_inside_deadline,
    "lease-outlives-stall": lease_outlives_stall,
    "recovery-inside-patience": recovery_inside_patience,
    "idempotency-outlives-retries": idempotency_outlives_retries,
    "input-window-covers-human": input_window_covers_human,
    "cancel-marker-outlives-record": cancel_marker_outlives_record,
    "abandoned-work-is-bounded": abandoned_work_is_bounded,
    "every-window-can-fire": every_window_can_fire,
    "ttl-cap-suffices": ttl_cap_suffices,
}
