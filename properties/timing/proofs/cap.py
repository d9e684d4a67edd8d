"""`ttl-cap-suffices`: what it is worth that a client takes ttlMs as an upper bound on its own backoff.

With A the advertised ttl, h the slowest message, t the request timeout, f the most failures in a row after which the
client still follows, R its restart gap and s the clock skew: no live task of such a client is orphaned, whatever its
own delays are, exactly when

    window - s >= A + 2h + f*(t + A) + R

(`>` where the window is judged by `>=`), the work being long enough for that silence.
The cap alone, A <= window, is not enough: the silence at the server is longer than any gap.
For given delays the exact condition is that of `no-live-orphan` with capped gaps, which `orphan` proves.
"""

from typing import Any

import z3

from latchcheck.engines.obligations import Proof, prove
from latchcheck.model.config import Config

from . import orphan
from .followed import DELAY, FIRST, Followed
from .paper import BEGIN, LONG, WINDOW, Case
from .scripts import contacts_follow


def capped(shape: Followed) -> Any:
    """The longest silence that the cap alone allows."""
    cap = shape.number("advertised_ttl")
    longest = shape.latency.hi + cap
    for _ in range(shape.followed):
        longest = longest + shape.timeout + cap
    answered = longest + shape.latency.hi
    if shape.stopping is not None:
        noticed = longest + shape.timeout
        answered = z3.If(noticed > answered, noticed, answered)
    return answered + shape.restart


def suffices(config: Config) -> list[Proof]:
    """A window no shorter than the longest silence that the cap allows is enough for a client of any delays."""
    shape, k = Followed(config), z3.Int("k")
    reach, longest = shape.number("orphan_window") - shape.skew, capped(shape)
    known = [*shape.sane, *shape.schedule(*(k + one for one in range(shape.failures + 2)))]
    wide = longest < reach if shape.windows.inclusive else longest <= reach
    return [
        Proof(
            "ttl cap: sufficient",
            (
                prove("no silence is longer than the cap allows", known, shape.longest(k) <= longest),
                prove(
                    "it makes every silence harmless",
                    [*known, shape.longest(k) <= longest, wide],
                    orphan.safe(shape, k),
                ),
            ),
        ),
        orphan.never(config),
    ]


def necessary(config: Config) -> list[Proof]:
    """Where the window is shorter, a client whose own delays reach the cap is orphaned, if the work lasts so long."""
    shape = Followed(config)
    cap, low = shape.number("advertised_ttl"), z3.RealVal(str(config.client.jitter[1]))
    k, reach = z3.IntVal(1), shape.number("orphan_window") - shape.skew
    polls = [k + one for one in range(shape.failures + 2)]
    long = [DELAY(poll) * low >= cap for poll in (k, *polls)]
    if config.client.error_initial_delay_ms is not None:
        long += [shape.error_nominal(one) >= cap for one in range(1, shape.failures + 1)]
    known = [*shape.sane, *shape.schedule(*polls), FIRST(1) == 0, *long]
    short = capped(shape) >= reach if shape.windows.inclusive else capped(shape) > reach
    at = capped(shape)
    lasts = [at <= limit.at if limit.closed else at < limit.at for limit in orphan.caps(shape, k)]
    return [
        Proof(
            "ttl cap: necessary",
            (
                prove("the first silence is as long as the cap allows", known, shape.longest(k) == capped(shape)),
                prove("it harms", [*known, short, *lasts], z3.Not(orphan.safe(shape, k))),
            ),
        ),
        *orphan.reached(config),
        *contacts_follow(config),
    ]


# -- the cap alone ------------------------------------------------------------------------------------------------


def _case(name: str, says: str, ttl: int, changes: dict[str, object], events: list[Any]) -> Case:
    config = LONG_DELAYS.replace({"server.advertised_ttl_ms": ttl, **changes})
    return Case(name, says, config, events, orphaned=True, gaps={})


def _long_delays() -> Config:
    from latchcheck.model.config import UNLIMITED, Client, Server

    client = Client(initial_delay_ms=10 * WINDOW, max_delay_ms=10 * WINDOW, ttl_mode="cap-gap")
    # The ttl is told; what it ends is another matter.
    server = Server(orphan_window_ms=WINDOW, enforced_ttl_ms=UNLIMITED)
    return Config(client=client, server=server, workload=LONG)


LONG_DELAYS = _long_delays()
ALONE = (
    _case("a ttl beyond the window", "The cap lets a gap outlast the window.", 200, {}, [*BEGIN, (101, "sweep", {})]),
    _case(
        "a ttl of the window, and a network",
        "The gap keeps to the window, the handle's way adds to it.",
        WINDOW,
        {"network.latency_ms": (0, 5)},
        [BEGIN[0], (5, "handle_arrives", {}), (101, "sweep", {})],
    ),
    _case(
        "a ttl inside the window, and a lost poll",
        "Two capped gaps in a row outlast the window.",
        60,
        {"network.max_consecutive_failures": 1, "client.request_timeout_ms": 10},
        [*BEGIN, (60, "poll", {"fate": "request_lost"}), (70, "failure_noticed", {}), (101, "sweep", {})],
    ),
)
"""Clients that cap their gaps at ttlMs and are orphaned while live: the cap alone does not suffice."""
