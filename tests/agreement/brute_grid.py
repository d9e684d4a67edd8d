"""A configuration on an exact integer grid, for the brute-force search.

Source: semantics.md sections 1 to 3 (docs/reference/semantics.md), and nothing else.
A configuration here is a plain dict of sections, durations as plain numbers of milliseconds.

Why a grid is exact for dense time
----------------------------------
A run is a list of instants.  Everything semantics.md says about a run of a given shape is a
conjunction of difference constraints ``x - y <= c`` or ``x - y < c`` over those instants (a gap, a
latency, a lateness, a limit, a guard that fired, a guard that did not).  Such a system has a real
solution iff its constraint graph has no cycle of negative weight and no cycle of weight zero with
a strict edge.  All c are multiples of 1/N, N the common denominator of the delays that occur, so a
cycle of positive weight weighs at least 1/N.  Replace each ``< c`` by ``<= c - e``: no good cycle
turns bad as long as e times the number of strict edges on a simple cycle is at most 1/N, and no
bad cycle turns good.  The result has constants that are multiples of e, so a shortest-path solution
lies on the grid of step e.  Three guards can be strict: the orphan guard (when it fires for ">",
when it does not fire for ">="), the timeouts guard when it fires, and the expiry guard when it does
*not* fire.  A simple cycle meets creation once, the sweep phase once, and hence each of these kinds
at most once.  The step is therefore 1/(N * max(1, kinds present)): with one strict kind plain
integers are already exact.
"""

from collections.abc import Callable
from fractions import Fraction
from math import lcm
from typing import Any

from attrs import field, frozen

Config = dict[str, Any]
Number = int | Fraction

INF = 10**9
"""A grid instant later than anything that can matter."""

HARD_STOP = 4_000
"""No configuration for a brute-force search may span more grid instants than this."""


class Incomplete(ValueError):
    """The configuration lacks a number without which its runs are not defined."""


@frozen(slots=True)
class Gaps:
    """The closed interval of every gap, on the grid: ``after[k-1]`` before poll k, ``error[f-1]``."""

    after: tuple[tuple[int, int], ...]
    error: tuple[int, ...] | None

    def before(self, poll: int, failures: int) -> tuple[int, int]:
        """The gap before `poll` (1, 2, ...) after `failures` failures in a row."""
        if failures and self.error is not None:
            value = self.error[min(failures, len(self.error)) - 1]
            return value, value
        return self.after[min(poll, len(self.after)) - 1]


@frozen(slots=True)
class World:
    """One configuration, every duration an integer number of grid steps; INF is absence."""

    scale: int
    latency: tuple[int, int]
    failures_max: int
    request_timeout: int
    gaps: Gaps
    restart_gap: int
    errors_max: int
    overall_timeout: int
    overall_from: str
    give_up: int
    execution: tuple[int, int]
    orphan_window: int
    orphan_strict: bool
    deadline: int
    ttl: int
    anchor: str
    exempt: bool
    action: str
    removes_terminal: bool
    skew: int
    lazy: bool
    period: int
    lateness: int
    order: tuple[str, ...] = field(default=("timeouts", "orphans", "expiry"))


def section(config: Config, name: str) -> Config:
    """A section of the plain dict, empty where absent."""
    return config.get(name) or {}


def pair(value: Any) -> tuple[Any, Any]:
    """A range as given: a single value v is the point [v, v]."""
    return (value[0], value[1]) if isinstance(value, (tuple, list)) else (value, value)


def ttl_of(server: Config, prefix: str) -> Number | None:
    """A ttl in milliseconds or None; enforced falls back to advertised when unset, "none" is none."""
    value = server.get(prefix + "_ttl")
    if value is None and prefix == "enforced":
        value = server.get("advertised_ttl")
    return None if value in (None, "none") else value


def anchor_of(server: Config, prefix: str) -> str:
    """The anchor of a ttl; enforced falls back to advertised, advertised to creation."""
    own = server.get(prefix + "_anchor")
    if own is None and prefix == "enforced":
        own = server.get("advertised_anchor")
    return own or "creation"


def bind(delay: Number, client: Config, server: Config) -> Fraction:
    """A delay (jittered, or an error backoff) bound by hint, `min_delay` and the ttl cap (item 7)."""
    hint = server.get("poll_interval")
    floor = client.get("min_delay") or 0
    ceiling = client.get("max_delay")
    mode = client.get("hint_mode", "floor")
    if hint is None or mode == "ignore":
        gap = delay
    elif mode == "floor":
        gap = max(hint, delay)
    elif mode == "replace":
        gap = hint
    elif mode == "ceiling":
        gap = min(hint, delay)
    elif mode == "clamp":
        gap = max(hint, floor)
        gap = gap if ceiling is None else min(gap, ceiling)
    else:
        raise ValueError(f"hint_mode {mode!r}")
    gap = max(gap, floor)
    told = ttl_of(server, "advertised")
    if client.get("ttl_mode", "ignore") == "cap-gap" and told is not None:
        gap = min(gap, told)
    return Fraction(gap)


def nominal(client: Config, poll: int) -> Fraction:
    """The nominal delay before poll number `poll` (item 6), exact."""
    delay = Fraction(client["initial_delay"]) * Fraction(client.get("multiplier", 1)) ** (poll - 1)
    ceiling = client.get("max_delay")
    return delay if ceiling is None else min(Fraction(ceiling), delay)


