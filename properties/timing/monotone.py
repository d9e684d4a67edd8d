"""Numbers in which a condition is known to be monotone, by the form in which it is written.

Everything here was read off the conditions: the number stands alone on one side of one comparison, and what it is
compared with does not read it. Between two values with one outcome every value then has that outcome.
What is not listed may be monotone too; nothing is claimed of it.
"""

from collections.abc import Mapping

from latchcheck.model.config import Config

from .facts import Facts

_SILENCE = "the longest silence that can be judged does not depend on the window"

_BY_FORM: Mapping[tuple[str, str], str] = {
    ("no-live-orphan", "server.orphan_window_ms"): _SILENCE,
    ("restart-inside-orphan-window", "server.orphan_window_ms"): _SILENCE,
    ("hint-inside-orphan-window", "server.orphan_window_ms"): _SILENCE,
    ("ttl-cap-suffices", "server.orphan_window_ms"): _SILENCE,
    ("patience-covers-execution", "client.overall_timeout_ms"): "when the end is read does not depend on the limit",
    ("idempotency-outlives-retries", "server.idempotency_retention_ms"): "it stands against the last reissue alone",
    ("idempotency-outlives-retries", "client.retry_horizon_ms"): "it moves the last reissue by itself",
    ("lease-outlives-stall", "server.lease_timeout_ms"): "it stands against the silence of the worker alone",
    ("lease-outlives-stall", "server.lease_renewal_ms"): "it moves the silence of the worker by itself",
    ("lease-outlives-stall", "workload.stall_ms"): "it moves the silence of the worker by itself",
    ("recovery-inside-patience", "server.lease_sweep_ms"): "it moves the end of the second attempt by itself",
}


def why_monotone(name: str, config: Config, key: str) -> str | None:
    """Why the outcome of a property changes in one direction only as this key grows; None where that is not known.

    Where the client's delays grow without a ceiling, every number of the configuration bounds how far they are
    followed; nothing is claimed there.
    """
    legs = Facts(config).legs
    if legs is not None and not legs.schedule.ceiling_reached:
        return None
    return _BY_FORM.get((name, key))
