"""Which actions of the lifecycle model are seen outside of it, and which are only together, or not at all.

Words alone: what is asked of a target for an action stands in mapping.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..fixture import Event
from .timeline import Timeline

# The guarded action that stands for one which only a broken model has; the others of those are no step there at all.
GUARDED_NAMES: Final = {"write_terminal": "report", "cancel_writes": "cancel"}

# How a server may answer a call; which of them is right is the server's to find out.
ADMISSIONS: Final = ("admit", "replay", "refuse", "refuse_collision", "refuse_expired", "answer_directly")
CALLS: Final = ("call", "reissue")
# Inside a client, a worker or the server: nothing that can be asked for from outside.
INTERNAL: Final = frozenset(
    {
        "announce",
        "call",
        "clean_up",
        "crash_client",
        "declare",
        "discard",
        "judge",
        "look_up_key",
        "lose_reply",
        "persist",
        "publish",
        "receive",
        "record",
        "recover",
        "redeliver",
        "reissue",
        "reply",
        "see_status",
        "stall",
        "respond",
        "update",
    }
)
_NOTE: Final = "notifications are not asked for, they come or not; targets are polled"
_HELD: Final = "a tasks/result that is held is a call under way, and calls are done one at a time"
UNSEEN: Final = {
    **dict.fromkeys(("notify", "see_notification", "lose_notification"), _NOTE),
    **dict.fromkeys(("ask_result", "return_result"), _HELD),
    "list_status": "which row of a list its reader looks at cannot be asked for; targets are polled by id",
    "insert_after_look_up": "a create that looks first and inserts later cannot be asked for in two steps",
}
SWEEPS: Final = ("sweep_timeouts", "sweep_orphans", "sweep_expiry")
RESTART: Final = ("crash_server", "triage", "open_server")
WINDOW_ENDS: Final = {
    "deadline_passes": "deadline",
    "silence_lasts": "silence",
    "ttl_passes": "ttl",
    "expire_lease": "lease",
    "expire_marker": "marker",
}


def timeline(steps: Sequence[Event]) -> Timeline:
    """The instants at which the time events of a fixture happen."""
    return Timeline.of(steps, WINDOW_ENDS, SWEEPS, RESTART)
