"""What to set where nothing stops work whose client has left for good: no number can be moved that is not there.

Only settings and promises that the configuration lacks are offered, as few together as suffice. With no bound stated
any end will do, so a sweep comes as rarely as the longest limit allows.
"""

from collections.abc import Iterator
from itertools import combinations

from latchcheck.model.config import Config

TOGETHER_MAX = 3
HOUR_MS = 3_600_000


def settings(config: Config) -> Iterator[tuple[str, object]]:
    """What a user may set or promise, the simplest first, with the value to set."""
    flat, server = config.flat(), config.server
    wanted: list[tuple[str, object]] = [
        ("workload.works_on_after_cancel", False),
        ("server.expiry_stops_work", True),
        ("client.cancel_on_abandon", True),
        ("server.expire_running", False),
    ]
    if not isinstance(server.sweep_period_ms, int):
        limits = (server.orphan_window_ms, server.execution_deadline_ms, config.enforced_ttl_ms_effective)
        wanted.append(("server.sweep_period_ms", max((limit for limit in limits if limit), default=HOUR_MS)))
    return ((key, value) for key, value in wanted if flat[key] != value)


def choices(config: Config) -> Iterator[dict[str, object]]:
    """Settings alone, then two together, then three."""
    known = list(settings(config))
    for together in range(1, TOGETHER_MAX + 1):
        for some in combinations(known, together):
            yield dict(some)