def gap_intervals(client: Config, server: Config, horizon: Number) -> list[tuple[Fraction, Fraction]]:
    """The interval of the gap before poll 1, 2, ... until it repeats or passes `horizon`."""
    if client.get("initial_delay") is None:
        raise Incomplete("client.initial_delay")
    multiplier = Fraction(client.get("multiplier", 1))
    if multiplier < 1:
        raise ValueError("a multiplier below 1 is not a backoff")
    low, high = (Fraction(x) for x in client.get("jitter", (1, 1)))
    out, poll = [], 1
    while True:
        delay = nominal(client, poll)
        out.append((bind(low * delay, client, server), bind(high * delay, client, server)))
        flat = multiplier == 1 or delay == client.get("max_delay")
        if flat or low * delay > horizon:
            return out
        poll += 1


def error_intervals(client: Config, server: Config, failures_max: int) -> list[Fraction] | None:
    """The gap after the f-th failure in a row, f = 1, 2, ...; None without an error backoff."""
    initial = client.get("error_initial_delay")
    if initial is None:
        return None
    growth, ceiling = Fraction(client.get("error_multiplier", 1)), client.get("error_max_delay")
    out = []
    for failure in range(1, max(1, failures_max) + 1):
        delay = Fraction(initial) * growth ** (failure - 1)
        delay = delay if ceiling is None else min(Fraction(ceiling), delay)
        out.append(bind(delay, client, server))
    return out


def strict_kinds(server: Config) -> int:
    """How many kinds of strict guard a run of this server can meet."""
    kinds = [server.get("orphan_window"), server.get("execution_deadline")]
    return sum(x is not None for x in (*kinds, ttl_of(server, "enforced")))


def check_complete(config: Config) -> None:
    """Raises Incomplete where the runs are not defined.

    That is: no execution, failures without a request timeout, limits without a sweep; a missing delay is found with the
    gaps.
    """
    client, server = section(config, "client"), section(config, "server")
    if section(config, "workload").get("execution") is None:
        raise Incomplete("workload.execution")
    if section(config, "network").get("max_consecutive_failures", 0) and client.get("request_timeout") is None:
        raise Incomplete("client.request_timeout")
    if strict_kinds(server) and server.get("sweep_period") is None:
        raise Incomplete("server.sweep_period")


def world(config: Config, finer: int = 1) -> World:
    """The grid form of `config`; `finer` multiplies the grid that the docstring above asks for.

    Raises Incomplete where the runs are not defined.
    """
    check_complete(config)
    client, server = section(config, "client"), section(config, "server")
    network, execution = section(config, "network"), pair(section(config, "workload")["execution"])
    failures = network.get("max_consecutive_failures", 0)
    gaps = gap_intervals(client, server, execution[1] + 1)
    errors = error_intervals(client, server, failures)
    parts = [x.denominator for interval in gaps for x in interval]
    parts += [x.denominator for x in errors or ()]
    scale = lcm(*parts) * max(1, strict_kinds(server)) * finer

    def grid(value: Any) -> int:
        return INF if value is None else int(Fraction(value) * scale)

    shortest, longest = pair(network.get("latency", (0, 0)))
    if client.get("request_timeout") is not None and grid(client["request_timeout"]) < 2 * grid(longest):
        raise ValueError("the oracle wants request_timeout >= the longest round trip")
    return World(
        scale=scale,
        latency=(grid(shortest), grid(longest)),
        failures_max=failures,
        gaps=Gaps(
            tuple((int(a * scale), int(b * scale)) for a, b in gaps),
            None if errors is None else tuple(int(e * scale) for e in errors),
        ),
        execution=(grid(execution[0]), grid(execution[1])),
        **patience(client, server, grid),
        **limits(server, grid),
    )


def patience(client: Config, server: Config, grid: Callable[[Any], int]) -> dict[str, Any]:
    """What ends the client's polling, or interrupts it."""
    told = ttl_of(server, "advertised")
    return {
        "request_timeout": grid(client.get("request_timeout")),
        "restart_gap": grid(client.get("restart_gap") or 0),
        "errors_max": client.get("max_consecutive_errors") or INF,
        "overall_timeout": grid(client.get("overall_timeout")),
        "overall_from": client.get("overall_timeout_from", "call"),
        "give_up": grid(told if client.get("ttl_mode") == "give-up" else None),
    }


def limits(server: Config, grid: Callable[[Any], int]) -> dict[str, Any]:
    """The windows of the server, and the sweeps that judge them."""
    anchor, action = anchor_of(server, "enforced"), server.get("expiry_action", "delete")
    sweep = server.get("sweep_period")
    return {
        "orphan_window": grid(server.get("orphan_window")),
        "orphan_strict": server.get("orphan_comparison", ">") == ">",
        "deadline": grid(server.get("execution_deadline")),
        "ttl": grid(ttl_of(server, "enforced")),
        "anchor": anchor,
        "exempt": anchor == "terminal" or not server.get("expire_running", True),
        "action": action,
        "removes_terminal": action in ("hide", "delete") or server.get("expired_terminal", "delete") == "delete",
        "skew": grid(server.get("clock_skew") or 0),
        "lazy": sweep == "lazy",
        "period": 0 if sweep in (None, "lazy") else grid(sweep),
        "lateness": grid(server.get("sweep_lateness") or 0),
        "order": tuple(server.get("sweep_order", ("timeouts", "orphans", "expiry"))),
    }
