"""An example of each scope and pattern, in the words of MCP Tasks; the tests read each of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

LIFECYCLE: Final = "lifecycle"
TIMING: Final = "timing"

EXAMPLES: Final[Mapping[str, tuple[str, str]]] = {
    "globally": (LIFECYCLE, "globally, it is never the case that the stored outcome changes"),
    "before": (LIFECYCLE, "before the task is terminal, it is never the case that the record is removed"),
    "from": (LIFECYCLE, "from the task is terminal, it is never the case that a worker takes the task"),
    "after": (LIFECYCLE, "after the task is terminal, it is never the case that the status changes"),
    "from-until": (
        LIFECYCLE,
        "from the task is created until the task is terminal, it is always the case that there is a record",
    ),
    "after-until": (
        LIFECYCLE,
        "after a client cancels until the task is terminal, it is never the case that a worker takes the task",
    ),
    "between": (
        LIFECYCLE,
        "between the task is created and the record is removed, it is eventually the case that an outcome is stored",
    ),
    "absence": (
        LIFECYCLE,
        "globally, it is never the case that a worker writes a terminal status and a client cancels",
    ),
    "universality": (LIFECYCLE, "globally, it is always the case that there is a record or not the task is open"),
    "existence": (TIMING, "globally, it is eventually the case that the task is terminal within 6ms"),
    "response": (LIFECYCLE, "globally, if a client cancels, then eventually the task is terminal within 5 steps"),
    "precedence": (LIFECYCLE, "globally, if the task is cancelled, then before that a client cancels"),
    "invariance": (LIFECYCLE, "globally, if the create reply is out, then at that moment the record is durable"),
    "lasts": (TIMING, "globally, once the task is terminal, it stays so for at least 2ms"),
    "ends": (TIMING, "globally, once the task is working, it stays so for at most 5ms"),
    "recurs": (TIMING, "globally, at least every 4ms, a poll arrives or not the client follows its schedule"),
    "possibility": (LIFECYCLE, "globally, it is possible that the task becomes completed and a cancel is acknowledged"),
}
"""By the kind of a scope or of a pattern: the model, and a reading of it."""
