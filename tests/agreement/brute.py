"""The brute-force oracle: every covered property of a small configuration, by exhaustive search.

Written from semantics.md alone (docs/reference/semantics.md), without sight of the model, so that
agreement with `verify` means something.  `decide` takes plain dicts with durations as plain numbers
of milliseconds: ``{"client": {"initial_delay": 2, ...}, "server": ..., "network": ..., "workload":
...}``, keys named as there, Fractions allowed for multipliers and jitter.
"""

from tests.agreement.brute_grid import Incomplete, section, ttl_of, world
from tests.agreement.brute_patience import patience
from tests.agreement.brute_search import (
    EXPIRED,
    LOST,
    LOST_TIMEOUT,
    ORPHANED,
    ORPHANED_AWAY,
    UNSEEN,
    Search,
)
from tests.agreement.brute_small import SMALL, Config, Outcome, lacking

NEEDS = {
    ORPHANED: ("server.orphan_window",),
    ORPHANED_AWAY: ("server.orphan_window", "client.restart_gap"),
    LOST: (),
    LOST_TIMEOUT: ("server.execution_deadline",),
}
"""What the configuration must have for a whole-system property to speak about something."""

WHOLE = (ORPHANED, LOST, EXPIRED, UNSEEN, LOST_TIMEOUT, ORPHANED_AWAY)
COVERED = (*WHOLE, *SMALL)


def needs(config: Config, name: str) -> tuple[str, ...]:
    """What is missing for a whole-system property."""
    client, server = section(config, "client"), section(config, "server")
    if name == EXPIRED:
        return () if ttl_of(server, "enforced") is not None else ("server.enforced_ttl",)
    if name == UNSEEN:
        gives_up = client.get("ttl_mode") == "give-up" and ttl_of(server, "advertised") is not None
        limited = gives_up or client.get("overall_timeout") is not None
        return () if limited else ("client.overall_timeout",)
    return lacking(config, *NEEDS[name])


def client_alone(config: Config) -> Config:
    """The configuration without a server that acts: what it tells the client stays."""
    told = ("poll_interval", "advertised_ttl")
    server = section(config, "server")
    kept = {key: server[key] for key in told if key in server}
    return {**config, "server": {**kept, "enforced_ttl": "none"}}


def decide(config: Config, only: tuple[str, ...] | None = None) -> dict[str, Outcome]:
    """Outcome of every covered property (or of `only` those named), in the order of `COVERED`.

    Raises Incomplete where the runs of the configuration are not defined.
    """
    asked = COVERED if only is None else tuple(name for name in COVERED if name in only)
    whole = [name for name in asked if name in WHOLE]
    missing = {name: needs(config, name) for name in whole}
    out: dict[str, Outcome] = {}
    system = None
    for name in asked:
        if name in SMALL:
            out[name] = SMALL[name](config)
        elif missing[name]:
            out[name] = Outcome(missing[name], tried=False)
        elif name == UNSEEN:
            found = patience(world(client_alone(config)))
            out[name] = Outcome(tried=name in found.tried, violated=name in found.harm)
        else:
            if system is None:
                system = Search(world(config)).run()
            out[name] = Outcome(tried=name in system.tried, violated=name in system.harm)
    return out


__all__ = ["COVERED", "SMALL", "WHOLE", "Incomplete", "Outcome", "decide"]
